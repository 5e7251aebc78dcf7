"""Structs and calls: fields, inline and shared parts, kernels, Pointers, indirect kernels, calls back to Python."""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import pytest
from machine import ROUNDING, agrees

from lissom.kernel.compile import Hidden, Pointer, Struct, address, called_back, indirect, inline, kernel, shared
from lissom.kernel.maths.elementary_functions import clamp, since, step, worst
from lissom.kernel.packs import LANES
from lissom.kernel.packs.memory import Packing


class Side(IntEnum):
    LEFT = 0
    RIGHT = 2


class Inner(NamedTuple):
    weights: np.ndarray
    count: int
    zero: Any


class Outer(NamedTuple):
    inner: Inner
    other: Any
    closed: bool
    scale: float
    shift: complex
    places: np.ndarray
    grid: np.ndarray


def outer(number=float):
    zero = number(0)
    other = Struct(Inner(np.array([5.0, 7.0]), 2, zero))
    grid = np.arange(12.0).reshape(3, 4)[:, ::2]
    return Struct(
        Outer(Inner(np.arange(4.0), 4, zero), other, True, -2.5, 1 - 2j, np.array([2, 0, 1]), grid.astype(number))
    )


@kernel
def fields(s, out):
    inner = s.inner
    out[0] = inner.weights[2] + s.inner.count * s.scale
    out[1] = s.other.weights[-1] + s.other.count
    out[2] = s.shift.imag + s.shift.real * (2.0 if s.closed and inner.count != 0 else 3.0)
    out[3] = s.grid[s.places[0], 1] + s.inner.zero + s.other.zero
    out[4] = s.places.shape[0] + s.grid.shape[1]
    s.inner.weights[Side.RIGHT] += 3.0
    s.grid.T[1, Side.LEFT] = inner.weights[2] + Side.RIGHT
    out[5] = s.grid[0, 1]


@pytest.mark.parametrize("number", [float, complex])
def test_fields_of_structs(number):
    mine, theirs = outer(number), outer(number)
    one, other = np.zeros(6, number), np.zeros(6, number)
    fields(mine, one)
    fields.as_python(theirs, other)
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(mine.grid, theirs.grid)
    np.testing.assert_array_equal(mine.inner.weights, theirs.inner.weights)


@inline
def scaled(a, k, factor):
    a[k] = a[k] * factor
    return a[k]


@shared
def summed(a):
    s = 0.0
    for k in range(len(a)):
        if a[k] > 100.0:
            return -1.0
        s += a[k]
    return s


@shared
def filled(a):
    b = np.zeros(len(a))
    b[:] = a
    return b


@kernel
def inner_kernel(a, factor):
    a[0] = a[0] + factor
    return a[0]


@kernel
def calls(a, out):
    x = scaled(a, 1, 3.0)
    out[0] = x + summed(a)
    out[1] = inner_kernel(a, 0.5)
    y, z = summed(a[1:]), summed(a)
    out[2] = y + 2 * z
    out[3] = summed(filled(a) * 2.0)
    inner_kernel(a, 2)
    scaled(a, 0, 2.0)
    out[4] = clamp(a[0], -1.0, 1.0) + step(a[1]) + since(a[2], 0.0, 1.0, 2.0) + worst(a[1])


def test_calls_of_parts_and_of_other_kernels():
    agrees(calls, np.array([1.0, -2.0, 3.0]), np.zeros(5), rounding=ROUNDING)


class Hands(NamedTuple):
    act: Any
    told: Any
    hidden: Any


@kernel
def act(s, a, n):
    a[n] = a[n] + s.inner.weights[1]


@called_back
def told(s, a, flag, x):
    a[0] = x if flag else len(s.inner.weights)
    a[-1] += 1.0


@kernel
def through(hands, a):
    hands.act(hands.hidden, a, 1)
    hands.told(hands.hidden, a, a[0] > 0, 2.5)
    hands.told(hands.hidden, a, False, 2.5)


@pytest.mark.parametrize("step", [1, 2])
def test_calls_through_pointers_and_back_to_python(step):
    s, mine, theirs = outer(), np.arange(1.0, 9.0)[::step], np.arange(1.0, 9.0)[::step]
    hands = Struct(Hands(Pointer(act, Hidden(s), mine, 0), Pointer(told, Hidden(s), mine, True, 0.0), Hidden(s)))
    through(hands, mine)
    through.as_python(hands, theirs)
    np.testing.assert_array_equal(mine, theirs)
    assert mine[0] == 4.0
    assert mine[-1] == np.arange(1.0, 9.0)[::step][-1] + 2.0


class Work(NamedTuple):
    indirect: np.ndarray
    memory: np.ndarray


@indirect(1)
def later(model, work, i, q, v):
    work.memory[i] = model.inner.count + q.shape[0]


@kernel
def calls_late(model, work, q, v):
    later(model, work, 1, q, v)


def test_late_kernels_are_reached_by_their_address():
    model, q = outer(), np.zeros(3)
    work = Struct(Work(np.zeros(2, np.int64), np.zeros(2)))
    work.indirect[1] = address(later, model, work, float)
    calls_late(model, work, q, q)
    assert work.memory.tolist() == [0.0, 7.0]
    work.memory[:] = 0.0
    calls_late.as_python(model, work, q, q)
    assert work.memory.tolist() == [0.0, 7.0]


# packs


class Numbers(NamedTuple):
    zero: Any
    clock: np.ndarray
    a: np.ndarray
    b: np.ndarray
    out: np.ndarray


@kernel
def of_packs(n, c):
    x, y = n.a[0], n.b[1]
    for k in range(4):
        x = x + n.a[k] * n.b[k] - 0.5 * y
    n.out[0] = x / y + c * x**3
    n.out[1] = -x + abs(n.a[1].real)
    n.out[2] = n.zero + n.clock[0]
    n.out[3] = x.imag + 1.0 / x - x / 2.0 + 1.0 - x


def lanes_of(array):
    return array["lanes"] if "lanes" in array.dtype.names else array["real"] + 1j * array["imag"]


@pytest.mark.parametrize("number", [float, complex])
@pytest.mark.parametrize("c", [0.3, 0.3 - 2j])
def test_packs_compute_what_numbers_do_lane_by_lane(number, c):
    if number is float and isinstance(c, complex):
        pytest.skip("a complex number does not fit into a pack of reals")
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=4) + (1j * rng.normal(size=4) if number is complex else 0.0) for _ in range(2))
    numbers = Struct(Numbers(number(0), np.array([2.0]), a, b, np.zeros(4, number)))
    packed = Packing(plain=("clock",)).of(numbers)
    field = "lanes" if number is float else "real"
    packed.a[field][...] += 0.1 * np.arange(LANES)
    each = lanes_of(packed.a).copy()
    of_packs(packed, c)
    for lane in range(LANES):
        single = Struct(Numbers(number(0), np.array([2.0]), each[:, lane].copy(), b, np.zeros(4, number)))
        of_packs.as_python(single, c)
        np.testing.assert_allclose(lanes_of(packed.out)[:, lane], single.out, rtol=1e-13, atol=1e-13)
