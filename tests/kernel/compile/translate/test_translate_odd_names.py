"""Odd but legal kernels whose names, kinds and ways are odd.

Machine code does what Python does, or the translator refuses them.
"""

import math

import numpy as np
import pytest
from machine import ROUNDING, Cases, agrees

from lissom.kernel.compile import inline, kernel

CASES = Cases()


def arrays():
    return np.arange(1.0, 9.0), np.arange(10.0, 18.0)


@CASES.odd(2.0, 3.0)
def names_of_c(double, int64_t):
    struct, register, union, long, pack, cplx, linux = double, int64_t, 1, 2, 3.0, 1j, 4
    NAN, M_PI, INFINITY, I, EOF = 1.0, 2.0, 3.0, 4.0, 5
    end1, end2, t1_, o_, k1, s_, e_, blocks, before, result = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
    sum_1 = struct + register * union + long + pack + abs(cplx) + linux + NAN + M_PI + INFINITY + I + EOF
    for auto in range(end2):
        for unsigned in range(auto, end1 + end2):
            sum_1 += unsigned * auto + t1_
    return sum_1 + o_ + k1 + s_ + e_ + blocks + before + result


@CASES.odd(2.0)
def names_of_prelude(x):
    sin_c, add_cc, least, floor_mod, allocated, LANE, in_bounds, v4, fma = 1.0, 2.0, x, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0
    sin = np.sin(x) + least
    pow, sqrt = x**2.5, math.sqrt(x)
    return sin_c + add_cc + min(least, x) + floor_mod % 3 + allocated + LANE + in_bounds + v4 + fma + sin + pow + sqrt


@CASES.odd(3)
def suffixes_of_webs(n):
    x = 1
    x_2 = 10
    y = x + x_2
    x = 2.5
    x_3 = 20
    z = x * x_3
    x = (1, 2)
    x_v1, x_in, n_in = 5, 6, 7
    n = n + 1.5
    return y + z + x[1] + x_2 + x_v1 + x_in + n_in + n


@CASES.odd(arrays)
def results_that_need_memory(before, result):
    made = before + result
    result[0] = made[1]


@CASES.odd(4)
def underscores(n):
    _, _x, x_ = 1.0, 2.0, 3.0
    for _ in range(n):
        _x += x_
    return _x


@CASES.odd(5, 2.5)
def one_name_many_kinds(n, x):
    s = 0
    for y in (1, 2.5, n):
        s = s + y
    y = x > 2
    if y:
        y = s
    z = y
    y = (z, 1)
    return y[0] + y[1]


@CASES.odd(3)
def whole_becomes_real_in_a_loop(n):
    x, y = 1, 7
    for k in range(n):
        x = x / 2
        y = y // 2 if k < 2 else y - 0.5
    return x + y


@CASES.odd(0)
def loop_that_never_turns(n):
    x = 5
    for _k in range(n):
        x = 2.5
    while n > 0:
        x = 1j
        n -= 1
    return x.real


@CASES.odd(6)
def truth_values_as_numbers(n):
    count, flag = 0, False
    for k in range(n):
        flag = k % 2 == 0 or (flag and k > 3)
        count += flag
        count = count + 2 * (k > 2)
    return count - flag


@CASES.odd(7)
def bound_changes_inside(n):
    total, top = 0, n
    for i in range(top):
        top = 2
        for j in range(i, top):
            i2 = i
            top += j
            total += i2
    return total + top


@CASES.odd(5)
def counters_reused(n):
    s = 0
    for i in range(n):
        s += i
    for i in range(n, 0, -1):
        s -= 2 * i
    i = 3
    for j in range(i):
        i = j + s
    return s + i


@CASES.odd(4)
def range_of_its_own_name(n):
    s = 0
    for n in range(n):
        s += n
    return s


@CASES.odd(2, 9)
def ranges_with_ends_that_cross(a, b):
    s = 0
    for _ in range(b, a):
        s += 100
    for _ in range(a, b, -1):
        s += 1000
    for k in range(b, a, -3):
        s += k
    for _ in range(-a, b - 20):
        s += 7
    for k in range(len((a, b))):
        s += (a, b)[k] * k
    return s


@CASES.odd(10)
def while_with_many_ways_out(n):
    k, s = 0, 0
    while k < n and not (s > 40 and k % 3 == 0):
        k += 1
        if k == 2:
            continue
        if k == 7:
            s += 50
        elif k > 8:
            break
        s += k
    return s * 100 + k


@CASES.odd(3)
def return_from_depth(n):
    for i in range(n):
        for j in range(n):
            while True:
                if i * j > 1:
                    return 10 * i + j
                break
    return -1


@pytest.mark.parametrize(("made", "arguments"), CASES)
def test_odd_kernels_do_what_python_does(made, arguments):
    agrees(made, *arguments, rounding=ROUNDING)


def test_a_variable_of_a_closure_hides_that_of_the_module():
    CASES = 2.0

    @kernel
    def closed(x):
        return x * CASES

    agrees(closed, 3.0)


@inline
def e(x, y):
    return x * y + 1.0


@kernel
def names_that_change(n, out):
    """`t`, `k`, `end`, `e` hold several things, beside the translator's own of those letters."""
    t = n + 1
    out[0], out[1] = t, n
    t = (out[0], out[1], 2.0)
    k = t[n] + e(t[0], 3.0)
    t = e(k, e(k, 1.0))
    end = 3
    for k in range(n, end):
        end = 1.5 * k
        t, end = end, t
        out[k] += t + end
    e_ = e(t, 2.0)
    k = e_ > 0
    out[3] = k + e(e_, e_)


def test_names_that_change_beside_those_of_the_translator():
    agrees(names_that_change, 1, np.zeros(5), rounding=ROUNDING)
