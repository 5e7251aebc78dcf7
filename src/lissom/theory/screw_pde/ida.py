"""SUNDIALS IDA on the index-1 system: frames, twists, modal states and interaction wrenches are its unknowns.

    y = (theta_i, p_i, V_i, eta, eta', rotors, W_i)

with residuals theta' = J_r(theta)^-1 omega, p' = R v, the twist and deformation rows, and the constraint and actuator
rows, which are algebraic in the wrenches. The constraints are those of accelerations, so what they leave is reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import LissomError
from lissom.lie import so3
from lissom.theory.screw_pde.absolute import State
from lissom.theory.screw_pde.system import base_map

if TYPE_CHECKING:
    from lissom.theory.screw_pde.integrate import _Run

Array = np.ndarray


def solve(run: _Run, q: Array, v: Array, rtol: float, atol: float) -> None:
    """Fill the samples of a run."""
    from sksundae.ida import IDA

    problem = _Problem(run)
    q = q.copy()
    y, rate = problem.consistent(q, v)
    # wrenches are as large as the arm's weight, not as its deflections
    allowed = np.full(len(y), atol)
    allowed[problem.wrench] = atol * 1e3 * max(1.0, np.abs(y[problem.wrench]).max())
    solver = IDA(problem.residual, rtol=rtol, atol=allowed, algebraic_idx=np.r_[problem.wrench].tolist(),
                 max_num_steps=100000)  # fmt: skip
    begin = 0.0
    for end in problem.segments():
        wanted = np.flatnonzero((run.times >= begin - 1e-12) & (run.times <= end + 1e-12))
        t = np.unique(np.concatenate([[begin], run.times[wanted], [end]]))
        result: Any = solver.solve(t, y, rate)
        if not result.success:
            raise LissomError(f"IDA stopped at t = {result.t[-1]:.6g} s: {result.message}")
        run.frames.q = q.copy()  # turns are counted from where the stretch began
        for k in wanted:
            run.sample(int(k), problem.state(result.y[int(np.argmin(np.abs(result.t - run.times[k])))]))
        y, begin = result.y[-1], end
        q, v = (part.copy() for part in run.frames.measure(problem.state(y)))
        y, rate = problem.consistent(q, v, end + 1e-12)
        run.steps += len(result.t)
    run.evaluations = problem.calls


class _Problem:
    """The residual function and the layout of y."""

    def __init__(self, run: _Run) -> None:
        self.run, self.frames, self.f = run, run.frames, run.formulation
        n, size = self.frames.links, self.frames.size
        self.n, self.calls = n, 0
        self.theta, self.p = slice(0, 3 * n), slice(3 * n, 6 * n)
        self.x = slice(6 * n, 6 * n + size)
        self.wrench = slice(6 * n + size, 12 * n + size)
        self.length = 12 * n + size
        self.scratch = np.zeros(6 * n + size)

    def segments(self) -> list[float]:
        """Return the ends of the stretches between jumps of the torque."""
        last = float(self.run.times[-1])
        jumps = np.zeros(0) if self.run.law is None else self.run.law.jumps
        return [float(t) for t in jumps if 1e-9 < t < last - 1e-9] + [last]

    def state(self, y: Array) -> State:
        return State(so3.exp(y[self.theta].reshape(-1, 3)), y[self.p].reshape(-1, 3).copy(), y[self.x].copy())

    def consistent(self, q: Array, v: Array, t: float = 0.0) -> tuple[Array, Array]:
        """Return y and y' that satisfy every row at model coordinates (q, v)."""
        state = self.frames.state(q, v)
        y, rate = np.zeros(self.length), np.zeros(self.length)
        y[self.theta], y[self.p], y[self.x] = so3.log(state.R).ravel(), state.p.ravel(), state.x
        self.frames.measure(state)
        tau = self.run.forces(t, self.frames.q, self.frames.v)
        self.frames.rate(np.zeros(len(self.scratch)), tau, self.scratch)
        y[self.wrench] = self.f.work.wrench.ravel()
        rate[self.theta], rate[self.p] = self._pose_rates(y, state)
        rate[self.x] = self.scratch[6 * self.n :]
        return y, rate

    def _pose_rates(self, y: Array, state: State) -> tuple[Array, Array]:
        twists = state.x[: 6 * self.n].reshape(-1, 6)
        theta = y[self.theta].reshape(-1, 3)
        turning = so3.act(so3.right_jacobian_inverse(theta), twists[:, :3])
        return turning.ravel(), so3.act(state.R, twists[:, 3:]).ravel()

    def residual(self, t: float, y: Array, rate: Array, out: Array) -> None:
        f, table, work, n = self.f, self.f.table, self.f.work, self.n
        self.calls += 1
        state = self.state(y)
        q, v = self.frames.measure(state)
        f.fill_blocks(q, v, self.run.forces(t, q, v))
        # kinematics: theta' = J_r^-1 omega, p' = R u
        turning, moving = self._pose_rates(y, state)
        out[self.theta], out[self.p] = rate[self.theta] - turning, rate[self.p] - moving
        xdot, W = rate[self.x], y[self.wrench].reshape(n, 6)
        values = np.empty(self.frames.size)
        M = len(self.frames.modes_q)
        modes, modal_rates = slice(6 * n, 6 * n + M), slice(6 * n + M, 6 * n + 2 * M)
        # accelerations of every link: its twist, and behind it its modes
        zdot = np.zeros_like(work.zdot)
        zdot[:, :6] = xdot[: 6 * n].reshape(n, 6)
        at = modal_rates.start
        for i in range(n):
            m = table.modes[i]
            zdot[i, 6 : 6 + m] = xdot[at : at + m]
            at += m
        rows = np.zeros_like(zdot)
        algebraic = np.zeros((n, 6))
        for i in range(n):
            s, d, up = 6 + table.modes[i], table.dofs[i], table.parent[i]
            # M z' + bias - B^T W + X^T W of the children = 0; `work.mass` has the lower triangle alone
            lower = np.tril(work.mass[i, :s, :s])
            B = base_map(f, i)
            rows[i, :s] += lower @ zdot[i, :s] + np.tril(lower, -1).T @ zdot[i, :s] + work.bias[i, :s] - B.T @ W[i]
            across = B @ zdot[i, :s] + work.base_gamma[i] - work.gamma[i]
            if up >= 0:
                X = work.reach[i, :, : 6 + table.modes[up]]
                rows[up, : X.shape[1]] += X.T @ W[i]
                across -= X @ zdot[up, : X.shape[1]]
            # P^T (B z' - X z'_parent - gamma) = 0 across the joint; along it S . W + armature a = tau
            S, joint_v = work.S[i, :d], f.model.bodies[i].joint_v
            algebraic[i, : 6 - d] = work.P[i, : 6 - d] @ across
            if d:
                a = np.linalg.solve(S @ S.T, S @ across) if table.armature[joint_v].any() else 0.0
                algebraic[i, 6 - d :] = S @ W[i] + table.armature[joint_v] * a - work.force[joint_v]
        # rows in the order of the state: twists, modes, their rates, rotors
        values[: 6 * n] = rows[:, :6].ravel()
        values[modes] = xdot[modes] - state.x[modal_rates]
        at = modal_rates.start
        for i in range(n):
            m = table.modes[i]
            values[at : at + m] = rows[i, 6 : 6 + m]
            at += m
        rotors = self.frames.rotors
        if rotors:
            angle = slice(at, at + rotors)
            speed = slice(at + rotors, at + 2 * rotors)
            values[angle] = xdot[angle] - state.x[speed]
            values[speed] = table.gears.inertia * xdot[speed] - work.force[table.gears.rotor_v]
        out[self.x], out[self.wrench] = values, algebraic.ravel()
