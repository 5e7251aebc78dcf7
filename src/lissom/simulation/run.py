"""The time loop: from a model, a controller and a start to a RawRun."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from lissom.control.reference import Reference
from lissom.control.sampled import Hold
from lissom.dynamics import mass_matrix
from lissom.dynamics.state import finite
from lissom.errors import LissomError
from lissom.kernel.machine import Struct
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.compiled import Model
from lissom.simulation.drive import checked_motion, continuous_or_sampled, law_arrays, stacked_motion
from lissom.simulation.ending import Ending
from lissom.simulation.fastest import fastest_rate
from lissom.simulation.interrupt import heeded
from lissom.simulation.methods import FAST, STABILITY, SUNDIALS, Method, choose, followed_vibrations, recommend
from lissom.simulation.newton import report
from lissom.simulation.outputs import output_times
from lissom.simulation.raw import RawRun
from lissom.simulation.record import make_record, write_sample
from lissom.simulation.settings import RunSettings
from lissom.simulation.start import start_state
from lissom.simulation.stepping import CONTINUED, LEAST_STEP, NEXT_STEP, TIME, Status, make_state
from lissom.simulation.system import (
    KERNEL,
    Dynamics,
    System,
    acceleration,
    dynamics_pointers,
    linear_parts,
    make_scratch,
)
from lissom.simulation.watch import Watch

CHUNK = 50  # steps between looks at the keyboard and the state; a number, not a time, so that runs repeat exactly
CORNERS = 100  # most corners of references that steps end at; splines have more, and small ones
PACE = 300.0  # 1/s: error allowed in velocities per error allowed in positions, of all that is slower than that
FAILURES = {Status.FAILED: Ending.NOT_CONVERGED, Status.NOT_FINITE: Ending.NOT_FINITE}


class Stop(NamedTuple):
    """Why a run ends where it does."""

    ending: Ending
    message: str = ""


def run(
    robot: AnyRobot,
    duration: float | RunSettings,
    *,
    controller: Any = None,
    start: Any = None,
    motion: Mapping[str, Reference] | None = None,
    progress: Callable[[float], None] | None = None,
    dynamics: Dynamics = KERNEL,
    **options: Any,
) -> RawRun:
    """Integrate the equations of motion; see `lissom.simulate` for the arguments.

    `dynamics` may be those of another formulation; implicit methods still take their Newton matrix from the kernel.
    """
    settings = RunSettings.of(duration, **options)
    return Loop(robot, settings, controller, start, motion, dynamics).run(progress)


class Loop:
    """One run: everything compiled code needs, and the walk through its segments."""

    def __init__(
        self,
        robot: AnyRobot,
        settings: RunSettings,
        controller: Any = None,
        start: Any = None,
        motion: Mapping[str, Reference] | None = None,
        dynamics: Dynamics = KERNEL,
    ) -> None:
        motion = checked_motion(motion)
        self.model = as_model(robot, motion)
        self.settings = settings
        self.duration, self.step = settings.duration, settings.step
        self.controller, self.law, self.sampled = continuous_or_sampled(self.model, controller)
        self.motion = stacked_motion(self.model, motion)
        self.hold: Hold | None = None
        self.jumps = np.union1d(self.law.jumps if self.law is not None else [], self._bends(2))
        corners = self._corners() if self.step is None else ()
        self.ends = np.union1d(self.jumps, corners if len(corners) <= CORNERS else ())
        self.times = output_times(self.model, settings)
        self.twin = (self.law.twin if self.law is not None else None) or self.model
        parts: dict[str, Any] = self.motion | dynamics_pointers(self.model, dynamics)
        self.system = System(
            model=self.model.struct,
            twin=self.twin.struct,
            law=Struct(law_arrays(self.law)),
            held=np.zeros(self.model.nv),
            latest=np.array([np.inf]),
            **parts,
        )
        self.packed = Struct(self.system)
        self.scratch = make_scratch(self.model, self.twin, np.float64, dynamics)
        self.record = make_record(self.model, self.times, settings.audit)
        self.packed_record = Struct(self.record)
        q, v = start_state(self.model, start, motion=motion)
        self.state = make_state(self.model, q, v, settings.rtol, settings.atol, pace(self.model, q))
        self.packed_state = Struct(self.state)
        self.method_name, self.reason = settings.method, "as asked"
        self.scratch_c: Any = self.scratch
        self.start = (q, v)
        self.watch = Watch(self.model, self.record)
        self.asked_to_stop: Callable[[], bool] = lambda: False

    def run(self, progress: Callable[[float], None] | None) -> RawRun:
        self._start()
        method = self._method()
        self._compile(method)
        began = time.perf_counter()
        stop: Stop | None = None
        try:
            with heeded() as self.asked_to_stop:
                self._record_start()
                while stop is None and self.state.clock[TIME] < self.duration:
                    stop = self._march(method, self._segment_end(), progress)
        except KeyboardInterrupt:
            text = f"stopped by hand at t = {self.state.clock[TIME]:.6g} s; what was computed is kept"
            stop = Stop(Ending.INTERRUPTED, text)
        result = self._result(method, stop or Stop(Ending.FINISHED), time.perf_counter() - began)
        method.over(self.model, self.packed, self.scratch)
        return result

    def _start(self) -> None:
        """Controller's first sample, consistent accelerations at t = 0."""
        if self.sampled is not None:
            self.hold = self.sampled.start(self.model)
            try:
                self.system.held[:] = self.hold.update(0.0, self.state.q, self.state.v)
            except LissomError:
                raise
            except Exception as error:  # of the user's function
                raise LissomError(_controller_failure(error, 0.0)) from error
        acceleration(self.packed, self.scratch, 0.0, self.state.q, self.state.v, self.state.a)
        if not np.all(np.isfinite(self.state.a)):
            bad = self.model.coordinates[int(np.argmin(np.isfinite(self.state.a)))]
            raise LissomError(f"the acceleration of {bad} at the start is not finite; check masses and start state")

    def _compile(self, method: Method) -> None:
        """Take no step, so that the clock does not count compilation."""
        if method.name not in SUNDIALS:
            self._call(method, self.duration, max_steps=0)

    def _call(self, method: Method, end: float, max_steps: int) -> int:
        return method.march(
            self.packed,
            self.scratch,
            self.scratch_c,
            self.packed_record,
            self.packed_state,
            method.work,
            end,
            self.step or 0.1 * self.duration,
            method.fixed,
            max_steps,
        )

    def _record_start(self) -> None:
        write_sample(self.packed, self.scratch, self.packed_record, 0.0, self.state.q, self.state.v, self.state.a)

    def _method(self) -> Method:
        if self.method_name == "auto":
            fastest = fastest_rate(self.model, self.packed, self.scratch, self.state)
            self.method_name, self.reason = recommend(fastest, self.duration)
        method = choose(self.method_name, self.settings, self.state, self.model, self.packed, self.scratch)
        if method.implicit:
            self.scratch_c = make_scratch(self.model, self.twin, np.complex128)
        self.state.clock[NEXT_STEP] = self.step or min(1e-4, self.duration / 100)
        self.state.clock[LEAST_STEP] = 1e-12 * max(self.duration, 1e-3)
        return method

    def _followed(self, step: float) -> str:
        """What to change where steps of the mean size `step` follow vibrations that nobody asked for."""
        if step > 0.1 / FAST:
            return ""
        return followed_vibrations(self._poles(), step, float(self.state.atol[0]))

    def _poles(self) -> np.ndarray:
        """Eigenvalues of the loop, linearised at the present state: all of them, n^3."""
        scratch_c = make_scratch(self.model, self.twin, np.complex128)
        n = self.model.nv
        M, C, K = (np.zeros((n, n)) for _ in range(3))
        s = self.state
        linear_parts(self.packed, self.scratch, scratch_c, 0.0, s.q, s.v, s.a, M, C, K)
        for part in (M, C, K):
            finite(self.model, "the linear model of the start", part, q=s.q, v=s.v)
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
        return np.linalg.eigvals(A)

    def _segment_end(self) -> float:
        """The next time when something jumps or bends: a reference, a sampled torque, or the end of the run."""
        t = float(self.state.clock[TIME])
        later = self.ends[self.ends > t + 1e-12]
        end = min(self.duration, float(later[0]) if later.size else self.duration)
        return end if self.hold is None else min(end, self.hold.next_time)

    def _bends(self, order: int) -> np.ndarray:
        """Times where a derivative of the prescribed motion up to `order` jumps."""
        if not self.model.prescribed:
            return np.zeros(0)
        return Reference(self.motion["motion_breaks"], self.motion["motion_coefficients"]).discontinuities(order)

    def _corners(self) -> np.ndarray:
        """Times where the jerk of a reference or motion jumps: steps end there, or they lose their order."""
        corners = self._bends(3)
        return corners if self.law is None else np.union1d(corners, self.law.reference.discontinuities(3))

    def _march(self, method: Method, end: float, progress: Callable | None) -> Stop | None:
        """Advance to the end of a segment; why, when the run must stop there."""
        self.system.latest[0] = end - 1e-13 * max(1.0, end)
        while True:
            code = self._call(method, end, CHUNK)
            if progress is not None:
                progress(float(self.state.clock[TIME]))
            if self.asked_to_stop():
                raise KeyboardInterrupt
            beyond = self.watch.look(self.state)
            if beyond is not None:
                return Stop(Ending.DIVERGED, self._unstable(method) or beyond)
            if code in FAILURES:
                return Stop(FAILURES[Status(code)], self._failure(code, method))
            if code == Status.REACHED:
                break
        jumps = self.hold is not None or np.any(self.jumps == end)
        return self._restart(end) if jumps and end < self.duration else None

    def _restart(self, t: float) -> Stop | None:
        """After a jump: new held forces, accelerations that fit them, no extrapolation across."""
        s = self.state
        self.system.latest[0] = np.inf
        if self.hold is not None and t >= self.hold.next_time - 1e-12:
            try:
                self.system.held[:] = self.hold.update(self.hold.next_time, s.q, s.v)
            except Exception as error:  # of the user's function; what was computed before it is worth keeping
                return Stop(Ending.CONTROLLER_FAILED, _controller_failure(error, t))
        acceleration(self.packed, self.scratch, t, s.q, s.v, s.a)
        s.flags[CONTINUED] = 0
        if self.step is None and self.hold is None:
            s.clock[NEXT_STEP] = min(s.clock[NEXT_STEP], 1e-3 * self.duration)
        written = int(self.record.next[0])
        if abs(self.times[written - 1] - t) <= 1e-9 * max(1.0, t):  # an output at a jump shows what follows it
            self.record.next[0] = written - 1
            write_sample(self.packed, self.scratch, self.packed_record, t, s.q, s.v, s.a)
        return None

    def _failure(self, code: int, method: Method) -> str:
        t, h = self.state.clock[TIME], self.state.clock[NEXT_STEP]
        worst = self.watch.worst(self.state)
        if code == Status.NOT_FINITE:
            remedy = f"take a smaller step than {self.step:.3g} s" if method.fixed else "check forces and masses"
            return self._unstable(method) or f"the state became infinite after t = {t:.6g} s ({worst}); {remedy}"
        return (
            f"{method.name} did not converge at t = {t:.6g} s with steps down to {h:.2g} s ({worst}); "
            "loosen rtol or atol, or look for a jump or a stiff stop there"
        )

    def _unstable(self, method: Method) -> str:
        """Whether an explicit method's fixed step was too large for the start already, and by how much."""
        if method.implicit or not method.fixed or self.step is None:
            return ""
        s = self.state
        s.q[:], s.v[:] = self.start
        acceleration(self.packed, self.scratch, 0.0, s.q, s.v, s.a)
        fastest = fastest_rate(self.model, self.packed, self.scratch, s)
        limit = STABILITY.get(method.name, 3.0) / fastest if fastest > 0 else np.inf
        if self.step < limit:
            return ""
        return (
            f"{method.name} is unstable with steps of {self.step:.3g} s at t = {s.clock[TIME]:.6g} s: the fastest "
            f"eigenvalue, {fastest:.3g} 1/s, asks for less than {limit:.2g} s; take smaller steps, or method radau"
        )

    def _result(self, method: Method, stop: Stop, wall: float) -> RawRun:
        r = self.record
        n = self.watch.valid(int(r.next[0]))
        steps, rejected, evaluations, jacobians = (int(x) for x in self.state.counts)
        step = float(self.state.clock[TIME]) / max(1, steps)
        followed = self._followed(step) if method.implicit and self.settings.method == "auto" else ""
        return RawRun(
            model=self.model,
            time=r.times[:n].copy(),
            q=r.q[:n].copy(),
            v=r.v[:n].copy(),
            a=r.a[:n].copy(),
            tau=r.tau[:n].copy(),
            work=r.work[:n].copy(),
            dissipated=r.dissipated[:n].copy(),
            method=method.name,
            reason=self.reason + followed,
            steps=steps,
            rejected=rejected,
            evaluations=evaluations,
            jacobians=jacobians,
            newton=report(method.work.fields.newton.fields) if method.implicit else {},
            wall=wall,
            status=stop.ending,
            message=stop.message,
            warnings=self.watch.events,
            controller=self.controller,
            settings=self.settings,
        )


def _controller_failure(error: Exception, t: float) -> str:
    """What to tell about an error in a controller's function: its own words, or what it is and where."""
    if isinstance(error, LissomError):
        return str(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error}"
    return f"the controller failed at t = {t:.6g} s with {what} ({place.filename}, line {place.lineno})"


def pace(model: Model, q: np.ndarray) -> np.ndarray:
    """Own frequency of each coordinate (nv,), rad/s, PACE at least: vibrations as exact in velocity as in position."""
    inertia = np.diag(mass_matrix(model, q))
    stiffness = np.zeros(model.nv)
    for body in model.bodies:
        if body.link in model.flexible:
            stiffness[body.modes_v] = np.diag(model.flexible[body.link].stiffness())
    return np.maximum(PACE, np.sqrt(stiffness / np.where(inertia > 0, inertia, np.inf)))
