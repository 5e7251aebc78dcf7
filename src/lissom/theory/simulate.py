"""Any formulation in time: one implicit integrator for all, so that only the physics differs.

Forces or accelerations come from the formulation alone. The kernel's exact Jacobian serves as the Newton matrix of the
implicit method: it decides how fast Newton's method converges, never to what.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.dynamics import derivatives
from lissom.errors import LissomError
from lissom.kernel.chart import configuration_rate
from lissom.model.compiled import Model
from lissom.theory.formulation import Formulation

if TYPE_CHECKING:
    from lissom.simulation.raw import RawRun
    from lissom.simulation.settings import RunSettings
    from lissom.simulation.system import Dynamics
    from lissom.simulation.trajectory import Trajectory


class Stopped(LissomError):
    """A simulation that could not go on; `run` is the Trajectory of what was computed before."""

    def __init__(self, message: str, run: Trajectory) -> None:
        super().__init__(message)
        self.run = run


def simulate(
    formulation: Formulation,
    duration: float,
    *,
    controller: Any = None,
    start: Any = None,
    rtol: float = 1e-7,
    atol: float = 1e-9,
    **options: Any,
) -> Trajectory:
    """Simulate a formulation by Radau IIA of order 5 (Hairer and Wanner 1996).

    A formulation with compiled equations (`compiled`, a `simulation.system.Dynamics`) runs in lissom's own loop. So
    does one with `inverse_dynamics(q, v, a)`, called back from there; others run in SciPy's. Where a formulation
    reaches its limit (`limit(raw)`: how many outputs are good, and why no more), or an integration fails, `Stopped`
    carries what was computed before.

    Args:
        duration, controller, start, options: as in `lissom.simulate`.
        rtol, atol: error allowed per step, relative and absolute; in velocities atol times each coordinate's frequency.
    Returns:
        The Trajectory; its wrenches are those of the formulation.
    """
    from lissom.simulation.ending import Ending
    from lissom.simulation.outputs import output_times
    from lissom.simulation.raw import RawRun
    from lissom.simulation.run import pace
    from lissom.simulation.settings import RunSettings
    from lissom.simulation.start import start_state

    model = formulation.model
    if model.prescribed:
        raise LissomError("formulations take controllers, not prescribed motions; drive the joint with a torque")
    settings = RunSettings.of(duration, rtol=rtol, atol=atol, method="radau", audit=False, **options)
    drive = {"controller": controller, "start": start}
    if (compiled := getattr(formulation, "compiled", None)) is not None:
        return _own_wrenches(formulation, _in_own_loop(model, settings, compiled, **drive))
    if hasattr(formulation, "inverse_dynamics"):
        called = _called_back(formulation, settings, **drive)
        if called is not None:
            return _own_wrenches(formulation, called)
    loop = _Loop(formulation, controller)
    times = output_times(model, settings)
    began = time.perf_counter()
    q, v = start_state(model, start)
    allowed = atol * np.concatenate([np.ones(model.nq), pace(model, q)])
    states, forces = loop.run(np.concatenate([q, v]), times, rtol, allowed)
    wall = time.perf_counter() - began
    times = times[: len(states)]
    q, v = states[:, : model.nq], states[:, model.nq :]
    a = np.array([formulation.accelerations(*sample) for sample in zip(q, v, forces)])
    work = np.concatenate([[0.0], np.cumsum(np.diff(times) * _mean(np.sum(forces * v, axis=1)))])
    raw = RawRun(
        model=model,
        time=times,
        q=q,
        v=v,
        a=a,
        tau=forces,
        work=work,
        dissipated=np.zeros_like(work),
        method="radau",
        reason="one integrator for every formulation",
        steps=loop.steps,
        evaluations=loop.evaluations,
        wall=wall,
        status=Ending.NOT_CONVERGED if loop.failure else Ending.FINISHED,
        message=loop.failure,
        controller=controller,
        settings=settings,
    )
    return _own_wrenches(formulation, raw)


def _own_wrenches(formulation: Formulation, raw: RawRun) -> Trajectory:
    """The trajectory of a run, with the formulation's wrenches; `Stopped` where it did not get to the end."""
    from lissom.simulation.ending import Ending
    from lissom.simulation.trajectory import from_run

    limit = getattr(formulation, "limit", _no_limit)(raw)
    if limit is not None:
        raw = _cut(raw, *limit)
    run = from_run(raw)
    run.dataset["wrench"].values[:] = [formulation.wrenches(*sample) for sample in zip(raw.q, raw.v, raw.a)]
    if raw.status is not Ending.FINISHED:
        raise Stopped(raw.message, run)
    return run


def _no_limit(raw: RawRun) -> None:
    return None


def _cut(raw: RawRun, count: int, message: str) -> RawRun:
    """The first `count` outputs of a run that had to stop there."""
    from lissom.simulation.ending import Ending

    kept = {name: getattr(raw, name)[:count] for name in ("t", "q", "v", "a", "tau", "work", "dissipated")}
    return replace(raw, **kept, status=Ending.OUT_OF_RANGE, message=message)


def _in_own_loop(model: Model, settings: RunSettings, dynamics: Dynamics, **drive: Any) -> RawRun:
    from lissom.simulation.run import run

    return run(model, settings, dynamics=dynamics, **drive)


def _called_back(formulation: Any, settings: RunSettings, **drive: Any) -> RawRun | None:
    """A run in lissom's own loop; None where Newton's method on forces does not converge.

    It asks for a mass matrix less than twice the kernel's; on accelerations, in SciPy's loop, for short steps alone.
    """
    from lissom.simulation.ending import Ending
    from lissom.theory.callback import called_back, last_error

    with called_back(formulation) as dynamics:
        try:
            raw = _in_own_loop(formulation.model, settings, dynamics, **drive)
        except LissomError as error:
            raise last_error() or error from None
        cause, after = last_error(), f"after t = {raw.time[-1]:.6g} s"
        if raw.status not in (Ending.NOT_CONVERGED, Ending.NOT_FINITE):
            return raw
        if isinstance(cause, KeyboardInterrupt):
            text = f"stopped by hand {after}; what was computed is kept"
            return replace(raw, status=Ending.INTERRUPTED, message=text)
        if cause is not None:
            return replace(raw, status=Ending.FORMULATION_FAILED, message=f"{after}: {cause}")
        return None if raw.status is Ending.NOT_CONVERGED else raw


def _mean(x: np.ndarray) -> np.ndarray:
    return 0.5 * (x[1:] + x[:-1])


class _Loop:
    """The closed loop x' = f(t, x), x = (q, v), walked from jump to jump of its forces."""

    def __init__(self, formulation: Formulation, controller: Any) -> None:
        from lissom.simulation.drive import continuous_or_sampled

        self.formulation, self.model = formulation, formulation.model
        _, self.law, sampled = continuous_or_sampled(self.model, controller)
        self.hold = None if sampled is None else sampled.start(self.model)
        self.flat = self.model.nq == self.model.nv  # no quaternions
        self.steps = self.evaluations = 0
        self.failure = ""

    def forces(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if self.hold is not None:
            return self.hold.torque
        return np.zeros(self.model.nv) if self.law is None else self.law(t, q, v)

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        q, v = x[: self.model.nq], x[self.model.nq :]
        self.evaluations += 1
        a = self.formulation.accelerations(q, v, self.forces(t, q, v))
        return np.concatenate([v if self.flat else _configuration_rate(self.model, q, v), a])

    def jacobian(self, t: float, x: np.ndarray) -> np.ndarray:
        """d rate / dx of the kernel's model and the controller, exact."""
        n = self.model.nv
        q, v = x[:n], x[n:]
        exact = derivatives(self.model, q, v, self.forces(t, q, v))
        J = np.block([[np.zeros((n, n)), np.eye(n)], [exact.q, exact.v]])
        if self.law is not None:
            J[n:] += exact.tau @ np.hstack(self.law.derivatives(t, q, v))
        return J

    def run(self, x: np.ndarray, times: np.ndarray, rtol: float, atol: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States (N, nq + nv) and forces (N, nv) at the output times; just before a jump where one falls on it.

        Fewer where the integration fails, with the `failure`.
        """
        from scipy.integrate import solve_ivp

        nq = self.model.nq
        states, forces = np.empty((len(times), len(x))), np.empty((len(times), self.model.nv))
        begin, filled = float(times[0]), 0
        while filled < len(times):
            if self.hold is not None:
                self.hold.update(begin, x[:nq], x[nq:])
            end = self._segment_end(begin, float(times[-1]))
            wanted = times[filled : np.searchsorted(times, end, side="right")]
            inside = np.nextafter(end, begin) if end < times[-1] else end  # a law is read before its jump
            solution = solve_ivp(
                lambda t, y, last=inside: self.rate(min(t, last), y),
                (begin, end),
                x,
                method="Radau",
                dense_output=True,
                jac=self.jacobian if self.flat else None,
                rtol=rtol,
                atol=atol,
            )
            self.steps += len(solution.t) - 1
            for t in wanted[wanted <= solution.t[-1]]:
                states[filled] = y = solution.sol(t)
                forces[filled] = self.forces(min(t, inside), y[:nq], y[nq:])
                filled += 1
            if not solution.success:
                self.failure = f"the integration stopped at t = {solution.t[-1]:.6g} s: {solution.message}"
                break
            x, begin = solution.y[:, -1], end
        return states[:filled], forces[:filled]

    def _segment_end(self, begin: float, last: float) -> float:
        jumps = self.law.jumps if self.law is not None else np.zeros(0)
        if self.hold is not None:
            jumps = np.array([self.hold.next_time])
        later = jumps[jumps > begin + 1e-12]
        return min(last, float(later[0])) if later.size else last


def _configuration_rate(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """dq/dt (nq,) of a configuration with quaternions."""
    rate = np.empty(model.nq)
    configuration_rate(model.struct, q, v, rate)
    return rate
