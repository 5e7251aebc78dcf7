"""Runs of a batch that are computed several at once, in lanes of vector registers, where they look alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any

from lissom.dynamics.sensing import sensors_of
from lissom.kernel.compile.libraries.library import is_complete
from lissom.kernel.packs import LANES
from lissom.model.model import Follower, Model
from lissom.scenario.prepare import Prepared, prepare_all
from lissom.scenario.scenario_schema import Scenario
from lissom.simulation.batch.rerun import Rerun
from lissom.simulation.batch.vector_batch import VectorBatch, eligible
from lissom.simulation.batch.vector_results import LaneRun, VectorResults
from lissom.simulation.integrators.method_choice import recommend
from lissom.simulation.integrators.registry import AUTO, integrator
from lissom.simulation.settings import RunSettings

MANY, WORTH = 64, 20_000  # runs of a batch that are computed in lanes: where kernels are at hand, and elsewhere
FEWEST = 2  # runs that take longer alone than in a pack that is hardly filled
AT_ONCE = 8 * LANES  # runs that are prepared together, and the most that pass through one pack
SHARES = 64  # parts that a batch must have for whatever number of cores


def worth(runs: int) -> bool:
    """Return whether so many runs are worth lanes: a wheel brings the kernels, else they take a minute to compile."""
    return runs >= WORTH or (runs >= MANY and at_hand())


def stream_of(runs: int) -> int:
    """Return how many runs of a batch may pass through one pack: no more than leave work for many cores."""
    size = LANES
    while 2 * size <= min(AT_ONCE, runs // SHARES):
        size *= 2
    return size


_found: list[bool] = []  # that kernels are at hand, once they are: looking for them takes longer than a few runs


def at_hand() -> bool:
    """Return whether the library holds the kernels for lanes."""
    if not _found and is_complete():
        _found.append(True)
    return bool(_found)


class VectorRuns:
    """Memory of one process for packs of runs, all of which are prepared from `base`."""

    def __init__(self, base: Prepared) -> None:
        self._base = base
        self._batch: VectorBatch | None = None
        self._follower: Follower | None = None

    def followed(self, model: Model) -> Model:
        """Return the model in the memory of the one before, where they are alike: laying it out is slow."""
        if self._follower is None or not self._follower.fits(model):
            self._follower = Follower(model)
        return self._follower.of(model)

    def run(self, scenarios: Mapping[int, Scenario], size: int = LANES) -> Iterator[tuple[list[int], VectorResults]]:
        """Yield runs that were computed together: their numbers, and what is to be read before the next are asked for.

        Runs whose numbers begin with the same multiple of `size` pass through the lanes of a pack one after the other,
        where their settings are the same but for the duration. Audits are not kept.
        """
        for some in _streams({k: one for k, one in self._prepare(scenarios).items() if self._takes(one)}, size):
            batch = self._batch_for(next(iter(some.values()))) if len(some) >= FEWEST else None
            runs = {} if batch is None else {k: run for k, one in some.items() if batch.fits(run := _run(one))}
            if batch is not None and len(runs) >= FEWEST:
                numbers = list(runs)
                for ran in batch.stream(list(runs.values())):
                    for alike in ran.alike():
                        yield [numbers[k] for k in alike.numbers], alike

    def _prepare(self, scenarios: Mapping[int, Scenario]) -> dict[int, Prepared]:
        """Return those that can be prepared; whoever computes the others alone says why not."""
        made = zip(scenarios, prepare_all(list(scenarios.values()), self._base), strict=True)
        return {k: one for k, one in made if one is not None}

    def _takes(self, one: Prepared) -> bool:
        settings = one.settings
        if settings.step is not None or not one.alone or not eligible(_run(one)):
            return False
        return integrator(self._choose_method(settings)).vector_kernels is not None

    def _choose_method(self, settings: RunSettings) -> str:
        """Return the integrator of runs with these settings."""
        return recommend(self._fastest, settings.duration)[0] if settings.method == AUTO else settings.method

    @cached_property
    def _fastest(self) -> float:
        """Of the base, 1/s: whether a run may stand in a lane does not turn on who else is in its process."""
        rerun = _rerun(self._base, self._base.settings.model_copy(update={"method": AUTO}))
        rerun.begin()
        return rerun.fastest

    def _batch_for(self, one: Prepared) -> VectorBatch:
        """Return the memory for runs like this one."""
        settings = one.settings.model_copy(update={"audit": False, "method": self._choose_method(one.settings)})
        batch, run = self._batch, _run(one)
        if batch is not None and batch.settings(settings.duration) == settings and batch.fits(run):
            return batch
        rerun = _rerun(one, settings)
        self._batch = batch = VectorBatch(rerun, rerun.begin())
        return batch


def _rerun(one: Prepared, settings: RunSettings) -> Rerun:
    return Rerun(one.model, settings, **(one.drive | {"sensors": sensors_of(one.model, one.sensors)}))


def _streams(ready: Mapping[int, Prepared], size: int) -> Iterator[dict[int, Prepared]]:
    """Yield runs that pass through one pack: each has its tolerances from one of them."""
    for _, numbers in groupby(ready, lambda k: k // size):
        near = list(numbers)
        for kind in dict.fromkeys(_kind(ready[k].settings) for k in near):
            yield {k: ready[k] for k in near if _kind(ready[k].settings) == kind}


@lru_cache(maxsize=AT_ONCE)
def _kind(settings: RunSettings) -> tuple[Any, ...]:
    """Return settings but for the duration."""
    return tuple(value for name, value in settings if name != "duration")


def _run(one: Prepared) -> LaneRun:
    return LaneRun(one.model, one.controller, one.start, one.settings.duration)
