"""Joint wrenches obey Newton's law: at rest, in motion, under external loads, across elastic gears.

The rate of momentum comes from the material points of the independent derivation: m (a - g) at each of them.
"""

import numpy as np
import pytest
from claims import claim_equal
from independent import Independent
from random_robots import random_description, random_robot, random_state
from random_trees import TREES, tree

import lissom
from lissom.dynamics import point_force
from lissom.model import builtin_names

GRAVITY = (1.5, -9.5, -2.0)
BUILTIN = {name: lissom.load(name) for name in builtin_names()}
TREES_BY_NAME = {name: robot for name, robot in BUILTIN.items() if not robot.loops and not robot.elements}
FIXED_BASE = [name for name, robot in TREES_BY_NAME.items() if robot.links[0].joint.type != "free" and not robot.drives]


def settled(model, q, tau=0.0):
    """`q` with the modes where they rest under gravity and `tau`, all joints held (Newton's method)."""
    at_q = np.concatenate([np.arange(b.modes_q.start, b.modes_q.stop) for b in model.bodies])
    at_v = modes(model)
    tau = np.broadcast_to(tau, model.nv)[at_v]

    def missing(q):
        return lissom.bias(model, q, np.zeros(model.nv))[at_v] - tau

    h = 1e-20
    for _ in range(8):
        stiffness = np.zeros((len(at_v), len(at_v)))
        for column, k in enumerate(at_q):
            moved = q.astype(complex)
            moved[k] += 1j * h
            stiffness[:, column] = missing(moved).imag / h
        q = q.copy()
        q[at_q] -= np.linalg.solve(stiffness, missing(q))
    return q


def modes(model):
    return np.concatenate([np.arange(b.modes_v.start, b.modes_v.stop) for b in model.bodies])


def shifted(wrench, arm):
    """The wrench (torque, force) of a force that acts at `arm`, about the origin."""
    return np.concatenate([wrench[:3] + np.cross(arm, wrench[3:]), wrench[3:]])


def turned(R, wrench):
    return np.concatenate([R @ wrench[:3], R @ wrench[3:]])


def origin(model, q, link):
    """Rotation and position of the link's own frame, where its joint is."""
    if link in model.flexible:
        pose = lissom.point_pose(model, q, link, x=0.0)
    else:
        pose = lissom.point_pose(model, q, link, offset=np.zeros(3))
    return pose[:3, :3], pose[:3, 3]


def momentum_rates(independent, q, v, a):
    """For each link the sum over its points of m (a - g), a wrench about the world's origin: (links, 6)."""
    extend = independent._extended
    points, acceleration = (e.full().T for e in independent._points(q, extend(v), extend(a)))
    out, start = [], 0
    for masses in independent._masses:
        at = slice(start, start + len(masses))
        force = masses[:, None] * (acceleration[at] - independent.gravity)
        out.append(np.concatenate([np.cross(points[at], force).sum(0), force.sum(0)]))
        start += len(masses)
    return np.array(out)


def free_body_sums(model, q, v, a, wrenches):
    """For each link: wrench from its parent, less those it exerts on its children, plus the external one."""
    inward = lissom.joint_wrenches(model, q, v, a, wrenches, frame="world")
    sums = np.zeros_like(inward)
    for row, link in enumerate(model.links):
        R, p = origin(model, q, link)
        wrench = shifted(inward[row], p)
        sums[row] += wrench
        if link in wrenches:
            sums[row] += shifted(turned(R, wrenches[link]), p)
        parent = model.robot.link(link).parent
        if parent != "world":
            sums[model.links.index(parent)] -= wrench
    return sums


@pytest.mark.parametrize("name", FIXED_BASE)
def test_at_rest_the_base_carries_the_weight_and_its_moment(name):
    robot = lissom.Robot.from_dict(lissom.load(name).to_dict() | {"gravity": GRAVITY})
    model, independent = robot.compile(), Independent(robot, order=12)
    q, still = random_state(robot, np.random.default_rng(3), deflection=0.0)[0], np.zeros(model.nv)
    if model.flexible:
        q = settled(model, q)
        assert np.abs(lissom.bias(model, q, still)[modes(model)]).max() < 1e-8
    weight = momentum_rates(independent, q, still, still).sum(0)
    base = lissom.joint_wrenches(model, q, still, still, frame="world")[0]
    claim_equal(shifted(base, origin(model, q, model.links[0])[1]), weight, 1e-12)
    total = sum(masses.sum() for masses in independent._masses)
    assert base[3:] == pytest.approx(-total * np.array(GRAVITY), rel=1e-12)


@pytest.mark.parametrize("number", range(TREES))
def test_in_motion_every_link_balances_as_a_free_body(number):
    case = tree(number)
    rates = momentum_rates(case.independent, *case.state, case.a)
    sums = free_body_sums(case.model, *case.state, case.a, case.named_wrenches)
    claim_equal(sums, rates, max(1e-12, case.slack))


@pytest.mark.parametrize("number", range(TREES))
def test_a_joint_carries_all_outboard_mass(number):
    case = tree(number)
    expected = case.independent.balance_wrenches(*case.state, case.a)
    claim_equal(lissom.joint_wrenches(case.model, *case.state, case.a), expected, max(1e-11, case.slack))


def test_along_the_axis_of_an_elastic_joint_acts_the_torque_of_its_transmission():
    robot = lissom.load("canadarm2")
    model, rng = robot.compile(), np.random.default_rng(4)
    q, v = random_state(robot, rng, deflection=0.01)
    tau = np.zeros(model.nv)
    tau[model.actuated] = 100 * rng.normal(size=5)  # on the rotors
    wrenches = lissom.joint_wrenches(model, q, v, lissom.forward_dynamics(model, q, v, tau))
    for body, wrench in zip(model.bodies, wrenches):
        gear, axis = robot.link(body.link).joint.transmission, robot.link(body.link).joint.axes[0]
        stretch, rate = q[body.rotor_q] - q[body.joint_q][0], v[body.rotor_v] - v[body.joint_v][0]
        assert wrench[:3] @ axis == pytest.approx(gear.stiffness * stretch + gear.damping * rate, rel=1e-9)


@pytest.mark.parametrize(("kind", "part"), [("revolute", slice(0, 3)), ("prismatic", slice(3, 6))])
@pytest.mark.parametrize("elastic", [True, False])
def test_along_the_axis_acts_what_the_gear_passes_on(kind, part, elastic):
    """An elastic gear passes its spring's force; a rigid one the motor's force less what its rotor takes."""
    rng = np.random.default_rng(5)
    plain = random_description(rng, (kind,) * 3, passive=0.0)
    for link in plain["links"]:
        link["joint"]["transmission"] = {"rotor_inertia": 0.01, "gear": 8.0}
        link["joint"]["transmission"] |= {"stiffness": 90.0, "damping": 0.2} if elastic else {}
    robot = lissom.Robot.from_dict(plain)
    model = robot.compile()
    q, v = random_state(robot, rng)
    tau = np.zeros(model.nv)
    tau[model.actuated] = rng.normal(size=3)
    a = lissom.forward_dynamics(model, q, v, tau)
    for body, wrench in zip(model.bodies, lissom.joint_wrenches(model, q, v, a)):
        joint = body.joint_v.start
        if elastic:
            stretch, rate = q[body.rotor_q] - q[body.joint_q][0], v[body.rotor_v] - v[joint]
            expected = 90.0 * stretch + 0.2 * rate
        else:
            expected = tau[joint] - 0.01 * 8.0**2 * a[joint]
        axis = robot.link(body.link).joint.axes[0]
        assert wrench[part] @ axis == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("number", range(0, TREES, 5))
def test_wrenches_in_the_axes_of_parent_child_and_world_are_one(number):
    case = tree(number)
    child, parent, world = (
        lissom.joint_wrenches(case.model, *case.state, case.a, frame=frame) for frame in ("local", "parent", "world")
    )
    for row, link in enumerate(case.model.links):
        R, _ = origin(case.model, case.q, link)
        claim_equal(world[row], turned(R, child[row]), 1e-12)
        name = case.robot.link(link).parent
        R_parent = np.eye(3) if name == "world" else origin(case.model, case.q, name)[0]
        claim_equal(parent[row], turned(R_parent.T, world[row]), 1e-12)


def test_an_unknown_frame_is_refused():
    model = lissom.load("rigid-7-axis").compile()
    with pytest.raises(lissom.LissomError, match="frame = 'tip': must be 'local', 'parent' or 'world'"):
        lissom.joint_wrenches(model, *np.zeros((3, 7)), frame="tip")


@pytest.mark.parametrize("x", [0.0, 0.31, None])
def test_a_force_on_a_section_of_a_moving_beam_enters_the_balance_where_it_acts(x):
    """All joints feel it as if it were carried over to the link's origin; the modes feel where it acts."""
    rng = np.random.default_rng(8)
    joints = ("spherical", "universal", "revolute", "prismatic")
    robot = random_robot(rng, joints, flexible=(False, True, True, False), passive=0.0)
    model, independent = robot.compile(), Independent(robot, order=12)
    q, v = random_state(robot, rng)
    tau, load, offset = rng.normal(size=model.nv), rng.normal(size=6), 0.1 * rng.normal(size=3)
    beam = model.links[2]
    forced = tau + point_force(model, q, load, beam, x, offset)
    a = lissom.forward_dynamics(model, q, v, forced)

    R, p = origin(model, q, beam)
    point = lissom.point_pose(model, q, beam, x, offset)[:3, 3]
    external = {beam: turned(R.T, shifted(load, point - p))}
    sums = free_body_sums(model, q, v, a, external)
    claim_equal(sums, momentum_rates(independent, q, v, a), 1e-12)
    joints = np.setdiff1d(np.arange(model.nv), modes(model))
    assert lissom.inverse_dynamics(model, q, v, a, external)[joints] == pytest.approx(tau[joints], abs=1e-9)


def test_a_force_on_a_rigid_link_is_the_same_as_a_wrench_at_its_origin():
    rng = np.random.default_rng(9)
    robot = random_robot(rng, ("free", "revolute", "cylindrical"), flexible=(False, True, False))
    model = robot.compile()
    q, v = random_state(robot, rng)
    load, offset = rng.normal(size=6), rng.normal(size=3)
    link = model.links[2]
    R, _ = origin(model, q, link)
    at_origin = {link: shifted(turned(R.T, load), offset)}
    expected = lissom.forward_dynamics(model, q, v, wrenches=at_origin)
    value = lissom.forward_dynamics(model, q, v, point_force(model, q, load, link, offset=offset))
    claim_equal(value, expected, 1e-11)


@pytest.mark.parametrize(("x", "elements"), [(1.2, 1), (0.6, 2), (0.3, 4)])
def test_a_force_on_a_clamped_beam_bends_it_by_the_textbook_and_is_felt_at_the_clamp(x, elements):
    """Deflection F x^3 / 3 EI under the force; exact, as it acts on a node of the Hermite elements."""
    section = {"rhoA": 1.0, "EA": 1e6, "EIy": 50.0, "EIz": 80.0, "GJ": 40.0, "Jx": 0.01, "Jy": 0.0, "Jz": 0.0}
    beam = {
        "length": 1.2,
        "section": section,
        "modes": {"y": 2 * elements},
        "ends": "hermite",
        "stiffening": "none",
    }
    plain = {
        "name": "cantilever",
        "gravity": [0, 0, 0],
        "links": [{"name": "beam", "joint": "fixed", "beam": beam}],
    }
    model = lissom.Robot.from_dict({"lissom": 1} | plain).compile()
    force = np.array([0, 0, 0, 0, 0.7, 0])
    q = settled(model, model.neutral(), point_force(model, model.neutral(), force, "beam", x))
    deflected = lissom.point_pose(model, q, "beam", x)[:3, 3]
    assert deflected == pytest.approx([x, 0.7 * x**3 / (3 * 80.0), 0], rel=1e-10)
    external = {"beam": shifted(force, deflected)}
    clamp = lissom.joint_wrenches(model, q, np.zeros(model.nv), np.zeros(model.nv), external)[0]
    assert clamp == pytest.approx([0, 0, -0.7 * x, 0, -0.7, 0], abs=1e-12)
