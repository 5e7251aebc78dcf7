"""What every link that bends offers, however it is made: a beam or a reduced finite-element body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from lissom.beam.displacement_fields.chord_field import Bow
from lissom.beam.displacement_fields.exact_field import Stations
from lissom.beam.displacement_fields.foreshortening_forms import Shortening
from lissom.beam.displacement_fields.inertia_invariants import Invariants
from lissom.beam.lumped_mass import LumpedMass
from lissom.beam.number_types import Array, Number


class SectionMap(NamedTuple):
    """How the section at one station moves, for a link with m coordinates."""

    position: Array  # (3,) on the undeformed link
    phi: Array  # (3, m) displacement per coordinate
    psi: Array  # (3, m) rotation per coordinate
    foreshortening: Array  # (m, m) B: the section moves by -1/2 eta^T B eta along x
    twist: Array  # (m, m) D: it turns by 1/2 eta^T D eta about its axis
    running: Array = np.zeros(0)  # (K,) exact field: from the tangent at the nodes to the section's position
    bow: Array = np.zeros(0)  # (K,) of a link that bows: from values at the nodes to integrals up to the section

    def displacement(self, eta: Array) -> Array:
        """Return the displacement at coordinates eta (..., m), to second order: (..., 3)."""
        moved: Array = eta @ self.phi.T
        moved[..., 0] -= 0.5 * ((eta @ self.foreshortening) * eta).sum(axis=-1)
        return moved


SMALL = 0.1  # deflection over length beyond which a field of low order is in doubt
OFF_AXIS = 0.03  # the same of a held link that stretches where it bends: a term of third order is left out
BOWING = 0.05  # the same seen from the chord, where a bow counts a third of what it does from the base
PLACES = (0.25, 0.5, 0.75, 1.0)  # of the length, where deflections are looked at: held links bow before the tip
BOWED = np.linspace(0.0, 1.0, 25)[1:-1]  # of the length: where a link is looked at for its bow


def bow(link: FlexibleLink, eta: Array) -> Array:
    """Return largest distance of the bent axis of a link from its chord, m, at coordinates eta (..., m): (...,)."""
    x = np.append(BOWED, 1.0) * np.real(link.length)
    axis = link.displacement(x, eta) + link.position(x)
    along = axis[..., -1:, :] / np.linalg.norm(axis[..., -1:, :], axis=-1, keepdims=True)
    across = axis - (axis * along).sum(axis=-1, keepdims=True) * along
    return np.linalg.norm(across, axis=-1).max(axis=-1)


def small_deflection(link: FlexibleLink) -> float:
    """Return the deflection over length, seen from the link frame, up to which a field of low order is right."""
    if getattr(link, "chord", ()):
        return BOWING
    return OFF_AXIS if link.bow is not None and link.bow.stretches else SMALL


class LinkModes(NamedTuple):
    """Natural modes of a link with its base held, in rising order of frequency.

    A label is the direction with most of the mode's kinetic energy, counted: y1, z1, y2, torsion1, ...
    """

    frequencies: Array  # (m,) Hz
    labels: tuple[str, ...]
    shapes: Array  # (m, m) column k: the coordinates of mode k, with unit modal mass


@runtime_checkable
class FlexibleLink(Protocol):
    """A link that bends, with m coordinates eta; all in its own frame, which sits at its proximal end.

    A place `x` is a number of metres from base to tip or, on a link that has them, the name of an interface.
    """

    def __hash__(self) -> int:
        """Return the hash of the object itself: a link never changes."""

    @property
    def count(self) -> int:
        """Number m of coordinates."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the coordinates."""

    @property
    def directions(self) -> tuple[str, ...]:
        """The direction of each coordinate: y, z, torsion, axial, or mode where it has none."""

    @property
    def bending_count(self) -> int:
        """Number of bending coordinates, which come first; they alone enter second-order terms."""

    @property
    def mass(self) -> Number:
        """Mass with everything lumped on the link, kg."""

    @property
    def length(self) -> Number:
        """Distance from base to tip, m."""

    @property
    def stiffening(self) -> str:
        """Order of the displacement field: none, first or exact."""

    @property
    def second_order(self) -> bool:
        """Whether the field has second-order terms, and no others."""

    @property
    def masses(self) -> tuple[LumpedMass, ...]:
        """Masses lumped on the link."""

    @property
    def interfaces(self) -> Mapping[str, Any]:
        """Places with a name."""

    def position(self, x: Any) -> Array:
        """Return places on the undeformed link: scalar or name -> (3,), (k,) -> (k, 3)."""

    def section_map(self, x: Any) -> SectionMap:
        """Return how the frame at a place moves."""

    def pose(self, x: Any, eta: Array) -> Array:
        """Return frame at a place: eta (..., m), x scalar, name or (k,) -> (..., [k,] 4, 4)."""

    def displacement(self, x: Any, eta: Array) -> Array:
        """Return displacement at a place: eta (..., m), x scalar, name or (k,) -> (..., [k,] 3)."""

    def invariants(self) -> Invariants:
        """Return integrals over the mass."""

    def shortening(self) -> Shortening | None:
        """Return what foreshortening adds to the inertia; None where the field has none."""

    def stations(self) -> Stations | None:
        """Return tables of the exact field; None with the other fields."""

    @property
    def bow(self) -> Bow | None:
        """Terms of fourth order; None where the field has none."""

    def bow_shares(self) -> Array:
        """Return (P, K) of a link that bows: from values at its nodes to int psi_p of their running integrals."""

    def stiffness(self) -> Array:
        """Return K of the strain energy 1/2 eta^T K eta, (m, m)."""

    def preload(self) -> Array:
        """Return linear term of the strain energy, (m,): what strains the link by itself pushes its coordinates so."""

    def cubic_terms(self) -> tuple[Array, Array, Array]:
        """Return energy beyond 1/2 eta^T K eta: index (nc, 3), coefficients (nc,), their part in damping (nc,)."""

    def damping_matrix(self) -> Array:
        """Return D of the damping force -D etadot at small deflection, (m, m)."""

    def strain_energy(self, eta: Array) -> Number:
        """Return elastic energy at eta (..., m)."""

    def natural_modes(self) -> LinkModes:
        """Return undamped natural modes with the base held."""
