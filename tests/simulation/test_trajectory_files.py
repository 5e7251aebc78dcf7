"""Trajectories survive the disk, and the disk's failures."""

import sys

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from numpy.testing import assert_array_equal
from sample_runs import ella_run, satellite_run

import lissom
from lissom.simulation.raw import RawRun
from lissom.simulation.trajectory import Trajectory, from_run


@pytest.mark.parametrize("name, method", [("run.mat", "to_mat"), ("run.csv", "to_csv"), ("run.parquet", "to_parquet")])
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
    assert table.index.name == "time" and len(table) == 201
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


def test_other_programs_read_the_file_as_netcdf(tmp_path):
    run = ella_run()
    run.save(tmp_path / "run.nc")
    seen = xr.load_dataset(tmp_path / "run.nc")
    xr.testing.assert_equal(seen, run.dataset)
    assert lissom.Robot.from_yaml(seen.attrs["robot"]) == run.model.robot
