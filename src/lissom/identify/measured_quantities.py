"""Measured quantities as a run has them, with their derivatives by parameters.

Names are those of results: position.elbow, velocity.elbow, torque.elbow, rotor_position.elbow.rotor, eta.upper.y1,
deflection.upper.y, rotation.upper.z, tip_position.tool.x; a sensor of the robot by its name, or as reading.NAME.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from lissom.dynamics.sensing import Sensing
from lissom.errors import IdentifyError
from lissom.identify.sensor_readings import Both, perturb_configurations, plain, reading
from lissom.kernel.algorithms.complex_step import STEP
from lissom.messages import did_you_mean, listed
from lissom.model.model import Model
from lissom.results.quantity_names import force_units, position_columns, velocity_columns
from lissom.simulation.sensitivity.motion_sensitivity import ROTOR, Sensitivity
from lissom.simulation.sensitivity.tip_poses import TipPoses, tip_poses

AXES = ("x", "y", "z")
HISTORIES = {  # quantity: (history, what of the coordinates it is of, unit beside the coordinate's)
    "position": ("q", "joints", ""),
    "velocity": ("v", "joints", "/s"),
    "acceleration": ("a", "joints", "/s2"),
    "eta": ("q", "modes", ""),
    "eta_rate": ("v", "modes", "/s"),
    "rotor_position": ("q", "rotors", ""),
    "rotor_velocity": ("v", "rotors", "/s"),
    "torque": ("tau", "all", ""),
}
READING = "reading."  # in front of the sensors of results
POINTS = {"tip_position": "m", "deflection": "m", "rotation": "rad"}
SMALL = 1e-3  # 1 - cos of a rotation, below which its logarithm is a series


@dataclass(frozen=True)
class MeasuredQuantity:
    """A quantity that a run has."""

    name: str
    unit: str
    joint: str | None  # of a position, whose coordinate it is
    both: Callable[[Sensitivity], Both]


def measured(model: Model, name: str) -> MeasuredQuantity:
    """Return the quantity that a user calls `name`."""
    head, _, rest = name.partition(".")
    sensing = Sensing(model, model.robot.sensors)
    label = name.removeprefix(READING)
    if label in sensing.labels:
        return MeasuredQuantity(name, sensing.units[sensing.labels.index(label)], None, partial(reading, label))
    if head in HISTORIES:
        return _history(model, name, head, rest)
    if head in POINTS:
        return _point(model, name, head, rest)
    known = (*sensing.labels, *HISTORIES, *POINTS)
    raise IdentifyError(
        f"no such quantity can be measured{did_you_mean(head, known)}; there are {listed(known, 'and')}"
    )


def _history(model: Model, name: str, head: str, rest: str) -> MeasuredQuantity:
    history, group, per = HISTORIES[head]
    columns = position_columns(model) if history == "q" else velocity_columns(model)
    at = list(range(len(columns.names))) if group == "all" else getattr(columns, group).tolist()
    known = [columns.names[k] for k in at]
    if (head.startswith("rotor") or head == "torque") and rest + ROTOR in known:
        rest += ROTOR
    if rest not in known:
        there = f"there are {listed(known, 'and')}" if known else "this robot has none"
        raise IdentifyError(f"{head} has no {rest!r}{did_you_mean(rest, known)}; {there}")
    k = columns.names.index(rest)
    unit = force_units(model)[k] if head == "torque" else columns.units[k] + per
    if history == "q" and rest not in model.coordinates:  # on a group

        def on_group(found: Sensitivity) -> Both:
            return np.array(found.run.q[:, k]), np.array(
                [perturb_configurations(found, s)[:, k].imag / STEP for s in found.q]
            )

        return MeasuredQuantity(name, unit, rest, on_group)
    column = model.coordinates.index(rest)

    def both(found: Sensitivity) -> Both:
        return np.array(getattr(found.run, history)[:, k]), np.asarray(getattr(found, history))[:, :, column]

    return MeasuredQuantity(name, unit, rest if head == "position" else None, both)


def _point(model: Model, name: str, head: str, rest: str) -> MeasuredQuantity:
    link, _, axis = rest.rpartition(".")
    known = [each for each in model.links if head == "tip_position" or each in model.flexible]
    if link not in known:
        there = f"there are {listed(known, 'and')}" if known else "this robot has none"
        raise IdentifyError(f"{head} has no link {link!r}{did_you_mean(link, known)}; {there}")
    if axis not in AXES:
        raise IdentifyError(f"{head}.{link} has no axis {axis!r}; write {head}.{link}.x, .y or .z")
    c = AXES.index(axis)

    def both(found: Sensitivity) -> Both:
        own = plain(found.run.model)
        still = np.zeros((len(found.time), own.nv))
        values = _component(tip_poses(own, link, found.run.q, still), head, c).real
        changes = [
            _component(tip_poses(source.model, link, found.run.q, s), head, c).imag / STEP
            for source, s in zip(found.sources, found.q)
        ]
        return values, np.array(changes).reshape(len(changes), len(found.time))

    return MeasuredQuantity(name, POINTS[head], None, both)


def _component(poses: TipPoses, head: str, c: int) -> np.ndarray:
    if head == "tip_position":
        return poses.world[:, c]
    return poses.moved[:, c] if head == "deflection" else _rotation_vector(poses.turned)[:, c]


def _rotation_vector(R: np.ndarray) -> np.ndarray:
    """Return logarithms (N, 3) of rotations (N, 3, 3) by less than half a turn, complex."""
    gone = 1.0 - (np.trace(R, axis1=1, axis2=2) - 1.0) / 2.0  # 1 - cos
    near = np.abs(gone) < SMALL
    far = np.where(near, 0.5, gone)
    angle = np.arccos(1.0 - far)
    series = 1.0 + gone * (1 / 3 + gone * (2 / 15 + gone * (2 / 35 + gone * 8 / 315)))
    stretch = np.where(near, series, angle / np.sin(angle))
    twice = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    return 0.5 * stretch[:, None] * twice
