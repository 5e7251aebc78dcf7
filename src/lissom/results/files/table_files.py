"""Trajectories as tables in files; a file that cannot be written is one clear error."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import LissomError
from lissom.files import NotWritten, write_whole
from lissom.messages import did_you_mean, listed
from lissom.results.presentation.display_units import DisplayUnits
from lissom.results.quantities import column_units
from lissom.results.run_info import describe_run
from lissom.results.trajectory import Trajectory
from lissom.version import __version__

if TYPE_CHECKING:
    import pandas as pd

SHEET_ROWS, SHEET_COLUMNS = 1_048_576, 16_384  # that Excel takes
STILL_THERE = "the results are still in memory: write them elsewhere"


def to_dataframe(
    run: Trajectory, columns: Iterable[str] | None = None, units: bool | str | Sequence[str] = False
) -> pd.DataFrame:
    """Return one row per time; columns are variable, label and component joined by dots.

    Columns may be chosen by patterns, "wrench.elbow.*"; and with `units` they are in the units chosen.
    """
    table = _whole_table(run)
    if columns is not None:
        table = table[_chosen([columns] if isinstance(columns, str) else columns, table.columns)]
    return _in_units(table, run, units)


def _chosen(patterns: Iterable[str], known: Sequence[str]) -> list[str]:
    """Return the columns that patterns such as "wrench.elbow.*" mean, in the order of the patterns."""
    found: dict[str, None] = {}
    for pattern in patterns:
        plain = "".join(f"[{letter}]" if letter == "[" else letter for letter in pattern)
        here = [name for name in known if name == pattern or name.startswith(f"{pattern}.")]
        here = here or fnmatch.filter(known, plain)
        if not here:
            heads = dict.fromkeys(name.partition(".")[0] for name in known)
            hint = did_you_mean(pattern, [*known, *heads])
            raise LissomError(
                f"no column is called so{hint}; they begin with {listed(heads, 'or')}", ("columns",), pattern
            )
        found |= dict.fromkeys(here)
    return list(found)


def _in_units(table: pd.DataFrame, run: Trajectory, units: bool | str | Sequence[str]) -> pd.DataFrame:
    """Return a table in units by their names, or those of the run; numbers in SI where none are wanted."""
    wanted = DisplayUnits() if units is False else DisplayUnits.of(run.units if units is True else units)
    told = dict(table.attrs["units"])
    for name in table.columns:
        told[name], factor = wanted.convert(told[name])
        if factor != 1.0:
            table[name] = factor * table[name]
    table.attrs["units"] = {name: told[name] for name in ("time", *table.columns)}
    return table


def _whole_table(run: Trajectory) -> pd.DataFrame:
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


def to_csv(
    run: Trajectory,
    path: str | Path,
    units: bool | str | Sequence[str] = False,
    columns: Iterable[str] | None = None,
) -> None:
    """Write the table as CSV, time first; with units in the header where some are wanted."""
    table = run.to_dataframe(columns, units)
    write_file(path, table.to_csv(header=_header(table, units), index_label=_time(units)).encode())


def to_excel(
    run: Trajectory,
    path: str | Path,
    units: bool | str | Sequence[str] = True,
    columns: Iterable[str] | None = None,
) -> None:
    """Write the table as a sheet of an Excel file, and how it was computed as another (needs openpyxl)."""
    if find_spec("openpyxl") is None:
        raise LissomError("Excel files need the package openpyxl: pip install lissom[excel]; or use run.to_csv")
    import pandas as pd

    table = run.to_dataframe(columns, units)
    if len(table) >= SHEET_ROWS or len(table.columns) >= SHEET_COLUMNS:
        text = f"{len(table)} rows and {len(table.columns)} columns do not fit on a sheet of Excel"
        raise LissomError(f"{text}; choose columns=[...], a lower output rate, or run.to_csv")
    about = pd.DataFrame(describe_run(run.info, run.model.robot.name).items(), columns=["what", "value"])
    content = BytesIO()
    with pd.ExcelWriter(content, engine="openpyxl") as book:
        table.to_excel(
            book, sheet_name="run", header=_header(table, units), index_label=_time(units), freeze_panes=(1, 1)
        )
        about.to_excel(book, sheet_name="about", index=False)
    write_file(path, content.getvalue())


def _header(table: pd.DataFrame, units: bool | str | Sequence[str]) -> list[str]:
    return [f"{name} [{table.attrs['units'][name]}]" if units else name for name in table.columns]


def _time(units: bool | str | Sequence[str]) -> str:
    return "time [s]" if units else "time"


def to_parquet(run: Trajectory, path: str | Path, columns: Iterable[str] | None = None) -> None:
    """Write the table as Parquet, time first; the unit of each column in its metadata."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise LissomError(
            "Parquet needs the package pyarrow: pip install lissom[parquet]; or use run.to_csv or run.save"
        ) from None

    table = run.to_dataframe(columns).reset_index()
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
