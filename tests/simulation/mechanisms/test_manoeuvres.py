"""Three whole manoeuvres agree with geometrically exact beams: angles, tip, deflections, joint wrenches, energies.

The figures (tests/data/reference_figures.json) are from another program; the tolerances there are for links with the
first-order field and the mode counts of the built-in robots.
"""

from functools import cache

import numpy as np
import pytest
from claims import claim
from places import reference_figures

import lissom
from lissom.control import Reference, pd

FIGURES = reference_figures()["manoeuvres"]
RATE = 200.0
NAMES = tuple(FIGURES)


@cache
def simulated(name):
    """The built-in robot on its manoeuvre, as the reference has it."""
    figures = FIGURES[name]
    model = lissom.load(name).compile()
    controller = None
    if "gains" in figures:
        reference = (
            Reference.quintic(**figures["quintic"]) if "quintic" in figures else Reference.steps(figures["steps"])
        )
        controller = pd(model, figures["gains"], reference)
    return lissom.simulate(model, figures["duration"], controller=controller, start=figures["start"], rate=RATE)


def spots(name, end=np.inf):
    """Reference figures with the number of the sample they belong to, up to the time `end`."""
    limit = min(end, FIGURES[name]["tolerances"].get("until", np.inf))
    return [(round(spot["t"] * RATE), spot) for spot in FIGURES[name]["spots"] if spot["t"] <= limit]


def tolerance(name, what):
    return FIGURES[name]["tolerances"][what]


def peak(name, values):
    """Largest norm of (time, 3) values over the time for which the tolerance is meant."""
    last = spots(name)[-1][0] if "until" in FIGURES[name]["tolerances"] else len(values)
    return np.max(np.linalg.norm(values[: last + 1], axis=-1))


def far(name, values, of):
    """Largest distance of (time, ...) values from the figures of(spot), at any spot."""
    return max(np.max(np.abs(values[k] - of(spot))) for k, spot in spots(name))


def joint_positions(run):
    return np.stack([run[joint].values for joint in run.model.joints], axis=1)


@pytest.mark.parametrize("name", NAMES)
def test_run_finishes_and_balances_its_energy(name):
    run = simulated(name)
    assert run.info.status == "finished"
    exchanged = np.ptp(run["kinetic_energy"].values) + np.ptp(run["gravity_energy"].values)
    claim(np.max(np.abs(run["energy_residual"].values)) / exchanged, 2e-6)


@pytest.mark.parametrize("name", NAMES)
def test_joint_angles_agree(name):
    error = far(name, joint_positions(simulated(name)), lambda spot: spot["position"])
    claim(error, tolerance(name, "position"), "rad")


def test_rotor_angles_agree():
    run = simulated("canadarm2")
    rotors = np.stack([run[f"{joint}.rotor"].values for joint in run.model.joints], axis=1)
    assert far("canadarm2", rotors, lambda spot: spot["rotor"]) < tolerance("canadarm2", "position")


@pytest.mark.parametrize("name", NAMES)
def test_tip_agrees(name):
    claim(far(name, simulated(name).tip().values, lambda spot: spot["tip"]), tolerance(name, "tip"), "m")


@pytest.mark.parametrize("what", ["deflection", "rotation"])
@pytest.mark.parametrize("name", NAMES)
def test_elastic_displacement_and_rotation_of_links_agree(name, what):
    run = simulated(name)
    for link in run.model.flexible:
        values = getattr(run, what)(link).values
        error = far(name, values, lambda spot, link=link: spot[what][link])
        claim(error / peak(name, values), tolerance(name, what))


@pytest.mark.parametrize(("frame", "axes"), [("world", "world"), ("local", "child")])
@pytest.mark.parametrize("name", NAMES)
def test_joint_forces_and_moments_agree(name, frame, axes):
    run = simulated(name)
    for joint in FIGURES[name]["spots"][0]["wrench"]:
        wrench = run.wrench(joint, frame=frame).values
        for part, values in (("moment", wrench[:, :3]), ("force", wrench[:, 3:])):
            error = far(name, values, lambda spot, part=part, joint=joint: spot["wrench"][joint][axes][part])
            claim(error / peak(name, values), tolerance(name, "wrench"))


@pytest.mark.parametrize("name", NAMES)
def test_energies_agree(name):
    run = simulated(name)
    parts = {
        "kinetic": run["kinetic_energy"].values,
        "gravity": run["gravity_energy"].values,
        "elastic": run["strain_energy"].values + run["joint_energy"].values,
    }
    for part, values in parts.items():
        error = far(name, values, lambda spot, part=part: spot[part])
        assert error < tolerance(name, "deflection") * np.ptp(values[: spots(name)[-1][0] + 1]), part


def test_motor_torque_is_the_moment_about_the_joint_axis():
    run = simulated("ella")
    for link in run.model.robot.bodies:
        along = run.wrench(link.joint.name).values[:, :3] @ np.array(link.joint.axis, float)
        torque = run.torque(link.joint.name).values
        assert np.max(np.abs(along - torque)) < 1e-4 * np.max(np.abs(torque)), link.joint.name


def test_whipping_boom_stays_close_beyond_the_stated_range():
    """At 2 s boom 2 of the canadarm2 whips straight: 1.4 % of the base moment is what the field leaves there."""
    run, last = simulated("canadarm2"), FIGURES["canadarm2"]["spots"][-1]
    assert last["t"] == run.time[-1] == 2.0
    assert np.allclose(run.tip()[-1], last["tip"], atol=1e-4)
    assert np.allclose(joint_positions(run)[-1], last["position"], atol=1e-4)
    for link, figure in last["deflection"].items():
        assert np.linalg.norm(run.deflection(link)[-1] - figure) < 5e-3 * np.linalg.norm(figure)
    for joint, figures in last["wrench"].items():
        wrench = run.wrench(joint, frame="world").values
        moment = np.max(np.linalg.norm(wrench[:, :3], axis=1))
        assert np.linalg.norm(wrench[-1, 3:] - figures["world"]["force"]) < 1e-3 * np.linalg.norm(wrench[-1, 3:])
        assert np.linalg.norm(wrench[-1, :3] - figures["world"]["moment"]) < 2e-2 * moment
