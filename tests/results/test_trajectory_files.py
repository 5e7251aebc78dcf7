"""Trajectories survive the disk, and the disk's failures."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from numpy.testing import assert_array_equal
from sample_runs import ella_run, satellite_run

import lissom
from lissom.results.trajectory import Trajectory, from_run
from lissom.simulation.raw_run import RawRun

FILES = Path(__file__).parent / "files"
KEPT = 0.058698401853937904  # rad


@pytest.mark.parametrize(
    ("name", "method"),
    [("run.mat", "to_mat"), ("run.csv", "to_csv"), ("run.parquet", "to_parquet"), ("run.XLSX", "to_excel")],
)
def test_a_name_of_another_format_is_not_filled_with_netcdf(name, method, tmp_path):
    with pytest.raises(lissom.LissomError, match=f"use {method}"):
        ella_run().save(tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("make", [ella_run, satellite_run])
def test_a_saved_run_comes_back_equal(make, tmp_path):
    run = make()
    run.save(tmp_path / "run.nc")
    back = Trajectory.load(tmp_path / "run.nc")
    assert back.dataset.identical(run.dataset)
    assert back.info == run.info
    assert back.warnings == run.warnings
    assert back.model.robot == run.model.robot
    assert_array_equal(back.q, run.q)
    assert str(back.summary()) == str(run.summary())
    state = run.state(0.123)
    assert_array_equal(lissom.forward_dynamics(back.model, *state), lissom.forward_dynamics(run.model, *state))


def test_prescribed_joints_stay_prescribed(tmp_path):
    model = lissom.load("spinup-beam").compile(prescribed=["shaft"])
    t = np.zeros(1)
    zero = np.zeros((1, model.nv))
    from_run(RawRun(model, t, zero, zero, zero, zero, t, t)).save(tmp_path / "run.nc")
    back = Trajectory.load(tmp_path / "run.nc").model.arrays
    assert_array_equal(back.velocities.prescribed, model.arrays.velocities.prescribed)


def test_the_table_has_one_column_per_number_and_knows_its_units():
    run = ella_run()
    table = run.to_dataframe()
    assert table.index.name == "time"
    assert len(table) == 201
    for column in (
        "position.elbow",
        "velocity.shoulder-yaw",
        "eta.upper.y1",
        "torque.elbow",
        "wrench.elbow.fx",
        "tip_position.forearm.z",
        "tip_twist.hub.wy",
        "deflection.upper.y",
        "kinetic_energy",
    ):
        assert column in table.columns
    units = table.attrs["units"]
    assert set(units) == {"time", *table.columns}
    assert [units[f"wrench.elbow.{c}"] for c in ("tx", "fx")] == ["N m", "N"]
    assert_array_equal(table["wrench.elbow.fx"], run.wrench("elbow").sel(wrench_component="fx"))


def test_csv_reads_back_as_the_table(tmp_path):
    run = ella_run()
    run.to_csv(tmp_path / "run.csv")
    back = pd.read_csv(tmp_path / "run.csv", index_col="time")
    pd.testing.assert_frame_equal(back, run.to_dataframe(), rtol=1e-14)
    run.to_csv(tmp_path / "units.csv", units=True)
    assert "position.elbow [rad]" in pd.read_csv(tmp_path / "units.csv", nrows=1).columns


def test_parquet_has_the_same_columns_with_units(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    run = ella_run()
    run.to_parquet(tmp_path / "run.parquet")
    table = parquet.read_table(tmp_path / "run.parquet")
    assert table.column_names == ["time", *run.to_dataframe().columns]
    assert table.schema.field("position.elbow").metadata == {b"units": b"rad"}
    assert_array_equal(table["position.elbow"].to_numpy(), run["elbow"].values)


def test_parquet_without_pyarrow_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(lissom.LissomError, match=r"pip install lissom\[parquet\]"):
        ella_run().to_parquet(tmp_path / "run.parquet")


@pytest.mark.parametrize("write", ["save", "to_csv"])
def test_a_path_that_cannot_be_written_is_one_clear_error(write, tmp_path):
    run = ella_run()
    goal = tmp_path / "nowhere" / "run"
    with pytest.raises(lissom.LissomError, match=f"cannot write {goal}: there is no folder {goal.parent}"):
        getattr(run, write)(goal)
    with pytest.raises(lissom.LissomError, match="it is a folder; name a file in it"):
        getattr(run, write)(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert run["elbow"].size == 201


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are a POSIX feature")
def test_a_write_that_breaks_off_leaves_the_old_file_and_nothing_else(tmp_path):
    import resource

    run, goal = ella_run(), tmp_path / "run.nc"
    goal.write_text("the old results")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    try:
        with pytest.raises(lissom.LissomError, match=f"cannot write {goal}: .*still in memory"):
            run.save(goal)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert goal.read_text() == "the old results"
    assert list(tmp_path.iterdir()) == [goal]


def test_a_file_that_is_no_trajectory_is_refused(tmp_path):
    with pytest.raises(lissom.LissomError, match="no such file"):
        Trajectory.load(tmp_path / "run.nc")
    (tmp_path / "text.nc").write_text("elbow")
    with pytest.raises(lissom.LissomError, match="not a trajectory of lissom"):
        Trajectory.load(tmp_path / "text.nc")
    ella_run().dataset.to_netcdf(tmp_path / "bare.nc", engine="h5netcdf")
    with pytest.raises(lissom.LissomError, match="not a trajectory of lissom"):
        Trajectory.load(tmp_path / "bare.nc")


def same(back, run):
    """That a run came back with all that it can tell."""
    assert back.dataset.identical(run.dataset)
    assert back.info == run.info
    assert back.warnings == run.warnings
    assert str(back.summary()) == str(run.summary())
    for link in run.model.flexible:
        xr.testing.assert_equal(back.section_forces(link, 3), run.section_forces(link, 3))


@pytest.fixture(scope="module")
def crane():
    """A crane whose booms are loaded by cylinders of given length and of given force, by a load and by payloads."""
    robot = lissom.load("luffing-crane")
    tip = robot.links[-1].name
    loads = [{"link": tip, "force": [0, 50, 0]}, {"link": tip, "torque": [0, 5, 0], "frame": "world"}]
    payloads = [{"link": tip, "mass": 20.0, "pick": 0.01}]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lissom.simulate(robot, 0.02, loads=loads, payloads=payloads, rate=200, progress=False)


@pytest.mark.parametrize("format", ["NETCDF4", "NETCDF3_64BIT"])
def test_a_run_written_again_by_xarray_is_the_same_run(crane, format, tmp_path):
    crane.save(tmp_path / "run.nc")
    same(Trajectory.load(tmp_path / "run.nc"), crane)
    xr.load_dataset(tmp_path / "run.nc").to_netcdf(tmp_path / "again.nc", format=format)
    same(Trajectory.load(tmp_path / "again.nc"), crane)


def test_what_a_file_lacks_is_computed_and_what_it_has_more_is_kept(crane, tmp_path):
    crane.save(tmp_path / "run.nc")
    data = xr.load_dataset(tmp_path / "run.nc")
    derived = ["wrench", "deflection", "kinetic_energy", "load_force", "tip_twist", "energy_residual"]
    older = data.drop_vars(derived)
    older["temperature"] = ("time", np.arange(len(data.time)) + 20.0, {"units": "degC"})
    info = older.attrs["info"].replace('"method"', '"colour": "red", "method"')
    older.attrs = {key: text for key, text in older.attrs.items() if key != "checksum"} | {"info": info}
    older.to_netcdf(tmp_path / "older.nc")
    back = Trajectory.load(tmp_path / "older.nc")
    assert back.dataset["temperature"].values[1] == 21.0
    for name in derived:
        assert_array_equal(back.dataset[name].values, crane.dataset[name].values, name)
    assert back.info == crane.info


def test_samples_alone_are_a_whole_run(crane, tmp_path):
    from lissom.results.files.netcdf_files import save_samples

    for run in (crane, satellite_run(), ella_run()):
        save_samples(run, tmp_path / "run.nc")
        back = Trajectory.load(tmp_path / "run.nc")
        assert back.dataset.identical(run.dataset)


@pytest.mark.parametrize("number", [2, 3])
def test_files_of_every_format_are_read(number):
    """Kept from the version that wrote them: the pendulum of 10 samples, and its angle as it was printed then."""
    run = Trajectory.load(FILES / f"format-{number}.nc")
    assert run.model.robot.name == "kept"
    assert run.info.status.word == "finished"
    assert_array_equal(run.time, np.arange(11) / 100)
    np.testing.assert_allclose(run["j"].values[-1], KEPT, rtol=1e-9)
    assert run.wrench("j").shape == (11, 6)
    assert run.deflection("a").shape == (11, 3)


def test_a_robot_of_any_size_comes_back(tmp_path, monkeypatch):
    # some files have more values than aliases may repeat
    monkeypatch.setattr("lissom.model.io.yaml_reader.MAX_REPEATED", 10)
    link = {"parent": "world", "joint": {"type": "revolute", "axis": [0, 0, 1]}}
    body = {"mass": 1.0, "com": [0.1, 0, 0], "inertia": [0.01, 0.02, 0.03], "tip": [0.2, 0, 0]}
    links = [link | {"name": f"link-{k}", "body": body} for k in range(20)]
    robot = lissom.Robot.from_dict({"lissom": 1, "name": "comb", "links": links})
    robot.save(tmp_path / "comb.yaml")
    assert lissom.load(tmp_path / "comb.yaml") == robot


def test_other_programs_read_the_file_as_netcdf(tmp_path):
    run = ella_run()
    run.save(tmp_path / "run.nc")
    seen = xr.load_dataset(tmp_path / "run.nc")
    xr.testing.assert_equal(seen, run.dataset)
    assert lissom.Robot.from_yaml(seen.attrs["robot"]) == run.model.robot
