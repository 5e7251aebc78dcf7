"""Runs of models that differ in numbers alone, one after the other in the memory of the first.

What a run is driven by, its output times, the tables of its law and the memory of its method are made once: that takes
longer than a short motion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from lissom.control.laws.control_law import ControlLaw
from lissom.control.laws.law_tables import law_arrays
from lissom.model.model import Model
from lissom.simulation.integrators.error_scales import pace
from lissom.simulation.integrators.registry import Method
from lissom.simulation.loop.time_loop import AS_ASKED, TimeLoop
from lissom.simulation.raw_run import RawRun
from lissom.simulation.settings import RunSettings
from lissom.simulation.status.run_limits import RunLimits

IN_TIME = ("breaks", "coefficients", "feed_breaks", "feed_coefficients")  # tables of a law that cut the time


class Rerun(TimeLoop):
    """The time loop of such runs; `run` is for the first. Arguments as for `lissom.simulate`."""

    def __init__(self, model: Model, settings: RunSettings, **drive: Any) -> None:
        super().__init__(model, settings, **drive)
        self._kept: Method | None = None
        self._first: list[tuple[np.ndarray, np.ndarray]] = []  # memory, and what it holds before the first step

    def run_again(
        self, model: Model, settings: RunSettings, controller: Any, start: tuple[np.ndarray, np.ndarray]
    ) -> RawRun | None:
        """Another run, whose model has taken over the memory; None where it does not fit.

        Nothing else may drive it: no motion, load, payload, sensor, contact or loop.
        """
        alike = model.arrays is self.model.arrays and settings == self.settings and self.sampled is None
        if self._kept is None or not alike or not (controller is self.controller or self._follow(controller)):
            return None
        twin = None if self.law is None else self.law.twin
        self.model, self.twin, self.start = model, twin or model, start
        for memory, first in self._first:
            memory[...] = first
        state, (q, v) = self.state, start
        state.q[:], state.q1[:], state.v[:] = q, q, v
        state.atol_rate[:] = self.settings.absolute_error * pace(model, q)
        self.record.next[0], self.record.flow[:] = 0, 0.0
        self.system.latest[0] = np.inf
        self.scratch.fields.wrench[:] = 0.0
        self.method_name, self.reason, self.fastest = self.settings.method, AS_ASKED, 0.0
        self.watch = RunLimits(model, self.record, self.given_lengths)
        return self.run(None)

    def _follow(self, controller: Any) -> bool:
        """Take over another controller, where its tables are as large; whether that was done."""
        laws = (controller, self.law)
        if not all(isinstance(law, ControlLaw) and law.twin is None and law.outside is None for law in laws):
            return False
        tables, memory = law_arrays(controller), self.system.law.fields
        if any(a.shape != b.shape for a, b in zip(tables, memory, strict=True)):
            return False
        moved = not all(np.array_equal(getattr(tables, name), getattr(memory, name)) for name in IN_TIME)
        for own, table in zip(memory, tables, strict=True):
            own[...] = table
        self.controller = self.law = controller
        if moved:
            self.segments = self.cut()
        return True

    def run(self, progress: Callable[[float], None] | None) -> RawRun:
        raw = super().run(progress)
        if raw.method != self.method_name:  # another one took over on the way
            self._kept = None
        return raw

    def _choose(self) -> Method:
        """The method, in the memory of the run before where it is the same."""
        if self._kept is not None and self._kept.name == self.method_name:
            return self._kept
        self.keep(self.record._replace(projector=self.closure))
        self.scratch_c = self.scratch
        method = super()._choose()
        self._kept = method if method.work is not None else None
        if self._kept is not None:
            self._first = [(memory, memory.copy()) for memory in (*self.state, *_memory(method.work.fields))]
        return method


def _memory(work: Any) -> Iterator[np.ndarray]:
    """What a method notes from step to step; the rest of its memory it fills before it reads it."""
    parts = (work, work.newton.fields) if hasattr(work, "newton") else (work,)
    return (array for part in parts for array in part if isinstance(array, np.ndarray))
