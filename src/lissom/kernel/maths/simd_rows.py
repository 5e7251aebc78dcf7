"""Sums of rows in vector registers, four entries at a time.

Loops over modes are short, ten turns or so: entering a loop that the compiler made for long rows takes longer than the
sum. Here rows are padded to whole registers, and a loop goes over them in steps of LANES, each a few instructions
(`compile.translate.lane_sums`). What a step does to the padding stays in the padding: every column is summed by itself.
`add_scaled` and `set_scaled` are such loops, over all the registers in which the entries lie; `add_lanes` and
`set_lanes` are one step of them.
"""

from __future__ import annotations

from lissom.kernel.data.arrays import ROW_WIDTH


def add_lanes(out, at, scales, rows):
    """Add sum_i scales[i] rows[i] to the entries `at` to `at + 3` of out; scales and rows are tuples."""
    for k in range(at, at + ROW_WIDTH):
        total = out[k]
        for scale, row in zip(scales, rows, strict=True):
            total = total + scale * row[k]
        out[k] = total


def set_lanes(out, at, scales, rows):
    """Set the entries `at` to `at + 3` of out to sum_i scales[i] rows[i]."""
    for k in range(at, at + ROW_WIDTH):
        total = scales[0] * rows[0][k]
        for scale, row in zip(scales[1:], rows[1:], strict=True):
            total = total + scale * row[k]
        out[k] = total


def add_scaled(out, first, last, scales, rows):
    """Add sum_i scales[i] rows[i] to the entries of out from `first` to before `last`."""
    for k in range(first, last):
        total = out[k]
        for scale, row in zip(scales, rows, strict=True):
            total = total + scale * row[k]
        out[k] = total


def set_scaled(out, first, last, scales, rows):
    """Set the entries of out from `first` to before `last` to sum_i scales[i] rows[i]."""
    for k in range(first, last):
        total = scales[0] * rows[0][k]
        for scale, row in zip(scales[1:], rows[1:], strict=True):
            total = total + scale * row[k]
        out[k] = total
