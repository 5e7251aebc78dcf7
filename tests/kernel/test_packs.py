"""Packs: every lane computes what a plain number does, real or complex."""

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Hidden, Struct, inline, kernel
from lissom.kernel.maths.elementary_functions import worst
from lissom.kernel.maths.simd_rows import add_lanes
from lissom.kernel.numbers.rebind import without
from lissom.kernel.packs import LANES
from lissom.kernel.packs.memory import Packing


class Numbers(NamedTuple):
    zero: Any
    clock: np.ndarray
    a: np.ndarray
    z: np.ndarray
    out: np.ndarray


def made():
    rng = np.random.default_rng(0)
    z = rng.normal(size=4) + 1j * rng.normal(size=4)
    numbers = Struct(Numbers(0j, np.array([2.0]), rng.normal(size=4), z, np.zeros(2)))
    packed = Packing(plain=("clock",)).of(numbers)
    packed.a["lanes"][...] += 0.1 * np.arange(LANES)
    return packed


@inline
def share(x):
    return 0.5 * x


@inline
def nothing(x):
    return 0.0 * x


@kernel
def compute(n, c):
    total = 0.0j
    for k in range(4):
        total -= (1 + 2j) * n.a[k]
        n.z[k] = n.zero + n.a[k] * c + 1.0 / (n.z[k] + n.clock[0]) - n.z[k] / (2.0 + n.a[k])
    n.out[0] = 2.0 * total.real + abs(n.a[1]) - (-total).imag
    n.out[1] = share(n.a[0])
    add_lanes(n.z, 0, (c, n.zero + 1.0), (n.a, n.z))
    return worst(n.out[0])


def test_arithmetic_is_that_of_numbers_lane_by_lane():
    n, c = made(), 0.3 + 0.7j
    a, z = n.a["lanes"].copy(), n.z["real"] + 1j * n.z["imag"]
    largest = compute(n, c)
    total = -(1 + 2j) * a.sum(axis=0)
    new = a * c + 1 / (z + 2) - z / (2 + a)
    np.testing.assert_allclose(n.z["real"] + 1j * n.z["imag"], 2 * new + c * a, rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(n.out["lanes"], [2 * total.real + abs(a[1]) + total.imag, a[0] / 2], atol=1e-14)
    assert largest == n.out["lanes"][0].max()


def test_the_worst_of_lanes_is_no_number_where_one_is_not():
    n = made()
    n.a["lanes"][2, 5] = np.nan
    assert np.isnan(compute(n, 1j))


def test_a_part_can_be_left_out():
    n, other = made(), made()
    without(compute, {share: nothing}, __name__)(n, 1j)
    compute(other, 1j)
    assert not n.out["lanes"][1].any()
    assert other.out["lanes"][1].any()
    np.testing.assert_array_equal(n.out["lanes"][0], other.out["lanes"][0])


def test_structs_that_share_memory_share_packs():
    n = Struct(Numbers(0.0, np.ones(1), np.ones(4), np.ones(4, complex), np.zeros(2)))
    packing = Packing(plain=("clock",))
    first, second = packing.of(n), packing.of(Hidden(n)).struct
    assert first is second
    assert first.fields.clock.dtype == np.float64
    again = packing.of(Struct(n.fields._replace(z=n.fields.a.reshape(2, 2))))
    assert np.shares_memory(again.fields.z, first.fields.a)
    assert again.fields.z.shape == (2, 2)
