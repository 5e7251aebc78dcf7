"""A formulation under forces and torques at points of its links, through its own kinematics.

A wrench W at a place with the pose g(q) does the work W^T J v, g^-1 dg/dt = J v: its generalised force is J^T W, and it
is carried by every joint between the place and the world. `Formulation.load_forces` gives J^T W; formulations whose
theory has external wrenches of its own put their own equations there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.lie import se3
from lissom.model.description.frame import WORLD
from lissom.theory.formulation import Formulation, PlacedWrench, in_frame

if TYPE_CHECKING:
    from lissom.simulation.inputs.loads import ActiveLoads


class LoadedFormulation(Formulation):
    """A formulation with loads, whose present values are written to `external`.

    Parameters
    ----------
    base : Formulation
        What moves without loads.
    loads : ActiveLoads
        Where wrenches act, and in whose axes they are given.
    """

    def __init__(self, base: Formulation, loads: ActiveLoads) -> None:
        self.base, self.model, self.offers, self.loads = base, base.model, base.offers, loads
        self.external = np.zeros((len(loads.frames), 6))

    def placed(self) -> list[PlacedWrench]:
        """Return the wrenches of the moment with their places."""
        where = zip(self.loads.frames, self.external, self.loads.in_world, strict=True)
        return [PlacedWrench(frame, wrench, in_world) for frame, wrench, in_world in where]

    def accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Accelerations (nv,) under motors and loads."""
        return self.base.accelerations(q, v, tau + self.base.load_forces(q, self.placed()))

    def driven_accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Accelerations (nv,) under motors and loads, with those of prescribed joints as in a."""
        return self.base.driven_accelerations(q, v, tau + self.base.load_forces(q, self.placed()), a)

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Return forces of the motors (nv,) that produce the accelerations a beside the loads."""
        return self.base.inverse_dynamics(q, v, a) - self.base.load_forces(q, self.placed())

    def wrenches(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Wrench of the parent on the child at every joint: what moves the links beyond, less the loads on them."""
        return self._subtract_loads(q, self.base.wrenches(q, v, a))

    def wrenches_under(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return `wrenches`; of closed chains under the motors' forces and the loads."""
        acting = tau + self.base.load_forces(q, self.placed())
        return self._subtract_loads(q, self.base.wrenches_under(q, v, a, acting))

    def tip(self, q: np.ndarray) -> np.ndarray:
        """Pose (4, 4) of the tip."""
        return self.base.tip(q)

    def _subtract_loads(self, q: np.ndarray, wrenches: np.ndarray) -> np.ndarray:
        """Return joint wrenches less the loads beyond each joint."""
        out, robot = np.array(wrenches), self.model.robot
        for frame, wrench, in_world in self.placed():
            place = self.base.frame_pose(q, frame)
            local = in_frame(place, wrench) if in_world else wrench
            link = frame.link
            while link != WORLD:
                seen = se3.inverse(self.base.link_pose(q, link)) @ place
                out[self.model.row(link) - 1] -= se3.transform_wrench(seen, local)
                link = robot.link(link).parent
        return out
