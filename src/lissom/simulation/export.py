"""Trajectories to files and back; a file that cannot be written is one clear error."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, fields
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import LissomError
from lissom.simulation.dataset import column_units
from lissom.simulation.ending import Ending
from lissom.simulation.raw import Event
from lissom.simulation.settings import RunSettings
from lissom.simulation.trajectory import RunInfo, Trajectory
from lissom.version import __version__

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 1


def save(run: Trajectory, path: str | Path) -> None:
    """NetCDF with the robot's description, so that `load` needs nothing else."""
    model = run.model
    prescribed = [b.joint for b in model.bodies if np.any(model.arrays.velocities.prescribed[b.joint_v])]
    text = {
        "lissom": __version__,
        "robot": model.robot.to_yaml(),
        "prescribed": json.dumps(prescribed),
        "info": json.dumps(_plain_info(run.info), default=_plain),
        "warnings": json.dumps([asdict(event) for event in run.warnings], default=_plain),
    }
    named = run.dataset.assign_attrs({**run.dataset.attrs, "lissom_format": FORMAT, **text})
    _write(path, named.to_netcdf(engine="h5netcdf"))


def load(path: str | Path) -> Trajectory:
    """The trajectory in a file that `save` wrote."""
    import xarray as xr

    from lissom.model.robot import Robot

    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise LissomError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from None
    try:
        dataset = xr.load_dataset(BytesIO(content), engine="h5netcdf")
    except (OSError, ValueError):
        raise LissomError(f"cannot read {path}: it is no NetCDF file") from None
    if "lissom_format" not in dataset.attrs:
        raise LissomError(f"{path} is no trajectory of lissom; give a file that run.save(path) wrote")
    if dataset.attrs["lissom_format"] > FORMAT:
        version = dataset.attrs["lissom"]
        raise LissomError(f"{path} was written by lissom {version}; read it with that version or a newer one")
    robot, prescribed, info, warnings = (dataset.attrs.pop(key) for key in ("robot", "prescribed", "info", "warnings"))
    for key in ("lissom", "lissom_format"):
        del dataset.attrs[key]
    model = Robot.from_yaml(robot).compile(prescribed=json.loads(prescribed))
    events = [Event(**event) for event in json.loads(warnings)]
    return Trajectory(dataset, model, _info(json.loads(info)), events)


def to_dataframe(run: Trajectory) -> pd.DataFrame:
    """One row per time; columns are variable, label and component joined by dots."""
    import pandas as pd

    columns: dict[str, np.ndarray] = {}
    units: dict[str, str] = {}
    for name, values in run.dataset.items():
        flat = values.values.reshape(len(run.time), -1)
        each = column_units(values)
        for k in range(flat.shape[1]):
            at = np.unravel_index(k, values.shape[1:]) if values.ndim > 1 else ()
            labels = [str(run.dataset[dim].values[i]) for dim, i in zip(values.dims[1:], at, strict=True)]
            column = ".".join([str(name), *labels])
            columns[column], units[column] = flat[:, k], each[k % len(each)]
    table = pd.DataFrame(columns, index=pd.Index(run.time, name="time"))
    table.attrs["units"] = {"time": "s", **units}
    return table


def to_csv(run: Trajectory, path: str | Path, units: bool = False) -> None:
    """The table as CSV, time first."""
    table = run.to_dataframe()
    header = [f"{name} [{table.attrs['units'][name]}]" if units else name for name in table.columns]
    _write(path, table.to_csv(header=header, index_label="time [s]" if units else "time").encode())


def to_parquet(run: Trajectory, path: str | Path) -> None:
    """The table as Parquet, time first; the unit of each column in its metadata."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise LissomError(
            "Parquet needs the package pyarrow: pip install lissom[parquet]; or take run.to_csv or run.save"
        ) from None

    table = run.to_dataframe().reset_index()
    units = table.attrs["units"]
    schema = pa.schema(
        [pa.field(name, pa.float64(), metadata={"units": units[name]}) for name in table.columns],
        metadata={"lissom": __version__, "robot": run.model.robot.name},
    )
    arrays = [pa.array(table[name].to_numpy()) for name in table.columns]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), sink)
    _write(path, sink.getvalue())


def _write(path: str | Path, content: Any) -> None:
    """Write a whole file or none: beside the goal first, then in its place. A device is written to."""
    goal = Path(path)
    device = goal.exists() and not goal.is_file() and not goal.is_dir()
    part = goal if device else goal.resolve().with_name(f".{goal.name}.part")
    try:
        if goal.is_dir():
            raise IsADirectoryError(0, "it is a folder; name a file in it")
        with open(part, "wb") as file:
            file.write(content)
        if not device:
            os.replace(part, goal.resolve())
    except OSError as error:
        if not device:
            with contextlib.suppress(OSError):
                part.unlink()
        reason = (error.strerror or str(error)).lower()
        if not goal.parent.is_dir():
            reason = f"there is no folder {goal.parent}; make it first"
        raise LissomError(
            f"cannot write {goal}: {reason}. The results are still in memory: write them elsewhere"
        ) from None


def _plain_info(info: RunInfo) -> dict[str, Any]:
    settings = None if info.settings is None else info.settings.model_dump()
    return {each.name: getattr(info, each.name) for each in fields(info)} | {"settings": settings}


def _info(data: dict[str, Any]) -> RunInfo:
    settings = None if data["settings"] is None else RunSettings(**data["settings"])
    return RunInfo(**(data | {"status": Ending(data["status"]), "settings": settings}))


def _plain(value: Any) -> Any:
    """Numbers and arrays as JSON takes them; anything else by its text."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)
