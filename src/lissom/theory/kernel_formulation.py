"""lissom's own recursion, seen as a formulation among the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.dynamics import Energy, energy, forward_dynamics, inverse_dynamics, joint_wrenches, tip_pose
from lissom.theory.coverage import EVERYTHING
from lissom.theory.formulation import Formulation, Offer, register

if TYPE_CHECKING:
    from lissom.simulation.equations.system import Dynamics


@register("kernel", "articulated bodies, O(n), by inertia invariants", "lissom")
class Kernel(Formulation):
    """The compiled kernel behind the public functions of `lissom.dynamics`."""

    name = "kernel"
    covers = EVERYTHING
    offers = frozenset({Offer.INVERSE_DYNAMICS, Offer.ENERGY})

    @property
    def dynamics(self) -> Dynamics:
        """The compiled equations of motion of the kernel."""
        from lissom.simulation.equations.system import KERNEL

        return KERNEL

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Return the forces (nv,) that produce the accelerations a."""
        return inverse_dynamics(self.model, q, v, a)

    def accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return the accelerations (nv,) under the forces tau."""
        return forward_dynamics(self.model, q, v, tau)

    def wrenches(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Return the wrench of the parent on each link at its joint, (links, 6)."""
        return joint_wrenches(self.model, q, v, a)

    def tip(self, q: np.ndarray) -> np.ndarray:
        """Return the pose (4, 4) of the tip."""
        return tip_pose(self.model, q)

    def energy(self, q: np.ndarray, v: np.ndarray) -> Energy:
        """Return the energies at the state (q, v)."""
        return energy(self.model, q, v)
