"""Trajectories as NetCDF files: plain ones, that xarray and others read and write, with HDF5's checksums.

A file holds the samples of a run, what acted on the robot, and what follows from both under the names of `run.dataset`.
The samples alone are enough: whatever else a file does not have, because it was written by an older version or because
the command was stopped, is computed from them. What a newer version added is kept as it is.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lissom.errors import LissomError
from lissom.files import NotWritten, check_file, replacing
from lissom.messages import listed
from lissom.results.files.netcdf_content import Content, Sink, fill, read_classic, read_content
from lissom.results.files.table_files import STILL_THERE, plain
from lissom.results.lookup import ACCELERATION, POSITION, VELOCITY
from lissom.results.quantities import Quantities, Variable, variable
from lissom.results.registry.result_quantity import QUANTITIES, RunData
from lissom.results.registry.run_quantities import expected_quantities, quantities
from lissom.results.run_info import RunInfo
from lissom.results.run_samples import raw_of
from lissom.results.trajectory import Trajectory
from lissom.simulation.raw_run import Event, RawRun
from lissom.simulation.settings import RunSettings
from lissom.simulation.status.run_ending import Ending
from lissom.simulation.stepping.interrupts import defer_interrupts
from lissom.version import __version__

if TYPE_CHECKING:
    import xarray as xr

    from lissom.model.model import Model
    from lissom.simulation.inputs.loads import ActiveLoads

FORMAT = 3
NEEDED = {*POSITION, *VELOCITY, *ACCELERATION, "torque"}  # samples, by which all else is computed
TEXTS = ("robot", "prescribed", "outside", "info", "warnings")  # attributes of a file
HELD, GIVEN, LOADS = "loop_multiplier", "loop_given", "load_value"  # variables of a file that the dataset has not
SHOWN = 6  # parts that a message names
OTHERS = {".mat": "to_mat", ".csv": "to_csv", ".parquet": "to_parquet"}  # formats that have methods of their own
OTHERS |= {".xls": "to_excel", ".xlsx": "to_excel"}

Made = TypeVar("Made")


# writing


def save(run: Trajectory, path: str | Path) -> None:
    """Write NetCDF with the robot's description, so that `load` needs nothing else."""
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
        with replacing(path) as file, defer_interrupts():
            sink = Sink(file)
            fill(sink, found, texts)
            if sink.failure is not None:
                raise sink.failure
    except NotWritten as error:
        raise error.advised(STILL_THERE) from None


def _texts(run: Trajectory) -> dict[str, Any]:
    """Return the attributes of a file: about robot and run."""
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
    """Return what acted on the robot and was carried by it: payloads, where loads act, which number acts on what."""
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
    """Return the numbers of loads and of loops: by them wrenches and stresses follow from the samples."""
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
    """Return the trajectory in a file that `save` wrote; one that is damaged is refused with the names of its parts."""
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
    events = made("warnings", lambda text: [_build_known(Event, event) for event in json.loads(text)])
    return Trajectory(raw, raw.model, info, events, stored)


def rescue(path: str | Path) -> xr.Dataset:
    """Return every variable of a damaged file that is as it was written; its attribute `damaged` names the others."""
    content = read(path)
    return Quantities(content.variables).dataset().assign_attrs(content.texts | {"damaged": sorted(content.damaged)})


def read(path: str | Path) -> Content:
    """Return all parts of a file; an error where none can be read."""
    try:
        check_file(path)
        with open(path, "rb") as file:
            start = file.read(4)
    except OSError as error:
        raise LissomError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from None
    try:
        content = read_classic(path) if start[:3] == b"CDF" else read_content(path)
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
    return _build_known(RunInfo, data | {"status": Ending(data["status"]), "settings": settings})


def _build_known(kind: type[Made], data: dict[str, Any]) -> Made:
    """Return an object from its fields, without those that another version of lissom gave it."""
    names = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    return kind(**{key: value for key, value in data.items() if key in names})


def _misfits(stored: Quantities, model: Model) -> dict[str, str]:
    """Return what a run of this robot has and the file has not, and variables that are not those of this robot."""
    none, rows = np.zeros(0), np.zeros((0, model.nv))
    run = RunData(RawRun(model, none, np.zeros((0, model.nq)), rows, rows, rows, none, none))
    wrong = {} if "time" in stored else {"time": "missing"}
    for quantity in expected_quantities(run):
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
    """Return the run with what acted on it, on the model that has the frames where it did."""
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


def _complaint(path: str | Path, content: Content, damaged: dict[str, str], verdict: str = "cannot be used") -> str:
    """Return what is wrong with a file, and what can be saved of it."""
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
