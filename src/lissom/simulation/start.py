"""Where a run starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lissom.analysis.statics import Equilibrium, Hold, static_equilibrium
from lissom.control.reference import Reference
from lissom.dynamics.coordinates import configuration, indices, rates
from lissom.errors import LissomError, within
from lissom.messages import did_you_mean
from lissom.model.angles import doubt_degrees
from lissom.model.compiled import Model

RATE = ".rate"
EQUILIBRIUM = "equilibrium"  # the word for a start at rest, every joint held where it is neutral
HELD: Hold = "joints"
REMEDY = f"write {EQUILIBRIUM}, or start values by joint such as {{elbow: 0.5}}"


def start_state(
    model: Model, start: Any, motion: Mapping[str, Reference] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Configuration (nq,) and velocity (nv,) of a start.

    Args:
        start: None (all zero, at rest), an array q (nq,), a pair (q, v), or a mapping from joint, coordinate or link
            names to values; names ending in ".rate" set velocities ("elbow.rate": 0.1). Rotors of elastic joints start
            at their joint's angle unless they are named themselves. Or "equilibrium": joints at zero, links bent and
            elastic joints wound by the weight; or an `Equilibrium`.
        motion: prescribed joints, {joint: Reference}; an equilibrium has them where their motion begins.
    """
    if isinstance(start, str):
        if start != EQUILIBRIUM:
            raise LissomError(f"is unknown{did_you_mean(start, [EQUILIBRIUM])}; {REMEDY}", ("start",), start)
        return settled(model, configuration(model), HELD, motion), np.zeros(model.nv)
    if isinstance(start, Equilibrium):
        start = start.q
    if start is None or isinstance(start, Mapping):
        named = {str(name): value for name, value in (start or {}).items()}
        moving = {name.removesuffix(RATE): named.pop(name) for name in tuple(named) if name.endswith(RATE)}
        q, v = configuration(model, named, "start"), rates(model, moving, "start")
    else:
        first, second = start if isinstance(start, tuple) and len(start) == 2 else (start, None)
        with within("start"):
            q, v = configuration(model, first, "q"), rates(model, second, "v")
    for array in (q, v):
        if np.iscomplexobj(array):
            raise LissomError("must hold real numbers; a run cannot start at complex ones", ("start",), start)
    if isinstance(start, Mapping):
        for body in model.bodies:
            for k, name in zip(indices(body.joint_q), body.q_names):
                doubt_degrees(model, k, float(q[k]), ("start", name))
    return q, v


def settled(model: Model, q: np.ndarray, hold: Hold, motion: Mapping[str, Reference] | None = None) -> np.ndarray:
    """The configuration (nq,) of rest near `q` with some coordinates held, prescribed joints where they begin."""
    q = q.copy()
    for joint, reference in (motion or {}).items():
        q[model.body(joint).joint_q] = reference(0.0)[0]
    with within("hold"):
        return static_equilibrium(model, q, hold=hold).q
