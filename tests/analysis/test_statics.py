"""Static equilibrium: textbook deflections, an elastica in two steps, holding torques, free joints."""

import numpy as np
import pytest
from independent import Independent
from random_robots import JOINTS, random_robot, random_state

import lissom
from lissom.dynamics import point_force

EI, RHO_A, LENGTH, PAYLOAD, GRAVITY = 3000.0, 1.5, 1.2, 2.5, 9.81


def cantilever(stiffening="none", payload=PAYLOAD, **beam):
    """A beam along x held at its base, a payload at its tip, weight along -y."""
    section = {
        "rhoA": RHO_A,
        "EA": 1e7,
        "EIy": 2 * EI,
        "EIz": EI,
        "GJ": 900.0,
        "Jx": 1e-4,
        "Jy": 5e-5,
        "Jz": 5e-5,
    }
    modes = {"y": 2, "z": 2, "torsion": 1, "axial": 1}
    links = [
        {
            "name": "beam",
            "joint": "fixed",
            "beam": {"length": LENGTH, "section": section, "modes": modes, "stiffening": stiffening, **beam},
        }
    ]
    if payload:
        links.append({"name": "payload", "joint": "fixed", "body": {"mass": payload}})
    data = {"lissom": 1, "name": "cantilever", "gravity": [0, -GRAVITY, 0], "links": links}
    return lissom.Robot.from_dict(data)


def test_a_cantilever_sags_as_the_textbook_says():
    rest = lissom.static_equilibrium(cantilever())
    point, own = PAYLOAD * GRAVITY, RHO_A * GRAVITY
    sag = point * LENGTH**3 / (3 * EI) + own * LENGTH**4 / (8 * EI)
    slope = point * LENGTH**2 / (2 * EI) + own * LENGTH**3 / (6 * EI)
    tip = rest.deflections["beam"]
    assert tip.displacement == pytest.approx([0, -sag, 0], rel=1e-9, abs=1e-15)
    # the section turns by Gibbs vector a/2 (1 + a^2/12), which is a to fourth order
    assert tip.rotation == pytest.approx([0, 0, -slope], rel=1e-6, abs=1e-15)
    assert rest.stable
    assert not rest.warnings
    assert np.abs(rest.residual).max() < 1e-11


def test_a_dead_load_at_the_tip_adds_its_own_deflection():
    rest = lissom.static_equilibrium(cantilever(payload=0), loads={"beam": [0, 0, 0, 0, 0, 7.0]})
    own = RHO_A * GRAVITY * LENGTH**4 / (8 * EI)
    expected = [0, -own, 7.0 * LENGTH**3 / (3 * 2 * EI)]
    assert rest.deflections["beam"].displacement == pytest.approx(expected, rel=1e-9, abs=1e-15)
    moment = lissom.static_equilibrium(cantilever(payload=0), loads={("beam", LENGTH): [0, 0, 30.0, 0, 0, 0]})
    raised = moment.deflections["beam"].displacement[1] + own
    assert raised == pytest.approx(30.0 * LENGTH**2 / (2 * EI), rel=1e-9)


def test_loads_without_names_are_refused():
    with pytest.raises(lissom.LissomError, match=r"loads.*must be given by name"):
        lissom.static_equilibrium("ella", loads=[lissom.Load(link="upper", force=[0, 0, 1])])


def test_a_wrench_turns_with_its_link_and_a_load_does_not():
    robot = cantilever("first").with_value("gravity", [0, 0, 0])
    force = [0, 0, 0, 0, -60.0, 0]
    dead = lissom.static_equilibrium(robot, loads={"payload": force})
    follower = lissom.static_equilibrium(robot, wrenches={"payload": force})
    # the follower's pull along the slope bends the beam less far back and pushes it inwards
    assert dead.deflections["beam"].displacement[1] == pytest.approx(-60 * LENGTH**3 / (3 * EI), rel=1e-3)
    assert dead.deflections["beam"].displacement[0] > follower.deflections["beam"].displacement[0]
    model = robot.compile()
    turned = lissom.tip_pose(model, follower.q, "payload")[:3, :3] @ force[3:]
    again = lissom.static_equilibrium(robot, loads={"payload": [0, 0, 0, *turned]})
    assert again.q == pytest.approx(follower.q, abs=1e-13)


def elastica(length, stiffness, per_length, weight, moment, angle, points=2001):
    """A cantilever under dead loads in the plane: arc-length grid, tip weight and moment, weight along -y.

    Returns the shape: angle, x and y along the axis, exact for an inextensible beam (fixed-point iteration).
    """
    s = np.linspace(0, length, points)

    def integral(f):
        return np.concatenate([[0], np.cumsum((f[1:] + f[:-1]) / 2) * (s[1] - s[0])])

    theta = np.full(points, angle)
    for _ in range(60):
        x, y = integral(np.cos(theta)), integral(np.sin(theta))
        beyond = integral(x)[-1] - integral(x) - (length - s) * x  # lever of the weight beyond s
        bending = moment - weight * (x[-1] - x) - per_length * beyond
        theta = angle + integral(bending / stiffness)
    return theta, x, y


def test_ella_sags_as_two_elasticas_joined_at_the_elbow():
    """Step one, the forearm from the elbow on; step two, the upper arm under what the forearm weighs."""
    g, per_length, EIz = 9.81, 1.6302 * 9.81, 3670.0
    slope = 0.0
    for _ in range(40):
        theta2, x2, y2 = elastica(0.93, EIz, per_length, 2.1 * g, 0.0, slope)
        own = np.trapezoid(x2, np.linspace(0, 0.93, len(x2)))
        elbow_torque = 2.1 * g * x2[-1] + per_length * own
        force = (3.3 + 2.1) * g + per_length * 0.93
        theta1, x1, y1 = elastica(0.95, EIz, per_length, force, -elbow_torque, 0.0)
        slope = theta1[-1]
    shoulder_torque = elbow_torque + force * x1[-1] + per_length * np.trapezoid(x1, np.linspace(0, 0.95, len(x1)))
    rest = lissom.static_equilibrium(lissom.load("ella"))
    upper, forearm = rest.deflections["upper"], rest.deflections["forearm"]
    assert upper.displacement[1] == pytest.approx(y1[-1], rel=1e-4)
    assert upper.displacement[0] == pytest.approx(x1[-1] - 0.95, rel=1e-2)
    assert upper.rotation[2] == pytest.approx(theta1[-1], rel=1e-4)
    assert forearm.displacement[1] == pytest.approx(-np.sin(slope) * x2[-1] + np.cos(slope) * y2[-1], rel=1e-3)
    assert forearm.rotation[2] == pytest.approx(theta2[-1] - slope, rel=1e-3)
    assert rest.torques["elbow"] == pytest.approx(elbow_torque, rel=1e-5)
    assert rest.torques["shoulder"] == pytest.approx(shoulder_torque, rel=1e-5)
    assert rest.torques["shoulder-yaw"] == pytest.approx(0, abs=1e-12)
    assert "upper deflection" in str(next(iter(rest.table().columns[0].cells)))


@pytest.mark.parametrize("seed", range(3))
def test_forces_balance_in_the_independent_derivation(seed):
    rng = np.random.default_rng(50 + seed)
    robot = random_robot(rng, [JOINTS[(seed + k) % 8] for k in (1, 2, 6)], flexible=[True, True, True])
    robot = robot.with_value("gravity", [0.5, -0.3, -1.0])
    q, v = random_state(robot, rng)
    for link, names in zip(robot.bodies, robot.compile().bodies, strict=True):
        q[names.modes_q] = 0.0
        assert link.beam is not None
    rest = lissom.static_equilibrium(robot, q)
    still = 0 * v
    needed = Independent(robot, order=12).inverse(rest.q, still, still)
    assert np.ravel(needed) == pytest.approx(rest.tau, abs=1e-9)
    modes = [k for body in rest.model.bodies for k in range(body.modes_v.start, body.modes_v.stop)]
    assert not rest.tau[modes].any()


def test_held_joints_stay_and_rotors_wind_up_by_the_torque_they_transmit():
    robot = lissom.load("canadarm2")
    pose = {"shoulder": 0.4, "elbow": -0.9}
    rest = lissom.static_equilibrium(robot, pose)
    model = rest.model
    for body in model.bodies:
        assert rest.q[body.joint_q.start] == pose.get(body.joint, 0.0)
        wound = rest.q[body.rotor_q] - rest.q[body.joint_q.start]
        assert 2.66e6 * wound == pytest.approx(rest.tau[body.rotor_v], rel=1e-9, abs=1e-6)
        assert rest.tau[body.joint_v] == [0.0]
    assert np.abs(rest.residual).max() < 1e-6 * np.abs(rest.tau).max()
    # holding the motors where they came to rest is the same state
    again = lissom.static_equilibrium(robot, rest.q, hold="motors")
    assert again.q == pytest.approx(rest.q, abs=1e-12)
    assert again.tau == pytest.approx(rest.tau, abs=1e-6 * np.abs(rest.tau).max())
    # below the horizontal, so is leaving all free under the torques; above it they would topple the arm
    low = lissom.static_equilibrium(robot, {"shoulder": -0.4, "elbow": -0.3, "wrist-swing": -0.1})
    free = lissom.static_equilibrium(robot, low.q + 1e-4, tau=low.tau, hold=())
    assert free.stable
    assert free.q == pytest.approx(low.q, abs=1e-9)


def test_motors_held_let_elastic_joints_give_way():
    robot = lissom.load("canadarm2")
    rest = lissom.static_equilibrium(robot, {"shoulder": 0.4, "elbow": -0.9}, hold="motors")
    body = rest.model.joint("shoulder")
    assert rest.q[body.rotor_q] == 0.4
    assert rest.q[body.joint_q.start] == pytest.approx(0.4 - rest.tau[body.rotor_v] / 2.66e6, abs=1e-12)


def pendulum(**joint):
    link = {
        "name": "rod",
        "joint": {"name": "pivot", "type": "revolute", "axis": [0, 1, 0], **joint},
        "body": {"mass": 2.0, "com": [0, 0, -0.5], "inertia": [1 / 6, 1 / 6, 1e-3]},
    }
    return lissom.Robot.from_dict({"lissom": 1, "name": "pendulum", "links": [link]})


@pytest.mark.parametrize("start", [0.3, np.pi / 2, 2.0, 3.1])
def test_a_free_pendulum_comes_to_hang_from_wherever_it_starts(start):
    rest = lissom.static_equilibrium(pendulum(), {"pivot": start}, hold=())
    assert np.sin(rest.q) == pytest.approx([0], abs=1e-12)
    assert np.cos(rest.q) == pytest.approx([1])
    assert rest.stable


def test_a_given_torque_turns_a_free_joint_until_weight_balances_it():
    rest = lissom.static_equilibrium(pendulum(), tau={"pivot": 5.0}, hold=())
    assert np.sin(rest.q[0]) == pytest.approx(5.0 / (2.0 * 9.81 * 0.5), rel=1e-12)
    upright = lissom.static_equilibrium(pendulum(), {"pivot": np.pi}, hold=())
    assert not upright.stable
    sprung = lissom.static_equilibrium(pendulum(spring={"stiffness": 200.0, "rest": 0.5}), hold=())
    assert 200 * (0.5 - sprung.q[0]) == pytest.approx(9.81 * np.sin(sprung.q[0]), rel=1e-12)


def test_free_spherical_joints_hang_too():
    rng = np.random.default_rng(3)
    robot = random_robot(rng, ["spherical", "spherical"], flexible=[False, True], passive=0.0)
    q, _ = random_state(robot, rng, 0.0)
    rest = lissom.static_equilibrium(robot, q, hold=())
    assert rest.stable
    assert np.abs(rest.residual).max() < 1e-9
    assert np.abs(lissom.forward_dynamics(rest.model, rest.q, np.zeros(rest.model.nv))).max() < 1e-7


def test_too_much_torque_is_an_error_that_names_the_joint():
    with pytest.raises(lissom.LissomError, match=r"no static equilibrium of pendulum.* pivot still moves; hold it"):
        lissom.static_equilibrium(pendulum(), tau={"pivot": 20.0}, hold=())


def test_too_much_weight_is_an_error_that_names_a_mode():
    soft = cantilever("first", payload=4000.0)
    with pytest.raises(lissom.LissomError, match=r"beam\.(y|z|axial|torsion)\d still moves.*exact for beam, or lower"):
        lissom.static_equilibrium(soft.with_value("gravity", [-9.81, -0.1, 0]))


def test_a_deflection_beyond_the_small_range_is_a_warning():
    with pytest.warns(UserWarning, match=r"cantilever: beam deflects by 13% .*: write stiffening: exact for it"):
        rest = lissom.static_equilibrium(cantilever(payload=80.0))
    assert len(rest.warnings) == 1
    assert "beam deflects by" in rest.warnings[0]
    assert "deflects by 13%" in " ".join(str(rest).split())


def test_point_forces_in_tau_are_the_same_as_loads_at_small_deflection():
    robot = cantilever(payload=0)
    model = robot.compile()
    push = point_force(model, model.neutral(), [0, 0, 0, 0, 1e-3, 0], "beam")
    by_tau = lissom.static_equilibrium(model, tau=push)
    by_load = lissom.static_equilibrium(model, loads={"beam": [0, 0, 0, 0, 1e-3, 0]})
    assert by_tau.q == pytest.approx(by_load.q, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hold": "joint"}, "write 'joints', 'motors'"),
        ({"hold": ["elbo"]}, "did you mean 'elbow'"),
        ({"hold": ["elbow", "elbow.rotor"]}, "one side of an elastic joint"),
        ({"tau": {"elbow": 3.0}}, "tau.elbow: is held, so its force is a result"),
        ({"loads": {"boom3": np.zeros(6)}}, "did you mean 'boom2'"),
        ({"wrenches": {"boom2": np.zeros(3)}}, "6 numbers"),
    ],
)
def test_wrong_options_get_a_plain_message(options, message):
    with pytest.raises(lissom.LissomError, match=message):
        lissom.static_equilibrium(lissom.load("canadarm2"), **options)
