"""A run that is advanced piece by piece, under forces that are given from outside and held in between."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lissom.errors import LissomError
from lissom.model.any_robot import AnyRobot
from lissom.model.model import Model
from lissom.simulation.integrators.integrator_state import TIME
from lissom.simulation.raw_run import RawRun
from lissom.simulation.settings import RunSettings
from lissom.simulation.status.run_ending import Ending
from lissom.simulation.stepping.failure_causes import Stop
from lissom.simulation.stepping.run_memory import RunMemory
from lissom.simulation.stepping.time_loop import TimeLoop


class Stepper:
    """A motion that waits for the next forces; arguments as for `lissom.simulate`."""

    def __init__(self, robot: AnyRobot, settings: RunSettings, **drive: Any) -> None:
        self._memory = RunMemory(robot, settings, **drive)
        if self._memory.sampled is not None:
            raise LissomError("a controller with samples of its own cannot run beside forces from outside")
        self._loop = TimeLoop(self._memory)
        self._method = self._loop.begin()
        self._stop: Stop | None = None

    @property
    def model(self) -> Model:
        """Return the model that moves."""
        return self._memory.model

    @property
    def time(self) -> float:
        """Return the time reached, s."""
        return float(self._memory.state.clock[TIME])

    @property
    def q(self) -> np.ndarray:
        """Configuration (nq,)."""
        return self._memory.state.q.copy()

    @property
    def v(self) -> np.ndarray:
        """Velocities (nv,)."""
        return self._memory.state.v.copy()

    @property
    def a(self) -> np.ndarray:
        """Accelerations (nv,)."""
        return self._memory.state.a.copy()

    @property
    def over(self) -> bool:
        """Whether its time is up or it failed."""
        return self._stop is not None or self.time >= self._memory.duration

    @property
    def failure(self) -> str:
        """Why it ended before its time; empty where it did not."""
        return "" if self._stop is None else self._stop.message

    def advance(self, force: np.ndarray, duration: float) -> None:
        """Go on for so many seconds while `force` (nv,) acts, beside the controller if it has one."""
        if self.over:
            raise LissomError("the run is over; begin another")
        end = min(self.time + duration, self._memory.duration)
        if end > self._memory.duration - 1e-9 * duration:
            end = self._memory.duration
        self._stop = self._loop.hold_until(end, force, self._method)

    def result(self) -> RawRun:
        """Return what was recorded so far."""
        return self._loop.result(self._method, self._stop or Stop(Ending.FINISHED))

    def latest(self) -> RawRun:
        """Return the last sample recorded, alone."""
        raw = self.result()
        own = {
            name: values[-1:]
            for name in ("time", "q", "v", "a", "tau", "work", "dissipated", "multipliers", "given", "load_work")
            if (values := getattr(raw, name)) is not None
        }
        loads = raw.loads
        if loads is not None and loads.values is not None:
            loads = replace(loads, values=loads.values[-1:])
        sensed = None if raw.sensed is None else raw.sensed._replace(reading=raw.sensed.reading[-1:])
        return replace(raw, **own, loads=loads, sensed=sensed)
