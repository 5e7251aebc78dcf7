"""Numbers of a robot, computed again with everything finer, one thing at a time and all together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from lissom.errors import LissomError
from lissom.messages import listed
from lissom.model.any_robot import as_model
from lissom.model.description.robot import Robot
from lissom.results.error_bars import ErrorBar, ErrorSource, Trust
from lissom.results.trajectory import Trajectory
from lissom.results.trust.convergence import KINDS, Measured
from lissom.results.trust.headline import Headline, Numbers, group
from lissom.results.trust.refined_robots import (
    as_many_more,
    enriched,
    function_counts,
    half_more,
    shearing,
    with_exact_field,
)
from lissom.results.trust.remedies import remedy
from lissom.results.trust.repeated_runs import RepeatedRuns

MATTERS = 0.1  # share of a number's error from which on it is worth knowing which link it comes from
HIDDEN = 0.3  # of a peak, from which on a wrench at a jump may outgrow it with more functions
NEAR = 0.02  # of the run, by which a peak comes after a jump that causes it
ALONE = ("data", "functions alone")  # refinements of which there are many: their runs are not kept
Place = tuple[str, str]  # a link and a direction of it, or all of them: ""


class EndsEarlyError(LissomError):
    """A refined run that does not get to its end, so that nothing is certain."""


@dataclass(frozen=True)
class Computed:
    """What one computation gave: its numbers, how long it took and when something jumped in it."""

    numbers: Numbers
    wall: float  # s
    jumps: np.ndarray = field(default_factory=lambda: np.zeros(0))  # s
    run: Trajectory | None = None  # that they are of, where they are of one


@dataclass(frozen=True)
class Question:
    """Numbers of a robot, and how they are computed again.

    Parameters
    ----------
    plain : mapping
        The numbers that are asked about.
    compute : callable
        From a robot, and whether steps are to be finer, to its numbers. `EndsEarlyError` where a run fails,
        another `LissomError` where the robot cannot be computed so.
    wall : float
        Seconds that the plain numbers took.
    remedies : mapping of str to str
        What to change where "sampling" or "time" decides.
    duration : float
        Of a motion, s; zero without one.
    steps : bool
        Whether there are steps that can be finer.
    outputs : float
        How many times more of them a repeated computation has.
    behind : mapping of str to str
        Numbers that are not asked about but stand behind one that is, which has no limit if they have none: what a
        wrench is at a jump that is not yet its peak.
    run : Trajectory, optional
        The run that the numbers are of.
    """

    robot: Robot
    plain: Numbers
    compute: Callable[[Robot, bool], Computed]
    wall: float
    remedies: Mapping[str, str] = field(default_factory=dict)
    duration: float = 0.0
    steps: bool = True
    outputs: float = 2.0
    behind: Mapping[str, str] = field(default_factory=dict)
    run: Trajectory | None = None


def measure(question: Question, budget: float) -> Trust:
    """Return error bars of the numbers; `budget`: seconds for looking at links one by one."""
    return ErrorMeasurement(question, budget).trust()


class ErrorMeasurement:
    """The repeated computations of one question."""

    def __init__(self, question: Question, budget: float) -> None:
        self.question, self.budget = question, budget
        self.robot, self.plain = question.robot, question.plain
        self.model = as_model(self.robot)
        self.counts = function_counts(self.robot, self.model)
        self.places = [(link, way) for link, counts in self.counts.items() for way, n in counts.items() if n]
        self.notes: list[str] = []
        self.failed = ""  # why no number can be trusted: a better run does not get to its end
        self.jumps = np.zeros(0)
        self.sizes = (1, 2, 3)
        self.costs: dict[str, float] = {}
        self.measured: dict[str, Measured] = {}
        self.runs: dict[str, Trajectory] = {}
        self.repeats, self._began = 0, time.perf_counter()

    def trust(self) -> Trust:
        """Return error bars of all numbers."""
        dense = self._compute("sampling", self.robot)
        fine = self._compute("time", self.robot, finer=True) if self.question.steps else dense
        if dense is None or fine is None:
            return self._none()
        half = twice = dense
        best = self.robot
        if self.places:
            richer = enriched(self.robot, self.model, as_many_more)
            found = self._compute("functions", enriched(self.robot, self.model, half_more), kept_as="half more")
            more = self._compute("functions", richer, kept_as="twice") if found else None
            if found and more:
                half, twice, best, self.sizes = found, more, richer, self._all_sizes
        better = {}
        for kind, change in (("field", with_exact_field), ("shear", shearing)):
            changed = change(self.robot)
            numbers = None if changed is self.robot else self._compute(kind, changed)
            if numbers:
                better[kind], best = numbers, change(best)
        together = fine if best is self.robot else self._compute("everything", best, finer=True)
        if not together:
            return self._none()
        runs = (dense, fine, half, twice, together)
        self.measured = {name: self._measure(name, plain, runs, better) for name, plain in self.plain.items()}
        measured = self.measured
        alone = self._one_by_one(measured)
        spread = self._toleranced_runs(dense)
        bars = {
            name: self._bar(
                self.plain[name], name, each, {place: _of(run, name) for place, run in alone.items()}
            ).with_spread(self._of_data(spread, dense, name))
            for name, each in measured.items()
        }
        for name, shown in self.question.behind.items():
            behind = bars.pop(name)
            if behind.limitless and measured[name].twice > HIDDEN * abs(measured[shown].twice):
                bars[shown] = replace(bars[shown], error=np.inf, limitless=behind.limitless)
        advice = remedy(self.robot, self.counts, bars, self.costs, self.question.remedies)
        wall = time.perf_counter() - self._began
        return Trust(bars, advice, self.repeats, wall, self._told_by, self._repeated_runs)

    @property
    def _repeated_runs(self) -> RepeatedRuns | None:
        """The runs behind the numbers; None where these are not of a run."""
        if self.question.run is None:
            return None
        return RepeatedRuns({"plain": self.question.run, **self.runs}, self.sizes)

    def _compute(self, kind: str, robot: Robot, finer: bool = False, kept_as: str = "") -> Numbers | None:
        """Return the numbers of a repeated computation; None, with a note, where it cannot be made."""
        what = KINDS.get(kind, "everything at once")
        try:
            found = self.question.compute(robot, finer)
        except LissomError as error:
            self.notes.append(f"errors of {what} are not measured: {error}")
            if isinstance(error, EndsEarlyError):
                self.failed = self.failed or f"it does not hold for a run that is better in {what}"
            return None
        self.repeats += 1
        self.costs[kind] = found.wall / max(self.question.wall, 1e-9)
        self.jumps = found.jumps
        if found.run is not None and kind not in ALONE:
            self.runs[kept_as or kind] = found.run
        return found.numbers

    def _measure(self, name: str, plain: Headline, runs: Sequence[Numbers], better: Mapping[str, Numbers]) -> Measured:
        """Return one number of the plain run and of the repeated ones; not a number where a run has none."""
        dense, fine, half, twice, together = (_of(run, name) for run in runs)
        return Measured(
            plain=plain.value,
            dense=dense,
            finer_steps=fine,
            half_more=half,
            twice=twice,
            better={kind: _of(run, name) for kind, run in better.items()},
            together=together,
            sizes=self.sizes,
            scale=self._scale(name, plain.unit),
            outputs=self.question.outputs,
            resolution=plain.resolution,
        )

    def _scale(self, name: str, unit: str) -> float:
        """Return the size of what a number belongs to: the largest of its kind."""
        own = group(name, unit)
        return max(abs(one.value) for other, one in self.plain.items() if group(other, one.unit) == own)

    def _none(self) -> Trust:
        """Return what can be said where the runs that decide could not be made: no number is certain."""
        why = self.failed or "not measured"
        bars = {name: ErrorBar(name, one.unit, one.value, np.inf, (), why) for name, one in self.plain.items()}
        return Trust(bars, "", self.repeats, time.perf_counter() - self._began, self._told_by)

    @property
    def _told_by(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.notes))

    @property
    def _all_sizes(self) -> tuple[int, int, int]:
        """The number of functions of all links, as they are and enriched by half and by as many."""
        counts = [n for each in self.counts.values() for n in each.values() if n]
        return sum(counts), sum(n + half_more(n) for n in counts), sum(n + as_many_more(n) for n in counts)

    def _one_by_one(self, measured: Mapping[str, Measured]) -> dict[Place, Numbers]:
        """Return the numbers where one direction of one link alone has more functions, or one link where that is long.

        None of them where functions do not matter, or where there is one alone.
        """
        shares = [each.changes["functions"] / each.error for each in measured.values() if each.finite and each.error]
        if len(self.places) < 2 or max(shares, default=0.0) < MATTERS:
            return {}
        took = (time.perf_counter() - self._began) / self.repeats
        if took * len(self.places) <= self.budget:
            return self._single({place: {place} for place in self.places})
        links = {link for link, _ in self.places}
        if len(links) < 2 or took * len(links) > self.budget:
            return {}
        return self._single(
            {(link, ""): {place for place in self.places if place[0] == link} for link in sorted(links)}
        )

    def _toleranced_runs(self, dense: Numbers) -> dict[str, list[Numbers]]:
        """Return the numbers with every toleranced number of the robot at both its ends, by what it is."""
        found = {}
        for path, (value, size) in self.robot.toleranced().items():
            ends = [self.robot.with_value(path, value + sign * size) for sign in (-1, 1)]
            runs = [self._compute("data", robot) for robot in ends]
            found[f"{path} (± {_tolerance_text(self.robot.tolerances[path])})"] = [run for run in runs if run]
        return found

    def _of_data(self, spread: Mapping[str, list[Numbers]], dense: Numbers, name: str) -> list[ErrorSource]:
        """Return by how much a number moves with every toleranced one, the further of both ends."""
        return [
            ErrorSource("data", text, max(abs(_of(run, name) - _of(dense, name)) for run in runs))
            for text, runs in spread.items()
            if runs
        ]

    def _single(self, chosen: Mapping[Place, Iterable[Place]]) -> dict[Place, Numbers]:
        runs = {
            place: self._compute("functions alone", enriched(self.robot, self.model, as_many_more, set(ways)))
            for place, ways in chosen.items()
        }
        return {place: run for place, run in runs.items() if run is not None}

    def _bar(self, plain: Headline, name: str, found: Measured, alone: Mapping[Place, float]) -> ErrorBar:
        if not found.finite:
            why = self.failed or "it is there in some of the repeated runs only"
            return ErrorBar(name, plain.unit, plain.value, np.inf, (), why)
        kinds = [kind for kind in found.changes if kind != "functions" or not alone]
        sources = [self._source(kind, found.changes[kind]) for kind in kinds]
        for (link, way), value in alone.items():
            sources.append(ErrorSource("functions", _functions_of(link, way), abs(value - found.dense), link, way))
        sources = sorted((one for one in sources if one.error > 0), key=lambda one: -one.error)
        why = self.failed or self._limitless(plain, found)
        return ErrorBar(name, plain.unit, found.plain, np.inf if why else found.error, tuple(sources), why)

    def _source(self, kind: str, error: float) -> ErrorSource:
        """Return a cause with its words; functions of a robot with a single place to add some are that place's."""
        text, place = KINDS[kind], ("", "")
        if kind == "field":
            kept = {link.beam.stiffening for link in self.robot.links if link.beam is not None}
            text = f"field ({listed(sorted(kept - {'exact'}), 'and')})"
        if kind == "functions" and len({link for link, _ in self.places}) == 1:
            place = self.places[0] if len(self.places) == 1 else (self.places[0][0], "")
            text = _functions_of(*place)
        return ErrorSource(kind, text, error, *place)

    def _limitless(self, plain: Headline, found: Measured) -> str:
        """Return why a number has no limit, empty where it has one."""
        near = NEAR * self.question.duration
        before = [] if plain.time is None else [t for t in self.jumps if 0 <= plain.time - t < near]
        if not found.limitless(bool(before)):
            return ""
        if before:
            return f"no limit: it grows with every function at the jump at {max(before):g} s"
        return "no limit in sight: it changes with every function"


def _tolerance_text(tolerance: float | str) -> str:
    return tolerance if isinstance(tolerance, str) else f"{tolerance:g}"


def _of(run: Numbers, name: str) -> float:
    return run[name].value if name in run else np.nan


def _functions_of(link: str, way: str) -> str:
    return f"functions of {link}" + (f" ({way})" if way else "")
