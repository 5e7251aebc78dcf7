"""Steady motion: how links are deformed while joints turn at constant speed, and what holds them there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.analysis.propeller_moment import warn_of_propeller_moments
from lissom.dynamics import inverse_dynamics
from lissom.dynamics.coordinates import Named, along_coordinates, configuration, indices, rates
from lissom.dynamics.state_checks import Vector
from lissom.errors import LissomError
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model

ROUNDS = 50  # of Newton's method
SETTLED = 1e-12  # of the largest elastic coordinate: the last change


class SteadyMotion(NamedTuple):
    """A state whose links keep their deformation: `linearise(robot, *steady_motion(robot, v={"shaft": 30.0}))`."""

    q: Vector  # (nq,)
    v: Vector  # (nv,)
    tau: Vector  # (nv,) forces on the joints that keep their speeds


def steady_motion(
    robot: AnyRobot, q: ArrayLike | Named | None = None, v: ArrayLike | Named | None = None
) -> SteadyMotion:
    """Return the state in which links are deformed as weight and constant joint speeds have them, at this instant.

    A spinning blade is stretched by its own centrifugal force; small motions about it are stiffer than about the
    undeformed blade, which would begin to fly outward.

    Parameters
    ----------
    robot : Robot, Model or str
        A robot without loops.
    q : array_like or mapping, optional
        Configuration (nq,) or {joint: value}; elastic coordinates in it are where the search starts.
    v : array_like or mapping, optional
        Speeds of the joints (nv,) or {joint: value}; those of elastic coordinates become zero.

    Returns
    -------
    SteadyMotion
        q, v and the forces tau on the joints that keep their speeds: the state that `linearise` takes.

    Examples
    --------
    >>> spinning = lissom.steady_motion("spinup-beam", v={"shaft": 30.0})  # rad/s
    >>> linear = lissom.linearise("spinup-beam", *spinning)
    """
    model = as_model(robot)
    if model.loops:
        raise LissomError("has loops, which steady motion does not cover; simulate until it is steady")
    elastic = elastic_velocities(model)
    place = np.array([k for body in model.bodies for k in indices(body.modes_q)], int)
    q, v = configuration(model, q).copy(), rates(model, v).copy()
    v[elastic] = 0.0
    still = np.zeros(model.nv)

    def unbalanced(z: Vector) -> Vector:
        return inverse_dynamics(model, z, v, still)[elastic]

    for left in reversed(range(ROUNDS if len(elastic) else 0)):
        change = np.linalg.solve(along_coordinates(model, q, unbalanced, elastic), -unbalanced(q))
        q[place] += change
        if np.abs(change).max() <= SETTLED * np.abs(q[place]).max():
            break
        if left == 0 or not np.all(np.isfinite(q)):
            raise LissomError(f"{model.robot.name} has no steady motion at these speeds; take lower ones")
    warn_of_propeller_moments(model, q, v, stacklevel=2)
    tau = inverse_dynamics(model, q, v, still)
    tau[elastic] = 0.0
    return SteadyMotion(q, v, tau)


def elastic_velocities(model: Model) -> np.ndarray:
    """Return the places of the elastic coordinates of links among the velocities."""
    return np.array([k for body in model.bodies for k in indices(body.modes_v)], int)
