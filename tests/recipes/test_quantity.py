"""A quantity with a plot is added from outside by two registrations, and is then wherever results are."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from typer.testing import CliRunner

import lissom
from lissom.results import ResultQuantity, Trajectory, register_quantity
from lissom.results.files.netcdf_files import save_samples
from lissom.results.registry.result_quantity import QUANTITIES
from lissom.simulation.postprocess import Wanted
from lissom.study.plan.kept_quantities import quantities
from lissom.study.plan.run_plan import Runs
from lissom.study.plan.sampling import Variations
from lissom.view import Plot, quantity_charts, register_plot
from lissom.view.figures.plots import PLOTS
from lissom.view.pages.run_report import report

POWER = ResultQuantity(
    "power", ("coordinate",), "W", "power of the applied forces", lambda run: run.raw.tau * run.raw.v, in_packs=True
)
TIP_SPEED = ResultQuantity(
    "tip_speed",
    ("link",),
    "m/s",
    "speed of the tip",
    lambda run: np.linalg.norm(run.seen.tip_twist[..., 3:], axis=-1),
    look=Wanted.PLACES,
)


@pytest.fixture(scope="module", autouse=True)
def registered():
    """Both quantities and a plot of each, taken away again for the other tests."""
    for quantity in (POWER, TIP_SPEED):
        register_quantity(quantity)
        register_plot(Plot(quantity.name, charts=lambda run, name=quantity.name: quantity_charts(run, name)))
    yield
    for quantity in (POWER, TIP_SPEED):
        del QUANTITIES[quantity.name], PLOTS[quantity.name]


@pytest.fixture(scope="module")
def run():
    return lissom.simulate("ella", 0.05, progress=False)


def expected_speed(run):
    return np.linalg.norm(run.dataset["tip_twist"].values[..., 3:], axis=-1)


def test_it_is_in_the_dataset_with_axes_unit_and_text(run):
    power, speed = run.dataset["power"], run.dataset["tip_speed"]
    assert power.dims == ("time", "coordinate")
    assert power.attrs == {"long_name": "power of the applied forces", "units": "W"}
    assert_array_equal(power.values, run.tau * run.v)
    assert speed.dims == ("time", "link")
    assert_array_equal(speed.values, expected_speed(run))
    assert speed.values.max() > 0


def test_it_is_found_by_name(run):
    assert_array_equal(run["tip_speed"].sel(link="forearm").values, expected_speed(run)[:, -1])
    assert_array_equal(run.numbers["power"], run.tau * run.v)


def test_the_work_is_the_integral_of_the_power():
    """Of a motor that pushes with a constant force the work is known to the tolerance of the run."""
    run = lissom.simulate("rigid-7-axis", 0.2, rate=4000, progress=False)
    total = run["power"].values.sum(axis=1)
    work = np.concatenate([[0.0], np.cumsum((total[1:] + total[:-1]) / 2 * np.diff(run.time))])
    assert_allclose(work, run.work - run.work[0], atol=1e-5 * max(1.0, np.abs(run.work).max()))


def test_it_is_in_files_and_computed_for_those_that_lack_it(run, tmp_path):
    run.save(tmp_path / "run.nc")
    assert_array_equal(Trajectory.load(tmp_path / "run.nc")["tip_speed"].values, run["tip_speed"].values)
    save_samples(run, tmp_path / "samples.nc")
    back = Trajectory.load(tmp_path / "samples.nc")
    assert "power" not in back._stored
    assert_array_equal(back["power"].values, run["power"].values)


def test_files_that_have_it_open_where_it_is_not_registered(run, tmp_path, monkeypatch):
    run.save(tmp_path / "run.nc")
    monkeypatch.delitem(QUANTITIES, "tip_speed")
    assert_array_equal(Trajectory.load(tmp_path / "run.nc")["tip_speed"].values, run["tip_speed"].values)


def test_it_is_in_tables_with_its_unit(run, tmp_path):
    table = run.to_dataframe()
    assert_array_equal(table["tip_speed.forearm"].values, expected_speed(run)[:, -1])
    assert table.attrs["units"]["power.elbow"] == "W"
    run.to_csv(tmp_path / "run.csv", units=True)
    assert "tip_speed.forearm [m/s]" in (tmp_path / "run.csv").read_text().splitlines()[0]


def test_it_has_a_figure_and_a_chart_on_pages(run):
    (axes,) = run.plot("tip_speed").axes
    assert axes.get_title(loc="left") == "Speed of the tip"
    assert axes.get_ylabel() == "tip speed [m/s]"
    drawn = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert_array_equal(drawn["forearm"], expected_speed(run)[:, -1])
    page = report(run)
    assert "Speed of the tip" in page
    assert "Power of the applied forces" in page


def test_the_command_draws_and_writes_it(tmp_path):
    from lissom.cli import app

    out = tmp_path / "out"
    done = CliRunner().invoke(app, ["run", "ella", "--duration", "0.02", "--out", str(out), "--quiet", "--report"])
    assert done.exit_code == 0, done.output
    assert (out / "figures" / "tip_speed.png").stat().st_size > 5000
    assert "figures/power.png" in json.loads((out / "summary.json").read_text())["files"]
    assert "Speed of the tip" in (out / "report.html").read_text(encoding="utf-8")
    assert "tip_speed" in Trajectory.load(out / "trajectory.nc").dataset


@pytest.mark.parametrize("lanes", [False, True])
def test_it_is_an_output_of_studies(lanes):
    """The power comes from packs of runs, the speed from one run at a time, the same numbers both."""
    gain = "control.gains.elbow.p"
    scenario = lissom.scenario.load("ella").with_values([("duration", 0.02), ("method", "radau")])
    values = np.linspace(300.0, 500.0, 8).tolist()
    runs = Runs(
        scenario, Variations.of({gain: values}), quantities(["peak power.elbow", "peak tip_speed.forearm"]), lanes
    )
    found = runs.compute(range(8)).values
    alone = scenario.with_values([(gain, values[3])]).run(progress=False)
    power, speed = alone["power"].sel(coordinate="elbow"), alone["tip_speed"].sel(link="forearm")
    assert_allclose(found["peak power.elbow"][3], np.abs(power).max(), rtol=1e-3)
    assert_allclose(found["peak tip_speed.forearm"][3], speed.max(), rtol=1e-3)


def test_a_name_that_is_taken_or_an_axis_that_is_not_there_is_refused():
    with pytest.raises(lissom.LissomError, match=r"power.*choose another"):
        register_quantity(POWER)
    with pytest.raises(lissom.LissomError, match="no axis of results"):
        register_quantity(ResultQuantity("heat", ("motor",), "K", "heat of motors", lambda run: run.raw.tau))
    with pytest.raises(lissom.LissomError, match="choose another name"):
        register_plot(Plot("overview"))


def test_values_of_another_shape_than_the_axes_are_refused_by_name(monkeypatch):
    short = ResultQuantity("short", ("joint",), "1", "too few", lambda run: run.raw.q[:, :1])
    monkeypatch.setitem(QUANTITIES, "short", short)
    run = lissom.simulate("ella", 0.01, progress=False)
    with pytest.raises(lissom.LissomError, match=r"short.*shape \(.*, 1\).*\('joint',\)"):
        _ = run.dataset
