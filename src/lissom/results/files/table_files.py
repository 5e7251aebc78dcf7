"""Trajectories as tables in files; a file that cannot be written is one clear error."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import LissomError
from lissom.files import NotWritten, write_whole
from lissom.results.quantities import column_units
from lissom.results.trajectory import Trajectory
from lissom.version import __version__

if TYPE_CHECKING:
    import pandas as pd

STILL_THERE = "the results are still in memory: write them elsewhere"


def to_dataframe(run: Trajectory) -> pd.DataFrame:
    """Return one row per time; columns are variable, label and component joined by dots."""
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
    """Write the table as CSV, time first."""
    table = run.to_dataframe()
    header = [f"{name} [{table.attrs['units'][name]}]" if units else name for name in table.columns]
    write_file(path, table.to_csv(header=header, index_label="time [s]" if units else "time").encode())


def to_parquet(run: Trajectory, path: str | Path) -> None:
    """Write the table as Parquet, time first; the unit of each column in its metadata."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise LissomError(
            "Parquet needs the package pyarrow: pip install lissom[parquet]; or use run.to_csv or run.save"
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
    write_file(path, sink.getvalue())


def to_mat(run: Trajectory, path: str | Path) -> None:
    """Write every variable by its name, with structs `labels` (of each axis) and `units` beside them."""
    from scipy.io import savemat

    data = run.dataset
    content: dict[str, Any] = {str(name): values.values for name, values in data.items()}
    content |= {"time": run.time, "robot": run.model.robot.name, "lissom": __version__}
    content["labels"] = {
        str(dim): np.array([str(label) for label in data[dim].values], object) for dim in data.dims if dim != "time"
    }
    content["units"] = {str(name): ", ".join(dict.fromkeys(column_units(values))) for name, values in data.items()}
    buffer = BytesIO()
    savemat(buffer, content, long_field_names=True, oned_as="column")
    write_file(path, buffer.getvalue())


def write_file(path: str | Path, content: Any) -> None:
    """Write a whole file or none; what could not be written is still in memory."""
    try:
        write_whole(path, content)
    except NotWritten as error:
        raise error.advised(STILL_THERE) from None


def plain(value: Any) -> Any:
    """Return numbers and arrays as JSON takes them; anything else by its text."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)
