"""The deformation field satisfies its equation and boundary conditions the better, the more functions it has."""

from itertools import pairwise

import numpy as np
import pytest
from lifting_ella import lifting

import lissom
from lissom.theory.screw_pde import ScrewPDE
from lissom.theory.screw_pde.field import boundary_moments, deformation, pde_residual


def test_the_pde_residual_falls_with_the_number_of_functions():
    for link in ("upper", "forearm"):
        left = [pde_residual(*lifting(n))[link].relative for n in (2, 3, 4, 5)]
        assert all(a > b for a, b in pairwise(left)), (link, left)
        assert left[0] > 8 * left[1] > 3 * 8 * left[3], (link, left)  # the third and the fifth are symmetric
        assert left[-1] < 1e-3


def test_boundary_moments_are_met_at_both_ends():
    for link in ("upper", "forearm"):
        errors = [boundary_moments(*lifting(n))[link].error for n in (2, 3, 4, 5)]
        assert errors[-1] < 0.002 and errors[-1] < errors[0] / 20, (link, errors)


def test_a_basis_whose_larger_sets_do_not_contain_the_smaller_is_refused():
    model = lissom.load("ella").with_value("links.upper.beam.ends", "clamped-free").compile()
    with pytest.raises(lissom.LissomError, match=r"beam\.ends = 'clamped-free': the residual needs auto or legendre"):
        pde_residual(ScrewPDE(model), model.neutral(), np.zeros(model.nv), np.zeros(model.nv))


def test_the_field_ends_where_the_tip_is():
    system, q, _, _ = lifting(3)
    field = deformation(system, np.stack([q, 0 * q]), "forearm", np.linspace(0, 0.93, 5))
    assert field.shape == (2, 5, 3)
    base, tip = system.pose(q, "forearm", 0.0), system.pose(q, "forearm")
    assert np.allclose(base[:3, :3] @ ([0.93, 0, 0] + field[0, -1]) + base[:3, 3], tip[:3, 3], atol=1e-14)
    assert np.all(field[:, 0] == 0)
    assert np.all(field[1] == 0)
    with pytest.raises(lissom.LissomError, match="link = 'hub': does not bend; links that do: upper, forearm"):
        deformation(system, q, "hub", np.zeros(1))
