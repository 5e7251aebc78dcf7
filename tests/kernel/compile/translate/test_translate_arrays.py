"""Arrays in kernels: entries, views, slices, transposes, strided arguments, whole arrays, new arrays, sums of rows."""

import numpy as np
import pytest
from machine import ROUNDING, agrees

from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.arrays import ROW_WIDTH
from lissom.kernel.maths.simd_rows import add_lanes, add_scaled, set_lanes, set_scaled

NUMBERS = [float, complex]


def numbers(number, *shape, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) + (1j * rng.normal(size=shape) if number is complex else 0.0)


@inline
def total(row):
    s = 0.0 * row[0]
    for k in range(row.shape[0]):
        s = s + row[k]
    return s


@kernel
def views(a, out):
    n, m = a.shape
    row, column, block = a[1], a[:, 2], a[1:3, 1:]
    out[0] = row[2] + column[0] + block[1, 1]
    out[1] = a[-1, -1] + row[-2] + a[n - 1][m - 1]
    out[2] = total(row) + total(column) + total(a.T[0]) + total(block.T[1]) + total(a[2, 1:-1])
    out[3] = len(a) + block.shape[1] + a.T.shape[0] + a.shape[-1]
    block[0, 0] = 7.0
    a.T[0, 1] = 5.0
    out[4] = a[1, 1] + row[0]
    out[5] = total(a[:2, 1]) + total(a[-3:, -1]) + total(a[1][2:])


@pytest.mark.parametrize("number", NUMBERS)
def test_views_of_arrays_with_and_without_gaps(number):
    whole = numbers(number, 8, 10)
    agrees(views, whole[:4, :5].copy(), np.zeros(6, number), rounding=ROUNDING)
    for of in (lambda a: a[::2, ::2], lambda a: a[4:0:-1, 9:4:-1], lambda a: np.asfortranarray(a[:4, :5])):
        agrees(views, lambda of=of: (of(whole.copy()), np.zeros(12, number)[::2]), rounding=ROUNDING)


@kernel
def empty(a, out):
    s = 1.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s = s + a[i, j]
    a[:] = 3.0
    b = a * 2.0
    out[0] = s + a.shape[0] + 10 * b.shape[1]


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (1, 1)])
def test_arrays_without_entries(shape):
    agrees(empty, np.ones(shape), np.zeros(1))


@kernel
def whole_arrays(a, b, out):
    made = np.zeros(a.shape)
    made[:] = a
    twice = 2.0 * a + b
    twice[0] = b[1]
    like, blank = np.zeros_like(a), np.empty_like(b)
    blank[:] = twice - like
    copied, number = a.copy(), a.astype(complex)
    copied[0, 0] = 9.0
    more = np.empty((2, 3), dtype=np.int64)
    more[:] = 4
    out[:] = made + blank * copied - a / b + (-a) + more[0]
    out[0] = out[0] + number.imag[1] + number.T.real[0, 0]
    out += a
    out[1:] *= b[:1]
    out[:, 1] -= 2


def test_arithmetic_of_whole_arrays_and_new_arrays():
    a, b = numbers(float, 2, 3), numbers(float, 2, 3, seed=1)
    agrees(whole_arrays, a, b, np.zeros((2, 3)), rounding=ROUNDING)
    agrees(whole_arrays, lambda: (a.copy(), b[::-1], np.zeros((3, 2)).T), rounding=ROUNDING)


@kernel
def real_parts(z, out):
    out[:] = z.real
    z.imag[1] = 4.0
    for k in range(len(z)):
        z.real[k] = z.real[k] + z.imag[k]


def test_parts_of_complex_arrays_are_views():
    agrees(real_parts, numbers(complex, 4), np.zeros(4))
    agrees(real_parts, lambda: (numbers(complex, 8)[::2], np.zeros(4)))


@kernel
def shifted(a):
    a[1:] = a[:-1]
    a[:3] = a[2:5]


@kernel
def turned(a):
    a[:] = a.T
    a[0] = a[:, 1]
    a[1:, 1:] = a[:-1, :-1]
    a[:] = a[2]


@kernel
def between(a, b):
    a[:] = b
    a[2:] += b[:-2]


def test_a_part_copied_onto_itself_is_read_before_it_is_written():
    agrees(shifted, numbers(float, 9))
    agrees(shifted, lambda: (numbers(float, 18)[::-2],))
    agrees(turned, numbers(complex, 4, 4))
    for one, other in ((slice(0, 6), slice(1, 7)), (slice(1, 7), slice(0, 6)), (slice(0, 12, 2), slice(6, 0, -1))):

        def both(one=one, other=other):
            memory = np.arange(20.0)
            return memory[one], memory[other]

        agrees(between, both)


@kernel
def whole_entries(a, flags, out):
    for k in range(len(a)):
        a[k] += 3
        a[k] //= 2
        flags[k] = a[k] > 4 or flags[k]
        out[a[k] % 3] += 1
    out[a[0]] = len(flags)


def test_arrays_of_whole_numbers_and_of_truth_values():
    agrees(whole_entries, np.arange(5), np.array([True, False, False, True, False]), np.zeros(6, np.int64))


TABLE, PLACES = np.array([[1.0, 2.0], [3.0, 4.5]]), np.array([1, 0])
WEIGHTS = (0.5, 0.25, 4.0)
LAST = -1


@kernel
def constants(out):
    for k in range(2):
        out[k] = TABLE[k, PLACES[k]] + WEIGHTS[k] + TABLE[LAST, LAST] * np.pi
    out[2] = WEIGHTS[LAST]
    out[LAST] = total(TABLE[1])


def test_constants_of_a_module():
    agrees(constants, np.zeros(5), rounding=ROUNDING)


# sums of rows


@kernel
def add_two(out, at, a, b, rows):
    add_lanes(out, at, (a, b), (rows[0], rows[1]))


@kernel
def set_two(out, at, a, b, rows):
    set_lanes(out, at, (a, b), (rows[0], rows[1]))


@kernel
def add_two_from(out, first, last, a, b, rows):
    add_scaled(out, first, last, (a, b), (rows[0], rows[1]))


@kernel
def set_two_from(out, first, last, a, b, rows):
    set_scaled(out, first, last, (a, b), (rows[0], rows[1]))


@kernel
def named_like_what_c_needs(out, k1, first, rows):
    for e_ in range(2):
        o_ = first + 4 * e_
        add_scaled(out, o_, o_ + 4 * k1, (out[o_], 2.0), (rows[e_], out))


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(("first", "last"), [(0, 0), (6, 6), (0, 1), (0, 8), (3, 5), (5, 11), (7, 3)])
def test_sums_over_spans_that_begin_and_end_anywhere(number, first, last):
    """Machine code goes over whole registers, so what is compared is what was asked for."""
    rows = numbers(number, 2, 16)
    for compiled in (add_two_from, set_two_from):
        mine, theirs = numbers(number, 16, seed=2), numbers(number, 16, seed=2)
        compiled(mine, first, last, 0.5, -2.0, rows)
        compiled.as_python(theirs, first, last, 0.5, -2.0, rows)
        np.testing.assert_allclose(mine[first:last], theirs[first:last], rtol=1e-14, atol=1e-15)
        outside = (
            np.r_[0 : first - first % ROW_WIDTH, -(-last // ROW_WIDTH) * ROW_WIDTH : 16]
            if first < last
            else np.arange(16)
        )
        np.testing.assert_array_equal(mine[outside], theirs[outside])


def test_names_that_a_sum_of_rows_uses_itself():
    agrees(named_like_what_c_needs, np.arange(16.0), 1, 4, numbers(float, 2, 16), rounding=ROUNDING)


@pytest.mark.parametrize("kinds", ["fff", "cff", "cfc", "ccf", "ccc"])
@pytest.mark.parametrize("compiled", [add_two, set_two])
def test_a_step_over_unaligned_entries(kinds, compiled):
    """Results, scales and rows, each real or complex where the result can hold them."""
    out, (a, b), rows = (numbers(complex if k == "c" else float, *s) for k, s in zip(kinds, ((11,), (2,), (2, 11))))
    agrees(compiled, out, 3, a, b, rows, rounding=ROUNDING)
