"""Checking and handling of states."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import LissomError
from lissom.lie import quaternion
from lissom.model.compiled import Model

Vector = np.ndarray
Wrenches = Mapping[str, ArrayLike]


def vector(model: Model, value: ArrayLike, name: str, size: int) -> Vector:
    """`value` as a contiguous float64 or complex128 array of `size` entries, or a clear error."""
    array = np.ascontiguousarray(value)
    if array.shape != (size,):
        names = model.q_names if name == "q" else model.coordinates
        raise LissomError(
            f"{name} must have shape ({size},) for {model.robot.name}, got {array.shape}; its entries are "
            + ", ".join(names[:12])
            + (", ..." if size > 12 else "")
        )
    if array.dtype not in (np.float64, np.complex128):
        array = array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)
    return array


def number_type(model: Model, *arrays: np.ndarray) -> type:
    """complex128 as soon as the model or an array is complex, else float64."""
    return (
        np.complex128
        if np.iscomplexobj(model.arrays.mass) or any(map(np.iscomplexobj, arrays))
        else np.float64
    )


def body_wrenches(model: Model, wrenches: Wrenches | None, number: type) -> np.ndarray:
    """External wrenches by link name, (torque, force) at the link's origin in its axes, as rows (bodies + 1, 6)."""
    rows = np.zeros((len(model.bodies) + 1, 6), number)
    for link, wrench in (wrenches or {}).items():
        value = np.asarray(wrench)
        if value.shape != (6,):
            raise LissomError(f"wrench on {link} must be (torque, force), 6 numbers, got shape {value.shape}")
        rows[model.row(link)] = value
    return rows


def integrate(model: Model, q: ArrayLike, step: ArrayLike) -> Vector:
    """`q` moved along the velocity-like `step` (nv,); quaternions move on the group, so they keep unit length."""
    q, step = vector(model, q, "q", model.nq), vector(model, step, "step", model.nv)
    out = np.empty(model.nq, np.result_type(q, step))
    for link, body in zip(model.robot.bodies, model.bodies, strict=True):
        joint_q, joint_v = q[body.joint_q], step[body.joint_v]
        if link.joint.type in ("spherical", "free"):
            turned = quaternion.integrate(joint_q[:4], joint_v[:3])
            out[body.joint_q] = np.concatenate([turned, joint_q[4:]])
            if link.joint.type == "free":
                out[body.joint_q][4:] += quaternion.to_matrix(joint_q[:4]) @ joint_v[3:]
        else:
            out[body.joint_q] = joint_q + joint_v
        out[body.modes_q] = q[body.modes_q] + step[body.modes_v]
        if body.rotor_q is not None:
            out[body.rotor_q] = q[body.rotor_q] + step[body.rotor_v]
    return out
