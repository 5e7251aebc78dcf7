"""Sums of rows, four at a time: the target is loaded and stored once for every four rows.

Rows are padded (`kernel.lanes`): a sum may run up to three entries beyond `width`.
"""

from __future__ import annotations

from lissom.kernel.arrays import LANES
from lissom.kernel.lanes import add_lanes
from lissom.kernel.machine import inline


@inline
def add_rows(out, scales, first, rows, count, width):
    """out += sum_j scales[first + j] rows[j] over j < count, for the first `width` entries."""
    whole = count - count % 4
    for j in range(0, whole, 4):
        four = (scales[first + j], scales[first + j + 1], scales[first + j + 2], scales[first + j + 3])
        of = (rows[j], rows[j + 1], rows[j + 2], rows[j + 3])
        for k in range(0, width, LANES):
            add_lanes(out, k, four, of)
    for j in range(whole, count):
        for k in range(0, width, LANES):
            add_lanes(out, k, (scales[first + j],), (rows[j],))


@inline
def section_sums(weights, eta, start, count, zero):
    """sum_j weights[k, j] eta_j for k = 0, 1, 2."""
    x = zero
    y = zero
    z = zero
    for j in range(count):
        e = eta[start + j]
        x += weights[0, j] * e
        y += weights[1, j] * e
        z += weights[2, j] * e
    return (x, y, z)


@inline
def eliminate(A, inverse, pivots, size, width):
    """Eliminate the first `pivots` unknowns of a symmetric system, row by row.

    A (size, width): upper triangle and right-hand sides; row r is reduced by all pivots above it. The pivots' inverses
    go to `inverse`.
    """
    for r in range(size):
        row = A[r]
        count = min(r, pivots)
        whole = count - count % 4
        for j in range(0, whole, 4):
            of = (A[j], A[j + 1], A[j + 2], A[j + 3])
            four = (
                -A[j, r] * inverse[j],
                -A[j + 1, r] * inverse[j + 1],
                -A[j + 2, r] * inverse[j + 2],
                -A[j + 3, r] * inverse[j + 3],
            )
            for k in range(r, width, LANES):
                add_lanes(row, k, four, of)
        for j in range(whole, count):
            for k in range(r, width, LANES):
                add_lanes(row, k, (-A[j, r] * inverse[j],), (A[j],))
        if r < pivots:
            inverse[r] = 1.0 / row[r]
