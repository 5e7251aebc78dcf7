"""Dense solves of formulations against NumPy's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lissom.theory.linear import solve_free, solve_positive


def positive(n=5):
    A = np.random.default_rng(4).normal(size=(n, n))
    return A @ A.T + n * np.eye(n)


@pytest.mark.parametrize("imaginary", [0.0, 0.3j], ids=["real", "complex"])
def test_free_coordinates_take_what_the_prescribed_ones_leave(imaginary):
    M, force = positive() * (1 + imaginary), np.arange(1.0, 6) + 2 * imaginary
    prescribed, a = np.array([0, 1, 0, 0, 1]), np.array([0, 0.7, 0, 0, -0.2]) + 0 * imaginary
    free = prescribed == 0
    expected = np.linalg.solve(M[np.ix_(free, free)], (force - M @ (a * prescribed))[free])
    given = a[~free].copy()
    solve_free(M, force, prescribed, a)
    assert_allclose(a[free], expected, rtol=1e-13)
    assert_allclose(a[~free], given, rtol=0, atol=0)


@pytest.mark.parametrize("kind", [float, complex])
def test_a_matrix_that_is_not_positive_definite_gives_no_numbers(kind):
    M, a = np.diag([1.0, -2.0, 3.0]).astype(kind), np.zeros(3, kind)
    assert not solve_positive(M, np.ones(3, kind), a)
    assert np.isnan(a).all()
