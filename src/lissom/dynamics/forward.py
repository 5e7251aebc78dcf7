"""Forward dynamics."""

from __future__ import annotations

from numpy.typing import ArrayLike

from lissom.dynamics.kinematic_loops.loop_kinematics import closed_loops
from lissom.dynamics.plain_call import forward_plainly
from lissom.dynamics.state_checks import Vector, Wrenches, driven, finite
from lissom.kernel.algorithms import articulated_body
from lissom.model.any_robot import AnyRobot, as_model


def forward_dynamics(
    robot: AnyRobot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None = None,
    wrenches: Wrenches | None = None,
    a: ArrayLike | None = None,
) -> Vector:
    """Compute the accelerations under the forces `tau` (articulated-body pass over flexible links, O(n)).

    Parameters
    ----------
    q : array_like
        Configuration, shape (model.nq,), in the order of `model.q_names`.
    v, tau : array_like, optional
        Velocities and applied forces, shape (model.nv,), in the order of `model.coordinates`.
    wrenches : mapping of str to array_like, optional
        External wrenches by link name, (torque, force) at the link's origin in the link's axes.
    a : array_like, optional
        Accelerations of prescribed joints (entries of other coordinates are ignored); zero unless given.

    Returns
    -------
    array
        Accelerations, shape (model.nv,); they keep loops closed, where q and v do (`closed_loops` has the
        reactions).

    Examples
    --------
    >>> model = lissom.load("ella").compile()
    >>> q, v = model.neutral(), np.zeros(model.nv)
    >>> a = lissom.forward_dynamics(model, q, v)  # let go at rest
    """
    model = as_model(robot)
    if wrenches is None and a is None and (found := forward_plainly(model, q, v, tau)) is not None:
        return found
    if model.loops:
        return closed_loops(model, q, v, tau, wrenches, a).a
    given = driven(model, q, v, tau, wrenches, a)
    out = given.a.copy()
    articulated_body.forward_dynamics(model.struct, model.workspace(out.dtype.type), *given[:4], out)
    return finite(model, "forward_dynamics", out, q=given.q, v=given.v, tau=given.tau, a=given.a)
