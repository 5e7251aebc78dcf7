"""Where a run starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.control.references.reference import Reference
from lissom.dynamics.coordinates import configuration, indices, rates, velocity_indices
from lissom.dynamics.kinematic_loops.loop_closing import NEAR, closed_configuration, closed_velocity
from lissom.errors import LissomError, within
from lissom.messages import did_you_mean
from lissom.model.angle_warnings import doubt_degrees
from lissom.model.model import Model

if TYPE_CHECKING:
    from lissom.analysis.equilibrium.held_coordinates import Hold
    from lissom.simulation.inputs.loads import ActiveLoads

RATE = ".rate"
EQUILIBRIUM = "equilibrium"  # the word for a start at rest, every joint held where it is neutral
HELD: Hold = "joints"
REMEDY = f"write {EQUILIBRIUM}, or start values by joint such as {{elbow: 0.5}}"


def start_state(
    model: Model,
    start: Any,
    motion: Mapping[str, Reference] | None = None,
    driven: Mapping[str, Reference] | None = None,
    loads: ActiveLoads | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return configuration (nq,) and velocity (nv,) of a start, with all loops closed.

    Parameters
    ----------
    start : mapping, array_like, tuple, Equilibrium or str, optional
        None (all zero, at rest), an array q (nq,), a pair (q, v), or a mapping from joint, coordinate or link names
        to values; names ending in ".rate" set velocities ("elbow.rate": 0.1), names of states those of actuators
        ("motor.current": 2). Rotors of elastic joints start at
        their joint's angle unless they are named themselves. Where loops are to be closed, named joints and rates
        are kept and the rest is found; a name ending in ".near" says where a joint is about ("elbow.near"). Or
        "equilibrium": joints at zero, links bent and elastic joints wound by the weight; or an `Equilibrium`.
    motion : mapping of str to Reference, optional
        Prescribed joints, {joint: Reference}; an equilibrium has them where their motion begins.
    driven : mapping of str to Reference, optional
        Loops whose distance is given in time, {loop: Reference}.
    loads : ActiveLoads, optional
        What acts on the model, which has their frames: an equilibrium is that under those at t = 0.
    """
    if isinstance(start, str):
        if start != EQUILIBRIUM:
            raise LissomError(f"is unknown{did_you_mean(start, [EQUILIBRIUM])}; {REMEDY}", ("start",), start)
        return find_rest(model, configuration(model), HELD, motion, driven, loads), np.zeros(model.nv)
    if isinstance(getattr(start, "q", None), np.ndarray):  # an Equilibrium
        start = start.q
    keep: tuple[set[int], set[int]] = set(), set()
    if start is None or isinstance(start, Mapping):
        named = {str(name): value for name, value in (start or {}).items()}
        moving, near = (
            {name.removesuffix(end): named.pop(name) for name in tuple(named) if name.endswith(end)}
            for end in (RATE, NEAR)
        )
        of_states = {name for own in model.states for name in own.names}
        moving |= {name: named.pop(name) for name in tuple(named) if name in of_states}
        q, v = configuration(model, near | named, "start"), rates(model, moving, "start")
        if model.loops:
            keep = _coordinates(model, named), _coordinates(model, moving)
    else:
        first, second = start if isinstance(start, tuple) and len(start) == 2 else (start, None)
        with within("start"):
            q, v = configuration(model, first, "q"), rates(model, second, "v")
    for array in (q, v):
        if np.iscomplexobj(array):
            raise LissomError("must hold real numbers; a run cannot start at complex ones", ("start",), start)
    if start is None or isinstance(start, Mapping):
        _put_motors(model, motion, start or {}, q, v)
    if isinstance(start, Mapping):
        for body in model.bodies:
            for k, name in zip(indices(body.joint_q), body.q_names):
                doubt_degrees(model, k, float(q[k]), ("start", name))
    return _close_loops(model, q, v, keep, motion, driven or {}) if model.loops else (q, v)


def _coordinates(model: Model, named: Mapping[str, Any]) -> set[int]:
    return {k for name in named for k in velocity_indices(model, name)}


def _close_loops(
    model: Model,
    q: np.ndarray,
    v: np.ndarray,
    keep: tuple[set[int], set[int]],
    motion: Mapping[str, Reference] | None,
    driven: Mapping[str, Reference],
) -> tuple[np.ndarray, np.ndarray]:
    """Return the state near (q, v) at which loops are closed, prescribed joints and distances where they begin."""
    _put_prescribed(model, motion, q, v)
    with within("start"):
        q = closed_configuration(model, q, keep[0], lengths_at_start(driven))
        given = np.zeros(len(model.arrays.loops.hold))
        for k, loop in enumerate(model.loops):
            if loop.name in driven:
                given[model.arrays.loops.rows[k, 0]] = float(np.squeeze(driven[loop.name](0.0)[1]))
        return q, closed_velocity(model, q, v, keep[1], given)


def _put_motors(
    model: Model, motion: Mapping[str, Reference] | None, named: Mapping[str, Any], q: np.ndarray, v: np.ndarray
) -> None:
    """Put into q and v how joints begin whose motors behind elastic gears follow a motion, unless they are named."""
    for joint, reference in (motion or {}).items():
        body = model.joint(joint)
        if body.rotor_q is not None:
            value, rate, _ = reference(0.0)
            q[body.motor_q], v[body.motor_v] = value, rate
            if not {joint, joint + NEAR} & set(named):
                q[body.joint_q] = value
            if joint + RATE not in named:
                v[body.joint_v] = rate


def _put_prescribed(model: Model, motion: Mapping[str, Reference] | None, q: np.ndarray, v: np.ndarray) -> None:
    """Put into q and v how prescribed joints begin."""
    for joint, reference in (motion or {}).items():
        body = model.joint(joint)
        value, rate, _ = reference(0.0)
        if model.robot.link(body.link).joint.kind.on_group:
            from lissom.control.schema.pose_motions import pose_state

            value, rate = pose_state(value, rate)
        q[body.motor_q], v[body.motor_v] = value, rate


def lengths_at_start(driven: Mapping[str, Reference] | None) -> dict[str, float]:
    """Return the distance of each driven loop where its motion begins."""
    return {name: float(np.squeeze(reference(0.0)[0])) for name, reference in (driven or {}).items()}


def find_rest(
    model: Model,
    q: np.ndarray,
    hold: Hold,
    motion: Mapping[str, Reference] | None = None,
    driven: Mapping[str, Reference] | None = None,
    loads: ActiveLoads | None = None,
) -> np.ndarray:
    """Return the configuration (nq,) of rest near `q`, some coordinates held, prescribed joints where they begin.

    Parameters
    ----------
    model : Model
        With the rows of payloads, which weigh what they do at the start, and of `loads`, as of t = 0.
    """
    from lissom.analysis.equilibrium.statics import static_equilibrium

    q = q.copy()
    _put_prescribed(model, motion, q, np.zeros(model.nv))
    with within("hold"):
        acting: dict[Any, Any] = {} if loads is None else loads.at_start(q, np.zeros(model.nv))
        return static_equilibrium(model, q, hold=hold, wrenches=acting, lengths=lengths_at_start(driven)).q
