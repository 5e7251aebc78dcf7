"""Parameters of an FMU: numbers of the robot and of its controller that a tool may change, and what they change.

A number of the robot enters the tables of its compiled model. Where it does so smoothly, an FMU holds polynomials of
every entry over a range of the number, and a changed number gives the tables that `compile` would, to ten digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from lissom.control.laws.channels import channel_unit
from lissom.control.laws.channels import channels as coordinates_of
from lissom.control.laws.control_kernel import Gain
from lissom.control.laws.rigid_model import rigid_twin
from lissom.errors import LissomError
from lissom.export.fmu.frozen_run import Frozen
from lissom.export.fmu.memory_image import Image
from lissom.kernel.data.table_operations import tables
from lissom.model.compilation.tip_frames import tips
from lissom.model.description.joint_kinds import FORCE
from lissom.model.description.robot import Robot
from lissom.model.io.robot_paths import unit_of
from lissom.model.model import Model
from lissom.simulation.inputs.loads import activate

DEGREES = (2, 6, 12, 24)  # of the polynomials: the first that is close enough is taken
RANGE = 0.5  # share of its value by which a number may change
CLOSE = 1e-10  # share of the largest entry of a table that polynomials may miss
BETWEEN = np.array([-0.83, 0.37])  # places in the range [-1, 1] at which they are checked
GAINS = (("p", "kp"), ("d", "kd"))
REMEDY = "leave it out, and export again with --set where it is to change"


class FmuParameter(NamedTuple):
    """A number that a tool may change."""

    name: str
    value: float
    unit: str
    text: str
    middle: float  # of its range
    half: float  # half of the range; infinite where it may have any value
    places: np.ndarray  # (n,) offsets of the numbers that depend on it
    series: np.ndarray  # (n, degree + 1) what it adds to them: Chebyshev series over the range

    @property
    def limits(self) -> tuple[float, float]:
        """Least and largest value."""
        return self.middle - self.half, self.middle + self.half


def linear(name: str, value: float, unit: str, text: str, places: np.ndarray) -> FmuParameter:
    """Return a number that stands at some places as it is."""
    return FmuParameter(name, value, unit, text, value, np.inf, places, np.tile([0.0, 1.0], (len(places), 1)))


def find_parameters(frozen: Frozen, image: Image, paths: Sequence[str], channels: Sequence[int]) -> list[FmuParameter]:
    """Find gains (of the `channels` that follow), gravity, and the numbers of the robot that `paths` name."""
    found = [*_gains(frozen, image, channels), *(_gravity(frozen, image, axis) for axis in range(3))]
    chosen = [_number(frozen, image, path) for path in dict.fromkeys(paths)]
    for one, other in combinations(chosen, 2):
        _check_apart(frozen, image, one, other)
    return found + chosen


def _gains(frozen: Frozen, image: Image, channels: Sequence[int]) -> Iterator[FmuParameter]:
    law, packed = frozen.memory.law, frozen.memory.system.law.fields
    if law is None:
        return
    for k in channels:
        (channel,) = coordinates_of(frozen.model, [law.names[k]], "control")
        unit = channel_unit(frozen.model, channel)
        per = {"kp": "1/s2", "kd": "1/s"}
        if packed.gain[k] != Gain.PER_INERTIA:
            force = channel.command or FORCE[unit]
            per = {"kp": f"{force}/{unit}", "kd": f"{force} s/{unit}"}
        for short, field in GAINS:
            gains = getattr(packed, field)
            place = image.entries(gains)[k : k + 1]
            text = f"gain on the {'error' if short == 'p' else 'rate of the error'}"
            yield linear(f"gains.{law.names[k]}.{short}", float(gains[k]), per[field], text, place)


def _gravity(frozen: Frozen, image: Image, axis: int) -> FmuParameter:
    places = [image.entries(model.arrays.gravity)[axis] for model in _models(frozen)]
    value = float(frozen.model.arrays.gravity[axis])
    return linear(f"gravity.{'xyz'[axis]}", value, "m/s2", "gravity, world axes", np.unique(places))


def _number(frozen: Frozen, image: Image, path: str) -> FmuParameter:
    """Return a number of the robot, with the series of all entries that depend on it."""
    value = frozen.model.robot.value(path)
    if isinstance(value, bool) or not isinstance(value, int | float) or value == 0:
        text = "is not a number other than 0; give the path of one, such as links.upper.beam.damping.stiffness"
        raise LissomError(text, (path,), value)
    half = RANGE * abs(value)

    def changed(at: np.ndarray) -> np.ndarray:
        return np.array([_entries(frozen, [(path, value + half * x)]) - base for x in at.tolist()])

    base, scale = _entries(frozen, []), _scale(frozen)
    exact = changed(BETWEEN)
    if not exact.any():
        raise LissomError("changes nothing in the equations of motion; leave it out", (path,), value)
    for degree in DEGREES:
        nodes = chebyshev.chebpts1(degree + 1)
        found = changed(nodes)
        touched = np.flatnonzero(np.abs(found).max(axis=0))
        series = np.linalg.solve(chebyshev.chebvander(nodes, degree), found[:, touched])
        series[0] -= chebyshev.chebval(0.0, series)
        missed = np.abs(chebyshev.chebvander(BETWEEN, degree) @ series - exact[:, touched])
        if np.all(missed <= CLOSE * scale[touched]):
            places, first = np.unique(_places(frozen, image)[touched], return_index=True)  # models share tables
            unit, text = unit_of(frozen.model.robot, path), f"{path} of the robot"
            return FmuParameter(path, float(value), unit, text, float(value), half, places, series.T[first])
    raise LissomError(f"the robot does not depend smoothly on it; {REMEDY}", (path,), value)


def _check_apart(frozen: Frozen, image: Image, one: FmuParameter, other: FmuParameter) -> None:
    """Refuse two numbers whose changes do not add up."""
    places, total, changes = _places(frozen, image), _entries(frozen, []), []
    for each in (one, other):
        changes.append((each.name, each.value + BETWEEN[1] * each.half))
        added = dict(zip(each.places.tolist(), chebyshev.chebval(BETWEEN[1], each.series.T), strict=True))
        total = total + np.array([added.get(place, 0.0) for place in places.tolist()])
    if np.any(np.abs(_entries(frozen, changes) - total) > 10 * CLOSE * _scale(frozen)):
        text = f"multiplies {other.name} in the equations of motion, so that an FMU offers one of them; leave one out"
        raise LissomError(text, (one.name,))


def _models(frozen: Frozen) -> list[Any]:
    """Return everything whose tables a run reads: the model, the same with the tips of its links, the controller's."""
    twin = [frozen.memory.twin] if frozen.memory.twin is not frozen.model else []
    return [frozen.model, tips(frozen.model), *twin]


def _rebuilt(frozen: Frozen, robot: Robot) -> list[Any]:
    """Compile what `_models` lists for another robot."""
    plain = robot.compile(prescribed=frozen.prepared.model.prescribed)
    model: Model = activate(plain, frozen.all_loads, frozen.memory.duration)[0]
    twin = [rigid_twin(robot, rotors=True).compile()] if frozen.memory.twin is not frozen.model else []
    return [model, tips(model), *twin]


def _entries(frozen: Frozen, changes: list[tuple[str, float]]) -> np.ndarray:
    """Return all real numbers of all tables, of the robot with some values changed."""
    models = _rebuilt(frozen, frozen.model.robot.with_values(changes)) if changes else _models(frozen)
    parts = []
    for model, before in zip(models, _models(frozen), strict=True):
        for (name, table), (_, old) in zip(tables(model.arrays), tables(before.arrays), strict=True):
            if table.shape != old.shape or (old.dtype != float and np.any(table != old)):
                path = changes[0][0]
                raise LissomError(f"the robot is built otherwise where it changes (table {name}); {REMEDY}", (path,))
            if old.dtype == float:
                parts.append(table.ravel())
    return np.concatenate(parts)


def _places(frozen: Frozen, image: Image) -> np.ndarray:
    """Return the offsets of all real numbers of all tables."""
    parts = [table for model in _models(frozen) for _, table in tables(model.arrays) if table.dtype == float]
    return np.concatenate([image.entries(table).ravel() if table.size else np.zeros(0, int) for table in parts])


def _scale(frozen: Frozen) -> np.ndarray:
    """Return for each of these numbers the size of the largest in its table."""
    parts = [table for model in _models(frozen) for _, table in tables(model.arrays) if table.dtype == float]
    return np.concatenate(
        [np.full(table.size, np.abs(table[np.isfinite(table)]).max(initial=1e-300)) for table in parts]
    )
