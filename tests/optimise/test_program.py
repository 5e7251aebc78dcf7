"""Programs of small functions at many places, against minima that are known."""

import numpy as np
import pytest
from scipy import sparse

casadi = pytest.importorskip("casadi")

from lissom.optimise.nonlinear_program import Program, Term  # noqa: E402


def test_a_chain_hangs_as_a_catenary_of_rods():
    """Heights of hinges of a chain of equal rods: least potential energy, every rod keeps its length."""
    count, span = 20, 0.8
    z = casadi.SX.sym("z", 4)  # ends of a rod
    rod = (z[2] - z[0]) ** 2 + (z[3] - z[1]) ** 2
    places = sparse.lil_matrix((4 * count, 2 * (count + 1)))
    for k in range(count):
        for i in range(4):
            places[4 * k + i, 2 * k + i] = 1.0
    one = np.ones(1)
    term = Term(z, rod * count**2, (z[1] + z[3]) / 2, places.tocsr(), one, one, np.full(count, 1 / count))
    x = np.linspace(0, span, count + 1)
    start = np.stack([x, -0.3 * np.sin(np.pi * x / span)], axis=1).ravel()
    lower, upper = np.full(len(start), -np.inf), np.full(len(start), np.inf)
    for k, value in ((0, 0.0), (1, 0.0), (-2, span), (-1, 0.0)):
        lower[k] = upper[k] = value
    told = []
    found = Program([term], np.full(len(start), 0.5)).solve(start, lower, upper, told.append)
    assert found.success
    assert told
    assert found.iterations < 50
    points = found.w.reshape(-1, 2)
    np.testing.assert_allclose(np.linalg.norm(np.diff(points, axis=0), axis=1), 1 / count, rtol=1e-7)
    slopes = np.diff(points[:, 1]) / np.diff(points[:, 0])
    np.testing.assert_allclose(np.diff(slopes), np.diff(slopes)[0], rtol=1e-5)  # equal weights: equal steps of slope


def test_derivatives_of_all_terms_are_exact():
    rng = np.random.default_rng(3)
    z = casadi.SX.sym("z", 3)
    terms = [
        Term(
            z,
            casadi.vertcat(z[0] * z[1], casadi.sin(z[2])),
            z[0] ** 3 * z[2],
            _places(rng, 4, 6),
            *_bounds(2),
            rng.random(4),
        ),
        Term(z, casadi.SX(0, 1), casadi.exp(z[1]), _places(rng, 2, 6), *_bounds(0), rng.random(2)),
    ]
    program = Program(terms, rng.uniform(0.5, 2, 6))
    w, lam_f, lam = casadi.MX.sym("w", 6), casadi.MX.sym("f"), casadi.MX.sym("l", 8)
    first, second = program.terms
    g, cost = first.values(w)[0], first.values(w)[1] + second.values(w)[1]
    hessian = first.hessian(w, lam_f, lam) + second.hessian(w, lam_f, lam[:0])
    gradient = first.gradient(w) + second.gradient(w)
    expected = [
        casadi.jacobian(g, w),
        casadi.gradient(cost, w),
        casadi.hessian(lam_f * cost + casadi.dot(lam, g), w)[0],
    ]
    own = casadi.Function("own", [w, lam_f, lam], [first.jacobian(w), gradient, hessian])
    theirs = casadi.Function("theirs", [w, lam_f, lam], expected)
    at = rng.normal(size=6), 0.7, rng.normal(size=8)
    for mine, known in zip(own(*at), theirs(*at), strict=True):
        np.testing.assert_allclose(np.array(mine), np.array(known), atol=1e-12)


def _places(rng, count, size):
    return sparse.csr_matrix(rng.normal(size=(3 * count, size)))


def _bounds(rows):
    return np.zeros(rows), np.ones(rows)
