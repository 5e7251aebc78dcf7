"""The search for the pose nearest to a start that brings a point of a robot to its goal.

It has two phases. Levenberg-Marquardt steps bring the tip to its goal and keep loops closed, from the start and, where
that leads nowhere or far away, from others. Then the rest of the freedom is used: steps towards the start, projected on
what does not move the tip, each followed by Newton steps back to the goal. Joints that reach a limit are held there for
the rest of a step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.coordinates import indices
from lissom.dynamics.kinematic_loops.cylinder_pose import cylinders
from lissom.dynamics.kinematic_loops.loop_angles import angle_rows, angles_off
from lissom.dynamics.kinematic_loops.loop_closing import ASSEMBLED, LARGEST_TURN, length_gaps
from lissom.dynamics.kinematic_loops.loop_kinematics import loop_gaps, loop_jacobian
from lissom.dynamics.kinematics import jacobian, point_pose
from lissom.dynamics.state_checks import Vector, integrate
from lissom.errors import LissomError
from lissom.lie import quaternion, so3
from lissom.messages import listed
from lissom.model.model import Model

REACHED = 1e-11  # rad, or of the robot's size: what tip and loops may miss
ITERATIONS = 100  # of Levenberg and Marquardt, from one start
TRIES = 40  # starts at random, where the given one leads nowhere or far away
BRANCHES, NEAR = 20, 0.5  # poses that the nearest is chosen of; rad of a motion so short that there is no nearer one
NEWTON = 8  # steps back to the target: they converge quadratically, or the step before was too long
LEAST_STEPS, LEAST_MOVE = 300, 1e-9  # towards the least motion: how many, and the way (rad) that ends them
FIRST_DAMPING, MOST_DAMPING = 1e-4, 1e8
SINGULAR = 1e-10  # of the largest singular value


class Goal(NamedTuple):
    """Where a point is to be; `R` is None where its orientation does not matter."""

    p: np.ndarray  # (3,), nan where free
    R: np.ndarray | None  # (3, 3)

    @property
    def asked(self) -> np.ndarray:
        """Which coordinates of the place are asked for, (3,)."""
        return np.isfinite(self.p)


class TipSearch:
    """Joint values that bring a point to its goal: rows of the tip and of the loops, zero where all is well."""

    def __init__(
        self,
        model: Model,
        point: tuple[str, Any, Any],
        goal: Goal,
        start: Vector,
        kept: set[int],
        bounds: tuple[Vector, Vector],
        lengths: Mapping[str, float],
    ) -> None:
        self.model, self.point, self.goal, self.start = model, point, goal, start
        joints = {k for body in model.bodies for k in indices(body.joint_v)}
        self.free = np.array(sorted(joints - kept), np.int64)
        self.lower, self.upper = (bound[self.free] for bound in bounds)
        follow = cylinders(model) - set(lengths)
        self.held = np.array([loop.name not in follow for loop in model.loops for _ in loop.held], float)
        self.wanted = length_gaps(model, lengths)
        frames = [point_pose(model, start, name)[:3, 3] for name in model.links]
        self.size = float(np.nanmax(np.nanmax([*frames, goal.p], axis=0) - np.nanmin([*frames, goal.p], axis=0))) or 1.0
        slides = _slides(model)[self.free]
        self.weight = np.where(slides, self.size, 1.0)  # a way of the robot's size counts as a radian

    def nearest(self) -> Vector:
        """Return the pose nearest to the start that is where it should be, or an error that says what is in the way."""
        rng, reached, best, miss = np.random.default_rng(0), [], self.start, np.inf
        for number in range(TRIES if len(self.free) else 1):
            spread = number / TRIES * np.pi  # others begin ever farther away
            turn = rng.uniform(-spread, spread, len(self.free)) * self.weight
            found, left = self._reach(self._move(self.start, np.clip(turn, self.lower, self.upper)))
            if left < miss:
                best, miss = found, left
            if left <= REACHED:
                reached.append(self._least_motion(found))
                if len(reached) == BRANCHES or np.linalg.norm(self._way(reached[0])) < NEAR:
                    break
        if not reached:
            raise self._miss_error(best)
        return min(reached, key=lambda q: float(np.linalg.norm(self._way(q))))

    # the two phases

    def _reach(self, q: Vector) -> tuple[Vector, float]:
        """Return where Levenberg's and Marquardt's method ends from q, and what is missed there."""
        rows, damping, stuck = self._rows(q), FIRST_DAMPING, 0
        miss = float(np.linalg.norm(rows))
        for _ in range(ITERATIONS):
            if miss <= REACHED or damping > MOST_DAMPING or stuck > 5:
                break
            step = self._step(q, self._rates(q), -rows, damping)
            moved = self._move(q, step)
            after = self._rows(moved)
            left = np.linalg.norm(after)
            if left < miss:
                stuck = stuck + 1 if left > (1 - 1e-6) * miss else 0
                q, rows, miss, damping = moved, after, float(left), damping / 10
            else:
                damping = max(10 * damping, 1e-12)
        if miss <= REACHED and angles_off(self.model, q).max(initial=0.0) > ASSEMBLED:
            miss = 1.0  # closed, with a joint assembled the wrong way round
        return q, miss

    def _least_motion(self, q: Vector) -> Vector:
        """Return the pose nearest to the start that is reached from q without leaving the target."""
        q = self._unwound(q)
        way = self._way(q)
        for _ in range(LEAST_STEPS):
            back = self._step(q, self._rates(q), -self._rows(q), 0.0, towards=-way * self.weight)
            if np.abs(back / self.weight).max(initial=0.0) < LEAST_MOVE:
                break
            part = 1.0
            while part > 1e-6:
                moved = self._restore(self._move(q, part * back))
                if moved is not None and np.linalg.norm(after := self._way(moved)) < np.linalg.norm(way):
                    break
                part /= 2
            else:
                break
            assert moved is not None
            q, way = moved, after
        return q

    def _restore(self, q: Vector) -> Vector | None:
        """Return q brought back to the target, or None."""
        for _ in range(NEWTON):
            rows = self._rows(q)
            if np.linalg.norm(rows) <= REACHED:
                return q
            q = self._move(q, self._step(q, self._rates(q), -rows, 0.0))
        return q if np.linalg.norm(self._rows(q)) <= REACHED else None

    def _step(
        self, q: Vector, rates: np.ndarray, wanted: Vector, damping: float, towards: Vector | None = None
    ) -> Vector:
        """Return the step (free,) with rates @ step = wanted, nearest to `towards` (zero unless given), within bounds.

        With damping it is that of Levenberg and Marquardt. Coordinates that would pass a bound stop there.
        """
        done = self._displacement(q)
        lower, upper = (np.minimum(self.lower - done, 0.0), np.maximum(self.upper - done, 0.0))
        step, open_ = np.zeros(len(self.free)), np.ones(len(self.free), bool)
        aim = np.zeros(len(self.free)) if towards is None else towards
        while np.any(open_):
            A = rates[:, open_] * self.weight[open_]
            b = wanted - rates @ np.where(open_, aim, step)
            if damping:
                A, b = np.vstack([A, np.sqrt(damping) * np.eye(A.shape[1])]), np.append(b, np.zeros(A.shape[1]))
            step[open_] = aim[open_] + self.weight[open_] * np.linalg.lstsq(A, b, rcond=SINGULAR)[0]
            largest = np.abs(step / self.weight).max()
            if largest > LARGEST_TURN:
                step *= LARGEST_TURN / largest
            over = open_ & ((step < lower) | (step > upper))
            if not np.any(over):
                break
            step = np.clip(step, lower, upper)
            open_ &= ~over
        return np.clip(step, lower, upper)

    # rows and ways

    def _rows(self, q: Vector) -> Vector:
        """Return the gaps of loops and what the tip misses, in parts of the robot's size and rad."""
        miss = [self._gaps(q)[0]] if self.model.loops else []
        T = point_pose(self.model, q, *self.point)
        miss.append((T[:3, 3] - self.goal.p)[self.goal.asked] / self.size)
        if self.goal.R is not None:
            miss.append(so3.log(T[:3, :3] @ self.goal.R.T))
        return np.concatenate(miss)

    def _rates(self, q: Vector) -> np.ndarray:
        """Return rates (rows, free) of the rows, by the kernel."""
        J = jacobian(self.model, q, *self.point)
        rows = [self._gaps(q, rates=True)[1]] if self.model.loops else []
        rows.append(J[3:][self.goal.asked] / self.size)
        if self.goal.R is not None:
            R = point_pose(self.model, q, *self.point)[:3, :3]
            rows.append(so3.left_jacobian_inverse(so3.log(R @ self.goal.R.T)) @ J[:3])
        return np.concatenate(rows)[:, self.free]

    def _gaps(self, q: Vector, rates: bool = False) -> tuple[Vector, np.ndarray]:
        """Return the gaps of the rows of loops, and their rates (rows, nv) if asked; angles where far from closed."""
        G = loop_jacobian(self.model, q) if rates else None
        gaps, turned = loop_gaps(self.model, q) - self.wanted, np.flatnonzero(angles_off(self.model, q) > ASSEMBLED)
        if len(turned):
            gaps, G = angle_rows(self.model, q, turned, gaps, G)
        return self.held * gaps, np.zeros((0, 0)) if G is None else self.held[:, None] * G

    def _move(self, q: Vector, step: Vector) -> Vector:
        full = np.zeros(self.model.nv)
        full[self.free] = step
        return integrate(self.model, q, full)

    def _displacement(self, q: Vector) -> Vector:
        """Return how far free coordinates have moved from the start, in rad and m."""
        return apart(self.model, self.start, q)[self.free]

    def _way(self, q: Vector) -> Vector:
        return self._displacement(q) / self.weight

    def _unwound(self, q: Vector) -> Vector:
        """Return q without whole turns of joints that turn without limit."""
        done, out = apart(self.model, self.start, q), q.copy()
        for link, body in zip(self.model.robot.bodies, self.model.bodies, strict=True):
            if link.joint.type == "revolute" and body.joint_v.start in self.free:
                k = int(np.flatnonzero(self.free == body.joint_v.start)[0])
                back = float(np.round(done[body.joint_v.start] / (2 * np.pi))) * 2 * np.pi
                if self.lower[k] <= done[body.joint_v.start] - back <= self.upper[k]:
                    out[body.joint_q] -= back
        return out

    def _miss_error(self, q: Vector) -> LissomError:
        """Return the error that says by how much the nearest pose misses, and what is in the way."""
        T = point_pose(self.model, q, *self.point)
        miss = f"{np.linalg.norm((T[:3, 3] - self.goal.p)[self.goal.asked]):.3g} m"
        if self.goal.R is not None:
            miss += f" and {np.degrees(np.linalg.norm(so3.log(T[:3, :3] @ self.goal.R.T))):.3g} degrees"
        done, names = self._displacement(q), [self.model.coordinates[k] for k in self.free]
        ended = [name for k, name in enumerate(names) if not self.lower[k] < done[k] < self.upper[k]]
        way = f"; {listed(ended)} {'stands' if len(ended) == 1 else 'stand'} at a limit" if ended else ""
        if not len(self.free):
            way = "; no joint is free to move: name fewer in keep"
        return LissomError(
            f"cannot be reached by {self.point[0]}: the nearest pose found misses it by {miss}{way}; give a target "
            f"within reach, free more joints, or begin nearer (q)",
            ("target",),
            self.goal.p.round(6).tolist(),
        )


def apart(model: Model, before: Vector, after: Vector) -> Vector:
    """Return by how much joints and modes have moved from one configuration to another, (nv,)."""
    out = np.zeros(model.nv)
    for link, body in zip(model.robot.bodies, model.bodies, strict=True):
        out[body.modes_v] = after[body.modes_q] - before[body.modes_q]
        one, other = before[body.joint_q], after[body.joint_q]
        if not link.joint.kind.on_group:
            out[body.joint_v] = other - one
            continue
        R0, R1 = quaternion.to_matrix(one[:4]), quaternion.to_matrix(other[:4])
        at = body.joint_v.start
        out[at : at + 3] = so3.log(R0.T @ R1)
        if link.joint.kind.floats:
            out[at + 3 : body.joint_v.stop] = R0.T @ (other[4:] - one[4:])
    return out


def _slides(model: Model) -> np.ndarray:
    """Return which velocities (nv,) are metres per second."""
    out = np.zeros(model.nv, bool)
    for link, body in zip(model.robot.bodies, model.bodies, strict=True):
        out[body.joint_v] = [unit == "N" for unit in link.joint.kind.force_units]
    return out
