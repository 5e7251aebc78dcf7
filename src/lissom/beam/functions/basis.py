"""The basis of a link: one set of shape functions for each direction in which it gives way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from lissom.beam.functions import mode_families, shape_functions
from lissom.beam.functions.attachment_functions import Place
from lissom.beam.functions.quadrature import Quadrature
from lissom.beam.functions.shape_functions import Shapes
from lissom.beam.number_types import Array, Number, positive
from lissom.beam.sections.cross_section import Section
from lissom.errors import LissomError

Ends: TypeAlias = str | Mapping[str, Any]

DIRECTIONS = ("y", "z", "torsion", "axial")
FAMILIES = {
    "y": mode_families.BENDING,
    "z": mode_families.BENDING,
    "torsion": mode_families.TORSION,
    "axial": mode_families.EXTENSION,
}
GENERAL = ("auto", "legendre", "hermite")


class LinkCoordinates(ABC):
    """The coordinates of a link, in the order of the directions in which it gives way."""

    @property
    @abstractmethod
    def counts(self) -> dict[str, int]:
        """Number of functions by direction."""

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Where each direction's coordinates sit in eta."""
        ends = np.cumsum([0, *self.counts.values()])
        return {name: slice(int(a), int(b)) for name, a, b in zip(DIRECTIONS, ends[:-1], ends[1:])}

    @cached_property
    def count(self) -> int:
        """Number of coordinates."""
        return sum(self.counts.values())

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Names of the coordinates: y1, y2, z1, ..., torsion1, axial1."""
        return tuple(f"{name}{k + 1}" for name, n in self.counts.items() for k in range(n))


@dataclass(frozen=True, eq=False)
class Basis(LinkCoordinates):
    """Shape functions of a link in the order of its coordinates: deflections v, w, twist t, extension a."""

    y: Shapes
    z: Shapes
    torsion: Shapes
    axial: Shapes

    @cached_property
    def directions(self) -> dict[str, Shapes]:
        """The four sets by name, in the order of the coordinates."""
        return {name: getattr(self, name) for name in DIRECTIONS}

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of functions by direction."""
        return {name: s.count for name, s in self.directions.items()}

    @cached_property
    def breaks(self) -> tuple[float, ...]:
        """Interior points where a derivative of some function jumps, in rising order."""
        return tuple(sorted({b for s in self.directions.values() for b in s.breaks}))

    def missed_shares(self, direction: str, places: Sequence[Place], length: float) -> list[Array]:
        """Return the share of the compliance under unit loads at places, in metres, that functions leave out, (c,)."""
        at = tuple(place._replace(x=place.x / length) for place in places)
        return shape_functions.missed_shares(self.directions[direction], direction, at)

    @cached_property
    def rule(self) -> Quadrature:
        """Quadrature on [0, 1] that resolves products of any of the functions."""
        return Quadrature.resolving(max(s.degree for s in self.directions.values()), self.breaks)


def make_basis(
    modes: Mapping[str, int],
    ends: Ends = "auto",
    normalisation: str = "L2",
    *,
    section: Section | None = None,
    length: Number = None,
    places: tuple[Place, ...] = (),
) -> Basis:
    """Return basis of a link from mode counts and the kind of functions.

    Parameters
    ----------
    modes : mapping
        Number of functions by direction ("y", "z", "torsion", "axial"); one left out is rigid.
    ends : Ends
        "auto", "legendre", "hermite" or the name of a mode family (`lissom.beam.mode_families`); or a
        mapping with `family` and its options `tip_mass`, `tip_inertia` (ratios to the beam's own); or a
        mapping from direction to one of these (directions left out: "auto"). A family of bending modes
        named for the whole link stands for clamped-free in torsion and extension, where "clamped-mass"
        keeps its mass.
    normalisation : str
        "L2" for int_0^1 f^2 dxi = 1; "mass" for unit modal mass of the uniform beam with the
        tip load of its family, which needs `section` and `length`.
    places : tuple of Place
        Where something acts inside the span, as fractions of the length: directions that have functions get
        those that loads there need (`lissom.beam.functions.attachment_functions`).
    """
    kinds = by_direction(modes, ends)
    sets = {name: _make_shapes(name, modes.get(name, 0), kinds[name]) for name in DIRECTIONS}
    if places:
        sets = {name: shape_functions.attached(s, name, places) for name, s in sets.items()}
    if normalisation == "mass":
        sets = {name: _normalise_mass(name, s, section, length) for name, s in sets.items()}
    elif normalisation != "L2":
        raise LissomError("is unknown; choose 'L2' or 'mass'", ("normalisation",), normalisation)
    return Basis(**sets)


def by_direction(modes: Mapping[str, int], ends: Ends) -> dict[str, Ends]:
    """Return what `ends` mean in each direction; an error for counts or directions that there are not."""
    _check_directions("modes", modes)
    for direction, count in modes.items():
        if isinstance(count, bool | complex) or count != int(count) or count < 0:
            raise LissomError("must be a whole number >= 0", ("modes", direction), count)
    if isinstance(ends, Mapping) and set(ends) & set(DIRECTIONS):
        _check_directions("ends", ends)
        return {name: ends.get(name, "auto") for name in DIRECTIONS}
    return {name: _counterpart(ends, name) for name in DIRECTIONS}


def _check_directions(what: str, given: Mapping[str, Any]) -> None:
    for name in given:
        if name not in DIRECTIONS:
            raise LissomError(f"is not a direction; choose from {', '.join(DIRECTIONS)}", (what, name))


def split_ends(ends: Ends) -> tuple[str, dict[str, float]]:
    """Return name and options (those that are not zero) of a set of functions."""
    if isinstance(ends, str):
        return ends, {}
    options = dict(ends)
    return options.pop("family", "auto"), {k: float(np.real(v)) for k, v in options.items() if v != 0}


def _counterpart(ends: Ends, direction: str) -> Ends:
    """Return what `ends` given for the whole link mean in one direction."""
    name, options = split_ends(ends)
    if direction in ("y", "z") or name not in mode_families.BENDING:
        return ends
    if direction == "axial" and name == "clamped-mass":
        return {"family": name, "tip_mass": options.get("tip_mass", 0.0)}
    return "clamped-free"


def _make_shapes(direction: str, count: int, ends: Ends) -> Shapes:
    name, options = split_ends(ends)
    bending, known = direction in ("y", "z"), FAMILIES[direction]
    if name not in known and name not in GENERAL:
        choice = ", ".join(GENERAL + known)
        raise LissomError(f"is not a basis for this direction; choose from {choice}", ("ends", direction), name)
    allowed = {"torsion": {"tip_inertia"}, "axial": {"tip_mass"}}.get(direction, {"tip_mass", "tip_inertia"})
    for option in options:
        if name not in known or option not in allowed:
            raise LissomError(f"is not an option of {name!r}", ("ends", direction, option))
    if count == 0:
        return shape_functions.none()
    if name == "auto":
        return (
            shape_functions.auto_bending(count)
            if bending
            else shape_functions.auto_rod(count, hanging=direction == "axial")
        )
    if name == "legendre":
        return shape_functions.legendre(count, bending)
    if name == "hermite":
        return shape_functions.hermite_bending(count) if bending else shape_functions.hermite_rod(count)
    if bending:
        return shape_functions.from_family(mode_families.bending(name, count, **options), bending=True)
    rod = mode_families.torsion if direction == "torsion" else mode_families.extension
    return shape_functions.from_family(rod(name, count, **options), bending=False)


def _normalise_mass(direction: str, s: Shapes, section: Section | None, length: Number) -> Shapes:
    """Scale functions to unit modal mass: int rhoA f^2 dx (Jx in torsion) plus the tip load of the family."""
    if section is None or length is None:
        raise LissomError("needs the link's section and length", ("normalisation",), "mass")
    inertia = np.real(positive("length", length) * (section.Jx if direction == "torsion" else section.rhoA))
    f = s.values(s.rule.nodes)[0]
    tip, tip_slope, _ = s.values(1.0)
    modal = s.rule.weights @ f**2 + s.tip_mass * tip[0] ** 2 + s.tip_inertia * tip_slope[0] ** 2
    return s.scaled(1 / np.sqrt(positive(f"{direction} inertia", inertia) * modal))
