"""Multipliers of loops: the small system W lam = b with W = G J^-1 G^T, solved with its rank detected.

Rows that others already hold (a planar four-bar closed by a joint that is free to turn about one axis only) leave
nothing of themselves when the others are eliminated. They are dropped; `least_norm` then gives, of all multipliers that
do the same, the smallest in N and N m.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import inline, kernel

REDUNDANT = 1e-9  # what other rows leave of one, relative to the row by itself, that rounding explains


class Schur(NamedTuple):
    """Memory for one number type."""

    zero: Any
    columns: np.ndarray  # (rows, nv) row r: J^-1 G_r^T
    W: np.ndarray  # (rows, rows) G J^-1 G^T, then its factors, in the order of elimination
    size: np.ndarray  # (rows,) its diagonal
    order: np.ndarray  # (rows,) rows in the order of elimination
    rank: np.ndarray  # (1,) how many rows are independent
    x: np.ndarray  # (rows,) right-hand side and solution
    turned: np.ndarray  # (rows,) scratch: the same in the order of elimination
    null: np.ndarray  # (rows, rows) scratch of `least_norm`


def make_schur(rows: int, velocities: int, number: type) -> Schur:
    """Make the memory for `rows` rows of loops and as many `velocities`, in one number type."""

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, number)

    return Schur(
        zero=number(0),
        columns=zeros(rows, velocities),
        W=zeros(rows, rows),
        size=np.zeros(rows),
        order=np.zeros(rows, np.int64),
        rank=np.zeros(1, np.int64),
        x=zeros(rows),
        turned=zeros(rows),
        null=zeros(rows, rows),
    )


@inline
def swap(W, order, size, i, j):
    """Exchange unknowns and equations i and j."""
    for k in range(W.shape[0]):
        upper = W[i, k]
        W[i, k] = W[j, k]
        W[j, k] = upper
    for k in range(W.shape[0]):
        left = W[k, i]
        W[k, i] = W[k, j]
        W[k, j] = left
    kept = order[i]
    order[i] = order[j]
    order[j] = kept
    kept_size = size[i]
    size[i] = size[j]
    size[j] = kept_size


@kernel
def factorise_rows(schur, G):
    """Set W = G columns^T and eliminate it as far as its rows are independent."""
    W = schur.W
    n = W.shape[0]
    for i in range(n):
        for j in range(n):
            total = schur.zero
            for k in range(G.shape[1]):
                total += G[i, k] * schur.columns[j, k]
            W[i, j] = total
    for i in range(n):
        schur.order[i] = i
        schur.size[i] = abs(W[i, i])
    # Gaussian elimination; the pivot is the row of which the others leave most, relative to itself
    rank = n
    for i in range(n):
        best = i
        largest = 0.0
        for j in range(i, n):
            left = abs(W[j, j])
            if left > largest * schur.size[j]:
                largest = left / schur.size[j]
                best = j
        if not largest > REDUNDANT:
            rank = i
            break
        if best != i:
            swap(W, schur.order, schur.size, i, best)
        inverse = 1.0 / W[i, i]
        for j in range(i + 1, n):
            W[j, i] = W[j, i] * inverse
        for j in range(i + 1, n):
            for k in range(i + 1, n):
                W[j, k] -= W[j, i] * W[i, k]
    schur.rank[0] = rank


@kernel
def solve_rows(schur):
    """Overwrite schur.x with multipliers that solve W x = x; those of redundant rows are zero."""
    rank = schur.rank[0]
    y = schur.turned
    # L y = b, then U x = y, in the order of elimination
    for i in range(rank):
        total = schur.x[schur.order[i]]
        for j in range(i):
            total -= schur.W[i, j] * y[j]
        y[i] = total
    for back in range(rank):
        i = rank - 1 - back
        total = y[i]
        for j in range(i + 1, rank):
            total -= schur.W[i, j] * y[j]
        y[i] = total / schur.W[i, i]
    for i in range(schur.order.shape[0]):
        schur.x[schur.order[i]] = y[i] if i < rank else schur.zero


@kernel
def least_norm(schur):
    """Take from the solution schur.x what does nothing: multipliers x with W x = 0."""
    n = schur.order.shape[0]
    rank = schur.rank[0]
    if rank == n:
        return
    free = n - rank
    N = schur.null  # row j: null vector j in the order of elimination
    # null vectors of W: each redundant row by itself, and what the independent ones do for it
    for j in range(free):
        for i in range(n):
            N[j, i] = schur.zero
        N[j, rank + j] = schur.zero + 1.0
        for back in range(rank):
            i = rank - 1 - back
            total = -schur.W[i, rank + j]
            for k in range(i + 1, rank):
                total -= schur.W[i, k] * N[j, k]
            N[j, i] = total / schur.W[i, i]
    for j in range(free):  # orthogonal null vectors, each taken out of the solution
        for k in range(j):
            project_out(N[j], N[k], n)
        for i in range(n):
            schur.turned[i] = schur.x[schur.order[i]]
        project_out(schur.turned, N[j], n)
        for i in range(n):
            schur.x[schur.order[i]] = schur.turned[i]


@inline
def project_out(x, direction, n):
    """Take from x its part along `direction`."""
    along = 0.0 * x[0]
    square = 0.0 * x[0]
    for i in range(n):
        along += x[i] * direction[i]
        square += direction[i] * direction[i]
    for i in range(n):
        x[i] -= along / square * direction[i]


@kernel
def add_columns(schur, x):
    """Add J^-1 G^T schur.x to x."""
    for row in range(schur.x.shape[0]):
        for k in range(x.shape[0]):
            x[k] += schur.columns[row, k] * schur.x[row]
