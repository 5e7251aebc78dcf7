"""Newton matrix of three stages at once, each at its own configuration, by one articulated pass, O(n).

    J_ab = M(q_a) delta_ab + C_ab D_a + E_ab K_a,    a, b = 1, 2, 3

M, D, K as in `articulated`; C = h A, E = h^2 A^2 of a Runge-Kutta method with the matrix A. Stages meet only where
D and K are, in the modes and turns of a body and in a joint; its twists in the three stages are 18 unknowns. Where an
arm moves much within a step, a matrix of one configuration for all stages is none: the mass matrix of a spatial chain
changes by more than itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.kernel.compile import inline
from lissom.kernel.data.arrays import ROW_WIDTH, Arrays, padded
from lissom.kernel.maths.algebra import matrix, vector
from lissom.kernel.maths.simd_rows import set_lanes

STAGES = 3
TWISTS = 18  # of a body in all stages


class Coupled(NamedTuple):
    """Factors of J. Unknowns of a body: the modes of stage 1, 2, 3, then the twists of stage 1, 2, 3.

    d is the largest number of a joint's coordinates, m that of a link's modes. What later solutions do not need lies in
    rooms that bodies take by turns: a long chain would not fit into the cache.
    """

    by_damping: np.ndarray  # (3, 3) C
    by_stiffness: np.ndarray  # (3, 3) E
    modes: np.ndarray  # (n, 3 m, 3 m + 18) rows of a body's modes, L and U, padded; unit L
    twists: np.ndarray  # (rooms, 18, 3 m + 18) scratch: rows of its twists, padded
    lower: np.ndarray  # (n, 18, 3 m) L of these, padded
    room: np.ndarray  # (n,) which of the rooms it has
    laid: np.ndarray  # (n,) 1 where its rows are there to add to
    modal_inverse: np.ndarray  # (n, 3 m) pivots of U, inverted
    articulated_inertia: np.ndarray  # (18, 18) scratch, padded
    lever: np.ndarray  # (n, 3, 6, m) motion of a body's frame per mode of its parent, own axes
    shift: np.ndarray  # (n, 3, 6, 6) and per twist of its parent, padded
    transformed_rows: np.ndarray  # (18, m) scratch: articulated inertia times lever
    carried_twist: np.ndarray  # (18, 6) scratch, padded: times shift
    axis: np.ndarray  # (n, d, 3, 6) joint axis k in each stage
    U: np.ndarray  # (n, d, 3, 18) articulated inertia times axis, by stage
    push: np.ndarray  # (n, d, 3, 18) axis times articulated inertia, padded
    D_inverse: np.ndarray  # (n, d, 3, 3) its pivot, inverted
    u: np.ndarray  # (n, d, 3) its right-hand side
    gear: np.ndarray  # (nr, 3, 3, 3) inverse of the rotor's pivot; force on the joint per rotor, on the rotor per joint
    load: np.ndarray  # (n, 3 m + 18) right-hand side of a body, padded
    motion: np.ndarray  # (n, 3 m + 18) solution
    x: np.ndarray  # (3, nv) right-hand side and solution


def make_coupled(model: Arrays) -> Coupled:
    """Make the memory for the factors of J in all stages."""
    n, nv, gears = len(model.tree.parent), len(model.velocities.prescribed), len(model.gears.rotor_v)
    # all bodies share the sizes of the largest: modes and twists of the three stages side by side
    m, d = int(model.tree.modes.max(initial=0)), int(model.joints.dofs.max(initial=0))
    size = STAGES * m + TWISTS
    room = rooms(model.tree.parent)

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape)

    return Coupled(
        by_damping=zeros(3, 3),
        by_stiffness=zeros(3, 3),
        modes=zeros(n, STAGES * m, padded(size + ROW_WIDTH)),
        twists=zeros(int(room.max()) + 1, TWISTS, padded(size + ROW_WIDTH)),
        lower=zeros(n, TWISTS, padded(STAGES * m)),
        room=room,
        laid=np.zeros(n, np.int64),
        modal_inverse=zeros(n, STAGES * m),
        articulated_inertia=zeros(TWISTS, padded(TWISTS)),
        lever=zeros(n, 3, 6, padded(m)),
        shift=zeros(n, 3, 6, 8),
        transformed_rows=zeros(TWISTS, padded(m)),
        carried_twist=zeros(TWISTS, 8),
        axis=zeros(n, d, 3, 6),
        U=zeros(n, d, 3, TWISTS),
        push=zeros(n, d, 3, padded(TWISTS)),
        D_inverse=zeros(n, d, 3, 3),
        u=zeros(n, d, 3),
        gear=zeros(gears, 3, 3, 3),
        load=zeros(n, padded(size + ROW_WIDTH)),
        motion=zeros(n, size),
        x=zeros(3, nv),
    )


def rooms(parent: np.ndarray) -> np.ndarray:
    """Return for each body (n,) a room from when its last child is eliminated until it is itself.

    In a chain all bodies have the same room.
    """
    room = np.full(len(parent), -1, np.int64)
    free: list[int] = []
    for i in range(len(parent) - 1, 0, -1):
        for body in (i, int(parent[i])):
            if body > 0 and room[body] < 0:
                room[body] = free.pop() if free else room.max() + 1
            if body == i:
                free.append(int(room[i]))
    return np.maximum(room, 0)


@inline
def assemble(model, coupled, i, first, second, third):
    """Write body i's rows, its joint axes and its motion by its parent; first, second, third: the stages' Local."""
    stages = (first, second, third)
    for a in range(STAGES):
        local = stages[a]
        own_rows(model, local, coupled, i, a)
        for k in range(model.joints.dofs[i]):
            for r in range(6):
                coupled.axis[i, k, a, r] = local.subspace[i, k, r]
        motion_by_parent(model, local, coupled, i, a)
    coupled.laid[i] = 1


@inline
def own_rows(model, local, coupled, i, a):
    """Write the rows of stage a of body i: modes, then twist."""
    m = model.tree.modes[i]
    J = coupled.modes[i]
    W = coupled.twists[coupled.room[i]]
    A = local.work.inertia[i]
    D = local.work.link_damping[i]
    K = local.work.link_stiffness[i]
    T = local.work.turn_stiffness[i]
    twists = STAGES * m
    own = twists + 6 * a
    # rows of the modes: damping and stiffness in all stages, inertia in this one
    for j in range(m):
        row = J[a * m + j]
        for b in range(STAGES):  # in order: lanes run over into the block of the next stage
            by = (coupled.by_damping[a, b], coupled.by_stiffness[a, b])
            for k in range(0, m, ROW_WIDTH):
                set_lanes(row[b * m :], k, by, (D[j], K[j]))
        for k in range(TWISTS):
            row[twists + k] = 0.0
        add_turns(row, twists, coupled.by_stiffness[a], T[j])
        for k in range(j):
            row[a * m + k] += A[k, j]
        for k in range(j, m):
            row[a * m + k] += A[j, k]
        for k in range(6):
            row[own + k] += A[j, m + k]
    # rows of the twist: stiffness against turns in all stages, inertia in this one
    for r in range(6):
        row = W[6 * a + r]
        for k in range(twists + TWISTS):
            row[k] = 0.0
        if r < 3:
            for b in range(STAGES):
                for j in range(m):
                    row[b * m + j] = coupled.by_stiffness[a, b] * T[j, r]
            add_turns(row, twists, coupled.by_stiffness[a], T[m + r])
        for j in range(m):
            row[a * m + j] += A[j, m + r]
        for k in range(r):
            row[own + k] += A[m + k, m + r]
        for k in range(r, 6):
            row[own + k] += A[m + r, m + k]


@inline
def add_turns(row, twists, by, turn):
    """Add the stiffness `turn` (3,) of one row, per turn of the body, for every stage."""
    for b in range(STAGES):
        for c in range(3):
            row[twists + 6 * b + c] += by[b] * turn[c]


@inline
def motion_by_parent(model, local, coupled, i, a):
    """Write `lever` and `shift` of body i in stage a: R^T reach, and R^T (omega, v + omega x p)."""
    m = model.tree.modes[model.tree.parent[i]]
    R = matrix(local.rotation[i])
    p = vector(local.position[i])
    reach = local.reach[i]
    lever = coupled.lever[i, a]
    shift = coupled.shift[i, a]
    for r in range(3):
        column = (R[0][r], R[1][r], R[2][r])
        for j in range(0, m, ROW_WIDTH):
            set_lanes(lever[r], j, column, (reach[0], reach[1], reach[2]))
            set_lanes(lever[3 + r], j, column, (reach[3], reach[4], reach[5]))
        for j in range(m, padded_modes(m)):
            lever[r, j] = 0.0
            lever[3 + r, j] = 0.0
        for k in range(3):
            shift[r, k] = column[k]
            shift[3 + r, 3 + k] = column[k]
        shift[3 + r, 0] = column[2] * p[1] - column[1] * p[2]
        shift[3 + r, 1] = column[0] * p[2] - column[2] * p[0]
        shift[3 + r, 2] = column[1] * p[0] - column[0] * p[1]


@inline
def padded_modes(m):
    """Return m rounded up to whole vector registers, as kernels can."""
    return m + (ROW_WIDTH - m % ROW_WIDTH) % ROW_WIDTH
