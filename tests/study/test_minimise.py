"""The best variant: known minima, limits, and searches that go on."""

import os
import sys

import numpy as np
import pytest
from small_study import PENDULUM, contents

import lissom
from lissom.errors import LissomError
from lissom.scenario.scenario_paths import value_at
from lissom.study import Best, minimise
from lissom.study.plan.run_plan import Runs

START, MASS = "start.pin", "links.rod.body.mass"
OPTIONS = {"cores": 1, "progress": False}


@pytest.fixture
def pendulum():
    return lissom.scenario.Scenario.from_dict(PENDULUM)


@pytest.mark.parametrize("method", ["global", "local", "slsqp", "nelder-mead", "powell"])
def test_the_height_of_a_rod_is_least_where_it_hangs(pendulum, method):
    found = minimise(pendulum, "first tip_position.rod.y", {START: (-2.5, 0.5)}, method=method, **OPTIONS)
    assert found.values[START] == pytest.approx(-np.pi / 2, abs=0.02)
    assert found.outputs["first tip_position.rod.y"] == pytest.approx(-1, abs=2e-4)
    assert found.scenario.start["pin"] == found.values[START]
    assert "best of" in str(found)


@pytest.mark.parametrize("method", ["global", "local", "slsqp"])
def test_limits_are_kept(pendulum, method):
    """The heaviest rod, least -mass, whose weight the joint may bear: at the start it hangs at rest."""
    hanging = pendulum.with_value(START, -np.pi / 2)
    limit = {"peak |wrench.pin.force|": 15.0}
    found = minimise(hanging, "least gravity_energy", {MASS: (0.5, 4.0)}, limits=limit, method=method, **OPTIONS)
    assert found.values[MASS] == pytest.approx(15 / 9.81, rel=3e-3)
    assert found.outputs["peak |wrench.pin.force|"] <= 15 * (1 + 1e-6)


def test_limits_that_nothing_keeps_are_told(pendulum):
    found = minimise(pendulum, "mass", {MASS: (1.0, 2.0)}, limits={"peak |wrench.pin.force|": 0.1}, most=60, **OPTIONS)
    assert "no variant keeps the limits" in found.message
    assert found.values[MASS] == pytest.approx(1.0, abs=0.05)


def test_a_search_goes_on_where_it_stopped(pendulum, tmp_path, monkeypatch):
    ask = dict(output="first tip_position.rod.y", over={START: (-2.5, 0.5)}, store=tmp_path / "s.zarr", **OPTIONS)
    minimise(pendulum, most=20, **ask)
    made = []
    real = Runs.compute
    monkeypatch.setattr(Runs, "compute", lambda self, rows, **more: made.append(len(rows)) or real(self, rows, **more))
    whole = minimise(pendulum, most=60, **ask)
    assert whole.runs == 60
    assert sum(made) == 40
    alone = minimise(pendulum, "first tip_position.rod.y", {START: (-2.5, 0.5)}, most=60, **OPTIONS)
    assert alone.values == whole.values
    with pytest.raises(LissomError, match="holds another study"):
        minimise(pendulum.with_value("duration", 0.3), most=60, **ask)


def test_a_search_that_was_cut_goes_on_with_the_right_numbers(pendulum, tmp_path, monkeypatch):
    """Whatever is not whole when the process ends is asked for again, and what follows stays in its place."""
    ask = dict(output="first tip_position.rod.y", over={START: (-2.5, 0.5)}, method="local", **OPTIONS)
    alone = minimise(pendulum, most=12, **ask)
    store = tmp_path / "s.zarr"
    for most in (4, 8, 12):
        found = minimise(pendulum, most=most, store=store, **ask)
        for name in os.listdir(store):
            if (store / name).is_dir() and (store / name / f"{most - 1}.0").exists():
                (store / name / f"{most - 1}.0").unlink()  # cut between its row and what is in it
    assert found.values == alone.values
    assert found.outputs == alone.outputs


def test_a_search_writes_nowhere_else(pendulum, tmp_path, monkeypatch):
    ask = dict(output="mass", over={MASS: (1, 2)}, most=3, **OPTIONS)
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "one.txt").write_text("dear")
    with pytest.raises(LissomError, match="holds something else"):
        minimise(pendulum, store=tmp_path / "letters", **ask)
    with pytest.raises(LissomError, match="is a file"):
        minimise(pendulum, store=tmp_path / "letters" / "one.txt", **ask)
    assert contents(tmp_path / "letters") == {"one.txt": b"dear"}

    def full(self, value):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("zarr.Array.append", full)
    with pytest.raises(LissomError, match=r"no space left on device; what was stored before is whole"):
        minimise(pendulum, store=tmp_path / "s.zarr", **ask)


def test_a_limit_of_what_is_minimised_is_heeded(pendulum):
    found = minimise(pendulum, "mass", {MASS: (1.0, 2.0)}, limits={"mass": 0.5}, method="local", most=20, **OPTIONS)
    assert "no variant keeps the limits" in found.message


def test_a_local_search_begins_with_the_own_values_of_robot_start_and_controller():
    ella = lissom.scenario.load("ella").with_value("duration", 0.01)
    mass, gain = "links.forearm.beam.masses.0.mass", "control.gains.elbow.d"
    own = {mass: value_at(ella, mass), gain: ella.control.gains["elbow"].d, "duration": 0.01, "start.elbow": 0.0}
    over = {path: (value - 1e-3, value + 3e-3) for path, value in own.items()}
    found = minimise(ella, "mass", over, method="local", most=1, **OPTIONS)
    assert found.values == pytest.approx(own, abs=1e-9)


def test_bounds_may_have_units(pendulum):
    found = minimise(pendulum, "mass", {MASS: ("500 g", "2 kg")}, method="local", most=20, **OPTIONS)
    assert found.values[MASS] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"over": {START: (1, 0)}}, "the smaller first"),
        ({"over": {START: 3}}, "must be"),
        ({"over": {}}, "is empty"),
        ({"over": {"links.rod.body.mas": (1, 2)}}, "did you mean 'mass'"),
        ({"output": "position.pin"}, "must be one number per run"),
        ({"over": {MASS: ("1 m", "2 m")}}, "a unit of the wrong kind"),
        ({"limits": {"mass": "3 kg"}}, "limits.mass = '3 kg': must be the largest value allowed"),
        ({"most": "many"}, "most = 'many': must be a whole number"),
        ({"method": "globel"}, "did you mean 'global'"),
        ({"method": "powell", "limits": {"mass": 1.0}}, "cannot heed limits"),
    ],
)
def test_wrong_questions_are_refused(pendulum, change, text):
    asked = {"output": "mass", "over": {START: (0, 1)}} | change
    with pytest.raises(LissomError) as error:
        minimise(pendulum, **asked, **OPTIONS)
    assert text in str(error.value)


ELLA = {
    "last position.elbow": "first",
    "rms velocity.shoulder": "none",
    "peak |deflection.upper|": "first",
    "mean deflection.forearm.y": "exact",
    "most tip_position.forearm.x": "first",
    "rms torque.elbow": "first",
    "last |tip_position.forearm|": "first",
}


@pytest.mark.parametrize(("text", "field"), ELLA.items())
def test_slopes_of_outputs_equal_differences(text, field):
    """Central differences of runs with tight steps, over numbers of the robot and gains, with all three fields."""
    from lissom.study.plan.kept_quantities import quantities
    from lissom.study.plan.sampling import Variations
    from lissom.study.search.output_derivatives import slopes

    changes = [("duration", 0.3), ("output.rate", 100), ("rtol", 1e-9), ("atol", 1e-11), ("method", "radau")]
    changes += [(f"links.{link}.beam.stiffening", field) for link in ("upper", "forearm")]
    scenario = lissom.scenario.load("ella").with_values(changes)
    at = {"links.upper.beam.section.EIz": 3670.0, "control.gains.elbow.p": 600.0, "links.forearm.beam.length": 0.93}
    outputs = quantities([text])
    found = slopes(scenario, list(at), list(outputs.values()))
    for k, (path, value) in enumerate(at.items()):
        h = 1e-4 * value
        columns = {path: (value - h, value + h)}
        piece = Runs(scenario, Variations(columns, {path: (path,)}), outputs).compute([0, 1])
        difference = np.diff(piece.values[text])[0] / (2 * h)
        size = abs(piece.values[text]).max() / value
        assert found[0, k] == pytest.approx(difference, rel=2e-3, abs=2e-4 * size), path


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ([], ["control.reference.to.elbow"]),
        ([], ["start.elbow"]),
        ([("control.gravity_compensation", True)], ["control.gains.elbow.p"]),
        ([("method", "dop853")], ["control.gains.elbow.p"]),
    ],
)
def test_where_no_slopes_exist_none_are_given(changes, fields):
    from lissom.study.plan.kept_quantities import Quantity
    from lissom.study.search.output_derivatives import slopes

    scenario = lissom.scenario.load("ella").with_values([("duration", 0.05), *changes])
    assert slopes(scenario, fields, [Quantity.of("last position.elbow")]) is None


def test_gradients_take_one_run_each_and_are_kept(tmp_path, monkeypatch):
    scenario = lissom.scenario.load("ella").with_values([("duration", 0.2), ("output.rate", 100)])
    ask = dict(
        output="rms velocity.elbow",
        over={"control.gains.elbow.p": (300, 900), "control.gains.elbow.d": (20, 80)},
        limits={"peak torque.elbow": 40.0},
        method="slsqp",
        **OPTIONS,
    )
    whole = minimise(scenario, store=tmp_path / "s.zarr", **ask)
    monkeypatch.setattr(Runs, "compute", lambda self, rows, **more: pytest.fail("computed again"))
    monkeypatch.setattr(sys.modules[Best.__module__], "slopes", lambda *_: pytest.fail("derived again"))
    again = minimise(scenario, store=tmp_path / "s.zarr", **ask)
    assert again.values == whole.values
    assert again.runs == whole.runs < 60
    assert whole.outputs["peak torque.elbow"] <= 40 * (1 + 1e-6)
