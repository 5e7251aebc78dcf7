"""Readings of a robot's sensors along a run, with their derivatives by parameters.

Low-pass, delay and bias of a sensor are part of what it reads, and are numbers of the robot that can be found. Noise,
steps and the holding of samples are what the misfit is left with.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from lissom.dynamics.sensing import Mounted, Sensing
from lissom.dynamics.sensor_kinds import Moment
from lissom.kernel.algorithms.complex_step import STEP
from lissom.kernel.algorithms.complex_tangent import lay_tangent
from lissom.model.description.sensor import Sensor
from lissom.model.model import Model
from lissom.simulation.inputs.sensor_signals import NODES, low_pass_weights
from lissom.simulation.sensitivity.motion_parameters import complex_numbers
from lissom.simulation.sensitivity.motion_sensitivity import Sensitivity

LINEAR = 1e-12  # relative error of a linear function
FASTEST = 50  # stretches of a low-pass per sample at most: a faster one is not seen

Both = tuple[np.ndarray, np.ndarray]  # values (N,) and their derivatives (parameters, N)


def reading(name: str, found: Sensitivity) -> Both:
    """Return what a sensor tells along the run, by the name of the reading."""
    model = plain(found.run.model)
    sensing = Sensing(model, model.robot.sensors)
    k = sensing.labels.index(name)
    at = next(at for at, eye in enumerate(sensing.mounted) if eye.place.start <= k < eye.place.stop)
    values = _ideal(sensing, at, k, found, None).real
    changes = [
        _ideal(Sensing(source.model, source.model.robot.sensors), at, k, found, j).imag / STEP
        for j, source in enumerate(found.sources)
    ]
    sensors = [source.model.robot.sensors[at] for source in found.sources]
    part = k - sensing.mounted[at].place.start
    table = np.array([values, *changes]).T
    told = _delayed_readings(model.robot.sensors[at], sensors, part, found.time, table)
    return told[:, 0], told[:, 1:].T


def _ideal(sensing: Sensing, at: int, k: int, found: Sensitivity, j: int | None) -> np.ndarray:
    """Return reading k (N,), of the sensor `at`, before its low-pass; its change by parameter j as imaginary parts."""
    eye, run = sensing.mounted[at], found.run
    moved = None if j is None else (found.q[j], found.v[j], found.a[j])
    q = np.array(run.q, complex) if moved is None else perturb_configurations(found, moved[0])
    if eye.kind.order == 0 and not eye.kind.passes and len(eye.labels) == 1:
        row = _linear(eye, q[[0, len(q) // 2, -1]])
        if row is not None:
            return np.asarray(q @ row)
    v, a = (
        np.array(x, complex) if moved is None else x + 1j * STEP * s
        for x, s in zip((run.v, run.a), moved[1:] if moved else (0, 0))
    )
    return np.array([sensing(*state, only=[at])[k] for state in zip(q, v, a)])


def _linear(eye: Mounted, samples: np.ndarray) -> np.ndarray | None:
    """Return the row (nq,) of a gauge that reads a linear function of the configuration; None where it does not."""

    def read(q: np.ndarray) -> complex:
        return complex(np.squeeze(eye.read(Moment(q, q, None, np.zeros((0, 6))))))

    unit = np.eye(samples.shape[1], dtype=complex)
    row = np.array([read(each) for each in unit])
    same = all(abs(read(q) - q @ row) <= LINEAR * np.abs(q * row).sum() for q in samples)
    return row if same and read(0 * unit[0]) == 0 else None


def _delayed_readings(
    sensor: Sensor, changed: Sequence[Sensor], part: int, time: np.ndarray, table: np.ndarray
) -> np.ndarray:
    """Return values and derivatives (N, 1 + parameters) after the low-pass, the delay and the bias of the sensor.

    `changed` is the sensor for each parameter, its change as imaginary parts; `part` which of its numbers is read.
    """
    from scipy.interpolate import CubicSpline

    def changes(field: str) -> np.ndarray:
        each = [getattr(one, field) for one in changed]
        return np.array([np.imag(x[part] if isinstance(x, tuple) else x or 0.0) / STEP for x in each])

    if sensor.low_pass is not None:
        corner = 2 * np.pi * sensor.low_pass
        passed, moved = _low_pass(time, table, corner), changes("low_pass")
        if np.any(moved):
            by_corner = _low_pass(time, table[:, :1], corner + 1j * STEP).imag / STEP
            passed[:, 1:] += 2 * np.pi * by_corner * moved
        table = passed
    late = changes("delay")
    if sensor.delay or np.any(late):
        curves = CubicSpline(time, table)
        rate = np.where(time >= sensor.delay, curves(np.maximum(time - sensor.delay, 0.0), 1)[:, 0], 0.0)
        table = curves(np.maximum(time - sensor.delay, 0.0))
        table[:, 1:] -= rate[:, None] * late
    bias = sensor.bias[part] if isinstance(sensor.bias, tuple) else sensor.bias
    return table + np.array([bias, *changes("bias")])


def _low_pass(time: np.ndarray, table: np.ndarray, corner: complex) -> np.ndarray:
    """Return y' = w (u - y) from y(0) = u(0), for the cubic splines through the columns u (N, m)."""
    from scipy.interpolate import CubicSpline

    curves = CubicSpline(time, table)
    out = table.astype(np.result_type(table, corner))
    for k, (begin, end) in enumerate(pairwise(time)):
        count = int(np.clip(np.ceil(np.real(corner) * (end - begin)), 1, FASTEST))
        length = round((end - begin) / count, 12)  # equal but for rounding: weights are kept
        kept, weights = low_pass_weights(corner * length)
        y = out[k]
        for part in range(count):
            y = kept * y + weights @ curves(begin + (part + NODES) * length)
        out[k + 1] = y
    return out


def perturb_configurations(found: Sensitivity, s: np.ndarray) -> np.ndarray:
    """Return configurations (N, nq) with the changes s (N, nv) as imaginary parts."""
    model = found.run.model
    q = np.zeros((len(s), model.nq), complex)
    u = np.zeros(model.nv, complex)
    for at, change, out in zip(np.array(found.run.q, float), s, q):
        lay_tangent(model.struct, at, change, u, out)
    return q


def plain(model: Model) -> Model:
    """Return the model with complex numbers in place of real ones."""
    return model.with_arrays(complex_numbers(model))
