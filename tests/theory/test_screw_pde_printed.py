"""The paper's own matrices are the formulation's: Z = (omega, r'), T_gamma, Gamma*, M_D, M_DPsi, h_MD."""

from functools import cache

import numpy as np
import pytest
from claims import claim
from lifting_ella import lifting
from random_robots import random_robot, random_state

import lissom
from lissom import theory
from lissom.lie import so3
from lissom.theory.screw_pde import ScrewPDE
from lissom.theory.screw_pde.printed import CoordinateForm, kinematics
from lissom.theory.screw_pde.printed.coordinate_form import link_integrals

JOINTS = ("universal", "revolute", "prismatic", "spherical", "fixed", "free")


@cache
def case(seed, middle=False):
    """A random tree, its formulation with frames at the bases or along the links, and a state."""
    rng = np.random.default_rng(seed)
    order = "none" if seed % 2 == 0 else "first"
    joints = [*rng.permutation(JOINTS)[:4], "revolute"]
    robot = random_robot(rng, joints, flexible=0.7, stiffening=order, transmissions=0.0)
    model = robot.compile()
    q, v = random_state(robot, rng)
    frames = {name: 0.4 * beam.length for name, beam in model.flexible.items()} if middle else {}
    return ScrewPDE(model, frames), q, v, rng.normal(size=model.nv)


def relative(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


@pytest.mark.parametrize("middle", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_system_in_the_papers_coordinates_has_the_solution_of_the_twist_form(seed, middle):
    f, q, v, tau = case(seed, middle)
    found = CoordinateForm.of(f, q, v, tau).solve()
    a, wrenches = f.solve(q, v, tau)
    claim(relative(found.accelerations, a), 1e-11)
    claim(relative(found.wrenches, wrenches), 1e-11)
    claim(relative(found.accelerations, lissom.forward_dynamics(f.model, q, v, tau)), 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_its_matrices_are_those_of_the_stacked_system_with_twists_replaced(seed):
    f, q, v, tau = case(seed)
    form = CoordinateForm.of(f, q, v, tau)
    n = len(form.Gamma)
    to_twists = np.eye(n + len(form.h_phi))
    to_twists[:n, :n] += form.T_gamma
    order = np.concatenate([np.r_[place.slice] for place in form.places])
    rows = {block.name: block for block in form.system.rows}
    last = [block.name for block in form.system.rows if block.kind == "deformation"]
    first = [block.name for block in form.system.rows if block.kind != "deformation"]
    sequence = np.concatenate([np.r_[rows[name].slice] for name in (*first, *last)])
    matrix = np.zeros_like(form.M_sys)
    matrix[:, order] = form.system.matrix.toarray()[sequence]
    claim(relative(form.M_sys, matrix @ to_twists), 1e-12)
    drift = matrix @ np.concatenate([form.Gamma, np.zeros(len(form.h_phi))])
    claim(relative(form.W_sys - form.H_sys, form.system.right[sequence] - drift), 1e-11)


def test_what_the_deformation_brings_vanishes_with_it():
    f, q, v, tau = case(0)
    form = CoordinateForm.of(f, q, v, tau)
    assert np.abs(form.h_MD).max() > 1e-3
    assert np.abs(form.M_DPsi).max() > 1e-3
    straight, still = q.copy(), v.copy()
    for body in f.model.bodies:
        straight[body.modes_q], still[body.modes_v] = 0.0, 0.0
    assert np.abs(CoordinateForm.of(f, q, still, tau).h_MD).max() == 0.0
    assert np.abs(CoordinateForm.of(f, straight, v, tau).M_DPsi).max() < 1e-15
    assert np.abs(form.T_gamma @ form.T_gamma).max() == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_the_differential_block_is_that_of_the_kinetic_energy(seed):
    """Symmetric (75), positive definite (78), and its form is 2 T (77)."""
    f, q, v, tau = case(seed)
    block = CoordinateForm.of(f, q, v, tau).differential_block()
    claim(relative(block, block.T), 1e-12)
    assert np.linalg.eigvalsh(block)[0] > 0
    f.place(q, v)
    rates = np.concatenate([f.work.V.ravel(), *(v[body.modes_v] for body in f.model.bodies)])
    armature = 0.5 * np.sum(f.table.armature * v**2)
    claim(abs(0.5 * rates @ block @ rates + armature - f.energy(q, v).kinetic) / f.energy(q, v).kinetic, 1e-12)


def test_integrals_over_a_beam_are_those_of_the_paper():
    """(10), (11), (14), (64), (106) of a line of mass, by a quadrature of our own over its shape functions."""
    section = {"rhoA": 1.3, "EA": 2e4, "EIy": 40.0, "EIz": 60.0, "GJ": 30.0, "Jx": 1e-30, "Jy": 0.0, "Jz": 0.0}
    modes = {"y": 2, "z": 2, "axial": 1}
    beam = {"length": 0.9, "section": section, "modes": modes, "stiffening": "none"}
    link = {"name": "rod", "joint": {"type": "spherical"}, "beam": beam}
    model = lissom.Robot.from_dict({"lissom": 1, "name": "line", "links": [link]}).compile()
    rng = np.random.default_rng(1)
    q, v = model.neutral(), rng.normal(size=model.nv)
    body = model.bodies[0]
    eta = q[body.modes_q] = 0.02 * rng.normal(size=len(q[body.modes_q]))
    f = ScrewPDE(model)
    f.place(q, v)
    found = link_integrals(f, 0, q, v)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    inertia, by_modes, by_turning = np.zeros((6, 6)), np.zeros((6, len(eta))), np.zeros((6, 3))
    modal = np.zeros((len(eta), len(eta)))
    for x, w in zip(0.45 * (nodes + 1), 0.45 * 1.3 * weights, strict=True):
        phi = model.flexible["rod"].section_map(x).phi
        straight, bent = so3.hat(np.array([x, 0, 0])), so3.hat(phi @ eta)
        sum_of = straight + bent
        inertia += w * np.block([[-sum_of @ straight, sum_of], [-straight, np.eye(3)]])
        by_modes += w * np.concatenate([sum_of @ phi, phi])
        by_turning += w * np.concatenate([-sum_of @ bent, -bent])
        modal += w * phi.T @ phi
    for name, own in (("inertia", inertia), ("by_modes", by_modes), ("by_turning", by_turning), ("modal_mass", modal)):
        claim(relative(getattr(found, name), own), 1e-11)


def test_what_the_paper_prints_otherwise_changes_the_accelerations_of_ella():
    """Without h_s in (71); without wrenches in (64); with r_xi alone in (106), where (75) asks for r_b + r_xi."""
    f, q, v, tau = lifting(2)
    form = CoordinateForm.of(f, q, v, tau)
    n, right = len(form.Gamma), form.W_sys - form.H_sys
    x = np.linalg.solve(form.M_sys, right)
    lost = right + np.concatenate([form.h_s, np.zeros(len(form.h_phi))])
    columns = {block.name: place for block, place in zip(form.system.columns, form.places, strict=True)}
    without, printed = form.M_sys.copy(), form.M_sys.copy()
    for name in f.model.joints:
        without[n:, columns[f"{name}: wrench"].slice] = 0.0
    flat = q.copy()
    for name in f.model.flexible:
        flat[f.model.link(name).modes_q] = 0.0
    for name in f.model.flexible:
        torque = slice(columns[f"{name}: twist acceleration"].start, columns[f"{name}: twist acceleration"].start + 3)
        f.evaluate(flat, v, tau)
        straight = link_integrals(f, f.row(name), flat, v).by_modes
        printed[torque, columns[f"{name}: modal acceleration"].slice] -= straight[:3]
    moving = np.concatenate([np.r_[p.slice] for name, p in columns.items() if "acceleration" in name])
    for what, system, side in (("h_s", form.M_sys, lost), ("wrenches", without, right), ("r_b", printed, right)):
        off = relative(np.linalg.solve(system, side)[moving], x[moving])
        print(f"without {what} accelerations of ELLA are off by {off:.2g} of the largest")
        assert off > 0.05, what


def test_gears_and_closures_are_refused_by_name():
    model = lissom.load("canadarm2").compile()
    with pytest.raises(theory.Unsupported, match="no closures, no rotors"):
        CoordinateForm.of(ScrewPDE(model), model.neutral(), np.zeros(model.nv), np.zeros(model.nv))


def path(t):
    """Turn (as exp of a vector) and position in body axes of a frame, and a displacement in it."""
    return (
        so3.exp(np.array([0.3 * t, t**2, 0.5 * np.sin(t)])),
        np.array([np.cos(t), t, 0.2 * t**2]),
        np.sin([t, 2 * t, 3]),
    )


def slope(function, t, h=1e-3):
    """First derivative by central differences of order eight."""
    weights = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
    return sum(w * function(t + k * h) for w, k in zip(weights, range(-4, 5), strict=True)) / h


def test_derivatives_in_turning_axes_are_those_along_a_motion():
    t = 0.7

    def omega(t):
        return so3.vee(path(t)[0].T @ slope(lambda s: path(s)[0], t))

    def rate(k):
        return lambda t: slope(lambda s: path(s)[k], t)

    R, r, u = path(t)
    w, dw = omega(t), slope(omega, t)
    for k, x in ((1, r), (2, u)):
        first, second = rate(k)(t), slope(rate(k), t)
        claim(
            relative(R @ kinematics.inertial_rate(w, x, first), slope(lambda s, k=k: path(s)[0] @ path(s)[k], t)), 1e-9
        )
        world = slope(lambda t, k=k: slope(lambda s: path(s)[0] @ path(s)[k], t), t)
        claim(relative(R @ kinematics.inertial_acceleration(w, dw, x, first, second), world), 1e-7)

    def twist(t):
        return kinematics.frame_twist(omega(t), path(t)[1], rate(1)(t))

    def carried(t):
        return kinematics.displacement_twist(omega(t), path(t)[2], rate(2)(t))

    found = kinematics.frame_twist_rate(w, dw, r, rate(1)(t), slope(rate(1), t))
    claim(relative(found, slope(twist, t)), 1e-7)
    # components in the world turn with the frame: the linear part by omega, the angular part as well
    moved = kinematics.inertial_twist_rate(twist(t), carried(t), slope(carried, t))
    claim(relative(R @ moved[3:], slope(lambda t: path(t)[0] @ carried(t)[3:], t)), 1e-7)
    claim(relative(kinematics.inertial_twist_rate(twist(t), twist(t), found), found), 1e-12)
