"""Loops and branches in kernels."""

import numpy as np
import pytest
from machine import agrees

from lissom.kernel.compile import inline, kernel


@kernel
def loops(n, out):
    for i in range(n):
        out[0] += i
    for i in range(n - 1, -1, -1):
        out[1] = 10 * out[1] + i
    for i in range(1, 2 * n, 3):
        out[2] = 10 * out[2] + i
    for i in range(2 * n, 0, -2):
        for j in range(i, n + i):
            if j == 4:
                continue
            if j > 6:
                break
            out[3] = 3 * out[3] + j
    k = n
    while k > 0:
        k -= 2
        if k == 3:
            continue
        out[4] += k
        if k == 1:
            break
    out[5] = k
    while True:
        k += 1
        if k > n:
            out[6] = k
            return
        out[7] += 1


@pytest.mark.parametrize("n", [0, 1, 2, 5, 8])
def test_loops(n):
    agrees(loops, n, np.zeros(8, np.int64))


@kernel
def bounds(n, a):
    for i in range(n):
        n = n - 1
        a[0] += i
    for i in range(len(a) - 1, n, -1):
        a[i] += i
    m = 1
    while m < n + 5:
        for _ in range(m):
            m += 1
        a[1] += m
    for k in range(m, m + 2):
        for k2 in range(k, k + 2):
            a[2] += k * k2
    return n


def test_bounds_are_those_of_the_beginning():
    agrees(bounds, 4, np.zeros(9))


@kernel
def first_in_branches(c, n, out):
    if c > 0:
        x = 2.0
        y = 1
    elif c < 0:
        x = -1.0
        y = 2.5
    else:
        return 0.0
    for k in range(n):
        z = x + k
        if k == 1:
            w = z
    if n > 1:
        out[0] = w + z
    return x * y


@pytest.mark.parametrize("c", [1, -1, 0])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_variables_that_a_branch_or_a_loop_gives_their_first_value(c, n):
    agrees(first_in_branches, c, n, np.zeros(1))


@inline
def twice(x):
    return 2 * x


@inline
def thrice(x):
    return 3 * x


@kernel
def shadows(x, out):
    out[0] = x
    x = np.zeros(3)
    x[1] = 4.0
    out[1] = x[1]
    x = (x[1], 2)
    out[2] = x[0] * x[1]
    f = twice
    out[3] = f(3.0)
    f = thrice
    out[4] = f(3.0)
    for x in range(2):
        out[5] += x
    x = None
    out[6] = 1.0 if x is None else 2.0
    x = 5
    out[7] = 1.0 if x is not None else 2.0


def test_names_that_hold_one_thing_after_another():
    agrees(shadows, 1.5, np.zeros(8))


@kernel
def deep(n, out):
    for a in range(n):
        for b in range(a, n):
            if a != b:
                for c in range(b, a - 1, -1):
                    while True:
                        if c > 0:
                            for d in range(c):
                                if d == 2:
                                    break
                                elif (a + b) % 2:
                                    out[0] += d if c > 1 else a
                                else:
                                    continue
                                out[1] += 1
                        break
            else:
                out[2] += 1


def test_deep_nesting():
    agrees(deep, 6, np.zeros(3, np.int64))


@kernel
def jumps(n, out):
    x = 0
    for k in range(n):
        if k == 2:
            x = 1.5
            continue
        if k == 4:
            x = x + 10
            break
        out[k] = x
        x += 1
    return x


@pytest.mark.parametrize("n", [0, 1, 3, 4, 9])
def test_what_jumps_carry_out_of_a_turn(n):
    agrees(jumps, n, np.zeros(9))
