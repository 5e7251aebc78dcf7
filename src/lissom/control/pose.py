"""Configurations given by joint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lissom.control import checks
from lissom.errors import LissomError
from lissom.model.compiled import Model
from lissom.model.names import did_you_mean, listed


def pose(model: Model, q: Any = None, field: str = "q") -> np.ndarray:
    """A configuration (nq,): from an array of that shape, from {joint or coordinate: value(s)}, or neutral.

    Values of a joint with an elastic transmission go to its rotor too, unless that is given by its own name.
    """
    out = model.neutral()
    if q is None:
        return out
    if not isinstance(q, Mapping):
        array = np.asarray(q)
        if array.shape != (model.nq,) or array.dtype.kind not in "fiu":
            raise LissomError(
                f"{field}: must be {model.nq} numbers in the order of model.q_names, or {{joint: value}}; "
                f"got shape {array.shape}"
            )
        return checks.numbers(array, field, "give finite numbers", model.nq)
    slots = {body.joint: body.joint_q for body in model.bodies}
    slots |= {name: slice(k, k + 1) for k, name in enumerate(model.q_names)}
    rotors = {body.joint: body.rotor_q for body in model.bodies if body.rotor_q is not None}
    for name, value in q.items():
        if name not in slots:
            known = [body.joint for body in model.bodies if body.joint_q.stop > body.joint_q.start]
            raise LissomError(
                f"{field}: {model.robot.name} has no joint {name!r}{did_you_mean(name, slots)}; "
                f"its joints are {listed(known, 'and')}"
            )
        where = slots[name]
        size = where.stop - where.start
        remedy = "give the coordinate in rad or metres" if size == 1 else f"give {size} values"
        out[where] = checks.numbers(value, f"{field}.{name}", remedy, size)
        if name in rotors and f"{name}.rotor" not in q:
            out[rotors[name]] = out[where][0]
    return out
