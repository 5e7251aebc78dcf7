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
from lissom.simulation.equations.newton import report
from lissom.simulation.equations.recorder import DISSIPATED, LOAD_WORK, WORK
from lissom.simulation.equations.system import KERNEL, Dynamics
from lissom.simulation.inputs.payload import exchange
from lissom.simulation.inputs.sensor_signals import RecordedState
from lissom.simulation.integrators.integrator_state import CONTINUED, NEXT_STEP, TIME, Status
from lissom.simulation.integrators.registry import Method
from lissom.simulation.raw_run import RawRun
from lissom.simulation.settings import RunSettings
from lissom.simulation.status.run_ending import Ending
from lissom.simulation.status.run_limits import RunLimits
from lissom.simulation.stepping.contact_events import SHORTEST, TRIES, ContactEvents
from lissom.simulation.stepping.failure_causes import FAILURES, Stop, function_failure, march_failure, unstable
from lissom.simulation.stepping.interrupts import AFTER_ALL, defer_interrupts, watch_interrupts
from lissom.simulation.stepping.method_selection import MethodSelection
from lissom.simulation.stepping.run_memory import RunMemory

CHUNK = 50  # steps between looks at the keyboard and the state; a number, not a time, so that runs repeat exactly


def simulate_raw(
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
    memory = RunMemory(robot, settings, controller, start, motion, loads, payloads, seen, dynamics)
    return TimeLoop(memory).run(progress)


def begin_anew(state: Any, record: Any, t: float, longest: float, write: Callable[[float], None]) -> None:
    """Begin anew after a jump at t, with accelerations that fit: no extrapolation across, a short first step.

    An output at the jump shows what follows it.
    """
    state.flags[CONTINUED] = 0
    state.clock[NEXT_STEP] = min(state.clock[NEXT_STEP], longest)
    written = int(record.next[0])
    if abs(record.times[written - 1] - t) <= 1e-9 * max(1.0, t):
        record.next[0] = written - 1
        write(t)


class TimeLoop:
    """The walk of one run through its segments, in a memory that is at the start.

    Parameters
    ----------
    memory : RunMemory
        Everything that steps work on.
    selection : MethodSelection, optional
        Who chooses the integrator.
    jumped : callable, optional
        Called with the time of the start, and of every jump after it.
    """

    def __init__(
        self,
        memory: RunMemory,
        selection: MethodSelection | None = None,
        jumped: Callable[[float], None] = lambda t: None,
    ) -> None:
        self.memory, self.selection = memory, selection or MethodSelection(memory)
        self._jumped = jumped
        self._hold: Hold | Holds | None = None
        self._limits = RunLimits(memory.model, memory.record, memory.given_lengths)
        self._contacts = ContactEvents(memory.model, memory.state, memory.record) if memory.touches else None
        self._asked_to_stop: Callable[[], bool] = lambda: False

    def begin(self) -> Method:
        """Make everything ready for the first step and write the start."""
        self._start()
        method = self.selection.start()
        self.memory.compile(method)
        self.memory.write(0.0)
        self._jumped(0.0)
        return method

    def run(self, progress: Callable[[float], None] | None = None) -> RawRun:
        """Integrate to the end, or to where the run must stop; `progress` is told the time now and then."""
        memory, method = self.memory, self.begin()
        began = time.perf_counter()
        stop: Stop | None = None
        try:
            with watch_interrupts() as self._asked_to_stop:
                while stop is None and memory.state.clock[TIME] < memory.duration:
                    stop = self._march(method, self._segment_end(), progress)
                    method = self.selection.better(method, self._limits)
        except KeyboardInterrupt:
            text = f"stopped by hand at t = {memory.state.clock[TIME]:.6g} s; what was computed is kept"
            stop = Stop(Ending.INTERRUPTED, text)
        wall = time.perf_counter() - began
        with defer_interrupts() as pressed:  # nothing of what was computed is lost by now
            result = self.result(method, stop or Stop(Ending.FINISHED), wall)
            if pressed() and stop is None:
                result.status, result.message = Ending.INTERRUPTED, AFTER_ALL
        method.release()
        return result

    def hold_until(self, end: float, force: np.ndarray, method: Method) -> Stop | None:
        """March to `end` under a held force (nv,); returns why, when the run must stop on the way."""
        memory, s = self.memory, self.memory.state
        memory.system.latest[0] = np.inf
        memory.system.held[:] = force
        memory.accelerate(float(s.clock[TIME]))
        s.flags[CONTINUED] = 0
        stop = None
        while stop is None and s.clock[TIME] < end:
            stop = self._march(method, min(end, self._segment_end()), None)
        return stop

    def _start(self) -> None:
        """Take the controller's first sample, and accelerations at t = 0 that fit it."""
        memory = self.memory
        self._sample_loads(0.0)
        if memory.sampled is not None:
            self._hold = memory.sampled.start(memory.model, self._first_look())
            try:
                memory.system.held[:] = self._hold.update(0.0, memory.state.q, memory.state.v)
            except LissomError:
                raise
            except Exception as error:  # of the user's function
                raise LissomError(function_failure(error, 0.0)) from error
        memory.accelerate(0.0)
        if not np.all(np.isfinite(memory.state.a)):
            bad = memory.model.coordinates[int(np.argmin(np.isfinite(memory.state.a)))]
            raise LissomError(f"the acceleration of {bad} at the start is not finite; check masses and start state")

    def _first_look(self) -> Reader | None:
        """Let sensors look before the controller's first torque is known: at a motion that is steady, a = 0."""
        memory = self.memory
        if memory.sensors is None or memory.sampled is None or not memory.sampled.asked(0.0):
            return None
        memory.accelerate(0.0)
        memory.write(0.0)
        memory.record.a[0] = 0.0
        self._look()
        memory.record.next[0] = 0
        return memory.sensors.read

    def _look(self) -> None:
        """Let sensors look at what was recorded since they last did."""
        memory, sensors = self.memory, self.memory.sensors
        if sensors is None:
            return
        r, loads = memory.record, (memory.loads.row, memory.loads.entry)
        for k in range(sensors.seen, int(r.next[0])):
            sensors.take(RecordedState(r.q[k], r.v[k], r.a[k], r.load[k], r.lam[k]), loads)

    def _segment_end(self) -> float:
        """Return the next time when something jumps or bends: a reference, a sampled torque, or the end of the run."""
        memory = self.memory
        end = memory.segments.end_after(float(memory.state.clock[TIME]), memory.duration)
        held = [*memory.samplers, *([] if self._hold is None else [self._hold])]
        return min([end, *(each.next_time for each in held)])

    def _sample_loads(self, t: float) -> None:
        """Take new values of sampled loads that are due."""
        memory = self.memory
        for sampler in memory.samplers:
            if t >= sampler.next_time - 1e-12:
                sampler.sample(sampler.next_time, memory.state.q, memory.state.v, memory.system.load_held)

    def _march(self, method: Method, end: float, progress: Callable[..., Any] | None) -> Stop | None:
        """Advance to the end of a segment, or until another method would do better.

        Returns why, when the run must stop.
        """
        memory, state = self.memory, self.memory.state
        memory.system.latest[0] = end - 1e-13 * max(1.0, end)
        while True:
            # A chunk of steps, or one where contacts begin and end.
            status = memory.march(method, end, CHUNK) if self._contacts is None else self._feel(method, end)
            if progress is not None:
                progress(float(state.clock[TIME]))
            if self._asked_to_stop():
                raise KeyboardInterrupt
            # What makes going on senseless, then what the steps themselves failed at.
            beyond = self._limits.look(state, method.integrator.compiled)
            if beyond is not None:
                return Stop(Ending.DIVERGED, unstable(memory, method) or beyond)
            if status in FAILURES:
                return march_failure(status, memory, method, self._limits)
            if status is Status.REACHED:
                break
            if self.selection.is_unsuited(method, self._limits):
                return None
        self._look()
        jumps = self._hold is not None or memory.samplers or np.any(memory.segments.jumps == end)
        return self._restart(end) if jumps and end < memory.duration else None

    def _feel(self, method: Method, end: float) -> Status:
        """Take one step, and again, shorter, where it runs through a surface: contacts begin and end with a step."""
        memory, contacts = self.memory, self._contacts
        assert contacts is not None, "called where there are contacts"
        now, longest = float(memory.state.clock[TIME]), contacts.longest_step()

        def step() -> Status:
            if method.fixed or method.integrator.own_steps:  # their steps are as long as asked, or until an end
                return memory.march(method, min(end, now + longest), 1)
            return memory.march(method, end, 1, longest)

        for _ in range(TRIES):
            status = step()
            shorter = contacts.overrun() if status not in FAILURES else None
            if shorter is None or shorter < SHORTEST:
                return status
            contacts.take_back()
            longest = shorter
        return step()

    def _restart(self, t: float) -> Stop | None:
        """Begin anew after a jump: new held forces, accelerations that fit them, no extrapolation across."""
        memory, s = self.memory, self.memory.state
        memory.system.latest[0] = np.inf
        # The user's functions may fail; what was computed before is worth keeping.
        if self._hold is not None and t >= self._hold.next_time - 1e-12:
            try:
                memory.system.held[:] = self._hold.update(self._hold.next_time, s.q, s.v)
            except Exception as error:
                return Stop(Ending.CONTROLLER_FAILED, function_failure(error, t))
        try:
            self._sample_loads(t)
        except Exception as error:
            return Stop(Ending.CONTROLLER_FAILED, function_failure(error, t, "a load"))
        self._exchange_payloads(t)
        memory.accelerate(t)
        free = memory.step is None and self._hold is None and not memory.samplers
        begin_anew(s, memory.record, t, 1e-3 * memory.duration if free else np.inf, memory.write)
        self._jumped(t)
        return None

    def _exchange_payloads(self, t: float) -> None:
        """Pick up and drop what is due, with the jump of the velocities and the account of energy."""
        memory, carried = self.memory, self.memory.carried
        done = exchange(memory.model, carried, t, memory.state.q, memory.state.v) if carried.payloads else None
        if done is not None:
            if memory.sensors is not None:
                list(carried.put(memory.sensors.memory, t))
            memory.state.v[:] = done.v
            memory.record.flow[LOAD_WORK] += done.gained
            memory.record.flow[DISSIPATED] += done.lost
            memory.record.flow[WORK] += done.driven
            self._limits.events += done.events

    def result(self, method: Method, stop: Stop, wall: float = 0.0) -> RawRun:
        """Return what was recorded so far."""
        memory, r = self.memory, self.memory.record
        n: Any = slice(0, self._limits.valid(int(r.next[0])))
        sensed = None
        if memory.sensors is not None:
            self._look()
            n = np.flatnonzero(memory.sensors.is_output[n])
            sensed = memory.sensors.result(len(n))
        steps, rejected, evaluations, jacobians = (int(x) for x in memory.state.counts)
        step = float(memory.state.clock[TIME]) / max(1, steps)
        return RawRun(
            model=memory.model,
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
            carried=memory.carried,
            sensed=sensed,
            loads=replace(memory.loads, values=r.load[n].copy()),
            method=method.name,
            reason=self.selection.reason + self.selection.advice(method, step),
            steps=steps,
            rejected=rejected,
            evaluations=evaluations,
            jacobians=jacobians,
            newton={} if method.newton is None else report(method.newton),
            wall=wall,
            status=stop.ending,
            message=stop.message,
            warnings=self._limits.events,
            controller=memory.controller,
            settings=memory.settings,
        )
