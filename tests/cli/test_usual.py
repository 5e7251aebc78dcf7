"""The library holds what the commands need."""

import numpy as np
import pytest

import lissom
from lissom.cli import aot_workload
from lissom.kernel.compile.trace import tracing
from lissom.scenario.scenario_files import find

QUICK, SLOW = ["rigid-7-axis"], ["ella", "dual-screw-arm", "satellite-two-arm"]


@pytest.fixture(scope="module")
def held():
    return aot_workload.usual_work().needs


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_a_run_needs_nothing_that_the_library_lacks(name, held):
    with tracing() as found:
        prepared = find(name).scenario.prepare()
        settings = prepared.settings.model_copy(update={"duration": 1e-3})
        given = {"controller": prepared.controller, "start": prepared.start, "motion": prepared.motion}
        lissom.simulate(prepared.model, settings, **given, progress=False).summary()
    assert found.entries
    assert found.entries <= set(held)
    inside = set(found.needs) - set(held)  # compiled with what calls it: of joints on a group alone
    assert {need.name for need in inside} <= {"chart_velocity"}
    assert not inside or name == "satellite-two-arm"
    assert not any(kind.text == "hidden" for need in found.needs for kind in need.kinds)


def test_all_number_types_and_integrators_that_runs_choose_are_held(held):
    names = {(need.module.rpartition(".")[2], need.name) for need in held}
    assert {("radau_steps", "march"), ("explicit_runge_kutta", "march")} <= names
    forward = [need for need in held if need.name == "forward_dynamics"]
    assert {need.kinds[2].dtype for need in forward} == {"float64", "complex128"}


def test_closed_loops_need_nothing_that_the_library_lacks():
    with tracing() as held:
        aot_workload._closed_arm()
        aot_workload._dynamics(aot_workload._small("exact").compile())
    model = lissom.load("five-bar").compile()
    with tracing() as found:
        q, v = lissom.close_loops(model), np.zeros(model.nv)
        for number in (float, complex):
            lissom.forward_dynamics(model, q.astype(number), v, v)
    assert found.entries
    assert set(found.needs) <= set(held.needs)


@pytest.mark.slow
def test_what_is_rarer_is_held_too():
    """Every integrator, sensitivities by both implicit ones, every formulation that is compiled."""
    all_held = aot_workload.all_work().needs
    with tracing() as found:
        aot_workload._formulations(aot_workload._small("none"), aot_workload._small("none", aot_workload.TOUCHING))
    assert found.entries
    assert set(found.needs) <= set(all_held)
    names = {(need.module.rpartition(".")[2], need.name) for need in all_held}
    assert {("generalised_alpha", "march"), ("radau_derivatives", "derive"), ("alpha_derivatives", "derive")} <= names
    theories = {need.module.split(".")[2] for need in all_held if need.module.startswith("lissom.theory.")}
    assert {"dual_screws", "erls", "lie_group", "recursive_lagrange", "screw_pde"} <= theories
