"""Exact derivatives of the dynamics, by the complex step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.forward import forward_dynamics
from lissom.dynamics.state import Vector, Wrenches, body_wrenches, vector
from lissom.kernel import derivatives as kernel
from lissom.model.compiled import Model
from lissom.model.robot import Robot


class Derivatives(NamedTuple):
    """Accelerations and their derivatives, each of shape (nv, nv): entry [i, k] = d qdd_i / d coordinate_k.

    Derivatives by configuration are along velocity coordinates: a quaternion turns about body axes.
    """

    qdd: Vector
    q: np.ndarray
    qd: np.ndarray
    tau: np.ndarray  # the inverse of the mass matrix


def derivatives(
    model: Model, q: ArrayLike, qd: ArrayLike, tau: ArrayLike | None = None, wrenches: Wrenches | None = None
) -> Derivatives:
    """Forward dynamics and its exact derivatives with respect to q, qd and tau."""
    q, qd = vector(model, q, "q", model.nq), vector(model, qd, "qd", model.nv)
    n = model.nv
    tau = vector(model, np.zeros(n) if tau is None else tau, "tau", n)
    out = Derivatives(np.zeros(n), *(np.empty((n, n)) for _ in range(3)))
    complex_ = [np.empty(size, np.complex128) for size in (model.nq, n, n)]
    kernel.forward_derivatives(
        model.struct,
        model.workspace(np.float64),
        model.workspace(np.complex128),
        q,
        qd,
        tau,
        body_wrenches(model, wrenches, np.float64),
        *complex_,
        np.empty((len(model.bodies) + 1, 6), np.complex128),
        np.empty(n, np.complex128),
        out.qdd,
        np.empty((n, n)),
        out.q,
        out.qd,
        out.tau,
    )
    return Derivatives(out.qdd, out.q.T, out.qd.T, out.tau.T)


def parameter_derivatives(
    robot: Robot,
    parameters: Sequence[str],
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    function: Callable[..., np.ndarray] = forward_dynamics,
) -> np.ndarray:
    """Exact derivatives of `function(model, q, qd, tau)` with respect to physical parameters.

    Args:
        parameters: paths such as "materials.steel.E", "links.upper.beam.length", "links.payload.body.mass".
        function: `forward_dynamics` (default), `inverse_dynamics` (then `tau` stands for qdd), or any function of
            model, q, qd, tau that returns an array and accepts a complex model.
    Returns:
        One row per parameter, shape (len(parameters), *result).
    """
    rows = []
    for path in parameters:
        value = robot.value(path)
        moved = robot.with_value(path, value + 1j * kernel.STEP)
        rows.append(np.asarray(function(moved.compile(), q, qd, tau)).imag / kernel.STEP)
    return np.array(rows)
