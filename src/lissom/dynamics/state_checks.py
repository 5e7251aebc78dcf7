"""Checking and handling of states."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, isfinite
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import LissomError
from lissom.kernel.maths.chart import TURN_MOST, move
from lissom.lie import quaternion
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model

Vector = np.ndarray
FLOAT = np.dtype(np.float64)
Wrenches = Mapping[str, ArrayLike]
TWO_TURNS = 4 * np.pi  # rad
PARTS = ceil(TWO_TURNS / TURN_MOST)  # of such a turn


class NotFinite(LissomError):
    """A result with infinities or NaN in it."""


def vector(model: Model, value: ArrayLike | Mapping[str, Any], name: str, size: int) -> Vector:
    """Return `value` as a contiguous float64 or complex128 array of `size` entries, or a clear error."""
    if is_plain(value, size):
        return value
    array = np.ascontiguousarray(_array(value, name))
    if array.shape != (size,):
        if isinstance(value, Mapping):
            maker = "configuration" if name == "q" else "forces" if name == "tau" else "rates"
            text = f"must be an array; make it by name with lissom.dynamics.{maker}(model, {{...}})"
            raise LissomError(text, (name,), value)
        names = model.q_names if size == model.nq else model.coordinates
        raise LissomError(
            f"must have shape ({size},) for {model.robot.name}, got {array.shape}; its entries are "
            + ", ".join(names[:12])
            + (", ..." if size > 12 else ""),
            (name,),
        )
    return array if array.dtype in (np.float64, np.complex128) else numbers(array, name)


def is_plain(value: object, size: int) -> TypeGuard[Vector]:
    """Return whether a value is an array of that many real numbers side by side: nothing to convert."""
    return type(value) is np.ndarray and value.dtype is FLOAT and value.shape == (size,) and value.flags.c_contiguous


def all_finite(values: np.ndarray) -> bool:
    """Return whether all numbers are finite."""
    if values.dtype is FLOAT and values.flags.c_contiguous:
        flat = values.reshape(-1)
        square = float(flat.dot(flat))  # takes a third of the time; it may overflow, but never hides anything
        if isfinite(square):
            return True
    return bool(np.isfinite(values).all())


def numbers(value: ArrayLike, name: str) -> np.ndarray:
    """Return `value` as a float64 or complex128 array, or a clear error."""
    array = _array(value, name)
    try:
        return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)
    except (TypeError, ValueError, OverflowError):
        raise LissomError(f"{name} must hold numbers, got {array.ravel()[:3].tolist()}") from None


def _array(value: ArrayLike | Mapping[str, Any], name: str) -> np.ndarray:
    try:
        return np.asarray(value)
    except ValueError:
        raise LissomError("must be an array of numbers, its rows of one length", (name,), value) from None


def finite(model: Model, function: str, values: np.ndarray, **inputs: np.ndarray) -> np.ndarray:
    """Return `values` (nv, ...) of `function`, or raise an error that names the coordinate that is not a number.

    Parameters
    ----------
    inputs : array
        The state that was given, (nq,) or (nv,) each: the cause if one of them is not finite itself.
    """
    if not all_finite(values):
        for field, given in inputs.items():
            names = model.q_names if field == "q" else model.coordinates
            for name, number in zip(names, given.tolist()):
                if not isfinite(abs(number)):
                    raise NotFinite(f"{field} of {name} is {number}; give a finite number")
        where = np.argwhere(~np.isfinite(values))[0]
        name = model.coordinates[where[0]] if len(values) == model.nv else model.robot.name
        raise NotFinite(
            f"{function}: no finite number for {name} at this state; a value of the robot or of the state is too large "
            "or too small for floating-point numbers"
        )
    return values


def number_type(model: Model, *arrays: np.ndarray, wrenches: Wrenches | None = None) -> Any:
    """Return complex128 as soon as the model, an array or a wrench is complex, else float64."""
    if wrenches is None and model.arrays.inertia.mass.dtype is FLOAT and all(x.dtype is FLOAT for x in arrays):
        return np.float64
    loads = wrenches.values() if isinstance(wrenches, Mapping) else ()
    is_complex = np.iscomplexobj(model.arrays.inertia.mass) or any(map(np.iscomplexobj, (*arrays, *loads)))
    return np.complex128 if is_complex else np.float64


def body_wrenches(model: Model, wrenches: Wrenches | None, number: Any) -> np.ndarray:
    """Return external wrenches by link name, (torque, force) at its origin in its axes, as rows (bodies + 1, 6).

    Numbers in place of names are rows of frames, such as those of loads, whose axes the model knows.
    """
    rows = np.zeros((model.rows, 6), number)
    if wrenches is None:
        return rows
    if not isinstance(wrenches, Mapping):
        raise LissomError(
            "must be a mapping from link name to (torque, force), 6 numbers each", ("wrenches",), wrenches
        )
    named: Mapping[Any, ArrayLike] = wrenches
    for link, wrench in named.items():
        rows[link if isinstance(link, int) else model.row(link)] = wrench_vector(wrench, f"wrench on {link}")
    return rows


def wrench_vector(value: ArrayLike, name: str) -> Vector:
    """Return (torque, force) as an array (6,), or a clear error."""
    array = numbers(value, name)
    if array.shape != (6,):
        raise LissomError(f"{name} must be (torque, force), 6 numbers, got shape {array.shape}")
    return array


class Driven(NamedTuple):
    """A state and what drives it, checked and of one number type: arguments of forward dynamics."""

    q: Vector
    v: Vector
    tau: Vector
    wrenches: np.ndarray  # (rows, 6)
    a: Vector  # of prescribed joints


def driven(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None,
    wrenches: Wrenches | None,
    a: ArrayLike | None,
) -> Driven:
    """Return arguments of `forward_dynamics` as kernels take them; what is not given is zero."""
    nothing = np.zeros(model.nv)
    vectors = [
        vector(model, q, "q", model.nq),
        vector(model, v, "v", model.nv),
        vector(model, nothing if tau is None else tau, "tau", model.nv),
        vector(model, nothing if a is None else a, "a", model.nv),
    ]
    number = number_type(model, *vectors, wrenches=wrenches)
    *state, given = vectors
    q, v, tau = (each.astype(number, copy=False) for each in state)
    return Driven(q, v, tau, body_wrenches(model, wrenches, number), given.astype(number))


def integrate(robot: AnyRobot, q: ArrayLike, step: ArrayLike) -> Vector:
    """Return `q` moved along the velocity-like `step` (nv,); quaternions move on the group and keep unit length."""
    model = as_model(robot)
    q, step = vector(model, q, "q", model.nq), vector(model, step, "step", model.nv)
    number = np.result_type(q, step)
    velocities = model.arrays.velocities
    turns = [slice(k, k + 3) for k in np.flatnonzero(velocities.group_axis == 0)]
    u, parts = step.astype(number), 1
    for turn in turns:
        angle = np.sqrt(u[turn] @ u[turn])
        if abs(angle.real) > TURN_MOST:
            u[turn] *= 1.0 - np.trunc(angle.real / TWO_TURNS) * TWO_TURNS / angle  # which lead back to the same q
            parts = PARTS
    turning = (velocities.group_axis >= 0) & (velocities.group_axis < 3)
    u[turning] /= parts
    out = np.empty(model.nq, number)
    move(model.struct, q.astype(number, copy=False), u, out)
    u[~turning] = 0.0  # done already
    for _ in range(parts - 1):
        move(model.struct, out.copy(), u, out)
    for turn in turns:
        at = velocities.coordinate[turn.start]
        out[at : at + 4] = quaternion.normalise(out[at : at + 4])
    return out
