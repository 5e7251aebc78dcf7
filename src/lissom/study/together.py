"""Runs of a batch that are computed several at once, in lanes of vector registers, where they look alike."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lissom.dynamics.sensing import sensors_of
from lissom.errors import LissomError
from lissom.kernel.machine.library import complete
from lissom.kernel.packs import LANES
from lissom.scenario.prepare import Prepared, prepare
from lissom.scenario.schema import Scenario
from lissom.simulation.flock import Flock, Run, eligible
from lissom.simulation.raw import RawRun
from lissom.simulation.series import Series

MANY, WORTH = 64, 20_000  # runs of a batch that are computed in lanes: where kernels are at hand, and elsewhere
FEWEST = LANES // 2  # runs that fill a pack well enough


def worth(runs: int) -> bool:
    """Whether so many runs are worth lanes: a wheel brings the kernels, else they take a minute to compile."""
    return runs >= WORTH or (runs >= MANY and complete())


class Together:
    """Memory of one process for packs of runs."""

    def __init__(self) -> None:
        self._before: Prepared | None = None
        self._flock: Flock | None = None

    def run(self, scenarios: Mapping[int, Scenario]) -> dict[int, tuple[RawRun, np.ndarray]]:
        """Samples and start of those runs, by their number, that were computed together; audits are not kept."""
        ready: dict[int, Prepared] = {}
        for k, scenario in scenarios.items():
            try:
                ready[k] = self._before = prepare(scenario, self._before)
            except LissomError:
                continue  # whoever computes it alone says why
        runs = {k: Run(one.model, one.controller, one.start) for k, one in ready.items() if self._takes(one)}
        if len(runs) < FEWEST:
            return {}
        flock = self._flock_for(ready[next(iter(runs))])
        runs = {k: run for k, run in runs.items() if flock is not None and flock.fits(run)}
        if flock is None or len(runs) < FEWEST:
            return {}
        found = zip(runs, flock.run(list(runs.values())), strict=True)
        return {k: (raw, ready[k].start[0]) for k, raw in found if raw is not None}

    def _takes(self, one: Prepared) -> bool:
        settings = one.settings
        known = settings.method in ("auto", "radau") and settings.step is None
        return known and one.alone and eligible(Run(one.model, one.controller, one.start))

    def _flock_for(self, one: Prepared) -> Flock | None:
        """Memory for runs like this one; None where it takes another method."""
        settings = one.settings.model_copy(update={"audit": False})
        flock, run = self._flock, Run(one.model, one.controller, one.start)
        if flock is not None and flock.series.settings == settings and flock.fits(run):
            return flock
        self._flock = None
        drive = one.drive | {"sensors": sensors_of(one.model, one.sensors)}
        series = Series(one.model, settings, **drive)
        method = series.begin()
        if method.name == "radau" and not method.fixed:
            self._flock = Flock(series, method)
        return self._flock
