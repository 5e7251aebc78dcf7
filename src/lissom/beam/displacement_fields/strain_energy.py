"""Strain energy of a link beyond its stiffness, to third order in the coordinates.

    1/2 int F . e  +  int F . e2,   e2 = (0, t gz - thz a', thy a' - t gy, 0, t thz', -t thy')

with the forces F and strains e = (a', gy, gz, t', thy', thz') that are linear in the coordinates.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement, permutations

import numpy as np

from lissom.beam.displacement_fields.displacement_field import Sections
from lissom.beam.number_types import Array
from lissom.beam.sections.general_section import BEND_Y, BEND_Z, SHEAR_Y, SHEAR_Z
from lissom.errors import LissomError

NEGLIGIBLE = 1e-14  # of the largest product: what is left of terms that cancel

Product = tuple[int, Array, Array]


def second_order_strains(nodes: Sections, shear: bool) -> list[Product]:
    """Return e2 as products: row of the strain, and the two factors per coordinate at the nodes (n, m)."""
    a, gy, gz = np.moveaxis(nodes.strain[:, :3], 1, 0)
    t, thy, thz = np.moveaxis(nodes.psi, 1, 0)
    _, thy_x, thz_x = np.moveaxis(nodes.psi_x, 1, 0)
    bent = [(BEND_Y, t, thz_x), (BEND_Z, -t, thy_x)]
    sheared = [(SHEAR_Y, t, gz), (SHEAR_Y, -thz, a), (SHEAR_Z, thy, a), (SHEAR_Z, -t, gy)]
    return bent + sheared if shear else bent


def prestress_stiffness(F0: Array, strains: list[Product]) -> Array:
    """Return what forces F0 (n, 6), times the weights of the nodes, add to the stiffness: 2 int F0 . e2, (m, m)."""
    return 2 * sum(np.einsum("k,ki,kj->ij", F0[:, row], a, b) for row, a, b in strains)


def stiffness(F: Array, strain: Array) -> Array:
    """Return int F . e = 1/2 eta K eta of forces F (..., n, 6, m), times the weights of the nodes: K (..., m, m)."""
    m = strain.shape[-1]
    return np.moveaxis(F, -1, -3).reshape(*F.shape[:-3], m, -1) @ strain.reshape(-1, m)


def cubic_terms(F: Array, strains: list[Product]) -> tuple[Array, Array]:
    """Return int F . e2 = sum_n c_n eta_i eta_j eta_k of forces F (..., n, 6, m), times the weights of the nodes.

    Returns
    -------
        index (nc, 3), the coordinates of each term, the last one first, and c (..., nc).
    """
    m = F.shape[-1]
    parts = [_triple_product(F[..., row, :], a, b) for row, a, b in strains]
    largest = [np.abs(part).max(axis=(-3, -2, -1), initial=0.0) for part in parts]
    terms = sum(parts, np.zeros((m, m, m)))
    whole: Array = sum(np.moveaxis(terms, (-3, -2, -1), order) for order in permutations((-3, -2, -1)))  # type: ignore[assignment]
    i, j, k, repeats = _triples(m)
    c = whole[..., i, j, k] / repeats
    keep = (np.abs(np.real(c)) > NEGLIGIBLE * np.max(largest, axis=0)[..., None]) | (np.imag(c) != 0)
    kept = keep.reshape(-1, len(i))
    if np.any(kept != kept[0]):
        raise LissomError("the links have different terms", ("modes",))
    return np.stack([k, i, j], axis=1)[kept[0]], c[..., kept[0]]


@lru_cache(maxsize=64)
def _triples(m: int) -> tuple[Array, Array, Array, Array]:
    """Return indices i <= j <= k below m, and how often each product of three appears in a symmetric sum."""
    i, j, k = np.array(list(combinations_with_replacement(range(m), 3))).T
    return i, j, k, np.where(i == k, 6, np.where((i == j) | (j == k), 2, 1))


def _triple_product(a: Array, b: Array, c: Array) -> Array:
    """Return sum_k a_ki b_kj c_kl, (..., m, m, m); a (..., n, m)."""
    n, m = b.shape
    return (np.swapaxes(a, -1, -2) @ (b[:, :, None] * c[:, None]).reshape(n, m * m)).reshape(*a.shape[:-2], m, m, m)
