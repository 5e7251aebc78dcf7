"""Which run stands in which lane of a pack, from when to when.

The runs of a pack begin together, and take their short first steps together. Steps are as long as the lane allows that
asks for the shortest. A lane that diverges, whose steps do not converge, or for which the others would wait long, is
lost: its run is left to whoever computes runs alone. A lane that is lost, or whose run has ended, repeats another one
until all have ended and the next pack begins. (Giving it the next run at once gained 6 % where nearly all lanes were
free for long, and cost a factor of three where runs are about as long: those that begin hold back the others.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lissom.kernel.packs import LANES
from lissom.simulation.batch.vector_results import LaneRun, Stood, VectorResults
from lissom.simulation.equations.newton import DUE
from lissom.simulation.integrators.integrator_state import (
    LAST_STEP,
    NEXT_STEP,
    REJECTED,
    STEPS,
    TIME,
    Status,
)
from lissom.simulation.stepping.output_times import instants
from lissom.simulation.stepping.segments import Segments
from lissom.simulation.stepping.time_loop import CHUNK, begin_anew

if TYPE_CHECKING:
    from lissom.simulation.batch.vector_batch import VectorBatch

CRAWLING = 1e-4  # of the duration: mean step below which lanes are looked for that hold the others back,
FAR = 1e4  # by the square of their last error or correction over that of most lanes: tenfold steps without them
LOOKS = 3  # in a row at which they are found so. By one look chance lost 12 of 16 runs of canadarm2 over 20 s, 2.7 s
# each alone; three lose 5, and a pack takes 3.1 s instead of 2.5 s
TROUBLE = 20  # rejected attempts beyond one per step, after which runs are better computed alone
ROUNDING = 1e-12  # of the time: ends that are one
SAME = 1e-9  # of the time: outputs that are one


class Standing(NamedTuple):
    """A run in a lane."""

    number: int  # among all
    end: float  # s


class LaneScheduler:
    """Runs that pass through the lanes of a batch."""

    def __init__(self, batch: VectorBatch, runs: Sequence[LaneRun]) -> None:
        self.batch, self.runs = batch, runs
        self._waiting = deque(range(len(runs)))
        self._standing: dict[int, Standing] = {}
        self._ended: list[Stood] = []
        self._segments = Segments(np.zeros(0), np.zeros(0))
        self._followed: dict[int, int] = {}  # by each lane without a run of its own: the lane that it repeats
        self._slow: dict[int, int] = {}  # at how many looks in a row a lane was behind

    def results(self) -> Iterator[VectorResults]:
        """Yield runs that came through, as they end; to be read before the next are asked for."""
        while self._waiting:
            self._begin()
            while self._standing:
                self._advance()
            yield self._take_finished()

    def _begin(self) -> None:
        """Begin a pack at time 0; a run that has no sensible begin leaves its lane to the next."""
        taken = {lane: self._waiting.popleft() for lane in range(min(LANES, len(self._waiting)))}
        while True:
            last = list(taken.values())[-1]
            for lane in range(LANES):
                self.batch.fill(lane, self.runs[taken.get(lane, last)])
            self._standing = {lane: Standing(k, self.runs[k].duration) for lane, k in taken.items()}
            self._followed = {lane: list(taken)[-1] for lane in range(LANES) if lane not in taken}
            self.batch.start(self._shortest, self._due())
            lost = sorted(self.batch.beyond() & set(taken))
            if not lost or not self._waiting:
                break
            for lane in lost:
                del taken[lane]
                if self._waiting:
                    taken[lane] = self._waiting.popleft()
        self._lose(lost)
        self._find_step_ends()

    @property
    def _shortest(self) -> float:
        return min(one.end for one in self._standing.values())

    def _find_step_ends(self) -> None:
        """Find where steps end: wherever one of the runs asks for it."""
        laws = {self.runs[one.number].controller for one in self._standing.values()}
        own = [self.batch.segments_of(law) for law in laws]
        jumps, ends = ([getattr(each, name) for each in own] for name in ("jumps", "ends"))
        self._segments = Segments(_last_of_each(jumps), _last_of_each(ends))

    def _due(self) -> np.ndarray:
        """Return the times of outputs of all runs."""
        rate = self.batch.memory.settings.rate
        durations = {one.end for one in self._standing.values()}
        times = np.unique(np.concatenate([instants(duration, rate) for duration in durations]))
        return times[np.diff(times, prepend=-np.inf) > SAME * np.maximum(1.0, times)]

    def _advance(self) -> None:
        """Take some steps, and see who is lost and who has ended."""
        batch, s = self.batch, self.batch.state
        begun, shortest = float(s.clock[TIME]), self._shortest
        end = self._segments.end_after(begun, shortest)
        code = batch.march(end, shortest, CHUNK)
        failed = code in (Status.FAILED, Status.NOT_FINITE)
        crawling = code == Status.PAUSED and s.clock[TIME] - begun < CHUNK * CRAWLING * shortest
        behind = self._behind(crawling)
        self._lose(batch.beyond() | (self._guilty() if failed else behind))
        if not self._standing:
            return
        if s.counts[REJECTED] > TROUBLE + s.counts[STEPS]:
            self._standing.clear()
            return
        if failed:
            s.clock[NEXT_STEP] = max(0.5 * s.clock[LAST_STEP], 1e-6 * shortest)
            batch.newton.plan[DUE] = 1
        if code == Status.REACHED:
            self._end(end)
            if self._standing and np.any(np.abs(self._segments.jumps - end) <= ROUNDING * max(1.0, end)):
                self._anew(end, 1e-3 * self._shortest)

    def _anew(self, t: float, longest: float) -> None:
        """Begin anew at t, with a first step that is short; what has ended keeps its last output."""
        batch, r = self.batch, self.batch.record
        last, ended = int(r.next[0]) - 1, [stood.lane for stood in self._ended]
        tables = [table["lanes"] for table in (r.q, r.v, r.a, r.tau)]
        kept = [table[last][:, ended] for table in tables]
        batch.accelerate(t)
        begin_anew(batch.state, r, t, longest, batch.write)
        for table, samples in zip(tables, kept, strict=True):
            table[last][:, ended] = samples

    def _end(self, t: float) -> None:
        """Take note of runs that end at t; their lanes repeat one that goes on."""
        over = [lane for lane, one in self._standing.items() if one.end <= t + ROUNDING * max(1.0, t)]
        written = self.batch.record.times[: int(self.batch.record.next[0])]
        for lane in over:
            one = self._standing.pop(lane)
            at = instants(one.end, self.batch.memory.settings.rate)
            rows = np.searchsorted(written, at - SAME * np.maximum(1.0, at))
            whole = rows[-1] - rows[0] == len(rows) - 1
            counts = self.batch.state.counts.copy()
            self._ended.append(Stood(one.number, lane, slice(rows[0], rows[-1] + 1) if whole else rows, counts))
        self._idle(over)
        if over and self._standing:
            self._find_step_ends()

    def _lose(self, lost: Iterable[int]) -> None:
        """Leave runs to whoever computes them alone."""
        gone = [lane for lane in lost if self._standing.pop(lane, None) is not None]
        self._idle(gone)

    def _idle(self, lanes: Sequence[int]) -> None:
        """Let lanes, and those that repeat them, repeat one that goes on, the longest."""
        self._followed |= dict.fromkeys(lanes, -1)
        if self._standing:
            sound = max(self._standing, key=lambda lane: self._standing[lane].end)
            astray = [lane for lane, other in self._followed.items() if other not in self._standing]
            self.batch.repeat(astray, sound)
            self._followed |= dict.fromkeys(astray, sound)

    def _take_finished(self) -> VectorResults:
        """Return runs that have ended, whose lanes have their tables again."""
        for stood in self._ended:
            self.batch.equip(stood.lane, self.runs[stood.number])
        ended, self._ended = self._ended, []
        return VectorResults(self.batch, self.runs, ended)

    def _guilty(self) -> set[int]:
        """Return the lane whose last correction was the largest."""
        size = self._sizes()
        return {max(size, key=lambda lane: size[lane])}

    def _behind(self, crawling: bool) -> set[int]:
        """Return lanes whose last correction was far larger than that of most, look after look of a crawling pack."""
        size = self._sizes() if crawling else {}
        far = FAR * np.median(list(size.values())) if size else np.inf
        self._slow = {lane: self._slow.get(lane, 0) + 1 for lane, own in size.items() if own > far}
        return {lane for lane, looks in self._slow.items() if looks >= LOOKS}

    def _sizes(self) -> dict[int, float]:
        size = self.batch.sizes()
        return {lane: float(size[lane]) for lane in sorted(self._standing)}


def _last_of_each(times: Sequence[np.ndarray]) -> np.ndarray:
    """Return times, ascending; of those that are one but for rounding the last: by then all lanes are there."""
    found = np.unique(np.concatenate(times)) if times else np.zeros(0)
    return found[np.diff(found, append=np.inf) > ROUNDING * np.maximum(1.0, found)]
