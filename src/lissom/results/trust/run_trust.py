"""Error bars of a run: it is repeated with more outputs, finer steps, more functions and a better field."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from lissom.errors import LissomError
from lissom.messages import listed
from lissom.model.any_robot import as_model
from lissom.model.description.robot import Robot
from lissom.progress import Progress
from lissom.results.error_bars import ErrorBar, ErrorSource, Trust
from lissom.results.trajectory import Trajectory, from_run
from lissom.results.trust.convergence import Measured
from lissom.results.trust.headline import Headline, headline
from lissom.results.trust.refined_robots import (
    as_many_more,
    enriched,
    function_counts,
    half_more,
    shearing,
    with_field,
)
from lissom.results.trust.repeatable_run import RepeatableRun
from lissom.simulation.settings import FINEST, RunSettings
from lissom.simulation.status.run_ending import Ending

TIGHTER = 100.0  # times smaller tolerances
SHORTER = 4.0  # times shorter fixed steps
PER_STEP = 4.0  # outputs in a step, between which peaks are found
MOST_SAMPLES = 20_000  # of a dense run
BUDGET = 1.0  # s for looking at links one by one
MATTERS = 0.1  # share of a number's error from which on it is worth knowing which link it comes from
NEAR = 0.02  # of the run, by which a peak comes after a jump that causes it
TRUSTED = 1e-4  # relative errors below this need no remedy
Numbers = dict[str, Headline]
KINDS = {"sampling": "outputs", "time": "steps", "functions": "functions", "field": "field", "shear": "no shear"}


def trust(run: Trajectory, *, budget: float = BUDGET, progress: bool = True) -> Trust:
    """Measure how far the numbers of a run can be trusted, and where their errors come from.

    The run is made again, each time with one thing refined: more outputs (peaks between samples), tolerances a hundred
    times smaller, more shape functions (twice), the exact field, sections that shear; and with all of them.

    Parameters
    ----------
    run : Trajectory
        A run of `lissom.simulate` or of a scenario, in the process that made it.
    budget : float, optional
        Seconds that looking at links and directions one by one may take. Where it would take longer, functions of all
        links are one source.
    progress : bool, optional
        Show how far it is, once it takes longer than two seconds.

    Returns
    -------
    Trust
        An error bar for every number of the summary tables; `run.trust` and `run.summary()` have it from then on.

    Examples
    --------
    >>> run = lissom.simulate("ella", 0.5)
    >>> lissom.trust(run)["peak |deflection.upper|"].main_source
    """
    again = run.repeat
    if not isinstance(again, RepeatableRun):
        raise LissomError("what this run was made of is not known, so it cannot be repeated; simulate it again")
    if run.info.status is not Ending.FINISHED or run.info.settings is None:
        raise LissomError(f"the run did not get to its end ({run.info.message}), so its numbers have no error bars")
    with Progress("measuring errors", show=progress):
        found = _Measurement(run, again, budget).trust()
    run.info = replace(run.info, trust=found.to_dict())
    return found


class _Measurement:
    """The repeated runs of one run."""

    def __init__(self, run: Trajectory, again: RepeatableRun, budget: float) -> None:
        assert run.info.settings is not None, "checked by the caller"
        self.again, self.budget = again, budget
        self.robot = again.robot
        self.plain = headline(run.summary())
        self.notes: list[str] = []
        self.failed = ""  # why no number can be trusted: a better run does not get to its end
        self.repeats, self._began = 0, time.perf_counter()
        self.plain_wall = max(run.info.wall, 1e-6)
        self.walls: dict[str, float] = {}
        dense = _dense(run.info.settings, run.info.steps)
        self.settings, self.tight = dense, _tighter(dense)
        self.counts = function_counts(self.robot, as_model(self.robot))

    def trust(self) -> Trust:
        """Return error bars of all numbers."""
        dense, fine = self._run("outputs", self.robot, self.settings), self._run("steps", self.robot, self.tight)
        if dense is None or fine is None:
            return self._none()
        model = as_model(self.robot)
        best = self.robot
        half = twice = dense
        self.sizes = (1, 2, 3)
        if any(n for counts in self.counts.values() for n in counts.values()):
            richer = enriched(self.robot, model, as_many_more)
            found = self._run("functions", enriched(self.robot, model, half_more), self.settings)
            more = self._run("functions", richer, self.settings) if found else None
            if found and more:
                half, twice, best = found, more, richer
                self.sizes = self._all_sizes
        better = {}
        for kind, change in (("field", _exact), ("shear", shearing)):
            changed = change(self.robot)
            if changed is self.robot:
                continue
            found = self._run(KINDS[kind], changed, self.settings)
            if found:
                better[kind], best = found, change(best)
        together = fine if best is self.robot else self._run("everything at once", best, self.tight)
        if not together:
            return self._none()
        runs = (dense, fine, half, twice, together)
        measured = {name: self._measured(name, plain, runs, better) for name, plain in self.plain.items()}
        jumps = self._jumps
        alone = self._one_by_one(measured)
        bars = {
            name: self._bar(
                name, self.plain[name], each, {place: run[name].value for place, run in alone.items()}, jumps
            )
            for name, each in measured.items()
        }
        wall = time.perf_counter() - self._began
        return Trust(bars, self._remedy(bars), self.repeats, wall, tuple(dict.fromkeys(self.notes)))

    def _measured(self, name: str, plain: Headline, runs: Sequence[Numbers], better: Mapping[str, Numbers]) -> Measured:
        """Return one number of the plain run and of the repeated ones; not a number where a run has none."""

        def of(run: Numbers) -> float:
            return run[name].value if name in run else np.nan

        dense, fine, half, twice, together = map(of, runs)
        return Measured(
            plain=plain.value,
            dense=dense,
            finer_steps=fine,
            half_more=half,
            twice=twice,
            better={kind: of(run) for kind, run in better.items()},
            together=together,
            sizes=self.sizes,
            scale=self._scale(plain.unit),
        )

    def _scale(self, unit: str) -> float:
        """Return the size of what has this unit: the largest number of it."""
        return max(abs(one.value) for one in self.plain.values() if one.unit == unit)

    def _none(self) -> Trust:
        """Return what can be said where the runs that decide could not be made: no number is certain."""
        why = self.failed or "not measured"
        bars = {name: ErrorBar(name, one.unit, one.value, np.inf, (), why) for name, one in self.plain.items()}
        return Trust(bars, "", self.repeats, time.perf_counter() - self._began, tuple(dict.fromkeys(self.notes)))

    @property
    def _all_sizes(self) -> tuple[int, int, int]:
        """The number of functions of all links, as they are and enriched by half and by as many."""
        counts = [n for each in self.counts.values() for n in each.values() if n]
        return sum(counts), sum(n + half_more(n) for n in counts), sum(n + as_many_more(n) for n in counts)

    def _run(self, what: str, robot: Robot, settings: RunSettings) -> Numbers | None:
        """Return the numbers of a repeated run; None, with a note, where it cannot be made or ends early."""
        try:
            raw = self.again.make(robot, settings)
        except LissomError as error:
            self.notes.append(f"errors of {what} are not measured: {error}")
            return None
        self.repeats += 1
        self.walls[what] = raw.wall
        if raw.status is not Ending.FINISHED:
            self.notes.append(f"errors of {what} are not measured: such a run {raw.status.word}, {raw.message}")
            self.failed = self.failed or f"a run that is better in {what} {raw.status.word}"
            return None
        self._jumps = self.again.jumps(raw)
        return headline(from_run(raw).summary())

    def _one_by_one(self, measured: Mapping[str, Measured]) -> dict[tuple[str, str], Numbers]:
        """Return the numbers of runs in which one direction of one link alone has more functions."""
        shares = [each.changes["functions"] / each.error for each in measured.values() if each.finite and each.error]
        places = self._places
        if not places or max(shares, default=0.0) < MATTERS or len(places) == 1:
            return {}
        took = (time.perf_counter() - self._began) / self.repeats
        if took * len(places) > self.budget:
            by_link = {link: {(link, way) for way, n in counts.items() if n} for link, counts in self.counts.items()}
            if len(by_link) == 1 or took * len(by_link) > self.budget:
                return {}
            return self._single({(link, ""): ways for link, ways in by_link.items() if ways})
        return self._single({place: {place} for place in places})

    def _single(self, places: Mapping[tuple[str, str], Iterable[tuple[str, str]]]) -> dict[tuple[str, str], Numbers]:
        model = as_model(self.robot)
        runs = {
            place: self._run("single links", enriched(self.robot, model, as_many_more, set(ways)), self.settings)
            for place, ways in places.items()
        }
        return {place: run for place, run in runs.items() if run is not None}

    def _bar(
        self, name: str, plain: Headline, found: Measured, alone: Mapping[tuple[str, str], float], jumps: np.ndarray
    ) -> ErrorBar:
        if not found.finite:
            both_missing = not np.isfinite([found.plain, found.together]).any()
            why = "" if both_missing else "it is there in some of the repeated runs only"
            return ErrorBar(name, plain.unit, plain.value, np.inf, (), why)
        sources = [
            self._source(kind, error) for kind, error in found.changes.items() if kind != "functions" or not alone
        ]
        for (link, way), value in alone.items():
            sources.append(ErrorSource("functions", _functions_of(link, way), abs(value - found.dense), link, way))
        sources.sort(key=lambda one: -one.error)
        why = self.failed or _limitless(plain, found, jumps, self.settings.duration)
        return ErrorBar(name, plain.unit, found.plain, np.inf if why else found.error, tuple(sources), why)

    def _source(self, kind: str, error: float) -> ErrorSource:
        """Return a cause with its words; functions of a robot with a single place to add some are that place's."""
        text, place = KINDS[kind], ("", "")
        if kind == "field":
            kept = {link.beam.stiffening for link in self.robot.links if link.beam is not None}
            text = f"field ({listed(sorted(kept - {'exact'}), 'and')})"
        places = self._places
        if kind == "functions" and len({link for link, _ in places}) == 1:
            place = places[0] if len(places) == 1 else (places[0][0], "")
            text = _functions_of(*place)
        return ErrorSource(kind, text, error, *place)

    @property
    def _places(self) -> list[tuple[str, str]]:
        """Links and directions that have functions."""
        return [(link, way) for link, counts in self.counts.items() for way, n in counts.items() if n]

    def _remedy(self, bars: Mapping[str, ErrorBar]) -> str:
        """Return what to change first, and what that costs."""
        sized = [
            bar for bar in bars.values() if np.isfinite(bar.error) and bar.sources and bar.value and bar.unit != "s"
        ]
        relevant = [bar for bar in sized if TRUSTED < bar.relative < 1.0]
        if not relevant:
            return ""
        weight: dict[str, float] = {}
        for bar in relevant:
            for source in bar.sources:
                weight[source.kind] = weight.get(source.kind, 0.0) + source.error / abs(bar.value)
        kind = max(weight, key=lambda one: weight[one])
        worst = max(relevant, key=lambda bar: bar.relative)
        cost = self.walls.get(KINDS[kind], self.plain_wall) / self.plain_wall
        least = f"least certain is {worst.name}, by {100 * worst.relative:.1g} %"
        return f"To be better: {self._advice(kind, relevant)} ({_times(cost)}); {least}"

    def _advice(self, kind: str, bars: Iterable[ErrorBar]) -> str:
        if kind == "sampling":
            return f"rate: {self.settings.rate:g}"
        if kind == "time":
            fixed = self.settings.step
            return f"rtol: {self.tight.rtol:.0e}" if fixed is None else f"step: {fixed / SHORTER:g}"
        if kind == "shear":
            return "leave out shear: none"
        if kind == "field":
            linear = [link.name for link in self.robot.links if link.beam and link.beam.stiffening != "exact"]
            return f"stiffening: exact in {listed(linear, 'and')}"
        most: dict[tuple[str, str], float] = {}
        for bar in bars:
            for one in bar.sources:
                if one.kind == "functions":
                    place = one.link, one.direction
                    most[place] = max(most.get(place, 0.0), one.error / abs(bar.value))
        link, way = max(most, key=lambda place: most[place])
        if not link:
            return "more functions, modes: {more: {y: 2, z: 2}}"
        ways = [way] if way else [each for each, n in self.counts[link].items() if n]
        wanted = ", ".join(f"{each}: {as_many_more(self.counts[link][each])}" for each in ways)
        given = self.robot.link(link).beam
        if given is not None and not isinstance(given.modes, str):
            total = ", ".join(
                f"{each}: {n + (as_many_more(n) if each in ways else 0)}" for each, n in self.counts[link].items() if n
            )
            return f"modes: {{{total}}} in {link}"
        return f"modes: {{more: {{{wanted}}}}} in {link}"


def _functions_of(link: str, way: str) -> str:
    return f"functions of {link}" + (f" ({way})" if way else "")


def _exact(robot: Robot) -> Robot:
    return with_field(robot, "exact")


def _dense(settings: RunSettings, steps: int) -> RunSettings:
    """Return settings of the same steps with so many outputs that no peak falls between them."""
    outputs = settings.duration * settings.rate
    factor = max(2.0, np.ceil(PER_STEP * steps / outputs))
    factor = max(1.0, min(factor, np.floor(MOST_SAMPLES / outputs)))
    return settings.model_copy(update={"rate": settings.rate * factor, "audit": False})


def _tighter(settings: RunSettings) -> RunSettings:
    rtol = max(settings.rtol / TIGHTER, 10 * FINEST)
    change = {"rtol": rtol, "atol": settings.absolute_error * rtol / settings.rtol}
    return settings.model_copy(update=change | ({} if settings.step is None else {"step": settings.step / SHORTER}))


def _limitless(plain: Headline, found: Measured, jumps: np.ndarray, duration: float) -> str:
    """Return why a number has no limit, empty where it has one."""
    before = [] if plain.time is None else [t for t in jumps if 0 <= plain.time - t < NEAR * duration]
    if not found.limitless(bool(before)):
        return ""
    if before:
        return f"no limit: it grows with every function at the jump at {max(before):g} s"
    return "no limit in sight: it changes with every function"


def _times(cost: float) -> str:
    return "at no cost" if cost < 1.1 else f"{cost:.2g} times the computing"
