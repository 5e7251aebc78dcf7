"""A chain of the equivalent rigid-link system in time, in its own coordinates (theta, q_d)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.errors import LissomError
from lissom.theory.erls.link import ErlsLink
from lissom.theory.erls.system import State, System


@dataclass(frozen=True, eq=False)
class Run:
    """Samples of a motion."""

    system: System
    time: np.ndarray  # (T,)
    theta: np.ndarray  # (T, n)
    theta_rate: np.ndarray
    q_d: np.ndarray  # (T, modes)
    q_d_rate: np.ndarray
    joint_force: np.ndarray  # (T, n) applied
    armature: np.ndarray  # (n,)
    evaluations: int

    def states(self) -> list[State]:
        """Return the chain at every sample."""
        return [self.system.at(*sample) for sample in zip(self.theta, self.theta_rate, self.q_d, self.q_d_rate)]

    @property
    def joints(self) -> np.ndarray:
        """Joint displacements (T, n): theta and what deflection adds."""
        return np.array([theta + state.slip for theta, state in zip(self.theta, self.states())])

    def points(self, node: int, place: np.ndarray, shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and accelerations (T, 3) in the world of a place (3,) of a node, moved by shapes (6, m)."""
        path, second = [], []
        for state, force in zip(self.states(), self.joint_force):
            modal = np.zeros(self.system.chain.modes)
            found = self.system.accelerations(state, force, modal, self.armature)
            at, change = self.system.point(state, node, place, shapes, found)
            path.append(at)
            second.append(change)
        return np.array(path), np.array(second)


def simulate(
    system: System,
    times: np.ndarray,
    theta: np.ndarray,
    q_d: np.ndarray | None = None,
    torque: Callable[[float], np.ndarray] | None = None,
    armature: np.ndarray | None = None,
    rtol: float = 1e-6,
    atol: float = 1e-7,
    jumps: np.ndarray | None = None,
) -> Run:
    """Release a chain at rest and integrate (75) by Radau IIA of order 5.

    The Newton matrix holds the elastic forces alone, exactly where the equations are stiff.

    Args:
        times: samples (T,), the first is the start.
        theta, q_d: the start, (n,) and (modes,).
        torque: forces (n,) on the joints at a time.
        armature: inertia (n,) that moves with the joints.
        jumps: times at which the torque jumps.
    """
    loop = _Loop(system, torque, armature)
    n, count = system.chain.joints, loop.count
    elastic = np.zeros(system.chain.modes) if q_d is None else q_d
    start = np.concatenate([theta, elastic, np.zeros(count)])
    rows = loop.run(start, times, [] if jumps is None else jumps, rtol, atol)
    return Run(
        system=system,
        time=times,
        theta=rows[:, :n],
        q_d=rows[:, n:count],
        theta_rate=rows[:, count : count + n],
        q_d_rate=rows[:, count + n :],
        joint_force=np.array([loop.torque(t) for t in times]),
        armature=loop.armature,
        evaluations=loop.evaluations,
    )


class _Loop:
    """x' = f(t, x) of x = (theta, q_d, their rates), walked from jump to jump of the torque."""

    def __init__(
        self, system: System, torque: Callable[[float], np.ndarray] | None, armature: np.ndarray | None
    ) -> None:
        chain = system.chain
        n = chain.joints
        self.system, self.n, self.count = system, n, n + chain.modes
        self.torque = (lambda t: np.zeros(n)) if torque is None else torque
        self.armature = np.zeros(n) if armature is None else armature
        self.elastic = np.zeros((self.count, 2 * self.count))  # stiffness, damping
        for at, node in zip(chain.elastic, chain.nodes):
            rows, rates = (slice(first + at.start, first + at.stop) for first in (n, n + self.count))
            self.elastic[rows, rows], self.elastic[rows, rates] = node.link.stiffness, node.link.damping
        self.evaluations = 0

    def state(self, x: np.ndarray) -> State:
        n, count = self.n, self.count
        return self.system.at(x[:n], x[count : count + n], x[n:count], x[count + n :])

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        self.evaluations += 1
        no_force = np.zeros(self.count - self.n)
        found = self.system.accelerations(self.state(x), self.torque(t), no_force, self.armature)
        return np.concatenate([x[self.count :], found])

    def slope(self, _: float, x: np.ndarray) -> np.ndarray:
        """Return d rate / dx of the elastic forces alone."""
        state = self.state(x)
        mass = state.mass + state.joint_N.T @ (self.armature[:, None] * state.joint_N)
        moving = np.eye(self.count, 2 * self.count, self.count)
        return np.concatenate([moving, -np.linalg.solve(mass, self.elastic)])

    def run(self, x: np.ndarray, times: np.ndarray, jumps: Any, rtol: float, atol: float) -> np.ndarray:
        """States (T, 2 count) at the times, the first of which is the start."""
        from scipy.integrate import solve_ivp

        pace = np.concatenate([np.ones(self.n), *(_pace(node.link) for node in self.system.chain.nodes)])
        allowed = atol * np.concatenate([np.ones(self.count), pace])  # a fast mode errs in speed as little as in place
        ends = np.union1d(jumps, times[-1])
        samples, begin = [x], float(times[0])
        for end in ends[ends > begin]:
            last = np.nextafter(end, begin)  # the torque is read before its jump
            wanted = times[(times > begin) & (times <= end)]
            found = solve_ivp(
                lambda t, y, last=last: self.rate(min(t, last), y),
                (begin, end),
                x,
                method="Radau",
                t_eval=np.union1d(wanted, [end]),
                jac=self.slope,
                rtol=rtol,
                atol=allowed,
            )
            if not found.success:
                raise LissomError(f"the integration stopped at t = {found.t[-1]:.6g} s: {found.message}")
            samples += [found.y[:, k] for k in np.flatnonzero(np.isin(found.t, wanted))]
            x, begin = found.y[:, -1], float(end)
        return np.array(samples)


def _pace(link: ErlsLink) -> np.ndarray:
    """Angular frequency (m,) at which each elastic coordinate would vibrate alone."""
    return np.sqrt(1.0 + np.diag(link.stiffness) / np.diag(link.modal_mass)[6:])


def balance(system: System, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Elastic coordinates (modes,) at rest under gravity with the frames held at theta, and the joint forces (n,)."""
    chain = system.chain
    n, still = chain.joints, np.zeros(chain.joints)
    q_d, none = np.zeros(chain.modes), np.zeros(chain.modes)
    stiffness = np.zeros((chain.modes, chain.modes))
    for at, node in zip(chain.elastic, chain.nodes):
        stiffness[at, at] = node.link.stiffness
    for _ in range(50):
        state = system.at(theta, still, q_d, none)
        torque = np.linalg.solve(state.joint_N[:, :n].T, -state.force[:n])
        left = state.force[n:] + state.joint_N[:, n:].T @ torque
        step = np.linalg.solve(stiffness, left)
        q_d = q_d + step
        if np.abs(step).max(initial=0.0) < 1e-14:
            break
    return q_d, torque
