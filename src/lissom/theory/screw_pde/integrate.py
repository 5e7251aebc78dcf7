"""Time integration of the differential-algebraic system with body frames as states.

    euler        forward Euler on rotation vectors and body-fixed positions, Table 1 of Yaqubi et al. 2026
    exponential  Runge-Kutta-Munthe-Kaas of order 5 on SE(3) (tableau of Dormand and Prince 1980): no coordinates that
                 could become singular; the constraints hold at acceleration level and drift
    projected    the same, and after every step onto the position and velocity constraints: index 1 without drift
    ida          SUNDIALS IDA on the index-1 system, wrenches among its unknowns (extra `sundials`)

With closures, which loops of a robot are, states are the model's coordinates, and the closures' wrenches unknowns like
the others (`closed`): `projected` or `exponential`.

Whatever the method, the result says how far the joints' constraints are violated.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from lissom.errors import LissomError
from lissom.lie import so3
from lissom.theory.screw_pde.absolute import Frames, State
from lissom.theory.screw_pde.formulation import ScrewPDE
from lissom.theory.screw_pde.load import LoadsInTime
from lissom.theory.screw_pde.motion import STAGES, WEIGHTS, IntegratedMotion

Array = np.ndarray
Progress = Callable[[float], None]
METHODS = ("projected", "exponential", "euler", "ida")
LONGEST = 5e-4  # s: resolves what a person sees of a motion, where nothing vibrates faster


def integrate(
    formulation: ScrewPDE,
    duration: float,
    *,
    method: str = "projected",
    step: float | None = None,
    controller: Any = None,
    start: Any = None,
    loads: Any = None,
    rate: float = 200.0,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    progress: Progress | None = None,
) -> IntegratedMotion:
    """Simulate by one of the methods of this module.

    Parameters
    ----------
    duration : float
        Seconds to simulate.
    method : str
        One of `METHODS`.
    step : float, optional
        Step size in seconds, made a little shorter where samples need it; half of what is stable at the start, and at
        most 0.5 ms, unless given. IDA chooses its own.
    controller, start, loads
        As in `lissom.simulate`; a controller's torque and functions that give loads are evaluated at every stage. Loads
        act on links.
    rate : float
        Samples per second.
    rtol, atol : float
        Tolerances of IDA.
    progress : function of float, optional
        Called with the time reached.

    Returns
    -------
    IntegratedMotion
    """
    from lissom.simulation.initial_state import start_state
    from lissom.simulation.integrators.registry import SUNDIALS, check_package

    if method not in METHODS:
        raise LissomError(f"is unknown; choose {', '.join(METHODS)}", ("method",), method)
    for name, value in (("duration", duration), ("step", step), ("rate", rate)):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise LissomError("must be a positive number", (name,), value)
    if method == "ida":
        check_package(SUNDIALS, method)
    q, v = start_state(formulation.model, start)
    times = np.arange(round(duration * rate) + 1) / rate
    acting = copy(formulation)
    if loads:
        acting.loads_in_time = LoadsInTime(formulation, loads, duration)
    formulation = acting
    if formulation.closures:
        if method in ("euler", "ida"):
            raise LissomError("covers chains and trees; with closures take 'projected'", ("method",), method)
        from lissom.theory.screw_pde.closed import integrate_closed

        law = _continuous(formulation, controller)
        step = stable_step(formulation, method, q, v) if step is None else step

        def forces(t: float, q: Array, v: Array) -> Array:
            if acting.loads_in_time is not None:
                acting.loads_in_time.set_time(t, q, v)
            return np.zeros(len(v)) if law is None else law(t, q, v)

        return integrate_closed(formulation, times, step, forces, (q, v), progress, method == "projected")
    run = _Run(formulation, controller, times, progress)
    began = time.perf_counter()
    if method == "ida":
        from lissom.theory.screw_pde.ida import solve

        solve(run, q, v, rtol, atol)
    else:
        step = stable_step(formulation, method, q, v) if step is None else step
        per_sample = max(1, int(np.ceil(1 / (rate * step) - 1e-9)))
        kinds: dict[str, type[_Euler] | type[_Exponential]] = {
            "euler": _Euler,
            "exponential": _Exponential,
            "projected": _Projected,
        }
        advance = kinds[method](run, q, v)
        run.sample(0, advance.state)
        for k in range(1, len(times)):
            h = (times[k] - times[k - 1]) / per_sample
            for s in range(per_sample):
                advance.step(times[k - 1] + s * h, h)
            run.steps += per_sample
            run.sample(k, advance.state)
    return run.motion(method, time.perf_counter() - began)


def stable_step(formulation: ScrewPDE, method: str, q: Array, v: Array) -> float:
    """Return half of the largest stable step of an explicit method at the start, and at most `LONGEST`."""
    from lissom.theory.screw_pde.wellposed import stable_steps

    limits = stable_steps(formulation, q, v, np.zeros(len(v)))
    limit = limits.euler if method == "euler" else limits.runge_kutta
    if limit == 0:
        raise LissomError("is needed: forward Euler has no stable step here, as nothing damps some motion", ("step",))
    return min(LONGEST, 0.5 * limit)


def _continuous(formulation: ScrewPDE, controller: Any) -> Any:
    """Return the control law, or None."""
    from lissom.simulation.inputs.packed_inputs import continuous_or_sampled

    _, law, sampled = continuous_or_sampled(formulation.model, controller)
    if sampled is not None:
        raise LissomError("these integrators take continuous control laws; use lissom.theory.simulate")
    return law


class _Run:
    """What all methods share: forces, samples, counts."""

    def __init__(self, formulation: ScrewPDE, controller: Any, times: Array, progress: Progress | None) -> None:
        self.law = _continuous(formulation, controller)
        self.formulation, self.frames = formulation, Frames(formulation)
        self.times, self.progress = times, progress
        n, model, count = self.frames.links, formulation.model, len(times)
        self.q, self.v = np.zeros((count, model.nq)), np.zeros((count, model.nv))
        self.tau, self.a = np.zeros((count, model.nv)), np.zeros((count, model.nv))
        self.poses, self.twists = np.zeros((count, n, 4, 4)), np.zeros((count, n, 6))
        self.wrenches = np.zeros((count, n, 6))
        self.energy, self.kinetic, self.drift = np.zeros(count), np.zeros(count), np.zeros((count, 2))
        self.step_drift, self.steps, self.evaluations, self.filled = 0.0, 0, 0, 0

    def forces(self, t: float, q: Array, v: Array) -> Array:
        """Return what the law applies; loads of the moment go to the rows of the links."""
        loads = self.formulation.loads_in_time
        if loads is not None:
            self.formulation.work.external[:] = 0.0
            loads.set_time(t, q, v)
            loads.add(q)
        return np.zeros(len(v)) if self.law is None else self.law(t, q, v)

    def sample(self, k: int, state: State) -> None:
        """Record sample k, with the wrenches that the system gives there."""
        f, frames, t = self.formulation, self.frames, float(self.times[k])
        q, v = frames.measure(state)
        self.q[k], self.v[k], self.drift[k] = q, v, frames.residual()
        if not np.all(np.isfinite(state.x)) or np.abs(state.x).max() > 1e12:
            raise LissomError(
                f"the motion grew without bound before t = {t:.4g} s; take a smaller step "
                f"(`lissom theory check` names the limit), an implicit method, or damping"
            )
        self.poses[k], self.twists[k] = f.frame_poses(), f.work.V
        self.tau[k] = self.forces(t, q, v)
        f.fill_blocks(q, v, self.tau[k])
        self.a[k] = f.eliminate()
        self.wrenches[k] = f.work.wrench
        energy = f.energy(q, v)
        self.energy[k], self.kinetic[k] = energy.total, energy.kinetic
        self.filled = k + 1
        if self.progress is not None:
            self.progress(t)

    def motion(self, method: str, wall: float) -> IntegratedMotion:
        return IntegratedMotion(
            time=self.times,
            q=self.q,
            v=self.v,
            tau=self.tau,
            poses=self.poses,
            twists=self.twists,
            accelerations=self.a,
            wrenches=self.wrenches,
            energy=self.energy,
            kinetic=self.kinetic,
            position_drift=self.drift[:, 0],
            velocity_drift=self.drift[:, 1],
            step_drift=self.step_drift,
            method=method,
            steps=self.steps,
            evaluations=self.evaluations,
            wall=wall,
        )


class _Exponential:
    """Runge-Kutta-Munthe-Kaas: stages in exponential coordinates around the state, the step by their exponential."""

    def __init__(self, run: _Run, q: Array, v: Array) -> None:
        self.run, self.frames = run, run.frames
        self.state = run.frames.state(q, v)
        self.stage = self.state.copy()
        size = 6 * run.frames.links + run.frames.size
        self.rates, self.zero = np.zeros((len(STAGES), size)), np.zeros(size)

    def step(self, t: float, h: float) -> None:
        frames, rates = self.frames, self.rates
        for k, weights in enumerate(STAGES):
            change = h * (np.array(weights) @ rates[:k]) if k else self.zero
            frames.shifted(self.state, change, self.stage)
            q, v = frames.measure(self.stage)
            frames.rate(change, self.run.forces(t + h * sum(weights), q, v), rates[k])
        self.run.evaluations += len(STAGES)
        new = self.state.copy()
        frames.shifted(self.state, h * (np.array(WEIGHTS) @ rates), new)
        self.state = new


class _Projected(_Exponential):
    """Steps on the group, each followed by a projection to the constraints."""

    def step(self, t: float, h: float) -> None:
        super().step(t, h)
        q, v = self.frames.measure(self.state)
        self.run.step_drift = max(self.run.step_drift, self.frames.residual().position)
        self.state = self.frames.state(q, v)


class _Euler:
    """Table 1: q_i = (theta, r) with R = exp(theta), world position R r; all rates are taken at the step's start.

    Equations: 003 (1)-(2), (80)-(82).
    """

    def __init__(self, run: _Run, q: Array, v: Array) -> None:
        self.run, self.frames = run, run.frames
        self.state = run.frames.state(q, v)
        self.theta = so3.log(self.state.R)
        self.r = np.einsum("nji,nj->ni", self.state.R, self.state.p)
        size = 6 * run.frames.links + run.frames.size
        self.rates, self.zero = np.zeros(size), np.zeros(size)

    def step(self, t: float, h: float) -> None:
        n, state = self.frames.links, self.state
        q, v = self.frames.measure(state)
        self.frames.rate(self.zero, self.run.forces(t, q, v), self.rates)
        twists = self.rates[: 6 * n].reshape(n, 6)
        omega, u = twists[:, :3], twists[:, 3:]
        self.r = self.r + h * (u - np.cross(omega, self.r))
        self.theta = self.theta + h * so3.act(so3.right_jacobian_inverse(self.theta), omega)
        R = so3.exp(self.theta)
        self.state = State(R, so3.act(R, self.r), state.x + h * self.rates[6 * n :])
        self.run.evaluations += 1
