"""simulate_batch: equal to single runs, failures marked, clear refusals."""

import numpy as np
import pytest
import xarray as xr
from small_study import MASS, PENDULUM

import lissom
from lissom.errors import LissomError
from lissom.simulation.status.run_warnings import EndedEarly
from lissom.study.plan.run_plan import STATUS
from lissom.study.plan.sampling import Variations


@pytest.fixture
def pendulum():
    scenario = lissom.scenario.Scenario.from_dict(PENDULUM | {"start": {"pin": 0.3}})
    return scenario.with_values([("links.rod.joint.damping", 0.1), ("links.rod.joint.spring", {"stiffness": 1.0})])


def test_every_run_equals_the_single_one(pendulum):
    given = {MASS: np.linspace(0.5, 2, 12), "start.pin": np.linspace(-1, 1, 12)}
    data = lissom.simulate_batch(pendulum, given, outputs=["position.pin", "tip_position"], cores=2)
    for k in range(12):
        alone = pendulum.with_values([(path, float(values[k])) for path, values in given.items()]).run(progress=False)
        np.testing.assert_array_equal(data["position.pin"][k], alone["pin"])
        np.testing.assert_array_equal(data["tip_position"][k], alone.dataset["tip_position"])
    np.testing.assert_array_equal(data[MASS], given[MASS])


def test_everything_is_kept_unless_chosen(pendulum):
    data = lissom.simulate_batch(pendulum, [{MASS: 1.0}, {MASS: 2.0}])
    run = pendulum.with_value(MASS, 2.0).run(progress=False)
    for name, values in run.dataset.data_vars.items():
        np.testing.assert_array_equal(data[name][1], values, err_msg=str(name))
        assert data[name].attrs.get("units") == values.attrs.get("units")


def test_settings_and_duration_take_the_place_of_the_scenarios(pendulum):
    data = lissom.simulate_batch(
        pendulum, {MASS: [1.0]}, 0.1, outputs=["position.pin"], rate=100, method="rk4", step=1e-3
    )
    assert data.sizes["time"] == 11
    alone = pendulum.run(duration=0.1, rate=100, method="rk4", step=1e-3, progress=False)
    np.testing.assert_array_equal(data["position.pin"][0], alone["pin"])


def test_a_robot_alone_moves_freely():
    data = lissom.simulate_batch(
        lissom.load("ella"), {"gravity": [[0, -9.81, 0], [0, 0, 0]]}, 0.05, outputs=["range position.elbow"]
    )
    assert data["range position.elbow"][0] > 1e-3
    assert data["range position.elbow"][1] == 0


def test_a_run_that_cannot_be_leaves_the_others(pendulum):
    data = lissom.simulate_batch(pendulum, {MASS: [1.0, -1.0, 2.0]}, outputs=["last position.pin", "position.pin"])
    assert [STATUS[k] for k in data.status.values] == ["finished", "refused", "finished"]
    assert "mass = -1: must not be negative" in str(data.cause[1].item())
    assert np.isnan(data["last position.pin"][1])
    assert np.isnan(data["position.pin"][1]).all()
    assert np.isfinite(data["position.pin"][[0, 2]]).all()


def test_failures_of_a_batch_are_told_once_for_each_kind(pendulum):
    masses = [1.0, *[-1.0] * 40]
    with pytest.warns(EndedEarly) as told:
        lissom.simulate_batch(pendulum, {MASS: masses}, outputs=["last position.pin"])
    assert len(told) == 1
    assert str(told[0].message).startswith("40 of 41 runs did not finish: refused; the first is run 1: ")


def test_a_run_that_stops_keeps_what_it_computed(pendulum):
    """A fixed step far too large for the stiff spring of the second run."""
    stiff = {"links.rod.joint.spring.stiffness": [1.0, 1e9]}
    with pytest.warns(EndedEarly, match="1 of 2 runs did not finish: (diverged|not-finite); the first is run 1: "):
        data = lissom.simulate_batch(
            pendulum, stiff, 1.0, outputs=["position.pin", "peak position.pin"], method="euler", step=1e-3
        )
    assert STATUS[int(data.status[1])] in ("diverged", "not-finite")
    assert data.cause[1].item()
    assert np.isfinite(data["position.pin"][1, 0])
    assert np.isnan(data["position.pin"][1, -1])
    assert np.isnan(data["peak position.pin"][1])
    assert np.isfinite(data["peak position.pin"][0])


def test_quantities_are_those_of_the_run(pendulum):
    texts = {
        "top": "most position.pin",
        "low": "least position.pin",
        "span": "range position.pin",
        "peak": "peak position.pin",
        "mean": "mean position.pin",
        "rms": "rms position.pin",
        "first": "first position.pin",
        "last": "last tip_position.rod.y",
        "force": "peak |wrench.pin.force|",
        "mass": "mass",
    }
    data = lissom.simulate_batch(pendulum, {MASS: [1.3]}, outputs=texts, rate=2000).isel(run=0)
    run = pendulum.with_value(MASS, 1.3).run(rate=2000, progress=False)
    angle, force = run["pin"].values, run.wrench("pin").values[:, 3:]
    assert data.top == angle.max()
    assert data.low == angle.min()
    assert data.span == np.ptp(angle)
    assert data.peak == np.abs(angle).max()
    assert data["first"] == angle[0]
    assert data["mean"] == pytest.approx(angle.mean(), rel=2e-3)
    assert data.rms == pytest.approx(np.sqrt((angle**2).mean()), rel=2e-3)
    assert data["last"] == run.tip("rod").values[-1, 1]
    assert data.force == np.linalg.norm(force, axis=1).max()
    assert data.mass == pytest.approx(1.3)
    assert data.force.attrs["units"] == "N"


def test_frequencies_of_the_arm():
    path = "links.forearm.beam.masses.0.mass"
    data = lissom.simulate_batch("ella", {path: [1.0, 2.0]}, 0.01, outputs=["frequency.1", "frequency"])
    for k, mass in enumerate((1.0, 2.0)):
        modes = lissom.natural_modes(lissom.load("ella").with_value(path, mass))
        assert data["frequency.1"][k] == pytest.approx(modes.frequencies[0], rel=1e-9)
        np.testing.assert_allclose(data["frequency"][k], modes.frequencies, rtol=1e-9)


@pytest.mark.parametrize(
    ("outputs", "text"),
    [
        ("peek position.pin", "did you mean 'peak'"),
        ("positon.pin", "did you mean 'position'"),
        ("position.pim", "did you mean 'pin'"),
        ("position.pin.x", "nothing below position.pin"),
        ("|position.pin|", "length of a vector of three parts"),
        ("frequency.0", "counted from 1"),
        ("", "must be a quantity"),
        ([], "is empty"),
        (5, "must be a list of quantities"),
    ],
)
def test_unknown_quantities_are_refused(pendulum, outputs, text):
    with pytest.raises(LissomError, match="outputs") as error:
        lissom.simulate_batch(pendulum, {MASS: [1.0]}, outputs=outputs)
    assert text in str(error.value)


def test_unknown_fields_are_refused_before_anything_runs(pendulum):
    with pytest.raises(LissomError, match="did you mean 'mass'"):
        lissom.simulate_batch(pendulum, {"links.rod.body.mas": [1.0]})
    with pytest.raises(LissomError, match="cores = 0"):
        lissom.simulate_batch(pendulum, {MASS: [1.0]}, cores=0)
    with pytest.raises(TypeError, match="no setting 'ratee'"):
        lissom.simulate_batch(pendulum, {MASS: [1.0]}, ratee=3)
    with pytest.raises(LissomError, match="no common time axis"):
        lissom.simulate_batch(pendulum, {"duration": [0.1, 0.2]}, outputs=["position.pin"])
    with pytest.raises(LissomError, match="must be a list of three numbers"):
        lissom.simulate_batch(pendulum, {"links.rod.body.com": [[1e-3, 0]]}, outputs=["mass"])
    bare = {MASS: [0.0, 1.0], "links.rod.body.inertia": [[0, 0, 0], [1, 1, 5]]}  # no inertia; an impossible one
    with pytest.raises(LissomError, match="no run can be made; the first says"):
        lissom.simulate_batch(pendulum, bare, outputs=["mass"])


def test_more_than_fits_into_memory_is_refused(pendulum, monkeypatch):
    monkeypatch.setattr("lissom.study.execution.batch.memory", lambda: 1e4)
    with pytest.raises(LissomError, match=r"100 runs of .* numbers need .* of memory"):
        lissom.simulate_batch(pendulum, {MASS: np.ones(100)}, outputs=["position.pin"])


@pytest.mark.parametrize("robot", ["ella", "canadarm2", "five-bar", "dual-screw-arm"])
def test_runs_in_shared_memory_equal_single_ones_bit_by_bit(robot):
    """One after the other in the memory of the last: other masses, stiffnesses, gravity and starts, back and forth."""
    scenario = lissom.scenario.load(robot).with_value("duration", 0.05)
    beam = next(link.name for link in scenario.load_robot().links if link.beam is not None)
    changes = [
        {"gravity": [0.0, -9.81, 0.0], f"links.{beam}.beam.damping": 0.01},
        {"gravity": [1.0, 2.0, 3.0], f"links.{beam}.beam.damping": 0.02},
        {"gravity": [0.0, -9.81, 0.0], f"links.{beam}.beam.damping": 0.01},
        {"gravity": [0.0, 0.0, 0.0], f"links.{beam}.beam.damping": 0.05},
    ]
    data = lissom.simulate_batch(scenario, changes, cores=1)
    assert not data.status.any()
    for k, change in enumerate(changes):
        alone = scenario.with_values(change.items()).run(progress=False).dataset
        for name in ("position", "eta", "wrench", "tip_position", "kinetic_energy", "energy_residual"):
            np.testing.assert_array_equal(data[name][k], alone[name], err_msg=f"{name} of run {k}")


@pytest.mark.parametrize("only", [["position.elbow"], ["deflection.upper"], ["wrench.elbow"], ["work"]])
def test_what_is_left_out_changes_nothing(only):
    """Forces and energies are computed only where they are asked for."""
    scenario = lissom.scenario.load("ella").with_value("duration", 0.05)
    alone = scenario.run(progress=False)
    whole = {
        "position.elbow": alone["elbow"],
        "deflection.upper": alone.deflection("upper"),
        "wrench.elbow": alone.wrench("elbow"),
        "work": alone.work,
    }
    data = lissom.simulate_batch(scenario, {"start.elbow": [0.0]}, outputs=only)
    np.testing.assert_array_equal(data[only[0]][0], whole[only[0]])


@pytest.mark.parametrize("name", ["status", "run", "time", "cause", "stored", "a/b", "", ".zattrs", MASS])
def test_names_that_results_cannot_have_are_refused(pendulum, name):
    with pytest.raises(LissomError, match=r"give another|cannot serve as a name|another name"):
        lissom.simulate_batch(pendulum, {MASS: [1, 2]}, outputs={name: "last position.pin"}, progress=False)


@pytest.mark.parametrize("again", [MASS, "links.rod.body", "links"])
def test_a_field_that_is_set_twice_is_refused(pendulum, again):
    """The row of a run would say what another quantity has overwritten."""
    variations = Variations({"a": (1.0, 2.0), "b": (3.0, 4.0)}, {"a": (MASS,), "b": (again,)})
    with pytest.raises(LissomError, match="is set a second time by"):
        lissom.simulate_batch(pendulum, variations, outputs=["mass"], progress=False)


@pytest.mark.parametrize("text", ["mass.3", "peak mass", "|mass|", "last frequency.1", "peak"])
def test_quantities_of_the_robot_stand_alone(pendulum, text):
    with pytest.raises(LissomError, match="outputs ="):
        lissom.simulate_batch(pendulum, {MASS: [1, 2]}, outputs=[text], progress=False)


def test_columns_may_come_from_any_library(pendulum):
    column = xr.DataArray([1.0, 2.0])
    data = lissom.simulate_batch(pendulum, {MASS: column}, outputs=["mass"], progress=False)
    np.testing.assert_array_equal(data["mass"], column)


def test_units_of_varied_fields_are_told():
    varied = {
        "control.gains.elbow.d": [40, 50],
        "duration": ["10 ms", 0.01],
        "links.upper.beam.stiffening": ["first", "none"],
    }
    data = lissom.simulate_batch("ella", varied, outputs=["mass"], progress=False)
    assert [data[name].attrs.get("units") for name in varied] == ["N m s/rad", "s", None]
    np.testing.assert_array_equal(data["duration"], [0.01, 0.01])
