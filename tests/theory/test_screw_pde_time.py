"""The screw system in time: energy, constraints, body frames, tumbling; and whether it is well posed at all."""

import numpy as np
import pytest
from claims import claim
from typer.testing import CliRunner

import lissom
from lissom import theory
from lissom.cli import app
from lissom.theory.screw_pde import Closure, ScrewPDE, check, integrate
from lissom.theory.screw_pde.integrate import stable_step

SECTION = {"rhoA": 1.2, "EA": 2e4, "EIy": 8.0, "EIz": 12.0, "GJ": 30.0, "Jx": 1e-4, "Jy": 5e-5, "Jz": 5e-5}
BEAM = {"length": 0.8, "section": SECTION, "modes": {"y": 1, "z": 1}}


def arm(first, **beam):
    links = [
        {"name": "upper", "joint": first, "beam": BEAM | beam},
        {"name": "fore", "joint": {"type": "revolute", "axis": [0, 0, 1]}, "beam": BEAM | beam},
    ]
    return lissom.Robot.from_dict({"lissom": 1, "name": "arm", "gravity": [0, -3.0, 0], "links": links}).compile()


def swinging():
    """An undamped arm on a universal joint, let go with a turn about the vertical."""
    model = arm({"type": "universal", "axes": [[0, 1, 0], [0, 0, 1]]})
    v = np.zeros(model.nv)
    v[0] = 0.8
    return model, (model.neutral(), v)


@pytest.mark.parametrize(("seconds", "drift"), [(2.5, 1e-9), pytest.param(10.0, 1e-6, marks=pytest.mark.slow)])
def test_energy_of_an_undamped_arm_is_kept_with_projection(seconds, drift):
    model, start = swinging()
    motion = integrate(ScrewPDE(model), seconds, step=1.25e-3, start=start, rate=50)
    assert motion.kinetic.max() > 1.0
    claim(motion.energy_drift, drift)
    claim(motion.position_drift.max(), 1e-10, "m or rad")
    claim(motion.velocity_drift.max(), 1e-10, "m/s or rad/s")


def test_without_projection_the_constraints_drift_and_the_result_says_so():
    model, start = swinging()
    free = integrate(ScrewPDE(model), 1.0, method="exponential", step=5e-3, start=start)
    held = integrate(ScrewPDE(model), 1.0, method="projected", step=5e-3, start=start)
    assert 1e-10 < free.position_drift[-1] < 1e-5
    assert held.position_drift.max() < 1e-14 < held.step_drift < free.position_drift.max()
    assert np.abs(free.q[-1] - held.q[-1]).max() < 1e-5


def test_moving_the_body_frames_to_mid_link_leaves_the_tip_path_alone():
    model, start = swinging()
    paths = []
    for frames in ({}, {"upper": 0.4, "fore": 0.4}):
        system = ScrewPDE(model, frames)
        motion = integrate(system, 0.5, step=1e-3, start=start, rate=50)
        paths.append(np.array([system.tip(q)[:3, 3] for q in motion.q]))
    assert np.ptp(paths[0], axis=0).max() > 0.3
    claim(np.abs(paths[0] - paths[1]).max(), 1e-9, "m")


def test_every_method_converges_to_the_kernels_motion():
    model, start = swinging()
    run = lissom.simulate(model, 0.1, start=start, rtol=1e-11, atol=1e-13)
    expected = run.tip("fore").values[-1]
    errors = {}
    for method, step in (("projected", 5e-4), ("exponential", 5e-4), ("euler", 2e-4), ("euler", 1e-4)):
        system = ScrewPDE(model)
        motion = integrate(system, 0.1, method=method, step=step, start=start)
        errors[method, step] = np.abs(system.tip(motion.q[-1])[:3, 3] - expected).max()
    assert errors["projected", 5e-4] < 1e-8
    assert errors["exponential", 5e-4] < 1e-8
    assert 1.7 < errors["euler", 2e-4] / errors["euler", 1e-4] < 2.4


def test_ida_solves_the_index_one_system_with_wrenches_among_its_unknowns():
    pytest.importorskip("sksundae")
    model, start = swinging()
    system = ScrewPDE(model)
    motion = integrate(system, 0.1, method="ida", start=start)
    run = lissom.simulate(model, 0.1, start=start, rtol=1e-11, atol=1e-13)
    assert np.abs(system.tip(motion.q[-1])[:3, 3] - run.tip("fore").values[-1]).max() < 1e-6
    assert np.abs(motion.wrenches[:, 0] - run.wrench("upper").values).max() < 1e-4 * np.abs(motion.wrenches).max()


def test_a_tumbling_arm_passes_through_all_orientations():
    links = [
        {"name": "upper", "joint": {"type": "free"}, "beam": BEAM},
        {"name": "fore", "joint": {"type": "spherical"}, "beam": BEAM},
    ]
    robot = lissom.Robot.from_dict({"lissom": 1, "name": "tumbling", "gravity": [0, 0, 0], "links": links})
    model = robot.compile()
    v = np.zeros(model.nv)
    v[:3], v[8:11] = [4.0, 3.0, -5.0], [-3.0, 2.0, 4.0]
    start = (model.neutral(), v)
    motion = integrate(ScrewPDE(model), 6.0, method="exponential", step=2e-3, start=start, rate=100)
    R = motion.poses[:, 0, :3, :3]
    assert R.max(axis=0).min() > 0.6
    assert R.min(axis=0).max() < -0.6
    angle = np.arccos(np.clip((np.trace(R, axis1=1, axis2=2) - 1) / 2, -1, 1))
    assert angle.max() > 3.1  # half a turn, where rotation vectors jump
    assert np.sum(np.abs(np.diff(angle))) > 6 * np.pi  # and far beyond one
    assert motion.energy_drift < 1e-7
    assert motion.position_drift.max() < 1e-8
    spin = np.array([_spin(model, q, v) for q, v in zip(motion.q[::50], motion.v[::50])])
    assert np.abs(spin - spin[0]).max() < 1e-7 * np.abs(spin[0]).max()


def _spin(model, q, v):
    """Angular momentum about the world's origin: what a virtual turn of the free base feels."""
    p = lissom.mass_matrix(model, q)[:6] @ v
    T = lissom.point_pose(model, q, "upper", 0.0)
    return T[:3, :3] @ p[:3] + np.cross(T[:3, 3], T[:3, :3] @ p[3:])


def test_forward_euler_that_grows_without_bound_says_what_to_do():
    model = lissom.load("ella").compile()
    with pytest.raises(lissom.LissomError, match=r"grew without bound before t = .* take a smaller step"):
        integrate(ScrewPDE(model), 0.5, method="euler", step=1e-3)


def test_bad_settings_are_refused():
    model, _ = swinging()
    with pytest.raises(lissom.LissomError, match="method = 'rk4': is unknown; choose projected"):
        integrate(ScrewPDE(model), 1.0, method="rk4")
    with pytest.raises(lissom.LissomError, match="step = -1"):
        integrate(ScrewPDE(model), 1.0, step=-1)
    with pytest.raises(lissom.LissomError, match="with closures take 'projected'"):
        integrate(ScrewPDE(model, closures=[Closure("fore")]), 1.0, method="euler")


def test_closures_move_as_the_loops_of_the_kernel_do():
    """A four-bar whose last end is held in the world by a ball: here a closure, there a loop."""
    beam = {"length": 0.5, "section": {"rhoA": 0.5, "EA": 2e4, "EIy": 20.0, "EIz": 20.0, "GJ": 20.0}}
    beam |= {
        "ends": "legendre",
        "modes": {"y": 2, "z": 1},
    }  # no direction that the closure holds is held by the joints alone
    joint = {"type": "revolute", "axis": [0, 0, 1]}
    links = [
        {"name": "crank", "joint": joint, "body": {"mass": 1.0, "com": [0.1, 0, 0], "inertia": [0.01] * 3}},
        {"name": "coupler", "origin": {"xyz": [0.2, 0, 0]}, "joint": joint, "beam": beam},
        {"name": "rocker", "joint": joint, "beam": beam | {"length": 0.4}},
    ]
    tree = {"name": "held", "gravity": [0, -9.81, 0], "links": links}
    model = lissom.Robot.from_dict(tree).compile()
    start = {"crank": 0.4, "coupler": -0.9, "rocker": -0.8}
    q = lissom.dynamics.configuration(model, start)
    place = lissom.tip_pose(model, q)[:3, 3]
    ends = [{"link": "world", "origin": {"xyz": place.tolist()}}, {"link": "rocker"}]
    looped = lissom.Robot.from_dict(tree | {"loops": [{"name": "end", "joint": "spherical", "between": ends}]})
    motion = integrate(
        ScrewPDE(model, closures=[Closure("rocker", holds="position")]), 0.02, start=start, rate=200, step=4e-4
    )
    run = lissom.simulate(looped, 0.02, start=q, rate=200, rtol=1e-10, atol=1e-10, method="radau")
    np.testing.assert_allclose(motion.q, run.q, atol=1e-7)
    np.testing.assert_allclose(motion.closures, run.dataset["loop_wrench"].values, rtol=1e-4, atol=1e-3)
    assert max(motion.position_drift.max(), motion.velocity_drift.max()) < 1e-12
    assert motion.step_drift < 1e-8


def test_ella_is_well_posed():
    model = lissom.load("ella").compile()
    report = check(ScrewPDE(model), model.neutral(), np.zeros(model.nv))
    assert report.well_posed
    assert report.definite
    assert (report.rank, report.size, report.index) == (56, 56, 1)
    assert report.condition < 1e6
    # with stiffness-proportional damping the fastest eigenvalue is real: Euler's limit is 2/|lambda|
    assert report.steps.euler == pytest.approx(report.steps.central, rel=0.05)
    assert report.steps.central < 1e-4 < report.steps.printed


def test_forward_euler_has_no_stable_step_without_damping():
    model, (q, v) = swinging()
    steps = check(ScrewPDE(model), q, 0 * v).steps
    assert steps.euler == 0.0 < steps.central


@pytest.mark.parametrize("axis", [[0, 0, 1], [0, 1, 0]])
def test_a_massless_body_is_named_where_it_can_move_alone(axis):
    solid = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.1, 0.1, 0.1]}
    links = [
        {"name": "ghost", "joint": {"type": "revolute", "axis": axis}, "body": {"mass": 0.0}},
        {"name": "arm", "joint": {"type": "revolute", "axis": [0, 0, 1]}, "body": solid},
    ]
    model = lissom.Robot.from_dict({"lissom": 1, "name": "ghostly", "links": links}).compile()
    report = check(ScrewPDE(model), np.zeros(2), np.zeros(2))
    assert not report.definite
    assert report.weakest == "ghost"
    if axis == [0, 1, 0]:  # two crossed hinges: the arm's inertia is felt in both
        assert report.well_posed
    else:
        assert report.index is None
        assert report.rank == report.size - 1
        with pytest.raises(lissom.LissomError, match="ghost has neither mass nor inertia"):
            report.raise_if_singular()


def test_dependent_constraints_are_named():
    body = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.1, 0.1, 0.1], "tip": [1, 0, 0]}
    links = [{"name": name, "joint": {"type": "revolute", "axis": [0, 0, 1]}, "body": body} for name in ("one", "two")]
    links[1]["origin"] = {"xyz": [1, 0, 0]}
    model = lissom.Robot.from_dict({"lissom": 1, "name": "loop", "links": links}).compile()
    system = ScrewPDE(model, closures=[Closure("two")])
    report = check(system, np.array([0.3, 0.4]), np.zeros(2))
    assert any("dependent constraints" in cause and "two held" in cause for cause in report.causes)
    assert report.rank < report.size
    still = system.accelerations(np.array([0.3, 0.4]), np.zeros(2), np.ones(2))
    assert np.abs(still).max() < 1e-9  # what is held twice is held


def test_the_command_line_shows_and_checks(tmp_path):
    shown = CliRunner().invoke(app, ["theory", "structure", "ella", "--out", str(tmp_path / "s.png")])
    assert shown.exit_code == 0
    assert "upper: deformation" in shown.output
    assert (tmp_path / "s.png").stat().st_size > 10_000
    checked = CliRunner().invoke(app, ["theory", "check", "ella"])
    assert checked.exit_code == 0
    assert "56 of 56" in checked.output


def test_the_step_by_default_is_one_that_the_arm_bears():
    """ELLA's stretch takes steps of at most 0.039 ms; 0.5 ms made its motion grow without bound."""
    model = lissom.load("ella").compile()
    formulation, q = ScrewPDE(model), model.neutral()
    step = stable_step(formulation, "projected", q, np.zeros(model.nv))
    assert 1e-6 < step < 0.039e-3
    motion = integrate(formulation, 2e-3, rate=500)
    assert motion.steps >= 2e-3 / step
    expected = theory.simulate(formulation, 2e-3, rate=500)
    np.testing.assert_allclose(motion.q[-1], expected.q[-1], atol=1e-6 * np.abs(expected.q).max())


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("luffing-crane", "well posed"), ("two-arms-one-beam", "well posed"), ("slider-crank", "dependent constraints")],
)
def test_closed_robots_of_the_library_are_checked(name, verdict):
    """A cylinder of given length is a loop; a rope enters no matrix. Planar loops of hinges hold out-of-plane twice."""
    checked = CliRunner().invoke(app, ["theory", "check", name])
    assert verdict in checked.output + checked.stderr
    assert checked.exit_code == int(verdict != "well posed")
    assert ("left out: hoist" in checked.stderr) == (name == "luffing-crane")
