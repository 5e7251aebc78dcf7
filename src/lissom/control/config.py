"""A controller from the `control:` block of a scenario file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lissom.control import checks
from lissom.control.channels import Channel, channels, indices
from lissom.control.law import ControlLaw, computed_torque, pd, torques
from lissom.control.lqr import controlled, lqr
from lissom.control.reference import Reference
from lissom.control.sampled import Sampled
from lissom.control.shaping import KINDS, Impulses, impulses, shape, shaper
from lissom.dynamics.coordinates import configuration
from lissom.errors import LissomError
from lissom.messages import did_you_mean, listed
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.compiled import Model
from lissom.model.values import kind_of

Controller = ControlLaw | Sampled | None

_SAMPLING = ("rate", "delay")
_MOTION = ("reference", "shaper", "saturation", "side")
_FIELDS = {
    "none": (),
    "torque": ("torques", "saturation", *_SAMPLING),
    "pd": ("gains", "gravity_compensation", *_MOTION, *_SAMPLING),
    "computed-torque": ("gains", *_MOTION, *_SAMPLING),
    "lqr": (
        *("joints", "angle", "deflection", "torque", "bandwidth", "sensors", "angle_noise", "limit", "pose"),
        *_MOTION,
        *_SAMPLING,
    ),
}
_REFERENCES = {
    "constant": ("to",),
    "step": ("from", "to", "at"),
    "steps": ("points", "times"),
    "quintic": ("from", "to", "duration", "begin"),
    "trapezoid": ("from", "to", "speed", "acceleration", "duration", "begin"),
    "via": ("points", "times"),
    "csv": ("path", "columns", "time", "interpolation"),
}


def from_config(
    robot: AnyRobot,
    config: Mapping[str, Any] | None,
    start: Any = None,
    folder: str | os.PathLike[str] = ".",
) -> Controller:
    """The controller that a scenario's `control:` block describes; None for no control.

    Args:
        config: {type: pd | computed-torque | torque | lqr | none, ...}.
        start: the configuration at the start, (nq,) or {joint: value}; joints that a reference does not name
            stay there.
        folder: where relative paths of CSV files begin.
    """
    model = as_model(robot)
    if config is None:
        return None
    try:
        if not isinstance(config, Mapping):
            raise LissomError(f"must be a mapping, not {kind_of(config)}; give type: {listed(_FIELDS)}")
        kind = _choice(config, "type", _FIELDS, "type")
        _only(config, ("type", *_FIELDS[kind]), "")
        return _Builder(model, config, configuration(model, start, "start"), Path(folder)).build(kind)
    except LissomError as error:
        raise LissomError(_within("control", error)) from None


def reference_from_config(
    model: Model,
    block: Any,
    joints: Sequence[str],
    start: Any = None,
    folder: str | os.PathLike[str] = ".",
    field: str = "reference",
) -> Reference:
    """The reference that a block such as {type: quintic, to: 1.0, duration: 2} describes.

    Args:
        joints: whose coordinates are its channels, in the model's order.
        start, folder: as in `from_config`.
        field: how messages call the block.
    """
    at = configuration(model, start, "start")
    builder = _Builder(model, {}, at, Path(folder))
    return _ReferenceBlock(builder, block, channels(model, joints, field), at, field).build()


class _Builder:
    def __init__(self, model: Model, config: Mapping[str, Any], start: np.ndarray, folder: Path) -> None:
        self.model, self.config, self.start, self.folder = model, config, start, folder

    def build(self, kind: str) -> Controller:
        if kind == "none":
            return None
        if kind == "lqr":
            return self._lqr()
        law = self._torques() if kind == "torque" else self._joint_law(kind)
        if "rate" not in self.config and "delay" not in self.config:
            return law
        if "rate" not in self.config:
            raise LissomError("rate: missing beside delay; give the samples per second, e.g. rate: 1000")
        return Sampled(law, **self._given(*_SAMPLING))

    def _given(self, *names: str) -> dict[str, Any]:
        return {name: self.config[name] for name in names if name in self.config}

    def _need(self, name: str, remedy: str) -> Any:
        if self.config.get(name) is None:
            raise LissomError(f"{name}: missing; {remedy}")
        return self.config[name]

    def _torques(self) -> ControlLaw:
        values = self._need("torques", "give torques: {joint: number or {type: steps, ...}}")
        if not isinstance(values, Mapping):
            raise LissomError(f"torques = {checks.brief(values)}: must be {{joint: number}}, not {kind_of(values)}")
        parts: dict[str, Any] = {}
        for joint, value in values.items():
            selected = channels(self.model, [joint], "torques")
            if isinstance(value, Mapping):
                zero = np.zeros(self.model.nq)
                value = _ReferenceBlock(self, value, selected, zero, f"torques.{joint}").build()
            parts[joint] = value
        return torques(self.model, parts, **self._given("saturation"))

    def _joint_law(self, kind: str) -> ControlLaw:
        gains = self._need("gains", "give gains: {joint: {p: ..., d: ...}}")
        options = self._given("side", "saturation")
        make: Callable[..., ControlLaw] = computed_torque
        if kind == "pd":
            flag = self.config.get("gravity_compensation", False)
            if not isinstance(flag, bool):
                raise LissomError(f"gravity_compensation = {checks.brief(flag)}: must be true or false")
            make, options = pd, options | {"gravity_compensation": flag}
        names = gains if isinstance(gains, Mapping) else ()
        probe = make(self.model, gains, {name: 0.0 for name in names}, **options)  # checks gains, side and limits
        selected = channels(self.model, names, "gains")
        return make(self.model, gains, self._reference(selected, probe), **options)

    def _lqr(self) -> Sampled:
        options = self._given(
            *(
                "joints",
                "angle",
                "deflection",
                "torque",
                "bandwidth",
                "sensors",
                "side",
                "angle_noise",
                "limit",
            ),
            *("saturation", *_SAMPLING),
        )
        selected = controlled(self.model, options.get("joints"))
        reference = self._reference(selected, None)
        at = self.config.get("pose")
        if at is None:  # the design fits best where the motion ends
            at = self.start.copy()
            for k, channel in enumerate(selected):
                at[[channel.joint_q, channel.motor_q]] = reference(reference.end)[0][k]
        return lqr(self.model, at, reference=reference, **options)

    def _reference(self, selected: tuple[Channel, ...], law: ControlLaw | None) -> Reference:
        block = self.config.get("reference")
        if block is None:
            reference = Reference.constant([self.start[channel.joint_q] for channel in selected])
        else:
            reference = _ReferenceBlock(self, block, selected, self.start, "reference").build()
        if self.config.get("shaper") is None:
            return reference
        end = self.start.copy()
        for k, channel in enumerate(selected):
            end[[channel.joint_q, channel.motor_q]] = reference(reference.end)[0][k]
        return shape(reference, self._shaper(end, law))

    def _shaper(self, at: np.ndarray, law: ControlLaw | None) -> Impulses:
        block = self.config["shaper"]
        block = {"type": block} if isinstance(block, str) else block
        if not isinstance(block, Mapping):
            raise LissomError(f"shaper = {checks.brief(block)}: must be {{type: zvd, modes: 1}}, not {kind_of(block)}")
        _only(block, ("type", "modes", "frequency", "damping"), "shaper.")
        kind = _choice({"type": "zvd", **block}, "type", dict.fromkeys(KINDS), "shaper.type")
        try:
            if "frequency" in block:
                if "modes" in block:
                    raise LissomError("modes: goes without frequency; give one of them")
                return impulses(kind, block["frequency"], block.get("damping", 0.0))
            if "damping" in block:
                raise LissomError("damping: goes with frequency alone; remove it, or give the frequency too")
            return shaper(self.model, at, kind, block.get("modes", 1), law)
        except LissomError as error:
            raise LissomError(_within("shaper", error)) from None


class _ReferenceBlock:
    """A reference from {type: quintic, to: {...}, duration: ...} and the like, for the selected channels."""

    def __init__(
        self, builder: _Builder, block: Any, selected: tuple[Channel, ...], start: np.ndarray, field: str
    ) -> None:
        self.model, self.folder, self.selected, self.field = builder.model, builder.folder, selected, field
        self.start = np.array([start[channel.joint_q] for channel in selected])
        self.block = block

    def build(self) -> Reference:
        block, field = self.block, self.field
        if not isinstance(block, Mapping):
            raise LissomError(
                f"{field} = {checks.brief(block)}: must be a mapping, not {kind_of(block)}; "
                "give {type: quintic, to: {joint: value}, duration: seconds}"
            )
        kind = _choice(block, "type", _REFERENCES, f"{field}.type")
        _only(block, ("type", *_REFERENCES[kind]), f"{field}.")
        try:
            return getattr(self, f"_{kind}")()
        except LissomError as error:
            raise LissomError(_within(field, error)) from None

    def _constant(self) -> Reference:
        return Reference.constant(self._values("to", self.start))

    def _step(self) -> Reference:
        to = self._values("to")
        return Reference.step(self._values("from", self.start), to, self.block.get("at", 0.0))

    def _quintic(self) -> Reference:
        to = self._values("to")
        duration = self._need("duration", "give the time of the motion in seconds")
        return Reference.quintic(self._values("from", self.start), to, duration, self.block.get("begin", 0.0))

    def _trapezoid(self) -> Reference:
        to = self._values("to")
        limits = {name: self._limit(name) for name in ("speed", "acceleration") if name in self.block}
        options = {name: self.block[name] for name in ("duration", "begin") if name in self.block}
        return Reference.trapezoid(self._values("from", self.start), to, **limits, **options)

    def _via(self) -> Reference:
        times, rows = self._points()
        return Reference.minimum_jerk(rows, times)

    def _steps(self) -> Reference:
        times, rows = self._points()
        return Reference.steps(list(zip(times, rows)))

    def _csv(self) -> Reference:
        path = self._need("path", "give the path of a CSV file")
        if not isinstance(path, str):
            raise LissomError(f"path = {checks.brief(path)}: must be text; give the path of a CSV file")
        columns = self.block.get("columns")
        if isinstance(columns, Mapping):
            order: list[Any] = [None] * len(self.selected)
            for name, column in columns.items():
                index = indices(self.model, self.selected, name, f"{self.field}.columns")
                given = column if isinstance(column, list) else [column]
                if len(given) != len(index):
                    raise LissomError(f"columns.{name} = {checks.brief(column)}: give {len(index)} columns for it")
                for k, one in zip(index, given):
                    order[k] = one
            missing = [c.name for c, column in zip(self.selected, order) if column is None]
            if missing:
                raise LissomError(f"columns: nothing for {listed(missing, 'and')}; name a column for each")
            columns = order
        kind = self.block.get("interpolation", "cubic")
        if kind not in ("cubic", "linear"):
            raise LissomError(f"interpolation = {checks.brief(kind)}: is unknown; choose cubic or linear")
        try:
            reference = Reference.from_csv(self.folder / path, columns, self.block.get("time", 0), kind)
        except LissomError as error:
            raise LissomError(f"path: {error}") from None
        if reference.channels != len(self.selected):
            names = listed([c.name for c in self.selected], "and")
            raise LissomError(f"columns: the file gives {reference.channels} columns; name one each for {names}")
        return reference

    def _need(self, name: str, remedy: str) -> Any:
        if self.block.get(name) is None:
            raise LissomError(f"{name}: missing; {remedy}")
        return self.block[name]

    def _values(self, name: str, default: np.ndarray | None = None) -> np.ndarray:
        """One value per channel from {joint: value} or a list; joints that are not named keep the default."""
        if default is None:
            self._need(name, f"give {name}: {{joint: value}} in rad or metres")
        return self._row(self.block.get(name), name, self.start if default is None else default)

    def _row(self, value: Any, field: str, default: np.ndarray) -> np.ndarray:
        if value is None:
            return default
        remedy = "give the coordinate in rad or metres, for each of " + listed([c.name for c in self.selected], "and")
        if not isinstance(value, Mapping):
            if isinstance(value, str):
                raise LissomError(f"{field} = {checks.brief(value)}: must be numbers, not text; {remedy}")
            return checks.numbers(
                value if isinstance(value, list | tuple) else [value], field, remedy, len(self.selected)
            )
        row = default.copy()
        for name, part in value.items():
            index = indices(self.model, self.selected, name, f"{self.field}.{field}")
            row[index] = checks.numbers(part, f"{field}.{name}", remedy, len(index))
        return row

    def _limit(self, name: str) -> Any:
        """A limit: one for all channels, or {joint: value}."""
        value = self.block[name]
        if not isinstance(value, Mapping):
            return value
        row = self._row(value, name, np.full(len(self.selected), np.nan))
        missing = [c.name for c, v in zip(self.selected, row) if np.isnan(v)]
        if missing:
            raise LissomError(f"{name}: nothing for {listed(missing, 'and')}; give a limit for each, or one for all")
        return row

    def _points(self) -> tuple[np.ndarray, np.ndarray]:
        points = self._need("points", "give a list of {joint: value}, one per time")
        times = checks.times(
            self._need("times", "give rising times in seconds, one per point"),
            "times",
            "give rising times in seconds, one per point",
        )
        if not isinstance(points, Sequence) or isinstance(points, str):
            raise LissomError(f"points = {checks.brief(points)}: must be a list, one entry per time")
        if len(points) != len(times):
            raise LissomError(f"points: has {len(points)} entries for {len(times)} times; give one per time")
        rows, last = [], self.start
        for k, point in enumerate(points):
            last = self._row(point, f"points[{k}]", last)
            rows.append(last)
        return times, np.array(rows)


def _choice(block: Mapping[str, Any], key: str, known: Mapping[str, Any], field: str) -> str:
    remedy = f"choose {listed(known)}"
    if block.get(key) is None:
        raise LissomError(f"{field}: missing; {remedy}")
    value = block[key]
    if not isinstance(value, str) or value not in known:
        raise LissomError(f"{field} = {checks.brief(value)}: is unknown{did_you_mean(value, known)}; {remedy}")
    return value


def _within(field: str, error: LissomError) -> str:
    """The message of an error below `field`, with the whole path in front."""
    text = str(error)
    if re.match(rf"{re.escape(field)}\b", text):
        return text
    return f"{field}.{text}" if re.match(r"[a-z_]+([.\[][\w.\[\]-]+)?( =|:)", text) else f"{field}: {text}"


def _only(block: Mapping[str, Any], known: Sequence[str], prefix: str) -> None:
    for key, value in block.items():
        if key not in known:
            what = f"is unknown{did_you_mean(key, known)}"
            raise LissomError(f"{prefix}{key} = {checks.brief(value)}: {what}; known here are {listed(known, 'and')}")
