"""Which coordinates a controller acts on, and values given by joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.control import argument_checks
from lissom.control.argument_checks import keys
from lissom.control.references.reference import Reference
from lissom.errors import Keys, LissomError
from lissom.messages import brief, did_you_mean, listed
from lissom.model.compilation.end_conditions import ON_CHORD
from lissom.model.model import BodyNames, Model
from lissom.model.schema.number_fields import kind_of, wrong_kind
from lissom.model.schema.units import FORCE, JointUnit

if TYPE_CHECKING:
    from lissom.model.actuators.actuator import Actuator


@dataclass(frozen=True)
class ControlledCoordinate:
    """One controlled coordinate: its name, where its motor acts, and where joint and motor are measured.

    Of an actuator the name is the actuator's, the force its command, and what is measured the joint that it follows.
    """

    name: str
    joint: str
    force: int
    joint_q: int
    joint_v: int
    motor_q: int
    motor_v: int
    command: str = ""  # the unit of an actuator's command


def channels(model: Model, names: Any, path: str | Keys, measured: bool = True) -> tuple[ControlledCoordinate, ...]:
    """Return coordinates of the named joints (or single ones such as `shoulder.2`), in the model's order.

    Parameters
    ----------
    measured : bool
        Whether an angle or a way is followed, which rules out rotations in space; forces alone may act there.
    """
    if isinstance(names, str) or not hasattr(names, "__iter__"):
        raise LissomError(f"must name joints; {_joints(model)}", keys(path), names)
    found: dict[int, ControlledCoordinate] = {}
    for name in names:
        for channel in _coordinates(model, name, path, measured):
            if not channel.command and model.robot.on_chord(link := model.joint(channel.joint).link):
                raise LissomError(ON_CHORD.format(link), keys(path), name)
            place = channel.force if channel.command else channel.joint_v
            if place in found:
                raise LissomError(f"{channel.name!r} is given twice; give it once", keys(path))
            found[place] = channel
    if not found:
        raise LissomError(f"no joints are given; {_joints(model)}", keys(path))
    return tuple(found[k] for k in sorted(found))


def by_channel(
    model: Model,
    selected: tuple[ControlledCoordinate, ...],
    values: Any,
    path: str | Keys,
    remedy: str,
    at_least: float | None = None,
    unit: JointUnit | None = None,
) -> np.ndarray:
    """Return one number per channel (na,), from a number or list, or from {joint: number or one per coordinate}."""
    if unit is not None:
        check_units(model, selected, values, unit, path)
    if not isinstance(values, Mapping):
        return argument_checks.numbers(values, path, remedy, len(selected), at_least=at_least)
    out = np.full(len(selected), np.nan)
    for name, value in values.items():
        index = indices(model, selected, name, path)
        out[index] = argument_checks.numbers(value, (*keys(path), name), remedy, len(index), at_least=at_least)
    require(selected, np.isfinite(out), path, remedy)
    return out


def check_units(
    model: Model, selected: Sequence[ControlledCoordinate], values: Any, unit: JointUnit, path: str | Keys
) -> None:
    """Refuse numbers that were written in a unit of the wrong kind: one for all channels, one each, or by joint."""
    given = values if isinstance(values, Mapping) else {None: values}
    for name, value in given.items():
        own = selected if name is None else _coordinates(model, name, path)
        if own[0].command:
            own_unit = JointUnit(own[0].command, own[0].command) if unit is FORCE else JointUnit("", "")
            if wrong_kind(value, own_unit, ["rad"]):
                wanted = own[0].command if unit is FORCE else "no unit"
                raise LissomError(f"has a unit of the wrong kind: this takes {wanted}", (*keys(path), name or 0), value)
            continue
        moved = [channel_unit(model, channel) for channel in own]
        several = isinstance(value, tuple | list) and len(value) != len(own)  # such as [lower, upper]
        texts = [wrong_kind(one, unit, moved) for one in (value if several else (value,))]
        if any(texts):
            raise LissomError(max(texts), (*keys(path), *([] if name is None else [name])), value)


def channel_unit(model: Model, channel: ControlledCoordinate) -> str:
    """Return what a coordinate is in, "rad" or "m"; what is no coordinate of the tree is a length."""
    if channel.joint_v < 0 or not channel.joint:
        return "m"
    body = model.joint(channel.joint)
    return model.robot.link(body.link).joint.kind.velocity_units[channel.joint_v - body.joint_v.start]


def reference_of(
    model: Model, selected: tuple[ControlledCoordinate, ...], value: Any, path: str | Keys = "reference"
) -> Reference:
    """Return one channel per coordinate, from a Reference, numbers, or {joint: Reference or numbers}."""
    n = len(selected)
    remedy = "give a Reference or numbers for " + listed([c.name for c in selected], "and")
    if isinstance(value, Mapping):
        parts: list[Reference | None] = [None] * n
        for name, part in value.items():
            index = indices(model, selected, name, path)
            one = _reference(part, (*keys(path), name), len(index), remedy)
            for k, at in enumerate(index):
                parts[at] = one.select(k)
        require(selected, np.array([p is not None for p in parts]), path, remedy)
        return Reference.stack([p for p in parts if p is not None])
    return _reference(value, path, n, remedy)


def indices(model: Model, selected: tuple[ControlledCoordinate, ...], name: Any, path: str | Keys) -> list[int]:
    """Return positions among `selected` of a joint's or a coordinate's channels."""
    wanted = {channel.name for channel in _coordinates(model, name, path)}
    index = [k for k, channel in enumerate(selected) if channel.name in wanted]
    if len(index) != len(wanted):
        known = listed([c.name for c in selected], "and")
        raise LissomError(f"{name!r} is not controlled; the controlled coordinates are {known}", keys(path))
    return index


def require(selected: tuple[ControlledCoordinate, ...], given: np.ndarray, path: str | Keys, remedy: str) -> None:
    """Refuse channels that were not given a value."""
    missing = [channel.name for channel, has in zip(selected, given) if not has]
    if missing:
        raise LissomError(f"nothing for {listed(missing, 'and')}; {remedy}", keys(path))


def _reference(value: Any, path: str | Keys, n: int, remedy: str) -> Reference:
    if not isinstance(value, Reference):
        return Reference.constant(argument_checks.numbers(value, path, remedy, n))
    if value.channels != n:
        raise LissomError(f"has {value.channels} channels, not {n}; {remedy}", keys(path))
    return value


def _coordinates(model: Model, name: Any, path: str | Keys, measured: bool = False) -> list[ControlledCoordinate]:
    for body in model.bodies:
        labels = body.v_names[: body.joint_v.stop - body.joint_v.start]
        if name == body.joint or name in labels:
            _check(model, body, name, path, measured)
            picked = range(len(labels)) if name == body.joint else [labels.index(name)]
            return [_channel(body, labels[k], k) for k in picked]
    for own, actuator in zip(model.states, model.robot.drives):
        if name == own.actuator and own.command is not None:
            return [_actuator_channel(model, own.command, actuator, measured, path)]
    known = [body.joint for body in model.bodies if body.joint_v.stop > body.joint_v.start]
    known += [own.actuator for own in model.states if own.command is not None]
    shown = f"{name!r}" if isinstance(name, str) else f"{brief(name)} ({kind_of(name)})"
    hint = did_you_mean(name, known)
    raise LissomError(f"{model.robot.name} has no joint {shown}{hint}; {_joints(model)}", keys(path))


def _check(model: Model, body: BodyNames, name: str, path: str | Keys, measured: bool) -> None:
    joint = model.robot.link(body.link).joint
    if joint.nv == 0:
        raise LissomError(f"{name!r} is a fixed joint; {_joints(model)}", keys(path))
    if measured and joint.kind.on_group:
        raise LissomError(
            f"{name!r} is a {joint.type} joint, whose rotation is not a single angle; "
            "control it by a function of (t, q, v), see Sampled",
            keys(path),
        )
    if np.any(model.arrays.velocities.prescribed[body.motor_v]):
        raise LissomError(f"the motion of {name!r} is prescribed; no controller can act on it", keys(path))


def _channel(body: BodyNames, name: str, k: int) -> ControlledCoordinate:
    q, v = body.joint_q.start + k, body.joint_v.start + k
    motor_q = q if body.rotor_q is None else body.rotor_q
    motor_v = v if body.rotor_v is None else body.rotor_v
    return ControlledCoordinate(name, body.joint, motor_v, q, v, motor_q, motor_v)


def _actuator_channel(
    model: Model, command: int, actuator: Actuator, measured: bool, path: str | Keys
) -> ControlledCoordinate:
    """Return the channel of an actuator's command; what a law measures is the joint that it works on or follows."""
    unit = command_unit(model, command)
    joint = actuator.followed()
    if not joint:
        if measured:
            text = f"{actuator.name!r} works on no joint that could be measured; give it `follows: JOINT` in the robot"
            raise LissomError(text, keys(path), actuator.name)
        return ControlledCoordinate(actuator.name, "", command, 0, command, 0, command, unit)
    of = _coordinates(model, joint, path, measured)[0]
    return ControlledCoordinate(actuator.name, of.joint, command, of.joint_q, of.joint_v, of.motor_q, of.motor_v, unit)


def command_unit(model: Model, at: int) -> str:
    """Return the unit of the command that goes to the state at this place in v."""
    for own in model.states:
        if own.first <= at < own.first + len(own.states):
            state = own.states[at - own.first]
            return state.command_unit or state.unit
    return ""


def _joints(model: Model) -> str:
    movable = [body.joint for body in model.bodies if body.joint_v.stop > body.joint_v.start]
    return f"its joints are {listed(movable, 'and')}" if movable else "it has no joint that moves"
