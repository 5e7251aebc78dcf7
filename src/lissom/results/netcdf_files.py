"""Trajectories as NetCDF files: plain ones, that xarray and others read and write, with HDF5's checksums.

A file holds the samples of a run, what acted on the robot, and what follows from both under the names of `run.dataset`.
The samples alone are enough: whatever else a file does not have, because it was written by an older version or because
the command was stopped, is computed from them. What a newer version added is kept as it is.

HDF5 detects changed bytes by itself if it is asked to: headers have checksums in its format of version 1.10, values
have them by the filter Fletcher-32. Long texts are the exception, so one more is kept of them.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeVar

import numpy as np

from lissom.errors import LissomError
from lissom.files import NotWritten, check_file, replacing
from lissom.messages import listed
from lissom.results.lookup import ACCELERATION, POSITION, VELOCITY
from lissom.results.quantities import Quantities, Variable, variable
from lissom.results.result_quantity import QUANTITIES, RunData
from lissom.results.run_info import RunInfo
from lissom.results.run_quantities import expected, quantities
from lissom.results.run_samples import raw_of
from lissom.results.table_files import STILL_THERE, plain
from lissom.results.trajectory import Trajectory
from lissom.simulation.loop.interrupts import deferred
from lissom.simulation.raw_run import Event, RawRun
from lissom.simulation.settings import RunSettings
from lissom.simulation.status.run_ending import Ending
from lissom.version import __version__

if TYPE_CHECKING:
    import h5netcdf
    import xarray as xr

    from lissom.model.model import Model
    from lissom.simulation.inputs.loads import ActiveLoads

FORMAT = 3
NEEDED = {*POSITION, *VELOCITY, *ACCELERATION, "torque"}  # samples, by which all else is computed
TEXTS = ("robot", "prescribed", "outside", "info", "warnings")  # attributes of a file
HELD, GIVEN, LOADS = "loop_multiplier", "loop_given", "load_value"  # variables of a file that the dataset has not
CHUNK = 2**17  # numbers that share a checksum
SHOWN = 6  # parts that a message names
OTHERS = {".mat": "to_mat", ".csv": "to_csv", ".parquet": "to_parquet"}  # formats that have methods of their own
OLDEST = "v110"  # version of HDF5 whose format has checksums throughout

Made = TypeVar("Made")


class Content(NamedTuple):
    """What is in a file."""

    variables: dict[str, Variable]  # that are as they were written
    texts: dict[str, Any]  # its attributes
    damaged: dict[str, str]  # other parts, and why


# writing


def save(run: Trajectory, path: str | Path) -> None:
    """NetCDF with the robot's description, so that `load` needs nothing else."""
    if method := OTHERS.get(Path(path).suffix.lower()):
        raise LissomError(f"save writes NetCDF; use {method}, or a name that ends in .nc", ("path",), str(path))
    _write(run, run.quantities, path)


def save_samples(run: Trajectory, path: str | Path) -> None:
    """Write the samples of a run that has just ended; `load` computes what follows from them."""
    samples = {name for name, quantity in QUANTITIES.items() if quantity.sample}
    _write(run, quantities(run.raw, only=samples), path)


def _write(run: Trajectory, found: Quantities, path: str | Path) -> None:
    texts = _texts(run)
    found = Quantities(found.variables | _acting(run.raw))
    try:
        # An exception inside HDF5, be it of a full disk or of Ctrl-C, ends the process at its exit.
        with replacing(path) as file, deferred():
            sink = _Sink(file)
            _fill(sink, found, texts)
            if sink.failure is not None:
                raise sink.failure
    except NotWritten as error:
        raise error.advised(STILL_THERE) from None


def _fill(sink: _Sink, found: Quantities, texts: dict[str, Any]) -> None:
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
                made.attrs[key] = _fixed(", ".join(value) if isinstance(value, list) else value)
        for key, text in texts.items():
            file.attrs[key] = _fixed(text)


def _create(file: h5netcdf.File, name: str, variable: Variable) -> h5netcdf.Variable:
    dims, values = variable.dims, variable.values
    if _is_labels(variable):
        letters = np.char.encode(values.astype(str), "utf-8")
        dims = (*dims, f"{name}_letters")
        values = letters.view("S1").reshape(*values.shape, letters.dtype.itemsize)
        file.dimensions[dims[-1]] = values.shape[-1]
    options: dict[str, Any] = {}
    if values.size:
        rows = max(1, CHUNK // max(1, values[0].size)) if values.ndim else 1
        options = {"chunks": (min(len(values), rows), *values.shape[1:]), "fletcher32": True} if values.ndim else {}
    made = file.create_variable(name, dims, values.dtype, data=values, **options)
    if _is_labels(variable):
        made.attrs["_Encoding"] = _fixed("utf-8")
    return made


def _fixed(value: Any) -> Any:
    """A text as HDF5 stores it with the other attributes; numbers as they are."""
    if not isinstance(value, str):
        return value
    import h5py

    data = value.encode()
    return np.array(data, h5py.string_dtype("utf-8", max(1, len(data))))


class _Sink:
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


def _texts(run: Trajectory) -> dict[str, Any]:
    """Attributes of a file: about robot and run."""
    texts = {
        "robot": run.model.robot.to_yaml(),
        "prescribed": json.dumps(list(run.model.prescribed)),
        "outside": json.dumps(_outside(run.raw), default=plain),
        "info": json.dumps(_plain_info(run.info), default=plain),
        "warnings": json.dumps([asdict(event) for event in run.warnings], default=plain),
    }
    return {"lissom": __version__, "format": np.int32(FORMAT), "checksum": _checksum(texts), **texts}


def _checksum(texts: dict[str, Any]) -> str:
    return f"{zlib.crc32(chr(0).join(str(texts.get(name, '')) for name in TEXTS).encode()):08x}"


def _plain_info(info: RunInfo) -> dict[str, Any]:
    settings = None if info.settings is None else info.settings.model_dump()
    return {each.name: getattr(info, each.name) for each in fields(info)} | {"settings": settings}


def _outside(raw: RawRun) -> dict[str, Any]:
    """What acted on the robot and was carried by it: which payloads, where loads act, which number acts on what."""
    from lissom.model.io.to_dict import fields as plain_fields

    found: dict[str, Any] = {}
    links = frozenset(raw.model.links)  # an origin of zero is written, too: where none is given, a tip may be meant
    if raw.carried is not None and raw.carried.payloads:
        found["payloads"] = [plain_fields(payload, links) for payload in raw.carried.payloads]
    loads = raw.loads
    if loads is not None and loads.values is not None and len(loads.row):
        first = raw.model.rows - len(loads.frames)
        elements = {
            int(row): element.name for row, element in zip(raw.model.arrays.elements.first, raw.model.robot.elements)
        }
        on = [("load", row - first) if row >= first else ("element", elements[row]) for row in loads.row.tolist()]
        acting = [[*each, entry] for each, entry in zip(on, loads.entry.tolist(), strict=True)]
        frames = [plain_fields(frame, links) for frame in loads.frames]
        found["loads"] = {"names": loads.names, "frames": frames, "in_world": loads.in_world, "acting": acting}
    return found


def _acting(raw: RawRun) -> dict[str, Variable]:
    """The numbers behind it, and those of loops: by them wrenches and stresses follow from the samples."""
    made = {}
    if raw.model.loops:
        for name, values, text in (
            (HELD, raw.multipliers, "force or torque along each direction that the loops hold"),
            (GIVEN, raw.given, "what the loops hold there: zero, or the length of a cylinder"),
        ):
            if values is not None:
                made[name] = variable(("loop_row",), values, text, "1")
    if raw.loads is not None and raw.loads.values is not None:
        made[LOADS] = variable(("load_row",), raw.loads.values, "components of loads, N or N m", "1")
    return {name: one for name, one in made.items() if one.values.size}


# reading


def load(path: str | Path) -> Trajectory:
    """The trajectory in a file that `save` wrote; one that is damaged is refused with the names of its parts."""
    content = read(path)

    def made(part: str, make: Callable[[str], Made]) -> Made:
        try:
            return make(content.texts[part])
        except (LissomError, ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
            raise LissomError(_complaint(path, content, {part: str(error)})) from None

    if content.damaged:
        raise LissomError(_complaint(path, content, content.damaged, "is damaged"))
    stored = Quantities(dict(content.variables))
    info = made("info", lambda text: _info(json.loads(text)))
    robot = made("robot", _robot)
    model = made("prescribed", lambda text: robot.compile(prescribed=json.loads(text)))
    content.texts.setdefault("outside", "{}")
    acting = {name: stored.variables.pop(name).values for name in (HELD, GIVEN, LOADS) if name in stored}
    misfits = _misfits(stored, model)
    if misfits:
        raise LissomError(_complaint(path, content, misfits))
    raw = made("outside", lambda text: _with_outside(stored, model, info, json.loads(text), acting))
    events = made("warnings", lambda text: [_known(Event, event) for event in json.loads(text)])
    return Trajectory(raw, raw.model, info, events, stored)


def rescue(path: str | Path) -> xr.Dataset:
    """Every variable of a damaged file that is as it was written; its attribute `damaged` names the others."""
    content = read(path)
    return Quantities(content.variables).dataset().assign_attrs(content.texts | {"damaged": sorted(content.damaged)})


def read(path: str | Path) -> Content:
    """All parts of a file; an error where none can be read."""
    try:
        check_file(path)
        with open(path, "rb") as file:
            start = file.read(4)
    except OSError as error:
        raise LissomError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from None
    try:
        content = _classic(path) if start[:3] == b"CDF" else _content(path)
    except MemoryError:
        raise LissomError(f"{path} does not fit into memory; read parts of it with xarray.open_dataset") from None
    except Exception:  # whatever a foreign library meets in damaged bytes
        text = "is not a trajectory of lissom, or is damaged beyond reading; give a file that run.save(path) wrote"
        raise LissomError(f"{path} {text}") from None
    if "robot" not in content.texts and not content.damaged:
        raise LissomError(
            f"{path} is not a trajectory of lissom: it does not hold its robot; write it with run.save(path)"
        )
    known = content.texts.get("checksum")
    if known is not None and known != _checksum(content.texts):
        why = f"the texts {listed(TEXTS, 'or')} are not as they were written (if you changed one, remove `checksum`)"
        content.damaged["attributes"] = why
    return content


def _content(path: str | Path) -> Content:
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
    """Text and numbers as Python has them."""
    if isinstance(value, bytes):
        return value.decode()
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _classic(path: str | Path) -> Content:
    """A file that another program wrote again in the format of NetCDF 3."""
    import xarray as xr

    data = xr.load_dataset(path, engine="scipy")
    found = Quantities.of(data).variables
    variables = {name: each._replace(attrs=_attributes(each.attrs)) for name, each in found.items()}
    return Content(variables, dict(data.attrs), {})


def _robot(text: str) -> Any:
    from lissom.model.io.robot_files import parse

    return parse(text, "<text>")


def _info(data: dict[str, Any]) -> RunInfo:
    settings = data.get("settings")
    if settings is not None:
        try:
            settings = RunSettings(**{key: settings[key] for key in settings if key in RunSettings.model_fields})
        except LissomError:  # of a version that knows values which this one does not
            settings = None
    return _known(RunInfo, data | {"status": Ending(data["status"]), "settings": settings})


def _known(kind: type[Made], data: dict[str, Any]) -> Made:
    """An object from its fields, without those that another version of lissom gave it."""
    names = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    return kind(**{key: value for key, value in data.items() if key in names})


def _misfits(stored: Quantities, model: Model) -> dict[str, str]:
    """Samples that a run of this robot has and the file has not, and variables that are not those of this robot."""
    none, rows = np.zeros(0), np.zeros((0, model.nv))
    run = RunData(RawRun(model, none, np.zeros((0, model.nq)), rows, rows, rows, none, none))
    wrong = {} if "time" in stored else {"time": "missing"}
    for quantity in expected(run):
        found = stored.variables.get(quantity.name)
        wrong |= {
            dim: f"not that of the robot {model.robot.name}"
            for dim in quantity.dims
            if dim in stored and stored.labels(dim) != list(run.labels(dim))
        }
        if found is None:
            wrong |= {quantity.name: "missing"} if quantity.name in NEEDED else {}
        elif found.dims != ("time", *quantity.dims):
            wrong[quantity.name] = f"not that of the robot {model.robot.name}"
    return wrong


def _with_outside(
    stored: Quantities, model: Model, info: RunInfo, outside: Any, acting: dict[str, np.ndarray]
) -> RawRun:
    """The run with what acted on it, on the model that has the frames where it did."""
    rows, samples = len(model.arrays.loops.hold), len(stored["time"])
    loops: dict[str, Any] = {
        key: acting[name] for key, name in (("multipliers", HELD), ("given", GIVEN)) if name in acting
    }
    for values in loops.values():
        if values.shape != (samples, rows):
            raise ValueError(f"its loops hold {rows} directions, not {values.shape[-1]}")
    carried = None
    if outside.get("payloads"):
        from lissom.simulation.inputs.payload import as_payloads, with_payloads

        model, carried = with_payloads(model, as_payloads(outside["payloads"]))
    loads = None
    if outside.get("loads"):
        model, loads = _loads(model, outside["loads"], acting[LOADS])
    return replace(raw_of(stored, model, info.settings), carried=carried, loads=loads, **loops)


def _loads(model: Model, data: dict[str, Any], values: np.ndarray) -> tuple[Model, ActiveLoads]:
    from lissom.model.description.frame import Frame
    from lissom.simulation.inputs.loads import ActiveLoads

    frames, in_world = tuple(Frame.from_dict(frame) for frame in data["frames"]), tuple(data["in_world"])
    named = [element.name for element in model.robot.elements]
    row = [
        model.rows + int(which) if kind == "load" else int(model.arrays.elements.first[named.index(which)])
        for kind, which, _ in data["acting"]
    ]
    entry = np.array([entry for *_, entry in data["acting"]], np.int64)
    made = ActiveLoads(tuple(data["names"]), frames, in_world, np.array(row, np.int64), entry, values=values)
    if values.shape[-1] != len(row):
        raise ValueError(f"{len(row)} components of loads are named, {values.shape[-1]} are there")
    return model.with_loads(frames, in_world), made


def _is_labels(variable: Variable) -> bool:
    return variable.values.dtype == object


def _complaint(path: str | Path, content: Content, damaged: dict[str, str], verdict: str = "cannot be used") -> str:
    """What is wrong with a file, and what can be saved of it."""
    shown = [f"{name}: {why}" for name, why in list(damaged.items())[:SHOWN]]
    more = len(damaged) - len(shown)
    text = f"{path} {verdict}: {'; '.join(shown)}{f'; and {more} more' if more > 0 else ''}"
    if (version := content.texts.get("lissom")) not in (None, __version__):
        text += f". It was written by lissom {version}, this is {__version__}"
    intact = [name for name in content.variables if name not in damaged]
    if not intact:
        return f"{text}. Nothing of it can be saved: run again"
    return (
        f"{text}. Its other {len(intact)} variables, such as {listed(intact[:3], 'and')}, are as they were written: "
        "lissom.Trajectory.rescue(path) reads them"
    )
