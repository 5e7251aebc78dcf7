"""The time loop: from a model, a controller and a start to a RawRun."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lissom.control.control_law import Holds
from lissom.control.reference import Reference
from lissom.control.sampled import Hold, Reader
from lissom.dynamics import mass_matrix
from lissom.dynamics.sensing import sensors_of
from lissom.dynamics.state import finite
from lissom.errors import LissomError
from lissom.kernel.machine import Struct
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.compiled import Model
from lissom.model.sensor import Sensor
from lissom.simulation.drive import (
    checked_motion,
    continuous_or_sampled,
    driven_rows,
    law_arrays,
    lengths_apart,
    stacked_motion,
)
from lissom.simulation.ending import Ending
from lissom.simulation.fastest import fastest_rate
from lissom.simulation.interrupt import heeded
from lissom.simulation.loads import activate, as_loads
from lissom.simulation.methods import (
    FAST,
    STABILITY,
    SUNDIALS,
    Method,
    check_installed,
    choose,
    followed_vibrations,
    recommend,
)
from lissom.simulation.newton import report
from lissom.simulation.outputs import check_size, output_times
from lissom.simulation.payload import as_payloads, exchange, with_payloads
from lissom.simulation.raw import RawRun
from lissom.simulation.record import DISSIPATED, LOAD_WORK, make_record, write_sample
from lissom.simulation.sensors import FILTERED, Row, Sensors, check_asked
from lissom.simulation.settings import RunSettings
from lissom.simulation.start import start_state
from lissom.simulation.stepping import CONTINUED, LEAST_STEP, NEXT_STEP, STEPS, TIME, Status, make_state
from lissom.simulation.system import (
    KERNEL,
    Dynamics,
    System,
    acceleration,
    dynamics_pointers,
    linear_parts,
    make_scratch,
)
from lissom.simulation.touching import SHORTEST, TRIES, Touching
from lissom.simulation.watch import Watch

CHUNK = 50  # steps between looks at the keyboard and the state; a number, not a time, so that runs repeat exactly
FAINT = 1e-4  # jumps of the jerk below this share of it, as where pieces of a sine meet, cost steps nothing
CORNERS = 100  # most corners of references that steps end at; splines have more, and small ones
TRIAL = 1000  # steps after which an implicit method has shown how short its steps are
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
    loads: Any = None,
    payloads: Any = None,
    sensors: Any = None,
    progress: Callable[[float], None] | None = None,
    dynamics: Dynamics = KERNEL,
    **options: Any,
) -> RawRun:
    """Integrate the equations of motion; see `lissom.simulate` for the arguments.

    `dynamics` may be those of another formulation; implicit methods still take their Newton matrix from the kernel.
    """
    settings = RunSettings.of(duration, **options)
    seen = sensors_of(as_model(robot), sensors)
    return Loop(robot, settings, controller, start, motion, loads, payloads, seen, dynamics).run(progress)


class Loop:
    """One run: everything compiled code needs, and the walk through its segments."""

    def __init__(
        self,
        robot: AnyRobot,
        settings: RunSettings,
        controller: Any = None,
        start: Any = None,
        motion: Mapping[str, Reference] | None = None,
        loads: Any = None,
        payloads: Any = None,
        sensors: Sequence[Sensor] = (),
        dynamics: Dynamics = KERNEL,
    ) -> None:
        check_installed(settings.method)
        motion = checked_motion(motion)
        motion, driven = lengths_apart(as_model(robot), motion) if motion else ({}, {})
        carrying, self.carried = with_payloads(as_model(robot, motion), as_payloads(payloads))
        self.model, self.loads = activate(carrying, as_loads(loads), settings.duration)
        self.samplers = self.loads.samplers()
        self.settings = settings
        self.duration, self.step = settings.duration, settings.step
        self.controller, self.law, self.sampled = continuous_or_sampled(self.model, controller)
        self.motion = stacked_motion(self.model, motion)
        self.driven = driven_rows(self.model, driven)
        self.hold: Hold | Holds | None = None
        law_jumps = self.law.jumps if self.law is not None else np.zeros(0)
        outside = (self.loads.reference.jumps, self.carried.times)
        self.jumps = np.unique(np.concatenate([law_jumps, self._bends(2), *outside]))
        corners = self._corners() if self.step is None else ()
        self.ends = np.union1d(self.jumps, corners if len(corners) <= CORNERS else ())
        self.times = output_times(self.model, settings)
        self.sensors = self._sensors(sensors)
        self.times = self.times if self.sensors is None else self.sensors.times
        self.twin = (self.law.twin if self.law is not None else None) or self.model
        parts: dict[str, Any] = self.motion | dynamics_pointers(self.model, dynamics)
        self.system = System(
            model=self.model.struct,
            twin=self.twin.struct,
            law=Struct(law_arrays(self.law)),
            held=np.zeros(self.model.nv),
            load_row=self.loads.row,
            load_entry=self.loads.entry,
            load_breaks=np.array(self.loads.reference.breaks),
            load_coefficients=np.array(self.loads.reference.coefficients),
            load_held=np.zeros(len(self.loads.row)),
            latest=np.array([np.inf]),
            **self.driven,
            **parts,
        )
        self.packed = Struct(self.system)
        self.scratch = self._scratch(np.float64, dynamics)
        closure = self.scratch.fields.closure
        self.record = make_record(self.model, self.times, settings.audit, len(self.loads.row), closure)
        self.packed_record = Struct(self.record)
        q, v = start_state(self.model, start, motion, driven)
        self.state = make_state(self.model, q, v, settings.rtol, settings.atol, pace(self.model, q))
        self.packed_state = Struct(self.state)
        self.method_name, self.reason = settings.method, "as asked"
        self.fastest = 0.0  # 1/s, at the start, where the method is chosen by it
        self.scratch_c: Any = self.scratch
        self.start = (q, v)
        self.watch = Watch(self.model, self.record)
        self.touching = Touching(self.model, self.state, self.record) if self.model.robot.contacts else None
        self.asked_to_stop: Callable[[], bool] = lambda: False

    def begin(self) -> Method:
        """Make everything ready for the first step and note the start."""
        self._start()
        method = self._method()
        self._compile(method)
        self._record_start()
        return method

    def hold_until(self, end: float, force: np.ndarray, method: Method) -> Stop | None:
        """March to `end` under a held force (nv,); why, when the run must stop on the way."""
        s = self.state
        self.system.latest[0] = np.inf
        self.system.held[:] = force
        acceleration(self.packed, self.scratch, s.clock[TIME], s.q, s.v, s.a)
        s.flags[CONTINUED] = 0
        stop = None
        while stop is None and s.clock[TIME] < end:
            stop = self._march(method, min(end, self._segment_end()), None)
        return stop

    def run(self, progress: Callable[[float], None] | None) -> RawRun:
        method = self.begin()
        began = time.perf_counter()
        stop: Stop | None = None
        try:
            with heeded() as self.asked_to_stop:
                while stop is None and self.state.clock[TIME] < self.duration:
                    stop = self._march(method, self._segment_end(), progress)
                    method = self._explicit(method) if self._outrun(method) else method
        except KeyboardInterrupt:
            text = f"stopped by hand at t = {self.state.clock[TIME]:.6g} s; what was computed is kept"
            stop = Stop(Ending.INTERRUPTED, text)
        result = self.result(method, stop or Stop(Ending.FINISHED), time.perf_counter() - began)
        method.over(self.model, self.packed, self.scratch)
        return result

    def _scratch(self, number: type, dynamics: Dynamics = KERNEL) -> Any:
        """Working vectors of the number type, without loads of an earlier run."""
        scratch = make_scratch(self.model, self.twin, number, dynamics)
        scratch.fields.wrench[:] = 0.0
        return scratch

    def _start(self) -> None:
        """Controller's first sample, consistent accelerations at t = 0."""
        self._sample_loads(0.0)
        if self.sampled is not None:
            self.hold = self.sampled.start(self.model, self._first_look())
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

    def _sensors(self, sensors: Sequence[Sensor]) -> Sensors | None:
        """The sensors of the run, and when its controllers read them."""
        asked = {} if self.sampled is None else self.sampled.asked(self.duration)
        check_asked(self.model, sensors, asked)
        for k, sensor in enumerate(sensors):
            for field, per_second in (("rate", sensor.rate), ("low_pass", FILTERED * (sensor.low_pass or 0.0))):
                check_size(self.model, self.duration * (per_second or 0.0), ("sensors", k, field), per_second or 0.0)
        return Sensors(self.model, sensors, self.times, asked) if sensors else None

    def _first_look(self) -> Reader | None:
        """Let sensors look before the controller's first torque is known: at a motion that is steady, a = 0."""
        if self.sensors is None or self.sampled is None or not self.sampled.asked(0.0):
            return None
        acceleration(self.packed, self.scratch, 0.0, self.state.q, self.state.v, self.state.a)
        self._record_start()
        self.record.a[0] = 0.0
        self._look()
        self.record.next[0] = 0
        return self.sensors.read

    def _look(self) -> None:
        """Let sensors look at what was recorded since they last did."""
        if self.sensors is None:
            return
        r, loads = self.record, (self.loads.row, self.loads.entry)
        for k in range(self.sensors.seen, int(r.next[0])):
            self.sensors.take(Row(r.q[k], r.v[k], r.a[k], r.load[k], r.lam[k]), loads)

    def _compile(self, method: Method) -> None:
        """Take no step, so that the clock does not count compilation."""
        if method.name not in SUNDIALS:
            self._call(method, self.duration, max_steps=0)

    def _call(self, method: Method, end: float, max_steps: int, longest: float = np.inf) -> int:
        return method.march(
            self.packed,
            self.scratch,
            self.scratch_c,
            self.packed_record,
            self.packed_state,
            method.work,
            end,
            self.step or min(0.1 * self.duration, longest),
            method.fixed,
            max_steps,
        )

    def _record_start(self) -> None:
        write_sample(self.packed, self.scratch, self.packed_record, 0.0, self.state.q, self.state.v, self.state.a)

    def _method(self) -> Method:
        if self.method_name == "auto":
            self.fastest = fastest_rate(self.model, self.packed, self.scratch, self.state)
            self.method_name, self.reason = recommend(self.fastest, self.duration)
        method = choose(self.method_name, self.settings, self.state, self.model, self.packed, self.scratch)
        if method.projector is not None:
            self.record = self.record._replace(projector=method.projector)
            self.packed_record = Struct(self.record)
        if method.implicit:
            self.scratch_c = self._scratch(np.complex128)
            method.work.fields.newton.fields.memory[2] = sharpness(self.model, self.settings)
        self.state.clock[NEXT_STEP] = self.step or min(1e-4, self.duration / 100)
        self.state.clock[LEAST_STEP] = 1e-12 * max(self.duration, 1e-3)
        return method

    def _outrun(self, method: Method) -> bool:
        """Whether implicit steps have become as short as explicit ones: they follow the fastest vibrations anyhow."""
        if method.name != "radau" or self.fastest == 0.0 or self.touching is not None or self.hold is not None:
            return False
        steps, t = int(self.state.counts[STEPS]), float(self.state.clock[TIME])
        return steps >= TRIAL and t * self.fastest < steps

    def _explicit(self, method: Method) -> Method:
        """The explicit method that goes on in place of an implicit one."""
        t = float(self.state.clock[TIME])
        self.reason += (
            f"; steps of radau were no longer, so dop853 took over at t = {t:.3g} s: it follows vibrations as well and "
            "loses nothing of their energy"
        )
        method.over(self.model, self.packed, self.scratch)
        self.record = self.record._replace(projector=self.scratch.fields.closure)
        self.packed_record = Struct(self.record)
        self.state.flags[CONTINUED] = 0
        acceleration(self.packed, self.scratch, t, self.state.q, self.state.v, self.state.a)
        taken = choose("dop853", self.settings, self.state, self.model, self.packed, self.scratch)
        self._compile(taken)
        return taken

    def _followed(self, step: float) -> str:
        """What to change where steps of the mean size `step` follow vibrations that nobody asked for."""
        if step > 0.1 / FAST:
            return ""
        return followed_vibrations(self._poles(), step, float(self.state.atol[0]))

    def _poles(self) -> np.ndarray:
        """Eigenvalues of the loop, linearised at the present state: all of them, n^3."""
        scratch_c = self._scratch(np.complex128)
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
        samples = [sampler.next_time for sampler in self.samplers]
        samples += [] if self.hold is None else [self.hold.next_time]
        return min([end, *samples])

    def _sample_loads(self, t: float) -> None:
        """New values of sampled loads that are due."""
        for sampler in self.samplers:
            if t >= sampler.next_time - 1e-12:
                sampler.sample(sampler.next_time, self.state.q, self.state.v, self.system.load_held)

    def _bends(self, order: int, share: float = 1e-9) -> np.ndarray:
        """Times where a derivative of the prescribed motion up to `order` jumps."""
        moved = [(self.motion["motion_breaks"], self.motion["motion_coefficients"])]
        moved.append((self.driven["driven_breaks"], self.driven["driven_coefficients"]))
        bends = [Reference(*parts).discontinuities(order, share) for parts in moved if parts[1].shape[1]]
        return np.unique(np.concatenate([np.zeros(0), *bends]))

    def _corners(self) -> np.ndarray:
        """Times where the jerk of a reference or motion jumps: steps end there, or they lose their order."""
        corners = self._bends(3, FAINT)
        return corners if self.law is None else np.union1d(corners, self.law.reference.discontinuities(3, FAINT))

    def _march(self, method: Method, end: float, progress: Callable | None) -> Stop | None:
        """Advance to the end of a segment, or until another method would do better; why, when the run must stop."""
        self.system.latest[0] = end - 1e-13 * max(1.0, end)
        while True:
            code = self._call(method, end, CHUNK) if self.touching is None else self._feel(method, end, self.touching)
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
            if self._outrun(method):
                return None
        self._look()
        jumps = self.hold is not None or self.samplers or np.any(self.jumps == end)
        return self._restart(end) if jumps and end < self.duration else None

    def _feel(self, method: Method, end: float, touching: Touching) -> int:
        """One step, and again, shorter, where it runs through a surface: contacts begin and end with a step."""
        now, longest = float(self.state.clock[TIME]), touching.longest_step()

        def step() -> int:
            if method.fixed or method.name in SUNDIALS:  # their steps are as long as asked, or until an end
                return self._call(method, min(end, now + longest), 1)
            return self._call(method, end, 1, longest)

        for _ in range(TRIES):
            code = step()
            shorter = touching.overrun() if code not in FAILURES else None
            if shorter is None or shorter < SHORTEST:
                return code
            touching.take_back()
            longest = shorter
        return step()

    def _restart(self, t: float) -> Stop | None:
        """After a jump: new held forces, accelerations that fit them, no extrapolation across."""
        s = self.state
        self.system.latest[0] = np.inf
        if self.hold is not None and t >= self.hold.next_time - 1e-12:
            try:
                self.system.held[:] = self.hold.update(self.hold.next_time, s.q, s.v)
            except Exception as error:  # of the user's function; what was computed before it is worth keeping
                return Stop(Ending.CONTROLLER_FAILED, _controller_failure(error, t))
        try:
            self._sample_loads(t)
        except Exception as error:  # likewise
            return Stop(Ending.CONTROLLER_FAILED, _controller_failure(error, t, "a load"))
        self._exchange_payloads(t)
        acceleration(self.packed, self.scratch, t, s.q, s.v, s.a)
        s.flags[CONTINUED] = 0
        if self.step is None and self.hold is None and not self.samplers:
            s.clock[NEXT_STEP] = min(s.clock[NEXT_STEP], 1e-3 * self.duration)
        written = int(self.record.next[0])
        if abs(self.times[written - 1] - t) <= 1e-9 * max(1.0, t):  # an output at a jump shows what follows it
            self.record.next[0] = written - 1
            write_sample(self.packed, self.scratch, self.packed_record, t, s.q, s.v, s.a)
        return None

    def _exchange_payloads(self, t: float) -> None:
        """Pick up and drop what is due, with the jump of the velocities and the account of energy."""
        done = exchange(self.model, self.carried, t, self.state.q, self.state.v) if self.carried.payloads else None
        if done is not None:
            if self.sensors is not None:
                list(self.carried.put(self.sensors.arrays, t))
            self.state.v[:] = done.v
            self.record.flow[LOAD_WORK] += done.gained
            self.record.flow[DISSIPATED] += done.lost
            self.watch.events += done.events

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

    def result(self, method: Method, stop: Stop, wall: float = 0.0) -> RawRun:
        """What was recorded so far."""
        r = self.record
        n: Any = slice(0, self.watch.valid(int(r.next[0])))
        sensed = None
        if self.sensors is not None:
            self._look()
            n = np.flatnonzero(self.sensors.is_output[n])
            sensed = self.sensors.result(len(n))
        steps, rejected, evaluations, jacobians = (int(x) for x in self.state.counts)
        step = float(self.state.clock[TIME]) / max(1, steps)
        followed = self._followed(step) if method.implicit and self.settings.method == "auto" else ""
        return RawRun(
            model=self.model,
            time=r.times[n].copy(),
            q=r.q[n].copy(),
            v=r.v[n].copy(),
            a=r.a[n].copy(),
            tau=r.tau[n].copy(),
            multipliers=r.lam[n].copy(),
            given=r.given[n].copy(),
            work=r.work[n].copy(),
            dissipated=r.dissipated[n].copy(),
            load_work=r.load_work[n].copy(),
            carried=self.carried,
            sensed=sensed,
            loads=replace(self.loads, values=r.load[n].copy()),
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


def _controller_failure(error: Exception, t: float, whose: str = "the controller") -> str:
    """What to tell about an error in a controller's or load's function: its own words, or what it is and where."""
    if isinstance(error, LissomError):
        return str(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error}"
    return f"{whose} failed at t = {t:.6g} s with {what} ({place.filename}, line {place.lineno})"


def pace(model: Model, q: np.ndarray) -> np.ndarray:
    """Own frequency of each coordinate (nv,), rad/s, PACE at least: vibrations as exact in velocity as in position."""
    inertia = np.diag(mass_matrix(model, q))
    stiffness = np.zeros(model.nv)
    for body in model.bodies:
        if body.link in model.flexible:
            stiffness[body.modes_v] = np.diag(model.flexible[body.link].stiffness())
    return np.maximum(PACE, np.sqrt(stiffness / np.where(inertia > 0, inertia, np.inf)))


def sharpness(model: Model, settings: RunSettings) -> float:
    """How many times smaller than errors allowed Newton's corrections must be where bodies rub; 0 where none do.

    They must tell sticking from sliding: a tenth of the speed over which friction builds up.
    """
    contacts = model.arrays.contacts
    rubbing = np.real(contacts.friction_speed)[np.real(contacts.friction) > 0]
    allowed = PACE * settings.atol + settings.rtol
    return max(1.0, 10.0 * allowed / float(rubbing.min())) if len(rubbing) else 0.0
