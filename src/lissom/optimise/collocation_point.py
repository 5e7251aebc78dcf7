"""The dynamics at one point of a grid, on CasADi's symbols."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from lissom.dynamics import symbolic
from lissom.optimise.motion_task import MotionTask
from lissom.optimise.time_grid import ORDERS


class CollocationPoint:
    """Dynamics at a point of the grid, on symbols: z holds coordinates, their derivatives by t/h, and h."""

    def __init__(self, task: MotionTask) -> None:
        import casadi as ca

        model, n = task.model, task.model.nv
        self.task = task
        self.z = ca.SX.sym("z", ORDERS * n + 1)
        self.h = self.z[-1]
        self.q, self.v, self.a = self.z[:n], self.z[n : 2 * n] / self.h, self.z[2 * n : 3 * n] / self.h**2
        self.force = symbolic.inverse_dynamics(model)(self.q, self.v, self.a)
        self.kinetic_energy = symbolic.energy(model)(self.q, self.v)[0]
        following = pick(self.force, task.following)
        slopes = ca.jacobian(following, self.z)
        self._force = ca.Function("force", [self.z], [self.force])
        self._kinetic = ca.Function("kinetic", [self.z], [self.kinetic_energy])
        self._slopes = ca.Function("slopes", [self.z], [slopes])
        self._block = slopes.sparsity()

    def kinetic(self, z: np.ndarray) -> float:
        """Return twice the kinetic energy at all points."""
        return float(self._kinetic(z))

    def forces(self, z: np.ndarray) -> np.ndarray:
        """Return the forces (points, nv)."""
        return np.array(self._force.map(len(z))(z.T)).T

    def unbalanced(self, z: np.ndarray) -> np.ndarray:
        """Return (points following,) what the links leave unbalanced."""
        return self.forces(z)[:, self.task.following].ravel()

    def slopes(self, z: np.ndarray) -> sparse.csc_matrix:
        """Return derivatives by z of all points, block by block."""
        import casadi as ca

        blocks = self._slopes.map(len(z))(z.T)
        return sparse.csc_matrix(ca.sparsity_cast(blocks, ca.diagcat(*[self._block] * len(z))).sparse())

    def limits(self) -> list[tuple[str, Any, float, float]]:
        """Return (what, row, least, largest) of everything that is limited."""
        import casadi as ca

        task, model, limits = self.task, self.task.model, self.task.asked.limits
        rows: list[tuple[str, Any, float, float]] = []
        for k, channel in enumerate(task.channels):
            low, high = task.torque[0][k], task.torque[1][k]
            if np.isfinite([low, high]).any():
                unit = max(abs(b) for b in (low, high) if np.isfinite(b))
                rows.append(
                    (f"the torque of {channel.name}", self.force[channel.force] / unit, low / unit, high / unit)
                )
            if np.isfinite(task.speed[k]):
                rows.append((f"the speed of {channel.name}", self.v[channel.joint_v] / task.speed[k], -1.0, 1.0))
            low, high = task.position[0][k], task.position[1][k]
            if np.isfinite([low, high]).any():
                rows.append((f"the position of {channel.name}", self.q[channel.joint_v], low, high))
        for link, most in limits.deflection.items():
            bent = symbolic.tip_deflection(model, link)(self.q) / most
            rows.append((f"the deflection of {link}", ca.dot(bent, bent), -np.inf, 1.0))
        if limits.wrench:
            wrenches = symbolic.joint_wrenches(model)(self.q, self.v, self.a)
            for joint, limit in limits.wrench.items():
                both = wrenches[:, model.joints.index(joint)]
                for name, part, bound in (("torque", both[:3], limit.torque), ("force", both[3:], limit.force)):
                    if bound is not None:
                        rows.append((f"the {name} in {joint}", ca.dot(part, part) / bound**2, -np.inf, 1.0))
        return rows

    def beyond(self, z: np.ndarray) -> list[tuple[float, str]]:
        """Return how far each limit is missed, as a share of it."""
        import casadi as ca

        out = []
        for name, row, low, high in self.limits():
            values = np.array(ca.Function("row", [self.z], [row]).map(len(z))(z.T))
            out.append((float(max(values.max() - high, low - values.min())), name))
        return out


def pick(vector: Any, index: np.ndarray) -> Any:
    """Return entries of a symbolic column; none of them is a column too."""
    import casadi as ca

    return vector[index.tolist()] if len(index) else ca.SX(0, 1)


def column(values: np.ndarray) -> Any:
    """Return numbers as a CasADi column."""
    import casadi as ca

    return ca.DM(values) if len(values) else ca.DM(0, 1)
