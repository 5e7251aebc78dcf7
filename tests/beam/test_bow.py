"""Links that bow between their ends: terms of fourth order against the curve itself."""

import numpy as np
import pytest

import lissom
from lissom.beam import BeamLink, Section, make_basis
from lissom.beam.quadrature import Quadrature
from lissom.dynamics import energy

LENGTH = 0.8
FINE = Quadrature.cached((0.0, 1.0), 40)


def link(EIy=8.0, EIz=8.0):
    section = Section(rhoA=1.2, EA=1e5, EIy=EIy, EIz=EIz, GJ=5.0, Jx=1e-3, Jy=0.0, Jz=0.0)
    return BeamLink(LENGTH, section, make_basis({"y": 3, "z": 2}, ends={"y": "chord", "z": "chord"}), "first")


def curve(beam, eta):
    """Slopes (v', w') and curvatures (v'', w'') of the axis at the nodes of a fine rule."""
    sections = beam.field.sections(FINE.nodes)
    psi, psi_x = sections.psi @ eta, sections.psi_x @ eta
    return np.stack([psi[:, 2], -psi[:, 1]]), np.stack([psi_x[:, 2], -psi_x[:, 1]])


@pytest.mark.parametrize(("EIy", "EIz", "eta"), [
    (3.0, 8.0, [0.008, -0.004, 0.002, 0.0, 0.0]),  # in one plane
    (3.0, 8.0, [0.0, 0.0, 0.0, 0.02, 0.006]),
    (8.0, 8.0, [0.02, 0.004, -0.003, -0.015, 0.006]),  # in both, equally stiff
])  # fmt: skip
def test_energy_and_foreshortening_are_those_of_the_curve_to_fourth_order(EIy, EIz, eta):
    beam, errors = link(EIy, EIz), []
    for size in (0.5, 1.0):
        x = size * np.array(eta)
        slope, bent = curve(beam, x)
        square, along = (slope**2).sum(axis=0), (slope * bent).sum(axis=0)
        stiffness = EIz if np.any(x[:3]) else EIy
        curvature = (bent**2).sum(axis=0) + along**2 / (1 - square)  # of a curve of unit speed
        whole = stiffness / 2 * LENGTH * FINE.weights @ curvature
        drawn = LENGTH * FINE.weights @ (1 - np.sqrt(1 - square))
        second = link(EIy, EIz).field.running_terms(np.ones(1)).at(x)[0][0]
        quadratic = x @ beam.stiffness() @ x / 2
        back = -beam.pose(LENGTH, x)[0, 3] + LENGTH
        errors.append([abs(beam.strain_energy(x) - whole), abs(back - drawn)])
        assert errors[-1][0] < 0.05 * abs(whole - quadratic) and errors[-1][1] < 0.05 * abs(drawn - second)
    assert np.all(np.array(errors[1]) / errors[0] > 0.7 * 2**6)  # what is left is of sixth order


def bowed_arm():
    section = {"rhoA": 1.2, "EA": 1e5, "EIy": 8.0, "EIz": 6.0, "GJ": 5.0, "Jx": 1e-3}
    beam = {"length": LENGTH, "section": section, "modes": {"y": 3, "z": 2, "torsion": 1, "axial": 1}, "ends": "chord"}
    load = {"name": "load", "joint": "spherical", "body": {"mass": 0.7, "com": [0.1, 0, 0.02], "inertia": [0.01] * 3}}
    links = [{"name": "rod", "joint": {"type": "universal", "axes": [[0, 0, 1], [0, 1, 0]]}, "beam": beam}, load]
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
    rod, modes = model.flexible["rod"], model.link("rod").modes_q
    q, v, h = model.neutral(), np.zeros(model.nv), 1e-5
    q[modes][:2], q[modes][3] = [0.03, 0.004], 0.01
    v[modes][:2], v[modes][3] = [4.0, -2.0], 3.0
    x = LENGTH * FINE.nodes
    ahead, behind = (rod.pose(x, q[modes] + s * h * v[modes]) for s in (1, -1))
    speed = (ahead - behind)[:, :3, 3] / (2 * h)
    whole = LENGTH / 2 * FINE.weights @ (rod.section.rhoA * (speed**2).sum(axis=1))
    assert energy(model, q, v).kinetic == pytest.approx(whole, rel=1e-6)
    arrays = model.arrays
    none = arrays.foreshortening._replace(bow=0 * arrays.foreshortening.bow)
    without = lissom.Model(model.robot, arrays._replace(foreshortening=none), model.flexible, model.bodies)
    assert energy(without, q, v).kinetic != pytest.approx(whole, rel=1e-5)
