"""Foreshortening of a link as a few quadratic forms.

    1/2 eta^T B(x) eta = sum_p psi_p(x) sigma_p,   sigma_p = 1/2 eta^T A_p eta

The functions psi_p span the entries of B(x) and are orthonormal over the link's mass. The kinetic energy of
the foreshortened field then needs, besides the invariants of the linear field, only the integrals collected
here, and stays a sum of squares: no term is cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.beam.displacement_fields.displacement_field import RunningTerms, Sections
from lissom.beam.number_types import Array
from lissom.errors import LissomError

RESOLUTION = 1e-10  # part of an entry of B(x), relative to its largest value, that the psi_p may miss


@dataclass(frozen=True, eq=False)
class Shortening:
    """Integrals over the mass with the P functions psi_p of a link that has m coordinates."""

    form: Array  # (P, m, m) A_p = int psi_p B
    weight: Array  # (P,) int psi_p
    s0: Array  # (P, 3) int psi_p s0
    phi: Array  # (P, 3, m) int psi_p Phi
    density: Array  # (P, k) psi_p dm at the stations
    axis: tuple[int, ...]  # (P,) along which each acts: x, 0, where the axis bends

    def and_also(self, other: Shortening | None) -> Shortening:
        """Return these forms and others of the same link."""
        if other is None:
            return self
        parts = ("form", "weight", "s0", "phi", "density")
        joined = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in parts}
        return Shortening(**joined, axis=self.axis + other.axis)


@dataclass(frozen=True, eq=False)
class Span:
    """The entries of B at stations of a link, whatever its mass."""

    x: Array  # (k,) places
    sections: Sections
    terms: RunningTerms
    entries: Array  # (k, n) those that are not zero, each over its largest value

    @classmethod
    def of(cls, x: Array, sections: Sections, terms: RunningTerms) -> Span:
        """Return the span with stations at x (k,) of the axis, where the sections move so."""
        psi, slip = terms.nodes.psi[:, 1:], terms.nodes.strain[:, 1:3]
        # the integrand of B, for every pair of coordinates
        pairs = np.einsum("nai,naj->nij", psi, psi)
        if slip.any():
            crossed = psi[:, 1, :, None] * slip[:, 0, None] - psi[:, 0, :, None] * slip[:, 1, None]
            pairs = pairs + crossed + np.swapaxes(crossed, 1, 2)
        i, j = np.triu_indices(psi.shape[2])
        entries = terms.running @ pairs[:, i, j]
        largest = np.abs(entries.real).max(axis=0)
        own = np.sqrt(largest[i == j])
        overlap = largest > RESOLUTION * own[i] * own[j]  # functions of different elements have no product
        return cls(x, sections, terms, entries[:, overlap] / largest[overlap])

    def shortening(self, moments: Array) -> Shortening:
        """Return the forms of a link with mass at the stations; moments (..., k, 4): first rows of the matrices."""
        mass, offset = moments[..., 0], moments[..., 1:]
        weights = _orthonormal(self._functions(mass), mass) * mass[..., None, :]  # (..., P, k): psi_p dm
        centre = np.divide(offset, mass[..., None], out=np.zeros_like(offset), where=mass[..., None] != 0)
        phi = self.sections.phi
        if offset.any():
            phi = phi + np.cross(self.sections.psi, centre[..., None], axisa=-2, axisb=-2, axisc=-2)
        return Shortening(
            form=self.terms.foreshortening(weights),
            weight=weights.sum(axis=-1),
            s0=weights @ (np.multiply.outer(self.x, [1, 0, 0]) + centre),
            phi=np.einsum("...pk,...kaj->...paj", weights, phi),
            density=weights,
            axis=(0,) * weights.shape[-2],
        )

    def _functions(self, mass: Array) -> Array:
        """Return functions at the stations, (..., P, k), that span the entries of B there.

        Which combinations of the entries they are is chosen at the real parts; the functions themselves follow a
        station that moves by a complex step. Their signs, which a singular value decomposition leaves open, do not
        change with rounding: derivatives by parameters stand beside the numbers of the model itself.
        """
        weight = np.sqrt(np.real(mass / mass.sum(axis=-1, keepdims=True)))
        _, size, V = np.linalg.svd(weight[..., None] * self.entries.real, full_matrices=False)
        counts = np.sum(size > RESOLUTION * size[..., :1], axis=-1)
        count = int(counts.max())
        if counts.min() < count:
            raise LissomError("the links take different numbers of functions", ("modes",))
        V = V * np.where((V**3).sum(axis=-1, keepdims=True) < 0, -1.0, 1.0)
        return (V[..., :count, :] / size[..., :count, None]) @ self.entries.T


def _orthonormal(psi: Array, mass: Array) -> Array:
    """Return combinations of the rows of `psi` with sum_k mass_k psi_p psi_q = delta_pq; all may be complex."""
    rows: list[Array] = []
    for row in np.moveaxis(psi, -2, 0):
        row = row + 0 * mass
        for earlier in rows:
            row = row - (row * earlier * mass).sum(axis=-1, keepdims=True) * earlier
        rows.append(row / np.sqrt((row * row * mass).sum(axis=-1, keepdims=True)))
    return np.stack(rows, axis=-2)
