"""The best motion: dynamics collocated on a grid, started from the rigid arm's, solved by IPOPT."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse

from lissom.dynamics import symbolic
from lissom.dynamics.state_derivatives import inverse_derivatives
from lissom.errors import OptimiseError
from lissom.optimise.collocation_point import CollocationPoint, column, pick
from lissom.optimise.motion_result import NOTHING, Candidate, OptimalMotion
from lissom.optimise.motion_schema import Motion
from lissom.optimise.motion_task import MotionTask, resolve
from lissom.optimise.nonlinear_program import Optimum, Program, Term
from lissom.optimise.time_grid import ORDERS, STAGES, WEIGHTS, Grid
from lissom.progress import Progress

RESIDUAL = 1e4  # weight of the energy left at the end, in units of what the smooth motion leaves
SMOOTH = {"vibration": 1.0, "time": 1e-5, "effort": 1e-6, "energy": 1e-9}  # weight of the jerk, 1 for a quintic
JERK = 720.0  # integral of the squared jerk of a quintic over unit time and way
NEWTON = 20  # iterations of the first guess
ITERATIONS = 500
FINE, FINE_WEIGHTS = np.polynomial.legendre.leggauss(5)
FASTEST, SLOWEST = 1 / 20, 20.0  # times of legs, in units of the first guess


def solve(asked: Motion, *, progress: bool = True) -> OptimalMotion:
    """Return the best motion of a task."""
    symbolic.need_casadi("optimal motions need")
    began = perf_counter()
    with Progress("preparing", show=progress) as bar:
        search = _CollocationSearch(resolve(asked))
        bar.say("optimising")
        found = search.solve(lambda iteration: bar.say(f"optimising, iteration {iteration}"))
    if not found.success:
        raise search.failure(found)
    before, best = search.candidate(search.start), search.candidate(found.w)
    return OptimalMotion(asked, search.task, best, before, found.iterations, perf_counter() - began)


class _CollocationSearch:
    """The nonlinear program of a task, and its first guess."""

    def __init__(self, task: MotionTask) -> None:
        self.task = task
        self.grid = Grid(task.intervals, task.driven, task.following)
        self.places = self.grid.motion()
        self.point = CollocationPoint(task)
        zero = np.zeros(task.model.nv)
        exact = inverse_derivatives(task.model, task.end.q, zero, zero)
        inner = np.ix_(task.following, task.following)
        self.mass, self.stiffness = exact.a[inner], _positive(exact.q[inner])
        self.start = self._first_guess()
        self.unit = self._unit_of_energy()

    def at(self, w: np.ndarray) -> np.ndarray:
        """Return (points, 3 nv + 1) what the grid's points read."""
        return (self.places @ w).reshape(self.grid.points, -1)

    # the first guess ----------------------------------------------------------------------------------------

    def _first_guess(self) -> np.ndarray:
        """Return driven coordinates on the smooth way of a rigid arm, the others as they follow: all dynamics hold."""
        task, grid = self.task, self.grid
        way = task.smooth(task.times)
        w = np.zeros(grid.size)
        value, rate = task.start.q[task.following], np.zeros(len(task.following))
        for k, (leg, count) in enumerate(zip(grid.legs, grid.intervals, strict=True)):
            times = np.linspace(task.times[k], task.times[k + 1], count + 1)
            h = w[leg.step] = times[1] - times[0]
            y, yd, ydd = way(times)
            w[leg.nodes] = np.stack([y, h * yd, h * h * ydd], axis=1)
            w[leg.entry] = value, h * rate
            w[leg.stages] = value
        if not len(task.following):
            return w
        first = 0
        for k, (leg, count) in enumerate(zip(grid.legs, grid.intervals, strict=True)):
            last = first + STAGES * count
            self._follow(w, leg.stages.ravel(), slice(first, last))
            if k + 1 < len(grid.legs):
                n, after = task.model.nv, grid.legs[k + 1]
                end = self.at(w)[last - 1]
                w[after.entry] = (
                    end[task.following],
                    end[n + task.following] * w[after.step] / w[leg.step],
                )
            first = last
        return w

    def _follow(self, w: np.ndarray, unknowns: np.ndarray, points: slice) -> None:
        """Apply Newton's method to the stages of one leg."""
        from scipy.sparse.linalg import splu

        width = ORDERS * self.task.model.nv + 1
        places = self.places[points.start * width : points.stop * width]
        inner = sparse.csc_matrix(places[:, unknowns])
        for _ in range(NEWTON):
            z = (places @ w).reshape(-1, width)
            step = splu(sparse.csc_matrix(self.point.slopes(z) @ inner)).solve(-self.point.unbalanced(z))
            w[unknowns] += step
            if np.abs(step).max() <= 1e-9 * max(np.abs(w[unknowns]).max(), 1e-9):
                return
            if not np.all(np.isfinite(step)):
                break
        raise OptimiseError(
            "the links do not follow the smooth way of the rigid arm: it is too fast for them; give more time",
            ("duration",),
        )

    def _unit_of_energy(self) -> float:
        """Return what the smooth motion leaves at its end, J; where that is none, a share of its kinetic energy."""
        moving = max(self.point.kinetic(row) for row in self.at(self.start)[::STAGES])
        return max(self.residual(self.start), NOTHING * moving, np.finfo(float).tiny)

    def residual(self, w: np.ndarray) -> float:
        """Return energy of vibration at the end, J."""
        n, follow = self.task.model.nv, self.task.following
        z = self.grid.end(self.places) @ w
        x, v = z[follow] - self.task.end.q[follow], z[n + follow] / z[-1]
        return float(v @ self.mass @ v + x @ self.stiffness @ x) / 2

    # the program ---------------------------------------------------------------------------------------------

    def solve(self, tell: Any) -> Optimum:
        least, scale = self.task.asked.least, self._scale()
        start, done = self.start, 0
        if least == "time":  # first at rest in the time of the guess: from there the search for a shorter one is short
            still = Program(self._terms("vibration"), scale).solve(start, *self._bounds(free=False), tell, ITERATIONS)
            start, done = (still.w, still.iterations) if still.success else (start, still.iterations)
        found = Program(self._terms(least), scale).solve(
            start, *self._bounds(self._free_times()), lambda k: tell(done + k), ITERATIONS
        )
        return replace(found, iterations=done + found.iterations)

    def _terms(self, least: str) -> list[Term]:
        terms = [self._along(least), self._smoothness(SMOOTH[least])]
        if least == "energy":
            terms.append(self._moving())
        if len(self.task.following) and self.task.asked.ends == "rest":
            terms.append(self._vibration_energy())
        if len(self.grid.legs) > 1:
            terms += [self._states_at_joint(k) for k in range(len(self.grid.legs) - 1)]
        terms.append(self._time(least))
        return terms

    def _along(self, least: str) -> Term:
        """Return dynamics and limits at every point, and what is summed along the way."""
        import casadi as ca

        task, point = self.task, self.point
        stiff, mass = np.abs(np.diag(self.stiffness)), np.diag(self.mass)
        size, h = self._sizes(), float(self.start[self.grid.steps].min())
        rows = pick(point.force, task.following) / column((stiff + mass / h**2) * size)
        balanced = np.zeros(len(task.following))
        limits = point.limits()
        lower = np.concatenate([balanced, [low for _, _, low, _ in limits]])
        upper = np.concatenate([balanced, [high for _, _, _, high in limits]])
        cost, weights = ca.SX(0), np.tile(WEIGHTS, sum(self.grid.intervals))
        if least == "effort":
            strength = np.maximum(np.abs(task.start.tau[task.driven]), np.abs(task.end.tau[task.driven]))
            strength = np.maximum(strength, np.abs(self.torques(self.start)).max(axis=0))
            each = pick(point.force, task.driven) / column(np.maximum(strength, 1e-9 * strength.max()))
            cost = point.h * ca.dot(each, each) / (len(task.driven) * task.times[-1])
        g = ca.vertcat(rows, *(row for _, row, _, _ in limits))
        return Term(point.z, g, cost, self.places, lower, upper, weights)

    def _moving(self) -> Term:
        """Return the integral of twice the kinetic energy, 1 for the smooth motion.

        Rates differ more than torques do from point to point, and take a finer rule.
        """
        point, places, weights = self.point, (FINE + 1) / 2, np.tile(FINE_WEIGHTS / 2, sum(self.grid.intervals))
        rows = self.grid.motion(places)
        along = [2 * point.kinetic(z) * z[-1] for z in (rows @ self.start).reshape(len(weights), -1)]
        return _free(point.z, 2 * point.h * point.kinetic_energy / float(weights @ along), rows, weights)

    def _smoothness(self, weight: float) -> Term:
        """Return the squared jerk of the driven coordinates, 1 for a quintic over the same way."""
        import casadi as ca

        way = self.task.way
        jerk = ca.SX.sym("jerk", len(way))
        cost = ca.dot(jerk / way, jerk / way) / (JERK * len(way))
        shares = np.diff(self.task.times) / self.task.times[-1]
        counts = self.grid.intervals
        # by t/h the third derivative is (h/T)^3 of that over the unit time, and an interval lasts h/T
        weights = [np.tile(WEIGHTS, n) * (n / share) ** 5 for n, share in zip(counts, shares, strict=True)]
        return _free(jerk, cost, self.grid.jerks(), weight * np.concatenate(weights))

    def _vibration_energy(self) -> Term:
        """Return energy of vibration at the end."""
        import casadi as ca

        follow, n = self.task.following, self.task.model.nv
        z = self.point.z
        x, v = pick(z, follow) - self.task.end.q[follow], pick(z, n + follow) / z[-1]
        energy = (ca.dot(v, ca.DM(self.mass) @ v) + ca.dot(x, ca.DM(self.stiffness) @ x)) / 2
        return _free(z, energy / self.unit, self.grid.end(self.places), np.array([RESIDUAL]))

    def _states_at_joint(self, k: int) -> Term:
        """Return values, rates and accelerations where leg k ends and the next begins."""
        import casadi as ca

        grid, task, n = self.grid, self.task, self.task.model.nv
        leg, after = grid.legs[k], grid.legs[k + 1]
        width, last = ORDERS * n + 1, STAGES * sum(grid.intervals[: k + 1]) - 1
        follow = task.following
        ends = self.places[width * last : width * (last + 1)]
        picked = np.concatenate([leg.nodes[-1].ravel(), after.nodes[0].ravel(), after.entry.ravel(), [after.step]])
        places = sparse.vstack([ends[follow], ends[n + follow], ends[-1], grid.selection(picked)]).tocsr()
        nd, nf = len(task.driven), len(follow)
        sizes = [nf, nf, 1, *[nd] * 6, nf, nf, 1]
        parts = [ca.SX.sym(f"z{i}", size) for i, size in enumerate(sizes)]
        x, xd, h, y, yd, ydd, y2, yd2, ydd2, x2, xd2, h2 = parts
        ratio, unit = h2 / h, column(self._sizes())
        rows = ca.vertcat(
            (x2 - x) / unit, (xd2 - xd * ratio) / unit, y2 - y, yd2 - yd * ratio, ydd2 - ydd * ratio**2
        )  # fmt: skip
        zero = np.zeros(rows.numel())
        return Term(ca.vertcat(*parts), rows, ca.SX(0), places, zero, zero, np.zeros(1))

    def _time(self, least: str) -> Term:
        """Return the whole time: least, or as given."""
        import casadi as ca

        steps = ca.SX.sym("h", len(self.grid.legs))
        total = ca.dot(steps, ca.DM(self.grid.intervals)) / self.task.times[-1]
        places = self.grid.selection(self.grid.steps)
        if least == "time":
            return _free(steps, total, places, np.ones(1))
        if not self._free_times():
            return _free(steps, ca.SX(0), places, np.zeros(1))  # each is fixed by its bounds
        return Term(steps, total, ca.SX(0), places, np.ones(1), np.ones(1), np.zeros(1))

    def _free_times(self) -> bool:
        """Return whether any time is chosen."""
        asked = self.task.asked
        return asked.least == "time" or any(via.time is None for via in asked.via)

    def _sizes(self) -> np.ndarray:
        """Return (following,) how large each becomes on the smooth way."""
        if not len(self.task.following):
            return np.zeros(0)
        size = np.max([np.abs(self.start[leg.stages]).max(axis=(0, 1)) for leg in self.grid.legs], axis=0)
        return np.maximum(size, 1e-9 * max(size.max(), 1e-6))

    def _scale(self) -> np.ndarray:
        scale, way = np.ones(self.grid.size), self.task.way
        for leg, count in zip(self.grid.legs, self.grid.intervals, strict=True):
            scale[leg.nodes] = way / count ** np.arange(ORDERS)[:, None]
            scale[leg.entry], scale[leg.stages] = self._sizes(), self._sizes()
            scale[leg.step] = self.start[leg.step]
        return scale

    def _bounds(self, free: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return what is known of the unknowns: start, end, via points, and the times unless they are free."""
        task, grid = self.task, self.grid
        lower = np.full(grid.size, -np.inf)
        upper = -lower

        def fix(index: np.ndarray, values: Any) -> None:
            lower[index] = upper[index] = values

        first, final, rest = grid.legs[0], grid.legs[-1], task.asked.ends == "rest"
        fix(first.nodes[0, 0], task.start.q[task.driven])
        fix(final.nodes[-1, 0], task.end.q[task.driven])
        fix(first.entry[0], task.start.q[task.following])
        if rest:
            fix(first.nodes[0, 1:], 0.0)
            fix(final.nodes[-1, 1:], 0.0)
            fix(first.entry[1], 0.0)
        for k, leg in enumerate(grid.legs[:-1]):
            for j, value in enumerate(task.joints[k + 1]):
                if not np.isnan(value):
                    channel = task.channels[j]
                    stiff = channel.force == channel.joint_v
                    last = leg.stages[-1, -1]
                    index = leg.nodes[-1, 0, j] if stiff else last[task.following == channel.joint_v]
                    fix(index, value)
        for step in grid.steps:
            h = self.start[step]
            lower[step], upper[step] = (FASTEST * h, SLOWEST * h) if free else (h, h)
        return lower, upper

    # what was found ------------------------------------------------------------------------------------------

    def torques(self, w: np.ndarray) -> np.ndarray:
        """Return the values of driven coordinates (points, driven)."""
        return self.point.forces(self.at(w))[:, self.task.driven]

    def candidate(self, w: np.ndarray) -> Candidate:
        z, n = self.at(w), self.task.model.nv
        h = z[:, -1:]
        q, v, a = z[:, :n], z[:, n : 2 * n] / h, z[:, 2 * n : 3 * n] / h**2
        return Candidate(
            self.task.model,
            self.grid.breaks(w),
            self.grid.polynomials(w),
            self.grid.times(w),
            q,
            v,
            a,
            self.torques(w),
            self.residual(w),
        )

    def failure(self, found: Optimum) -> OptimiseError:
        """Return why no motion was found, with the limit that the smooth motion misses most."""
        if found.status == "Maximum_Iterations_Exceeded":
            text = f"no end after {found.iterations} iterations; take more intervals, or wider limits"
            return OptimiseError(text, ("intervals",), self.task.asked.intervals)
        beyond, name = max(self.point.beyond(self.at(self.start)), default=(0.0, ""))
        missed = f"; the smooth motion is beyond {name} by {beyond:.0%}" if beyond > 0 else ""
        time = self.grid.breaks(found.w)[-1]
        text = f"no motion keeps the limits in {time:.4g} s{missed}; give more time, or wider limits"
        return OptimiseError(f"{text} ({found.status.replace('_', ' ').lower()})", ("limits",))


def _free(z: Any, cost: Any, places: sparse.csr_matrix, weights: np.ndarray) -> Term:
    """Return a term without bounds."""
    import casadi as ca

    return Term(z, ca.SX(0, 1), cost, places, np.zeros(0), np.zeros(0), weights)


def _positive(K: np.ndarray) -> np.ndarray:
    """Return the stiffness with the sign of its eigenvalues dropped: what topples leaves energy too."""
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    return vectors * np.abs(values) @ vectors.T
