"""Laws of joints on what encoders and tachometers tell, instead of on the state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lissom.control.laws.control_law import ControlLaw
from lissom.control.laws.sampled_control import Sampled
from lissom.dynamics.sensor_kinds import coordinates_of, kind_of
from lissom.errors import LissomError
from lissom.messages import suggestion
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.description.sensor import OnJoint, Sensor, as_sensors, sensor_problems
from lissom.model.model import Model


class SensorLaw:
    """A law as a function (t, readings): angles from encoders, rates from tachometers or from the last two angles."""

    def __init__(self, model: Model, law: ControlLaw, sensors: Sequence[OnJoint]) -> None:
        self.model, self.law = model, law
        angles, speeds = (_telling(sensors, what) for what in ("position", "velocity"))
        self._angles = {sensor.called: _on_q(model, sensor) for sensor in angles}
        self._rates = {sensor.called: _on_v(model, sensor) for sensor in speeds}
        told = {int(k) for at in self._rates.values() for k in at}
        pairs = {
            int(v): int(q) for sensor in angles for q, v in zip(_on_q(model, sensor), _on_v(model, sensor), strict=True)
        }
        self._differences = {v: q for v, q in pairs.items() if v not in told}
        self._check(law, {*pairs.values()}, {*pairs, *told})
        self.reset()

    def reset(self) -> None:
        """Forget the last angles: the arm then seems to rest."""
        self._last: tuple[float, np.ndarray] | None = None

    def __call__(self, t: float, readings: Mapping[str, Any]) -> np.ndarray:
        """Return generalised forces (nv,)."""
        q, v = self.model.neutral(), np.zeros(self.model.nv)
        for name, at in self._angles.items():
            q[at] = readings[name]
        for name, at in self._rates.items():
            v[at] = readings[name]
        if self._last is not None:
            before, angles = self._last
            for on_v, on_q in self._differences.items():
                v[on_v] = (q[on_q] - angles[on_q]) / (t - before)
        self._last = (t, q)
        return self.law(t, q, v)

    def _check(self, law: ControlLaw, angles: set[int], rates: set[int]) -> None:
        """Refuse a law that reads what no sensor tells."""
        needs: list[tuple[int, set[int], tuple[str, ...]]] = []
        for part in law.parts:
            twin_v = part.twin_v if part.kind.twin_rates else part.twin_v[:0]
            for k in (*part.measured_q[part.kp != 0], *part.twin_q):
                needs.append((int(k), angles, self.model.q_names))
            for k in (*part.measured_v[part.kd != 0], *twin_v):
                needs.append((int(k), rates, self.model.coordinates))
        missing = next((names[k] for k, known, names in needs if k not in known), None)
        if missing is not None:
            remedy = "name an encoder of it, on the side that is controlled"
            raise LissomError(f"none of them tells {missing}, which the law needs; {remedy}", ("sensors",))


def on_sensors(
    robot: AnyRobot, law: ControlLaw, sensors: Sequence[str | Sensor], rate: float = 1000.0, delay: float = 0.0
) -> Sampled:
    """Return a law of `pd` or `computed_torque`, sampled, on what encoders and tachometers tell.

    >>> control.on_sensors(robot, control.pd(robot, gains, reference), ["shoulder-angle", "elbow-angle"], rate=500)

    Parameters
    ----------
    sensors : sequence of str
        Names of sensors of the robot's file, or sensors that are also given to `simulate`. Rates of joints
        without a tachometer are differences of the encoder's readings from sample to sample.
    rate, delay : float
        Samples per second; seconds from a sample to its torque.
    """
    model = as_model(robot)
    if not isinstance(law, ControlLaw):
        raise LissomError("must be a law such as control.pd makes; a function reads sensors by Sampled", ("law",), law)
    chosen = joint_sensors(model, sensors)
    return Sampled(SensorLaw(model, law, chosen), rate, delay, tuple(sensor.called for sensor in chosen))


def chosen_sensors(model: Model, sensors: Any) -> tuple[Sensor, ...]:
    """Return sensors that a controller reads: of the robot's file by their names, others as they are."""
    several = [sensors] if isinstance(sensors, str | Sensor | dict) else sensors
    if not isinstance(several, list | tuple) or not several:
        raise LissomError("must be a list of sensors, or of their names in the robot's file", ("sensors",), sensors)
    known = {sensor.called: sensor for sensor in model.robot.sensors}
    for k, name in enumerate(several):
        if isinstance(name, str) and name not in known:
            remedy = suggestion(name, list(known)) if known else "the robot's file has none: give the sensor itself"
            raise LissomError(f"is not a sensor of {model.robot.name}; {remedy}", ("sensors", k), name)
    return as_sensors([known[one] if isinstance(one, str) else one for one in several])


def encoder_of(model: Model, sensors: Sequence[OnJoint], on_q: int, name: str) -> str:
    """Return which of some sensors tells one entry of q and nothing else; `name` is that of the coordinate."""
    for sensor in sensors:
        if kind_of(sensor).of_joint == "position" and _on_q(model, sensor).tolist() == [on_q]:
            return sensor.called
    remedy = "name an encoder of it, on the side that is controlled"
    raise LissomError(f"none of them tells {name} alone, which the controller needs; {remedy}", ("sensors",))


def joint_sensors(model: Model, sensors: Any) -> list[OnJoint]:
    """Return encoders and tachometers by their names or as they are; others are refused."""
    found: list[OnJoint] = []
    for k, sensor in enumerate(chosen_sensors(model, sensors)):
        if not kind_of(sensor).of_joint:
            text = f"is of type {sensor.kind}, and laws of joints read encoders and tachometers; name such"
            raise LissomError(text, ("sensors", k), sensor.called)
        assert isinstance(sensor, OnJoint), "what tells of a joint sits at one"
        found.append(sensor)
    for path, value, text in sensor_problems(model.robot, found):
        raise LissomError(text, path, value)
    return found


def _telling(sensors: Sequence[OnJoint], what: str) -> list[OnJoint]:
    return [sensor for sensor in sensors if kind_of(sensor).of_joint == what]


def _on_q(model: Model, sensor: OnJoint) -> np.ndarray:
    return np.arange(model.nq)[coordinates_of(model, sensor)[0]]


def _on_v(model: Model, sensor: OnJoint) -> np.ndarray:
    if model.robot.link(model.joint(sensor.joint).link).joint.kind.on_group:
        text = f"{sensor.called}: {sensor.joint!r} turns in space; laws of joints follow single angles and slides"
        raise LissomError(text, ("sensors",))
    return np.arange(model.nv)[coordinates_of(model, sensor)[1]]
