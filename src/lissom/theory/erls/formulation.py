"""The equivalent rigid-link system in the coordinates of a Model.

The coordinates of the theory are theta, the joints of the rigid frames, and q_d. A Model's joint coordinate is the
displacement of the joint itself, theta plus the slip that deflection causes there; elastic coordinates are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lissom.dynamics import Energy
from lissom.dynamics.state_checks import vector
from lissom.kernel.compile import Pointer, Struct
from lissom.lie import se3, so3
from lissom.model.any_robot import AnyRobot
from lissom.model.description.frame import Frame
from lissom.simulation.equations.system import Dynamics
from lissom.theory.common_joint_forces import joint_energy
from lissom.theory.erls.build import COVERS, chain, place_on
from lissom.theory.erls.compiled import dynamics as compiled
from lissom.theory.erls.compiled.coordinates import set_rates, settle
from lissom.theory.erls.compiled.equations import accelerations, needed_forces, project
from lissom.theory.erls.compiled.frames import outward
from lissom.theory.erls.compiled.works import energies
from lissom.theory.erls.system import System
from lissom.theory.formulation import Formulation, Offer, register

if TYPE_CHECKING:
    from lissom.theory.connections.frame_kernel import FrameKernel


@register(
    "erls",
    "equivalent rigid-link system with component modes",
    "Vidoni, Gallina, Boscariol, Gasparetto, Giovagnoni 2017, Modeling the vibration of spatial flexible mechanisms "
    "through an equivalent rigid-link system/component mode synthesis approach",
)
class Erls(Formulation):
    """Linear elastic links on an equivalent rigid-link system; large rigid motion, small deflection."""

    name = "erls"
    covers = COVERS
    offers = frozenset({Offer.INVERSE_DYNAMICS, Offer.ENERGY})

    def __init__(self, robot: AnyRobot) -> None:
        super().__init__(robot)
        model = self.model
        self.chain, self.node = chain(model)
        self.system = System(self.chain)
        joint_q, joint_v, modes_q, modes_v = (
            np.concatenate([np.r_[place] for place in places]).astype(int)
            for places in zip(*((b.joint_q, b.joint_v, b.modes_q, b.modes_v) for b in model.bodies))
        )
        self._joints, self._modes = (joint_q, joint_v, joint_v), (modes_q, modes_v, modes_v)
        self.system.work.armature[:] = model.arrays.velocities.armature[joint_v]
        self._still, self._unloaded = np.zeros(model.nv), np.zeros((model.rows, 6))

    @cached_property
    def dynamics(self) -> Dynamics:
        """Inverse and forward dynamics as lissom's integrators call them."""
        structs = table, work = self.system.structs
        own = compiled.ErlsMemory(
            tables=table,
            work=work,
            settle=Pointer(settle, *structs),
            set_rates=Pointer(set_rates, *structs),
            needed_forces=Pointer(needed_forces, *structs),
            project=Pointer(project, *structs),
            accelerations=Pointer(accelerations, *structs),
            joint_q=self._joints[0],
            joint_v=self._joints[1],
            modes_q=self._modes[0],
            modes_v=self._modes[1],
        )
        return Dynamics(compiled.inverse, compiled.forward, Struct(own))

    def accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Accelerations (nv,) by (75)."""
        a, (q, v, tau) = np.zeros(self.model.nv), self._state(q, v, tau)
        compiled.forward(self.model.struct, self.dynamics.own, q, v, tau, self._unloaded, a)
        return a

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Generalised forces (nv,) on joints and elastic coordinates that produce the accelerations a."""
        tau, (q, v, a) = np.zeros(self.model.nv), self._state(q, v, a)
        compiled.inverse(self.model.struct, self.dynamics.own, q, v, a, self._unloaded, tau)
        return tau

    def wrenches(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Wrench of the parent on each link at its joint, link axes: (links, 6), from the balance of every link.

        The wrench about a rigid frame's origin, seen in the link's own, displaced frame.
        """
        self._move(q, v, a)
        needed_forces(*self.system.structs)
        work, proximal, links = self.system.work, self.system.table.proximal, [*self.node.values()]
        small = work.q[links, :6] + np.einsum("ijr,ij->ir", proximal[links], work.q[links, 6:])
        moved = se3.from_parts(so3.exp(small[:, :3]), small[:, 3:])
        return se3.transform_wrench(se3.inverse(moved), work.wrench[links])

    def tip(self, q: np.ndarray) -> np.ndarray:
        """Pose (4, 4) of the last link's tip: rigid frame and small displacement on it."""
        self._move(q, self._still)
        (place, shapes), i = self._tip, self.node[self.model.links[-1]]
        work = self.system.work
        rigid, elastic = work.q[i, :6], work.q[i, 6 : 6 + shapes.shape[1]]
        turn = rigid[:3] + shapes[:3] @ elastic
        shift = rigid[3:] + np.cross(rigid[:3], place) + shapes[3:] @ elastic
        return se3.from_parts(work.world_R[i], work.world_p[i]) @ se3.from_parts(so3.exp(turn), place + shift)

    def link_pose(self, q: np.ndarray, link: str) -> np.ndarray:
        """Pose (4, 4) of a link: its rigid frame and the small displacement of its origin."""
        self._move(q, self._still)
        work, i = self.system.work, self.node[link]
        small = work.q[i, :6] + work.q[i, 6:] @ self.system.table.proximal[i]
        rigid = se3.from_parts(work.world_R[i], work.world_p[i])
        return rigid @ se3.from_parts(so3.exp(small[:3]), small[3:])

    def frame_kernel(self, frames: Sequence[Frame]) -> FrameKernel:
        """Compiled kinematics of frames: rigid frames, and small displacements on them."""
        from lissom.theory.erls.frames import Coordinates, frame_kernel

        at = Coordinates(self._joints[0], self._joints[1], self._modes[0], self._modes[1])
        return frame_kernel(self.model, self.system, self.node, at, frames)

    @cached_property
    def _tip(self) -> tuple[np.ndarray, np.ndarray]:
        """Place (3,) of the last link's tip and its shapes (6, m)."""
        link = self.model.robot.bodies[-1]
        place, shapes = place_on(self.model, link)
        return place if link.body is None else np.asarray(link.body.tip or (0.0, 0.0, 0.0)), shapes

    def energy(self, q: np.ndarray, v: np.ndarray) -> Energy:
        """Return kinetic, gravity and strain energy, and what joints store."""
        self._move(q, v)
        kinetic, gravity, strain = energies(*self.system.structs)
        data = self.model.arrays
        kinetic += 0.5 * self.system.work.armature @ v[self._joints[1]] ** 2
        kinetic += 0.5 * data.gears.inertia @ v[data.gears.rotor_v] ** 2
        return Energy(float(kinetic), gravity, strain, float(joint_energy(self.model, q)))

    def _move(self, q: np.ndarray, v: np.ndarray, a: np.ndarray | None = None) -> None:
        """Place the chain and its frames at a state; accelerations wait in `work`."""
        work = self.system.work
        values = self._state(q, v, self._still if a is None else a)
        joints, modal = (work.joints, work.joint_rate, work.joint_second), (work.q, work.q_rate, work.q_second)
        for x, joint, rows, at, elastic in zip(values, joints, modal, self._joints, self._modes):
            joint[:], rows[self.system.elastic] = x[at], x[elastic]
        for step in (settle, set_rates, outward):
            step(*self.system.structs)

    def _state(self, q: np.ndarray, *others: np.ndarray) -> list[np.ndarray]:
        """Return q (nq,) and vectors (nv,) as the compiled equations take them."""
        return [vector(self.model, q, "q", self.model.nq), *(vector(self.model, x, "v", self.model.nv) for x in others)]
