"""A record made ready: what drives the model, where it starts, and what it gives at the measured times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lissom.analysis.modes.natural_modes import natural_modes
from lissom.control import from_config
from lissom.control.laws.continuous_laws import torques
from lissom.control.laws.control_law import ControlLaw
from lissom.control.references.reference import Reference
from lissom.errors import IdentifyError, LissomError, within
from lissom.identify.fit_parameters import (
    DELAY,
    GAINS,
    NEUTRAL,
    OFFSET,
    SCALE,
    SHORT,
    START,
    TORQUES,
    SearchEntry,
    Unknown,
    record_entry,
)  # fmt: skip
from lissom.identify.measured_quantities import MeasuredQuantity, measured
from lissom.identify.measured_records import MEASURED, Record, check_angles, check_unit
from lissom.model.description.robot import Robot
from lissom.model.model import Model
from lissom.simulation.sensitivity.motion_parameters import FEED
from lissom.simulation.sensitivity.motion_sensitivity import ROTOR, sensitivity
from lissom.simulation.settings import RunSettings

RATE = ".rate"
PRECISE = {"rtol": 1e-7}  # settings of runs: two that differ little must not differ in their steps' errors
FINER = 2.0  # outputs of a run per sample, where they are interpolated
LEAST = 0.1  # rad, m: the size of a start value that is near zero

Slopes = dict[str, np.ndarray]  # derivatives (N,) of an output, by the path of what it is derived by


class PreparedRecord:
    """A record, and the runs that go with it; `short`: it may end before the slowest vibration has come round."""

    def __init__(
        self, name: str, robot: Robot, record: Record, options: Mapping[str, Any], folder: str, short: bool = False
    ) -> None:
        self.name, self.record, self.options = name, record, dict(options)
        self.samples = record.samples(folder)
        self.model = robot.compile(prescribed=tuple(record.motion))
        self.outputs: dict[str, MeasuredQuantity] = {}
        for output, channel in record.outputs.items():
            with within("outputs", output):
                self.outputs[output] = measured(self.model, output)
                check_unit(channel, self.outputs[output].unit)
                check_angles(self.samples.outputs[output], channel, self.outputs[output].unit)
        for kind, quantity in (("torques", "torque"), ("motion", "position")):
            for joint, channel in getattr(record, kind).items():
                with within(kind, joint):
                    check_unit(channel, measured(self.model, f"{quantity}.{joint}").unit)
        self.start = self._start()
        self.control = self._control(folder)
        self.motion = {
            joint: Reference.from_samples(self.samples.time, values) for joint, values in self.samples.motion.items()
        }
        self.entries = [self._entry(path, unknown) for path, unknown in record.unknown.items()]
        delayed = any(entry.kind == DELAY and not entry.target.startswith(TORQUES) for entry in self.entries)
        self.interpolated = delayed or not self.samples.even
        rate = self.samples.rate * (FINER if self.interpolated else 1.0)
        self.settings = RunSettings.of(
            float(self.samples.time[-1]), **{"rate": rate, "audit": False, **PRECISE, **options}
        )
        if not short:
            self._check_times()

    def model_outputs(
        self, robot: Robot, fields: Sequence[str], values: Mapping[str, float]
    ) -> dict[str, tuple[np.ndarray, Slopes]]:
        """Return every output (N,) at the measured times, with derivatives by fields of the robot and by `values`."""
        own = {path: name for path in values if (name := self._run_name(path)) is not None}
        joints = {path.split(".", 2)[2] for path in own if path.split(".", 2)[1] + "." == TORQUES}
        # a scale of torque + offset is told apart by the derivative by the offset
        extra = [f"{FEED}{joint}.offset" for joint in joints]
        names = list(dict.fromkeys([*fields, *own.values(), *extra]))
        found = sensitivity(
            robot.compile(prescribed=self.model.prescribed),
            names,
            self.settings,
            controller=self._law(values),
            start=self._start_at(values),
            motion=self.motion or None,
            progress=False,
        )
        made = {}
        for output, quantity in self.outputs.items():
            y, by = quantity.both(found)
            slopes = dict(zip(names, by))
            for path, name in own.items():
                slopes[path] = self._torque_slope(path, slopes, values) if name.startswith(FEED) else slopes[name]
            made[output] = self._apply_corrections(output, found.time, y, slopes, values)
        return made

    def _apply_corrections(
        self, output: str, time: np.ndarray, y: np.ndarray, slopes: Slopes, values: Mapping[str, float]
    ) -> tuple[np.ndarray, Slopes]:
        """Return scale y(t - delay) + offset at the measured times, and its derivatives."""
        offset, scale, delay = (values.get(f"{kind}.{output}", NEUTRAL[kind]) for kind in (OFFSET, SCALE, DELAY))
        rate = np.zeros(len(self.samples.time))
        if self.interpolated or len(time) != len(self.samples.time):
            from scipy.interpolate import CubicSpline

            at = np.clip(self.samples.time - delay, 0.0, time[-1])
            inside = (self.samples.time - delay >= 0.0) & (self.samples.time - delay <= time[-1])
            curves = CubicSpline(time, np.column_stack([y, *slopes.values()]))
            rate = np.where(inside, curves(at, 1)[:, 0], 0.0)
            table = curves(at)
            y, slopes = table[:, 0], dict(zip(slopes, table[:, 1:].T))
        made = {path: scale * slope for path, slope in slopes.items()}
        made |= {f"{OFFSET}.{output}": np.ones(len(y)), f"{SCALE}.{output}": y, f"{DELAY}.{output}": -scale * rate}
        return scale * y + offset, made

    def _run_name(self, path: str) -> str | None:
        """Return what `sensitivity` calls one of the record's parameters; None where the run does not depend on it."""
        kind, _, target = path.partition(".")
        if kind in (START, GAINS):
            return path
        return f"{FEED}{target.removeprefix(TORQUES)}.{kind}" if target.startswith(TORQUES) else None

    def _torque_slope(self, path: str, slopes: Slopes, values: Mapping[str, float]) -> np.ndarray:
        """Derive by the scale, the offset or the delay of a measured torque, scale u(t - delay) + offset."""
        kind, _, target = path.partition(".")
        joint = target.removeprefix(TORQUES)
        by = slopes[f"{FEED}{joint}.{kind}"]
        if kind != SCALE:
            return by
        scale, offset = values[path], values.get(f"{OFFSET}.{target}", 0.0)
        return (by - offset * slopes[f"{FEED}{joint}.offset"]) / scale

    def _law(self, values: Mapping[str, float]) -> ControlLaw | None:
        """Return what drives the joints."""
        law = self.control
        if law is not None:
            law = _with_gains(law, {p.removeprefix(f"{GAINS}."): x for p, x in values.items() if p.startswith(GAINS)})
        given = {}
        for joint, u in self.samples.torques.items():
            offset, scale, delay = (
                values.get(f"{kind}.{TORQUES}{joint}", NEUTRAL[kind]) for kind in (OFFSET, SCALE, DELAY)
            )
            given[joint] = Reference.from_samples(self.samples.time + delay, scale * u + offset, "linear")
        if not given:
            return law
        feed = torques(self.model, given)
        return feed if law is None else law + feed

    def _start_at(self, values: Mapping[str, float]) -> Any:
        own = {p.removeprefix(f"{START}."): x for p, x in values.items() if p.startswith(f"{START}.")}
        return {**self.start, **own} if isinstance(self.start, Mapping) else self.start

    def _start(self) -> Any:
        given = self.record.start
        if given != MEASURED:
            return {} if given is None else given
        first: dict[str, float] = {}
        for output, values in self.samples.outputs.items():
            head, _, name = output.partition(".")
            if head == "rotor_position":
                name = name.removesuffix(ROTOR)
                first[name + ROTOR] = float(values[0])
                first.setdefault(name, float(values[0]))
            if head == "position":
                first[name] = float(values[0])
        if not first:
            raise IdentifyError("no position is measured; give start values by joint", ("start",), given)
        return first

    def _control(self, folder: str) -> ControlLaw | None:
        given = self.record.control
        if isinstance(given, ControlLaw) or given is None:
            return given
        if callable(given):
            made = given(self.model)
        else:
            start = self.start if isinstance(self.start, Mapping) else None
            at = {name: x for name, x in (start or {}).items() if not name.endswith(RATE)}
            until = float(self.samples.time[-1])
            made = from_config(self.model, given, at, folder, until)
        if not isinstance(made, ControlLaw):
            text = "must be a continuous law: pd, computed-torque or torque without a rate; or give measured torques"
            raise IdentifyError(text, ("control",))
        return made

    def _entry(self, path: str, unknown: Unknown) -> SearchEntry:
        kind, _, target = path.partition(".")
        if kind == START and not isinstance(self.start, Mapping):
            raise IdentifyError("start values are unknown only where the start is given by joint", ("unknown", path))
        if kind == START:
            value = float(self.start.get(target, 0.0)) if target in self.start else 0.0
            return record_entry(self.name, path, unknown, value, max(abs(value), LEAST))
        if kind == GAINS:
            law = self.control
            name, _, letter = target.rpartition(".")
            if law is None or letter not in ("p", "d") or name not in law.names:
                raise IdentifyError("there is no such gain in the record's control law", ("unknown", path))
            value = float(getattr(law, f"k{letter}")[law.names.index(name)])
            return record_entry(self.name, path, unknown, value, abs(value) or 1.0)
        signals = self.samples.outputs | {f"{TORQUES}{joint}": u for joint, u in self.samples.torques.items()}
        size = {SCALE: 1.0, DELAY: SHORT}.get(kind, float(np.ptp(signals[target])) if target in signals else 1.0)
        return record_entry(self.name, path, unknown, NEUTRAL.get(kind, 0.0), size or 1.0, list(signals))

    def _check_times(self) -> None:
        """Refuse a record that ends before the slowest vibration has come round once, or is too coarse to show it."""
        slowest = slowest_frequency(self.model)
        if slowest is None:
            return
        told = f"a period of the slowest vibration, {1 / slowest:.4g} s ({slowest:.4g} Hz)"
        lasts, step = float(self.samples.time[-1]), 1 / self.samples.rate
        if lasts < 1.0 / slowest:
            place = ("window",) if self.record.window else ("data",)
            raise IdentifyError(f"lasts {lasts:.4g} s, less than {told}; give a longer record", place)
        if step > 0.5 / slowest:
            text = (
                f"samples follow after {step:.4g} s, more than half {told}; did you mean milliseconds? write unit: ms"
            )
            raise IdentifyError(f"{text}, or give a faster record", ("time",))


def slowest_frequency(model: Model) -> float | None:
    """Return the lowest frequency in Hz of a robot that bends, motors held; None where nothing vibrates."""
    if not any(body.modes_v.stop > body.modes_v.start or body.rotor_v is not None for body in model.bodies):
        return None
    try:
        found = natural_modes(model, locked="motors")
    except LissomError:  # nothing vibrates
        return None
    return min(found.frequencies[found.oscillating].tolist(), default=None)


def _with_gains(law: ControlLaw, gains: Mapping[str, float]) -> ControlLaw:
    """Return the law with other gains, {"elbow.p": value}."""
    parts, seen = [], set()
    for part in law.parts:
        kp, kd = part.kp.copy(), part.kd.copy()
        for key, value in gains.items():
            name, _, letter = key.rpartition(".")
            if name in part.names and key not in seen:
                (kp if letter == "p" else kd)[part.names.index(name)] = value
                seen.add(key)
        parts.append(replace(part, kp=kp, kd=kd))
    return ControlLaw(tuple(parts))
