"""Forward dynamics."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.state import Vector, Wrenches, body_wrenches, finite, number_type, vector
from lissom.kernel import forward
from lissom.model.any_robot import AnyRobot, as_model


def forward_dynamics(
    robot: AnyRobot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None = None,
    wrenches: Wrenches | None = None,
    a: ArrayLike | None = None,
) -> Vector:
    """Accelerations under the forces `tau` (articulated-body pass over flexible links, O(n)).

    Args:
        q: configuration, shape (model.nq,), in the order of `model.q_names`.
        v, tau: velocities and applied forces, shape (model.nv,), in the order of `model.coordinates`.
        wrenches: external wrenches by link name, (torque, force) at the link's origin in the link's axes.
        a: accelerations of prescribed joints (entries of other coordinates are ignored); zero unless given.
    Returns:
        Accelerations, shape (model.nv,).
    """
    model = as_model(robot)
    q, v = vector(model, q, "q", model.nq), vector(model, v, "v", model.nv)
    tau = vector(model, np.zeros(model.nv) if tau is None else tau, "tau", model.nv)
    given = np.zeros(model.nv) if a is None else vector(model, a, "a", model.nv)
    number = number_type(model, q, v, tau, given, wrenches=wrenches)
    out = given.astype(number)
    forward.forward_dynamics(
        model.struct,
        model.workspace(number),
        q.astype(number, copy=False),
        v.astype(number, copy=False),
        tau.astype(number, copy=False),
        body_wrenches(model, wrenches, number),
        out,
    )
    return finite(model, "forward_dynamics", out, q=q, v=v, tau=tau, a=given)
