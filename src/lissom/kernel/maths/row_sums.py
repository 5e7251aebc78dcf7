"""Sums of rows, several at a time: the target is loaded and stored once for all of them.

Rows are padded (`kernel.maths.simd_rows`): a sum may run up to three entries beyond `width`.
"""

from __future__ import annotations

from lissom.kernel.compile import inline, shared
from lissom.kernel.maths.simd_rows import add_scaled


@inline
def add_rows(out, scales, first, rows, count, width):
    """Add sum_j scales[first + j] rows[j] over j < count to the first `width` entries of out."""
    # eight at a time, then four, then one: the target is read and written once for each group
    eights = count - count % 8
    for j in range(0, eights, 8):
        e = first + j
        eight = (
            scales[e], scales[e + 1], scales[e + 2], scales[e + 3],
            scales[e + 4], scales[e + 5], scales[e + 6], scales[e + 7],
        )  # fmt: skip
        all_of = (rows[j], rows[j + 1], rows[j + 2], rows[j + 3], rows[j + 4], rows[j + 5], rows[j + 6], rows[j + 7])
        add_scaled(out, 0, width, eight, all_of)
    whole = count - count % 4
    for j in range(eights, whole, 4):
        four = (scales[first + j], scales[first + j + 1], scales[first + j + 2], scales[first + j + 3])
        of = (rows[j], rows[j + 1], rows[j + 2], rows[j + 3])
        add_scaled(out, 0, width, four, of)
    for j in range(whole, count):
        add_scaled(out, 0, width, (scales[first + j],), (rows[j],))


@inline
def section_sums(weights, eta, start, count, zero):
    """Return sum_j weights[k, j] eta_j for k = 0, 1, 2."""
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
    """Eliminate the first `pivots` unknowns of a symmetric system, four at a time, then two, then one.

    A (size, width): upper triangle and right-hand sides; the pivots' inverses go to `inverse`. Each group is taken out
    of all rows below it, none of which has to wait for another. Lanes begin at the same columns in every row, so that
    what was just written is read as it was written; what they do below the diagonal is never read.
    """
    whole = pivots - pivots % 4
    paired = pivots - pivots % 2
    for j in range(0, whole, 4):
        pair_off(A, inverse, j, width)
        take_two(A, inverse, j, j + 2, width)
        take_two(A, inverse, j, j + 3, width)
        pair_off(A, inverse, j + 2, width)
        rows = (A[j], A[j + 1], A[j + 2], A[j + 3])
        inverses = (-inverse[j], -inverse[j + 1], -inverse[j + 2], -inverse[j + 3])
        for r in range(j + 4, size):
            by = (
                inverses[0] * rows[0][r], inverses[1] * rows[1][r], inverses[2] * rows[2][r], inverses[3] * rows[3][r],
            )  # fmt: skip
            add_scaled(A[r], r, width, by, rows)
    for j in range(whole, paired, 2):
        pair_off(A, inverse, j, width)
        for r in range(j + 2, size):
            take_two(A, inverse, j, r, width)
    for j in range(paired, pivots):
        inverse[j] = 1.0 / A[j, j]
        for r in range(j + 1, size):
            add_scaled(A[r], r, width, (-inverse[j] * A[j, r],), (A[j],))


@inline
def pair_off(A, inverse, j, width):
    """Invert the pivots j and j + 1, the first taken out of the second."""
    upper = A[j]
    lower = A[j + 1]
    first = 1.0 / upper[j]
    f = -upper[j + 1] * first
    inverse[j] = first
    inverse[j + 1] = 1.0 / (lower[j + 1] + f * upper[j + 1])
    add_scaled(lower, j, width, (f,), (upper,))


@inline
def take_two(A, inverse, j, r, width):
    """Eliminate the unknowns j and j + 1 from row r."""
    by = (-inverse[j] * A[j, r], -inverse[j + 1] * A[j + 1, r])
    add_scaled(A[r], r, width, by, (A[j], A[j + 1]))
