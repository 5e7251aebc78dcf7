"""The time loop: from a model, a controller and a start to a RawRun."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from lissom.control.laws.control_law import Holds
from lissom.control.laws.sampled_control import Hold, Reader
from lissom.control.references.reference import Reference
from lissom.dynamics.sensing import sensors_of
from lissom.errors import LissomError
from lissom.model.any_robot import AnyRobot, as_model
from lissom.simulation.equations.newton_iteration import report
from lissom.simulation.equations.recorder import DISSIPATED, LOAD_WORK, WORK
from lissom.simulation.equations.system import KERNEL, Dynamics
from lissom.simulation.inputs.payload import exchange
from lissom.simulation.inputs.sensor_signals import Row
from lissom.simulation.integrators.error_scales import sharpness
from lissom.simulation.integrators.integrator_state import CONTINUED, NEXT_STEP, STEPS, TIME, Status, set_out
from lissom.simulation.integrators.registry import FAST, SUNDIALS, Method, choose, followed_vibrations, recommend
from lissom.simulation.loop.contact_events import SHORTEST, TRIES, ContactEvents
from lissom.simulation.loop.failure_causes import FAILURES, Stop, function_failure, march_failure, unstable
from lissom.simulation.loop.interrupts import AFTER_ALL, deferred, heeded
from lissom.simulation.loop.run_memory import RunMemory
from lissom.simulation.loop.spectral_radius import spectral_radius
from lissom.simulation.raw_run import RawRun
from lissom.simulation.settings import RunSettings
from lissom.simulation.status.run_ending import Ending
from lissom.simulation.status.run_limits import SINGULAR, RunLimits

CHUNK = 50  # steps between looks at the keyboard and the state; a number, not a time, so that runs repeat exactly
AS_ASKED = "as asked"  # why a method was taken
TRIAL = 1000  # steps after which an implicit method has shown how short its steps are
WORTH = 7.0  # times the steps of a run: the square of so many velocities has all eigenvalues in half its time


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
    return TimeLoop(robot, settings, controller, start, motion, loads, payloads, seen, dynamics).run(progress)


def begin_anew(state: Any, record: Any, t: float, longest: float, write: Callable[[float], None]) -> None:
    """After a jump at t, with accelerations that fit what follows: no extrapolation across, a first step that is short.

    An output at the jump shows what follows it.
    """
    state.flags[CONTINUED] = 0
    state.clock[NEXT_STEP] = min(state.clock[NEXT_STEP], longest)
    written = int(record.next[0])
    if abs(record.times[written - 1] - t) <= 1e-9 * max(1.0, t):
        record.next[0] = written - 1
        write(t)


class TimeLoop(RunMemory):
    """One run: the walk through its segments."""

    def __init__(self, robot: AnyRobot, settings: RunSettings, *drive: Any, **more: Any) -> None:
        super().__init__(robot, settings, *drive, **more)
        self.method_name, self.reason = settings.method, AS_ASKED
        self.fastest = 0.0  # 1/s, at the start, where the method is chosen by it
        self.singular = False  # whether loops have come near a singular position
        self.hold: Hold | Holds | None = None
        self.watch = RunLimits(self.model, self.record, self.given_lengths)
        self.touching = ContactEvents(self.model, self.state, self.record) if self.model.robot.contacts else None
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
        self.accelerate(float(s.clock[TIME]))
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
                    method = self._better(method)
        except KeyboardInterrupt:
            text = f"stopped by hand at t = {self.state.clock[TIME]:.6g} s; what was computed is kept"
            stop = Stop(Ending.INTERRUPTED, text)
        wall = time.perf_counter() - began
        with deferred() as pressed:  # nothing of what was computed is lost by now
            result = self.result(method, stop or Stop(Ending.FINISHED), wall)
            if pressed() and stop is None:
                result.status, result.message = Ending.INTERRUPTED, AFTER_ALL
        method.over()
        return result

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
                raise LissomError(function_failure(error, 0.0)) from error
        self.accelerate(0.0)
        if not np.all(np.isfinite(self.state.a)):
            bad = self.model.coordinates[int(np.argmin(np.isfinite(self.state.a)))]
            raise LissomError(f"the acceleration of {bad} at the start is not finite; check masses and start state")

    def _first_look(self) -> Reader | None:
        """Let sensors look before the controller's first torque is known: at a motion that is steady, a = 0."""
        if self.sensors is None or self.sampled is None or not self.sampled.asked(0.0):
            return None
        self.accelerate(0.0)
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
        self.write(0.0)

    def _method(self) -> Method:
        if self.method_name == "auto":
            self.fastest = spectral_radius(self.model, self.packed, self.scratch, self.state)
            self.method_name, self.reason = recommend(self.fastest, self.duration, bool(self.model.loops))
        method = self._choose()
        self._ready(method)
        set_out(self.state, self.duration, self.step)
        return method

    def _ready(self, method: Method) -> None:
        """Give an implicit method what it takes besides its own memory."""
        if method.implicit:
            self.scratch_c = self.make_scratch(np.complex128)
            method.work.fields.newton.fields.memory[2] = sharpness(self.model, self.settings)

    def _choose(self) -> Method:
        method = choose(self.method_name, self.settings, self.state, self.model, self.packed, self.scratch)
        if method.projector is not None:
            self.keep(self.record._replace(projector=method.projector))
        return method

    def _outrun(self, method: Method) -> bool:
        """Whether implicit steps have become as short as explicit ones: they follow the fastest vibrations anyhow."""
        if method.name != "radau" or self.fastest == 0.0 or self.touching is not None or self.hold is not None:
            return False
        steps, t = int(self.state.counts[STEPS]), float(self.state.clock[TIME])
        return steps >= TRIAL and t * self.fastest < steps and not self._near_singular()

    def _near_singular(self) -> bool:
        """Whether loops are near a position where explicit stages may leave their branch, or were since `radau` left.

        Looked at from chunk to chunk.
        """
        if self.model.loops and not self.singular:
            self.singular = self.watch.near_singular(self.state.q)[0] < SINGULAR
        return self.singular

    def _better(self, method: Method) -> Method:
        """The method that goes on where the present one of `auto` no longer suits."""
        if self._outrun(method):
            return self._explicit(method)
        return self._implicit() if self._endangered(method) else method

    def _endangered(self, method: Method) -> bool:
        """Whether an explicit method that took over comes near what it should not pass."""
        return (
            self.settings.method == "auto" and not method.implicit and bool(self.model.loops) and self._near_singular()
        )

    def _implicit(self) -> Method:
        """The implicit method that goes on, to the end, in place of an explicit one."""
        t = float(self.state.clock[TIME])
        self.reason += f"; from t = {t:.3g} s on radau again, where loops come near a singular position"
        method = self._choose()
        self._ready(method)
        self.state.flags[CONTINUED] = 0
        self.accelerate(t)
        self._compile(method)
        return method

    def _explicit(self, method: Method) -> Method:
        """The explicit method that goes on in place of an implicit one."""
        t = float(self.state.clock[TIME])
        self.reason += (
            f"; steps of radau were no longer, so dop853 took over at t = {t:.3g} s: it follows vibrations as well and "
            "loses nothing of their energy"
        )
        method.over()
        self.keep(self.record._replace(projector=self.closure, reach=np.zeros(2)))
        self.state.flags[CONTINUED] = 0
        self.accelerate(t)
        self.scratch_c = self.scratch  # as for every explicit method
        taken = choose("dop853", self.settings, self.state, self.model, self.packed, self.scratch)
        self._compile(taken)
        return taken

    def _followed(self, step: float) -> str:
        """What to change where steps of the mean size `step` follow vibrations that nobody asked for.

        Not looked for where that would take longer than half the run.
        """
        if step > 0.1 / FAST or self.model.nv**2 > WORTH * self.state.counts[STEPS]:
            return ""
        return followed_vibrations(self.poles(), step, float(self.state.atol[0]))

    def _segment_end(self) -> float:
        """The next time when something jumps or bends: a reference, a sampled torque, or the end of the run."""
        end = self.segments.end_after(float(self.state.clock[TIME]), self.duration)
        held = [*self.samplers, *([] if self.hold is None else [self.hold])]
        return min([end, *(each.next_time for each in held)])

    def _sample_loads(self, t: float) -> None:
        """New values of sampled loads that are due."""
        for sampler in self.samplers:
            if t >= sampler.next_time - 1e-12:
                sampler.sample(sampler.next_time, self.state.q, self.state.v, self.system.load_held)

    def _march(self, method: Method, end: float, progress: Callable | None) -> Stop | None:
        """Advance to the end of a segment, or until another method would do better; why, when the run must stop."""
        self.system.latest[0] = end - 1e-13 * max(1.0, end)
        while True:
            code = self._call(method, end, CHUNK) if self.touching is None else self._feel(method, end, self.touching)
            if progress is not None:
                progress(float(self.state.clock[TIME]))
            if self.asked_to_stop():
                raise KeyboardInterrupt
            beyond = self.watch.look(self.state, method.name not in SUNDIALS)
            if beyond is not None:
                return Stop(Ending.DIVERGED, unstable(self, method) or beyond)
            if code in FAILURES:
                return march_failure(code, self, method, self.watch)
            if code == Status.REACHED:
                break
            if self._outrun(method) or self._endangered(method):
                return None
        self._look()
        jumps = self.hold is not None or self.samplers or np.any(self.segments.jumps == end)
        return self._restart(end) if jumps and end < self.duration else None

    def _feel(self, method: Method, end: float, touching: ContactEvents) -> int:
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
                return Stop(Ending.CONTROLLER_FAILED, function_failure(error, t))
        try:
            self._sample_loads(t)
        except Exception as error:  # likewise
            return Stop(Ending.CONTROLLER_FAILED, function_failure(error, t, "a load"))
        self._exchange_payloads(t)
        self.accelerate(t)
        free = self.step is None and self.hold is None and not self.samplers
        begin_anew(s, self.record, t, 1e-3 * self.duration if free else np.inf, self.write)
        return None

    def _exchange_payloads(self, t: float) -> None:
        """Pick up and drop what is due, with the jump of the velocities and the account of energy."""
        done = exchange(self.model, self.carried, t, self.state.q, self.state.v) if self.carried.payloads else None
        if done is not None:
            if self.sensors is not None:
                list(self.carried.put(self.sensors.memory, t))
            self.state.v[:] = done.v
            self.record.flow[LOAD_WORK] += done.gained
            self.record.flow[DISSIPATED] += done.lost
            self.record.flow[WORK] += done.driven
            self.watch.events += done.events

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
