"""From a model to one of the same robot with other shape functions: states and controllers, carried over.

Joints and rotors keep their values. The deformation of a link is carried by its strains, exactly where the functions of
the one model are among those of the other, else in least squares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from lissom.beam import BeamLink
from lissom.beam.functions.quadrature import Quadrature
from lissom.control.laws.control_law import ControlLaw, JointLaw, Together
from lissom.control.laws.sampled_control import Sampled
from lissom.dynamics.coordinates import indices
from lissom.errors import LissomError
from lissom.model.model import Model

PANELS, POINTS = 12, 12  # of Gauss, at which strains are compared: more than the most functions need


def carried_state(old: Model, new: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the state of another model that is this one: configuration (nq,) and velocity (nv,)."""
    q_new, v_new = new.neutral(), np.zeros(new.nv)
    for mine, theirs in zip(old.bodies, new.bodies, strict=True):
        q_new[theirs.joint_q], v_new[theirs.joint_v] = q[mine.joint_q], v[mine.joint_v]
        if mine.rotor_q is not None:
            q_new[theirs.rotor_q], v_new[theirs.rotor_v] = q[mine.rotor_q], v[mine.rotor_v]
        if mine.modes_q.stop > mine.modes_q.start:
            change = _change_of_functions(old.flexible[mine.link], new.flexible[theirs.link])
            q_new[theirs.modes_q], v_new[theirs.modes_v] = change @ q[mine.modes_q], change @ v[mine.modes_v]
    return q_new, v_new


def carried_controller(old: Model, new: Model, controller: Any) -> Any:
    """Return a controller that does to the new model what it was built to do to the old one."""
    if old.nq == new.nq and old.nv == new.nv:
        return controller
    if controller is None:
        return None
    if isinstance(controller, ControlLaw):
        return ControlLaw(tuple(_carried_law(part, *_index_maps(old, new), new.nv) for part in controller.parts))
    if isinstance(controller, Together):
        law = carried_controller(old, new, controller.law)
        return Together(law, tuple(carried_controller(old, new, one) for one in controller.sampled))
    if isinstance(controller, Sampled):
        return replace(controller, function=_carried_function(controller.function, bool(controller.sensors), old, new))
    return _carried_function(controller, False, old, new)


def _carried_function(function: Callable[..., Any], reads_sensors: bool, old: Model, new: Model) -> Callable[..., Any]:
    """Return a function of (t, q, v), or of (t, readings), that was written for the model `old`, for the other."""
    at = _index_maps(old, new)[1]

    def forces(given: Any) -> Any:
        if isinstance(given, Mapping) or np.size(given) != old.nv:
            return given
        values, out = np.asarray(given), np.zeros(new.nv)
        for before, now in at.items():
            out[now] = values[before]
        return out

    def on_state(t: float, q: np.ndarray, v: np.ndarray) -> Any:
        return forces(function(t, *carried_state(new, old, q, v)))

    def on_readings(t: float, readings: Any) -> Any:
        return forces(function(t, readings))

    made: Any = on_readings if reads_sensors else on_state
    reset = getattr(function, "reset", None)
    if callable(reset):
        made.reset = reset
    return made


def _index_maps(old: Model, new: Model) -> tuple[dict[int, int], dict[int, int]]:
    """Return where the coordinates of joints and rotors of one model stand in another: in q and in v."""
    in_q: dict[int, int] = {}
    in_v: dict[int, int] = {}
    for mine, theirs in zip(old.bodies, new.bodies, strict=True):
        in_q |= dict(zip(indices(mine.joint_q), indices(theirs.joint_q)))
        in_v |= dict(zip(indices(mine.joint_v), indices(theirs.joint_v)))
        if mine.rotor_q is not None and theirs.rotor_q is not None:
            in_q[mine.rotor_q] = theirs.rotor_q
        if mine.rotor_v is not None and theirs.rotor_v is not None:
            in_v[mine.rotor_v] = theirs.rotor_v
    return in_q, in_v


def _carried_law(part: JointLaw, in_q: dict[int, int], in_v: dict[int, int], nv: int) -> JointLaw:
    """Return a law of joints with the places of their coordinates in another model."""

    def moved(index: np.ndarray, where: dict[int, int]) -> np.ndarray:
        if not set(index.tolist()) <= where.keys():
            raise LissomError("the control law reads coordinates of links, which other functions do not have")
        return np.array([where[k] for k in index.tolist()], np.int64)

    return replace(
        part,
        nv=nv,
        force=moved(part.force, in_v),
        measured_q=moved(part.measured_q, in_q),
        measured_v=moved(part.measured_v, in_v),
        twin_q=moved(part.twin_q, in_q),
        twin_v=moved(part.twin_v, in_v),
    )


@lru_cache(maxsize=256)
def _change_of_functions(old: Any, new: Any) -> np.ndarray:
    """Return the matrix (n_new, n_old) from coordinates of a link's functions to those of others."""
    if old is new:
        return np.eye(old.count)
    if not (isinstance(old, BeamLink) and isinstance(new, BeamLink)):
        if old.count == new.count:
            return np.eye(old.count)
        raise LissomError("the state of a link of finite elements cannot be carried to other modes")
    rule = Quadrature.cached(tuple(np.linspace(0.0, 1.0, PANELS + 1).tolist()), POINTS)
    weight = np.sqrt(rule.weights)[:, None, None]
    mine, theirs = (
        (weight * np.real(link.field.sections(link.field.fraction(rule.nodes * link.length)).strain))
        for link in (old, new)
    )
    mine, theirs = mine.reshape(-1, old.count), theirs.reshape(-1, new.count)
    scale = np.linalg.norm(theirs, axis=0)
    found: np.ndarray = np.linalg.lstsq(theirs / scale, mine, rcond=None)[0] / scale[:, None]
    return found
