"""Memory of the analytical derivatives: one column for each velocity coordinate.

Columns are numbered along the tree, those of a body before those of all that it carries: what a body moves is a range
of columns, and vector registers go over it. Where a branch begins, and before and after the modes of a link, columns
are left out up to a whole register (`kernel.maths.simd_rows`), so that no register reaches into another branch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.kernel.compile import inline
from lissom.kernel.data.aligned_memory import on_lines
from lissom.kernel.data.arrays import Arrays, padded

# rows of `carried`, each with a column for every coordinate outward: wrenches (torque, force) and the forces beside
BY_MOTION, BY_PLACE, BY_RATE, BY_SPIN, CARRIED = 0, 6, 12, 18, 21
# rows of a coordinate's motion: displacement; by the coordinate: spin, acceleration; by its rate: acceleration
SHIFT, SPIN, ACCEL, ACCEL_BY_RATE, MOTION = 0, 6, 9, 15, 21


class DerivativeColumns(NamedTuple):
    """Places of the columns, and memory of the recursion, whose columns they are."""

    begin: np.ndarray  # (n,) first column of a body's joint
    modes: np.ndarray  # (n,) first column of its modes
    end: np.ndarray  # (n,) end of the columns of all that it carries
    even: np.ndarray  # (n,) which half of `carried` its columns are in: 1 and 0 by turns along a branch
    column: np.ndarray  # (nv,) of a velocity coordinate
    in_order: np.ndarray  # (nv,) velocity coordinates in the order of their columns
    ordered: np.ndarray  # (nv,) their columns
    outward: np.ndarray  # (columns,) where the columns begin whose forces `place_outward` and `rate_outward` hold
    last: np.ndarray  # (columns,) end of the columns of all that the column's coordinate moves
    mass: np.ndarray  # (n,) of a body and all that it carries; the rest likewise, about its origin in its axes
    moment: np.ndarray  # (n, 3) first moment of mass
    inertia: np.ndarray  # (n, 3, 3)
    momentum: np.ndarray  # (n, 3) P of (6), relative to the origin's velocity
    swirl: np.ndarray  # (n, 3, 3) Q of (6)
    carried: np.ndarray  # (2, CARRIED, columns)
    motion: np.ndarray  # (6, MOTION) of the coordinates of a joint
    by_place: np.ndarray  # (columns, columns) derivatives of forces by coordinates outward; in the end by all
    by_rate: np.ndarray
    by_acceleration: np.ndarray
    place_outward: np.ndarray  # (columns, columns) row k: derivatives by coordinate k of the forces outward
    rate_outward: np.ndarray
    section: np.ndarray  # (MOTION + 12, modes) motion of a section per mode of its link, and scratch
    pulled: np.ndarray  # (CARRIED, modes) what follows from it for the forces of what the section carries
    beside: np.ndarray  # (6, modes) scratch
    rates: np.ndarray  # (modes, 12) scratch: couplings with the rates of the modes
    drifts: np.ndarray  # (modes, 12) scratch: with their accelerations
    joint: np.ndarray  # (4, nv) stiffness and damping of joints, of gears


def make_columns(model: Arrays) -> DerivativeColumns:
    """Lay out the columns of a model and make the memory."""
    tree = model.tree
    n, nv, m = len(tree.parent), len(model.velocities.prescribed), model.inertia.modal_mass.shape[1]
    begin, modes, end, even = (np.zeros(n, np.int64) for _ in range(4))
    column = np.zeros(nv, np.int64)
    at = 0

    def place(first: int, count: int) -> None:
        nonlocal at
        column[first : first + count] = np.arange(at, at + count)
        at += count

    # outward along each branch; a body is met again when all that it carries has its columns
    carried: list[list[int]] = [[] for _ in range(n)]
    for i in range(1, n):
        if tree.frame[i] == 0:
            carried[tree.parent[i]].append(i)
    ahead = [(i, False, True) for i in reversed(carried[0])]
    while ahead:
        i, met, branches = ahead.pop()
        if met:
            end[i] = at
            continue
        at = padded(at) if branches else at
        begin[i], even[i] = at, 1 - even[tree.parent[i]]
        place(tree.joint_v[i], model.joints.dofs[i])
        modes[i] = at
        if tree.modes[i]:
            modes[i] = at = padded(at)
            place(tree.modes_v[i], tree.modes[i])
            at = padded(at)
        ahead.append((i, True, False))
        ahead += [(child, False, k > 0) for k, child in reversed(list(enumerate(carried[i])))]
    # rotors of gears and states of actuators move nothing beyond themselves: their columns stand last
    at = padded(at)
    for alone in (*model.gears.rotor_v, *model.actuators.state_v):
        place(alone, 1)

    # where the columns outward of each begin, and where those of its branch end: rows are summed between the two
    size = padded(at)
    outward, last = np.zeros((2, size), np.int64)
    outward[column] = last[column] = column + 1
    for i in range(1, n):
        joint = slice(begin[i], begin[i] + model.joints.dofs[i])
        bent = slice(modes[i], modes[i] + tree.modes[i])
        last[joint], last[bent] = end[i], end[i]
        outward[joint], outward[bent] = np.arange(joint.start, joint.stop), padded(bent.stop)

    in_order = np.argsort(column)

    def zeros(*shape: int) -> np.ndarray:
        return on_lines(*shape, number=np.float64)

    return DerivativeColumns(
        begin, modes, end, even, column, in_order, column[in_order], outward, last,
        mass=zeros(n), moment=zeros(n, 3), inertia=zeros(n, 3, 3), momentum=zeros(n, 3), swirl=zeros(n, 3, 3),
        carried=zeros(2, CARRIED, size), motion=zeros(6, MOTION),
        by_place=zeros(size, size), by_rate=zeros(size, size), by_acceleration=zeros(size, size),
        place_outward=zeros(size, size), rate_outward=zeros(size, size),
        section=zeros(MOTION + 12, m), pulled=zeros(CARRIED, m), beside=zeros(6, m),
        rates=zeros(m, 12), drifts=zeros(m, 12), joint=zeros(4, nv),
    )  # fmt: skip


@inline
def clear(columns):
    """Clear what the recursion adds to; columns left out are so never anything but zero."""
    size = columns.last.shape[0]
    for row in range(size):
        for k in range(size):
            columns.by_place[row, k] = 0.0
            columns.by_rate[row, k] = 0.0
            columns.by_acceleration[row, k] = 0.0
    for row in range(CARRIED):
        for k in range(size):
            columns.carried[0, row, k] = 0.0
            columns.carried[1, row, k] = 0.0
    for i in range(columns.mass.shape[0]):
        columns.mass[i] = 0.0
        for a in range(3):
            columns.moment[i, a] = 0.0
            columns.momentum[i, a] = 0.0
            for b in range(3):
                columns.inertia[i, a, b] = 0.0
                columns.swirl[i, a, b] = 0.0
