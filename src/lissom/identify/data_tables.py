"""Columns of measured data by name: CSV, NetCDF, Parquet and NumPy files, and what holds arrays in Python."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lissom.control.references import csv_tables
from lissom.errors import LissomError
from lissom.files import check_file
from lissom.messages import brief, did_you_mean, listed

TEXT = (".csv", ".tsv", ".txt", ".dat")
FILES = (*TEXT, ".nc", ".parquet", ".npz")


def columns(data: Any, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Return the columns called `names`, (N,) each, of a file or of anything that holds arrays by name."""
    wanted = list(dict.fromkeys(names))
    if isinstance(data, str | os.PathLike):
        return _from_file(Path(data), wanted)
    if hasattr(data, "to_dataframe") and hasattr(data, "quantities"):  # a trajectory of lissom
        data = data.to_dataframe().reset_index()
    found = {name: _column(data, name, "the data") for name in wanted}
    return _equally_long(found, "the data")


def _from_file(path: Path, wanted: list[str]) -> dict[str, np.ndarray]:
    source = str(path)
    suffix = path.suffix.lower()
    if suffix not in FILES:
        raise LissomError(f"records are read from {listed(FILES)} files", source=source)
    check_file(path, "record")
    if suffix in TEXT:
        time, *others = wanted
        t, values = csv_tables.read(path, others, time, holes=True)
        return {time: t} | {name: values[:, k] for k, name in enumerate(others)}
    try:
        table = {".npz": _npz, ".parquet": _parquet, ".nc": _netcdf}[suffix](path)
    except LissomError:
        raise
    except Exception as error:  # of the library that reads it
        raise LissomError(f"cannot be read: {error}; give a whole {suffix} file", source=source) from None
    try:
        return _equally_long({name: _column(table, name, "the file") for name in wanted}, "the file")
    except LissomError as error:
        error.add_source(source)
        raise


def _npz(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files if np.issubdtype(file[name].dtype, np.number)}


def _parquet(path: Path) -> Any:
    try:
        import pyarrow.parquet as pq
    except ImportError:
        raise LissomError("Parquet needs the package pyarrow: pip install lissom[parquet]") from None
    table = pq.read_table(path)
    return {name: table[name].to_numpy() for name in table.column_names}


def _netcdf(path: Path) -> Any:
    import xarray as xr

    with xr.open_dataset(path) as data:
        data = data.load()
    found: dict[str, np.ndarray] = {}
    for name, values in data.variables.items():
        flat = values.values.reshape(values.shape[0], -1) if values.ndim else values.values.reshape(1, 1)
        for k in range(flat.shape[1]):
            at = np.unravel_index(k, values.shape[1:]) if values.ndim > 1 else ()
            labels = [str(data[dim].values[i]) if dim in data else str(i) for dim, i in zip(values.dims[1:], at)]
            found[".".join([str(name), *labels])] = flat[:, k]
    return found


def _column(table: Any, name: str, where: str) -> np.ndarray:
    known = [str(key) for key in (table.variables if hasattr(table, "data_vars") else table)]
    if name not in known:
        hint = did_you_mean(name, known)
        raise LissomError(
            f"{where} has no column {name!r}{hint}; there are {listed(known, 'and') if known else 'none'}"
        )
    values = np.asarray(table[name])
    if np.issubdtype(values.dtype, np.timedelta64):
        return values / np.timedelta64(1, "s")
    if np.issubdtype(values.dtype, np.datetime64):
        return (values - values[0]) / np.timedelta64(1, "s")
    try:
        made = np.array(values, float)
    except (TypeError, ValueError):
        raise LissomError(f"column {name!r} of {where} must hold numbers, not {brief(values.ravel()[:1])}") from None
    if made.ndim != 1:
        raise LissomError(f"column {name!r} of {where} must have one number per time, its shape is {made.shape}")
    return made


def _equally_long(found: Mapping[str, np.ndarray], where: str) -> dict[str, np.ndarray]:
    lengths = {name: len(values) for name, values in found.items()}
    if len(set(lengths.values())) > 1:
        told = listed([f"{name} {count}" for name, count in lengths.items()], "and")
        raise LissomError(f"the columns of {where} must be equally long; they have {told} numbers")
    return dict(found)
