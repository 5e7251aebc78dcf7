"""Motion of frames on links of the equivalent rigid-link system: of a rigid frame, and of a small displacement on it.

A place of a link moves with u = A q_r + shapes q_d, as the place of a joint does in the rows (7) of compatibility.
Where a loop holds two frames together, its row is the last one of (7) together with the closure of the rigid frames.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Pointer, Struct, inline, kernel
from lissom.kernel.maths.algebra import (
    add,
    compose,
    cross,
    matrix,
    rotate,
    rotate_back,
    scale,
    store_matrix,
    store_vector,
    subtract,
    vector,
)
from lissom.model.description.frame import Frame
from lissom.model.model import Model
from lissom.theory.connections.frame_kernel import FrameKernel, on_links
from lissom.theory.erls.build import place_on
from lissom.theory.erls.compiled.compatibility import accelerate
from lissom.theory.erls.compiled.coordinates import set_rates, set_second, settle
from lissom.theory.erls.compiled.dynamics import gather
from lissom.theory.erls.compiled.frames import exponential, outward
from lissom.theory.erls.system import System
from lissom.theory.screw_pairs import bracket, load_pair, store_pair, twist_at


class ErlsFrames(NamedTuple):
    """A chain of its own, the steps of its kinematics, and the places of frames."""

    tables: Any  # Struct of Tables
    work: Any  # Struct of Work
    settle: Any  # Pointers
    set_rates: Any
    set_second: Any
    accelerate: Any
    outward: Any
    coordinates: Any  # Struct: where they stand in those of a Model
    node: np.ndarray  # (f,) of each frame
    place: np.ndarray  # (f, 3) on the undeformed link
    shapes: np.ndarray  # (f, m, 6) its displacement per elastic coordinate
    a: np.ndarray  # (nv,) scratch


class Coordinates(NamedTuple):
    """Places of joint and elastic coordinates in q and v."""

    joint_q: np.ndarray
    joint_v: np.ndarray
    modes_q: np.ndarray
    modes_v: np.ndarray


def frame_kernel(
    model: Model, system: System, node: Mapping[str, int], coordinates: Coordinates, frames: Sequence[Frame]
) -> FrameKernel:
    """Return the kinematics of frames on the links of a chain."""
    own = System(system.chain)  # in memory of its own
    m = own.table.stiffness.shape[1]
    nodes, place = np.zeros(len(frames) + 1, int), np.zeros((len(frames) + 1, 3))
    shapes = np.zeros((len(frames) + 1, m, 6))
    for k, frame in on_links(frames):
        nodes[k] = node[frame.link]
        place[k], columns = place_on(model, model.robot.link(frame.link), frame.at)
        shapes[k, : columns.shape[1]] = columns.T
    structs, steps = own.structs, (settle, set_rates, set_second, accelerate, outward)
    pointers = {step.__name__: Pointer(step, *structs) for step in steps}
    memory = ErlsFrames(
        tables=structs[0],
        work=structs[1],
        **pointers,
        coordinates=Struct(coordinates),
        node=nodes,
        place=place,
        shapes=shapes,
        a=np.zeros(model.nv),
    )
    return FrameKernel(fill, Struct(memory))


@inline
def accelerate_frames(own):
    """Accelerations of rigid frames and modal coordinates for the coordinates' accelerations in own.a."""
    at, work = own.coordinates, own.work
    gather(own.tables, own.a, at.joint_v, at.modes_v, work.joint_second, work.q_second)
    own.set_second(own.tables, work)
    own.accelerate(own.tables, work)
    own.outward(own.tables, work)


@inline
def displacement(own, k, x):
    """Turn and displacement of the place of frame k by modal coordinates, or by their rates, in x (N, 6 + m)."""
    i = own.node[k]
    row = x[i]
    a, b = load_pair(row)
    b = add(b, cross(a, vector(own.place[k])))
    for j in range(own.tables.modes[i]):
        c, d = load_pair(own.shapes[k, j])
        a, b = add(a, scale(row[6 + j], c)), add(b, scale(row[6 + j], d))
    return a, b


@inline
def twist_rate(own, k, R, p):
    """Rate of the twist of the displaced section of frame k, whose pose on its rigid frame is (R, p).

    From V' = Ad(g^-1) V_0' + U' + ad(V) U with U = (turn', R^T shift').
    """
    i, work = own.node[k], own.work
    w, v = load_pair(work.V[i])
    dw, dv = load_pair(work.A[i])
    dw, dv = twist_at(R, p, dw, subtract(dv, cross(w, v)))
    turn, shift = displacement(own, k, work.q_rate)
    u = rotate_back(R, shift)
    w, v = twist_at(R, p, w, v)
    w, v = add(w, turn), add(v, u)
    a, b = bracket(w, v, turn, u)
    dw, dv = add(dw, a), add(dv, b)
    dturn, dshift = displacement(own, k, work.q_second)
    du = subtract(rotate_back(R, dshift), cross(turn, u))
    return (w, v), (add(dw, dturn), add(dv, du))


@inline
def local_pose(own, k):
    """Pose (R, p) of the displaced section on its rigid frame."""
    turn, shift = displacement(own, k, own.work.q)
    size = np.sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2])
    axis = scale(1.0 / (size + 1e-300), turn)
    R, _ = exponential(axis, (0.0, 0.0, 0.0), size)
    return R, add(vector(own.place[k]), shift)


@kernel
def fill(own, q, v, motion):
    """Compute pose, twist, drift and Jacobian of every frame.

    Equations: 001 (7).
    """
    at, work = own.coordinates, own.work
    gather(own.tables, q, at.joint_q, at.modes_q, work.joints, work.q)
    gather(own.tables, v, at.joint_v, at.modes_v, work.joint_rate, work.q_rate)
    own.settle(own.tables, work)
    own.set_rates(own.tables, work)
    n = own.a.shape[0]
    for j in range(n):
        own.a[j] = 0.0
    accelerate_frames(own)
    for k in range(1, motion.owner.shape[0]):
        if motion.owner[k] > 0:
            i = own.node[k]
            R, p = local_pose(own, k)
            turn = matrix(work.world_R[i])
            store_matrix(motion.R[k], compose(turn, R))
            store_vector(motion.p[k], add(vector(work.world_p[i]), rotate(turn, p)))
            twist, rate = twist_rate(own, k, R, p)
            store_pair(motion.V[k], twist[0], twist[1])
            store_pair(motion.drift[k], rate[0], rate[1])
    for j in range(n):
        own.a[j] = 1.0
        accelerate_frames(own)
        own.a[j] = 0.0
        for k in range(1, motion.owner.shape[0]):
            if motion.owner[k] > 0:
                R, p = local_pose(own, k)
                twist, rate = twist_rate(own, k, R, p)
                for r in range(3):
                    motion.J[k, r, j] = rate[0][r] - motion.drift[k, r]
                    motion.J[k, 3 + r, j] = rate[1][r] - motion.drift[k, 3 + r]
