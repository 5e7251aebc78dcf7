"""The independent derivation stands on its own: closed forms, balances, conservation, without the library."""

from types import SimpleNamespace

import numpy as np
import pytest
from independent import Body, Independent
from independent_beam import Beam, Lump
from independent_joints import Joint

X, Y, Z = np.eye(3)


class Powers:
    """Functions xi^first, xi^(first+1), ... of a stand-in basis."""

    breaks = ()

    def __init__(self, count, first):
        self.count, self.first = count, first

    def values(self, xi):
        k = np.arange(self.first, self.first + self.count)
        x = xi[:, None]
        return x**k, k * x ** (k - 1), k * (k - 1) * x ** np.maximum(k - 2, 0)


def beam(stiffening, damping=0.0, masses=(), counts=(2, 2, 1, 1), length=1.2, **constants):
    section = {"rhoA": 2.0, "EA": 1e4, "EIy": 40.0, "EIz": 90.0, "GJ": 30.0}
    section |= {"Jx": 0.02, "Jy": 0.008, "Jz": 0.025}
    shapes = tuple(Powers(n, first) for n, first in zip(counts, (2, 2, 1, 1)))
    return Beam(length, SimpleNamespace(**(section | constants)), shapes, stiffening, damping, tuple(masses))


def lump(rng, x=0.0):
    spread = rng.normal(size=(3, 3))
    spread = 0.05 * spread @ spread.T
    return Lump(1.3, 0.1 * rng.normal(size=3), np.trace(spread) * np.eye(3) - spread, x)


def point(mass, *com):
    return Lump(mass, np.array(com), np.zeros((3, 3)))


def offset(rng):
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return turn * np.linalg.det(turn), 0.2 * rng.normal(size=3)


def tree(rng, stiffening, lossless=False):
    """One robot with every joint type, rigid and flexible links, two children on one link, a transmission."""
    loss = 0.0 if lossless else 1.0
    kelvin_voigt = {"stiffness": 1e-3 * loss, "mass": 0.1 * loss}
    stops = ((-0.1, 0.2, 50.0, loss, 0.05),) * 2
    return [
        Body(-1, lump(rng), Joint("free")),
        Body(
            0,
            beam(stiffening, 0.02 * loss, [lump(rng, 0.7)]),
            Joint("spherical", damping=(loss,) * 3),
            offset(rng),
        ),
        Body(
            1,
            beam(stiffening, kelvin_voigt),
            Joint("universal", (Y, Z), spring=((3, 0.1), (4, 0.2)), limits=stops),
            offset(rng),
            at=0.5,
        ),
        Body(1, lump(rng), Joint("revolute", (Y + Z,), transmission=(100.0, 0.01, 10.0, loss)), offset(rng)),
        Body(2, lump(rng), Joint("planar", (Y, Z), friction=((loss, 0.1, loss),) * 3), offset(rng)),
        Body(2, beam(stiffening), Joint("cylindrical", (Y,)), offset(rng)),
        Body(5, lump(rng), Joint("prismatic", (X,), transmission=(None, 0.2, 2.0, 0.0)), offset(rng)),
        Body(0, point(0.5, 0.1, 0.2, 0.3), Joint("fixed"), offset(rng)),
    ]


def state(system, rng, deflection=0.02):
    q, v = 0.3 * rng.normal(size=system.nq), rng.normal(size=system.nv)
    for i, body in enumerate(system.bodies):
        if body.joint.type in ("spherical", "free"):
            start = system.joint_q[i].start
            q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
        q[system.mode_q[i]] *= deflection / 0.3
        v[system.mode_v[i]] *= 0.1
    return q, v


def runge_kutta(system, q, v, step, count):
    def slope(q, v):
        return system.rate(q, v), system.forward(q, v)

    for _ in range(count):
        k1 = slope(q, v)
        k2 = slope(q + step / 2 * k1[0], v + step / 2 * k1[1])
        k3 = slope(q + step / 2 * k2[0], v + step / 2 * k2[1])
        k4 = slope(q + step * k3[0], v + step * k3[1])
        q = q + step / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
        v = v + step / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
    return q, v


def test_double_pendulum_has_its_textbook_accelerations():
    m1, m2, l1, l2, g = 1.3, 0.7, 0.9, 0.6, 9.81
    arm = [
        Body(-1, point(m1, l1, 0, 0), Joint("revolute", (Z,))),
        Body(0, point(m2, l2, 0, 0), Joint("revolute", (Z,)), (np.eye(3), l1 * X)),
    ]
    q, v = np.array([0.4, -1.1]), np.array([1.5, -2.2])
    c, s = np.cos(q[1]), np.sin(q[1])
    m22 = m2 * l2**2
    m12 = m22 + m2 * l1 * l2 * c
    mass = np.array([[(m1 + m2) * l1**2 + m22 + 2 * m2 * l1 * l2 * c, m12], [m12, m22]])
    coriolis = m2 * l1 * l2 * s * np.array([-(2 * v[0] + v[1]) * v[1], v[0] ** 2])
    second = m2 * g * l2 * np.cos(q.sum())
    weight = np.array([(m1 + m2) * g * l1 * np.cos(q[0]) + second, second])
    system = Independent(arm, gravity=(0, -g, 0))
    assert system.mass_matrix(q) == pytest.approx(mass, abs=1e-13)
    assert system.forward(q, v) == pytest.approx(-np.linalg.solve(mass, coriolis + weight), abs=1e-11)


def test_heavy_top_obeys_eulers_equations(rng):
    body = lump(rng)
    shift = np.dot(body.com, body.com) * np.eye(3) - np.outer(body.com, body.com)
    inertia = body.inertia + body.mass * shift
    system = Independent([Body(-1, body, Joint("spherical"))])
    q, omega = state(system, rng)
    down = system.poses(q)[0][0].T @ system.gravity
    torque = np.cross(body.com, body.mass * down) - np.cross(omega, inertia @ omega)
    assert system.forward(q, omega) == pytest.approx(np.linalg.solve(inertia, torque), abs=1e-11)


def test_free_body_keeps_its_spatial_momentum(rng):
    body = lump(rng)
    system = Independent([Body(-1, body, Joint("free"))], gravity=(0, 0, 0))

    def momenta(q, v):
        R, p = system.poses(q)[0]
        linear = R @ (v[3:] + np.cross(v[:3], body.com)) * body.mass
        spin = R @ body.inertia @ v[:3]
        return np.concatenate([linear, spin + np.cross(p + R @ body.com, linear)])

    q, v = state(system, rng)
    before = momenta(q, v)
    assert momenta(*runge_kutta(system, q, v, 1e-3, 200)) == pytest.approx(before, abs=1e-10)


def test_clamped_beam_has_the_frequency_and_static_sag_of_its_ritz_space():
    link = beam("none", counts=(4, 0, 0, 0), EIz=90.0, Jz=0.0, Jy=0.0, Jx=0.0)
    system = Independent([Body(-1, link)], gravity=(0, -9.81, 0))
    zero = np.zeros(4)
    stiffness = np.column_stack([system.inertia_force(e, zero)[:4] for e in np.eye(4)]) - np.outer(
        system.inertia_force(zero, zero)[:4], np.ones(4)
    )
    omega = np.sqrt(np.min(np.linalg.eigvals(np.linalg.solve(system.mass_matrix(zero), stiffness)).real))
    assert omega == pytest.approx(1.8751040687**2 / 1.2**2 * np.sqrt(90.0 / 2.0), rel=1e-4)
    sag = -np.linalg.solve(stiffness, system.inertia_force(zero, zero)[:4]).sum()
    assert sag == pytest.approx(-2.0 * 9.81 * 1.2**4 / (8 * 90.0), rel=1e-9)


def test_spin_stiffens_a_beam_only_with_the_second_order_field():
    """Flap w = eta xi^2 of a beam that spins: -dT/d eta, T = Omega^2/2 int rhoA (x - eta^2 B/2)^2 dx.

    B = int_0^x w'^2 ds / eta^2 = 4/3 x^3/L^4; the first term of the force is Southwell's.
    """
    spin, length, rho, eta = 7.0, 1.2, 2.0, 0.1
    stiffening_force = spin**2 * rho * (4 / 15 * length * eta - eta**3 / 2 * 16 / 63 / length)
    for stiffening, share in (("first", 1.0), ("none", 0.0)):
        link = beam(stiffening, counts=(0, 1, 0, 0), Jx=0.0, Jy=0.0, Jz=0.0)
        system = Independent([Body(-1, link, Joint("revolute", (Z,)))], gravity=(0, 0, 0))
        q, v = np.array([0.0, eta]), np.array([spin, 0.0])
        gain = system.inertia_force(q, v)[1] - system.inertia_force(q, 0 * v)[1]
        assert gain == pytest.approx(share * stiffening_force, abs=1e-12)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.mark.parametrize("stiffening", ["none", "first"])
def test_mass_matrix_is_symmetric_positive_definite_and_gives_the_kinetic_energy(rng, stiffening):
    system = Independent(tree(rng, stiffening))
    q, v = state(system, rng)
    mass = system.mass_matrix(q)
    assert mass == pytest.approx(mass.T, abs=1e-12)
    assert np.linalg.eigvalsh(mass)[0] > 0
    assert system.energy(q, v)[0] == pytest.approx(v @ mass @ v / 2, rel=1e-12)


@pytest.mark.parametrize("stiffening", ["none", "first"])
def test_energy_changes_by_the_power_of_the_passive_forces(rng, stiffening):
    system = Independent(tree(rng, stiffening))
    q, v = state(system, rng)
    wrenches = rng.normal(size=(len(system.bodies), 6))
    rate, a = system.rate(q, v), system.forward(q, v, wrenches=wrenches)

    def energy(t):
        return sum(system.energy(q + t * rate, v + t * a))

    h = 1e-5
    slope = (8 * (energy(h) - energy(-h)) - energy(2 * h) + energy(-2 * h)) / (12 * h)
    assert slope == pytest.approx(v @ system.applied_force(q, v, wrenches), rel=1e-7)


@pytest.mark.parametrize("stiffening", ["none", "first"])
def test_energy_is_conserved_without_losses(rng, stiffening):
    system = Independent(tree(rng, stiffening, lossless=True))
    q, v = state(system, rng)
    before = np.array(system.energy(q, v))
    after = np.array(system.energy(*runge_kutta(system, q, v, 3e-4, 30)))
    assert abs(after[0] - before[0]) > 0.1
    assert after.sum() == pytest.approx(before.sum(), abs=1e-7 * np.abs(before).max())


@pytest.mark.parametrize("stiffening", ["none", "first"])
def test_joint_wrenches_from_virtual_displacements_obey_newtons_law(rng, stiffening):
    system = Independent(tree(rng, stiffening))
    q, v = state(system, rng)
    a = system.forward(q, v)
    wrenches = system.joint_wrenches(q, v, a)
    assert wrenches == pytest.approx(system.balance_wrenches(q, v, a), abs=1e-12 * np.abs(wrenches).max())


def test_joint_wrenches_along_free_directions_are_the_joint_forces(rng):
    system = Independent(tree(rng, "first"))
    q, v = state(system, rng)
    a = system.forward(q, v)
    wrenches = system.joint_wrenches(q, v, a)
    _, rotor = system.rotors[3]
    twist = q[-1] - q[system.joint_q[3]][0]
    torque = 100.0 * twist + (v[rotor] - v[system.joint_v[3]][0])
    assert wrenches[3][:3] @ (Y + Z) / np.sqrt(2) == pytest.approx(torque, abs=1e-9)
    assert wrenches[0] == pytest.approx(np.zeros(6), abs=1e-8)


def test_inverse_undoes_forward(rng):
    system = Independent(tree(rng, "first"))
    q, v = state(system, rng)
    tau = rng.normal(size=system.nv)
    assert system.inverse(q, v, system.forward(q, v, tau)) == pytest.approx(tau, abs=1e-9)
