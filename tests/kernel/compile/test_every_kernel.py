"""Every kernel that a library holds does what its Python does, to rounding: real, complex and, lane by lane, in packs.

The list is that of `lissom build --all`: a kernel that no case here meets fails the test.
"""

from contextlib import nullcontext

import numpy as np
import pytest
from both_ways import ROUNDING, both_ways, has_packs
from local_parts import local_parts
from random_trees import tree

import lissom
from lissom.cli import aot_workload
from lissom.kernel.compile import Struct
from lissom.kernel.compile.trace import Trace
from lissom.kernel.compile.translate import find
from lissom.kernel.implicit import articulated_newton
from lissom.kernel.implicit.stage_coupled import make_coupled
from lissom.kernel.implicit.stage_coupled_factorise import factorise_coupled
from lissom.kernel.implicit.stage_coupled_solve import solve_coupled
from lissom.model.io.robot_files import parse
from lissom.simulation.batch.rerun import Rerun
from lissom.simulation.batch.vector_batch import VectorBatch
from lissom.simulation.batch.vector_results import LaneRun
from lissom.simulation.equations import dense_lu
from lissom.simulation.equations.loop_projection import AtHand, solve_at_hand
from lissom.simulation.equations.newton import EXACT, SHARED
from lissom.simulation.settings import RunSettings

TREES = (0, 7, 14, 20, 27, 28)  # rigid and flexible links, with and without stiffening, exact ones
LINK_ON_LINK = """
  - name: arm2
    parent: arm
    joint: {type: revolute, axis: [0, 1, 0]}
    body: {mass: 1, com: [0.1, 0, 0]}
"""
LOOPS = ("slider-crank",)


# What the last iteration of a step leaves of the frames of a joined formulation, gravity included: machine code and
# Python differ by 1.2e-9 and 6.4e-10 there, in no state and no output. Why rounding is amplified so is not known.
MARCH = "lissom.simulation.integrators.radau.radau_steps.march"
LAST_ITERATE = (".0.forward().fill().drift", ".0.forward().work.acceleration")


def kernels(needs):
    return list({id(found): found for found in map(find, needs)}.values())


def texts(kinds):
    return tuple(kind.text for kind in kinds)


def usual_work(monkeypatch):
    """What the library is made for, on an arm that gravity bends."""
    monkeypatch.setattr(aot_workload, "tracing", lambda: nullcontext(Trace()))
    monkeypatch.setattr(
        aot_workload, "ARM", aot_workload.ARM.replace("[0, 0, 1]", "[0, 1, 0]").replace("{y: 1}", "{z: 1}")
    )
    aot_workload.all_work()


def random_states(numbers=TREES):
    """Random trees at random states under random forces."""
    for number in numbers:
        case = tree(number)
        q, v, link = case.q, case.v, list(case.model.links)[-1]
        for kind in (float, complex):
            shifted = q.astype(kind) + (1e-20j if kind is complex else 0.0)
            lissom.forward_dynamics(case.model, shifted, v, case.tau, case.named_wrenches)
            lissom.inverse_dynamics(case.model, shifted, v, case.a)
            lissom.mass_matrix(case.model, shifted)
            lissom.energy(case.model, shifted, v)
            lissom.jacobian(case.model, shifted, link)
        lissom.bias(case.model, q, v)
        lissom.joint_wrenches(case.model, q, v, case.a)
        lissom.derivatives(case.model, q, v, case.tau)
        lissom.tip_pose(case.model, q, link)


def closed_loops():
    for name in LOOPS:
        model = lissom.load(name).compile()
        q, rng = lissom.dynamics.close_loops(model), np.random.default_rng(0)
        v = rng.normal(size=model.nv)
        for kind in (float, complex):
            lissom.forward_dynamics(model, q.astype(kind), v, v)
        lissom.derivatives(model, q, v, v)
        lissom.simulate(model, 1e-3, method="radau", progress=False)


def newton_matrices():
    """Factors of a Newton matrix: of three stages at once, and as the last step has left them, recursive and dense."""
    case, rng = tree(1), np.random.default_rng(0)
    model = case.model
    first, second, third = (local_parts(model, rng, case.q, case.v * k, case.a) for k in (0.5, 1.0, 1.5))
    coupled = Struct(make_coupled(model.arrays))
    coupled.fields.by_damping[:], coupled.fields.by_stiffness[:] = 1e-2 * np.eye(3) + 1e-3, 1e-4 * np.eye(3) + 1e-5
    factorise_coupled(model.struct, coupled, first, second, third)
    coupled.fields.x[:] = rng.normal(size=(3, model.nv))
    solve_coupled(model.struct, coupled)
    factors = Struct(articulated_newton.make_factors(model.arrays, np.float64))
    articulated_newton.factorise(model.struct, second, factors, 1e-2, 1e-4)
    dense, pivots = rng.normal(size=(model.nv, model.nv)), np.zeros(model.nv, np.int64)
    dense_lu.factorise(dense, pivots)
    for form in (SHARED, EXACT):
        factors.fields.x[:] = rng.normal(size=model.nv)
        plan = np.full(13, form)
        solve_at_hand(model.struct, Struct(AtHand(plan, second, dense, pivots)), factors)


def derivatives_of_exact_links():
    """By a parameter, of an exact link that carries another body."""
    robot = parse(aot_workload.ARM.replace("STIFFENING", "exact") + LINK_ON_LINK, "carrying")
    model, rng = robot.compile(), np.random.default_rng(0)
    q, v, tau = 0.1 * rng.normal(size=model.nq), *rng.normal(size=(2, model.nv))
    lissom.dynamics.parameter_derivatives(robot, [aot_workload.LENGTH], q, v, tau, function=lissom.forward_dynamics)


def packs():
    """States in lanes, which differ, and runs in lanes, which do not at first."""
    model, rng = lissom.load("ella").compile(), np.random.default_rng(0)
    q, v, tau = model.neutral() + 0.01 * rng.normal(size=(9, model.nq)), *rng.normal(size=(2, 9, model.nv))
    lissom.forward_dynamics_batch(model, q, v, tau, cores=1)
    arm = aot_workload._small("first").compile()
    series = Rerun(arm, RunSettings(duration=2e-3, method="radau", audit=False))
    batch = VectorBatch(series, series.begin())
    batch.run([LaneRun(arm, series.memory.controller, (arm.neutral(), np.ones(arm.nv)), 2e-3)] * 2)


@pytest.fixture(scope="module")
def needs():
    return aot_workload.all_work().needs


@pytest.mark.filterwarnings("ignore::lissom.simulation.SimulationWarning")
def test_machine_code_of_every_kernel_does_what_its_python_does(needs, monkeypatch):
    with both_ways(kernels(needs)) as found:
        usual_work(monkeypatch)
        random_states()
        closed_loops()
        newton_matrices()
        derivatives_of_exact_links()
        packs()
    allowed = {(MARCH, array): 1e-8 for array in LAST_ITERATE}
    assert {key: error for key, error in found.worst.items() if error > allowed.get(key, ROUNDING)} == {}
    met = {(module, name, texts(kinds)) for module, name, kinds in found.met}
    forgotten = []
    for need in needs:
        own = need.module, need.name
        if (own not in found.in_packs) if any(map(has_packs, need.kinds)) else (*own, texts(need.kinds)) not in met:
            forgotten.append((*own, texts(need.kinds)))
    assert forgotten == []


@pytest.mark.slow
def test_more_random_trees(needs):
    with both_ways(kernels(needs)) as found:
        random_states(range(34))
    assert {key: error for key, error in found.worst.items() if error > ROUNDING} == {}
