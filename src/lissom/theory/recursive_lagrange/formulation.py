"""Recursive Lagrange with 4 x 4 matrices, after Book (1984) and Qian, Zhang and Liu (2013), as a formulation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from lissom.beam import BeamLink
from lissom.dynamics.energies import Energy
from lissom.errors import LissomError
from lissom.kernel.compile import Struct
from lissom.model.any_robot import AnyRobot
from lissom.model.description.frame import Frame
from lissom.simulation.equations.system import Dynamics
from lissom.theory.common_joint_forces import joint_energy
from lissom.theory.coverage import UNIFORM_BEAMS, Feature
from lissom.theory.formulation import Formulation, Offer, register
from lissom.theory.recursive_lagrange import elastic, recursion
from lissom.theory.recursive_lagrange.dynamics import forward, inverse, make_own
from lissom.theory.recursive_lagrange.tables import ORDERS, ROTATIONS, make_tables
from lissom.theory.recursive_lagrange.work import make_work

if TYPE_CHECKING:
    from lissom.theory.connections.frame_kernel import FrameKernel

Order = Literal["zero", "first", "high"]
Rotation = Literal["proper", "linear"]
PAPER = "Qian, Zhang, Liu 2013, Advances in Mechanical Engineering"
OF_STIFFENING = {"none": "zero", "first": "first"}


@register("recursive_lagrange", "Lagrange's equations by recursion of 4 x 4 matrices", PAPER)
class RecursiveLagrange(Formulation):
    """Equations of motion of a tree of flexible links and flexible joints.

    Args:
        order: of every link's field: "zero" (no foreshortening), "first" (quadratic foreshortening) or "high" (all
            terms kept). By default each link's own `stiffening` decides: none is zero, first is first.
        rotation: how a deformed section turns what sits on it: "proper" (a rotation) or "linear", the paper's identity
            plus skew.

    Equations: 004 (1)-(2).
    """

    name = "recursive_lagrange"
    covers = UNIFORM_BEAMS | {Feature.PRESCRIBED_JOINTS, Feature.GROUP_JOINTS, Feature.ELASTIC_GEARS}
    offers = frozenset({Offer.INVERSE_DYNAMICS, Offer.ENERGY})

    def __init__(self, robot: AnyRobot, order: Order | None = None, rotation: Rotation = "proper") -> None:
        if order is not None and order not in ORDERS:
            raise LissomError(f"is unknown; choose from {', '.join(ORDERS)}", ("order",), order)
        if rotation not in ROTATIONS:
            raise LissomError("is unknown; choose 'proper' or 'linear'", ("rotation",), rotation)
        # An order that is given is that of the field, whatever the robot's file says.
        super().__init__(
            robot, None if order is None else self.covers | {Feature.EXACT_FIELD, Feature.PROPELLER_MOMENT}
        )
        model, self.rotation = self.model, rotation
        beams = {name: cast(BeamLink, link) for name, link in model.flexible.items()}
        self.orders = {name: order or OF_STIFFENING[beam.stiffening] for name, beam in beams.items()}
        self._beams = beams
        self.tables, _ = make_tables(model, beams, self.orders, rotation)
        number = model.arrays.inertia.mass.dtype
        self.work = make_work(self.tables, number)
        self._tables, self._work = Struct(self.tables), Struct(self.work)
        self._still, self._unloaded = np.zeros(model.nv, number), np.zeros((model.rows, 6), number)
        # an elastic joint's rotor turns by q1: T = 1/2 J n^2 q1d^2; a rigid gear adds the same to the joint
        self._drive_inertia = model.arrays.velocities.armature.copy()
        self._drive_inertia[model.arrays.gears.rotor_v] += model.arrays.gears.inertia

    @cached_property
    def dynamics(self) -> Dynamics:
        """Inverse and forward dynamics as lissom's integrators call them."""
        own = make_own(self._tables, self._work, self._drive_inertia, self._number(self.model.neutral()))
        return Dynamics(inverse, forward, own)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """Inertia coefficients, (nv, nv)."""
        recursion.outward(self._tables, self._work, self._number(q), self._still, self._still)
        return self._mass()

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Generalised forces (nv,) that produce the accelerations a; at a = 0 the remainders."""
        tau, (q, v, a) = np.zeros_like(self._still), map(self._number, (q, v, a))
        inverse(self.model.struct, self.dynamics.own, q, v, a, self._unloaded, tau)
        return tau

    def accelerations(
        self, q: np.ndarray, v: np.ndarray, tau: np.ndarray, prescribed: np.ndarray | None = None
    ) -> np.ndarray:
        """Accelerations (nv,) under the forces tau; `prescribed` (nv,) holds those of prescribed joints."""
        a = np.zeros_like(self._still) if prescribed is None else self._number(prescribed).copy()
        q, v, tau = map(self._number, (q, v, tau))
        forward(self.model.struct, self.dynamics.own, q, v, tau, self._unloaded, a)
        return a

    def driven_accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Accelerations (nv,) where those of prescribed joints are as in a."""
        return self.accelerations(q, v, tau, a)

    def wrenches(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Wrench of the parent on the child at every joint, child axes, shape (joints, 6): torque, force."""
        self.inverse_dynamics(q, v, a)
        R = self.work.W[1:, :3, :3]
        K = np.swapaxes(R, 1, 2) @ R @ self.work.D[1:, :3, :3] @ R  # int (point from the joint) (force)^T, child axes
        torque = np.stack([K[:, 1, 2] - K[:, 2, 1], K[:, 2, 0] - K[:, 0, 2], K[:, 0, 1] - K[:, 1, 0]], axis=1)
        return np.concatenate([torque, np.einsum("nc,nca->na", self.work.D[1:, 3, :3], R)], axis=1)

    def tip(self, q: np.ndarray) -> np.ndarray:
        """Pose (4, 4) of the last link's tip in the world."""
        recursion.outward(self._tables, self._work, self._number(q), self._still, self._still)
        T = self.work.W[-1] @ self.work.S[self.tables.tip[-1]]
        body = self.model.robot.bodies[-1].body
        if body is not None and body.tip is not None:
            T[:3, 3] += T[:3, :3] @ np.asarray(body.tip)
        return T

    def link_pose(self, q: np.ndarray, link: str) -> np.ndarray:
        """Pose (4, 4) of a link's frame in the world, by the recursion of W."""
        recursion.outward(self._tables, self._work, self._number(q), self._still, self._still)
        return np.real(self.work.W[self.model.row(link)]).copy()

    def frame_kernel(self, frames: Sequence[Frame]) -> FrameKernel:
        """Compiled kinematics of frames, by the recursion of W."""
        from lissom.theory.recursive_lagrange.frames import frame_kernel

        return frame_kernel(
            self.model, *make_tables(self.model, self._beams, self.orders, self.rotation, frames), frames
        )

    def tip_in_link(self, q: np.ndarray, link: str) -> np.ndarray:
        """Pose (4, 4) of the tip section of `link` in the link's frame."""
        recursion.outward(self._tables, self._work, self._number(q), self._still, self._still)
        return self.work.S[self.tables.tip[self.model.row(link)]].copy()

    def energy(self, q: np.ndarray, v: np.ndarray) -> Energy:
        """Kinetic energy by the traces with B1, B2, B3, and the potential energies.

        Equations: 004 (31)-(32).
        """
        q, v = self._number(q), self._number(v)
        links = np.empty(2, self._still.dtype)
        recursion.outward(self._tables, self._work, q, v, self._still)
        recursion.link_energies(self._tables, self._work, links)
        kinetic, gravity = links.tolist()
        rotors, strain = 0.5 * self._drive_inertia @ v**2, elastic.strain_energy(self._tables, self._work, q, v)
        return Energy(kinetic + rotors.item(), gravity, strain, joint_energy(self.model, q).item())

    def _mass(self) -> np.ndarray:
        mass = np.zeros((self.model.nv, self.model.nv), self._still.dtype)
        recursion.inertia_coefficients(self._tables, self._work, mass)
        mass[np.diag_indices_from(mass)] += self._drive_inertia
        return mass

    def _number(self, values: Any) -> np.ndarray:
        return np.ascontiguousarray(values, self._still.dtype)
