"""Discrete-time controllers: functions of the state, evaluated at a rate, held in between, delayed."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import printing
from lissom.control import argument_checks
from lissom.errors import LissomError
from lissom.messages import brief, did_you_mean, listed
from lissom.model.model import Model
from lissom.model.schema.number_fields import is_number, kind_of
from lissom.printing import Printed

if TYPE_CHECKING:
    from rich.table import Table

Function = Callable[..., Any]  # of (t, q, v), or of (t, readings)
Reader = Callable[[Iterable[str], float], dict[str, Any]]  # what sensors of some names tell at a time


@dataclass(frozen=True, eq=False, repr=False)
class Sampled(Printed):
    """A controller that runs at a sample rate.

    Parameters
    ----------
    function
        Function(t, q, v) -> torques: an array (nv,) or (len(model.actuated),), or {joint: value}.
        If it has a method `reset()`, that is called before a simulation.
    rate
        Samples per second.
    delay
        Seconds from a sample to the moment its torque acts; zero torque acts before the first.
    sensors
        Names of sensors that it reads instead of the state: it is then function(t, readings) -> torques, with
        {name: number or array} of what each tells at t.
    """

    function: Function
    rate: float = 1000.0
    delay: float = 0.0
    sensors: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensors", _names(self.sensors))
        _check_arguments(self.function, bool(self.sensors))
        argument_checks.number(self.rate, "rate", "give the samples per second", above=0)
        argument_checks.number(self.delay, "delay", "give the delay in seconds, 0 for none", at_least=0)

    def __repr__(self) -> str:
        return f"<Sampled {_callable_name(self.function)} at {self.rate:g} Hz>"

    def table(self) -> Table:
        """Return a table of what is sampled, how often and how late."""
        own = getattr(self.function, "table", None)
        table = own() if own else printing.table("part", "value", title=f"sampled {_callable_name(self.function)}")
        table.add_row("samples per second", f"{self.rate:g}")
        table.add_row("delay", f"{1e3 * self.delay:g} ms")
        if self.sensors:
            table.add_row("reads", ", ".join(self.sensors))
        return table

    @property
    def period(self) -> float:
        """Time from sample to sample, s."""
        return 1.0 / self.rate

    def reset(self) -> None:
        """Bring a function with memory to its initial state."""
        reset = getattr(self.function, "reset", None)
        if callable(reset):
            reset()

    def __add__(self, other: Any) -> Any:
        """Let another controller, a law, a sampled one or a function, act with this one."""
        from lissom.control.laws.control_law import together

        return together(self, other)

    def __radd__(self, other: Any) -> Any:
        from lissom.control.laws.control_law import together

        return self if other == 0 else together(other, self)  # sum() begins with 0

    def start(self, model: Model, read: Reader | None = None) -> Hold:
        """Return a fresh hold for one simulation of `model`, the function reset; `read` gives what sensors tell."""
        self.reset()
        return Hold(self, model, read)

    def asked(self, duration: float) -> dict[str, list[np.ndarray]]:
        """Return when it reads which sensors in a run of that duration."""
        times = np.arange(int(np.floor(duration * self.rate * (1 + 1e-12))) + 1) / self.rate
        return {name: [times] for name in self.sensors}


def _callable_name(function: Any) -> str:
    """Return the name of a function, or what kind of thing it is."""
    return getattr(function, "__name__", type(function).__name__)


class Hold:
    """The torque over time of one simulation: piecewise constant, changing at `next_time` only.

    Call `update(t, q, v)` at the start and whenever the simulation reaches `next_time`; the result acts
    until the next such time.
    """

    def __init__(self, sampled: Sampled, model: Model, read: Reader | None = None) -> None:
        self._sampled, self._read = sampled, read
        self._output = CheckedForces(model)
        self._count = 0
        self._waiting: deque[tuple[float, np.ndarray]] = deque()
        self.torque = np.zeros(model.nv)

    @property
    def next_time(self) -> float:
        """The next time when a sample is taken or a delayed torque sets in."""
        sample = self._count / self._sampled.rate
        return min(sample, self._waiting[0][0]) if self._waiting else sample

    def update(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Take the samples due at t, and return the torque (nv,) that acts from t on."""
        slack = 1e-9 * self._sampled.period
        if self._count / self._sampled.rate <= t + slack:
            value = self._output(t, self._sampled.function(t, *self._inputs(t, q, v)))
            self._waiting.append((self._count / self._sampled.rate + self._sampled.delay, value))
            self._count = max(self._count, int(np.floor((t + slack) * self._sampled.rate))) + 1
        while self._waiting and self._waiting[0][0] <= t + slack:
            self.torque = self._waiting.popleft()[1]
        return self.torque

    def _inputs(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[Any, ...]:
        """Return what its function sees: the state, or the readings of its sensors."""
        if not self._sampled.sensors:
            return q.copy(), v.copy()
        if self._read is None:
            raise LissomError("reads sensors, which are there in simulations alone", ("controller",))
        return (self._read(self._sampled.sensors, t),)


class CheckedForces:
    """What a controller may return, made into generalised forces (nv,)."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._slots: dict[str, np.ndarray] = {}
        for body in model.bodies:
            labels = body.v_names[: body.joint_v.stop - body.joint_v.start]
            if not labels:
                continue
            index = [body.rotor_v] if body.rotor_v is not None else list(range(model.nv)[body.joint_v])
            self._slots[body.joint] = np.array(index)
            if len(labels) > 1:
                self._slots |= {label: np.array([k]) for label, k in zip(labels, index)}

    def __call__(self, t: float, value: Any) -> np.ndarray:
        """Return forces (nv,) from the value returned at the time t, or an error with time, joint and value."""
        tau = self._by_joint(t, value) if isinstance(value, Mapping) else self._array(t, value)
        if not np.all(np.isfinite(tau)):
            bad = int(np.flatnonzero(~np.isfinite(tau))[0])
            raise self._refusal(t, f"{self._model.coordinates[bad]} = {tau[bad]}", "return finite torques")
        return tau

    def _array(self, t: float, value: Any) -> np.ndarray:
        nv, actuated = self._model.nv, self._model.actuated
        sizes = f"{len(actuated)} torques (model.actuated) or {nv} (model.coordinates), or {{joint: value}}"
        if value is None:
            raise self._refusal(t, "None", f"return {sizes}")
        try:
            array = np.asarray(value)
            if array.dtype.kind not in "fiu":
                raise TypeError
            array = array.astype(float)
        except (TypeError, ValueError):
            raise self._refusal(t, brief(value), f"return {sizes}") from None
        if array.shape == (nv,):
            return array
        if array.shape == (len(actuated),) or (array.shape == () and len(actuated) == 1):
            tau = np.zeros(nv)
            tau[actuated] = array
            return tau
        raise self._refusal(t, f"an array of shape {array.shape}", f"return {sizes}")

    def _by_joint(self, t: float, values: Mapping[str, Any]) -> np.ndarray:
        tau = np.zeros(self._model.nv)
        for joint, value in values.items():
            index = self._slots.get(joint)
            if index is None:
                hint = did_you_mean(joint, self._slots)
                movable = [body.joint for body in self._model.bodies if body.joint in self._slots]
                raise self._refusal(
                    t, f"a torque for {joint!r}, which is not a joint that moves{hint}", f"use {listed(movable)}"
                )
            if is_number(value) and len(index) == 1:
                tau[index[0]] = value
                continue
            array = np.asarray(value, object if isinstance(value, list | tuple) else None)
            if array.shape not in ((len(index),), () if len(index) == 1 else (len(index),)) or not all(
                is_number(v) for v in array.ravel().tolist()
            ):
                raise self._refusal(t, f"{joint} = {brief(value)}", f"return {len(index)} number(s) for it")
            tau[index] = array.astype(float)
        return tau

    def _refusal(self, t: float, what: str, remedy: str) -> LissomError:
        return LissomError(f"the controller returned {what} at t = {t:.6g} s; {remedy}")


def _names(sensors: Any) -> tuple[str, ...]:
    names = (sensors,) if isinstance(sensors, str) else sensors
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise LissomError("must be names of sensors, such as ('elbow-encoder', 'gauge')", ("sensors",), sensors)
    return tuple(names)


def _check_arguments(function: Any, reads_sensors: bool) -> None:
    wanted = "(t, readings)" if reads_sensors else "(t, q, v)"
    if not callable(function):
        raise LissomError(f"must be a function of {wanted}, not {kind_of(function)}", ("controller",), function)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # compiled functions do not tell
        return
    try:
        signature.bind(0.0, *([None] if reads_sensors else [None, None]))
    except TypeError:
        count, why = ("two", " as it reads sensors") if reads_sensors else ("three", "")
        text = f"takes {signature}; a controller is called with {count} arguments, {wanted}{why}"
        raise LissomError(text, ("controller",), function) from None
