"""Sections that turn draw their width in: kinetic energy by points, closed forms of spinning strips, what is kept."""

import numpy as np
import pytest

import lissom

FREE = {"name": "air", "type": "free"}


def strip(wide, thin, GJ=1.0, EI=5e3, stiffening="first", joint="fixed", length=1.0, **more):
    """A strip with second moments `wide` along y and `thin` along z of its mass per length, 1 kg/m."""
    section = {"rhoA": 1.0, "EA": 1e7, "EIy": EI, "EIz": EI, "GJ": GJ, "Jx": wide + thin, "Jy": thin, "Jz": wide}
    beam = {"length": length, "section": section, "modes": {"y": 2, "z": 2, "torsion": 4}, "stiffening": stiffening}
    links = [{"name": "strip", "joint": joint, "beam": beam | more}]
    return lissom.Robot.from_dict({"lissom": 1, "name": "rotor", "gravity": [0, 0, 0], "links": links})


HUB = {"name": "hub", "type": "revolute", "axis": [0, 0, 1]}


def turning(robot, speed):
    """Poles about steady rotation, rad/s."""
    model = robot.compile(prescribed=["hub"])
    return lissom.linearise(model, *lissom.steady_motion(model, v={"hub": speed})).poles().values


@pytest.mark.parametrize("part", [0.1, 0.5, 1.0])
def test_torsion_of_a_spinning_strip_is_that_of_the_propeller_moment(part):
    rng = np.random.default_rng(int(100 * part))
    for _ in range(6):
        wide, thin = np.sort(10 ** rng.uniform(-5, -3, 2))[::-1]
        GJ = 10 ** rng.uniform(-1, 1)
        still = np.pi / 2 * np.sqrt(GJ / (wide + thin))
        spin = part * still
        robot = strip(wide, thin, GJ, EI=1e3 * still**2, joint=HUB)
        assert robot.flexible_links()["strip"].draws_in_width
        # Bielawa, Rotary Wing Structural Dynamics: Jx w^2 = (pi / 2L)^2 GJ + (Iyy - Izz) Omega^2
        expected = np.sqrt(still**2 + spin**2 * (wide - thin) / (wide + thin))
        found = turning(robot, spin).imag
        assert found[np.abs(found - expected).argmin()] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_small_motions_about_any_spin_of_a_straight_strip_are_those_of_the_exact_field(seed):
    rng = np.random.default_rng(seed)
    wide, thin = 10 ** rng.uniform(-4, -3, 2)
    found = [
        np.sort(turning(strip(wide, thin, EI=5e3, joint=HUB, stiffening=each, ends="legendre"), 20.0).imag)
        for each in ("first", "exact")
    ]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-3)


def by_points(link, V, eta, rate):
    """Kinetic energy, point by point: sections turned to first order, drawn in by the mean square of what they turn."""
    rule = link.basis.rule
    sections = link.field.sections(rule.nodes)
    mass = link.field.weights * link.section.rhoA
    y2, z2 = link.section.Jz / link.section.rhoA, link.section.Jy / link.section.rhoA

    def places(eta):
        u, th = sections.phi @ eta, sections.psi @ eta
        short, _ = link.field.running_terms(rule.nodes).at(eta)
        centre = u + np.outer(link.field.place(rule.nodes) - short, [1, 0, 0])
        drawn = [(mass @ (th[:, 0] ** 2 + th[:, k] ** 2)) / mass.sum() / 2 for k in (2, 1)]
        for y, z in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            d = np.array([0.0, y * np.sqrt(y2), z * np.sqrt(z2)])
            yield centre + d + np.cross(th, d) - d * np.array([0.0, *drawn])

    total, h = 0.0, 0.5  # places are quadratic in eta: a central difference is the derivative
    for here, on, back in zip(places(eta), places(eta + h * rate), places(eta - h * rate), strict=True):
        velocity = V[3:] + np.cross(V[:3], here) + (on - back) / (2 * h)
        total += mass @ (velocity**2).sum(axis=1) / 8
    return total


@pytest.mark.parametrize("seed", range(6))
def test_kinetic_energy_is_that_of_points_and_never_negative_however_far_it_is_bent(seed):
    rng = np.random.default_rng(seed)
    wide, thin = 10 ** rng.uniform(-4, -2, 2)
    model = strip(wide, thin, joint=FREE, length=0.7).compile()
    link = model.flexible["strip"]
    assert link.draws_in_width
    q, v = model.neutral(), rng.normal(size=model.nv)
    q[7:] = rng.normal(size=link.count)
    assert lissom.energy(model, q, v).kinetic == pytest.approx(by_points(link, v[:6], q[7:], v[6:]), rel=1e-9)
    M = lissom.mass_matrix(model, q)
    scale = 1 / np.sqrt(np.diag(M))
    assert np.linalg.eigvalsh(M * np.outer(scale, scale))[0] > 0
    tau, a = rng.normal(size=model.nv), rng.normal(size=model.nv)
    there = lissom.forward_dynamics(model, q, v, tau)
    np.testing.assert_allclose(lissom.inverse_dynamics(model, q, v, there), tau, atol=1e-9 * np.abs(M @ there).max())
    still = lissom.inverse_dynamics(model, q, v, 0 * a)
    np.testing.assert_allclose(lissom.inverse_dynamics(model, q, v, a) - still, M @ a, atol=1e-9 * np.abs(still).max())


def test_derivatives_are_those_of_the_motion():
    rng = np.random.default_rng(5)
    model = strip(1e-3, 1e-5, joint=FREE).compile()
    q, v, tau = model.neutral(), rng.normal(size=model.nv), rng.normal(size=model.nv)
    q[7:] = 0.2 * rng.normal(size=model.nq - 7)
    d = lissom.derivatives(model, q, v, tau)
    h = 1e-40
    for k in range(model.nv):
        step = np.eye(model.nv)[k] * h * 1j
        by_rate = lissom.forward_dynamics(model, q.astype(complex), v + step, tau).imag / h
        np.testing.assert_allclose(d.v[:, k], by_rate, atol=1e-11 * np.abs(d.v).max())
    for k in range(7, model.nq):
        step = np.eye(model.nq)[k] * h * 1j
        by_place = lissom.forward_dynamics(model, q + step, v.astype(complex), tau).imag / h
        np.testing.assert_allclose(d.q[:, k - 1], by_place, atol=1e-11 * np.abs(d.q).max())


@pytest.mark.parametrize("method", ["auto", "radau"])
def test_energy_and_momentum_of_a_tumbling_strip_are_kept(method):
    robot = strip(1e-3, 1e-5, joint=FREE)
    start = {"air.rate": [10.0, 2.0, 30.0, 0, 0, 0], "strip.torsion1": 0.2, "strip.z1": 0.02}
    run = lissom.simulate(robot, 1.0, rate=100, start=start, method=method, rtol=1e-9, atol=1e-11, progress=False)
    kinetic = float(run.dataset["kinetic_energy"].max())
    assert abs(run.dataset["energy_residual"]).max() < 1e-6 * kinetic
    momentum = run.dataset["angular_momentum"].values
    np.testing.assert_allclose(
        momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-5 * np.abs(momentum).max()
    )


def test_many_runs_side_by_side_move_as_each_alone():
    scenario = {"robot": strip(1e-3, 1e-5, joint=HUB).to_dict(), "duration": 0.02, "output": {"rate": 1000}}
    scenario["start"] = {"hub.rate": 20.0, "strip.torsion1": 0.1, "strip.y1": 0.01, "strip.z1": 0.02}
    widths = np.linspace(0.8e-3, 1.2e-3, 70)
    name = "links.strip.beam.section.Jz"
    output = "last |deflection.strip|"
    together = lissom.simulate_batch(scenario, {name: widths.tolist()}, outputs=[output], cores=1, progress=False)
    for k in (0, 69):
        robot = lissom.Robot.from_dict(scenario["robot"]).with_value(name, float(widths[k]))
        run = lissom.simulate(robot, 0.02, rate=1000, start=scenario["start"], progress=False)
        expected = float(np.linalg.norm(run.dataset["deflection"].sel(flexible="strip")[-1]))
        assert float(together[output][k]) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("parameter", ["Jz", "Jx", "GJ"])
def test_sensitivities_follow_it(parameter):
    robot, name = strip(1e-3, 1e-5, joint=FREE), f"links.strip.beam.section.{parameter}"
    rng = np.random.default_rng(1)
    model = robot.compile()
    q, v = model.neutral(), rng.normal(size=model.nv)
    q[7:] = 0.2 * rng.normal(size=model.nq - 7)
    found = lissom.dynamics.parameter_derivatives(robot, [name], q, v)[0]
    value = robot.to_dict()["links"][0]["beam"]["section"][parameter]
    h = 1e-4 * value
    up, down = (lissom.forward_dynamics(robot.with_value(name, value + s * h), q, v) for s in (1, -1))
    np.testing.assert_allclose(found, (up - down) / (2 * h), atol=1e-6 * np.abs(found).max())


def test_links_that_no_spin_of_theirs_turns_flat_go_without():
    assert not strip(1e-5, 1e-5, EI=0.1).flexible_links()["strip"].draws_in_width  # a slender rod
    assert not strip(1e-3, 1e-5, stiffening="none").flexible_links()["strip"].draws_in_width
    turned = strip(1e-3, 1e-5).to_dict()
    turned["links"][0]["beam"]["section"]["centroid"] = [0.02, 0.0]
    assert not lissom.Robot.from_dict(turned).flexible_links()["strip"].draws_in_width
