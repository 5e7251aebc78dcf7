"""Steps that are too small to get anywhere, and too coarse to be believed."""

import warnings

import numpy as np
import pytest

import lissom
from lissom.simulation import SimulationWarning
from lissom.simulation.settings import RunSettings

PENDULUM = {
    "lissom": 1,
    "name": "pendulum",
    "gravity": [0, 0, -9.81],
    "links": [
        {
            "name": "rod",
            "joint": {"type": "revolute", "axis": [0, 1, 0]},
            "body": {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.01, 0.1, 0.1]},
        }
    ],
}


@pytest.mark.parametrize("step", [1e-25, 1e-17, 1e-12])
def test_a_step_that_never_reaches_the_end_is_refused(step):
    with pytest.raises(lissom.LissomError, match=r"step.*too small.*steps"):
        lissom.simulate(lissom.Robot.from_dict(PENDULUM), 1.0, method="rk4", step=step)


def test_the_least_step_grows_with_the_duration():
    RunSettings.of(1.0, method="rk4", step=1e-9)
    with pytest.raises(lissom.LissomError, match="too small"):
        RunSettings.of(1e5, method="rk4", step=1e-9)


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_coarse_fixed_steps_are_warned_of_in_every_result(method, tmp_path):
    step = {"euler": 0.02, "rk4": 0.35}[method]
    robot = lissom.Robot.from_dict(PENDULUM)
    with pytest.warns(SimulationWarning, match="the energy does not add up"):
        run = lissom.simulate(robot, 5.0, method=method, step=step)
    assert run.info.status == "finished"
    event = next(event for event in run.warnings if event.kind == "energy")
    assert event.value == pytest.approx(run.energy_audit().relative)
    assert event.value > 0.01
    assert f"{step:g} s" in event.text
    assert event in run.summary().events
    assert "does not add up" in str(run.summary())
    run.save(tmp_path / "run.nc")
    assert event in lissom.Trajectory.load(tmp_path / "run.nc").warnings


@pytest.mark.parametrize("options", [{}, {"method": "rk4", "step": 1e-3}, {"method": "radau"}])
def test_fine_steps_are_not(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = lissom.simulate(lissom.Robot.from_dict(PENDULUM), 2.0, **options)
    assert run.energy_audit().relative < 1e-4


def test_rest_is_not_doubted():
    """Nothing moves: whatever is left over is rounding, however large beside nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lissom.simulate(lissom.Robot.from_dict(PENDULUM | {"gravity": [0, 0, 0]}), 1.0, method="rk4", step=0.1)


@pytest.mark.parametrize("options", [{}, {"rtol": 1e-5, "atol": 1e-5}, {"method": "generalised-alpha", "step": 1e-3}])
def test_a_body_that_coasts_is_not_doubted(options):
    """Two arms of a satellite hold a ball joint together: it turns with 0.05 J and exchanges a millionth of that."""
    section = {"rhoA": 1.0, "EA": 1e6, "EIy": 50, "EIz": 50, "GJ": 40, "Jx": 1e-4}
    arm = {"length": 1.0, "section": section, "modes": {"y": 2, "z": 2}}
    links = [{"name": "bus", "joint": {"name": "base", "type": "free"}, "body": {"mass": 50, "inertia": [5, 5, 5]}}]
    for side, y in (("left", 0.5), ("right", -0.5)):
        hinge = {"joint": {"type": "revolute", "axis": [0, 0, 1]}, "beam": arm}
        links.append({"name": side, "parent": "bus", "origin": {"xyz": [0, y, 0]}, **hinge})
        links.append({"name": f"far-{side}", "parent": side, **hinge})
    loops = [{"name": "ball", "joint": "spherical", "between": [{"link": "far-left"}, {"link": "far-right"}]}]
    robot = lissom.Robot.from_dict({"name": "satellite", "gravity": [0, 0, 0], "links": links, "loops": loops})
    start = {"left": 0.3, "right": -0.3, "far-left.near": -0.9, "far-right.near": 0.9}
    start["base.rate"] = [0, 0, 0.1, 0, 0, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = lissom.simulate(robot, 2.0, start=start, rate=50, progress=False, **options)
    assert run.energy_audit().relative > 1e-3  # of hardly anything


@pytest.mark.parametrize("force", [0.05, 0.5, 5.0, 50.0])
def test_vibrations_of_micrometres_are_right_or_warned_of(force):
    """Steps take them for errors allowed and damp them away."""
    steel = {"E": 2.1e11, "nu": 0.3, "rho": 7850}
    tube = {"shape": "tube", "outer": 0.04, "thickness": 0.003}
    rod = {"name": "rod", "joint": "fixed", "beam": {"length": 1.0, "material": "steel", "section": tube}}
    data = {"lissom": 1, "name": "rod", "gravity": [0, 0, 0], "materials": {"steel": steel}, "links": [rod]}
    robot, loads = lissom.Robot.from_dict(data), [lissom.Load(link="rod", force=[0, 0, force])]

    def sway(**options):
        run = lissom.simulate(robot, 0.1, loads=loads, rate=2000, progress=False, **options)
        return run, run.tip("rod").values[:, 2]

    (run, found), (_, expected) = sway(), sway(rtol=1e-9, atol=1e-13 * force)
    error = np.sqrt(((found - expected) ** 2).mean() / (expected**2).mean())
    told = [event for event in run.warnings if event.kind == "energy"]
    assert error < 0.02 or told, error  # it tells from 1 % of the energy on
    if force == 0.05:
        assert told


@pytest.mark.parametrize("outer", [0.03, 0.06, 0.1])
def test_vibrations_left_by_a_move_are_right_or_warned_of(outer):
    """A stiff arm of a metre turns by a radian in half a second; what is left then is 3 mm, 52 or 7 micrometres."""
    steel = {"E": 2.1e11, "nu": 0.3, "rho": 7850}
    tube = {"shape": "tube", "outer": outer, "thickness": outer / 15}
    beam = {"length": 1.0, "material": "steel", "section": tube}
    rod = {"name": "rod", "joint": {"name": "hub", "type": "revolute", "axis": [0, 0, 1]}, "beam": beam}
    data = {"lissom": 1, "name": "rod", "gravity": [0, 0, 0], "materials": {"steel": steel}}
    robot = lissom.Robot.from_dict(data | {"links": [rod | {"payload": {"mass": 2.0}}]})
    move = {"hub": lissom.control.Reference.quintic(0.0, 1.0, 0.5)}

    def left(**options):
        run = lissom.simulate(robot, 1.0, motion=move, rate=1000, progress=False, **options)
        return run, np.abs(run.deflection("rod").sel(axis="y").values[run.time > 0.51]).max()

    (run, found), (_, expected) = left(), left(rtol=1e-9, atol=1e-12)
    told = [event for event in run.warnings if event.kind == "energy"]
    assert bool(told) == (outer > 0.05)
    assert found == pytest.approx(expected, rel=0.01) or told


@pytest.mark.parametrize("angle", [1e-3, 4e-3, 0.4])
def test_small_moves_deflect_an_arm_by_what_they_should_or_it_is_told(angle):
    """What turns the arm exchanges a hundred times the energy that its link stores."""
    steel = {"E": 2.1e11, "nu": 0.3, "rho": 7850}
    tube = {"shape": "tube", "outer": 0.04, "thickness": 0.003}
    beam = {"length": 1.5, "material": "steel", "section": tube}
    rod = {"name": "rod", "joint": {"name": "hub", "type": "revolute", "axis": [0, 0, 1]}, "beam": beam}
    data = {"lissom": 1, "name": "rod", "gravity": [0, 0, 0], "materials": {"steel": steel}, "links": [rod]}
    move = {"hub": lissom.control.Reference.quintic(0.0, angle, 0.25)}

    def sway(**options):
        robot = lissom.Robot.from_dict(data)
        run = lissom.simulate(robot, 0.25, motion=move, rate=1000, progress=False, **options)
        return run, run.deflection("rod").sel(axis="y").values

    (run, found), (_, expected) = sway(), sway(rtol=1e-8, atol=1e-7 * angle)
    error = np.abs(found - expected).max() / np.abs(expected).max()
    told = [event for event in run.warnings if event.kind == "energy"]
    assert error < 0.01 or told
    assert bool(told) == (angle < 0.1)
