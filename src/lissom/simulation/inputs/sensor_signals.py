"""From ideal readings along a run to what sensors tell: low-pass, samples, bias, noise, steps, delay.

Sensors sample between the steps of the integrator, where outputs are written too, so that they cost no steps. A
low-pass y' = w (u - y) starts at rest, y(0) = u(0), and is integrated exactly for the cubic through u at four Gauss
points of every stretch.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.dynamics.sensing import Mounted, Sensing
from lissom.errors import LissomError
from lissom.kernel.data.arrays import Arrays
from lissom.messages import suggestion
from lissom.model.description.sensor import Sensor
from lissom.model.model import Model

if TYPE_CHECKING:
    from lissom.simulation.raw_run import RawRun

PER_CORNER = 8  # stretches of a low-pass per period of its corner frequency, at least
SAME = 1e-9  # times nearer than this share of the shortest spacing are one
NODES, _ = np.polynomial.legendre.leggauss(4)
NODES = 0.5 + 0.5 * NODES  # on [0, 1]
FILTERED = PER_CORNER * len(NODES)  # looks of a low-pass per period of its corner
_FINE, _FINE_WEIGHTS = np.polynomial.legendre.leggauss(24)


class Sensed(NamedTuple):
    """What the sensors of a run told at its N output times, m numbers in all."""

    sensors: tuple[Sensor, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]
    reading: np.ndarray  # (N, m)


class RecordedState(NamedTuple):
    """A recorded state with what acted on it."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    load: np.ndarray
    multipliers: np.ndarray


@lru_cache(maxsize=256)
def low_pass_weights(z: Any) -> tuple[Any, np.ndarray]:
    """Return, of a low-pass over a stretch z / w, the share of the old value, and the weights (4,) of u at NODES.

    Complex where z is, for derivatives by the corner.
    """
    s = 0.5 + 0.5 * _FINE
    moments = [0.5 * _FINE_WEIGHTS @ (z * np.exp(-z * (1 - s)) * s**power) for power in range(len(NODES))]
    weights = np.linalg.solve(np.vander(NODES, increasing=True).T, moments)
    return np.exp(-z), weights * (1 - np.exp(-z)) / moments[0]


class Tap:
    """One sensor along a run: when it looks, and what it told."""

    def __init__(self, index: int, eye: Mounted, instants: np.ndarray) -> None:
        self.index, self.eye, self.instants = index, eye, instants
        sensor, size = eye.sensor, len(eye.labels)
        self.delay = sensor.delay
        self.corner = None if sensor.low_pass is None else 2 * np.pi * sensor.low_pass
        self.readings = np.zeros((len(instants), size))
        self.count = 0  # samples taken
        self._noise = np.random.default_rng([sensor.seed, zlib.crc32(sensor.called.encode())])
        self._filtered: np.ndarray | None = None
        self._inputs: list[np.ndarray] = []  # u at the nodes of the present stretch
        gap = np.diff(instants).min(initial=np.inf)
        self._slack = SAME * min(gap, 1.0)

    def stretches(self) -> np.ndarray:
        """Return the ends of the stretches of its low-pass, from 0 to its last sample."""
        assert self.corner is not None
        parts = [np.zeros(1)]
        for begin, end in zip(self.instants[:-1], self.instants[1:], strict=True):
            count = max(1, int(np.ceil((end - begin) * PER_CORNER * self.corner / (2 * np.pi) - 1e-9)))
            parts.append(begin + (end - begin) * np.arange(1, count + 1) / count)
        return np.concatenate(parts)

    def filter(self, value: np.ndarray, length: float) -> None:
        """Take the next input of the low-pass in a stretch of that length."""
        assert self.corner is not None and self._filtered is not None
        self._inputs.append(value)
        if len(self._inputs) == len(NODES):
            kept, weights = low_pass_weights(self.corner * length)
            self._filtered = kept * self._filtered + weights @ np.array(self._inputs)
            self._inputs = []

    def sample(self, value: np.ndarray) -> None:
        """Take a sample where the ideal reading is `value` (m,)."""
        if self.corner is not None:
            self._filtered = value if self._filtered is None else self._filtered
            value = self._filtered
        sensor = self.eye.sensor
        if np.any(sensor.noise):
            value = value + np.asarray(sensor.noise) * self._noise.standard_normal(len(value))
        value = value + np.asarray(sensor.bias)
        if self.eye.resolution is not None:
            value = np.round(value / self.eye.resolution) * self.eye.resolution
        self.readings[self.count] = value
        self.count += 1

    def readings_at(self, t: np.ndarray | float) -> np.ndarray:
        """Return readings (..., m) at times t: of the last sample that is told by then, at first of the first."""
        at = np.searchsorted(self.instants, np.asarray(t) - self.delay + self._slack, side="right") - 1
        return self.readings[np.clip(at, 0, max(0, self.count - 1))]


class Sensors:
    """All sensors of a run; `times` are those that must be recorded, outputs included."""

    def __init__(
        self, model: Model, sensors: Sequence[Sensor], outputs: np.ndarray, asked: dict[str, list[np.ndarray]]
    ) -> None:
        """`asked`: times when controllers read sensors, by the sensors' names."""
        self.sensing, self.outputs = Sensing(model, sensors), outputs
        self.taps = [
            Tap(k, eye, _instants(eye.sensor, outputs, asked.get(eye.name, [])))
            for k, eye in enumerate(self.sensing.mounted)
        ]
        self.by_name = {tap.eye.name: tap for tap in self.taps}
        filters = [(tap, *_nodes(tap.stretches())) for tap in self.taps if tap.corner is not None]
        everything = [outputs, *(tap.instants for tap in self.taps), *(nodes for _, nodes, _ in filters)]
        self.times = merge_times(outputs, everything[1:])
        self.is_output = np.zeros(len(self.times), bool)
        self.is_output[_places(self.times, outputs)] = True
        self._work: list[list[tuple[Tap, float]]] = [[] for _ in self.times]  # stretches to filter, 0 for a sample
        for tap, nodes, lengths in filters:
            for at, length in zip(_places(self.times, nodes).tolist(), lengths.tolist(), strict=True):
                self._work[at].append((tap, length))
        for tap in self.taps:
            for at in _places(self.times, tap.instants).tolist():
                self._work[at].append((tap, 0.0))
        self._row = 0

    def take(self, row: RecordedState, loads: tuple[np.ndarray, np.ndarray]) -> None:
        """Look at the next recorded state; `loads` are row and entry of each number that acts from outside."""
        if self._row == len(self.times):
            return
        due = self._work[self._row]
        if due:
            only = sorted({tap.index for tap, _ in due})
            values = self.sensing(row.q, row.v, row.a, (row.load, *loads), row.multipliers, only)
            for tap, length in due:
                value = values[tap.eye.place]
                if length:
                    tap.filter(value, length)
                else:
                    tap.sample(value)
        self._row += 1

    @property
    def seen(self) -> int:
        """How many recorded states it has looked at."""
        return self._row

    @property
    def memory(self) -> Arrays:
        """Those in which masses may change."""
        return self.sensing.points.memory

    def read(self, names: Iterable[str], t: float) -> dict[str, Any]:
        """Return what sensors tell at the time t: numbers, or arrays (m,)."""
        found = {name: self.by_name[name].readings_at(t) for name in names}
        return {name: value.item() if len(value) == 1 else value.copy() for name, value in found.items()}

    def result(self, count: int) -> Sensed:
        """Return readings at the first `count` outputs."""
        reading = np.zeros((count, self.sensing.size))
        for tap in self.taps:
            reading[:, tap.eye.place] = tap.readings_at(self.outputs[:count])
        sensors = tuple(eye.sensor for eye in self.sensing.mounted)
        return Sensed(sensors, self.sensing.labels, self.sensing.units, reading)


def check_asked(model: Model, sensors: Sequence[Sensor], asked: Iterable[str]) -> None:
    """Refuse names of sensors that there are not."""
    known = [sensor.called for sensor in sensors]
    for name in asked:
        if name not in known:
            remedy = suggestion(name, known) if known else "give simulate the sensors, or the robot's file"
            raise LissomError(
                f"the controller reads a sensor that {model.robot.name} has not; {remedy}", ("sensors",), name
            )


def ideal_readings(raw: RawRun) -> np.ndarray:
    """Return what ideal sensors would have told at the outputs of a run, (N, m)."""
    assert raw.sensed is not None
    sensing, loads, rows = Sensing(raw.model, raw.sensed.sensors), raw.loads, raw.held_rows
    out = np.zeros((len(raw.time), sensing.size))
    for k, t in enumerate(raw.time.tolist()):
        if raw.carried is not None:
            list(raw.carried.put(sensing.points.memory, t))
        given = None if loads is None or loads.values is None else (loads.values[k], loads.row, loads.entry)
        out[k] = sensing(raw.q[k], raw.v[k], raw.a[k], given, None if rows is None else rows.multipliers[k])
    return out


def _instants(sensor: Sensor, outputs: np.ndarray, asked: list[np.ndarray]) -> np.ndarray:
    """Return the times of a sensor's samples; without a rate, those when it is read, less its delay."""
    if sensor.rate is not None:
        return np.arange(int(np.floor(outputs[-1] * sensor.rate * (1 + 1e-12))) + 1) / sensor.rate
    read = merge_times(outputs, asked) if asked else outputs
    return np.unique(np.maximum(read - sensor.delay, 0.0)) if sensor.delay else read


def _nodes(ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss points of all stretches, and the length of the stretch of each."""
    lengths = np.diff(ends)
    return (ends[:-1, None] + lengths[:, None] * NODES).ravel(), np.repeat(lengths, len(NODES))


def merge_times(first: np.ndarray, others: Iterable[np.ndarray]) -> np.ndarray:
    """Return all times in order; of some that differ by rounding the one of `first`."""
    every = np.concatenate([first, *others])
    order = np.argsort(every, kind="stable")
    every, own = every[order], (order < len(first))
    gaps = np.diff(every)
    slack = SAME * min(1.0, np.diff(first).min(initial=1.0))
    group = np.concatenate([[0], np.cumsum(gaps > slack)])
    out = np.zeros(group[-1] + 1)
    out[group] = every
    out[group[own]] = every[own]
    return out


def _places(times: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return where the wanted times stand among all."""
    after = np.clip(np.searchsorted(times, wanted), 1, max(1, len(times) - 1))
    before = after - 1
    if len(times) == 1:
        return np.zeros(len(wanted), int)
    return np.where(np.abs(times[before] - wanted) <= np.abs(times[after] - wanted), before, after)
