"""Sums of rows, four at a time: the target is loaded and stored once for every four rows."""

from __future__ import annotations

from lissom.kernel.jit import inline


@inline
def add_row(out, scale, row, start, stop):
    """out += scale row, from `start` to `stop`."""
    for k in range(start, stop):
        out[k] += scale * row[k]


@inline
def add_rows(out, scales, first, rows, count, width):
    """out += sum_j scales[first + j] rows[j] over j < count, for the first `width` entries."""
    whole = count - count % 4
    for j in range(0, whole, 4):
        a = scales[first + j]
        b = scales[first + j + 1]
        c = scales[first + j + 2]
        d = scales[first + j + 3]
        row_a = rows[j]
        row_b = rows[j + 1]
        row_c = rows[j + 2]
        row_d = rows[j + 3]
        for k in range(width):
            out[k] += a * row_a[k] + b * row_b[k] + c * row_c[k] + d * row_d[k]
    for j in range(whole, count):
        add_row(out, scales[first + j], rows[j], 0, width)


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
            row_a = A[j]
            row_b = A[j + 1]
            row_c = A[j + 2]
            row_d = A[j + 3]
            a = row_a[r] * inverse[j]
            b = row_b[r] * inverse[j + 1]
            c = row_c[r] * inverse[j + 2]
            d = row_d[r] * inverse[j + 3]
            for k in range(r, width):
                row[k] -= a * row_a[k] + b * row_b[k] + c * row_c[k] + d * row_d[k]
        for j in range(whole, count):
            add_row(row, -A[j, r] * inverse[j], A[j], r, width)
        if r < pivots:
            inverse[r] = 1.0 / row[r]
