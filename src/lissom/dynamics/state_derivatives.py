"""Exact derivatives of the dynamics: by recursion over the bodies, by the complex step where it does not reach."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.coordinates import along_coordinates
from lissom.dynamics.forward import forward_dynamics
from lissom.dynamics.inverse import inverse_dynamics
from lissom.dynamics.joint_space_inertia import column_memory, mass_matrix
from lissom.dynamics.kinematic_loops.loop_kinematics import closed_loops
from lissom.dynamics.state_checks import Vector, Wrenches, body_wrenches, finite, number_type, vector
from lissom.errors import LissomError
from lissom.kernel.algorithms import complex_step
from lissom.kernel.compile import Struct
from lissom.kernel.derivatives.forward_dynamics_derivatives import (
    differentiate_forward_dynamics,
    differentiate_inverse_dynamics,
    make_solution,
)
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model


class Derivatives(NamedTuple):
    """Accelerations and their derivatives, each of shape (nv, nv): entry [i, k] = d a_i / d coordinate_k.

    Derivatives by configuration are along velocity coordinates: a quaternion turns about body axes.
    """

    a: Vector
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray  # the inverse of the mass matrix; with loops what is left of it once they are held


class InverseDerivatives(NamedTuple):
    """Forces and their derivatives, each of shape (nv, nv): entry [i, k] = d tau_i / d coordinate_k."""

    tau: Vector
    q: np.ndarray  # along velocity coordinates, as in Derivatives
    v: np.ndarray
    a: np.ndarray  # the mass matrix


def derivatives(
    robot: AnyRobot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None = None,
    wrenches: Wrenches | None = None,
    a: ArrayLike | None = None,
) -> Derivatives:
    """Compute forward dynamics and its exact derivatives with respect to q, v and tau.

    Parameters
    ----------
    robot : str, path, Robot or Model
        The name or file of a robot, a robot, or its model.
    q : array_like
        Configuration, shape (nq,), in the order of `model.q_names`.
    v : array_like
        Velocities, shape (nv,), in the order of `model.coordinates`.
    tau : array_like, optional
        Applied forces, shape (nv,); zero unless given.
    wrenches : mapping of str to array_like, optional
        External wrenches by link name, (torque, force) at the link's origin in its axes.
    a : array_like, optional
        Accelerations of prescribed joints, shape (nv,); entries of other coordinates are ignored.

    Returns
    -------
    Derivatives
        Accelerations, shape (nv,), and their derivatives, each of shape (nv, nv). Rows of prescribed joints are zero,
        and so are their columns by tau.

    Examples
    --------
    >>> model = lissom.load("ella").compile()
    >>> q, v = model.neutral(), np.zeros(model.nv)
    >>> a, by_q, by_v, by_tau = lissom.derivatives(model, q, v)
    """
    model = as_model(robot)
    n = model.nv
    q, v = vector(model, q, "q", model.nq), vector(model, v, "v", n)
    tau = vector(model, np.zeros(n) if tau is None else tau, "tau", n)
    given = vector(model, np.zeros(n) if a is None else a, "a", n)
    rows = body_wrenches(model, wrenches, np.float64)
    _refuse_complex(model, q, v, tau, given)
    if model.loops:
        return _closed_derivatives(model, q, v, tau, wrenches, given)
    out = Derivatives(given.copy(), *(np.empty((n, n)) for _ in range(3)))
    if recursive(model):
        memory = derivative_memory(model)
        differentiate_forward_dynamics(
            model.struct, model.workspace(), *memory, q, v, tau, rows, out.a, np.empty(n), out.q, out.v, out.tau
        )
        parts: tuple[np.ndarray, ...] = out
    else:
        complex_ = [np.empty(size, np.complex128) for size in (model.nq, n, n)]
        complex_step.forward_derivatives(
            model.struct,
            model.workspace(np.float64),
            model.workspace(np.complex128),
            q,
            v,
            tau,
            rows,
            *complex_,
            np.empty((model.rows, 6), np.complex128),
            np.empty(n, np.complex128),
            out.a,
            np.empty((n, n)),
            out.q,
            out.v,
            out.tau,
        )
        parts = (out.a, out.q.T, out.v.T, out.tau.T)
    return Derivatives(*(finite(model, "derivatives", part, q=q, v=v, tau=tau, a=given) for part in parts))


def recursive(model: Model) -> bool:
    """Return whether the recursion of the analytical derivatives reaches all that the tree of a model has.

    It does not reach links with the exact field or with terms of fourth order, elements, contacts, actuators, loads in
    world axes.
    """
    arrays = model.arrays
    beyond = (arrays.bow.nodes, arrays.elements.kind, arrays.contacts.shape, arrays.actuators.kind)
    return not any(map(len, beyond)) and not arrays.tree.nodes.any() and not arrays.loads.in_world.any()


def derivative_memory(model: Model) -> tuple[Struct, Struct]:
    """Return this thread's memory of the analytical derivatives of a model: columns, and their solution."""
    columns = column_memory(model)
    return columns, model.cached("solution", lambda: Struct(make_solution(columns.fields)))


def _closed_derivatives(
    model: Model, q: Vector, v: Vector, tau: Vector, wrenches: Wrenches | None, given: Vector
) -> Derivatives:
    """Return derivatives with loops held closed, by complex steps through the whole of it."""
    free = model.arrays.velocities.prescribed == 0

    def along(function: Callable[[Vector], Vector], x: Vector) -> np.ndarray:
        steps = complex_step.STEP * 1j * np.eye(len(x))
        return np.stack([np.imag(function(x + step)) / complex_step.STEP for step in steps], axis=-1)

    def accelerations(q: Vector = q, v: Vector = v, tau: Vector = tau) -> Vector:
        return closed_loops(model, q, v, tau, wrenches, given).a

    by_q = along_coordinates(model, q, lambda z: accelerations(q=z))
    by_v, by_tau = along(lambda z: accelerations(v=z), v), along(lambda z: accelerations(tau=z), tau)
    held = [np.where(free[:, None], part, 0.0) for part in (by_q, by_v, by_tau)]
    return Derivatives(accelerations(), *held)


def inverse_derivatives(
    robot: AnyRobot, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: Wrenches | None = None
) -> InverseDerivatives:
    """Compute inverse dynamics and its exact derivatives with respect to q, v and a.

    Arguments are those of `inverse_dynamics`.
    """
    model = as_model(robot)
    n = model.nv
    q, v, a = (vector(model, value, name, size) for value, name, size in ((q, "q", model.nq), (v, "v", n), (a, "a", n)))
    _refuse_complex(model, q, v, a)
    if recursive(model):
        out = InverseDerivatives(np.empty(n), *(np.empty((n, n)) for _ in range(3)))
        loads = body_wrenches(model, wrenches, np.float64)
        differentiate_inverse_dynamics(model.struct, model.workspace(), column_memory(model), q, v, a, loads, *out)
        return InverseDerivatives(*(finite(model, "inverse_derivatives", part, q=q, v=v, a=a) for part in out))
    by_q, by_v = np.empty((n, n)), np.empty((n, n))
    complex_step.inverse_derivatives(
        model.struct,
        model.workspace(np.complex128),
        *(each.astype(np.complex128) for each in (q, v, a)),
        body_wrenches(model, wrenches, np.complex128),
        np.empty(n, np.complex128),
        by_q,
        by_v,
    )
    for part in (by_q, by_v):
        finite(model, "inverse_derivatives", part.T, q=q, v=v, a=a)
    return InverseDerivatives(inverse_dynamics(model, q, v, a, wrenches), by_q.T, by_v.T, mass_matrix(model, q))


def parameter_derivatives(
    robot: AnyRobot,
    parameters: Sequence[str],
    *state: ArrayLike,
    function: Callable[..., ArrayLike] = forward_dynamics,
    prescribed: Iterable[str] | None = None,
) -> np.ndarray:
    """Return exact derivatives of `function(model, *state)` with respect to physical parameters.

    The functions that a beam's modes multiply are held fixed, also where their family depends on the
    parameter (`ends: clamped-mass`): the modal coordinates keep their meaning.

    Parameters
    ----------
    parameters : sequence of str
        Paths such as "materials.steel.E", "links.upper.beam.length", "links.payload.body.mass".
    state : array_like
        What the function takes after the model: q, v, tau for `forward_dynamics`; q, v, a for `inverse_dynamics`; q
        for `mass_matrix`; q, v for `energy`.
    function : callable
        Any function of a model that returns numbers and accepts a complex model.
    prescribed : iterable of str, optional
        Joints whose motion is given; those of a given model unless said otherwise, none of a robot.

    Returns
    -------
    array
        One row per parameter, shape `(len(parameters), ...)`.
    """
    model = as_model(robot, prescribed)
    robot, names, rows = model.robot, model.prescribed, []
    for path in parameters:
        value = robot.value(path)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise LissomError("is not a number; give the path of a number of the robot", path.split("."), value)
        changed = robot.with_value(path, value + 1j * complex_step.STEP).compile(prescribed=names)
        rows.append(np.imag(function(changed, *state)) / complex_step.STEP)
    slopes = np.array(rows)
    for path, row in zip(parameters, slopes):
        if not np.all(np.isfinite(row)):
            raise LissomError(f"parameter_derivatives: no finite derivative by {path} at this state")
    return slopes


def _refuse_complex(model: Model, *arrays: np.ndarray) -> None:
    if number_type(model, *arrays) is not np.float64:
        raise LissomError("derivatives are taken by the complex step: the model and the state have to be real")
