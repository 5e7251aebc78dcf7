"""Tuples in kernels: nested, unpacked, chosen from, returned, with names."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from machine import ROUNDING, agrees

from lissom.kernel.compile import inline, kernel, shared


class Point(NamedTuple):
    x: Any
    y: Any
    place: Any


@inline
def sums(a, b):
    return a + b, (a - b, a * b)


@shared
def point(a, b):
    return Point(a, b, (a, b, 3))


@kernel
def tuples(a, b, out):
    t = (a, (b, a + b), 2)
    plus, (minus, times) = sums(a, b)
    p = point(plus, minus)
    out[0], out[1], _ = t[1][0], t[1][-1], t[2]
    (out[2], out[3]), c = (plus, minus), times
    out[4] = c + p.x * p.place[1] + p.y
    rest = (a, b, c, plus)[1:3]
    out[5] = rest[0] + rest[-1] + len(rest) + (a, b, c)[::2][1]
    d = e = (a, b)
    out[6] = d[0] + e[1]
    for k in range(3):
        out[7 + k] = (a, b, c)[k] * (1, 2.5, 4)[k]
    for x in (a, b, plus):
        out[10] += x
    n = 3
    out[11] = (a, b, c, a, b, c, a, b, c, plus)[n + 6] + (a, b)[n - 2]


@pytest.mark.parametrize(("a", "b"), [(1.5, -2.0), (2, 3), (1.0, 2), (1 + 2j, 0.5), (0.5, 2j)])
def test_tuples(a, b):
    number = complex if complex in map(type, (a, b)) else float
    agrees(tuples, a, b, np.zeros(12, number), rounding=ROUNDING)


@kernel
def swaps(a, i, j):
    a[i], a[j] = a[j], a[i]
    x, y = a[0], a[1]
    x, y = y, x + y
    a[2], a[3] = x, y
    i, a[i] = 1, 20.0
    a[4], a[5], a[6] = a[1:4]


def test_tuples_are_made_before_they_are_taken_apart():
    agrees(swaps, np.arange(8.0), 2, 5)


@kernel
def unpacked_onto_itself(a):
    a[1], a[0] = a
    ((a[0], _),) = ((a[1], a[0]),)


@kernel
def rows_swapped(a):
    a[0], a[1] = a[1], a[0]


def test_arrays_are_taken_apart_before_their_entries_are_stored():
    agrees(unpacked_onto_itself, np.array([1.0, 2.0]))
    agrees(rows_swapped, np.arange(6.0).reshape(2, 3))  # rows are views: in Python too, both become one


@kernel
def turns_see_what_was(a, n):
    y = 1.0
    for x in (y, a[0], a[1], y + a[0]):
        a[1] = a[1] + 10 * x
        a[0] = 7.0
        y = 5.0
    return y + n


def test_a_loop_over_items_sees_them_as_they_were_before():
    agrees(turns_see_what_was, np.array([2.0, 3.0]), 1)


def test_a_kernel_gives_a_tuple_to_python():
    @kernel
    def both(a, n):
        return a + n, (n > 1, 2 * n), complex(a, n)

    assert both(0.5, 3) == both.as_python(0.5, 3) == (3.5, (True, 6), 0.5 + 3j)


def test_tuples_of_views():
    @kernel
    def views(a, out):
        rows = (a[0], a[1, 1:], a.T[1])
        for k in range(3):
            for j in range(len(rows[k])):
                out[k] += rows[k][j]

    agrees(views, np.arange(12.0).reshape(3, 4), np.zeros(3))
