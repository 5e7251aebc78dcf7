"""Where the runs of a batch are computed: one after the other, each in the memory of the one before if it can."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.sensing import sensors_of
from lissom.kernel.data.arrays import Arrays
from lissom.kernel.data.table_operations import alike
from lissom.model.compilation.tip_frames import Probe, follow, own_tips
from lissom.scenario.prepare import Prepared, prepare
from lissom.scenario.scenario_schema import Scenario
from lissom.simulation.batch.rerun import Rerun
from lissom.simulation.postprocess import Observation, Wanted, make_room, observe_run
from lissom.simulation.raw_run import RawRun
from lissom.simulation.settings import RunSettings


class RunReuse:
    """Memory of one process for runs that look alike."""

    def __init__(self, audit: bool) -> None:
        self._audit = audit  # whether accounts of energy are wanted, of runs that keep one
        self._before: Prepared | None = None
        self._settings: RunSettings | None = None
        self._rerun: Rerun | None = None
        self._room: tuple[tuple[Wanted, int], Any] | None = None  # for what is looked at, by how much and how often
        self._points: tuple[Arrays, Probe] | None = None  # tips of a model, and its tables

    def run(self, scenario: Scenario) -> tuple[RawRun, np.ndarray]:
        """Return the samples of a run and the configuration where it began."""
        before, self._before = self._before, prepare(scenario, self._before)
        prepared = self._before
        model, start, settings = prepared.model, prepared.start, self._settings_of(prepared, before)
        if before is not None and model is not before.model:
            model.take_over(before.model)
        if self._rerun is not None and prepared.alone:
            raw = self._rerun.run_again(model, settings, prepared.controller, start)
            if raw is not None:
                return raw, start[0]
        drive = prepared.drive | {"sensors": sensors_of(model, prepared.sensors)}
        rerun = Rerun(model, settings, **drive)
        self._rerun = rerun if prepared.alone else None
        return rerun.run(None), start[0]

    def _settings_of(self, prepared: Prepared, before: Prepared | None) -> RunSettings:
        """Return the settings of a run, with an account of energy where it is wanted."""
        if self._settings is None or before is None or prepared.settings != before.settings:
            audit = self._audit and prepared.settings.audit
            self._settings = prepared.settings.model_copy(update={"audit": audit})
        return self._settings

    def observe(self, raw: RawRun, look: Wanted) -> Observation:
        """Return what follows from the samples of a run, in memory that the next look uses again."""
        model = raw.model
        if self._points is not None and alike(self._points[0], model.arrays):
            follow(self._points[1], model)
        else:
            self._points, self._room = (model.arrays, own_tips(model)), None
        key = look, len(raw.q)
        if self._room is None or self._room[0] != key or model.loops:
            self._room = key, make_room(model, len(raw.q))
        return observe_run(raw, look, points=self._points[1], room=self._room[1])
