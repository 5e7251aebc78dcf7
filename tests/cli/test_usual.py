"""The library holds what the commands need."""

import pytest

import lissom
from lissom.cli.usual import usual_work
from lissom.kernel.machine.trace import tracing
from lissom.scenario.files import find

QUICK, SLOW = ["rigid-7-axis"], ["ella", "dual-screw-arm", "satellite-two-arm"]


@pytest.fixture(scope="module")
def held():
    return usual_work().needs


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_a_run_needs_nothing_that_the_library_lacks(name, held):
    with tracing() as found:
        prepared = find(name).scenario.prepare()
        settings = prepared.settings.model_copy(update={"duration": 1e-3})
        given = {"controller": prepared.controller, "start": prepared.start, "motion": prepared.motion}
        lissom.simulate(prepared.model, settings, **given, progress=False).summary()
    assert found.entries and set(found.needs) <= set(held)
    assert not any(kind.text == "hidden" for need in found.needs for kind in need.kinds)


def test_all_number_types_and_integrators_are_held(held):
    names = {(need.module.rpartition(".")[2], need.name) for need in held}
    assert {("radau", "march"), ("explicit", "march"), ("generalised_alpha", "march")} <= names
    forward = [need for need in held if need.name == "forward_dynamics"]
    assert {need.kinds[2].dtype for need in forward} == {"float64", "complex128"}
