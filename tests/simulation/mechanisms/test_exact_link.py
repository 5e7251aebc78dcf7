"""Links with the geometrically exact field: large deflections, whole manoeuvres, fast spin, with few coordinates."""

from functools import cache

import numpy as np
import pytest
from claims import claim
from places import reference_figures
from runge_kutta import Swing
from spinup import CASES, spin_up, tip

import lissom
from lissom.analysis import static_equilibrium
from lissom.control import Reference, pd

FIGURES = reference_figures()["manoeuvres"]
SECTION = {"rhoA": 1.0, "EA": 1e7, "EIy": 50.0, "EIz": 60.0, "GJ": 40.0, "Jx": 2e-3, "Jy": 1e-3, "Jz": 1e-3}


def beam(modes, length=2.0, section=SECTION, **options):
    return {"length": length, "section": section, "modes": modes, "stiffening": "exact"} | options


def robot(*links, gravity=(0, 0, 0)):
    return lissom.Robot.from_dict({"lissom": 1, "name": "test", "gravity": list(gravity), "links": list(links)})


@pytest.mark.parametrize(
    ("ends", "modes"), [("legendre", {"y": 1}), ("auto", {"y": 2, "z": 2, "torsion": 1, "axial": 1})]
)
def test_a_moment_at_the_tip_bends_a_cantilever_into_half_a_circle(ends, modes):
    model = robot({"name": "strip", "joint": "fixed", "beam": beam(modes, ends=ends)}).compile()
    rest = static_equilibrium(model, loads={"strip": [0, 0, 60 * np.pi / 2, 0, 0, 0]})
    pose = lissom.tip_pose(model, rest.q)
    claim(np.abs(pose[:3, 3] - [0, 4 / np.pi, 0]).max() / 2.0, 1e-8)
    assert pose[:3, :3] == pytest.approx(np.diag([-1, -1, 1]), abs=1e-8)
    assert lissom.energy(model, rest.q, np.zeros(model.nv)).strain == pytest.approx(60 * np.pi**2 / 4, rel=1e-8)


class Bend:
    """The 45-degree bend of Bathe and Bolourchi (1979): an arc of radius 100 and unit section, pushed out of plane."""

    RADIUS, LOAD, E = 100.0, 600.0, 1e7
    ARC = RADIUS * np.pi / 4
    GJ, EI, EA = E / 12, E / 12, E

    def rod_tip(self):
        """Tip of the extensible Kirchhoff rod, by shooting for the moment at its base."""
        from scipy.integrate import solve_ivp
        from scipy.optimize import root

        load = np.array([0, 0, self.LOAD])

        def along(_, y):
            R, moment = y[3:12].reshape(3, 3), y[12:]
            k = R.T @ moment / [self.GJ, self.EI, self.EI] + [0, 0, 1 / self.RADIUS]
            tangent = R[:, 0] * (1 + R[:, 0] @ load / self.EA)
            turn = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
            return np.concatenate([tangent, (R @ turn).ravel(), -np.cross(tangent, load)])

        def end(moment):
            start = np.concatenate([np.zeros(3), np.eye(3).ravel(), moment])
            return solve_ivp(along, (0, self.ARC), start, rtol=1e-9, atol=1e-9, method="DOP853").y[:, -1]

        found = root(lambda moment: end(moment)[12:], np.cross([47.15, 15.69, 53.47], load))
        assert np.abs(found.fun).max() < 1e-5
        return end(found.x)[:3]

    def chain_tip(self, n):
        """Tip of n straight exact links, chords of the arc, joined rigidly."""
        angle = np.pi / 4 / n
        section = {"rhoA": 1.0, "EA": self.EA, "EIy": self.EI, "EIz": self.EI, "GJ": self.GJ}
        inertia = {"Jx": 1 / 6, "Jy": 1 / 12, "Jz": 1 / 12}
        chord = beam(
            {"y": 2, "z": 2, "torsion": 2, "axial": 1},
            2 * self.RADIUS * np.sin(angle / 2),
            section | inertia,
            ends="legendre",
        )
        links = [
            {"name": f"link{k}", "joint": "fixed", "origin": {"rpy": [0, 0, angle if k else angle / 2]}, "beam": chord}
            for k in range(n)
        ]
        model = robot(*links).compile()
        q = None
        for load in (self.LOAD / 2, self.LOAD):
            q = static_equilibrium(model, q=q, loads={f"link{n - 1}": [0, 0, 0, 0, 0, load]}).q
        return lissom.tip_pose(model, q)[:3, 3]


def test_45_degree_bend_equals_the_kirchhoff_rod():
    """Straight links converge to the arc with the square of their length, so two chains give its limit."""
    bend = Bend()
    rod, coarse, fine = bend.rod_tip(), bend.chain_tip(4), bend.chain_tip(8)
    assert np.abs(rod - [47.2, 15.9, 53.4]).max() < 0.3  # published solutions
    errors = [np.linalg.norm(chain - rod) for chain in (coarse, fine)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)
    claim(np.abs((4 * fine - coarse) / 3 - rod).max() / bend.ARC, 1e-4)


@pytest.mark.slow
def test_45_degree_bend_by_24_straight_links_as_they_are():
    bend = Bend()
    claim(np.abs(bend.chain_tip(24) - bend.rod_tip()).max() / bend.ARC, 1e-4)


@cache
def spun(speed):
    model = lissom.load("spinup-beam").with_value("links.blade.beam.stiffening", "exact")
    model = model.with_value("links.blade.beam.modes", {"y": 6, "axial": 1})
    return lissom.simulate(model, 8.0, motion={"shaft": spin_up(float(speed))}, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("speed", CASES)
def test_spun_up_beam_lags_as_far_as_in_the_nonlinear_model(speed):
    run = spun(speed)
    claim(abs(tip(run).min() - CASES[speed]["minimum"]), 1e-4, "m")
    assert not run.warnings  # no deflection is beyond this field


# functions in y, z, torsion and axial; bounds on joint angles (rad), tip (m) and deflection (of its peak)
MANOEUVRES = {
    "ella": ((4, 4, 4, 4), 2e-7, 5e-7, 2e-5),
    "dual-screw-arm": ((6, 6, 6, 6), 2e-6, 2e-6, 1e-4),
    "canadarm2": ((7, 7, 5, 5), None, 2e-5, 5e-4),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MANOEUVRES)
def test_manoeuvres_equal_geometrically_exact_beams(name):
    counts, angle, place, share = MANOEUVRES[name]
    figures, plain = FIGURES[name], lissom.load(name)
    for link in plain.bodies:
        if link.beam is not None:
            modes = dict(zip(("y", "z", "torsion", "axial"), counts))
            plain = plain.with_value(f"links.{link.name}.beam.stiffening", "exact")
            plain = plain.with_value(f"links.{link.name}.beam.modes", modes)
    model, controller = plain.compile(), None
    if "gains" in figures:
        goal = Reference.quintic(**figures["quintic"]) if "quintic" in figures else Reference.steps(figures["steps"])
        controller = pd(model, figures["gains"], goal)
    run = lissom.simulate(
        model, figures["duration"], controller=controller, start=figures["start"], rtol=1e-9, atol=1e-11
    )
    spots = [(round(spot["t"] * 200), spot) for spot in figures["spots"]]

    def far(values, of):
        return max(np.abs(values[k] - of(spot)).max() for k, spot in spots)

    claim(far(run.tip().values, lambda spot: spot["tip"]), place, "m")
    if angle is not None:
        joints = np.stack([run[joint].values for joint in model.joints], axis=1)
        claim(far(joints, lambda spot: spot["position"]), angle, "rad")
    for link in model.flexible:
        values = run.deflection(link).values
        peak = np.linalg.norm(values, axis=1).max()
        claim(far(values, lambda spot, link=link: spot["deflection"][link]) / peak, share)


def test_energy_is_conserved_at_large_deflection():
    """A whip of two links falls and swings, bent by a good part of its length."""
    soft = SECTION | {"EA": 1e3, "EIy": 3.0, "EIz": 4.0, "GJ": 3.0, "Jx": 0.02, "Jy": 0.01, "Jz": 0.01}
    modes = {"y": 2, "z": 1, "torsion": 1, "axial": 1}
    shoulder = {"name": "shoulder", "type": "universal", "axes": [[0, 1, 0], [0, 0, 1]]}
    elbow = {"name": "elbow", "type": "revolute", "axis": [0, 1, 0]}
    whip = robot(
        {"name": "upper", "joint": shoulder, "beam": beam(modes, 1.0, soft)},
        {"name": "lower", "joint": elbow, "beam": beam(modes, 1.0, soft)},
        gravity=(0, 0, -9.81),
    )
    model = whip.compile()
    q, v = np.zeros(model.nq), np.zeros(model.nv)
    q[model.link("upper").modes_q.start], v[1] = 0.2, 3.0
    swing, largest = Swing(model, q, v), 0.0
    total, kinetic = [], []
    for _ in range(20):
        swing.advance(2e-4, 100)
        energy = lissom.energy(model, swing.q, swing.v)
        total.append(energy.total)
        kinetic.append(energy.kinetic)
        tip_frame = model.flexible["upper"].pose(1.0, swing.q[model.link("upper").modes_q])
        largest = max(largest, np.linalg.norm(tip_frame[:3, 3] - [1, 0, 0]))
    assert largest > 0.2
    claim(np.ptp(total) / max(kinetic), 1e-8)


def test_small_deflections_are_those_of_the_other_fields():
    modes = {"y": 3, "z": 2, "torsion": 2, "axial": 2}
    models = {}
    for order in ("none", "first", "exact"):
        link = {"name": "arm", "joint": {"name": "hub", "type": "revolute", "axis": [0, 0, 1]}}
        models[order] = robot(link | {"beam": beam(modes) | {"stiffening": order}}).compile()
    q = np.zeros(models["exact"].nq)
    mass = {order: lissom.mass_matrix(model, q) for order, model in models.items()}
    assert mass["exact"] == pytest.approx(mass["first"], abs=1e-9 * np.abs(mass["first"]).max())
    rng = np.random.default_rng(3)
    direction = rng.normal(size=len(q)) * np.repeat([0.1, 1, 0, 0, 0], [1, 3, 2, 2, 2])  # in one plane

    def gap(order, size):
        a, b = (lissom.tip_pose(models[o], size * direction) for o in (order, "exact"))
        return np.abs(a - b).max()

    assert gap("none", 1e-2) / gap("none", 1e-3) == pytest.approx(100, rel=0.1)  # linear field: second-order error
    assert gap("first", 1e-2) / gap("first", 1e-3) == pytest.approx(1000, rel=0.1)  # second-order field: third


def test_few_nodes_are_enough_for_a_strongly_bent_link():
    """A tenth of the length of deflection in both planes: the mass matrix changes by less than 1e-6 with more nodes."""
    from lissom.beam.displacement_fields import exact_field
    from lissom.beam.functions.quadrature import Quadrature

    link = {"name": "arm", "joint": {"name": "hub", "type": "revolute", "axis": [0, 0, 1]}}
    arm = robot(link | {"beam": beam({"y": 2, "z": 2, "torsion": 1, "axial": 1}, 1.0)})
    q = np.array([0.3, 0.07, 0.004, -0.07, 0.004, 0.3, 0.001])
    few, rule = lissom.mass_matrix(arm.compile(), q), exact_field.rule
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_field, "rule", lambda basis: Quadrature.cached(rule(basis).edges, 40))
        many = lissom.mass_matrix(arm.compile(), q)
    claim(np.abs(few - many).max() / np.abs(many).max(), 1e-6)


def test_check_and_description_name_the_exact_field():
    text = str(robot({"name": "arm", "joint": "fixed", "beam": beam({"y": 2})}).describe())
    assert "exact" in text


def test_a_section_that_turns_by_a_whole_circle_ends_the_run_with_a_warning():
    """There the rotation vector of the chart ends; a strip of one curvature reaches it as a circle."""
    model = robot({"name": "strip", "joint": "fixed", "beam": beam({"y": 1}, ends="legendre")}).compile()
    with pytest.warns(lissom.simulation.SimulationWarning, match="strip has turned by a whole circle"):
        run = lissom.simulate(model, 1.0, start=(np.zeros(1), np.full(1, 60.0)))
    assert run.info.status == "diverged"
    assert [event.kind for event in run.warnings] == ["divergence"]
