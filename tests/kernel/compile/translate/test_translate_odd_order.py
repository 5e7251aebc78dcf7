"""Odd but legal kernels in which order and shared memory count.

Machine code does what Python does, or the translator refuses them.
"""

import numpy as np
import pytest
from machine import ROUNDING, Cases, agrees

from lissom.kernel.compile import inline, kernel, shared
from lissom.kernel.compile.translate import Refused

CASES = Cases()


def arrays():
    return np.arange(1.0, 9.0), np.arange(10.0, 18.0)


def overlapping():
    memory = np.arange(1.0, 11.0)
    return memory[:8], memory[2:]


def reversed_view():
    memory = np.arange(1.0, 9.0)
    return memory, memory[::-1]


@inline
def bump(a, k):
    a[k] = a[k] + 1.0
    return k + 1


@inline
def peek(a, k):
    return a[k]


@shared
def next_place(n, k):
    n[0] += 1
    return k + n[0]


# order of evaluation


@CASES.odd(arrays)
def index_by_a_call_that_changes(a, b):
    a[bump(b, 2)] = 5.0
    b[bump(a, 0)] = 7.0


@CASES.odd(arrays)
def augmented_index_is_computed_once(a, b):
    a[bump(b, 2)] += 100.0
    a[bump(b, 3)] *= 2.0


@CASES.odd(np.arange(5), np.arange(9.0))
def augmented_index_by_a_counter_in_memory(n, a):
    a[next_place(n, 1)] += 1.0
    a[next_place(n, 1)] -= 10.0


@CASES.odd(arrays)
def value_before_place(a, b):
    k = 0
    a[k] = b[k + 1]
    k, a[k] = 2, b[k]
    a[k], k = 30.0, 1
    a[k] = k


@CASES.odd(arrays)
def changing_argument_then_reading(a, b):
    x = peek(a, bump(a, 1)) + 1.0
    b[0] = x + peek(a, 1)


@CASES.odd(arrays)
def values_of_two_targets(a, b):
    k = a[0] = b[1] = 3
    a[k] = b[k] = k + 1


@CASES.odd(arrays)
def chain_of_targets_and_index(a, b):
    k = 1
    k = a[k] = 2
    b[0] = k


@CASES.odd(arrays)
def compare_in_the_middle_once(a, b):
    b[0] = 0.0 < bump(a, 1) <= 2.0
    b[1] = 1.0 if a[0] < a[1] < a[2] != a[3] else 2.0


@CASES.odd(arrays)
def conditions_in_conditions(a, b):
    b[0] = (1.0 if a[0] > 0 else 2.0) if not (a[1] > 5 or a[2] == 3.0) else (3.0 if a[3] else 4.0)
    b[1] = bool(a[0])
    if (not a[1] > 2.0 and not a[2] < 1.0) or a[0] == 1.0:
        b[2] = 1.0


# memory that is seen twice


@CASES.odd(overlapping)
def two_names_for_one_memory(a, b):
    a[2] = 50.0
    b[1] = b[0] + a[3]
    a[3], b[0] = b[0], a[3]
    for k in range(5):
        a[k + 1] = b[k] + a[k]


@CASES.odd(reversed_view)
def backwards_over_itself(a, b):
    for k in range(len(a)):
        a[k] = b[k] + 1
    b[0], b[1], a[0] = a[0], a[1], b[0]


@CASES.odd(overlapping)
def whole_over_itself(a, b):
    a[:] = b
    b[1:] = a[:-1]
    a += b
    b[:] = 2.0 * a + b
    a[2:4] = b[0:2]


@CASES.odd(reversed_view)
def reversed_over_itself(a, b):
    a[:] = b
    b += a
    a[1:3] -= b[0:2]


@CASES.odd(arrays)
def swaps_by_index(a, b):
    i, j = 2, 5
    a[i], a[j] = a[j], a[i]
    a[i], b[i], a[j] = b[j], a[i], b[i]
    i, j = j, i
    a[i], a[j] = a[i] - 1.0, a[i]
    a[0], a[0] = 1.0, 2.0
    (a[1], a[2]), a[3] = (a[3], a[1]), a[2]


@CASES.odd(arrays)
def views_stay_views(a, b):
    v = a[2:5]
    w = v[1:]
    a[3] = 70.0
    w[1] = v[1] + 1.0
    v[0], w[0] = w[0], v[0]
    x = v
    x[2] = 5.0
    v = b
    v[0] = x[2]
    x += 1.0
    v -= x[0]


@CASES.odd(lambda: (np.arange(12.0).reshape(3, 4), np.zeros(4)))
def views_of_rows(a, b):
    row = a[1]
    i = 1
    other = a[i]
    i = 2
    other[0] = 100.0
    b[:] = row
    row += a[i]
    a[0] = row
    a[0, 1:3], a[1, 1:3] = a[1, 1:3], a[0, 1:3]
    a.T[2] = b[:3]
    (b[0], b[1], b[2]) = a[:, 0]


@CASES.odd(lambda: (np.arange(9.0).reshape(3, 3), np.zeros(3)))
def transposed_in_place(a, b):
    for i in range(3):
        for j in range(i):
            a[i, j], a[j, i] = a[j, i], a[i, j]
    t = a.T
    t[0] = a[1]
    b[:] = t[:, 0]
    t += a


@CASES.odd(lambda: (np.zeros((0, 3)), np.zeros(0)))
def nothing_there(a, b):
    a[:] = 1.0
    b += 2.0
    for i in range(len(a)):
        b[i] = a[i, 0]
    c = a * 2.0
    c[:, 0] = b


@CASES.odd(arrays)
def copy_is_no_view(a, b):
    c = a.copy()
    c[0] = 100.0
    d = a * 1.0
    d[1] = 100.0
    e = a[2:4]
    e[0] = c[0] + d[1]
    b[0] = a[0] + a[1] + a[2]


@CASES.odd(arrays)
def augmented_view_or_number(a, b):
    x = a[0]
    x += 5.0
    y = a[0:1]
    y += 5.0
    b[0], b[1] = x, y[0]


@CASES.odd(arrays)
def nested_tuples_of_views(a, b):
    pair = ((a[:3], b[1:4]), (a[3:], 2))
    (x, y), (z, n) = pair
    x[0], y[0] = y[0], z[0]
    pair[0][1][1] = n
    for part in (pair[0][0], y, z):
        part[0] += part[1] + len(part)


@inline
def shadowing(x, a):
    k = x
    x = a[0] * k
    a = (x, k)
    return a


@CASES.odd(arrays)
def arguments_that_a_part_changes(a, b):
    x, k = 2.0, 3
    p = shadowing(x, a)
    b[0], b[1] = p
    b[2], b[3] = x, shadowing(k, b)[0]


@pytest.mark.parametrize(("made", "arguments"), CASES)
def test_odd_kernels_do_what_python_does(made, arguments):
    agrees(made, *arguments, rounding=ROUNDING)


def test_two_reads_around_a_change_are_refused_in_every_order():
    @kernel
    def both(a):
        return peek(a, 0) + bump(a, 0)

    @kernel
    def lazily(a):
        x = (a[0], bump(a, 0))
        return x[0]

    for each in (both, lazily):
        with pytest.raises(Refused, match="memory is read before a call"):
            each(np.ones(2))
