"""Sums of rows in vector registers: the compiled step equals its Python source, and padding keeps to itself."""

import itertools

import numpy as np
import pytest
from random_robots import random_robot, random_state

import lissom
from lissom.kernel.arrays import padded
from lissom.kernel.compile import kernel
from lissom.kernel.compile.translate import Refused
from lissom.kernel.forward import forward_dynamics
from lissom.kernel.lanes import add_lanes, add_scaled, set_lanes, set_scaled
from lissom.kernel.rows import eliminate

STEPS = {"add": add_lanes, "set": set_lanes}


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
def eliminated(A, inverse, pivots, size, width):
    eliminate(A, inverse, pivots, size, width)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    "kinds", [kinds for kinds in itertools.product("fc", repeat=3) if kinds[0] == "c" or kinds == ("f", "f", "f")]
)
def test_a_compiled_step_equals_its_source(step, kinds):
    """Results, scales and rows, each real or complex where the result can hold them."""
    rng = np.random.default_rng(0)

    def numbers(kind, *shape):
        return rng.normal(size=shape) + (1j * rng.normal(size=shape) if kind == "c" else 0.0)

    out, (a, b), rows = numbers(kinds[0], 11), numbers(kinds[1], 2), numbers(kinds[2], 2, 11)
    compiled, expected = out.copy(), out.copy()
    {"add": add_two, "set": set_two}[step](compiled, 3, a, b, rows)
    STEPS[step](expected, 3, (a, b), (rows[0], rows[1]))
    assert np.abs(compiled - expected).max() <= 1e-15
    outside = [0, 1, 2, 7, 8, 9, 10]
    assert np.array_equal(compiled[outside], out[outside])
    assert np.all(compiled[3:7] != out[3:7])


@pytest.mark.parametrize("number", [float, complex])
@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 1), (0, 4), (0, 12), (3, 5), (6, 6), (5, 11)])
def test_a_compiled_loop_equals_its_source_and_stays_in_its_registers(number, first, last):
    rng = np.random.default_rng(1)
    out, rows = rng.normal(size=16).astype(number), rng.normal(size=(2, 16)).astype(number)
    inside = slice(first, last)
    touched = slice(first - first % 4, padded(last)) if first < last else slice(0, 0)
    for compiled, source in ((add_two_from, add_scaled), (set_two_from, set_scaled)):
        got, expected = out.copy(), out.copy()
        compiled(got, first, last, 0.5, -2.0, rows)
        source(expected, first, last, (0.5, -2.0), (rows[0], rows[1]))
        assert np.abs(got - expected)[inside].max(initial=0.0) <= 1e-15
        assert np.array_equal(np.delete(expected, inside), np.delete(out, inside))
        assert np.array_equal(np.delete(got, touched), np.delete(out, touched))


def test_rows_must_lie_side_by_side():
    with pytest.raises(Refused, match="side by side"):
        add_two(np.zeros(8), 0, 1.0, 1.0, np.zeros((8, 2)).T)


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
