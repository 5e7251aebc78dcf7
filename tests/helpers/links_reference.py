"""Reference numbers of thick, tapered and strongly bent beams, and the profiles they belong to."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from places import DATA

from lissom.beam import GeneralSection, Material, Piece, Profile, Section

_NUMBERS = json.loads((DATA / "reference_links.json").read_text())
BEAMS: dict[str, Any] = _NUMBERS["beams"]
PUBLISHED_TAPERS: list[dict[str, Any]] = _NUMBERS["published_tapers"]
PRINCETON: dict[str, Any] = _NUMBERS["princeton"]
_P = _NUMBERS["beam_parameters"]
STEEL = Material(_P["E"], _P["nu"], _P["rho"])


def rectangle(size: Any, width: Any = _P["width_root"]) -> Section:
    """The section of the reference beams, `size` times as high, with their shear factor."""
    height = _P["height_root"] * size
    shear = _P["kappa"] * STEEL.G * width * height
    return replace(Section.rectangle(STEEL, width, height), kGAy=shear, kGAz=shear)


def taper(length: float, tip: float, both: bool, shear: bool) -> Profile:
    """Height, and with `both` width too, falling linearly to `tip` of their size at the root."""

    def at(s: float) -> GeneralSection:
        size = 1 - (1 - tip) * s
        return GeneralSection.of(rectangle(size, _P["width_root"] * (size if both else 1.0)))

    return Profile((Piece(0.0, length, at),), shear)
