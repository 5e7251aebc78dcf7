"""Inertia invariants of a flexible link: every integral over its mass that its equations of motion need.

A section moves as an affine map of the offsets d of its mass elements, s = T (1, d) with a 3 x 4 matrix

    T = [r | R] = T0 + sum_j P_j eta_j,    T0 = [(x,0,0) | I],    P_j = [phi_j | psi_j~],

and the mass of a section enters through the 4 x 4 moments W = int (1, d)(1, d)^T dm = [[m, c^T], [c, E]].
Integrals of products of s0 and Phi are then products of these matrices, summed over sections. What
foreshortening adds stands in `foreshortening_forms`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.beam.displacement_fields.displacement_field import Sections
from lissom.beam.number_types import Array, Number

LEVI_CIVITA = np.zeros((3, 3, 3))
LEVI_CIVITA[[0, 1, 2], [1, 2, 0], [2, 0, 1]] = 1
LEVI_CIVITA[[0, 2, 1], [2, 1, 0], [1, 0, 2]] = -1


@dataclass(frozen=True, eq=False)
class Invariants:
    """Integrals over the mass of a link with m coordinates i, j; a, b are axes x, y, z of the link frame.

    A point is s = s0 + Phi eta: the linear part of the field.
    """

    mass: Number
    mc0: Array  # (3,)          int s0
    C1: Array  # (3, m)        int Phi
    G0: Array  # (3, 3)        int s0 s0^T
    S0: Array  # (3, 3, m)     [a, b, j]     int s0_a Phi_bj
    N: Array  # (3, 3, m, m)  [a, b, i, j]  int Phi_ai Phi_bj

    @property
    def mass_matrix(self) -> Array:
        """Modal mass matrix int Phi^T Phi of the link with its base held, (m, m)."""
        return self.N[..., 0, 0, :, :] + self.N[..., 1, 1, :, :] + self.N[..., 2, 2, :, :]


@dataclass(frozen=True, eq=False)
class SectionMotion:
    """How stations of a link move with its m coordinates, as the matrices T0 and P_j."""

    T0: Array  # (k, 3, 4)
    P: Array  # (k, 3, 4, m)
    rows: Array  # (3, 4 k, m): P, axis by axis
    rest: Array  # (3, 4 k): T0, axis by axis

    @classmethod
    def of(cls, x: Array, sections: Sections) -> SectionMotion:
        """Return the motion of stations at x (k,) of the axis, or at (k, 3), from that of the sections there."""
        k, _, m = sections.phi.shape
        dtype = np.result_type(sections.phi, x)
        T0 = np.zeros((k, 3, 4), dtype)
        if x.ndim == 1:
            T0[:, 0, 0] = x
        else:
            T0[:, :, 0] = x
        T0[:, :, 1:] = np.eye(3)
        P = np.empty((k, 3, 4, m), dtype)
        P[:, :, 0] = sections.phi
        P[:, :, 1:] = np.einsum("abc,kbj->kacj", LEVI_CIVITA, sections.psi)  # (psi x d)_a
        return cls(T0, P, np.moveaxis(P, 0, 1).reshape(3, k * 4, m), np.moveaxis(T0, 0, 1).reshape(3, k * 4))

    def first_moments(self, moments: Array) -> Array:
        """Return int s_a d over the mass at each station, s at rest, (..., k, 4, 3): a = x, y, z and s_a = 1."""
        return np.concatenate([self.T0 @ moments[..., 1:], moments[..., :1, 1:]], axis=-2)

    def integrate(self, moments: Array) -> Invariants:
        """Return invariants of a link with mass elements at offsets d from stations; of several, with an axis in front.

        Parameters
        ----------
        moments : array
            (..., k, 4, 4) int (1, d)(1, d)^T dm.
        """
        T0, P, W = self.T0, self.P, moments
        m = P.shape[3]
        several = W.shape[:-3]
        T0W = T0 @ W  # moments of s0: (..., k, 3, 4)
        WP = sum(W[..., None, :, q, None] * P[:, :, None, q] for q in range(4))  # (..., k, 3, 4, m)
        weighted = np.moveaxis(WP, -4, -3).reshape(*several, *self.rows.shape)
        resting = np.moveaxis(T0W, -3, -2).reshape(*several, *self.rest.shape)
        N = np.empty((*several, 3, 3, m, m), WP.dtype)
        for a in range(3):
            for b in range(3):
                N[..., a, b, :, :] = self.rows[a].T @ weighted[..., b, :, :]
        return Invariants(
            mass=W[..., 0, 0].sum(axis=-1),
            mc0=T0W[..., 0].sum(axis=-2),
            C1=WP[..., 0, :].sum(axis=-3),
            G0=resting @ self.rest.T,
            S0=np.swapaxes(resting[..., None, :, :] @ self.rows, -3, -2),
            N=N,
        )


def integrate(x: Array, moments: Array, sections: Sections) -> Invariants:
    """Return invariants of a link; arguments as for `SectionMotion`."""
    return SectionMotion.of(x, sections).integrate(moments)
