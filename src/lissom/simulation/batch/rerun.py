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
from lissom.simulation.raw_run import RawRun
from lissom.simulation.settings import RunSettings
from lissom.simulation.stepping.method_selection import MethodSelection
from lissom.simulation.stepping.run_memory import RunMemory
from lissom.simulation.stepping.time_loop import TimeLoop

# tables of a law that cut the time
IN_TIME = ("breaks", "coefficients", "feed_breaks", "feed_coefficients", "aim_breaks", "aim_coefficients")


class Rerun:
    """Runs in the memory of the first; arguments as for `lissom.simulate`."""

    def __init__(self, model: Model, settings: RunSettings, **drive: Any) -> None:
        self.memory = RunMemory(model, settings, **drive)
        self._selection = KeptMethod(self.memory)

    @property
    def fastest(self) -> float:
        """Return the fastest eigenvalue at the start, 1/s, where the method was chosen by it."""
        return self._selection.fastest

    def begin(self) -> Method:
        """Make everything ready for the first step and write the start."""
        return TimeLoop(self.memory, self._selection).begin()

    def run(self, progress: Callable[[float], None] | None = None) -> RawRun:
        """Integrate from the start that the memory holds."""
        raw = TimeLoop(self.memory, self._selection).run(progress)
        if raw.method != self._selection.name:  # another one took over on the way
            self._selection.kept = None
        return raw

    def run_again(
        self, model: Model, settings: RunSettings, controller: Any, start: tuple[np.ndarray, np.ndarray]
    ) -> RawRun | None:
        """Integrate another run, whose model has taken over the memory; None where it does not fit.

        Nothing else may drive it: no motion, load, payload, sensor, contact or loop.
        """
        memory = self.memory
        alike = model.arrays is memory.model.arrays and settings == memory.settings and memory.sampled is None
        same_law = controller is memory.controller
        if self._selection.kept is None or not alike or not (same_law or self._follow(controller)):
            return None
        twin = None if memory.law is None else memory.law.twin
        memory.model, memory.twin, memory.start = model, twin or model, start
        # What steps leave behind begins as it did before the first one.
        for array, first in self._selection.first:
            array[...] = first
        state, (q, v) = memory.state, start
        state.q[:], state.q1[:], state.v[:] = q, q, v
        state.atol_rate[:] = memory.settings.absolute_error * pace(model, q)
        memory.record.next[0], memory.record.flow[:] = 0, 0.0
        memory.system.latest[0] = np.inf
        memory.scratch.fields.wrench[:] = 0.0
        self._selection.forget()
        return self.run()

    def _follow(self, controller: Any) -> bool:
        """Take over another controller, where its tables are as large; returns whether that was done."""
        memory = self.memory
        laws = (controller, memory.law)
        if not all(isinstance(law, ControlLaw) and law.twin is None and law.outside is None for law in laws):
            return False
        tables, kept = law_arrays(controller), memory.system.law.fields
        if any(a.shape != b.shape for a, b in zip(tables, kept, strict=True)):
            return False
        moved = not all(np.array_equal(getattr(tables, name), getattr(kept, name)) for name in IN_TIME)
        for own, table in zip(kept, tables, strict=True):
            own[...] = table
        memory.controller = memory.law = controller
        if moved:
            memory.segments = memory.cut()
        return True


class KeptMethod(MethodSelection):
    """The choice of an integrator that takes the memory of the run before where it is the same."""

    kept: Method | None = None
    first: tuple[tuple[np.ndarray, np.ndarray], ...] = ()  # memory, and what it holds before the first step

    def _make(self) -> Method:
        if self.kept is not None and self.kept.name == self.name:
            return self.kept
        memory = self.memory
        memory.keep(memory.record._replace(projector=memory.closure))
        memory.scratch_c = memory.scratch
        method = super()._make()
        self.kept = method if method.work is not None else None
        if self.kept is not None:
            noted = (*memory.state, *_memory(method.work.fields))
            self.first = tuple((array, array.copy()) for array in noted)
        return method


def _memory(work: Any) -> Iterator[np.ndarray]:
    """Yield what a method notes from step to step; the rest of its memory it fills before it reads it."""
    parts = (work, work.newton.fields) if hasattr(work, "newton") else (work,)
    return (array for part in parts for array in part if isinstance(array, np.ndarray))
