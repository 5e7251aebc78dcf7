"""The basis of a link: one set of shape functions for each direction in which it gives way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from lissom.beam import families, shapes
from lissom.beam.number import Number, positive
from lissom.beam.quadrature import Quadrature
from lissom.beam.section import Section
from lissom.beam.shapes import Shapes
from lissom.errors import LissomError

DIRECTIONS = ("y", "z", "torsion", "axial")

# A family named for the whole link, in the directions where bending's name means nothing.
_ROD_COUNTERPART = {
    "torsion": {name: "clamped-free" for name in families.BENDING},
    "axial": {name: "clamped-free" for name in families.BENDING} | {"clamped-mass": "clamped-mass"},
}
# What a family's tip may carry, by direction.
_TIP_OPTIONS = {
    "y": ("tip_mass", "tip_inertia"),
    "z": ("tip_mass", "tip_inertia"),
    "torsion": ("tip_inertia",),
    "axial": ("tip_mass",),
}


@dataclass(frozen=True, eq=False)
class Basis:
    """Shape functions of a link, in the order of its coordinates: y (deflection v), z (w), torsion (t), axial (a)."""

    y: Shapes
    z: Shapes
    torsion: Shapes
    axial: Shapes

    @property
    def directions(self) -> dict[str, Shapes]:
        """The four sets by name, in the order of the coordinates."""
        return {name: getattr(self, name) for name in DIRECTIONS}

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Where each direction's coordinates sit in eta."""
        ends = np.cumsum([0] + [s.count for s in self.directions.values()])
        return {name: slice(int(a), int(b)) for name, a, b in zip(DIRECTIONS, ends[:-1], ends[1:])}

    @property
    def count(self) -> int:
        """Number of coordinates."""
        return sum(s.count for s in self.directions.values())

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the coordinates: y1, y2, z1, ..., torsion1, axial1."""
        return tuple(f"{name}{k + 1}" for name, s in self.directions.items() for k in range(s.count))

    @property
    def rule(self) -> Quadrature:
        """Quadrature on [0, 1] that resolves products of any of the functions."""
        sets = self.directions.values()
        return Quadrature.resolving(max(s.degree for s in sets), tuple(b for s in sets for b in s.breaks))


def make_basis(
    modes: Mapping[str, int],
    ends: str | Mapping[str, Any] = "auto",
    normalisation: str = "L2",
    *,
    section: Section | None = None,
    length: Number = None,
) -> Basis:
    """Basis of a link from mode counts and the kind of functions.

    Args:
        modes: number of functions by direction ("y", "z", "torsion", "axial"); a direction left out is rigid.
        ends: "auto", "legendre", "hermite" or a mode family of `lissom.beam.families`, for all directions; or a mapping
            with `family` and its options (`tip_mass`, `tip_inertia`: ratios to the beam's own); or a mapping from
            direction to either of these (directions left out: "auto"). Families that only bending knows
            stand for clamped-free in torsion and extension ("clamped-mass" keeps its mass in extension).
        normalisation: "L2": int_0^1 f^2 dxi = 1. "mass": unit modal mass of the uniform beam with the tip load of its
            family, which needs `section` and `length`.
    """
    unknown = set(modes) - set(DIRECTIONS)
    if unknown:
        raise LissomError(f"modes: unknown direction {sorted(unknown)[0]!r}; take {', '.join(DIRECTIONS)}")
    per_direction = isinstance(ends, Mapping) and bool(set(ends) & set(DIRECTIONS))
    if per_direction and not set(ends) <= set(DIRECTIONS):
        stray = sorted(set(ends) - set(DIRECTIONS))[0]
        raise LissomError(f"ends: {stray!r} beside directions; take {', '.join(DIRECTIONS)}")
    chosen = {}
    for direction in DIRECTIONS:
        count = modes.get(direction, 0)
        if isinstance(count, bool) or int(count) != count or count < 0:
            raise LissomError(f"modes: {direction} = {count!r}; must be a whole number >= 0")
        own = ends.get(direction, "auto") if per_direction else _counterpart(ends, direction)  # type: ignore[union-attr]
        chosen[direction] = _direction_shapes(direction, int(count), own)
    basis = Basis(**chosen)
    if normalisation == "L2":
        return basis
    if normalisation != "mass":
        raise LissomError(f"normalisation {normalisation!r} is unknown; take 'L2' or 'mass'")
    if section is None or length is None:
        raise LissomError("normalisation 'mass' needs the link's section and length")
    return _mass_normalised(basis, section, length)


def _counterpart(ends: str | Mapping[str, Any], direction: str) -> str | Mapping[str, Any]:
    """What `ends` given for the whole link means in one direction."""
    if direction in ("y", "z"):
        return ends
    options = dict(ends) if isinstance(ends, Mapping) else {"family": ends}
    name = options.get("family", "auto")
    options["family"] = _ROD_COUNTERPART[direction].get(name, name)
    return {
        k: v
        for k, v in options.items()
        if k == "family" or options["family"] == "clamped-mass" and k == "tip_mass"
    }


def _direction_shapes(direction: str, count: int, ends: str | Mapping[str, Any]) -> Shapes:
    options = dict(ends) if isinstance(ends, Mapping) else {"family": ends}
    name = options.pop("family", "auto")
    bending = direction in ("y", "z")
    known = (
        families.BENDING if bending else families.TORSION if direction == "torsion" else families.EXTENSION
    )
    allowed = _TIP_OPTIONS[direction] if name in known else ()
    for option in options:
        if option not in allowed:
            raise LissomError(f"ends: {name!r} in direction {direction} has no option {option!r}")
    if name not in known and name not in ("auto", "legendre", "hermite"):
        raise LissomError(
            f"ends: {name!r} is no basis for direction {direction}; take auto, legendre, hermite, {', '.join(known)}"
        )
    if count == 0:
        return shapes.none()
    if name == "auto":
        return shapes.auto_bending(count) if bending else shapes.auto_rod(count)
    if name == "legendre":
        return shapes.legendre(count, bending)
    if name == "hermite":
        return shapes.hermite_bending(count) if bending else shapes.hermite_rod(count)
    make = families.bending if bending else families.torsion if direction == "torsion" else families.extension
    return shapes.from_family(
        make(name, count, **{k: float(np.real(v)) for k, v in options.items()}), bending
    )


def _mass_normalised(basis: Basis, section: Section, length: Number) -> Basis:
    """Scaled to unit modal mass: int rhoA f^2 dx (Jx in torsion) plus the tip load of the family."""
    positive("length", length)
    scaled = {}
    for name, s in basis.directions.items():
        inertia = np.real(length * (section.Jx if name == "torsion" else section.rhoA))
        f = s.values(s.rule.nodes)[0]
        tip, tip_slope, _ = s.values(1.0)
        modal = s.rule.weights @ f**2 + s.tip_mass * tip[0] ** 2 + s.tip_inertia * tip_slope[0] ** 2
        scaled[name] = s.scaled(1 / np.sqrt(inertia * modal))
    return replace(basis, **scaled)
