"""Names to numbers: configurations, forces and coordinates as users write them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.state import Vector, integrate, vector
from lissom.errors import LissomError
from lissom.model.compiled import BodyNames, Model
from lissom.model.robot import Robot

STEP = 1e-40  # of complex-step derivatives

Named = Mapping[str, ArrayLike]


@dataclass(frozen=True)
class Part:
    """What a velocity coordinate belongs to."""

    coordinate: str
    link: str
    joint: str
    direction: str  # "joint", "rotor", or of a mode: "y", "z", "torsion", "axial"

    @property
    def label(self) -> str:
        """The elastic part in words; a joint and its rotor are one."""
        if self.direction in ("joint", "rotor"):
            return f"{self.joint} joint"
        return f"{self.link} bending {self.direction}" if self.direction in "yz" else f"{self.link} {self.direction}"


def parts(model: Model) -> tuple[Part, ...]:
    """The part of each velocity coordinate, in the order of `model.coordinates`."""
    out: list[Part | None] = [None] * model.nv
    for body in model.bodies:
        names = model.coordinates
        directions = ["joint"] * len(indices(body.joint_v))
        if body.link in model.beams:
            directions += model.beams[body.link].directions
        places = [*indices(body.joint_v), *indices(body.modes_v)]
        if body.rotor_v is not None:
            directions.append("rotor")
            places.append(body.rotor_v)
        for k, direction in zip(places, directions, strict=True):
            out[k] = Part(names[k], body.link, body.joint, direction)
    return tuple(part for part in out if part is not None)


def compiled(model: Model | Robot) -> Model:
    """The model itself, or that of a robot."""
    if isinstance(model, Robot):
        return model.compile()
    if not isinstance(model, Model):
        raise LissomError(f"expected a compiled model (robot.compile()) or a robot, got {type(model).__name__}")
    return model


def configuration(model: Model, q: ArrayLike | Named | None) -> Vector:
    """`q` as an array (nq,): neutral if None; from {joint or coordinate: value}, rotors following joints."""
    if q is not None and not isinstance(q, Mapping):
        return _checked(model, np.array(vector(model, q, "q", model.nq)))
    out = model.neutral()
    named = dict(q or {})
    for name, value in named.items():
        _place(out, _position_indices(model, name), name, value)
    for body in model.bodies:
        if body.rotor_q is not None and f"{body.joint}.rotor" not in named:
            out[body.rotor_q] = out[body.joint_q.start]
    return _checked(model, out)


def rates(model: Model, qd: ArrayLike | Named | None, name: str = "qd") -> Vector:
    """Velocities as an array (nv,): zero if None; from {joint or coordinate: value}."""
    if qd is not None and not isinstance(qd, Mapping):
        return _finite(vector(model, qd, name, model.nv).copy(), name, model.coordinates)
    out = np.zeros(model.nv)
    for key, value in dict(qd or {}).items():
        _place(out, velocity_indices(model, key), key, value)
    return _finite(out, name, model.coordinates)


def forces(model: Model, tau: ArrayLike | Named | None) -> Vector:
    """Forces as an array (nv,): zero if None; from {joint or coordinate: value}, joints meaning motors."""
    if tau is not None and not isinstance(tau, Mapping):
        return rates(model, tau, "tau")
    out = np.zeros(model.nv)
    for key, value in dict(tau or {}).items():
        _place(out, motor_indices(model, key), key, value)
    return _finite(out, "tau", model.coordinates)


def velocity_indices(model: Model, name: str) -> list[int]:
    """Where the coordinate of that name, or all those of a joint, stand in v."""
    if name in model.coordinates:
        return [model.coordinates.index(name)]
    body = _joint(model, name)
    if body is not None:
        return indices(body.joint_v)
    raise unknown(model, name, model.coordinates)


def motor_indices(model: Model, name: str) -> list[int]:
    """Where the motor of a joint acts (on its rotor if it has one), or the force on any other coordinate."""
    body = _joint(model, name)
    if body is not None:
        return indices(body.joint_v) if body.rotor_v is None else [body.rotor_v]
    return velocity_indices(model, name)


def indices(part: slice) -> list[int]:
    return list(range(part.start, part.stop))


def unknown(model: Model, name: Any, known: Iterable[str]) -> LissomError:
    """The error for a name that the model does not have."""
    from lissom.model.names import did_you_mean

    names = [*dict.fromkeys([*model.joints, *known])]
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return LissomError(f"{model.robot.name} has no coordinate {name!r}{did_you_mean(name, names)}; it has {shown}")


def without_gravity(model: Model) -> Model:
    """The same model in weightlessness."""
    arrays = model.arrays._replace(gravity=np.zeros_like(model.arrays.gravity))
    return Model(model.robot, arrays, model.beams, model.bodies)


def along_coordinates(model: Model, q: Vector, function: Callable[[Vector], np.ndarray]) -> np.ndarray:
    """Exact derivative of `function(q)` along velocity coordinates, shape (*result, nv), by complex step."""
    columns = []
    for k in range(model.nv):
        step = np.zeros(model.nv, np.complex128)
        step[k] = 1j * STEP
        columns.append(np.imag(function(integrate(model, q, step))) / STEP)
    return np.stack(columns, axis=-1)


def _joint(model: Model, name: str) -> BodyNames | None:
    return next((body for body in model.bodies if body.joint == name and indices(body.joint_v)), None)


def _position_indices(model: Model, name: str) -> list[int]:
    if name in model.q_names:
        return [model.q_names.index(name)]
    body = _joint(model, name)
    if body is not None:
        return indices(body.joint_q)
    raise unknown(model, name, model.q_names)


def _place(out: Vector, where: list[int], name: str, value: ArrayLike) -> None:
    numbers = np.asarray(value, float)
    if numbers.shape not in ((), (len(where),)) or (numbers.shape == () and len(where) > 1):
        raise LissomError(f"{name} = {value!r}: must be {len(where)} number{'s' * (len(where) > 1)}")
    out[where] = numbers


def _checked(model: Model, q: Vector) -> Vector:
    """`q` with finite entries and quaternions of unit length."""
    _finite(q, "q", model.q_names)
    for link, body in zip(model.robot.bodies, model.bodies, strict=True):
        if link.joint.type in ("spherical", "free"):
            turn = q[body.joint_q][:4]
            if not np.any(turn):
                raise LissomError(f"the quaternion of {body.joint} is zero; give (w, x, y, z) of unit length")
            turn /= np.linalg.norm(turn)
    return q


def _finite(values: Vector, what: str, names: tuple[str, ...]) -> Vector:
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise LissomError(f"{what} of {names[wrong[0]]} is {values[wrong[0]]}; give a finite number")
    return values
