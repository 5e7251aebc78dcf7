"""The rigid arm of Park, Bobrow and Ploen (1995) as a formulation among the others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lissom.dynamics import Energy
from lissom.model.any_robot import AnyRobot
from lissom.model.description.frame import Frame
from lissom.simulation.equations.system import Dynamics
from lissom.theory.common_joint_forces import joint_energy, joint_force_slopes, joint_forces
from lissom.theory.formulation import Formulation, Offer, register
from lissom.theory.lie_group.arm import arm
from lissom.theory.lie_group.derivatives import ForceDerivatives, Linear, inverse_dynamics_derivatives, linear_model
from lissom.theory.lie_group.dynamics import forward, inverse, make_own
from lissom.theory.lie_group.kinematics import frames, tip_pose
from lissom.theory.lie_group.lagrange import gravity_energy, kinetic_energy, mass_matrix
from lissom.theory.lie_group.recursion import newton_euler

if TYPE_CHECKING:
    from lissom.theory.connections.frame_kernel import FrameKernel


@register(
    "lie_group",
    "rigid arms on SE(3): product of exponentials, Newton-Euler and Lagrange",
    "Park, Bobrow, Ploen 1995, A Lie group formulation of robot dynamics",
)
class LieGroup(Formulation):
    """Equations of motion of a rigid robot by screws; `arm` holds them for the functions of this package."""

    name = "lie_group"
    offers = frozenset({Offer.INVERSE_DYNAMICS, Offer.ENERGY, Offer.LINEAR_MODEL})

    def __init__(self, robot: AnyRobot) -> None:
        super().__init__(robot)
        self.arm = arm(self.model)

    @cached_property
    def dynamics(self) -> Dynamics:
        """Inverse and forward dynamics as lissom's integrators call them."""
        return Dynamics(inverse, forward, make_own(self.arm))

    def accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Accelerations (..., n): M a = tau + joint forces - bias."""
        bias = newton_euler(self.arm, q, v, np.zeros_like(v)).tau
        force = tau + joint_forces(self.model, q, v) - bias
        return np.linalg.solve(mass_matrix(self.arm, q), force[..., None])[..., 0]

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Motor forces (..., n) that produce the accelerations a."""
        return newton_euler(self.arm, q, v, a).tau - joint_forces(self.model, q, v)

    def wrenches(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Wrench of the parent on each link at its joint, link axes: (..., links, 6)."""
        return newton_euler(self.arm, q, v, a).F[..., list(self.arm.links), :]

    def tip(self, q: np.ndarray) -> np.ndarray:
        """Return the pose (..., 4, 4) of the tip."""
        return tip_pose(self.arm, q)

    def link_pose(self, q: np.ndarray, link: str) -> np.ndarray:
        """Return the pose (4, 4) of a link."""
        return frames(self.arm, q)[0][self.arm.links[self.model.row(link) - 1]]

    def frame_kernel(self, frames: Sequence[Frame]) -> FrameKernel:
        """Compiled kinematics of frames: body Jacobians, (8)-(11), (18)."""
        from lissom.theory.lie_group.frames import frame_kernel

        return frame_kernel(self.arm)

    def energy(self, q: np.ndarray, v: np.ndarray) -> Energy:
        """Return kinetic and gravity energy, and what joints store."""
        kinetic, gravity = kinetic_energy(self.arm, q, v), gravity_energy(self.arm, q)
        return Energy(float(kinetic), float(gravity), 0.0, float(joint_energy(self.model, q)))

    def linearise(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Linear:
        """Return A (..., 2n, 2n) and B (..., 2n, n) about a motion, with the forces of springs, friction and stops."""
        forces = inverse_dynamics_derivatives(self.arm, q, v, a)
        by_q, by_v = joint_force_slopes(self.model, q, v)
        eye = np.eye(self.model.nv)
        return linear_model(
            ForceDerivatives(forces.x - by_q[..., None] * eye, forces.xd - by_v[..., None] * eye, forces.xdd)
        )
