"""Adaptive control on the regressor: the arm learns its inertial parameters while it follows a motion.

Slotine and Li (1987): with e = x - x_d, s = de/dt + L e, v_r = xd_d - L e and a_r = dv_r/dt,

    tau = Y(x, xd, v_r, a_r) p - K s,        dp/dt = -G Y^T s,

Y p = M a_r + C(x, xd) v_r + phi, Mdot - 2 C skew. Then 1/2 s^T M s + 1/2 dp^T G^-1 dp falls by s^T K s: the motion is
followed whatever the parameters, and parameters come to be right where the motion excites them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.errors import LissomError
from lissom.model.any_robot import AnyRobot, as_model
from lissom.theory.common_joint_forces import joint_forces
from lissom.theory.lie_group.arm import Arm, arm
from lissom.theory.lie_group.regressor import MinimalParameters, minimal_parameters, regressor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lissom.control.references.reference import Reference

Array = NDArray[Any]


def control_regressor(arm: Arm, x: ArrayLike, xd: ArrayLike, v_r: ArrayLike, a_r: ArrayLike) -> Array:
    """Return Y (..., n, 10 L) of M a_r + C(x, xd) v_r + phi, linear in the parameters as `regressor` has them.

    The Coriolis forces are a symmetric bilinear form of both rates, C(x, a) b = (q(a + b) - q(a - b)) / 4 with the
    quadratic forces q.

    Equations: 002 (29).
    """
    xd, v_r = np.asarray(xd, float), np.asarray(v_r, float)
    still = np.zeros_like(xd)
    both = regressor(arm, x, xd + v_r, still) - regressor(arm, x, xd - v_r, still)
    return regressor(arm, x, still, a_r) + both / 4


@dataclass(eq=False)
class AdaptiveControl:
    """Follow references by joint while the least set of inertial parameters is learnt: a function for `Sampled`.

    Parameters
    ----------
    robot : str, path, Robot or Model
        A rigid arm; its masses, centres and inertias are taken as unknown, its lengths, rotors and friction as known.
    references : mapping of Reference
        The motion of every joint, {joint: reference}.
    rate : float
        Samples per second, at which the parameters are updated too.
    guess : array_like, optional
        Parameters (r,) to begin with, in the order of `minimal.names`; zero unless given.
    bandwidth : float
        L in rad/s: errors fall with exp(-L t).
    gain : float or array_like
        K in N m s/rad, one for all or one for each joint.
    adaptation : float or array_like
        G, one for all or one for each parameter.

    Examples
    --------
    >>> import lissom
    >>> from lissom.control import Reference, Sampled
    >>> from lissom.theory import lie_group as lg
    >>> arm = lissom.load("rigid-7-axis")
    >>> motion = {joint: Reference.from_samples([0, 1, 2], [0, 0.5, 0]) for joint in arm.compile().joints}
    >>> learning = lg.AdaptiveControl(arm, motion, rate=200)
    >>> run = lissom.simulate(arm, 0.05, controller=Sampled(learning, rate=200))
    >>> learning.estimate.shape
    """

    robot: AnyRobot
    references: Mapping[str, Reference]
    rate: float = 500.0
    guess: ArrayLike | None = None
    bandwidth: float = 5.0
    gain: ArrayLike = 10.0
    adaptation: ArrayLike = 1.0
    arm: Arm = field(init=False)
    minimal: MinimalParameters = field(init=False)
    estimate: Array = field(init=False)  # (r,) the parameters learnt so far
    history: list[Array] = field(init=False)  # estimates at the samples

    def __post_init__(self) -> None:
        self.model = as_model(self.robot)
        self.arm = arm(self.model)
        missing = [joint for joint in self.model.coordinates if joint not in self.references]
        if missing:
            raise LissomError("has no reference; give the motion of every joint", ("references", missing[0]))
        self.minimal = minimal_parameters(self.arm)
        self.reset()

    @property
    def truth(self) -> Array:
        """The parameters (r,) of the robot that was given."""
        return self.minimal.values(self.arm.parameters)

    def reset(self) -> None:
        """Forget what was learnt."""
        count = len(self.minimal.chosen)
        self.estimate = np.zeros(count) if self.guess is None else np.array(self.guess, float)
        if self.estimate.shape != (count,):
            raise LissomError(f"must be {count} numbers: {', '.join(self.minimal.names)}", ("guess",), self.guess)
        self.history = []

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Return the torques (n,) at a sample, and learn from it."""
        joints = self.model.coordinates
        wanted = np.array([self.references[joint](t) for joint in joints]).reshape(len(joints), 3)  # and its rates
        e, de = q - wanted[:, 0], v - wanted[:, 1]
        s = de + self.bandwidth * e
        v_r, a_r = wanted[:, 1] - self.bandwidth * e, wanted[:, 2] - self.bandwidth * de
        Y = self.minimal.regressor(control_regressor(self.arm, q, v, v_r, a_r))
        self.history.append(self.estimate)
        known = self.arm.armature * a_r - joint_forces(self.model, q, v)
        tau = Y @ self.estimate + known - np.asarray(self.gain) * s
        self.estimate = self.estimate - np.asarray(self.adaptation) * (Y.T @ s) / self.rate
        return np.asarray(tau)
