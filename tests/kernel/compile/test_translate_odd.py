"""Odd but legal kernels: machine code does what Python does, or the translator refuses them; never anything else."""

import math

import numpy as np
import pytest
from machine import ROUNDING, agrees

from lissom.kernel.compile import inline, kernel, shared
from lissom.kernel.compile.translate import Refused

CASES = []


def odd(*arguments):
    """A kernel that must agree with Python; `arguments`, or a function that makes them."""

    def note(function):
        CASES.append(pytest.param(kernel(function), arguments, id=function.__name__))
        return function

    return note


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


@odd(arrays)
def index_by_a_call_that_changes(a, b):
    a[bump(b, 2)] = 5.0
    b[bump(a, 0)] = 7.0


@odd(arrays)
def augmented_index_is_computed_once(a, b):
    a[bump(b, 2)] += 100.0
    a[bump(b, 3)] *= 2.0


@odd(np.arange(5), np.arange(9.0))
def augmented_index_by_a_counter_in_memory(n, a):
    a[next_place(n, 1)] += 1.0
    a[next_place(n, 1)] -= 10.0


@odd(arrays)
def value_before_place(a, b):
    k = 0
    a[k] = b[k + 1]
    k, a[k] = 2, b[k]
    a[k], k = 30.0, 1
    a[k] = k


@odd(arrays)
def changing_argument_then_reading(a, b):
    x = peek(a, bump(a, 1)) + 1.0
    b[0] = x + peek(a, 1)


@odd(arrays)
def values_of_two_targets(a, b):
    k = a[0] = b[1] = 3
    a[k] = b[k] = k + 1


@odd(arrays)
def chain_of_targets_and_index(a, b):
    k = 1
    k = a[k] = 2
    b[0] = k


@odd(arrays)
def compare_in_the_middle_once(a, b):
    b[0] = 0.0 < bump(a, 1) <= 2.0
    b[1] = 1.0 if a[0] < a[1] < a[2] != a[3] else 2.0


@odd(arrays)
def conditions_in_conditions(a, b):
    b[0] = (1.0 if a[0] > 0 else 2.0) if not (a[1] > 5 or a[2] == 3.0) else (3.0 if a[3] else 4.0)
    b[1] = bool(a[0])
    if (not a[1] > 2.0 and not a[2] < 1.0) or a[0] == 1.0:
        b[2] = 1.0


# memory that is seen twice


@odd(overlapping)
def two_names_for_one_memory(a, b):
    a[2] = 50.0
    b[1] = b[0] + a[3]
    a[3], b[0] = b[0], a[3]
    for k in range(5):
        a[k + 1] = b[k] + a[k]


@odd(reversed_view)
def backwards_over_itself(a, b):
    for k in range(len(a)):
        a[k] = b[k] + 1
    b[0], b[1], a[0] = a[0], a[1], b[0]


@odd(overlapping)
def whole_over_itself(a, b):
    a[:] = b
    b[1:] = a[:-1]
    a += b
    b[:] = 2.0 * a + b
    a[2:4] = b[0:2]


@odd(reversed_view)
def reversed_over_itself(a, b):
    a[:] = b
    b += a
    a[1:3] -= b[0:2]


@odd(arrays)
def swaps_by_index(a, b):
    i, j = 2, 5
    a[i], a[j] = a[j], a[i]
    a[i], b[i], a[j] = b[j], a[i], b[i]
    i, j = j, i
    a[i], a[j] = a[i] - 1.0, a[i]
    a[0], a[0] = 1.0, 2.0
    (a[1], a[2]), a[3] = (a[3], a[1]), a[2]


@odd(arrays)
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


@odd(lambda: (np.arange(12.0).reshape(3, 4), np.zeros(4)))
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


@odd(lambda: (np.arange(9.0).reshape(3, 3), np.zeros(3)))
def transposed_in_place(a, b):
    for i in range(3):
        for j in range(i):
            a[i, j], a[j, i] = a[j, i], a[i, j]
    t = a.T
    t[0] = a[1]
    b[:] = t[:, 0]
    t += a


@odd(lambda: (np.zeros((0, 3)), np.zeros(0)))
def nothing_there(a, b):
    a[:] = 1.0
    b += 2.0
    for i in range(len(a)):
        b[i] = a[i, 0]
    c = a * 2.0
    c[:, 0] = b


@odd(arrays)
def copy_is_no_view(a, b):
    c = a.copy()
    c[0] = 100.0
    d = a * 1.0
    d[1] = 100.0
    e = a[2:4]
    e[0] = c[0] + d[1]
    b[0] = a[0] + a[1] + a[2]


@odd(arrays)
def augmented_view_or_number(a, b):
    x = a[0]
    x += 5.0
    y = a[0:1]
    y += 5.0
    b[0], b[1] = x, y[0]


# names and kinds


@odd(2.0, 3.0)
def names_of_c(double, int64_t):
    struct, register, union, long, pack, cplx, linux = double, int64_t, 1, 2, 3.0, 1j, 4
    NAN, M_PI, INFINITY, I, EOF = 1.0, 2.0, 3.0, 4.0, 5
    end1, end2, t1_, o_, k1, s_, e_, blocks, before, result = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
    sum_1 = struct + register * union + long + pack + abs(cplx) + linux + NAN + M_PI + INFINITY + I + EOF
    for auto in range(end2):
        for unsigned in range(auto, end1 + end2):
            sum_1 += unsigned * auto + t1_
    return sum_1 + o_ + k1 + s_ + e_ + blocks + before + result


@odd(2.0)
def names_of_prelude(x):
    sin_c, add_cc, least, floor_mod, allocated, LANE, in_bounds, v4, fma = 1.0, 2.0, x, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0
    sin = np.sin(x) + least
    pow, sqrt = x**2.5, math.sqrt(x)
    return sin_c + add_cc + min(least, x) + floor_mod % 3 + allocated + LANE + in_bounds + v4 + fma + sin + pow + sqrt


@odd(3)
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


@odd(arrays)
def results_that_need_memory(before, result):
    made = before + result
    result[0] = made[1]


@odd(4)
def underscores(n):
    _, _x, x_ = 1.0, 2.0, 3.0
    for _ in range(n):
        _x += x_
    return _x


@odd(5, 2.5)
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


@odd(3)
def whole_becomes_real_in_a_loop(n):
    x, y = 1, 7
    for k in range(n):
        x = x / 2
        y = y // 2 if k < 2 else y - 0.5
    return x + y


@odd(0)
def loop_that_never_turns(n):
    x = 5
    for _k in range(n):
        x = 2.5
    while n > 0:
        x = 1j
        n -= 1
    return x.real


@odd(6)
def truth_values_as_numbers(n):
    count, flag = 0, False
    for k in range(n):
        flag = k % 2 == 0 or (flag and k > 3)
        count += flag
        count = count + 2 * (k > 2)
    return count - flag


@odd(7)
def bound_changes_inside(n):
    total, top = 0, n
    for i in range(top):
        top = 2
        for j in range(i, top):
            i2 = i
            top += j
            total += i2
    return total + top


@odd(5)
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


@odd(4)
def range_of_its_own_name(n):
    s = 0
    for n in range(n):
        s += n
    return s


@odd(2, 9)
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


@odd(10)
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


@odd(3)
def return_from_depth(n):
    for i in range(n):
        for j in range(n):
            while True:
                if i * j > 1:
                    return 10 * i + j
                break
    return -1


@odd(1.0)
def known_conditions(x):
    if None is None and 1 < 2:
        y = x
    else:
        y = "text"
    if False:
        y = undefined  # noqa: F821
    return y if True else x.nothing


@odd(3.7)
def constant_arithmetic(x):
    return x * (2 + 3 * 4 - 7 // 2 % 3 + 2**3 / 4 - -1) + (1e3 if 2 > 1 else 0) + int(2.9) + round(2.5) + min(3, 2.5)


@odd(-7, 3)
def signs_of_whole_quotients(a, b):
    return a // b * 1000 + a % b * 100 + -a // b * 10 + a % -b + (a // -b) ** 3 - abs(a) % b


@odd(np.float64(-0.0), np.float64(0.0))
def zeros_with_signs(a, b):
    return (
        math.atan2(a + 0.0, -1.0)
        + 10 * math.atan2(0.0 * a, -1.0)
        + 100 * math.atan2(-b, -1.0)
        + 1000 * math.atan2(a - b, -1.0)
    )


@odd(np.float64(np.nan), np.float64(np.inf))
def not_a_number(a, b):
    s = 0
    if a == a or a < b or a > b:
        s += 1
    if a != a and not a < b:
        s += 2
    if max(a, 1.0) > 0.5 or min(1.0, a) > 0.5:
        s += 4
    return s + (8 if b - b != 0.0 else 0) + (16 if a else 0)


@odd(lambda: (np.array([1 + 2j, 3 - 1j, 2j]), np.zeros(3)))
def complex_in_place(z, x):
    z *= 2
    z[0] += 1j
    z[1], z[2] = z[2], z[1].real
    x[:] = (z * z).imag
    w = z[0]
    w = w.real
    x[0] = w + abs(z[1])


@odd(lambda: (np.arange(24.0).reshape(2, 3, 4), np.zeros((4, 3))))
def three_axes(a, out):
    out[:] = a[1].T
    block = a[:, 1:, 2]
    out[0, :2] = block[1]
    a[0][1] = a[1, 0]
    a[:, :, -1] = 1.0
    t = a.T
    out[1, 0] = t[3, 2, 1] + t.shape[0] + len(t[0])


@odd(lambda: (np.arange(6), np.arange(6.0)))
def whole_indices_from_memory(places, a):
    places[0], places[5] = places[5], places[0]
    for k in range(len(places)):
        a[places[k]] += a[places[places[k]]]
    n = places[2]
    places[2] = 4
    a[n] = places[n]


@odd(lambda: (np.zeros(3, bool), np.zeros(3)))
def flags(f, a):
    f[0] = 2.5 > 1
    f[1] = f[0] and not f[2]
    f[2] = 3
    for k in range(3):
        a[k] = f[k] + (1 if f[k] else 0)
    if f[0] == f[1]:
        a[0] = 10.0


@odd(arrays)
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


@odd(arrays)
def arguments_that_a_part_changes(a, b):
    x, k = 2.0, 3
    p = shadowing(x, a)
    b[0], b[1] = p
    b[2], b[3] = x, shadowing(k, b)[0]


@shared
def early(a, n):
    for k in range(len(a)):
        if a[k] > n:
            return k
    return -1


@odd(arrays)
def results_as_places(a, b):
    b[early(a, 3.5)] = 1.0
    a[early(b, 12.0) + early(a, 100.0)] += b[early(a, 1)]
    k = early(a, 1000.0)
    if k == -1:
        b[-1] = k


@odd(3, 4)
def deep_expression(a, b):
    return ((((a + b) * (a - b)) ** 2 % 7 + (a // b)) * ((a * b + (a if a > b else b)) - ((a, b)[int(a > b)] + 2))) / (
        (a + 1) * b
    )


@odd(lambda: (np.arange(4.0), np.arange(16.0).reshape(4, 4)))
def rows_added_to_columns(a, b):
    b += a
    b.T[:] = a
    b[:, 1:3] *= a[1:3]
    b[1:3] = b[2]
    b[:, 0] += b[0]


@odd(arrays)
def slices_by_computed_ends(a, b):
    n = 3
    lo, hi = n - 2, n + 2
    a[lo:hi] = b[lo - 1 : hi - 1]
    a[hi:] = b[:n]
    v = a[lo:hi][1:][:2]
    b[0] = v[1] + len(v) + v.shape[0]
    b[n - 1 : n] = 9.0


@odd(lambda: (np.arange(5.0), np.zeros(5)))
def new_arrays_in_a_loop(a, out):
    for k in range(1, len(a)):
        w = np.zeros(k)
        w[:] = a[:k]
        w[k - 1] += out[k - 1]
        v = w + w
        for j in range(k):
            out[k] += v[j]
        a[0] = a[0] + 1


@odd(1e308, 5e-324)
def edges_of_numbers(x, y):
    return (x * 0.5 + y * 3.0) / 2 + abs(-y) + 4.9e-324 + 1e-400 + 1.7976931348623157e308 * 1e-300


@odd(2**62, -(2**62))
def wide_whole_numbers(a, b):
    return a + b + (a - 1) // 3 - b % 1000 + (a > b) * 4000000000 + max(a, 2 * b) % 97


@odd(lambda: (np.array([3, -3, 7]), np.zeros(3)))
def quotients_from_memory(n, out):
    for k in range(3):
        out[k] = n[k] / 2 + n[k] // 2 + n[k] % 2 + (n[k] + 1) / n[k] + 2**3 * n[k] ** 2
        n[k] %= 4
        n[k] **= 2


@odd(lambda: (np.zeros(4), np.arange(4)))
def walrus_in_many_places(a, n):
    a[(k := 2)] = 5.0
    a[k - 1] = (y := n[k]) + y
    if (m := k + 1) > 2 and m < 9:
        a[m] = m
    while (k := k - 1) > 0:
        a[0] += k


@pytest.mark.parametrize(("made", "arguments"), CASES)
def test_odd_kernels_do_what_python_does(made, arguments):
    agrees(made, *arguments, rounding=ROUNDING)


def test_a_variable_of_a_closure_hides_that_of_the_module():
    CASES = 2.0

    @kernel
    def closed(x):
        return x * CASES

    agrees(closed, 3.0)


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
