"""Variables and attributes in NetCDF files: with checksums when written, part by part when read.

HDF5 detects changed bytes by itself if it is asked to: headers have checksums in its format of version 1.10, values
have them by the filter Fletcher-32. Long texts are the exception: who writes them keeps a checksum of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from lissom.results.quantities import Quantities, Variable

if TYPE_CHECKING:
    import h5netcdf

CHUNK = 2**17  # numbers that share a checksum
OLDEST = "v110"  # version of HDF5 whose format has checksums throughout


class Content(NamedTuple):
    """What is in a file."""

    variables: dict[str, Variable]  # that are as they were written
    texts: dict[str, Any]  # its attributes
    damaged: dict[str, str]  # other parts, and why


def fill(sink: Sink, found: Quantities, texts: dict[str, Any]) -> None:
    """Write a file; every text in it has a fixed length, as others lie where no checksum is."""
    import h5netcdf

    with h5netcdf.File(sink, "w", libver=(OLDEST, OLDEST)) as file:
        for axis, length in {
            axis: n for v in found.variables.values() for axis, n in zip(v.dims, v.values.shape)
        }.items():
            file.dimensions[axis] = length
        for name, variable in found.variables.items():
            made = _create(file, name, variable)
            for key, value in variable.attrs.items():
                made.attrs[key] = _fixed_length_text(", ".join(value) if isinstance(value, list) else value)
        for key, text in texts.items():
            file.attrs[key] = _fixed_length_text(text)


def _create(file: h5netcdf.File, name: str, variable: Variable) -> h5netcdf.Variable:
    dims, values = variable.dims, variable.values
    if is_labels(variable):
        letters = np.char.encode(values.astype(str), "utf-8")
        dims = (*dims, f"{name}_letters")
        values = letters.view("S1").reshape(*values.shape, letters.dtype.itemsize)
        file.dimensions[dims[-1]] = values.shape[-1]
    options: dict[str, Any] = {}
    if values.size:
        rows = max(1, CHUNK // max(1, values[0].size)) if values.ndim else 1
        options = {"chunks": (min(len(values), rows), *values.shape[1:]), "fletcher32": True} if values.ndim else {}
    made = file.create_variable(name, dims, values.dtype, data=values, **options)
    if is_labels(variable):
        made.attrs["_Encoding"] = _fixed_length_text("utf-8")
    return made


def _fixed_length_text(value: Any) -> Any:
    """Return a text as HDF5 stores it with the other attributes; numbers as they are."""
    if not isinstance(value, str):
        return value
    import h5py

    data = value.encode()
    return np.array(data, h5py.string_dtype("utf-8", max(1, len(data))))


class Sink:
    """A file that never fails: what it is given after a first failure is dropped, and the failure is kept."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.failure: OSError | None = None

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            try:
                if self.failure is None:
                    return getattr(self.file, name)(*arguments)
            except OSError as error:
                self.failure = error
            return len(arguments[0]) if name in ("write", "readinto") else 0

        return call


def read_content(path: str | Path) -> Content:
    """Read a file of NetCDF 4, variable by variable: what is damaged is named, the rest is there."""
    import h5netcdf
    import h5py

    content = Content({}, {}, {})
    with h5py.File(path, "r", locking=False) as opened, h5netcdf.File(opened, "r", decode_vlen_strings=True) as file:
        content.texts.update((key, _plain(value)) for key, value in file.attrs.items())
        for name in file.variables:
            try:
                content.variables[name] = _variable(name, file.variables[name])
            except Exception:  # likewise
                content.damaged[name] = "not as it was written"
    return content


def _variable(name: str, stored: h5netcdf.Variable) -> Variable:
    attrs = _attributes(stored.attrs)
    dims, values = stored.dimensions, np.asarray(stored[...])
    if values.dtype == np.dtype("S1"):
        joined = np.ascontiguousarray(values).view(f"S{values.shape[-1]}")[..., 0]
        dims, values = dims[:-1], np.char.decode(joined, "utf-8").astype(object)
    elif values.dtype.kind in "OSU":
        values = np.array([_plain(each) for each in values.ravel().tolist()], object).reshape(values.shape)
    return Variable(tuple(dims), values, attrs)


def _attributes(stored: Mapping[str, Any]) -> dict[str, Any]:
    attrs = {key: _plain(value) for key, value in stored.items() if not key.startswith("_")}
    if isinstance(units := attrs.get("column_units"), str):
        attrs["column_units"] = units.split(", ")
    return attrs


def _plain(value: Any) -> Any:
    """Return text and numbers as Python has them."""
    if isinstance(value, bytes):
        return value.decode()
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def read_classic(path: str | Path) -> Content:
    """Return a file that another program wrote again in the format of NetCDF 3."""
    import xarray as xr

    data = xr.load_dataset(path, engine="scipy")
    found = Quantities.of(data).variables
    variables = {name: each._replace(attrs=_attributes(each.attrs)) for name, each in found.items()}
    return Content(variables, dict(data.attrs), {})


def is_labels(variable: Variable) -> bool:
    """Return whether a variable holds names."""
    return variable.values.dtype == object
