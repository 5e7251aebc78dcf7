"""The articulated factorisations solve the same systems as dense matrices, and their local parts are derivatives.

On random trees of every joint type, rigid and flexible links of each order of the field, with gears, springs, stops and
friction, some joints prescribed.
"""

import numpy as np
import pytest
from local_parts import local_parts
from random_robots import JOINTS, random_robot, random_state

from lissom.dynamics import inverse_dynamics, mass_matrix
from lissom.kernel.compile import Struct
from lissom.kernel.forces.passive_joint_forces import passive_forces
from lissom.kernel.implicit import articulated_newton, stage_coupled, stage_coupled_factorise, stage_coupled_solve
from lissom.kernel.implicit.link_stiffness import joint_stiffness
from lissom.kernel.implicit.local_stiffness import add_local_product
from lissom.model import Robot

TREES = 12
FIELDS = ("none", "first", "exact")
DAMPING, STIFFNESS = 1e-2, 2e-4  # h and h^2 of a step that is large for the stiffest of these trees


def dense_parts(model, packed):
    """M, D, K of the local parts as matrices."""
    local, gears = packed.fields, model.arrays.gears
    work = local.work.fields
    parts = []
    for links, joints, of_gear, of_law in (
        (work.link_damping, local.damping, local.slipping, local.gear_damping),
        (work.link_stiffness, local.stiffness, local.winding, local.gear_stiffness),
    ):
        whole = np.diag(joints)
        for row, body in enumerate(model.bodies, start=1):
            count = body.modes_v.stop - body.modes_v.start
            whole[body.modes_v, body.modes_v] += links[row, :count, :count]
        for rotor, joint, gear, law in zip(gears.rotor_v, gears.joint_v, of_gear, of_law):
            pair = np.ix_([rotor, joint], [rotor, joint])
            whole[pair] += [[gear, law - gear], [-gear, gear]]
        parts.append(whole)
    return mass_matrix(model, local.q), parts[0], parts[1] + dense_turns(model, local)


def turns_of_bodies(model, local):
    """Angular velocity of every body per velocity, (n, 3, nv), in its own axes."""
    tree = model.arrays.tree
    motion = np.zeros((len(tree.parent), 6, model.nv))
    for i in range(1, len(tree.parent)):
        up, R = tree.parent[i], local.rotation[i]
        moved = motion[up].copy()
        moved[3:] += np.cross(motion[up, :3], local.position[i], axisa=0, axisc=0)
        moved[:, tree.modes_v[up] : tree.modes_v[up] + tree.modes[up]] += local.reach[i, :, : tree.modes[up]]
        motion[i] = np.concatenate([R.T @ moved[:3], R.T @ moved[3:]])
        for k in range(model.arrays.joints.dofs[i]):
            motion[i, :, tree.joint_v[i] + k] += local.subspace[i, k]
    return motion[:, :3]


def dense_turns(model, local, other=None):
    """What turns of the bodies add to K; those of another stage's configuration where it is given."""
    tree, turned = model.arrays.tree, turns_of_bodies(model, local)
    turning = turned if other is None else turns_of_bodies(model, other)
    whole = np.zeros((model.nv, model.nv))
    for i in range(1, len(tree.parent)):
        m, stiffness = tree.modes[i], local.work.fields.turn_stiffness[i]
        modes = slice(tree.modes_v[i], tree.modes_v[i] + m)
        whole[modes] += stiffness[:m] @ turning[i]
        whole[:, modes] += turned[i].T @ stiffness[:m].T
        whole += turned[i].T @ stiffness[m : m + 3] @ turning[i]
    return whole


def solved(J, b, held):
    """J^-1 b with the held coordinates at rest."""
    free = np.setdiff1d(np.arange(len(b)), held)
    x = np.zeros_like(b)
    x[free] = np.linalg.solve(J[np.ix_(free, free)], b[free])
    return x


def tree(number):
    """A tree with all joint types in random order, and its states."""
    rng = np.random.default_rng(number)
    joints = [str(kind) for kind in rng.permutation(JOINTS)]
    robot = random_robot(rng, joints, stiffening=FIELDS[number % 3])
    prescribed = [link.joint.name for link in robot.bodies if link.joint.type in ("revolute", "universal")]
    model = robot.compile(prescribed=prescribed if number % 2 else ())
    states = [(*random_state(robot, rng), rng.normal(size=model.nv)) for _ in range(3)]
    return model, rng, [local_parts(model, rng, *state) for state in states]


@pytest.mark.parametrize("number", range(TREES))
@pytest.mark.parametrize("kind", [float, complex])
def test_recursive_solution_is_the_dense_one(number, kind):
    model, rng, (local, _, _) = tree(number)
    by_damping, by_stiffness = (DAMPING, STIFFNESS) if kind is float else (DAMPING * (1 + 2j), STIFFNESS * (1 - 1j))
    M, D, K = dense_parts(model, local)
    J = M + by_damping * D + by_stiffness * K
    factors = Struct(articulated_newton.make_factors(model.arrays, np.dtype(kind).type))
    articulated_newton.factorise(model.struct, local, factors, by_damping, by_stiffness)
    for _ in range(2):  # factors serve for more than one
        b = rng.normal(size=model.nv) + (1j * rng.normal(size=model.nv) if kind is complex else 0)
        factors.fields.x[:] = b
        articulated_newton.solve(model.struct, local, factors)
        expected = solved(J, b, np.flatnonzero(model.arrays.velocities.prescribed))
        assert np.abs(factors.fields.x - expected).max() < 1e-10 * np.abs(expected).max()


@pytest.mark.parametrize("number", range(TREES))
def test_solution_of_three_stages_is_the_dense_one(number):
    model, rng, stages = tree(number)
    n, held = model.nv, np.flatnonzero(model.arrays.velocities.prescribed)
    memory = stage_coupled.make_coupled(model.arrays)
    memory.by_damping[:] = DAMPING * (np.eye(3) + rng.uniform(-0.5, 0.5, (3, 3)))
    memory.by_stiffness[:] = STIFFNESS * (np.eye(3) + rng.uniform(-0.5, 0.5, (3, 3)))
    packed = Struct(memory)
    J = np.zeros((3, n, 3, n))
    for a, local in enumerate(stages):
        M, D, K = dense_parts(model, local)
        K -= dense_turns(model, local.fields)
        for b, other in enumerate(stages):
            turns = dense_turns(model, local.fields, other.fields)
            J[a, :, b] = memory.by_damping[a, b] * D + memory.by_stiffness[a, b] * (K + turns)
        J[a, :, a] += M
    stage_coupled_factorise.factorise_coupled(model.struct, packed, *stages)
    for _ in range(2):
        b = rng.normal(size=(3, n))
        memory.x[:] = b
        stage_coupled_solve.solve_coupled(model.struct, packed)
        at_rest = np.concatenate([held + a * n for a in range(3)])
        expected = solved(J.reshape(3 * n, 3 * n), b.ravel(), at_rest).reshape(3, n)
        assert np.abs(memory.x - expected).max() < 1e-10 * np.abs(expected).max()


@pytest.mark.parametrize("number", range(TREES))
def test_local_product_is_that_of_the_matrices(number):
    model, rng, (local, _, _) = tree(number)
    _, D, K = dense_parts(model, local)
    K -= dense_turns(model, local.fields)  # turns of bodies are slow: the product leaves them out
    rate, place, out = rng.normal(size=(3, model.nv))
    expected = out + 0.3 * D @ rate + 0.7 * K @ place
    add_local_product(model.struct, local, 0.3, 0.7, rate, place, out)
    assert np.allclose(out, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


def beam_with_weight(stiffening, weight, gravity):
    """A beam with a lumped mass on a joint about an oblique axis; at its end a point mass as a body of its own."""
    section = {"rhoA": 1.2, "EA": 2e4, "EIy": 40.0, "EIz": 60.0, "GJ": 30.0, "Jx": 0.012, "Jy": 0.005, "Jz": 0.006}
    beam = {
        "length": 1.1,
        "stiffening": stiffening,
        "section": section,
        "modes": {"y": 2, "z": 2, "torsion": 1, "axial": 1},
        "masses": [{"mass": 0.4, "at": 0.6}],
        "damping": {"stiffness": 2e-3, "mass": 0.2},
    }
    links = [
        {"name": "arm", "joint": {"type": "revolute", "name": "spin", "axis": [0.2, 0.5, 1.0]}, "beam": beam},
        {"name": "weight", "parent": "arm", "joint": {"type": "fixed", "name": "end"}, "body": {"mass": weight}},
    ]
    return Robot.from_dict({"lissom": 1, "name": "spun", "gravity": gravity, "links": links}).compile()


@pytest.mark.parametrize("stiffening", FIELDS)
@pytest.mark.parametrize(
    ("weight", "gravity", "speed"),
    [(1e-9, [0.0, 0.0, 0.0], 12.0), (3.0, [30.0, 0.0, 0.0], 0.0)],
    ids=["spun", "pulled"],
)
def test_stiffness_of_a_straight_link_is_the_derivative_of_its_forces(stiffening, weight, gravity, speed):
    """Where it spins and speeds up, and where it is pulled along by what it carries. Symmetric parts are compared."""
    model = beam_with_weight(stiffening, weight, gravity)
    q, v, a = np.zeros((3, model.nv))
    v[0], a[0] = speed, 0.5 * speed
    _, D, K = dense_parts(model, local_parts(model, np.random.default_rng(0), q, v, a))
    modes = model.bodies[0].modes_v
    exact = np.zeros((2, model.nv, model.nv))
    for k in range(model.nv):
        step = 1e-30j * np.eye(model.nv)[k]
        exact[0, :, k] = inverse_dynamics(model, q + step, v, a).imag / 1e-30
        exact[1, :, k] = inverse_dynamics(model, q, v + step, a).imag / 1e-30
    stiffness, damping = (0.5 * (block + block.T) for block in exact[:, modes, modes])
    elastic = model.flexible["arm"].stiffness()
    assert (np.abs(stiffness - elastic).max() > 20) == (speed > 0 or stiffening != "none")  # what the motion adds
    share = 0.03 if stiffening == "exact" else 1e-6  # there, what couples stretch and bending is left out
    assert np.abs(K[modes, modes] - stiffness).max() < share * np.abs(stiffness - elastic).max() + 1e-9 * elastic.max()
    assert np.abs(D[modes, modes] - damping).max() < 1e-9 * np.abs(damping).max()


def hanging_chain(stiffening):
    """Links that hang straight, two that bend and a rigid one at the end."""
    section = {"rhoA": 1.2, "EA": 2e4, "EIy": 40.0, "EIz": 60.0, "GJ": 30.0}
    beam = {"length": 0.7, "stiffening": stiffening, "section": section, "modes": {"y": 2, "z": 2}}
    parts = [
        {"beam": beam},
        {"beam": beam},
        {"body": {"mass": 2.0, "com": [0.3, 0.0, 0.0], "inertia": [0.1, 0.2, 0.3]}},
    ]
    axes = [0, 0, 1], [0, 1, 0], [0, 0, 1]
    links = [
        {"name": f"link{k}", "joint": {"type": "revolute", "axis": axis}, **part}
        for k, (axis, part) in enumerate(zip(axes, parts, strict=True))
    ]
    return Robot.from_dict({"lissom": 1, "name": "chain", "gravity": [20.0, 0, 0], "links": links}).compile()


@pytest.mark.parametrize("stiffening", ["none", "first"])
def test_turn_stiffness_of_a_hanging_chain_is_the_derivative_of_the_forces_of_weight(stiffening):
    model = hanging_chain(stiffening)
    q, rest = model.neutral(), np.zeros(model.nv)
    packed = local_parts(model, np.random.default_rng(5), q, rest, rest)
    _, _, K = dense_parts(model, packed)
    turns = np.abs(dense_turns(model, packed.fields)).max()
    exact = np.array([inverse_dynamics(model, q + 1e-30j * e, rest, rest).imag / 1e-30 for e in np.eye(model.nv)]).T
    assert turns > 20.0  # N m per radian
    assert np.abs(K - exact).max() < 1e-9 * np.abs(exact).max()


@pytest.mark.parametrize("moving", [0.0, 1.0])
def test_joint_stiffness_is_the_derivative_of_passive_forces(moving):
    """Of friction, springs and stops, each by its own coordinate; at rest also where a stop damps what hits it."""
    rng = np.random.default_rng(3)
    kinds = ["revolute", "prismatic", "planar", "cylindrical"]
    robot = random_robot(rng, kinds, flexible=0.0, transmissions=0.0, passive=1.0)
    model = robot.compile()
    q, v = random_state(robot, rng)
    v *= moving
    stiffness, damping = np.zeros((2, model.nv))
    joint_stiffness(model.struct, q, v, stiffness, damping, np.zeros(0), np.zeros(0))
    by_q, by_v = np.zeros((2, model.nv), complex)
    passive_forces(model.struct, q + 1e-30j, v.astype(complex), by_q)
    passive_forces(model.struct, q.astype(complex), v + 1e-30j, by_v)
    assert np.allclose(damping, -by_v.imag / 1e-30, rtol=1e-12)
    if not moving:
        assert np.allclose(stiffness, -by_q.imag / 1e-30, rtol=1e-12)


CURVES = {
    "table": {"table": [[-0.6, -9.0], [-0.2, -1.0], [0.0, 0.0], [0.3, 2.0], [0.8, 11.0]]},
    "polynomial": {"polynomial": [3.0, -1.0, 40.0]},
    "play": {"backlash": 0.3, "width": 0.1},
}


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
@pytest.mark.parametrize("stretch", [-1.1, -0.33, -0.13, 0.0, 0.07, 0.19, 0.9])
def test_springs_along_a_curve_enter_stiffness_and_damping_by_their_slope(curve, stretch):
    """K and D of a spring in a joint and of an elastic gear, with the coupling of rotor and joint; within a table's
    range, beyond it, in the play, at its soft ends and outside."""
    spring = {"stiffness": 4.0, "rest": 0.1, "curve": curve}
    gear = {"rotor_inertia": 0.002, "gear": 5.0, "damping": 0.05, "stiffness": 20.0, "curve": curve}
    joint, body = {"type": "revolute", "axis": [0, 0, 1]}, {"mass": 1.0, "inertia": [0.01, 0.06, 0.06]}
    links = [
        {"name": "upper", "joint": {**joint, "spring": spring, "damping": 0.3}, "body": body},
        {"name": "fore", "parent": "upper", "joint": {**joint, "transmission": gear}, "body": body},
    ]
    model = Robot.from_dict({"lissom": 1, "name": "curved", "links": links}).compile()
    gears = model.arrays.gears
    q, v, a = np.zeros((3, model.nv))
    v[:] = 0.2, -0.4, 0.7
    q[model.arrays.passive.q[0]] = 0.1 + stretch
    q[gears.joint_q[0]], q[gears.rotor_q[0]] = 0.4, 0.4 + stretch
    packed = local_parts(model, np.random.default_rng(0), q, v, a)
    packed.fields.gear_stiffness[:] = packed.fields.gear_damping[:] = 0.0
    _, D, K = dense_parts(model, packed)
    K -= dense_turns(model, packed.fields)
    exact = np.zeros((2, model.nv, model.nv), complex)
    for k, step in enumerate(1e-30j * np.eye(model.nv)):
        passive_forces(model.struct, q + step, v.astype(complex), exact[0, k])
        passive_forces(model.struct, q.astype(complex), v + step, exact[1, k])
    stiffness, damping = -exact.imag.transpose(0, 2, 1) / 1e-30
    assert np.allclose(K, stiffness, rtol=1e-12, atol=1e-12)
    assert np.allclose(D, damping, rtol=1e-12, atol=1e-12)
