"""Sums of rows, several at a time: the target is loaded and stored once for all of them.

Rows are padded (`kernel.lanes`): a sum may run up to three entries beyond `width`.
"""

from __future__ import annotations

from lissom.kernel.arrays import LANES
from lissom.kernel.lanes import add_lanes
from lissom.kernel.machine import inline, shared


@inline
def add_rows(out, scales, first, rows, count, width):
    """out += sum_j scales[first + j] rows[j] over j < count, for the first `width` entries."""
    eights = count - count % 8
    for j in range(0, eights, 8):
        e = first + j
        eight = (
            scales[e], scales[e + 1], scales[e + 2], scales[e + 3],
            scales[e + 4], scales[e + 5], scales[e + 6], scales[e + 7],
        )  # fmt: skip
        all_of = (rows[j], rows[j + 1], rows[j + 2], rows[j + 3], rows[j + 4], rows[j + 5], rows[j + 6], rows[j + 7])
        for k in range(0, width, LANES):
            add_lanes(out, k, eight, all_of)
    whole = count - count % 4
    for j in range(eights, whole, 4):
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


@shared
def eliminate(A, inverse, pivots, size, width):
    """Eliminate the first `pivots` unknowns of a symmetric system, two at a time.

    A (size, width): upper triangle and right-hand sides; the pivots' inverses go to `inverse`. Each pair is taken out
    of all rows below it, none of which has to wait for another. Lanes begin at the same columns in every row, so that
    what was just written is read as it was written; what they do below the diagonal is never read.
    """
    paired = pivots - pivots % 2
    for j in range(0, paired, 2):
        upper = A[j]
        lower = A[j + 1]
        first = 1.0 / upper[j]
        f = -upper[j + 1] * first
        second = 1.0 / (lower[j + 1] + f * upper[j + 1])
        inverse[j] = first
        inverse[j + 1] = second
        for k in range(j - j % LANES, width, LANES):
            add_lanes(lower, k, (f,), (upper,))
        for r in range(j + 2, size):
            row = A[r]
            by = (-upper[r] * first, -lower[r] * second)
            for k in range(r - r % LANES, width, LANES):
                add_lanes(row, k, by, (upper, lower))
    for j in range(paired, pivots):
        upper = A[j]
        first = 1.0 / upper[j]
        inverse[j] = first
        for r in range(j + 1, size):
            row = A[r]
            f = -upper[r] * first
            for k in range(r - r % LANES, width, LANES):
                add_lanes(row, k, (f,), (upper,))
