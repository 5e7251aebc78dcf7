"""The equivalent rigid-link system (Vidoni et al. 2017): its compatibility, its balance of power, its limits."""

from functools import cache

import numpy as np
import pytest
from claims import claim
from numpy.testing import assert_allclose
from random_robots import random_robot, random_state

import lissom
from lissom import theory
from lissom.lie import so3
from lissom.theory import Unsupported
from lissom.theory.common_joint_forces import joint_forces
from lissom.theory.erls import Erls, ErlsLink, compatibility_matrix
from lissom.theory.erls.link import A, S, squares

CHAINS = {
    "two": ("revolute", "revolute"),
    "sliding": ("revolute", "prismatic", "revolute"),
    "universal-fixed": ("universal", "revolute", "fixed"),
    "planar-cylindrical": ("planar", "cylindrical"),
}


@cache
def built(name, flexible=True, **options):
    """A random chain with a linear field, and its formulation."""
    joints = CHAINS[name]
    settings = {"transmissions": 0.5, "passive": 0.3} | options
    rng = np.random.default_rng(len(name))
    robot = random_robot(rng, joints, flexible=[flexible] * len(joints), stiffening="none", **settings)
    return robot, Erls(robot.compile())


@pytest.fixture(params=CHAINS)
def case(request):
    return built(request.param)


def elastic(model):
    return np.concatenate([np.r_[body.modes_v] for body in model.bodies]).astype(int)


def state(robot, model, deflection, seed=0):
    """Positions, velocities and accelerations whose elastic parts are all of the size of the deflection."""
    rng = np.random.default_rng(seed)
    q, v = random_state(robot, rng, deflection=1.0)
    a = rng.normal(size=model.nv)
    modes = elastic(model)
    for x in (q, v, a):
        x[modes] *= deflection
    return q, v, a


def test_constant_matrices_are_what_the_appendices_define():
    """X, Y, Z, W, Q as sums over points of a cloud of masses, with the definitions (83)-(100) written out."""
    rng = np.random.default_rng(2)
    points, masses, shapes = rng.normal(size=(9, 3)), rng.uniform(1, 2, size=9), rng.normal(size=(9, 3, 4))
    U = np.concatenate([-so3.hat(points), np.tile(np.eye(3), (9, 1, 1)), shapes], axis=-1)  # e x x = -x~ e
    link = ErlsLink.of(_invariants(points, masses, shapes), np.eye(4), np.zeros((4, 4)), np.zeros((6, 4)))

    def sum_of(left, right):
        return np.einsum("p,pai,ab,bc,pcj->ij", masses, U, left.T, right, U)

    one = np.eye(3)
    assert_allclose(link.modal_mass, sum_of(one, one), atol=1e-12)
    for k in range(3):
        assert_allclose(link.X[k], sum_of(one, A[k]), atol=1e-12)
        assert_allclose(link.Q[k], np.einsum("p,pai,ba->ib", masses, U, A[k]), atol=1e-12)
        for d in range(3):
            assert_allclose(link.Z[k, d], sum_of(A[k], A[d]), atol=1e-12)
        for t in range(6):
            assert_allclose(link.Y[t], sum_of(one, S[t]), atol=1e-12)
            assert_allclose(link.W[k, t], sum_of(A[k], S[t]), atol=1e-12)
    omega = rng.normal(size=3)
    assert_allclose(np.einsum("t,tab->ab", squares(omega), S), so3.hat(omega).T @ so3.hat(omega), atol=1e-14)  # (88)


def _invariants(points, masses, shapes):
    from lissom.beam import Invariants

    return Invariants(
        mass=masses.sum(),
        mc0=masses @ points,
        C1=np.einsum("p,paj->aj", masses, shapes),
        G0=np.einsum("p,pa,pb->ab", masses, points, points),
        S0=np.einsum("p,pa,pbj->abj", masses, points, shapes),
        N=np.einsum("p,pai,pbj->abij", masses, shapes, shapes),
    )


def test_displacements_at_the_joints_are_compatible(case):
    """C(theta) q = 0 with q_r = D(theta) q_d, and q_r is the smallest solution."""
    robot, erls = case
    q, v, _ = state(robot, erls.model, 0.05)
    erls.accelerations(q, v, v)
    system = erls.system
    Cr, Cd = compatibility_matrix(erls.chain, system.work.theta)
    assert Cr.shape == (6 * len(erls.chain.nodes) - erls.chain.joints, 6 * len(erls.chain.nodes))  # (9)
    rigid, bent = system.work.q[:, :6].ravel(), system.work.q[system.elastic]
    assert_allclose(bent, q[np.concatenate([np.r_[body.modes_q] for body in erls.model.bodies]).astype(int)], atol=0)
    assert np.abs(rigid).max() > 1e-4
    assert np.abs(Cr @ rigid + Cd @ bent).max() < 1e-12
    free = np.linalg.svd(Cr)[2][len(Cr) :]  # rigid motions that no row sees
    assert np.abs(free @ rigid).max() < 1e-12


def test_velocities_and_accelerations_are_derivatives_of_the_coordinates(case):
    """(14) and (24), with the change of the pseudoinverse, against central differences along a curve."""
    _, erls = case
    n, m = erls.chain.joints, erls.chain.modes
    rng = np.random.default_rng(4)
    theta, rate, bend = 0.4 * rng.normal(size=(3, n))
    q_d, q_rate, q_bend = 0.05 * rng.normal(size=(3, m))

    def placed(t, speed=0.0):
        turned, bent = theta + t * rate + t * t / 2 * bend, q_d + t * q_rate + t * t / 2 * q_bend
        found = erls.system.at(turned, speed * rate, bent, speed * q_rate)
        return found, found.q[:, :6], turned + found.slip

    h = 1e-4
    (_, q_ahead, joint_ahead), (_, q_behind, joint_behind) = placed(h), placed(-h)
    motion, q, joint = placed(0.0, speed=1.0)
    change, again = np.concatenate([rate, q_rate]), np.concatenate([bend, q_bend])
    assert np.abs(q_ahead - q_behind).max() > 1e-6
    assert_allclose(motion.rate[:, :6], (q_ahead - q_behind) / (2 * h), atol=1e-7)
    assert_allclose(motion.N @ change, motion.rate[:, :6], atol=1e-12)
    assert_allclose(motion.N @ again + motion.bias, (q_ahead - 2 * q + q_behind) / h**2, atol=1e-6)
    assert_allclose(motion.joint_N @ change, (joint_ahead - joint_behind) / (2 * h), atol=1e-7)
    second = motion.joint_N @ again + motion.slip_bias
    assert_allclose(second, (joint_ahead - 2 * joint + joint_behind) / h**2, atol=1e-6)


def test_energy_changes_by_the_power_of_forces_and_losses_even_at_large_deflection(case):
    """The theory is consistent in itself: its power balance holds at any deflection, not to first order only."""
    robot, erls = case
    model = erls.model
    q, v, _ = state(robot, model, 0.05)
    tau = np.random.default_rng(5).normal(size=model.nv)
    a = erls.accelerations(q, v, tau)

    def energy(s):
        return sum(erls.energy(q + s * v + s * s / 2 * a, v + s * a))

    h = 1e-5
    change = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
    still = np.zeros_like(v)
    lost = (joint_forces(model, q, v) - joint_forces(model, q, still)) @ v
    for body in model.bodies:
        if body.link in model.flexible:
            rate = v[body.modes_v]
            lost -= rate @ model.flexible[body.link].damping_matrix() @ rate
    assert abs(change - tau @ v - lost) < 1e-6 * max(1.0, abs(tau @ v), abs(lost), sum(map(abs, erls.energy(q, v))))


def test_inverse_dynamics_inverts_the_accelerations(case):
    robot, erls = case
    q, v, _ = state(robot, erls.model, 0.03)
    tau = np.random.default_rng(6).normal(size=erls.model.nv)
    assert_allclose(erls.inverse_dynamics(q, v, erls.accelerations(q, v, tau)), tau, atol=1e-9)


@pytest.mark.parametrize("name", CHAINS)
def test_rigid_links_move_as_in_the_kernel(name):
    robot, erls = built(name, flexible=False)
    model = erls.model
    q, v, a = state(robot, model, 0.0)
    for value, expected in [
        (erls.accelerations(q, v, a), lissom.forward_dynamics(model, q, v, a)),
        (erls.inverse_dynamics(q, v, a), lissom.inverse_dynamics(model, q, v, a)),
        (erls.wrenches(q, v, a), lissom.joint_wrenches(model, q, v, a)),
        (erls.tip(q), lissom.tip_pose(model, q)),
        (np.array(erls.energy(q, v)), np.array(lissom.energy(model, q, v))),
    ]:
        error = np.abs(value - expected).max() / max(1.0, np.abs(expected).max())
        claim(error, 1e-9)


def test_undeformed_flexible_links_are_rigid_links(case):
    """At rest in their modes, links need the joint forces of rigid ones, and their wrenches."""
    robot, erls = case
    model = erls.model
    q, v, a = state(robot, model, 0.0)
    joints = np.setdiff1d(np.arange(model.nv), elastic(model))
    expected = lissom.inverse_dynamics(model, q, v, a)
    assert_allclose(erls.inverse_dynamics(q, v, a), expected, atol=1e-9 * np.abs(expected).max())
    assert joints.size
    wrenches = lissom.joint_wrenches(model, q, v, a)
    assert_allclose(erls.wrenches(q, v, a), wrenches, atol=1e-9 * np.abs(wrenches).max())


def test_differences_from_the_kernel_fall_with_the_second_power_of_the_deflection(case):
    """Joint forces, joint wrenches, tip and energy, at equal positions, velocities and accelerations."""
    robot, erls = case
    model = erls.model
    joints = np.setdiff1d(np.arange(model.nv), elastic(model))
    errors = []
    for deflection in (1e-3, 1e-4):
        q, v, a = state(robot, model, deflection)
        force = erls.inverse_dynamics(q, v, a) - lissom.inverse_dynamics(model, q, v, a)
        wrench = erls.wrenches(q, v, a) - lissom.joint_wrenches(model, q, v, a)
        tip = erls.tip(q) - lissom.tip_pose(model, q)
        energy = sum(erls.energy(q, v)) - sum(lissom.energy(model, q, v))
        errors.append([np.abs(force[joints]).max(), np.abs(wrench).max(), np.abs(tip).max(), abs(energy)])
    slopes = np.log10(np.array(errors[0]) / np.array(errors[1]))
    claim(np.abs(slopes - 2).max(), 0.1, "off the power 2")


def two_link_arm(stiffness):
    """Two damped links, skew axes; stiffness scales the Young's modulus."""
    beam = {
        "length": 0.8,
        "material": "stuff",
        "section": {"shape": "rectangle", "width": 0.02, "height": 0.03},
        "shear": "none",
        "modes": {"y": 2, "z": 2, "torsion": 1, "axial": 0},
        "damping": 0.2,
        "stiffening": "none",
    }
    links = [
        {"name": "upper", "joint": {"type": "revolute", "axis": [0, 1, 0]}, "beam": beam},
        {"name": "lower", "joint": {"type": "revolute", "axis": [0, 1, 1]}, "beam": beam},
    ]
    material = {"E": 2e10 * stiffness, "nu": 0.3, "rho": 2700}
    return lissom.Robot.from_dict({"lissom": 1, "name": "two", "materials": {"stuff": material}, "links": links})


def test_motions_differ_from_the_kernels_by_the_second_power_of_the_deflection():
    """A fall of 0.15 s, links ten times stiffer: the deflection falls to a tenth, the difference to a hundredth."""
    deflections, differences = [], []
    for stiffness in (5.0, 50.0):
        model = two_link_arm(stiffness).compile()
        options = {"rate": 100, "rtol": 1e-7, "atol": 1e-9}
        own = theory.simulate(theory.build("erls", model), 0.15, **options)
        kernel = lissom.simulate(model, 0.15, method="radau", audit=False, progress=False, **options)
        differences.append(max(np.abs(own[joint] - kernel[joint]).max() for joint in ("upper", "lower")))
        deflections.append(np.abs(own.deflection("upper").values).max())
    slope = np.log(differences[0] / differences[1]) / np.log(deflections[0] / deflections[1])
    assert deflections[0] > 2e-4
    claim(abs(slope - 2), 0.1, "off the power 2")


def test_a_ball_joint_is_refused_by_name():
    body = {"mass": 1, "inertia": [1, 1, 1]}
    link = {"name": "thigh", "joint": {"name": "hip", "type": "spherical"}, "body": body}
    robot = lissom.Robot.from_dict({"lissom": 1, "name": "leg", "links": [link]})
    with pytest.raises(Unsupported, match=r"joint\.type = 'spherical'"):
        theory.build("erls", robot.compile())


def test_forces_err_in_the_first_power_of_the_deflection_energy_and_positions_in_the_second():
    """At given accelerations, against the kernel with foreshortening; deflections fall from 10 mm to 1 mm."""
    beam = {
        "length": 0.9,
        "section": {"rhoA": 1.3, "EA": 2e4, "EIy": 40.0, "EIz": 60.0, "GJ": 30.0, "Jx": 0.01},
        "modes": {"y": 2, "z": 2, "torsion": 1},
        "stiffening": "first",
    }
    hinges = {"u": [0, 0, 1], "f": [0, 1, 0]}
    links = [{"name": n, "joint": {"type": "revolute", "axis": axis}, "beam": beam} for n, axis in hinges.items()]
    model = lissom.Robot.from_dict({"name": "arm", "gravity": [1, -9, 2], "links": links}).compile()
    erls, modes = Erls(model), np.concatenate([np.r_[body.modes_v] for body in model.bodies])
    q0, v0, a = np.random.default_rng(1).normal(size=(3, model.nv))
    errors = []
    for deflection in (0.001, 0.0001):
        q, v = q0.copy(), v0.copy()
        q[modes] *= 0.3 * deflection
        v[modes] *= deflection
        pairs = [
            (erls.inverse_dynamics(q, v, a), lissom.inverse_dynamics(model, q, v, a)),
            (erls.wrenches(q, v, a), lissom.joint_wrenches(model, q, v, a)),
            (erls.energy(q, v).kinetic, lissom.energy(model, q, v).kinetic),
            (erls.energy(q, v).gravity, lissom.energy(model, q, v).gravity),
            (erls.tip(q), lissom.tip_pose(model, q)),
        ]
        errors.append([np.abs(np.asarray(own) - kernel).max() for own, kernel in pairs])
    powers = np.log10(np.divide(*errors))
    np.testing.assert_allclose(powers, [1, 1, 2, 2, 2], atol=0.15)
