"""Sums of rows in vector registers: the compiled sums equal their Python source, and padding keeps to itself."""

import re

import numpy as np
import pytest
from random_robots import random_robot, random_state

import lissom
from lissom.kernel.algorithms.articulated_body import forward_dynamics
from lissom.kernel.compile import kernel
from lissom.kernel.compile.translate import Refused
from lissom.kernel.compile.translate.names import PRELUDE
from lissom.kernel.data.aligned_memory import on_lines
from lissom.kernel.data.arrays import ROW_WIDTH, padded
from lissom.kernel.maths.row_sums import eliminate
from lissom.kernel.maths.simd_rows import add_lanes, add_scaled, set_lanes, set_scaled
from lissom.kernel.packs import COMPLEX_PACK, PACK
from lissom.kernel.packs import LANES as IN_PACK

NUMBERS = {"d": np.dtype(float), "c": np.dtype(complex), "p": PACK, "q": COMPLEX_PACK}  # by their letter in prelude.h
KINDS = sorted(set(re.findall(r" term_(\w)_(\w)(\w)\(", PRELUDE.read_text(encoding="utf-8"))))  # of result, scale, row
SPANS = [(0, 0), (0, 1), (0, 4), (0, 12), (3, 5), (6, 6), (5, 11)]
SIZE = 19  # entries of a row, so that the second one begins in the middle of a register
SUMS = (add_lanes, set_lanes, add_scaled, set_scaled)


@kernel
def all_sums(out, first, last, scales, rows):
    """Each sum of the same rows, into a row of its own."""
    add_lanes(out[0], first, (scales[0], scales[1]), (rows[0], rows[1]))
    set_lanes(out[1], first, (scales[0], scales[1]), (rows[0], rows[1]))
    add_scaled(out[2], first, last, (scales[0], scales[1]), (rows[0], rows[1]))
    set_scaled(out[3], first, last, (scales[0], scales[1]), (rows[0], rows[1]))


@kernel
def add_two(out, at, rows):
    add_lanes(out, at, (1.0, 2.0), (rows[0], rows[1]))


@kernel
def set_two_from(out, first, last, rows):
    set_scaled(out, first, last, (1.0, 2.0), (rows[0], rows[1]))


@kernel
def eliminated(A, inverse, pivots, size, width):
    eliminate(A, inverse, pivots, size, width)


def random_numbers(rng, letter, *shape):
    made = on_lines(*shape, number=NUMBERS[letter])
    numbers = made.view(float)
    numbers[...] = rng.normal(size=numbers.shape)
    return made


def in_lane(array, k):
    """The numbers of one lane; plain numbers are the same in all lanes."""
    if array.dtype == PACK:
        return array["lanes"][..., k].copy()
    return array["real"][..., k] + 1j * array["imag"][..., k] if array.dtype == COMPLEX_PACK else array.copy()


def test_all_kinds_of_numbers_are_there():
    assert {kinds for kinds in KINDS if kinds[0] in "dc"} == {
        tuple(kinds) for kinds in ("ddd", "cdd", "cdc", "ccd", "ccc")
    }
    assert {("p", "p", "p"), ("p", "d", "p"), ("q", "q", "q"), ("q", "p", "q"), ("q", "q", "p")} <= set(KINDS)


@pytest.mark.parametrize("kinds", KINDS, ids="".join)
def test_compiled_sums_equal_their_source_and_stay_in_their_registers(kinds):
    """Result, scales and rows of plain or complex numbers, or of packs of them, where the result can hold them."""
    rng = np.random.default_rng(0)
    result, scale, row = kinds
    for first, last in SPANS:
        out, scales = random_numbers(rng, result, len(SUMS), SIZE), random_numbers(rng, scale, 2)
        rows = random_numbers(rng, row, 2, SIZE)
        got = out.copy() if result in "dc" else on_lines(len(SUMS), SIZE, number=NUMBERS[result])
        got[...] = out
        all_sums(got, first, last, scales, rows)
        ends = [first + ROW_WIDTH, last]
        registers = [
            slice(first - first % ROW_WIDTH, padded(last)) if first < last else slice(0, 0),
            slice(first, last),
        ]
        touched = registers[result in "pq"]
        for k in range(IN_PACK if result in "pq" else 1):
            factors, added = in_lane(scales, k), in_lane(rows, k)
            rounding = 4 * np.finfo(float).eps * (np.abs(in_lane(out, k)) + np.abs(factors) @ np.abs(added))
            for j, total in enumerate(SUMS):
                expected, found = in_lane(out, k)[j], in_lane(got, k)[j]
                untouched = np.delete(np.arange(SIZE), slice(first, first + ROW_WIDTH) if j < 2 else touched)
                assert np.array_equal(found[untouched], expected[untouched])
                span = (first,) if j < 2 else (first, last)
                total(expected, *span, tuple(factors), tuple(added))
                inside = slice(first, ends[j // 2])
                assert np.all(np.abs(found - expected)[inside] <= rounding[j][inside])


def test_rows_must_lie_side_by_side():
    apart = np.zeros((8, 2))
    for call in (
        lambda: add_two(np.zeros(8), 0, apart.T),
        lambda: add_two(apart[:, 0], 0, np.zeros((2, 8))),
        lambda: set_two_from(np.zeros(8), 0, 8, apart.T),
    ):
        with pytest.raises(Refused, match=r"test_lanes\.py:\d+, .* the entries of a row must lie side by side"):
            call()


@pytest.mark.parametrize(("pivots", "size"), [(0, 6), (1, 7), (2, 8), (3, 9), (4, 10), (6, 12), (7, 13), (12, 18)])
def test_elimination_leaves_the_schur_complement(pivots, size):
    rng = np.random.default_rng(size)
    root = rng.normal(size=(size, size))
    whole, right = root @ root.T + np.eye(size), rng.normal(size=size)
    A = np.zeros((size, padded(size + 1 + 4)))
    A[:, :size], A[:, size] = np.triu(whole), right
    eliminated(A, np.zeros(pivots), pivots, size, size + 1)
    own, mixed, rest = whole[:pivots, :pivots], whole[:pivots, pivots:], whole[pivots:, pivots:]
    schur = rest - mixed.T @ np.linalg.solve(own, mixed)
    assert np.abs(np.triu(A[pivots:, pivots:size]) - np.triu(schur)).max() <= 1e-11 * np.abs(schur).max()
    assert np.allclose(A[pivots:, size], right[pivots:] - mixed.T @ np.linalg.solve(own, right[:pivots]), rtol=1e-10)


def test_a_state_that_is_not_a_number_leaves_no_trace():
    rng = np.random.default_rng(5)
    model = random_robot(rng, ("revolute", "spherical", "prismatic", "revolute")).compile()
    q, v = random_state(model.robot, rng)
    before = lissom.forward_dynamics(model, q, v)
    broken, none = np.zeros(model.nv), np.zeros((len(model.bodies) + 1, 6))
    forward_dynamics(model.struct, model.workspace(), q, np.full(model.nv, np.nan), 0 * v, none, broken)
    assert np.all(np.isnan(broken))
    assert np.array_equal(lissom.forward_dynamics(model, q, v), before)
