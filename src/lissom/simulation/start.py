"""Where a run starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lissom.errors import LissomError
from lissom.model.compiled import Model


def start_state(model: Model, start: Any) -> tuple[np.ndarray, np.ndarray]:
    """Configuration (nq,) and velocity (nv,) of a start.

    Args:
        start: None (all zero, at rest), an array q (nq,), a pair (q, qd), or a mapping from joint, coordinate or link
            names to values; names ending in ".rate" set velocities ("elbow.rate": 0.1). Rotors of elastic joints start
            at their joint's angle unless they are named themselves.
    """
    if start is None:
        start = {}
    if isinstance(start, Mapping):
        return _named(model, start)
    if isinstance(start, tuple) and len(start) == 2:
        q, v = (np.array(part, float) for part in start)
    else:
        q, v = np.array(start, float), np.zeros(model.nv)
    for name, value, size in (("q", q, model.nq), ("qd", v, model.nv)):
        if value.shape != (size,):
            raise LissomError(f"start: {name} must have shape ({size},), got {value.shape}")
        if not np.all(np.isfinite(value)):
            raise LissomError(f"start: {name} holds {value[~np.isfinite(value)][0]}; every entry must be finite")
    return _unit_quaternions(model, q), v


def _named(model: Model, start: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    q, v = model.neutral(), np.zeros(model.nv)
    named_rotors = {name for name in start if name.endswith(".rotor")}
    for name, value in start.items():
        values = np.atleast_1d(np.asarray(value, float))
        base = name.removesuffix(".rate")
        target, where = _place(model, base, rate=base != name)
        into = v if base != name else q
        if values.shape != into[where].shape or not np.all(np.isfinite(values)):
            raise LissomError(f"start: {target} takes {into[where].size} finite number(s), got {value}")
        into[where] = values
    for body in model.bodies:
        if body.rotor_q is not None and f"{body.joint}.rotor" not in named_rotors:
            q[body.rotor_q] = q[body.joint_q.start]
            v[body.rotor_v] = v[body.joint_v.start]
    return _unit_quaternions(model, q), v


def _place(model: Model, name: str, rate: bool) -> tuple[str, slice]:
    """Coordinates that `name` means: one of them, a whole joint, or all modes of a link."""
    names = model.coordinates if rate else model.q_names
    for body in model.bodies:
        if name == body.joint and (body.joint_v if rate else body.joint_q) != slice(0, 0):
            here = body.joint_v if rate else body.joint_q
            if here.stop > here.start:
                return f"joint {name}", here
        if name == body.link and body.modes_q.stop > body.modes_q.start:
            return f"link {name} (modes)", body.modes_v if rate else body.modes_q
    if name in names:
        return name, slice(names.index(name), names.index(name) + 1)
    from lissom.model.names import did_you_mean

    known = [*dict.fromkeys([*model.joints, *names])]
    raise LissomError(f"start: {name!r} is no joint or coordinate{did_you_mean(name, known)}")


def _unit_quaternions(model: Model, q: np.ndarray) -> np.ndarray:
    for link, body in zip(model.robot.bodies, model.bodies, strict=True):
        if link.joint.type in ("spherical", "free"):
            part = q[body.joint_q][:4]
            norm = np.linalg.norm(part)
            if not norm > 0:
                raise LissomError(f"start: the quaternion of {body.joint} must not be zero")
            part /= norm
    return q
