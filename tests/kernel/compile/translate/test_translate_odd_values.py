"""Odd but legal kernels with odd numbers, places and arrays.

Machine code does what Python does, or the translator refuses them.
"""

import math

import numpy as np
import pytest
from machine import ROUNDING, Cases, agrees

from lissom.kernel.compile import shared

CASES = Cases()


def arrays():
    return np.arange(1.0, 9.0), np.arange(10.0, 18.0)


@CASES.odd(1.0)
def known_conditions(x):
    if None is None and 1 < 2:
        y = x
    else:
        y = "text"
    if False:
        y = undefined  # noqa: F821
    return y if True else x.nothing


@CASES.odd(3.7)
def constant_arithmetic(x):
    return x * (2 + 3 * 4 - 7 // 2 % 3 + 2**3 / 4 - -1) + (1e3 if 2 > 1 else 0) + int(2.9) + round(2.5) + min(3, 2.5)


@CASES.odd(-7, 3)
def signs_of_whole_quotients(a, b):
    return a // b * 1000 + a % b * 100 + -a // b * 10 + a % -b + (a // -b) ** 3 - abs(a) % b


@CASES.odd(np.float64(-0.0), np.float64(0.0))
def zeros_with_signs(a, b):
    return (
        math.atan2(a + 0.0, -1.0)
        + 10 * math.atan2(0.0 * a, -1.0)
        + 100 * math.atan2(-b, -1.0)
        + 1000 * math.atan2(a - b, -1.0)
    )


@CASES.odd(np.float64(np.nan), np.float64(np.inf))
def not_a_number(a, b):
    s = 0
    if a == a or a < b or a > b:
        s += 1
    if a != a and not a < b:
        s += 2
    if max(a, 1.0) > 0.5 or min(1.0, a) > 0.5:
        s += 4
    return s + (8 if b - b != 0.0 else 0) + (16 if a else 0)


@CASES.odd(lambda: (np.array([1 + 2j, 3 - 1j, 2j]), np.zeros(3)))
def complex_in_place(z, x):
    z *= 2
    z[0] += 1j
    z[1], z[2] = z[2], z[1].real
    x[:] = (z * z).imag
    w = z[0]
    w = w.real
    x[0] = w + abs(z[1])


@CASES.odd(lambda: (np.arange(24.0).reshape(2, 3, 4), np.zeros((4, 3))))
def three_axes(a, out):
    out[:] = a[1].T
    block = a[:, 1:, 2]
    out[0, :2] = block[1]
    a[0][1] = a[1, 0]
    a[:, :, -1] = 1.0
    t = a.T
    out[1, 0] = t[3, 2, 1] + t.shape[0] + len(t[0])


@CASES.odd(lambda: (np.arange(6), np.arange(6.0)))
def whole_indices_from_memory(places, a):
    places[0], places[5] = places[5], places[0]
    for k in range(len(places)):
        a[places[k]] += a[places[places[k]]]
    n = places[2]
    places[2] = 4
    a[n] = places[n]


@CASES.odd(lambda: (np.zeros(3, bool), np.zeros(3)))
def flags(f, a):
    f[0] = 2.5 > 1
    f[1] = f[0] and not f[2]
    f[2] = 3
    for k in range(3):
        a[k] = f[k] + (1 if f[k] else 0)
    if f[0] == f[1]:
        a[0] = 10.0


@CASES.odd(3, 4)
def deep_expression(a, b):
    return ((((a + b) * (a - b)) ** 2 % 7 + (a // b)) * ((a * b + (a if a > b else b)) - ((a, b)[int(a > b)] + 2))) / (
        (a + 1) * b
    )


@CASES.odd(1e308, 5e-324)
def edges_of_numbers(x, y):
    return (x * 0.5 + y * 3.0) / 2 + abs(-y) + 4.9e-324 + 1e-400 + 1.7976931348623157e308 * 1e-300


@CASES.odd(2**62, -(2**62))
def wide_whole_numbers(a, b):
    return a + b + (a - 1) // 3 - b % 1000 + (a > b) * 4000000000 + max(a, 2 * b) % 97


@CASES.odd(lambda: (np.array([3, -3, 7]), np.zeros(3)))
def quotients_from_memory(n, out):
    for k in range(3):
        out[k] = n[k] / 2 + n[k] // 2 + n[k] % 2 + (n[k] + 1) / n[k] + 2**3 * n[k] ** 2
        n[k] %= 4
        n[k] **= 2


@CASES.odd(lambda: (np.zeros(4), np.arange(4)))
def walrus_in_many_places(a, n):
    a[(k := 2)] = 5.0
    a[k - 1] = (y := n[k]) + y
    if (m := k + 1) > 2 and m < 9:
        a[m] = m
    while (k := k - 1) > 0:
        a[0] += k


@shared
def early(a, n):
    for k in range(len(a)):
        if a[k] > n:
            return k
    return -1


@CASES.odd(arrays)
def results_as_places(a, b):
    b[early(a, 3.5)] = 1.0
    a[early(b, 12.0) + early(a, 100.0)] += b[early(a, 1)]
    k = early(a, 1000.0)
    if k == -1:
        b[-1] = k


@CASES.odd(lambda: (np.arange(4.0), np.arange(16.0).reshape(4, 4)))
def rows_added_to_columns(a, b):
    b += a
    b.T[:] = a
    b[:, 1:3] *= a[1:3]
    b[1:3] = b[2]
    b[:, 0] += b[0]


@CASES.odd(arrays)
def slices_by_computed_ends(a, b):
    n = 3
    lo, hi = n - 2, n + 2
    a[lo:hi] = b[lo - 1 : hi - 1]
    a[hi:] = b[:n]
    v = a[lo:hi][1:][:2]
    b[0] = v[1] + len(v) + v.shape[0]
    b[n - 1 : n] = 9.0


@CASES.odd(lambda: (np.arange(5.0), np.zeros(5)))
def new_arrays_in_a_loop(a, out):
    for k in range(1, len(a)):
        w = np.zeros(k)
        w[:] = a[:k]
        w[k - 1] += out[k - 1]
        v = w + w
        for j in range(k):
            out[k] += v[j]
        a[0] = a[0] + 1


@pytest.mark.parametrize(("made", "arguments"), CASES)
def test_odd_kernels_do_what_python_does(made, arguments):
    agrees(made, *arguments, rounding=ROUNDING)
