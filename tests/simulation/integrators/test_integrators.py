"""Integrators keep their promises: order, stability, groups, and which of them `auto` takes.

Orders are measured on a soft arm of two flexible links with fixed steps, against a run with steps far smaller.
"""

import re
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import DOP853, RK45
from soft_arms import SUNDIALS, needs, one_body, soft_arm

import lissom
from lissom.control import Reference, pd
from lissom.dynamics import energy, mass_matrix
from lissom.lie import quaternion
from lissom.simulation import Ending, RunSettings
from lissom.simulation.integrators.registry import METHODS
from lissom.simulation.integrators.tableaus import TABLEAUS
from lissom.simulation.stepping.run_memory import RunMemory
from lissom.simulation.stepping.time_loop import simulate_raw

# steps over the time span, from coarse to fine, and the order of the method
ORDERS = {
    "euler": ((800, 1600), 1),
    "rk4": ((40, 80), 4),
    "dopri5": ((80, 160), 5),
    "dop853": ((10, 20), 8),
    "generalised-alpha": ((100, 200), 2),
    "radau": ((20, 40), 5),
}
SPAN = 0.2


def moving_start(model):
    rng = np.random.default_rng(1)
    return model.neutral() + 0.02 * rng.standard_normal(model.nq), 0.5 * rng.standard_normal(model.nv)


def tightly(model, start, span, method, steps):
    """State at the end of a run with so many steps; equations are solved far better than the steps are."""
    result = simulate_raw(
        model, span, start=start, method=method, step=span / steps, rate=1 / span, rtol=1e-11, atol=1e-12, audit=False
    )
    assert result.status == "finished", result.message
    return np.concatenate([result.q[-1], result.v[-1]])


def measured_order(model, start, span, method, counts, precise):
    errors = [np.max(np.abs(tightly(model, start, span, method, n) - precise)) for n in counts]
    return np.log(errors[0] / errors[1]) / np.log(counts[1] / counts[0])


@cache
def soft_arm_precisely():
    model = soft_arm()
    return tightly(model, moving_start(model), SPAN, "dop853", 800)


# order and tolerance


@pytest.mark.parametrize("method", ORDERS)
def test_order_on_a_flexible_arm(method):
    model, (counts, order) = soft_arm(), ORDERS[method]
    measured = measured_order(model, moving_start(model), SPAN, method, counts, soft_arm_precisely())
    assert abs(measured - order) < 0.3


def test_dop853_reaches_round_off():
    model = soft_arm()
    state = tightly(model, moving_start(model), SPAN, "dop853", 100)
    assert np.max(np.abs(state - soft_arm_precisely())) < 1e-13


@pytest.mark.parametrize("method", ["dopri5", "dop853", "radau", "generalised-alpha", *SUNDIALS])
def test_error_falls_with_the_tolerance(method):
    needs(method)
    model, start = soft_arm(), moving_start(soft_arm())
    errors = []
    for rtol in (1e-4, 1e-6, 1e-8):
        result = simulate_raw(model, SPAN, start=start, method=method, rtol=rtol, atol=1e-2 * rtol, rate=10)
        errors.append(np.max(np.abs(result.q[-1] - soft_arm_precisely()[: model.nq])))
    assert all(fine < 0.4 * coarse for coarse, fine in pairwise(errors))
    assert errors[-1] < (2e-6 if method == "generalised-alpha" else 2e-8)


@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("auto", "euler")])
def test_methods_agree_on_a_controlled_arm(method):
    needs(method)
    model = soft_arm()
    law = pd(
        model, {"shoulder": {"p": 40, "d": 8}, "elbow": {"p": 10, "d": 2}}, Reference.step([0, 0], [0.2, 0.3], 0.1)
    )
    step = 1e-3 if method == "rk4" else None
    precise = simulate_raw(model, 0.5, controller=law, method="dop853", rtol=1e-11, atol=1e-13, rate=100)
    errors = []
    for rtol in 1e-6 * np.array([0.99, 0.999, 1.0, 1.001, 1.01]):  # rounding decides which steps CVODE takes
        close = simulate_raw(
            model, 0.5, controller=law, method=method, step=step, rtol=rtol, atol=1e-2 * rtol, rate=100
        )
        errors.append([np.max(np.abs(close.q - precise.q)), np.max(np.abs(close.tau - precise.tau))])
    position, torque = np.median(errors, axis=0)
    assert position < (3e-5 if method == "generalised-alpha" else 2e-6)
    assert torque < (3e-3 if method == "generalised-alpha" else 1e-3)


def test_every_method_stands_in_what_simulate_says_of_itself():
    assert [name for name in METHODS if f'"{name}"' not in lissom.simulate.__doc__] == []


# the choice of `auto`


@pytest.mark.parametrize(("name", "method"), [("rigid-7-axis", "dop853"), ("canadarm2", "radau"), ("ella", "radau")])
def test_auto_is_explicit_only_where_stability_costs_few_steps(name, method):
    """A falling second of the Canadarm2: dop853 is held to 1092 steps by its gears, radau takes 195."""
    result = simulate_raw(lissom.load(name).compile(), 1.0)
    assert result.method == method
    assert result.steps + result.rejected < 250
    assert "the fastest eigenvalue, " in result.reason
    assert "explicit" in result.reason
    assert "undamped" not in result.reason


def test_steps_that_follow_undamped_vibrations_are_explained_with_a_remedy():
    model = lissom.load("l-mechanism").compile()
    followed = simulate_raw(model, 0.3)
    assert re.search(r"steps of 0\.\d+ ms follow undamped vibrations of \d+ Hz and more", followed.reason)
    assert "tell with follow=... which is the highest frequency that matters" in followed.reason
    assert followed.reason.endswith("or where less than 1e-07 m of them matters, raise atol to that")
    heeded = simulate_raw(model, 0.3, atol=1e-7)
    assert heeded.steps < followed.steps / 4
    assert "undamped" not in heeded.reason
    assert np.abs(heeded.q - followed.q).max() < 3e-5


def test_vibrations_above_a_frequency_are_not_followed():
    """The L mechanism let go: the tip stays where it is within 5 um, in a fifth of the steps."""
    model = lissom.load("l-mechanism").compile()
    whole, slow = (lissom.simulate(model, 0.5, method="radau", follow=follow, rate=1000) for follow in (None, 200.0))
    assert slow.info.steps < whole.info.steps / 5
    assert np.max(np.abs(slow.tip().values - whole.tip().values)) < 5e-6


def test_energy_of_vibrations_that_are_not_followed_is_missing_in_the_balance():
    """The arm starts stretched by 0.01 J, and rings at 2 kHz: that energy is taken out, and nothing else."""
    model = lissom.load("l-mechanism").compile()
    stretch, start = model.coordinates.index("arm.axial1"), model.neutral()
    stiffness = model.flexible["arm"].stiffness()[stretch - 1, stretch - 1]
    start[stretch] = np.sqrt(2 * 0.01 / stiffness)
    result = lissom.simulate(model, 0.5, start=(start, np.zeros(model.nv)), method="radau", follow=100.0, rate=1000)
    assert result.info.steps < 200
    assert result["energy_residual"].values[-1] == pytest.approx(-0.01, rel=0.02)
    quiet = lissom.simulate(model, 0.5, method="radau", follow=100.0, rate=1000)
    assert np.max(np.abs(result.tip().values[-1] - quiet.tip().values[-1])) < 1e-4


def test_only_methods_that_damp_take_a_highest_frequency():
    with pytest.raises(lissom.LissomError, match="dop853 follows all vibrations; take radau, or auto"):
        simulate_raw(soft_arm(), 0.1, method="dop853", follow=100.0)


# stiffness


@cache
def stiff_arm():
    """The ELLA arm under control, and a hundred times the step that its fastest decay allows explicit methods."""
    model = lissom.load("ella").compile()
    gains = {"shoulder-yaw": {"p": 900, "d": 157}, "shoulder": {"p": 2000, "d": 200}, "elbow": {"p": 600, "d": 40}}
    law = pd(model, gains, Reference.quintic([0, 0, 0], [-0.4928, 0.6922, 0.427], 0.4))
    memory = RunMemory(model, RunSettings(duration=1.0), law)
    memory.accelerate(0.0)
    return model, law, 100 / np.max(np.abs(memory.poles()))


@pytest.mark.parametrize("method", ["radau", "generalised-alpha"])
def test_implicit_methods_are_stable_far_beyond_the_explicit_limit(method):
    model, law, step = stiff_arm()
    result = lissom.simulate(model, 0.6, controller=law, method=method, step=step, rate=100)
    precise = lissom.simulate(model, 0.6, controller=law, rtol=1e-8, atol=1e-10, rate=100)
    assert result.info.status == "finished"
    assert result.info.steps == pytest.approx(0.6 / step, abs=2)
    assert np.max(np.abs(result.q - precise.q)) < (1e-6 if method == "radau" else 2e-4)
    error = np.max(np.abs(result["energy_residual"].values)) / np.ptp(precise["gravity_energy"].values)
    assert error < (1e-6 if method == "radau" else 1e-4)


def test_explicit_method_fails_with_that_step():
    model, law, step = stiff_arm()
    result = simulate_raw(model, 0.6, controller=law, method="rk4", step=step)
    assert result.status in (Ending.NOT_FINITE, Ending.DIVERGED)
    assert "unstable" in result.message


@pytest.mark.parametrize(("radius", "kept"), [(1.0, (0.9, 1.0)), (0.0, (0.0, 0.05))])
def test_spectral_radius_chooses_how_fast_vibrations_beyond_the_step_die(radius, kept):
    """A beam plucked in its fast mode, with steps ten times its period."""
    section = {"rhoA": 1.0, "EA": 1e6, "EIy": 1e4, "EIz": 1e4, "GJ": 1.0, "Jx": 1e-3, "Jy": 0, "Jz": 0}
    beam = {"length": 1.0, "section": section, "modes": {"y": 1}, "stiffening": "none"}
    links = [{"name": "beam", "joint": "fixed", "beam": beam}]
    robot = lissom.Robot.from_dict({"lissom": 1, "name": "beam", "gravity": [0, 0, 0], "links": links})
    model = robot.compile()
    period = (
        2 * np.pi * np.sqrt(float(mass_matrix(model, [0.0])[0, 0]) / float(model.flexible["beam"].stiffness()[0, 0]))
    )
    result = simulate_raw(
        model,
        300 * period,
        start=[1e-3],
        method="generalised-alpha",
        step=10 * period,
        rate=0.1 / period,
        radius=radius,
    )
    size = [energy(model, q, v).strain + energy(model, q, v).kinetic for q, v in zip(result.q, result.v)]
    assert kept[0] <= size[-1] / size[0] <= kept[1] + 1e-9


# groups


def angular_momentum(model, q, v):
    """Of a single body that turns about its centre of mass, in the world."""
    return quaternion.to_matrix(q[:4]) @ (mass_matrix(model, q) @ v)[:3]


@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("auto", "euler")])
def test_tumbling_body_keeps_unit_quaternion_momentum_and_energy(method):
    """About the middle axis of inertia, where it turns over again and again."""
    needs(method)
    model = one_body("spherical")
    start = (model.neutral(), np.array([0.01, 3.0, 0.02]))
    step = 2e-3 if method in ("rk4", "generalised-alpha") else None
    result = simulate_raw(model, 8.0, start=start, method=method, step=step, rate=20, rtol=1e-8, atol=1e-10)
    assert result.status == "finished"
    assert np.allclose(np.linalg.norm(result.q, axis=1), 1, rtol=0, atol=1e-12)
    momentum = np.array([angular_momentum(model, q, v) for q, v in zip(result.q, result.v)])
    kinetic = np.array([energy(model, q, v).kinetic for q, v in zip(result.q, result.v)])
    tolerance = 3e-4 if method == "generalised-alpha" else 1e-6
    assert np.ptp(result.v[:, 1]) > 5  # it did turn over
    assert np.max(np.abs(momentum - momentum[0])) < tolerance * np.linalg.norm(momentum[0])
    assert np.max(np.abs(kinetic - kinetic[0])) < tolerance * kinetic[0]


@pytest.mark.parametrize("joint", ["spherical", "free"])
@pytest.mark.parametrize(
    ("method", "counts", "order"),
    [("rk4", (40, 80), 4), ("dop853", (10, 20), 8), ("radau", (40, 80), 5), ("generalised-alpha", (100, 200), 2)],
)
def test_order_is_kept_on_the_group(joint, method, counts, order):
    """A spinning top that falls, and one that is thrown."""
    model = one_body(joint, gravity=(0, 0, -9.81), com=[0.1, 0.05, 0.2])
    v = np.array([1.0, 2.0, 12.0, 0.5, -1.0, 2.0])[: model.nv]
    start = (model.neutral(), v)
    precise = tightly(model, start, 0.4, "dop853", 200)
    assert abs(measured_order(model, start, 0.4, method, counts, precise) - order) < 0.4


def test_satellite_keeps_its_momentum_while_its_arms_move():
    model = lissom.load("satellite-two-arm").compile()
    rng = np.random.default_rng(3)
    v = np.zeros(model.nv)
    v[:6] = 0.1, -0.2, 0.3, 0.05, 0.1, -0.1
    for body in model.bodies[1:]:
        v[body.joint_v] = 0.3 * rng.standard_normal(body.joint_v.stop - body.joint_v.start)
    result = simulate_raw(model, 2.0, start=(model.neutral(), v), rate=20, rtol=1e-8, atol=1e-10)
    assert np.allclose(np.linalg.norm(result.q[:, :4], axis=1), 1, rtol=0, atol=1e-12)
    angular, linear = [], []
    for q, velocity in zip(result.q, result.v):
        R, carried = quaternion.to_matrix(q[:4]), (mass_matrix(model, q) @ velocity)[:6]
        linear.append(R @ carried[3:])
        angular.append(R @ carried[:3] + np.cross(q[4:7], linear[-1]))
    for momentum in (np.array(linear), np.array(angular)):
        assert np.max(np.abs(momentum - momentum[0])) < 2e-6 * np.linalg.norm(momentum[0])
    stored = np.array([energy(model, q, u).total for q, u in zip(result.q, result.v)])
    assert np.max(np.abs(stored - stored[0] + result.dissipated)) < 1e-6 * stored[0]
    assert result.dissipated[-1] > 0


def test_coefficients_of_dormand_and_prince_are_those_of_scipy():
    for tableau, known in ((TABLEAUS["dopri5"], RK45), (TABLEAUS["dop853"], DOP853)):
        stages = len(tableau.c)
        error = known.E5 if known is DOP853 else known.E
        wide = np.pad(known.A[:stages, :stages], ((0, 0), (0, stages - min(stages, known.A.shape[1]))))
        for ours, theirs in (
            (tableau.A, wide),
            (tableau.b, known.B),
            (tableau.c, known.C[:stages]),
            (tableau.error, error),
        ):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-16)
