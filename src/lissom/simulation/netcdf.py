"""Trajectories as NetCDF files that know when they are damaged.

Behind the NetCDF file proper, where its readers do not look, stands a table of its parts: for every variable its names,
units, place in the file and checksum, and the texts about robot and run. lissom reads by this table alone. So what is
damaged can be named and the rest be read by `rescue`, and no damaged byte reaches the HDF5 library, which some keep
busy without an end.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable
from dataclasses import asdict, fields
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from lissom.errors import LissomError
from lissom.files import check_file
from lissom.messages import listed
from lissom.simulation.dataset import quantities
from lissom.simulation.ending import Ending
from lissom.simulation.export import plain, write_file
from lissom.simulation.observe import observe
from lissom.simulation.quantities import Quantities, Variable
from lissom.simulation.raw import Event, RawRun
from lissom.simulation.run_info import RunInfo
from lissom.simulation.settings import RunSettings
from lissom.simulation.trajectory import Trajectory
from lissom.version import __version__

if TYPE_CHECKING:
    import xarray as xr

    from lissom.model.compiled import Model

FORMAT = 2
END = "\nlissom table {format:03d} {length:010d} {checksum:010d}\n"  # the last bytes of a file
ACCOUNTS = ("work", "dissipated", "load_work", "energy_residual")  # where a run kept them
OPTIONAL = (*ACCOUNTS, "centre_of_mass", "momentum", "angular_momentum")
SHOWN = 6  # parts that a message names
OTHERS = {".mat": "to_mat", ".csv": "to_csv", ".parquet": "to_parquet"}  # formats that have methods of their own

Made = TypeVar("Made")


class Content(NamedTuple):
    """What is in a file."""

    variables: dict[str, Variable]  # that are as they were written
    texts: dict[str, str]  # about robot and run
    damaged: dict[str, str]  # other parts, and why


def save(run: Trajectory, path: str | Path) -> None:
    """NetCDF with the robot's description, so that `load` needs nothing else."""
    if method := OTHERS.get(Path(path).suffix.lower()):
        raise LissomError(f"save writes NetCDF; use {method}, or a name that ends in .nc", ("path",), str(path))
    model = run.model
    texts = {
        "lissom": __version__,
        "robot": model.robot.to_yaml(),
        "prescribed": json.dumps(model.prescribed),
        "info": json.dumps(_plain_info(run.info), default=plain),
        "warnings": json.dumps([asdict(event) for event in run.warnings], default=plain),
    }
    file = _netcdf(run.quantities, texts)
    table = json.dumps({"texts": texts, "variables": _table(run.quantities, file)}, default=plain).encode()
    end = END.format(format=FORMAT, length=len(table), checksum=zlib.crc32(table))
    write_file(path, file + table + end.encode())


def load(path: str | Path) -> Trajectory:
    """The trajectory in a file that `save` wrote; one that is damaged is refused with the names of its parts."""
    from lissom.model.robot import Robot

    content = read(path)

    def made(part: str, make: Callable[[str], Made]) -> Made:
        try:
            return make(content.texts[part])
        except (LissomError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise LissomError(_complaint(path, content, {part: str(error)})) from None

    if content.damaged:
        raise LissomError(_complaint(path, content, content.damaged, "is damaged"))
    robot = made("robot", Robot.from_yaml)
    model = made("prescribed", lambda text: robot.compile(prescribed=json.loads(text)))
    info = made("info", lambda text: _info(json.loads(text)))
    events = made("warnings", lambda text: [Event(**event) for event in json.loads(text)])
    misfits = _misfits(content.variables, model)
    if misfits:
        raise LissomError(_complaint(path, content, misfits))
    return Trajectory(Quantities(content.variables), model, info, events)


def rescue(path: str | Path) -> xr.Dataset:
    """Every variable of a damaged file that is as it was written; its attribute `damaged` names the others."""
    content = read(path)
    return Quantities(content.variables).dataset().assign_attrs(content.texts | {"damaged": sorted(content.damaged)})


def read(path: str | Path) -> Content:
    """All parts of a file; an error where it has no table of them."""
    try:
        check_file(path)
        data = Path(path).read_bytes()
    except OSError as error:
        raise LissomError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from None
    size = len(END.format(format=0, length=0, checksum=0))
    end = data[-size:].decode(errors="replace").split()
    if end[:2] != ["lissom", "table"] or len(end) != 5 or not all(word.isdecimal() for word in end[2:]):
        raise LissomError(
            f"{path} is not a trajectory of lissom, or its end is missing; give a whole file that run.save(path) wrote"
        )
    number, length, checksum = (int(word) for word in end[2:])
    if number != FORMAT:
        age = "a newer" if number > FORMAT else "an older"
        raise LissomError(f"{path} was written by {age} lissom than {__version__}; read it with that one, or run again")
    table = data[-size - length : -size]
    if zlib.crc32(table) != checksum:
        raise LissomError(
            f"{path} is damaged: the table of its parts is not as it was written, so none of them can be trusted"
        )
    try:
        return _content(json.loads(table), data)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise LissomError(f"{path} is not a trajectory of lissom: its table has another form") from None


def _content(table: Any, data: bytes) -> Content:
    content = Content({}, table["texts"], {})
    for name, entry in table["variables"].items():
        variable = _variable(entry, data)
        if variable is None:
            content.damaged[name] = "not as it was written"
        else:
            content.variables[name] = variable
    return content


def _netcdf(found: Quantities, texts: dict[str, str]) -> bytes:
    """The file that readers of NetCDF see."""
    import h5netcdf
    import h5py

    buffer = BytesIO()
    with h5netcdf.File(buffer, "w") as file:
        for axis in dict.fromkeys(axis for variable in found.variables.values() for axis in variable.dims):
            file.dimensions[axis] = _length(found, axis)
        for name, variable in found.variables.items():
            kind = h5py.string_dtype() if _is_labels(variable) else variable.values.dtype
            made = file.create_variable(name, variable.dims, kind, data=variable.values)
            for key, value in variable.attrs.items():
                made.attrs[key] = np.array(value, h5py.string_dtype()) if isinstance(value, list) else value
        for key, text in texts.items():
            file.attrs[key] = text
    return buffer.getvalue()


def _length(found: Quantities, axis: str) -> int:
    return next(v.values.shape[v.dims.index(axis)] for v in found.variables.values() if axis in v.dims)


def _table(found: Quantities, file: bytes) -> dict[str, dict[str, Any]]:
    """What there is to know of each variable; numbers stay in the file, labels are few and stand here."""
    import h5py

    table: dict[str, dict[str, Any]] = {}
    with h5py.File(BytesIO(file), "r") as stored:
        for name, variable in found.variables.items():
            entry: dict[str, Any] = {"dims": variable.dims, "attributes": variable.attrs}
            table[name] = entry
            if _is_labels(variable):
                entry["labels"] = variable.values.tolist()
                continue
            of = stored[name]
            offset = of.id.get_offset() or 0  # none where there is nothing to keep
            raw = file[offset : offset + variable.values.nbytes]
            entry |= {"shape": variable.values.shape, "type": of.dtype.str}
            entry |= {"offset": offset, "checksum": zlib.crc32(raw)}
    return table


def _variable(entry: dict[str, Any], data: bytes) -> Variable | None:
    """A variable of a file; None where its bytes have changed."""
    dims = tuple(entry["dims"])
    if "labels" in entry:
        return Variable(dims, np.array(entry["labels"], object), entry["attributes"])
    kind, count = np.dtype(entry["type"]), math.prod(entry["shape"])
    raw = data[entry["offset"] : entry["offset"] + count * kind.itemsize]
    if zlib.crc32(raw) != entry["checksum"]:
        return None
    values = np.frombuffer(raw, kind).astype(float).reshape(entry["shape"])
    return Variable(dims, values, entry["attributes"])


def _misfits(variables: dict[str, Variable], model: Model) -> dict[str, str]:
    """Variables that a run of this robot has and the file has not, or has otherwise."""
    none, rows = np.zeros(0), np.zeros((0, model.nv))
    empty = RawRun(model, none, np.zeros((0, model.nq)), rows, rows, rows, none, none)
    expected = quantities(empty, lambda: observe(model, empty.q, empty.v, empty.a))
    wrong: dict[str, str] = {}
    for name, values in expected.variables.items():
        found = variables.get(name)
        if found is None:  # a rigid robot has no deflections
            wrong |= {} if name in OPTIONAL or 0 in values.values.shape[1:] else {name: "missing"}
        elif found.dims != values.dims or (_is_labels(values) and found.values.tolist() != values.values.tolist()):
            wrong[name] = f"not that of the robot {model.robot.name}"
    return wrong


def _plain_info(info: RunInfo) -> dict[str, Any]:
    settings = None if info.settings is None else info.settings.model_dump()
    return {each.name: getattr(info, each.name) for each in fields(info)} | {"settings": settings}


def _info(data: dict[str, Any]) -> RunInfo:
    settings = None if data["settings"] is None else RunSettings(**data["settings"])
    return RunInfo(**(data | {"status": Ending(data["status"]), "settings": settings}))


def _is_labels(variable: Variable) -> bool:
    return variable.values.dtype == object


def _complaint(path: str | Path, content: Content, damaged: dict[str, str], verdict: str = "cannot be used") -> str:
    """What is wrong with a file, and what can be saved of it."""
    shown = [f"{name}: {why}" for name, why in list(damaged.items())[:SHOWN]]
    more = len(damaged) - len(shown)
    text = f"{path} {verdict}: {'; '.join(shown)}{f'; and {more} more' if more > 0 else ''}"
    intact = [name for name in content.variables if name not in damaged]
    if not intact:
        return f"{text}. Nothing of it can be saved: run again"
    return (
        f"{text}. Its other {len(intact)} variables, such as {listed(intact[:3], 'and')}, are as they were written: "
        "lissom.Trajectory.rescue(path) reads them"
    )
