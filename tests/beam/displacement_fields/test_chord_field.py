"""Links that bow between their ends: terms of fourth order against the curve itself."""

import numpy as np
import pytest

import lissom
from lissom.beam import BeamLink, Profile, Section, make_basis, own_basis
from lissom.beam.functions.quadrature import Quadrature
from lissom.dynamics import energy
from lissom.errors import LissomError

LENGTH = 0.8
FINE = Quadrature.cached((0.0, 1.0), 40)
COUNTS = {"y": 3, "z": 2}


def link(EIy=8.0, EIz=8.0, kGA=None, chord=("y", "z")):
    section = Section(rhoA=1.2, EA=1e5, EIy=EIy, EIz=EIz, GJ=5.0, Jx=1e-3, Jy=0.0, Jz=0.0, kGAy=kGA, kGAz=kGA)
    if kGA is None:
        basis = make_basis(COUNTS, "legendre")
        return BeamLink(LENGTH, section, basis, "first", chord=chord, fourth_order=True)
    along = Profile.uniform(section, LENGTH)
    return BeamLink(LENGTH, along, own_basis(along, COUNTS, "legendre"), "first", chord=chord, fourth_order=True)


def test_the_chord_goes_through_both_ends_and_bends_nothing():
    for kGA in (None, 300.0):
        base, chord = link(kGA=kGA, chord=()), link(kGA=kGA)
        x = LENGTH * np.linspace(0, 1, 7)
        seen, turned = base.field.sections(x / LENGTH), chord.field.sections(x / LENGTH)
        np.testing.assert_allclose(turned.phi[[0, -1], 1:], 0.0, atol=1e-12)
        np.testing.assert_allclose(turned.strain, seen.strain, atol=1e-12)
        slopes = np.diff(turned.phi - seen.phi, axis=0)  # a rigid turn: straight lines
        np.testing.assert_allclose(slopes, slopes[:1] + 0 * slopes, atol=1e-12)
        turn = (turned.psi - seen.psi)[:, 1:]
        np.testing.assert_allclose(turn, turn[:1] + 0 * turn, atol=1e-12)
        np.testing.assert_allclose(turn[0, 1] * LENGTH, (turned.phi - seen.phi)[-1, 1], atol=1e-12)
        np.testing.assert_allclose(base.stiffness(), chord.stiffness(), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("kGA", [None, 300.0])  # of 300 N shear is a fifth of the deflection
@pytest.mark.parametrize("chord", [(), ("y", "z")])
@pytest.mark.parametrize(("EIy", "EIz", "eta"), [
    (3.0, 8.0, [0.008, -0.004, 0.002, 0.0, 0.0]),  # in one plane
    (3.0, 8.0, [0.0, 0.0, 0.0, 0.02, 0.006]),
    (8.0, 8.0, [0.02, 0.004, -0.003, -0.015, 0.006]),  # in both, equally stiff
])  # fmt: skip
def test_energy_and_foreshortening_are_those_of_the_curve_to_fourth_order(EIy, EIz, eta, chord, kGA):
    """Of sections whose normals have the slopes th, and an axis that leans by the shear strain from them."""
    beam, errors = link(EIy, EIz, kGA, chord), []
    for size in (0.25, 0.5):
        x = size * np.array(eta)
        sections = beam.field.sections(FINE.nodes)
        psi, psi_x, strain = sections.psi @ x, sections.psi_x @ x, sections.strain @ x
        th, bent = np.stack([psi[:, 2], -psi[:, 1]]), np.stack([psi_x[:, 2], -psi_x[:, 1]])  # along y and z
        lean, square = strain[:, 1:3].T, (th**2).sum(axis=0)
        stiffness = EIz if np.any(x[:3]) else EIy
        curvature = (bent**2).sum(axis=0) + (th * bent).sum(axis=0) ** 2 / (1 - square)  # of a curve of unit speed
        # what leans along the slope is seen shortened by its cosine, what leans across it is not
        shear = (lean**2).sum(axis=0) + (th * lean).sum(axis=0) ** 2 / (1 - square)
        whole = LENGTH / 2 * FINE.weights @ (stiffness * curvature + (kGA or 0.0) * shear)
        drawn = LENGTH * FINE.weights @ (1 - np.sqrt(1 - square) + (th * lean).sum(axis=0) / np.sqrt(1 - square))
        second = beam.field.running_terms(np.ones(1)).at(x)[0][0]
        quadratic = x @ beam.stiffness() @ x / 2
        back = -beam.pose(LENGTH, x)[0, 3] + LENGTH
        errors.append([abs(beam.strain_energy(x) - whole), abs(back - drawn)])
        assert errors[-1][0] < 0.05 * abs(whole - quadratic)
        assert errors[-1][1] < 0.05 * abs(drawn - second)
    assert np.all(np.array(errors[1]) / errors[0] > 0.7 * 2**6)  # what is left is of sixth order


def bowed_arm():
    section = {"rhoA": 1.2, "EA": 1e5, "EIy": 8.0, "EIz": 6.0, "GJ": 5.0, "Jx": 1e-3}
    beam = {"length": LENGTH, "section": section, "modes": {"y": 3, "z": 2, "torsion": 1, "axial": 1}, "frame": "chord"}
    load = {"name": "load", "joint": "spherical", "body": {"mass": 0.7, "com": [0.1, 0, 0.02], "inertia": [0.01] * 3}}
    links = [{"name": "rod", "joint": "spherical", "beam": beam}, load]
    return lissom.Robot.from_dict({"name": "bowed", "gravity": [0, 0, -9.81], "links": links})


def test_the_kernel_moves_it_as_its_poses_and_energies_say():
    """Places by the link's own functions; forces from differences of the energies along them (Lagrange)."""
    model = bowed_arm().compile()
    rng = np.random.default_rng(2)
    q, v = model.neutral(), rng.normal(size=model.nv)
    modes = model.link("rod").modes_q
    q[modes] = 0.03 * rng.normal(size=7) * [1, 1, 1, 1, 1, 1, 0.01]
    rod = model.flexible["rod"]
    assert rod.bow is not None
    base = lissom.point_pose(model, q, "rod", 0.0) @ np.linalg.inv(rod.pose(0.0, q[modes]))
    for x in (0.3, LENGTH):
        np.testing.assert_allclose(base @ rod.pose(x, q[modes]), lissom.point_pose(model, q, "rod", x), atol=1e-14)
    assert energy(model, q, 0 * v).strain == pytest.approx(rod.strain_energy(q[modes]), rel=1e-12)
    M, h = lissom.mass_matrix(model, q), 1e-6
    assert energy(model, q, v).kinetic == pytest.approx(v @ M @ v / 2, rel=1e-12)
    for k in range(model.nv):  # d/dt dT/dv - dT/dq + dV/dq at constant v is what inverse dynamics needs, projected on v
        unit = np.eye(model.nv)[k] * h
        ahead, behind = (energy(model, lissom.dynamics.integrate(model, q, s * unit), 0 * v) for s in (1, -1))
        slope = (ahead.potential - behind.potential) / (2 * h)
        assert lissom.inverse_dynamics(model, q, 0 * v, 0 * v)[k] == pytest.approx(slope, rel=1e-7, abs=1e-6)
    ahead, behind = (energy(model, lissom.dynamics.integrate(model, q, s * h * v), v) for s in (1, -1))
    power = ((ahead.kinetic + ahead.potential) - (behind.kinetic + behind.potential)) / (2 * h)
    assert lissom.inverse_dynamics(model, q, v, 0 * v) @ v == pytest.approx(power, rel=1e-6)


def test_derivatives_of_the_kernel_equal_differences():
    model = bowed_arm().compile()
    rng = np.random.default_rng(4)
    q, v, tau = model.neutral(), rng.normal(size=model.nv), rng.normal(size=model.nv)
    q[model.link("rod").modes_q] = 0.02 * rng.normal(size=7) * [1, 1, 1, 1, 1, 1, 0.01]
    slopes, h = lissom.derivatives(model, q, v, tau), 1e-6
    for k in range(model.nv):
        unit = np.eye(model.nv)[k] * h
        ahead, behind = (
            lissom.forward_dynamics(model, lissom.dynamics.integrate(model, q, s * unit), v, tau) for s in (1, -1)
        )
        found = slopes.q[:, k]
        np.testing.assert_allclose((ahead - behind) / (2 * h), found, atol=2e-5 * np.abs(slopes.q).max())


def test_its_own_mass_is_drawn_back_as_its_poses_say():
    """Kinetic energy of the field itself, its velocities by differences of the poses along the motion."""
    data = bowed_arm().to_dict()
    data["links"][0]["beam"]["section"] |= {"Jx": 1e-9, "Jy": 0.0, "Jz": 0.0}  # else sections turn by the linear field
    model = lissom.Robot.from_dict(data | {"links": data["links"][:1]}).compile()
    rod, modes, rates = model.flexible["rod"], model.link("rod").modes_q, model.link("rod").modes_v
    q, v, h = model.neutral(), np.zeros(model.nv), 1e-5
    q[modes][:2], q[modes][3] = [0.1, 0.01], 0.03
    v[rates][:2], v[rates][3] = [4.0, -2.0], 3.0
    x = LENGTH * FINE.nodes
    ahead, behind = (rod.pose(x, q[modes] + s * h * v[rates]) for s in (1, -1))
    speed = (ahead - behind)[:, :3, 3] / (2 * h)
    whole = LENGTH / 2 * FINE.weights @ (rod.section.rhoA * (speed**2).sum(axis=1))
    assert energy(model, q, v).kinetic == pytest.approx(whole, rel=1e-6)
    arrays = model.arrays
    none = arrays.foreshortening._replace(bow=0 * arrays.foreshortening.bow)
    without = lissom.Model(model.robot, arrays._replace(foreshortening=none), model.flexible, model.bodies)
    assert energy(without, q, v).kinetic != pytest.approx(whole, rel=1e-5)


def test_what_a_chord_cannot_do_is_refused_by_name():
    arm = bowed_arm()
    assert "on its chord" in arm.describe()
    with pytest.raises(LissomError, match=r"rod.*chord.*nothing may drive its joint; use frame: base"):
        arm.compile(prescribed="rod")
    with pytest.raises(LissomError, match="nothing may drive its joint"):
        lissom.control.torques(arm, {"rod": [1.0, 0.0, 0.0]})
    data = arm.to_dict()
    data["links"][0]["joint"] = {"type": "fixed"}
    with pytest.raises(LissomError, match=r"links\.rod\.beam\.frame.*turns freely"):
        lissom.Robot.from_dict(data).compile()
    data = arm.to_dict()
    data["links"][0]["beam"]["stiffening"] = "exact"
    with pytest.raises(LissomError, match="leave frame out"):
        lissom.Robot.from_dict(data)
