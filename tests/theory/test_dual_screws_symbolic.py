"""The dual-screw model as expressions: a Taylor series of the kernel's source equals what dual screws give."""

import numpy as np
import pytest

import lissom
from lissom import theory
from lissom.errors import LissomError

pytest.importorskip("casadi")
from lissom.reproductions.dual_screw_arm import scenario
from lissom.theory.dual_screws.symbolic_model import FORMS, operation_count, symbolic_model


@pytest.fixture(scope="module")
def model():
    return scenario().load_robot().compile()


def state(model, seed=0, size=1e-2):
    rng = np.random.default_rng(seed)
    q, v = rng.normal(size=model.nq), rng.normal(size=model.nv)
    for link in model.flexible:
        q[model.link(link).modes_q] *= size
    return q, v


@pytest.mark.parametrize("form", FORMS)
def test_expressions_cut_from_the_nonlinear_model_equal_the_dual_screws(model, form):
    q, v = state(model)
    M, c = (np.array(part) for part in symbolic_model(model, form)(q, v))
    expected_M, expected_c = theory.DualScrew(model, form).equations(q, v)
    assert np.abs(M - expected_M).max() < 1e-12 * np.abs(expected_M).max()
    assert np.abs(c.ravel() - expected_c).max() < 1e-12 * np.abs(expected_c).max()


def test_linear_expressions_of_the_arm_are_hardly_shorter_than_the_nonlinear_ones(model):
    """With common expressions written once; the paper's were multiplied out by a computer algebra system."""
    counts = {form: operation_count(symbolic_model(model, form)).total for form in FORMS}
    assert 0.9 < counts["truncated"] / counts["nonlinear"] < 1.0
    assert 1.0 < counts["first-order"] / counts["nonlinear"] < 1.2


def test_operations_are_counted_as_by_hand():
    import casadi as ca

    x = ca.SX.sym("x", 2)
    function = ca.Function("f", [x], [ca.sin(x[0]) * x[1] + x[1] / x[0] - x[0]])
    assert operation_count(function) == (2, 1, 1, 1)


def test_what_is_no_form_or_not_covered_is_refused(model):
    with pytest.raises(LissomError, match="linear"):
        symbolic_model(model, "linear")
    with pytest.raises(theory.Unsupported, match="loops"):
        symbolic_model("five-bar")


def test_a_rigid_arm_has_one_model():
    rigid = lissom.load("rigid-7-axis").compile()
    assert operation_count(symbolic_model(rigid, "truncated")) == operation_count(symbolic_model(rigid, "nonlinear"))
