"""How far the joint of a loop is turned from how it is described, as angles that have no second zero.

A weld or a slide is off by the rotation vector of the second frame in the first; a joint with one axis by the rotation
that takes the axis back to itself; a thread by the angle between its turn and that which its slide asks for. Universal
joints, spherical joints and distances are assembled in one way only: their rows serve.
"""

from __future__ import annotations

import numpy as np

from lissom.dynamics.coordinates import along_coordinates
from lissom.dynamics.kinematic_loops.loop_kinematics import loop_poses
from lissom.dynamics.state_checks import Vector
from lissom.kernel.data.arrays import LoopRow
from lissom.lie import so3
from lissom.model.model import Model


def angles_off(model: Model, q: Vector) -> np.ndarray:
    """Return how far each loop's joint is turned from how it is described, rad, shape (loops,)."""
    out = []
    for k, pose in enumerate(np.real(loop_poses(model, q))):
        off = _off(model, k, pose)
        turned = 2 if _thread(model, k) is not None else len(off)
        out.append(max(np.linalg.norm(off[:turned]), np.abs(off[turned:]).max(initial=0.0)))
    return np.array(out)


def angle_rows(
    model: Model, q: Vector, turned: np.ndarray, gaps: Vector, G: np.ndarray | None = None
) -> tuple[Vector, np.ndarray]:
    """Return the gaps of the rows and their rates per unit of every velocity, angles in place of cosines in some loops.

    Parameters
    ----------
    turned : array
        Indices of the loops whose rows that compare axes are replaced.
    gaps : array
        (rows,) as of `loop_gaps`.
    G : array, optional
        (rows, nv) as of `loop_jacobian`; left out where rates are not wanted.
    """
    gaps, table = gaps.copy(), model.arrays.loops
    poses = np.real(loop_poses(model, q))
    rates = None if G is None else along_coordinates(model, q, lambda z: loop_poses(model, z))
    G = np.zeros((0, 0)) if G is None else G.copy()
    for k in turned:
        rows = np.arange(*table.rows[k])
        rows = rows[np.isin(table.hold[rows], (LoopRow.SQUARE, LoopRow.THREAD))]
        gaps[rows] = _off(model, k, poses[k])
        if rates is not None:
            G[rows] = _off_rates(model, k, poses[k], rates[k])
    return gaps, G


def _off(model: Model, k: int, pose: np.ndarray) -> np.ndarray:
    """Return by how much the axes of loop k are turned, a number for each of its rows that compares axes; else none."""
    axes, table = model.loops[k].kept_axes, model.arrays.loops
    R, p = pose[:, :3], pose[:, 3]
    if len(axes) == 3:
        return so3.log(R)
    if len(axes) == 0:
        return np.zeros(0)
    across = _across(model, k)
    off = across @ _turn_between(axes[0], R, across[0])
    thread = _thread(model, k)
    if thread is None:
        return off
    a, pace = np.real(table.a[thread]), np.real(table.pace[thread])
    side = np.cross(axes[0], a)
    turn = np.arctan2(side @ R @ a, a @ R @ a)
    apart = turn - pace * (axes[0] @ p)
    return np.append(off, np.arctan2(np.sin(apart), np.cos(apart)))


def _off_rates(model: Model, k: int, pose: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Return rates (rows, nv) of `_off`, right to first order in the angle across an axis.

    `rates` (3, 4, nv) are those of the pose; a frame that turns by omega has R' = [omega] R.
    """
    axes, table, R = model.loops[k].kept_axes, model.arrays.loops, pose[:, :3]
    omega = np.stack([so3.vee(rates[:, :3, j] @ R.T) for j in range(rates.shape[2])], axis=1)
    if len(axes) == 3:
        return so3.left_jacobian_inverse(so3.log(R)) @ omega
    axis = axes[0]
    turned = R @ axis
    out = _across(model, k) @ (omega - np.outer(turned, turned @ omega))
    thread = _thread(model, k)
    if thread is None:
        return out
    return np.vstack([out, axis @ omega - np.real(table.pace[thread]) * (axis @ rates[:, 3])])


def _turn_between(axis: np.ndarray, R: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Return the rotation vector that takes `axis` to where R has it; about `normal` where it is reversed."""
    turned = R @ axis
    about = np.cross(axis, turned)
    sine, cosine = np.linalg.norm(about), axis @ turned
    if sine < 1e-12:
        return np.zeros(3) if cosine > 0 else np.pi * normal
    return np.arctan2(sine, cosine) * about / sine


def _across(model: Model, k: int) -> np.ndarray:
    """Return unit vectors (2, 3) normal to the axis of loop k and to each other: of its rows that compare axes."""
    table = model.arrays.loops
    rows = np.arange(*table.rows[k])
    return np.real(table.a[rows[table.hold[rows] == LoopRow.SQUARE]])


def _thread(model: Model, k: int) -> int | None:
    """Return the row of loop k that couples turn and slide, if it has one."""
    table = model.arrays.loops
    return next((row for row in range(*table.rows[k]) if table.hold[row] == LoopRow.THREAD), None)
