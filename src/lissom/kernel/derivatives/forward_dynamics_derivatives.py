"""Derivatives of the forward dynamics, M da = d tau - d ID(q, v, a): those of the inverse, and a sparse solution.

M = L^T D L keeps the zeros of M between branches: an entry stands only where one coordinate carries the other
(Featherstone 2008, section 6.5). Right-hand sides stand side by side in rows, of which eight are taken at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.kernel.algorithms.articulated_body import forward_dynamics
from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.aligned_memory import on_lines
from lissom.kernel.data.arrays import padded
from lissom.kernel.derivatives.columns import DerivativeColumns
from lissom.kernel.derivatives.inverse_dynamics_derivatives import fill_derivative_columns
from lissom.kernel.maths.simd_rows import add_scaled, set_scaled


class Solution(NamedTuple):
    """Memory of the solution: velocity coordinates in the order of the columns, none left out."""

    coordinate: np.ndarray  # (nv,) which one it is
    column: np.ndarray  # (nv,) its column
    last: np.ndarray  # (nv,) end of those that it moves
    start: np.ndarray  # (nv + 1,) where the list of those that move it begins
    inward: np.ndarray  # these, one after the other
    pivot: np.ndarray  # (nv,) inverse pivots
    scratch: np.ndarray  # (nv,) a column of the matrix
    mass: np.ndarray  # (nv, nv) mass matrix, then L^T, upper triangle; rows are padded
    by_place: np.ndarray  # (nv, nv)
    by_rate: np.ndarray
    by_force: np.ndarray  # the inverse of the mass matrix


def make_solution(columns: DerivativeColumns) -> Solution:
    """Make the memory, for coordinates in the order of their columns."""
    coordinate, column = columns.in_order, columns.ordered
    last = np.searchsorted(column, columns.last[column])
    nv = len(column)
    inward = [[j for j in range(k) if last[j] > k] for k in range(nv)]
    start = np.cumsum([0, *map(len, inward)])
    listed = np.array([j for each in inward for j in each], np.int64)

    def zeros(*shape: int) -> np.ndarray:
        return on_lines(*shape, number=np.float64)

    size = padded(nv)
    vectors = zeros(size), zeros(size)
    return Solution(coordinate, column, last, start, listed, *vectors, *(zeros(nv, size) for _ in range(4)))


@kernel
def differentiate_forward_dynamics(
    model, work, columns, solution, q, v, tau, wrench, qdd, force, by_place, by_rate, by_force
):
    """Compute the accelerations `qdd` (nv,) and their derivatives, each (nv, nv).

    force: scratch (nv,). Accelerations of prescribed coordinates are given.
    """
    forward_dynamics(model, work, q, v, tau, wrench, qdd)
    fill_derivative_columns(model, work, columns, q, v, qdd, wrench, force)
    gather(columns, solution)
    factorise_sparse(model, solution)
    solve_sparse(solution)
    n = force.shape[0]
    for r in range(n):
        row = solution.coordinate[r]
        for k in range(n):
            at = solution.coordinate[k]
            by_place[row, at] = solution.by_place[r, k]
            by_rate[row, at] = solution.by_rate[r, k]
            by_force[row, at] = solution.by_force[r, k]


@kernel
def differentiate_inverse_dynamics(model, work, columns, q, v, qdd, wrench, tau, by_place, by_rate, by_acceleration):
    """Compute `tau` (nv,) and its derivatives by place, rate and acceleration, each (nv, nv)."""
    fill_derivative_columns(model, work, columns, q, v, qdd, wrench, tau)
    n = tau.shape[0]
    for r in range(n):
        row = columns.column[r]
        for k in range(n):
            at = columns.column[k]
            by_place[r, k] = columns.by_place[row, at]
            by_rate[r, k] = columns.by_rate[row, at]
            by_acceleration[r, k] = columns.by_acceleration[row, at]


@inline
def gather(columns, solution):
    """Set mass matrix and right-hand sides, - d ID, from the columns, and the unit matrix."""
    n = solution.column.shape[0]
    for r in range(n):
        row = solution.column[r]
        for k in range(n):
            at = solution.column[k]
            solution.by_place[r, k] = -columns.by_place[row, at]
            solution.by_rate[r, k] = -columns.by_rate[row, at]
            solution.mass[r, k] = columns.by_acceleration[row, at]
            solution.by_force[r, k] = 0.0
        solution.by_force[r, r] = 1.0


@inline
def factorise_sparse(model, solution):
    """Factorise the mass matrix, from its end: L^T above the diagonal, inverse pivots beside, zero where prescribed."""
    M = solution.mass
    column = solution.scratch
    n = solution.column.shape[0]
    for k in range(solution.scratch.shape[0]):
        column[k] = 0.0
    for back in range(n):
        k = n - 1 - back
        begin = solution.start[k]
        end = solution.start[k + 1]
        if model.velocities.prescribed[solution.coordinate[k]] == 1:
            # a coordinate that is given is none: no row, no column
            solution.pivot[k] = 0.0
            for c in range(k + 1, n):
                M[k, c] = 0.0
            for at in range(begin, end):
                M[solution.inward[at], k] = 0.0
        else:
            inverse = 1.0 / M[k, k]
            solution.pivot[k] = inverse
            for at in range(begin, end):
                r = solution.inward[at]
                column[r] = M[r, k]
            for at in range(begin, end):
                r = solution.inward[at]
                share = column[r] * inverse
                add_scaled(M[r], r, k, (-share,), (column,))
                M[r, k] = share
            for at in range(begin, end):
                column[solution.inward[at]] = 0.0


@inline
def solve_sparse(solution):
    """Solve for the right-hand sides in place; of the inverse only the upper triangle, which is then mirrored."""
    L = solution.mass
    x = solution.by_place
    y = solution.by_rate
    z = solution.by_force
    n = solution.column.shape[0]
    # inward, L^-T b, then the pivots
    for back in range(n):
        r = n - 1 - back
        end = solution.last[r]
        eights = end - (end - r - 1) % 8
        for k in range(r + 1, eights, 8):
            by = (-L[r, k], -L[r, k + 1], -L[r, k + 2], -L[r, k + 3],
                  -L[r, k + 4], -L[r, k + 5], -L[r, k + 6], -L[r, k + 7])  # fmt: skip
            add_scaled(x[r], 0, n, by, eight_rows(x, k))
            add_scaled(y[r], 0, n, by, eight_rows(y, k))
            add_scaled(z[r], k, end, by, eight_rows(z, k))
        for k in range(eights, end):
            add_scaled(x[r], 0, n, (-L[r, k],), (x[k],))
            add_scaled(y[r], 0, n, (-L[r, k],), (y[k],))
            add_scaled(z[r], k, end, (-L[r, k],), (z[k],))
    for r in range(n):
        set_scaled(x[r], 0, n, (solution.pivot[r],), (x[r],))
        set_scaled(y[r], 0, n, (solution.pivot[r],), (y[r],))
        set_scaled(z[r], r, solution.last[r], (solution.pivot[r],), (z[r],))
    # outward, L^-1 x
    for r in range(n):
        begin = solution.start[r]
        end = solution.start[r + 1]
        eights = end - (end - begin) % 8
        j = solution.inward
        for at in range(begin, eights, 8):
            a, b, c, d = j[at], j[at + 1], j[at + 2], j[at + 3]
            e, f, g, h = j[at + 4], j[at + 5], j[at + 6], j[at + 7]
            by = (-L[a, r], -L[b, r], -L[c, r], -L[d, r], -L[e, r], -L[f, r], -L[g, r], -L[h, r])
            add_scaled(x[r], 0, n, by, (x[a], x[b], x[c], x[d], x[e], x[f], x[g], x[h]))
            add_scaled(y[r], 0, n, by, (y[a], y[b], y[c], y[d], y[e], y[f], y[g], y[h]))
            add_scaled(z[r], r, n, by, (z[a], z[b], z[c], z[d], z[e], z[f], z[g], z[h]))
        for at in range(eights, end):
            a = j[at]
            add_scaled(x[r], 0, n, (-L[a, r],), (x[a],))
            add_scaled(y[r], 0, n, (-L[a, r],), (y[a],))
            add_scaled(z[r], r, n, (-L[a, r],), (z[a],))
    for r in range(n):
        for k in range(r + 1, n):
            z[k, r] = z[r, k]


@inline
def eight_rows(X, k):
    """Return eight rows of X from row k on."""
    return (X[k], X[k + 1], X[k + 2], X[k + 3], X[k + 4], X[k + 5], X[k + 6], X[k + 7])
