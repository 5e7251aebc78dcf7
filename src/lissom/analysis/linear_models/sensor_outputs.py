"""Outputs of linear models: signals by name, and sensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.analysis.linear_models import signals
from lissom.dynamics.coordinates import along_coordinates
from lissom.dynamics.sensing import Sensing
from lissom.dynamics.sensor_kinds import kind_of
from lissom.dynamics.state_checks import Vector
from lissom.errors import LissomError
from lissom.kernel.algorithms.complex_step import STEP
from lissom.model.description.sensor import Sensor
from lissom.model.model import Model


class StateDerivatives(NamedTuple):
    """Small motions about a state: (u, v)' = A (u, v) + B inputs, u the displacement along the velocities."""

    model: Model
    q: Vector
    v: Vector
    a: Vector  # accelerations there
    A: np.ndarray  # (2 nv, 2 nv)
    B: np.ndarray  # (2 nv, inputs)
    loaded: bool  # whether something acts from outside


def output_matrices(motion: StateDerivatives, outputs: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return C (outputs, 2 nv), D (outputs, inputs) and the names of scalar outputs."""
    parts = [
        _of_sensor(motion, one) if isinstance(one, Sensor) else _of_signal(motion, one)
        for one in _resolve_sensors(motion, outputs)
    ]
    if not parts:
        raise LissomError("names none; give a joint, a coordinate, a link or a sensor", ("outputs",), outputs)
    names = tuple(name for _, _, own in parts for name in own)
    return np.concatenate([C for C, _, _ in parts]), np.concatenate([D for _, D, _ in parts]), names


def _resolve_sensors(motion: StateDerivatives, outputs: Sequence[Any]) -> list[Any]:
    """Return outputs, those that name a sensor of the robot's file as that sensor."""
    sensors = {sensor.called: sensor for sensor in motion.model.robot.sensors}
    return [sensors.get(one, one) if isinstance(one, str) else one for one in outputs]


def _of_signal(motion: StateDerivatives, signal: signals.Signal) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    rows = signals.outputs(motion.model, [signal])
    C, D = signals.output_matrices(motion.model, rows, motion.q, motion.v, motion.a, motion.A, motion.B)
    return C, D, tuple(row.name for row in rows)


def _of_sensor(motion: StateDerivatives, sensor: Sensor) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return exact derivatives of an ideal sensor's readings, which may depend on accelerations."""
    model, q, v, a, n = motion.model, motion.q, motion.v, motion.a, motion.model.nv
    if kind_of(sensor).reactions and (motion.loaded or model.loops):
        what = "loops" if model.loops else "loads"
        text = f"{sensor.kind} sensors are outputs of linear models without {what}; leave it out, or measure"
        raise LissomError(f"{text} accelerations or strains", ("outputs", sensor.called))
    sensing = Sensing(model, [sensor])
    by_q = along_coordinates(model, q, lambda z: sensing(z, v, a))
    units = 1j * STEP * np.eye(n)
    by_v = np.stack([np.imag(sensing(q, v + unit, a)) / STEP for unit in units], axis=1)
    by_a = np.stack([np.imag(sensing(q, v, a + unit)) / STEP for unit in units], axis=1)
    C = np.concatenate([by_q, by_v], axis=1) + by_a @ motion.A[n:]
    return C, by_a @ motion.B[n:], sensing.labels
