"""Inertia invariants of a flexible link: every integral over its mass that its equations of motion need.

A section moves as an affine map of the offsets d of its mass elements, s = T (1, d) with a 3 x 4 matrix

    T = [r | R] = T0 + sum_j P_j eta_j + 1/2 sum_ij H_ij eta_i eta_j,

    T0   = [(x,0,0) | I],
    P_j  = [phi_j | psi_j~],                                     th = psi eta = (t, -w', v')
    H    = [(-B, 0, 0) | th~ th~ + 2 th2~]  as quadratic form,   2 th2 = (D, t v', t w'),

and the mass of a section enters through the 4 x 4 moments W = int (1, d)(1, d)^T dm = [[m, c^T], [c, E]].
Integrals of products of s0, Phi and H are then products of these matrices, summed over sections.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.beam.field import RunningTerms, Sections, gram
from lissom.beam.number import Array, Number, symmetric

_LEVI_CIVITA = np.zeros((3, 3, 3))
_LEVI_CIVITA[[0, 1, 2], [1, 2, 0], [2, 0, 1]] = 1
_LEVI_CIVITA[[0, 2, 1], [2, 1, 0], [1, 0, 2]] = -1


@dataclass(frozen=True, eq=False)
class Invariants:
    """Integrals over the mass of a link with m coordinates i, j; a, b are axes x, y, z of the link frame.

    A point is s = s0 + Phi eta + 1/2 eta^T H eta. Q1 and Q2 vanish for a linear field.
    """

    mass: Number
    mc0: Array  # (3,)          int s0
    C1: Array  # (3, m)        int Phi
    G0: Array  # (3, 3)        int s0 s0^T
    S0: Array  # (3, 3, m)     [a, b, j]     int s0_a Phi_bj
    N: Array  # (3, 3, m, m)  [a, b, i, j]  int Phi_ai Phi_bj
    Q1: Array  # (3, m, m)     int H_a
    Q2: Array  # (3, 3, m, m)  [a, b, i, j]  int s0_a H_bij

    @property
    def mass_matrix(self) -> Array:
        """Modal mass matrix int Phi^T Phi of the link with its base held, (m, m)."""
        return self.N[0, 0] + self.N[1, 1] + self.N[2, 2]


def integrate(x: Array, moments: Array, sections: Sections, terms: RunningTerms | None) -> Invariants:
    """Invariants of a link.

    Args:
        x: (k,) stations where its mass sits.
        moments: (k, 4, 4) int (1, d)(1, d)^T dm of the mass elements at offsets d from each station.
        sections: motion of the sections there.
        terms: second-order terms of the field up to them, None for a linear field.
    """
    k, _, m = sections.phi.shape
    dtype = np.result_type(sections.phi, moments, x)
    W = moments

    T0 = np.zeros((k, 3, 4), dtype)
    T0[:, 0, 0] = x
    T0[:, :, 1:] = np.eye(3)
    P = np.empty((k, 3, 4, m), dtype)
    P[:, :, 0] = sections.phi
    P[:, :, 1:] = np.einsum("abc,kbj->kacj", _LEVI_CIVITA, sections.psi)  # (psi x d)_a

    T0W = T0 @ W  # moments of s0: (k, 3, 4)
    WP = np.einsum("kpq,kbqj->kbpj", W, P)
    flat = np.moveaxis(P, 0, 1).reshape(3, k * 4, m)
    weighted = np.moveaxis(WP, 0, 1).reshape(3, k * 4, m)
    N = np.empty((3, 3, m, m), dtype)
    for a in range(3):
        for b in range(3):
            N[a, b] = flat[a].T @ weighted[b]

    Q1, Q2 = np.zeros((3, m, m), dtype), np.zeros((3, 3, m, m), dtype)
    if terms is not None:
        Q1[:] = _second_order_moment(W[:, 0], sections.psi, terms)
        for a in range(3):
            Q2[a] = _second_order_moment(T0W[:, a], sections.psi, terms)

    return Invariants(
        mass=W[:, 0, 0].sum(),
        mc0=T0W[:, :, 0].sum(axis=0),
        C1=WP[:, :, 0].sum(axis=0),
        G0=np.einsum("kap,kbp->ab", T0W, T0),
        S0=np.einsum("kap,kbpj->abj", T0W, P),
        N=N,
        Q1=Q1,
        Q2=Q2,
    )


def _second_order_moment(weights: Array, psi: Array, terms: RunningTerms) -> Array:
    """sum_k sum_q weights_kq H_aq(x_k), (3, m, m): q = 0 the centre line, q = 1..3 the offsets (dx, y, z).

    The rotation's part is th~ th~ = th th^T - |th|^2 I and 2 th2~ = 2 th2 x .; weights (k, 4).
    """
    at_centre, at_offset = weights[:, 0], weights[:, 1:].T
    m = psi.shape[2]
    H = np.zeros((3, m, m), np.result_type(weights, psi))
    H[0] -= terms.foreshortening(at_centre)

    t, minus_w1, v1 = psi[:, 0], psi[:, 1], psi[:, 2]
    for c, weight in enumerate(at_offset):
        if not weight.any():
            continue
        for a in range(3):
            H[a] += symmetric(gram(psi[:, a], weight, psi[:, c]))
            H[c] -= gram(psi[:, a], weight, psi[:, a])
        double_th2 = (
            terms.twist(weight),
            symmetric(gram(t, weight, v1)),
            -symmetric(gram(t, weight, minus_w1)),
        )
        H += np.einsum("ab,bij->aij", _LEVI_CIVITA[:, :, c], np.stack(double_th2))
    return H
