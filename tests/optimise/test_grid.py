"""The grid of time: derivatives are exact for polynomials, following coordinates are stepped as by Radau IIA."""

import numpy as np
import pytest

from lissom.optimise.time_grid import NODES, WEIGHTS, Grid

DRIVEN, FOLLOWING = np.array([1]), np.array([0, 2])
GRID = Grid((3, 2), DRIVEN, FOLLOWING)
STEPS = (0.2, 0.35)


def unknowns(function, degree):
    """w of coordinates that are polynomials of time, of at most this degree."""
    w, begin = np.zeros(GRID.size), 0.0
    polynomial = np.polynomial.Polynomial(function[: degree + 1])
    rate, acceleration = polynomial.deriv(1), polynomial.deriv(2)
    for leg, count, h in zip(GRID.legs, GRID.intervals, STEPS, strict=True):
        t = begin + h * np.arange(count + 1)
        w[leg.step] = h
        w[leg.nodes] = np.stack([polynomial(t), h * rate(t), h * h * acceleration(t)], axis=1)[..., None]
        w[leg.entry] = np.array([polynomial(begin), h * rate(begin)])[:, None]
        w[leg.stages] = polynomial(t[:-1, None] + h * NODES)[..., None]
        begin = t[-1]
    return w, polynomial


@pytest.mark.parametrize("places", [NODES, np.array([0.0, 0.3, 0.5, 0.9])], ids=["stages", "elsewhere"])
def test_polynomials_keep_their_derivatives(places):
    coefficients = np.array([0.3, -1.0, 2.0, 0.5, -4.0, 1.5])
    for degree, which in ((5, DRIVEN), (2, FOLLOWING)):  # quintics; rates by three stages
        w, polynomial = unknowns(coefficients, degree)
        z = (GRID.motion(places) @ w).reshape(-1, 10)
        h = z[:, -1]
        begins = np.concatenate([[0, 0.2, 0.4], [0.6, 0.95]])
        t = (begins[:, None] + np.repeat(STEPS, GRID.intervals)[:, None] * places).ravel()
        np.testing.assert_allclose(h, np.repeat(STEPS, np.array(GRID.intervals) * len(places)))
        for order in range(3):
            for k in which:
                expected = polynomial.deriv(order)(t) if order else polynomial(t)
                np.testing.assert_allclose(z[:, 3 * order + k] / h**order, expected, atol=1e-12)


def test_times_breaks_and_polynomials_agree():
    w, polynomial = unknowns(np.array([0.3, -1.0, 2.0, 0.5, -4.0, 1.5]), 5)
    np.testing.assert_allclose(GRID.breaks(w), [0, 0.2, 0.4, 0.6, 0.95, 1.3])
    np.testing.assert_allclose(GRID.times(w)[[0, 2, -1]], [0.2 * NODES[0], 0.2, 1.3])
    pieces = GRID.polynomials(w)
    assert pieces.shape == (5, 1, 6)
    for begin, piece in zip(GRID.breaks(w), pieces[:, 0], strict=False):
        np.testing.assert_allclose(np.polynomial.Polynomial(piece)(0.1), polynomial(begin + 0.1), atol=1e-12)
    jerk = (GRID.jerks() @ w)[:3] / 0.2**3
    np.testing.assert_allclose(jerk, polynomial.deriv(3)(0.2 * NODES), atol=1e-9)


def test_an_oscillator_is_stepped_as_by_radau_iia():
    """Solving x'' = -x at the points is three stages of Radau IIA for (x, v): order five."""
    errors = []
    for count in (10, 20):
        grid = Grid((count,), np.array([0]), np.array([1]))
        leg, h = grid.legs[0], 2.0 / count
        z = grid.motion().toarray().reshape(-1, 7, grid.size)
        w = np.zeros(grid.size)
        w[leg.entry[:, 0]] = 1.0, 0.0
        rows = z[:, 5] + h * h * z[:, 1]
        w[leg.stages.ravel()] = np.linalg.solve(rows[:, leg.stages.ravel()], -rows @ w)
        errors.append(abs(w[leg.stages[-1, -1, 0]] - np.cos(2.0)))
    assert errors[0] < 1e-6
    assert 25 < errors[0] / errors[1] < 40
    assert WEIGHTS.sum() == pytest.approx(1.0)
