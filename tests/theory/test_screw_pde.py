"""The stacked screw system equals the kernel: accelerations and interaction wrenches, of any robot, any body frame."""

from functools import cache

import numpy as np
import pytest
from claims import claim
from places import reference_figures
from random_robots import random_robot, random_state

import lissom
from lissom import theory
from lissom.control import Reference, pd
from lissom.dynamics import point_force
from lissom.theory.screw_pde import Closure, Load, ScrewPDE

JOINTS = ("fixed", "revolute", "prismatic", "cylindrical", "universal", "planar", "spherical", "free")


@cache
def case(seed):
    """A random tree with a state: every joint type occurs, links are rigid or flexible, joints passive or geared."""
    rng = np.random.default_rng(seed)
    joints = [*rng.permutation(JOINTS)[:4], "revolute", "universal"]
    robot = random_robot(rng, joints, stiffening="none" if seed % 3 == 0 else "first")
    model = robot.compile()
    q, v = random_state(robot, rng)
    return model, q, v, rng.normal(size=model.nv)


def middle(model):
    return {name: 0.5 * beam.length for name, beam in model.flexible.items()}


def relative(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


@pytest.mark.parametrize("frames", ["base", "middle"])
@pytest.mark.parametrize("seed", range(8))
def test_accelerations_and_wrenches_are_the_kernels(seed, frames):
    model, q, v, tau = case(seed)
    system = ScrewPDE(model, middle(model) if frames == "middle" else {})
    a, wrenches = system.solve(q, v, tau)
    expected = lissom.forward_dynamics(model, q, v, tau)
    claim(relative(a, expected), 1e-9)
    claim(relative(wrenches, lissom.joint_wrenches(model, q, v, expected)), 1e-9)


@cache
def exact_case(seed):
    """Links with the exact field, bent by tenths of their length, and one of first order."""
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, [*rng.permutation(JOINTS)[:3], "revolute"], flexible=[True, False, True, True])
    for link in ("link0", "link2"):
        robot = robot.with_value(f"links.{link}.beam.stiffening", "exact")
    model = robot.compile()
    q, v = random_state(robot, rng)
    for link in ("link0", "link2"):
        q[model.link(link).modes_q] *= 5  # sections turn by up to 4 rad
    return model, q, v, rng.normal(size=model.nv)


@pytest.mark.parametrize("frames", ["base", "middle"])
@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_links_with_the_exact_field_move_as_in_the_kernel(seed, frames):
    model, q, v, tau = exact_case(seed)
    system = ScrewPDE(model, middle(model) if frames == "middle" else {})
    a, wrenches = system.solve(q, v, tau)
    expected = lissom.forward_dynamics(model, q, v, tau)
    claim(relative(a, expected), 1e-9)
    claim(relative(wrenches, lissom.joint_wrenches(model, q, v, expected)), 1e-9)
    other = np.random.default_rng(seed).normal(size=model.nv)
    claim(relative(system.inverse_dynamics(q, v, other), lissom.inverse_dynamics(model, q, v, other)), 1e-9)
    claim(relative(np.array(system.energy(q, v)), np.array(lissom.energy(model, q, v))), 1e-11)
    claim(np.abs(system.tip(q) - lissom.tip_pose(model, q)).max(), 1e-12)


@pytest.mark.slow
def test_a_falling_rope_like_link_keeps_its_energy():
    """Exact field, in the time loop that calls the formulation back: bent by tenths of its length."""
    section = {"rhoA": 1.0, "EA": 4e3, "EIy": 0.6, "EIz": 0.6, "GJ": 0.5, "Jx": 1e-3}
    beam = {"length": 1.0, "section": section, "modes": {"y": 2}, "stiffening": "exact"}
    link = {"name": "rope", "joint": {"type": "revolute", "axis": [0, 0, 1]}, "beam": beam}
    robot = lissom.Robot.from_dict({"lissom": 1, "name": "rope", "gravity": [0, -9.81, 0], "links": [link]})
    model = robot.compile()
    formulation = ScrewPDE(model)
    run = theory.simulate(formulation, 0.25, rtol=1e-8, atol=1e-10)
    total = np.array([formulation.energy(q, v).total for q, v in zip(run.q, run.v, strict=True)])
    kinetic = max(formulation.energy(q, v).kinetic for q, v in zip(run.q, run.v, strict=True))
    assert np.abs(run.deflection("rope").values[:, :2]).max() > 0.1
    claim(np.abs(total - total[0]).max() / kinetic, 1e-6)
    kernel = lissom.simulate(model, 0.25, rtol=1e-10, atol=1e-12, progress=False)
    claim(np.abs(run.q - kernel.q).max(), 1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_wrenches_of_given_accelerations_are_the_kernels(seed):
    model, q, v, _ = case(seed)
    a = np.random.default_rng(seed).normal(size=model.nv)
    for frames in ({}, middle(model)):
        wrenches = ScrewPDE(model, frames).wrenches(q, v, a)
        claim(relative(wrenches, lissom.joint_wrenches(model, q, v, a)), 1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_forces_of_given_accelerations_are_the_kernels(seed):
    model, q, v, _ = case(seed)
    a = np.random.default_rng(seed).normal(size=model.nv)
    expected = lissom.inverse_dynamics(model, q, v, a)
    for frames in ({}, middle(model)):
        claim(relative(ScrewPDE(model, frames).inverse_dynamics(q, v, a), expected), 1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_tip_and_energies_are_the_kernels(seed):
    model, q, v, _ = case(seed)
    for frames in ({}, middle(model)):
        system = ScrewPDE(model, frames)
        assert np.allclose(system.tip(q), lissom.tip_pose(model, q), atol=1e-13)
        assert np.allclose(system.energy(q, v), lissom.energy(model, q, v), rtol=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_block_elimination_and_a_sparse_solver_agree(seed):
    model, q, v, tau = case(seed)
    system = ScrewPDE(model, middle(model) if seed % 2 else {})
    a, wrenches = system.solve(q, v, tau)
    direct = system.system(q, v, tau).solve()
    claim(relative(direct.accelerations, a), 1e-10)
    claim(relative(direct.wrenches, wrenches), 1e-10)


@pytest.mark.parametrize("frame", ["local", "world"])
def test_a_load_anywhere_on_a_link_acts_as_its_generalised_force(frame):
    model = lissom.load("ella").compile()
    rng = np.random.default_rng(3)
    q, v = random_state(model.robot, rng, 0.01)
    wrench = rng.normal(size=6)
    for frames in ({}, {"upper": 0.3}):
        system = ScrewPDE(model, frames)
        for x in (0.0, 0.4, None):
            a = system.accelerations(q, v, np.zeros(model.nv), [Load("upper", wrench, x, frame)])
            force = point_force(model, q, wrench, "upper", x, frame=frame)
            assert relative(a, lissom.forward_dynamics(model, q, v, force)) < 1e-9


def test_appending_a_link_appends_block_rows_and_touches_no_other():
    robot = lissom.load("ella")
    hand = {
        "name": "hand",
        "joint": {"type": "universal", "axes": [[0, 1, 0], [0, 0, 1]]},
        "body": {"mass": 0.5, "inertia": [0.01, 0.02, 0.02]},
    }
    longer = lissom.Robot.from_dict(robot.to_dict() | {"links": [*robot.to_dict()["links"], hand]})
    short, long = robot.compile(), longer.compile()
    q, v = random_state(long.robot, np.random.default_rng(0), 0.01)
    first = ScrewPDE(short).system(q[: short.nq], v[: short.nv], np.zeros(short.nv))
    second = ScrewPDE(long).system(q, v, np.zeros(long.nv))
    size = len(first.right)
    assert second.rows[: len(first.rows)] == first.rows
    assert second.columns[: len(first.columns)] == first.columns
    assert np.array_equal(second.matrix.toarray()[:size, :size], first.matrix.toarray())
    assert np.array_equal(second.right[:size], first.right)
    # the only old rows that see a new unknown are those of the link it hangs on
    touched = np.flatnonzero(np.any(second.matrix.toarray()[:size, size:], axis=1))
    assert {row.name for row in first.rows if np.any((touched >= row.start) & (touched < row.stop))} == {
        "forearm: twist",
        "forearm: deformation",
    }


def test_blocks_of_a_chain_are_near_block_tridiagonal():
    model = lissom.load("ella").compile()
    system = ScrewPDE(model).system(model.neutral(), np.zeros(model.nv), np.zeros(model.nv))
    links = {name: k for k, name in enumerate(model.links)} | {name: k for k, name in enumerate(model.joints)}
    for row in system.rows:
        for column in system.columns:
            if np.any(system.block(row.name, column.name)):
                assert abs(links[row.owner] - links[column.owner]) <= 1
    assert np.allclose(system.block("upper: twist", "shoulder: wrench"), -np.eye(6))
    assert system.block("elbow: constraint", "upper: modal acceleration").shape == (5, 10)


def thin_arm():
    """Two beams without rotary inertia worth the name: all their mass sits on the centre line."""
    section = {"rhoA": 1.2, "EA": 2e4, "EIy": 40.0, "EIz": 60.0, "GJ": 30.0, "Jx": 1e-12, "Jy": 0.0, "Jz": 0.0}
    beam = {"length": 0.8, "section": section, "modes": {"y": 2, "z": 2, "torsion": 0, "axial": 1}}
    links = [
        {"name": "upper", "joint": {"type": "universal", "axes": [[0, 1, 0], [0, 0, 1]]},
         "beam": beam | {"masses": [{"mass": 0.4}]}},
        {"name": "fore", "joint": {"type": "revolute", "axis": [0, 0, 1]}, "beam": beam},
    ]  # fmt: skip
    return lissom.Robot.from_dict({"lissom": 1, "name": "thin", "gravity": [0, -9.81, 0], "links": links}).compile()


def test_joint_wrenches_balance_every_free_body():
    model = thin_arm()
    q, v = random_state(model.robot, np.random.default_rng(5), 0.001)
    system = ScrewPDE(model)
    a, W = system.solve(q, v, np.zeros(model.nv))
    nodes, weights = np.polynomial.legendre.leggauss(24)

    def momenta(t):
        """Linear and angular momentum about the world's origin, of both links, by differences of positions."""
        h = 1e-5
        now, later = (q + v * s + 0.5 * a * s * s for s in (t - h, t + h))
        out = []
        for link, beam in model.flexible.items():
            x = np.append((nodes + 1) / 2 * beam.length, beam.length)
            mass = np.append(weights / 2 * beam.length * beam.section.rhoA, sum(m.mass for m in beam.masses))
            before, after = (np.array([system.pose(s, link, k)[:3, 3] for k in x]) for s in (now, later))
            place, speed = (before + after) / 2, (after - before) / (2 * h)
            out.append(np.concatenate([mass @ np.cross(place, speed), mass @ speed]))
        return np.array(out)

    rate = (momenta(1e-5) - momenta(-1e-5)) / 2e-5
    weight, at_joint = [], []
    for link, beam in model.flexible.items():
        x = np.append((nodes + 1) / 2 * beam.length, beam.length)
        mass = np.append(weights / 2 * beam.length * beam.section.rhoA, sum(m.mass for m in beam.masses))
        place = np.array([system.pose(q, link, k)[:3, 3] for k in x])
        pull = mass[:, None] * np.array(model.robot.gravity)
        weight.append(np.concatenate([np.cross(place, pull).sum(0), pull.sum(0)]))
        base = system.pose(q, link, 0.0)
        torque, force = base[:3, :3] @ W[system.row(link), :3], base[:3, :3] @ W[system.row(link), 3:]
        at_joint.append(np.concatenate([torque + np.cross(base[:3, 3], force), force]))
    assert np.allclose(rate[1], at_joint[1] + weight[1], atol=2e-5 * np.abs(at_joint[1]).max())
    assert np.allclose(rate[0], at_joint[0] - at_joint[1] + weight[0], atol=2e-5 * np.abs(at_joint[0]).max())


def test_a_closure_holds_its_section():
    model = thin_arm()
    q, v = random_state(model.robot, np.random.default_rng(6), 0.01)
    v *= 0.0
    held = ScrewPDE(model, closures=[Closure("fore", holds="position")])
    a = held.accelerations(q, v, np.zeros(model.nv))
    J = lissom.jacobian(model, q, "fore")[3:]
    assert np.abs(J @ a).max() < 1e-9 * np.abs(a).max()
    force = held.system(q, v, np.zeros(model.nv)).solve().closures
    free = ScrewPDE(model).accelerations(q, v, np.zeros(model.nv), [Load("fore", force[0])])
    assert relative(free, a) < 1e-9


def test_frames_and_closures_that_cannot_be_are_refused():
    model = lissom.load("ella").compile()
    with pytest.raises(lissom.LissomError, match=r"upper = 1.2: lies outside the link; give 0 to 0.95 m"):
        ScrewPDE(model, {"upper": 1.2})
    with pytest.raises(lissom.LissomError, match="hub: is rigid"):
        ScrewPDE(model, {"hub": 0.1})
    with pytest.raises(lissom.LissomError, match="did you mean 'upper'"):
        ScrewPDE(model, {"uper": 0.1})
    with pytest.raises(theory.Unsupported, match="prescribed = 'elbow'"):
        driven = ScrewPDE(lissom.load("ella").compile(prescribed="elbow"))
        driven.accelerations(model.neutral(), np.zeros(model.nv), np.zeros(model.nv))
    with pytest.raises(lissom.LissomError, match="'hand': there is no such link"):
        ScrewPDE(model, closures=[Closure("hand")])
    with pytest.raises(lissom.LissomError, match="block = 'upper: wrench': there is none"):
        ScrewPDE(model).system(model.neutral(), np.zeros(model.nv), np.zeros(model.nv)).block("upper: wrench", "x")


FIGURES = reference_figures()["manoeuvres"]["ella"]


@cache
def ella_run():
    model = lissom.load("ella").compile()
    law = pd(model, FIGURES["gains"], Reference.quintic(**FIGURES["quintic"]))
    return model, law, theory.simulate(ScrewPDE(model), FIGURES["duration"], controller=law)


@pytest.mark.slow
def test_the_ella_manoeuvre_is_the_kernels():
    model, law, own = ella_run()
    run = lissom.simulate(model, FIGURES["duration"], controller=law, rtol=1e-9, atol=1e-11)
    for joint in model.joints:
        claim(np.abs(own[joint] - run[joint]).max(), 2e-7, "rad")
    claim(np.abs(own.tip("forearm") - run.tip("forearm")).max(), 2e-7, "m")


@pytest.mark.slow
def test_ella_wrenches_are_those_of_the_reference():
    _, _, run = ella_run()
    limit = FIGURES["tolerances"]["wrench"]
    for joint in ("shoulder-yaw", "elbow"):
        wrench = run.wrench(joint).values
        for part, values in (("moment", wrench[:, :3]), ("force", wrench[:, 3:])):
            peak = np.linalg.norm(values, axis=1).max()
            for spot in FIGURES["spots"]:
                error = np.abs(values[round(spot["t"] * 200)] - spot["wrench"][joint]["child"][part]).max()
                claim(error / peak, limit)
