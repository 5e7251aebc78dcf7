"""Sections along a beam: `stations: [{x: 0, section: ...}, {x: 0.4, section: ...}, ...]`.

Between two stations every number of the section (sizes, angles, stiffnesses) changes linearly; two stations at one x
make a jump.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from lissom.model.description.location import ROUNDING
from lissom.model.flexible.material import Material
from lissom.model.flexible.section import AnySection
from lissom.model.flexible.section_base import SectionSpec, numeric
from lissom.model.schema.base_model import Description
from lissom.model.schema.name_fields import Name
from lissom.model.schema.number_fields import Number

if TYPE_CHECKING:
    from lissom import beam as beams

Problem = tuple[tuple[str | int, ...], Any, str]


class Station(Description):
    """The section at one place of a beam; `material` where it differs from the beam's."""

    what: ClassVar[str] = "station"

    x: Annotated[float, Number("the place along the beam", "metres", at_least=0)]
    section: AnySection
    material: Annotated[str | None, Name("the name of a material of the robot")] = None


def station_problems(stations: Sequence[Station], length: float) -> list[Problem]:
    """Return what keeps a list of stations from being a beam of that length: (path, value, what to do)."""
    found: list[Problem] = []
    x = [station.x for station in stations]
    if len(x) < 2:
        text = "has one station; give at least two, the first at 0 and the last at the length, or use section"
        return [(("stations",), len(x), text)]
    if x[0] != 0:
        found.append((("stations", 0, "x"), x[0], "must be 0 at the first station: the base of the beam"))
    if abs(x[-1] - length) > 1e-9 * length:
        text = f"must be the length of the beam ({length:g}) at the last station; change it or the length"
        found.append((("stations", len(x) - 1, "x"), x[-1], text))
    for k in range(1, len(x)):
        if x[k] < x[k - 1]:
            text = f"lies before the station at {x[k - 1]:g}; list the stations from base to tip"
            found.append((("stations", k, "x"), x[k], text))
        elif k > 1 and x[k] == x[k - 2]:
            found.append((("stations", k, "x"), x[k], "is the third station at this place; two make a jump"))
        elif x[k] == x[k - 1] and (k == 1 or k == len(x) - 1):
            end = "base" if k == 1 else "tip"
            found.append((("stations", k, "x"), x[k], f"makes a jump at the {end}, where nothing follows; remove one"))
        elif x[k] > x[k - 1]:
            found += _taper_problems(k, stations[k - 1], stations[k])
    shears = [station.section.shears for station in stations]
    for k, known in enumerate(shears):
        if known != shears[0]:
            text = "missing; the first station has shear stiffnesses" if shears[0] else "has none at the first station"
            field = "kGAy" if shears[0] else "section"
            found.append((("stations", k, "section", field), None, f"{text}; give kGAy and kGAz at all or at none"))
            break
    return found


def _taper_problems(k: int, before: Station, after: Station) -> list[Problem]:
    a, b = before.section, after.section
    jump = f"put a station with the section of station {k - 1} at the same x, which makes a jump"
    if a.form != b.form:
        names = [section.form.partition(":")[2] for section in (a, b)]
        text = f"a {names[0]} cannot change gradually into a {names[1]}; {jump}"
        return [(("stations", k, "section"), names[1], text)]
    if before.material != after.material:
        text = f"one material cannot change gradually into another; {jump}"
        return [(("stations", k, "material"), after.material, text)]
    for name in type(a).model_fields:
        if not _alike(getattr(a, name), getattr(b, name)):
            text = f"is given at one of stations {k - 1} and {k} only, or in another form; give it at both alike"
            return [(("stations", k, "section", name), getattr(b, name), text)]
    problem = a.way_problem(b)
    return [] if problem is None else [(("stations", k, "section"), None, f"{problem}; or {jump}")]


def _alike(a: Any, b: Any) -> bool:
    """Return whether there is a value between the two."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_alike(x, y) for x, y in zip(a, b))
    if numeric(a) and numeric(b):
        return True
    return bool(a == b)


def section_at(stations: Sequence[Station], x: float, ending: bool = False) -> tuple[SectionSpec, str | None]:
    """Return the section at a place and its own material; at a jump, the one that begins, or ends, there."""
    pairs = [(a, b) for a, b in itertools.pairwise(stations) if np.real(b.x) > np.real(a.x)]
    if ending:
        before, after = next((pair for pair in pairs if np.real(pair[1].x) >= x), pairs[-1])
    else:
        before, after = next((pair for pair in reversed(pairs) if np.real(pair[0].x) <= x), pairs[0])
    s = (x - np.real(before.x)) / (np.real(after.x) - np.real(before.x))
    return before.section.between(after.section, float(np.clip(s, 0.0, 1.0))), before.material


def build_profile(
    stations: Sequence[Station],
    length: Any,
    materials: Mapping[str, Material],
    default: str | None,
    shear: bool,
    factor: float | None,
) -> beams.Profile:
    """Return the sections along a beam; the last station sits at `length`, which may carry a derivative."""
    from lissom import beam as beams

    def material(station: Station) -> beams.Material | None:
        name = station.material or default
        return None if name is None else materials[name].build()

    pieces: list[beams.Piece] = []
    for before, after in itertools.pairwise(stations):
        if np.real(after.x) - np.real(before.x) <= ROUNDING * np.real(length):  # a jump
            continue
        start = pieces[-1].end if pieces else before.x
        end = length if after is stations[-1] else after.x
        a, b, made_of = before.section, after.section, material(before)
        if a == b:
            pieces.append(beams.Piece.constant(start, end, a.general(made_of, factor)))
        else:
            pieces.append(beams.Piece(start, end, lru_cache(maxsize=256)(a.towards(b, made_of, factor))))
    return beams.Profile(tuple(pieces)) if shear else beams.Profile.without_shear(pieces)
