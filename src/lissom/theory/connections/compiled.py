"""Equations of motion of a tree with what joins its frames, for any formulation of the tree.

With the twists J v of frames by the formulation's own kinematics, what acts on them is J^T W. Loops hold rows of the
relative motion of two frames, G a = right, and prescribed joints rows of their own. The multipliers follow from one
solution of the tree for each row:

    a = a_0 + A lam,    A_r = M^-1 G_r^T,    (G A) lam = right - G a_0.

Laws of springs, ropes, cylinders and contacts, and what the joint of a loop holds of two frames' relative pose, are
those of the kernel. They see a model of frames alone, whose poses and twists are the formulation's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import inline, kernel
from lissom.kernel.constraints.constraint_solve import add_columns, factorise_rows, solve_rows
from lissom.kernel.constraints.loop_constraints import loop_accelerations, relative_pose, row_wrench
from lissom.kernel.forces.external_forces import sum_external_forces
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
    vector,
)
from lissom.simulation.equations.dense_lu import largest
from lissom.theory.screw_pairs import load_pair, store_pair, twist_at


class ConnectionMemory(NamedTuple):
    """Equations of a tree, kinematics of its frames, and what joins them; f frames with the world, r rows held."""

    tree: Any  # Struct: the model of the tree
    own: Any  # Hidden: memory of its equations
    inverse: Any  # Pointers
    forward: Any
    none: np.ndarray  # (links + 1, 6) zeros: external wrenches of the tree
    fill: Any  # Pointer to a FrameKernel
    fill_own: Any  # Hidden: its memory
    motion: Any  # Struct: FrameMotion
    frames: Any  # Struct: the model of frames alone
    work: Any  # Struct: its workspace
    acting: np.ndarray  # (f, 6) wrenches given on the frames
    force: np.ndarray  # (nv,) generalised forces of what acts on them
    total: np.ndarray  # (nv,) and of the motors
    bias: np.ndarray  # (nv,)
    still: np.ndarray  # (nv,) zeros
    driven: np.ndarray  # (d,) prescribed coordinates
    given: np.ndarray  # (loop rows, 3) what the rows of loops are to be in time
    G: np.ndarray  # (r, nv) rows of loops, then of prescribed coordinates
    right: np.ndarray  # (r,)
    alone: np.ndarray  # (nv,) accelerations of the tree
    schur: Any  # Struct: Schur


@inline
def place_frames(own):
    """Put poses, twists and drifts of all frames where the kernel's laws read them; J becomes that of the frames."""
    motion, work = own.motion, own.work
    for k in range(1, motion.owner.shape[0]):
        R = matrix(motion.R[k])
        Q, d = matrix(motion.offset_R[k]), vector(motion.offset_p[k])
        store_matrix(work.rotation[k], compose(R, Q))
        store_vector(work.position[k], add(vector(motion.p[k]), rotate(R, d)))
        if motion.owner[k] > 0:
            a, b = load_pair(motion.V[k])
            omega, velocity = twist_at(Q, d, a, b)
            a, b = load_pair(motion.drift[k])
            a, b = twist_at(Q, d, a, b)
            store_vector(work.omega[k], omega)
            store_vector(work.velocity[k], velocity)
            store_pair(work.acceleration[k], a, add(b, cross(omega, velocity)))
            for j in range(motion.J.shape[2]):
                t = (motion.J[k, 0, j], motion.J[k, 1, j], motion.J[k, 2, j])
                s = (motion.J[k, 3, j], motion.J[k, 4, j], motion.J[k, 5, j])
                t, s = twist_at(Q, d, t, s)
                for r in range(3):
                    motion.J[k, r, j] = t[r]
                    motion.J[k, 3 + r, j] = s[r]


@inline
def add_projected(J, torque, force, out):
    """Add J^T of a wrench to out (nv,)."""
    for j in range(out.shape[0]):
        out[j] += (
            J[0, j] * torque[0]
            + J[1, j] * torque[1]
            + J[2, j] * torque[2]
            + J[3, j] * force[0]
            + J[4, j] * force[1]
            + J[5, j] * force[2]
        )


@kernel
def act(model, own, q, v, wrench):
    """Compute own.force, what loads, elements and contacts do in the coordinates; frames are then in place."""
    own.fill(own.fill_own, q, v, own.motion)
    place_frames(own)
    count = own.acting.shape[0]
    for k in range(count):
        for r in range(6):
            own.acting[k, r] = wrench[wrench.shape[0] - count + k, r] if k > 0 else 0.0
    sum_external_forces(own.frames, own.work, q, v, own.acting)
    for j in range(own.force.shape[0]):
        own.force[j] = 0.0
    for k in range(1, count):
        if own.motion.owner[k] > 0:
            torque, force = load_pair(own.work.load[k])
            add_projected(own.motion.J[k], torque, force, own.force)


@inline
def held_rows(own, a):
    """Compute G and right: rows of the loops, then those of prescribed coordinates, whose accelerations are in a."""
    frames, work, loops = own.frames, own.work, own.frames.loops
    for row in range(own.G.shape[0]):
        for j in range(own.G.shape[1]):
            own.G[row, j] = 0.0
    for loop in range(loops.first.shape[0]):
        R, p = relative_pose(frames, work, loop)
        i, j = loops.first[loop], loops.second[loop]
        for row in range(loops.rows[loop, 0], loops.rows[loop, 1]):
            torque, force = row_wrench(loops, row, R, p, 0.0)
            add_projected(own.motion.J[j], rotate_back(R, torque), rotate_back(R, force), own.G[row])
            moment = add(torque, cross(p, force))
            add_projected(own.motion.J[i], scale(-1.0, moment), scale(-1.0, force), own.G[row])
    loop_accelerations(frames, work, own.still, own.given, own.right)
    held = own.right.shape[0] - own.driven.shape[0]
    for row in range(held):
        own.right[row] = -own.right[row]
    for k in range(own.driven.shape[0]):
        own.G[held + k, own.driven[k]] = 1.0
        own.right[held + k] = a[own.driven[k]]


@kernel
def inverse(model, own, q, v, a, wrench, tau):
    """Compute the motors' forces tau (nv,) that produce the accelerations a beside what acts on the frames."""
    act(model, own, q, v, wrench)
    own.inverse(own.tree, own.own, q, v, a, own.none, tau)
    for k in range(tau.shape[0]):
        tau[k] -= own.force[k]


@kernel
def forward(model, own, q, v, tau, wrench, a):
    """Accelerations a (nv,) under the motors' forces tau, loops held; those of prescribed coordinates are given."""
    act(model, own, q, v, wrench)
    for k in range(a.shape[0]):
        own.total[k] = tau[k] + own.force[k]
    own.forward(own.tree, own.own, q, v, own.total, own.none, own.alone)
    if own.right.shape[0] > 0:
        held_rows(own, a)
        # forces along a row as large as those that act, so that rounding does not grow in the difference
        own.inverse(own.tree, own.own, q, v, own.still, own.none, own.bias)
        size = 1.0 + max(largest(own.bias), largest(own.total))
        for row in range(own.G.shape[0]):
            for k in range(a.shape[0]):
                own.bias[k] = own.total[k] + size * own.G[row, k]
            column = own.schur.columns[row]
            own.forward(own.tree, own.own, q, v, own.bias, own.none, column)
            for k in range(a.shape[0]):
                column[k] = (column[k] - own.alone[k]) / size
        factorise_rows(own.schur, own.G)
        for row in range(own.G.shape[0]):
            total = own.right[row]
            for k in range(a.shape[0]):
                total -= own.G[row, k] * own.alone[k]
            own.schur.x[row] = total
        solve_rows(own.schur)
        add_columns(own.schur, own.alone)
    for k in range(a.shape[0]):
        a[k] = own.alone[k]
    held = own.right.shape[0] - own.driven.shape[0]
    for k in range(own.driven.shape[0]):
        a[own.driven[k]] = own.right[held + k]
