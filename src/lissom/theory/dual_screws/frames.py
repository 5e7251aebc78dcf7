"""Motion of frames on links, by the projection matrices of massless bodies that are fixed there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Struct, inline, kernel
from lissom.kernel.maths.algebra import (
    add,
    compose,
    cross,
    identity,
    matrix,
    rotate,
    rotate_back,
    store_matrix,
    store_vector,
    subtract,
    vector,
)
from lissom.model.description.frame import Frame
from lissom.model.model import Model
from lissom.theory.connections.frame_kernel import FrameKernel, sections
from lissom.theory.dual_screws.motion import motion as motion_of
from lissom.theory.dual_screws.orders import LINEAR, NONLINEAR, PRINTED, dual_state, summed_motion


class DualScrewFrames(NamedTuple):
    """A model with massless bodies on the sections of frames."""

    model: Any  # Struct
    links: np.ndarray  # (1,) rows before them


def frame_kernel(model: Model, frames: Sequence[Frame], form: int) -> FrameKernel:
    """Return the kinematics of frames in one of the forms of `orders`."""
    extended = model.with_loads(sections(frames), [False] * len(frames))
    own = DualScrewFrames(extended.struct, np.array([len(model.bodies)]))
    return FrameKernel(FILL[form], Struct(own))


@inline
def write(own, q, v, moving, out):
    """Compute what `out` holds of a motion; poses are those where the coordinates put the sections."""
    model, count = own.model, own.model.tree.parent.shape[0]
    whole = motion_of(model, q, v, False)
    for i in range(1, out.owner.shape[0]):
        row = own.links[0] + i
        if out.owner[i] > 0 and row < count:
            R, p, up = matrix(whole.R[row]), vector(whole.p[row]), model.tree.parent[row]
            while up > 0:
                Q = matrix(whole.R[up])
                p = add(vector(whole.p[up]), rotate(Q, p))
                R = compose(Q, R)
                up = model.tree.parent[up]
            store_matrix(out.R[i], R)
            store_vector(out.p[i], p)
            for r in range(6):
                total = 0.0
                for k in range(v.shape[0]):
                    out.J[i, r, k] = moving.P[row, r, k]
                    total += moving.P[row, r, k] * v[k]
                out.V[i, r] = total
            # gamma holds the acceleration of the origin, and the weight that acts there, in the axes of this motion
            weight, up = vector(model.gravity), row
            turn = identity(0.0)
            while up > 0:
                turn = compose(matrix(moving.R[up]), turn)
                up = model.tree.parent[up]
            drift = add(vector(moving.gamma[row, 3:6]), rotate_back(turn, weight))
            drift = subtract(drift, cross(vector(out.V[i, 0:3]), vector(out.V[i, 3:6])))
            store_vector(out.drift[i, 0:3], vector(moving.gamma[row, 0:3]))
            store_vector(out.drift[i, 3:6], drift)


@kernel
def fill_nonlinear(own, q, v, motion):
    """Compute the motion of frames with all orders kept."""
    write(own, q, v, motion_of(own.model, q, v, False), motion)


@inline
def fill_dual(own, q, v, form, motion):
    """Compute the motion of frames to first order, as `form` cuts it."""
    qh, vh = dual_state(own.model, q, v, form)
    write(own, q, v, summed_motion(motion_of(own.model, qh, vh, form == PRINTED)), motion)


@kernel
def fill_linear(own, q, v, motion):
    """Compute the motion of frames to first order of the deflection.

    Equations: 000 (84)-(85).
    """
    fill_dual(own, q, v, LINEAR, motion)


@kernel
def fill_printed(own, q, v, motion):
    """Compute the motion of frames with constant elastic screws, as printed."""
    fill_dual(own, q, v, PRINTED, motion)


FILL = {form: fill_linear for form in range(LINEAR, PRINTED)} | {PRINTED: fill_printed, NONLINEAR: fill_nonlinear}
