"""Names to numbers: configurations, velocities, forces and coordinates as users write them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.state_checks import Vector, integrate, numbers, vector
from lissom.errors import LissomError, within
from lissom.kernel.algorithms.complex_step import STEP
from lissom.messages import did_you_mean
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import BodyNames, Model
from lissom.model.schema.number_fields import WrittenNumber, wrong_kind
from lissom.model.schema.units import FORCE, POSITION, RATE, JointUnit

Named = Mapping[str, ArrayLike]
FARTHEST = 1e9  # rad or m: beyond, neighbouring numbers are more than 1e-7 apart


def configuration(robot: AnyRobot, q: ArrayLike | Named | None = None, field: str = "q") -> Vector:
    """Return `q` as an array (nq,): neutral if None; from {joint, coordinate, or link for its modes: value or values}.

    The rotor of an elastic joint stands where the joint does unless it is named itself. Quaternions get unit length.
    """
    model = as_model(robot)
    if q is not None and not isinstance(q, Mapping):
        return _check_configuration(model, _array(model, q, model.q_names, field), field)
    named = q or {}
    out = _place_values(
        model.neutral(), named, lambda name: _position_indices(model, name), field, _Units(model, POSITION)
    )
    for body in _led_rotors(model, named):
        out[body.rotor_q] = out[body.joint_q.start]
    return _check_configuration(model, out, field)


def rates(robot: AnyRobot, v: ArrayLike | Named | None = None, field: str = "v") -> Vector:
    """Return velocities as an array (nv,): zero if None; by name as in `configuration`."""
    model = as_model(robot)
    if v is not None and not isinstance(v, Mapping):
        return _array(model, v, model.coordinates, field)
    named = v or {}
    out = _place_values(
        np.zeros(model.nv), named, lambda name: velocity_indices(model, name), field, _Units(model, RATE)
    )
    for body in _led_rotors(model, named):
        out[body.rotor_v] = out[body.joint_v.start]
    return out


def forces(robot: AnyRobot, tau: ArrayLike | Named | None = None, field: str = "tau") -> Vector:
    """Return forces as an array (nv,): zero if None; by name, where a joint means its motor."""
    model = as_model(robot)
    if tau is not None and not isinstance(tau, Mapping):
        return _array(model, tau, model.coordinates, field)
    return _place_values(
        np.zeros(model.nv), tau or {}, lambda name: motor_indices(model, name), field, _Units(model, FORCE)
    )


def velocity_indices(model: Model, name: str) -> list[int]:
    """Return where the coordinate of that name, all those of a joint, or all modes of a link stand in v."""
    if name in model.coordinates:
        return [model.coordinates.index(name)]
    if (body := _joint(model, name)) is not None:
        return indices(body.joint_v)
    if (body := _flexible(model, name)) is not None:
        return indices(body.modes_v)
    raise _unknown(model, name, model.coordinates)


def motor_indices(model: Model, name: str) -> list[int]:
    """Return where the motor of a joint acts (on its rotor if it has one), or the force on any other coordinate.

    Of an actuator it is the command.
    """
    for own in model.states:
        if name == own.actuator and own.command is not None:
            return [own.command]
    body = _joint(model, name)
    if body is not None:
        return indices(body.joint_v) if body.rotor_v is None else [body.rotor_v]
    return velocity_indices(model, name)


def indices(part: slice) -> list[int]:
    """Return the indices of a slice."""
    return list(range(part.start, part.stop))


def along_coordinates(
    model: Model, q: Vector, function: Callable[[Vector], np.ndarray], along: Iterable[int] | None = None
) -> np.ndarray:
    """Return exact derivative of `function(q)` along velocity coordinates, shape (*result, nv), by complex step.

    `along` are the indices of those that are wanted, in the order of the columns; all unless given.
    """
    columns = []
    for k in range(model.nv) if along is None else along:
        step = np.zeros(model.nv, np.complex128)
        step[k] = 1j * STEP
        columns.append(np.imag(function(integrate(model, q, step))) / STEP)
    return np.stack(columns, axis=-1)


def _position_indices(model: Model, name: str) -> list[int]:
    if name in model.q_names:
        return [model.q_names.index(name)]
    if (body := _joint(model, name)) is not None:
        return indices(body.joint_q)
    if (body := _flexible(model, name)) is not None:
        return indices(body.modes_q)
    raise _unknown(model, name, model.q_names)


def _joint(model: Model, name: str) -> BodyNames | None:
    return next((body for body in model.bodies if body.joint == name and indices(body.joint_v)), None)


def _flexible(model: Model, name: str) -> BodyNames | None:
    return next((body for body in model.bodies if body.link == name and indices(body.modes_v)), None)


def _led_rotors(model: Model, named: Named) -> list[BodyNames]:
    """Return bodies whose rotors are not named, so that their joints lead them."""
    return [body for body in model.bodies if body.rotor_q is not None and f"{body.joint}.rotor" not in named]


def _unknown(model: Model, name: str, known: Iterable[str]) -> LissomError:
    names = [*dict.fromkeys([*model.joints, *known])]
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    hint = did_you_mean(name, names)
    return LissomError(f"{model.robot.name} has no joint or coordinate {name!r}{hint}; it has {shown}")


def _array(model: Model, values: ArrayLike, names: tuple[str, ...], field: str) -> Vector:
    """Return a copy of `values` as an array with one finite number per name."""
    out = np.array(vector(model, values, field, len(names)))
    wrong = np.flatnonzero(~np.isfinite(out))
    if len(wrong):
        raise LissomError("must be a finite number", (field, names[wrong[0]]), out[wrong[0]])
    return out


class _Units(NamedTuple):
    """What numbers by name are in."""

    model: Model
    unit: JointUnit

    def problem(self, index: list[int], value: Any) -> str:
        """Return what is wrong with the unit of a value for `index`; "" if nothing is, or it is of modes."""
        moved: dict[int, str] = {}
        for body in self.model.bodies:
            kind = self.model.robot.link(body.link).joint.kind
            at, names, rotor = (
                (body.joint_q, kind.position_units, body.rotor_q)
                if self.unit is POSITION
                else (body.joint_v, kind.velocity_units, body.rotor_v)
            )
            moved |= dict(zip(indices(at), names, strict=True))
            if rotor is not None:
                moved[rotor] = names[0]
        return wrong_kind(value, self.unit, [moved[k] for k in index]) if all(k in moved for k in index) else ""


def _place_values(out: Vector, named: Named, where: Callable[[str], list[int]], field: str, units: _Units) -> Vector:
    """Return `out` with the named values in their places."""
    for name, value in named.items():
        with within(field):
            index = where(name)
        size = len(index)
        written = any(isinstance(one, WrittenNumber) for one in (value if isinstance(value, tuple) else (value,)))
        if written and (text := units.problem(index, value)):
            raise LissomError(text, (field, name), value)
        with within(field, name):
            given = np.atleast_1d(numbers(value, "it"))
        if given.shape != (size,) or not np.all(np.isfinite(given)):
            raise LissomError(f"takes {size} finite number{'s' * (size > 1)}", (field, name), value)
        if np.iscomplexobj(given):
            out = out.astype(np.complex128)
        out[index] = given
    return out


def _check_configuration(model: Model, q: Vector, field: str) -> Vector:
    """`q` with quaternions of unit length, no coordinate farther than numbers can tell places apart."""
    if model.nq > model.moving:
        _make_unit_quaternions(model, q, field)
    far = np.flatnonzero(np.abs(q) > FARTHEST)
    if len(far):
        text = f"is so large that small motions are lost in rounding; give {FARTHEST:g} at most"
        raise LissomError(text, (field, model.q_names[far[0]]), q[far[0]])
    return q


def _make_unit_quaternions(model: Model, q: Vector, field: str) -> None:
    for link, body in zip(model.robot.bodies, model.bodies, strict=True):
        if link.joint.kind.on_group:
            turn = q[body.joint_q][:4]
            if not np.any(turn):
                raise LissomError("its quaternion is zero; give (w, x, y, z) of unit length", (field, body.joint))
            if not 1e-100 < np.linalg.norm(turn) < 1e100:  # whose square may be no number
                turn /= np.abs(turn).max()
            turn /= np.linalg.norm(turn)
