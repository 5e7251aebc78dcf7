"""A strip that spins is turned flat by its own inertia: `first` has that where a spin of a natural frequency does so.

Where a link bends so easily that no such spin twists it (these strips), it says at faster ones that it leaves that out.
"""

import warnings

import numpy as np
import pytest

import lissom
from lissom.analysis.propeller_moment import largest_share
from lissom.control import Reference


def blade(stiffening, wide, thin, GJ=1.0):
    section = {
        "rhoA": 1.0,
        "EA": 1e7,
        "EIy": 5 * GJ,
        "EIz": 5 * GJ,
        "GJ": GJ,
        "Jx": wide + thin,
        "Jy": thin,
        "Jz": wide,
    }
    return {"length": 1.0, "section": section, "modes": {"y": 1, "z": 1, "torsion": 3}, "stiffening": stiffening}


def strip(stiffening, wide, thin, GJ=1.0):
    """A rotor blade of length 1 m with second moments `wide` along y and `thin` along z of its mass per length."""
    beam = blade(stiffening, wide, thin, GJ)
    link = {"name": "blade", "joint": {"name": "hub", "type": "revolute", "axis": [0, 0, 1]}, "beam": beam}
    return lissom.Robot.from_dict({"lissom": 1, "name": "rotor", "gravity": [0, 0, 0], "links": [link]})


def test_what_is_left_out_is_the_propeller_moment_on_random_sections_and_spins():
    rng = np.random.default_rng(1)
    for _ in range(50):
        wide, thin = 10 ** rng.uniform(-5, -3, 2)
        GJ = 10 ** rng.uniform(-1, 1)
        across = rng.uniform(0.1, 1) * np.pi / 2 * np.sqrt(GJ / (wide + thin))
        found = largest_share(strip("first", wide, thin, GJ).flexible_links()["blade"], np.array([0, 0, across]))
        # centrifugal forces on the width: Omega^2 wide against (pi / 2)^2 GJ
        assert found == pytest.approx(across**2 * wide / (np.pi**2 / 4 * GJ), rel=5e-3)


@pytest.mark.parametrize(
    ("stiffening", "part", "told"), [("first", 0.5, True), ("first", 0.1, False), ("exact", 0.5, False)]
)
def test_a_run_says_where_it_matters(stiffening, part, told):
    robot = strip(stiffening, 1e-3, 1e-5)
    spin = part * np.pi / 2 * np.sqrt(1.0 / 1.01e-3)
    with pytest.warns(UserWarning, match="propeller moment") if told else pytest.MonkeyPatch.context():
        run = lissom.simulate(robot, 0.01, rate=1000, start={"hub.rate": spin})
    assert any("propeller moment" in event.text for event in run.warnings) == told


FREE = {"name": "air", "type": "free"}
SPIN = 0.5 * np.pi / 2 * np.sqrt(1.0 / 1.01e-3)


def on_a(joint):
    """The strip, fixed to a body that moves by `joint`."""
    hub = {"name": "hub", "joint": joint, "body": {"mass": 1.0, "inertia": [1.0, 1.0, 1.0]}}
    part = {"name": "blade", "joint": "fixed", "beam": blade("first", 1e-3, 1e-5)}
    return lissom.Robot.from_dict({"lissom": 1, "name": "rotor", "gravity": [0, 0, 0], "links": [hub, part]})


@pytest.mark.parametrize(
    ("joint", "options"),
    [
        ({"name": "turn", "type": "revolute", "axis": [0, 0, 1]}, {"start": {"turn.rate": SPIN}}),
        (
            {"name": "turn", "type": "revolute", "axis": [0, 0, 1]},
            {"motion": {"turn": Reference.from_function(lambda t: SPIN * t, 0.02)}, "start": {"turn.rate": SPIN}},
        ),
        ({"name": "turn", "type": "spherical"}, {"start": {"turn.rate": [0, 0, SPIN]}}),
        (FREE, {"start": {"air.rate": [0, 0, SPIN, 0, 0, 0]}}),
    ],
    ids=["joint", "prescribed", "ball", "free"],
)
def test_it_is_told_however_a_link_spins(joint, options):
    with pytest.warns(UserWarning, match="propeller moment"):
        run = lissom.simulate(on_a(joint), 0.01, rate=1000, progress=False, **options)
    (event,) = (event for event in run.warnings if event.kind == "propeller moment")
    # centrifugal forces on the width: Omega^2 wide against (pi / 2)^2 GJ, and hardly anything on slopes
    assert event.value == pytest.approx(0.25 * 1e-3 / 1.01e-3, rel=0.02)


@pytest.mark.parametrize("stiffening", ["first", "exact"])
def test_linear_models_and_steady_motions_of_a_spinning_link_tell_it(stiffening):
    model = strip(stiffening, 1e-3, 1e-5).compile()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        steady = lissom.steady_motion(model, v={"hub": SPIN})
        lissom.linearise(model, *steady)
        lissom.frequency_response(model, *steady, outputs=["hub"], frequencies=[1.0])
        lissom.linearise(model, *lissom.steady_motion(model, v={"hub": 0.05 * SPIN}))
    told = [each for each in caught if "propeller moment" in str(each.message)]
    assert len(told) == (3 if stiffening == "first" else 0)


@pytest.mark.parametrize("runs", [3, 80], ids=["alone", "in packs"])
def test_batches_tell_it(runs):
    scenario = {"robot": strip("first", 1e-3, 1e-5).to_dict(), "duration": 0.005, "output": {"rate": 1000}}
    speeds = np.linspace(0.05, 1, runs) * SPIN
    with pytest.warns(UserWarning, match=r"in doubt.*propeller moment"):
        data = lissom.simulate_batch(
            scenario, {"start.hub.rate": speeds.tolist()}, outputs=["peak |deflection.blade|"], cores=1, progress=False
        )
    assert (data["status"] == 0).all()
    causes = data["cause"].values
    assert "propeller moment" in causes[-1]
    assert causes[0] == ""


def test_batches_of_prescribed_motions_and_moving_bases_tell_it():
    turn = {"type": "revolute", "axis": [0, 0, 1], "name": "turn"}
    sine = {"type": "sine", "amplitude": 2.0, "frequency": SPIN / (4 * np.pi)}
    for joint, options in ((turn, {"motion": {"turn": sine}}), (FREE, {"start": {"air.rate": [0, 0, SPIN, 0, 0, 0]}})):
        scenario = {"robot": on_a(joint).to_dict(), "duration": 0.01, "output": {"rate": 1000}} | options
        with pytest.warns(UserWarning, match=r"in doubt.*propeller moment"):
            lissom.simulate_batch(
                scenario,
                {"links.hub.body.mass": [1.0, 2.0]},
                outputs=["peak |deflection.blade|"],
                cores=1,
                progress=False,
            )
