"""Shape functions that a link of any profile has by itself: its static and natural shapes.

A function is a distribution of internal forces; strains follow from the section's compliance, rotations and
displacements by integration from the base. So every function satisfies the link's compatibility whatever its sections,
strains jump where sections do, and nothing locks. Each direction has the forces that cause it:

    y: moment Mz, shear force Qy      z: moment My, shear force Qz      torsion: torque      axial: axial force

each through the centre that keeps it to its own direction (`general.independent_forces`), and every displacement that
they bring, coupled ones included. Functions are Ritz solutions among polynomials in each
piece.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial.legendre import Legendre, legvander

from lissom.beam.functions import attachment_functions
from lissom.beam.functions.attachment_functions import Place
from lissom.beam.functions.basis import DIRECTIONS, Ends, LinkCoordinates, by_direction, split_ends
from lissom.beam.functions.mode_count import coupled_directions
from lissom.beam.functions.quadrature import Quadrature
from lissom.beam.functions.ritz import MOTION, Ritz, components, enough_degree, raw_distributions
from lissom.beam.lumped_mass import LumpedMass
from lissom.beam.number_types import Array
from lissom.beam.sections.general_section import independent_forces
from lissom.beam.sections.profile import Profile
from lissom.errors import LissomError

# what holds the tip, what is free at the base: rows of MOTION
HELD = {"clamped-clamped": (0, 1), "clamped-pinned": (0,)}
FREE = {"pinned-free": (1,), "free-free": (0, 1)}
BALANCE = {"y": -1.0, "z": 1.0}  # shear force over the derivative of the moment: Mz' = -Qy, My' = Qz
LATER = 6  # degrees by which shear forces alone come after moments: they matter only where a link is thick
FAMILIES = ("auto", "legendre", "clamped-free", "clamped-mass", "clamped-inertia", *HELD, *FREE)


@dataclass(frozen=True, eq=False)
class OwnBasis(LinkCoordinates):
    """m functions of a link of the given profile, as mixtures of force distributions.

    A force distribution is a Legendre polynomial of one of the six forces in one piece.
    """

    profile: Profile
    degree: int
    mixing: dict[str, Array]  # by direction: (forces of the direction x pieces x (degree + 1), n)

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of functions by direction."""
        return {name: self.mixing[name].shape[1] for name in DIRECTIONS}

    @property
    def rule(self) -> Quadrature:
        """Quadrature on [0, 1] that resolves products of any two of the functions."""
        return Quadrature.cached(self.profile.edges, self.degree + self.profile.degree // 2 + 6)

    @property
    def breaks(self) -> tuple[float, ...]:
        """Interior points where sections may jump."""
        return self.profile.edges[1:-1]

    def distributions(self, xi: Array) -> Array:
        """Return independent forces (`general.independent_forces`) per coordinate at fractions xi (k,), (k, 6, m)."""
        out = np.zeros((len(xi), 6, self.count), np.result_type(xi, float))
        for name, part in self.slices.items():
            out[:, :, part] = raw_distributions(self.profile, name, self.degree, xi) @ self.mixing[name]
        return out

    def forces_and_strains(self, xi: Array) -> tuple[Array, Array]:
        """Return internal forces and strains per coordinate at fractions xi (k,) of the length, each (k, 6, m)."""
        forces, strains = independent_forces(self.profile.tables(xi)[0])
        along = self.distributions(xi)
        return forces @ along, strains @ along

    def forces(self, xi: Array) -> Array:
        """Return internal forces per coordinate at fractions xi (k,) of the length, (k, 6, m)."""
        return self.forces_and_strains(xi)[0]

    def missed_shares(self, direction: str, places: Sequence[Place], length: float) -> list[Array]:
        """Return the share of the compliance under unit loads at places, in metres, that functions leave out, (c,)."""
        profile = self.profile.split([place.x for place in places])
        ritz = Ritz.of(profile, [direction], self.degree, places=[place.x for place in places])
        rule = Quadrature.cached(profile.edges, self.degree + 1)
        raw = raw_distributions(profile, direction, self.degree, rule.nodes).reshape(-1, len(ritz.stiffness))
        here = self.distributions(rule.nodes)[:, :, self.slices[direction]]
        shapes = np.linalg.lstsq(raw, here.reshape(len(raw), -1), rcond=None)[0]  # the functions on the finer pieces
        own, _, strains = _statics(ritz, direction, places, shapes)
        return attachment_functions.missed_shares(own, strains)


def own_basis(
    profile: Profile,
    modes: Mapping[str, int],
    ends: Ends = "auto",
    masses: Sequence[LumpedMass] = (),
    places: Sequence[Place] = (),
) -> OwnBasis:
    """Return the functions of a link of any profile.

    Parameters
    ----------
    modes : mapping
        Number of functions by direction ("y", "z", "torsion", "axial"); one left out is rigid.
    ends : Ends
        "auto" (shapes under loads at the tip and natural shapes with the tip held), "legendre" (forces that are
        polynomials), or the natural modes of this very link by its end conditions, `mode_families.BENDING`; or a
        mapping with `family` and its options `tip_mass` (kg), `tip_inertia` (kg m2); or one of these by direction.
    masses : sequence of LumpedMass
        What the link carries in its natural shapes; let pieces of the profile end there (`Profile.split`), as
        forces jump where a mass is.
    places : sequence of Place
        Where something acts inside the span, in metres: directions that have functions get those that loads
        there need (`lissom.beam.functions.attachment_functions`). Pieces of the basis' profile end there.
    """
    kinds = by_direction(modes, ends)
    if places and len(coupled_directions(profile)) < len(DIRECTIONS):
        places = [place._replace(couple=True) for place in places]  # forces twist, or bend the other way
    profile = profile.split([place.x for place in places])
    most = max(modes.values(), default=0)
    degree = enough_degree(profile, most)
    if any(split_ends(kind)[0] == "legendre" for kind in kinds.values()):
        degree = max(degree, most)
    mixing = {
        name: _functions(profile, degree, name, modes.get(name, 0), kinds[name], masses, places) for name in DIRECTIONS
    }
    return OwnBasis(profile, degree, mixing)


def _functions(
    profile: Profile,
    degree: int,
    direction: str,
    count: int,
    ends: Ends,
    masses: Sequence[LumpedMass],
    places: Sequence[Place],
) -> Array:
    """Return mixing (r, n) of one direction: `count` functions, and those that `places` need."""
    name, options = split_ends(ends)
    if name not in FAMILIES:
        choice = ", ".join(FAMILIES)
        raise LissomError(f"does not suit a link with shear or stations; choose from {choice}", ("ends",), name)
    size = len(components(profile, direction)) * len(profile.pieces) * (degree + 1)
    if count == 0:
        return np.zeros((size, 0))
    ritz = Ritz.of(profile, [direction], degree, masses, [place.x for place in places])
    if name == "legendre":
        return ritz.normalised(
            _add_static_shapes(ritz, direction, places, _polynomials(profile, degree, direction, count))
        )
    if name == "auto":
        return ritz.normalised(ritz.ordered(_add_static_shapes(ritz, direction, places, _auto(ritz, count))))
    rows = len(MOTION[direction])
    held, free = (tuple(r for r in table.get(name, ()) if r < rows) for table in (HELD, FREE))
    at_tip = ("tip_inertia",) if direction == "torsion" else ("tip_mass", "tip_inertia")[:rows]
    load = np.array([options.get(option, 0.0) for option in at_tip]) if options else None
    return ritz.normalised(_add_static_shapes(ritz, direction, places, ritz.modes(count, held, free, load)))


def _add_static_shapes(ritz: Ritz, direction: str, places: Sequence[Place], shapes: Array) -> Array:
    """Return `shapes` (r, n) and the static ones under loads at the places that they leave out."""
    if not places:
        return shapes
    own, statics, strains = _statics(ritz, direction, places, shapes)
    held = any(place.held for place in places)
    tip = ritz.strains(ritz.statics(list(range(len(ritz.tip))))) if held else None
    chosen = attachment_functions.needed_loads(own, strains, tip)
    added = np.hstack(statics) @ chosen
    overlap = np.linalg.lstsq(own, np.hstack(strains) @ chosen, rcond=None)[0]
    return np.hstack([shapes, added - shapes @ overlap])


def _statics(
    ritz: Ritz, direction: str, places: Sequence[Place], shapes: Array
) -> tuple[Array, list[Array], list[Array]]:
    """Return strains of `shapes`; by place the shapes (r, c) under unit loads there, and their strains."""
    loads = [ritz.places[k, list(place.loads(direction))].T for k, place in enumerate(places)]
    statics = [np.linalg.solve(ritz.stiffness, load) for load in loads]
    return ritz.strains(shapes), statics, [ritz.strains(part) for part in statics]


def _auto(ritz: Ritz, count: int) -> Array:
    """Return shapes under loads at the tip and natural shapes with the tip held.

    Exact for any static load at the tip, whatever the link carries there; in stretching for its own weight, too. A
    single bending function is the deflection under a tip force.
    """
    rows = len(ritz.tip)
    return ritz.statics([0]) if count < rows else ritz.tip_held(count - rows)


def _polynomials(profile: Profile, degree: int, direction: str, count: int) -> Array:
    """Return forces that are Legendre polynomials over the whole link, of rising degree.

    Bending: moments with the shear force that balances them, and, for what rotary inertia adds to it, shear forces
    alone.
    """
    parts = len(components(profile, direction))
    order = sorted((k + LATER if part else k, part, k) for part in range(parts) for k in range(count))[:count]
    rule = Quadrature.cached((0.0, 1.0), degree + 1)
    scaled = legvander(2 * rule.nodes - 1, degree) * (2 * np.arange(degree + 1) + 1)
    balance = BALANCE.get(direction, 0.0) * 2 / float(np.real(profile.length))
    out = np.zeros((parts, len(profile.pieces), degree + 1, count))
    for j, (_, part, k) in enumerate(order):
        polynomial = Legendre.basis(k)
        for piece, (a, b) in enumerate(itertools.pairwise(profile.edges)):
            at = 2 * (a + (b - a) * rule.nodes) - 1
            out[part, piece, :, j] = scaled.T @ (rule.weights * polynomial(at))
            if part == 0 and parts == 2:
                out[1, piece, :, j] = balance * scaled.T @ (rule.weights * polynomial.deriv()(at))
    return out.reshape(-1, count)
