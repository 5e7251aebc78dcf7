"""No derivative is ever NaN at a finite state, and nothing returns NaN in silence."""

import numpy as np
import pytest
from random_robots import random_description, random_state

import lissom
from lissom.dynamics import inverse_derivatives
from lissom.errors import LissomError
from lissom.model import Robot

BODY = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.01, 0.09, 0.09]}


def arm(links=1, **joint):
    """Equal rigid links on revolute joints about z, swinging in a vertical plane."""
    parts = [
        {
            "name": f"link{i}",
            "joint": {"type": "revolute", "axis": [0, 0, 1], **joint},
            "body": BODY,
            **({"parent": f"link{i - 1}", "origin": {"xyz": [1, 0, 0]}} if i else {}),
        }
        for i in range(links)
    ]
    return Robot.from_dict({"lissom": 1, "name": "arm", "gravity": [0, -9.81, 0], "links": parts})


@pytest.mark.parametrize("method", ["auto", "radau"])
def test_two_links_with_coulomb_friction_fall_freely_for_two_seconds(method):
    run = lissom.simulate(arm(2, friction={"coulomb": 0.2}), 2.0, method=method, rtol=1e-8)
    assert run.info.status == "finished"
    assert run.time[-1] == 2.0
    assert np.abs(run.v).max() > 3.55  # faster than where the exponentials of a complex tanh overflow
    assert run.energy_audit().relative < 1e-5


def test_a_rigid_link_with_friction_starts_fast():
    run = lissom.simulate(arm(friction={"coulomb": 0.2}), 0.5, start=([0.0], [5.0]))
    assert run.info.status == "finished"


def test_a_complex_state_at_a_pole_is_refused():
    model = arm(friction={"coulomb": 0.2, "stick": 0.1, "stribeck": 1.0}).compile()
    with pytest.raises(LissomError, match=r"inverse_dynamics: no finite number for .* at this state"):
        lissom.inverse_dynamics(model, [0.1], [1j], [0.0])


@pytest.mark.parametrize("width", [1e-2, 1e-5, 1e-12])
def test_narrow_stops_have_derivatives_at_rest_and_beyond(width):
    model = arm(limits={"lower": -1.0, "upper": 1.0, "stiffness": 1e3, "damping": 2.0, "width": width}).compile()
    inside = lissom.derivatives(model, [0.2], [0.0])
    inertia = 1 / inside.tau[0, 0]
    assert inside.q[0, 0] == pytest.approx(0.5 * 9.81 * np.sin(0.2) / inertia, rel=1e-12)  # weight alone
    beyond = lissom.derivatives(model, [1.5], [0.3])
    assert beyond.q[0, 0] == pytest.approx((0.5 * 9.81 * np.sin(1.5) - 1e3) / inertia, rel=1e-12)
    assert beyond.v[0, 0] == pytest.approx(-2.0 / inertia, rel=1e-12)
    lissom.linearise(model, [0.2])
    lissom.natural_modes(model, [1.5], locked=False)


@pytest.mark.parametrize("seed", range(24))
def test_no_derivative_is_non_finite_at_a_finite_state(seed):
    """Random trees of all joints with friction over tiny speeds and stops over tiny widths, moving fast."""
    rng = np.random.default_rng(seed)
    description = random_description(rng, 4, passive=1.0)
    for link in description["links"]:
        if "friction" in link["joint"]:
            link["joint"]["friction"]["velocity"] = 10.0 ** float(rng.uniform(-12, -1))
        if "limits" in link["joint"]:
            link["joint"]["limits"]["width"] = 10.0 ** float(rng.uniform(-12, -1))
    robot = Robot.from_dict(description)
    model = robot.compile()
    for speed in (0.0, 1.0, 1e3):
        q, v = random_state(robot, rng)
        v = speed * v
        forward = lissom.derivatives(model, q, v)
        inverse = inverse_derivatives(model, q, v, forward.a)
        assert all(np.isfinite(part).all() for part in (*forward, *inverse))
        assert np.isfinite(lissom.linearise(model, q, v).A).all()


FUNCTIONS = {
    "forward_dynamics": lambda m, q, v: lissom.forward_dynamics(m, q, v),
    "inverse_dynamics": lambda m, q, v: lissom.inverse_dynamics(m, q, v, np.zeros(2)),
    "bias": lambda m, q, v: lissom.bias(m, q, v),
    "joint_wrenches": lambda m, q, v: lissom.joint_wrenches(m, q, v, np.zeros(2)),
    "energy": lambda m, q, v: lissom.energy(m, q, v),
    "point_velocity": lambda m, q, v: lissom.point_velocity(m, q, v, "link1"),
    "derivatives": lambda m, q, v: lissom.derivatives(m, q, v),
    "inverse_derivatives": lambda m, q, v: inverse_derivatives(m, q, v, np.zeros(2)),
    "linearise": lambda m, q, v: lissom.linearise(m, q, v),
    "simulate": lambda m, q, v: lissom.simulate(m, 0.1, start=(q, v)),
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_state_that_is_not_finite_is_refused_by_the_name_of_its_coordinate(function, bad):
    model = arm(2).compile()
    for q, v in (([0.0, bad], [0.0, 0.0]), ([0.0, 0.0], [0.0, bad])):
        with pytest.raises(LissomError, match="link1"):
            FUNCTIONS[function](model, q, v)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name != "point_velocity"])
def test_what_overflows_is_refused_by_name(function):
    """Speeds whose squares are beyond floating-point numbers."""
    with pytest.raises(LissomError, match=r"link0|arm|link1"):
        FUNCTIONS[function](arm(2).compile(), [0.0, 1.0], [1e200, 0.0])


def test_a_pose_that_is_not_finite_is_refused_by_the_name_of_its_coordinate():
    model = arm(2).compile()
    for function in (lissom.mass_matrix, lissom.tip_pose, lissom.static_equilibrium, lissom.natural_modes):
        with pytest.raises(LissomError, match="link1"):
            function(model, [0.0, np.nan])
    with pytest.raises(LissomError, match="link1"):
        lissom.jacobian(model, [0.0, np.nan], "link1")
