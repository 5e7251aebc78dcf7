"""Which run stands in which lane of a pack, from when to when.

The steps of a pack are as long as the lane allows that asks for the shortest. A lane that diverges, whose steps do not
converge, or for which the others would wait long, is lost: its run is left to whoever computes runs alone. A lane that
is lost, or whose run has ended, takes the next run that waits where that pays, else it repeats another lane until all
have ended and the next pack begins.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lissom.kernel.packs import LANES
from lissom.simulation.batch.vector_results import Run, Stood, VectorResults
from lissom.simulation.equations.newton_iteration import DUE
from lissom.simulation.integrators.integrator_state import (
    LAST_STEP,
    NEXT_STEP,
    REJECTED,
    STEPS,
    TIME,
    Status,
    first_step,
)
from lissom.simulation.loop.output_times import instants
from lissom.simulation.loop.segments import Segments
from lissom.simulation.loop.time_loop import CHUNK, begin_anew

if TYPE_CHECKING:
    from lissom.simulation.batch.vector_batch import VectorBatch

CRAWLING = 1e-4  # of the duration: mean step below which lanes are looked for that hold the others back,
FAR = 1e4  # by the square of their last error or correction over that of most lanes: tenfold steps without them
LOOKS = 3  # in a row at which they are found so. By one look chance lost 12 of 16 runs of canadarm2 over 20 s, 2.7 s
# each alone; three lose 5, and a pack takes 3.1 s instead of 2.5 s
TROUBLE = 20  # rejected attempts beyond one per step, after which runs are better computed alone
# Steps that a run which begins costs the others, and the share by which a pack out of step has more of them. Runs that
# begin together take their short steps together: 64 runs of ella over 1 to 4 s take 63 ms in packs that wait until all
# have ended, and 186 ms in one that is refilled whenever a lane is free. So lanes wait, unless most are free and the
# others have far to go: with 2 runs of canadarm2 over 10 s and 30 over 1 s refilling saves 6 %, with 32 over 3 to 10 s
# it would lose 10 %.
START, OUT_OF_STEP = 60, 0.6
ROUNDING = 1e-12  # of the time: ends that are one
SAME = 1e-9  # of the time: outputs that are one


class Standing(NamedTuple):
    """A run in a lane."""

    number: int  # among all
    began: float  # s, of the pack
    end: float
    counts: np.ndarray  # (4,) of the pack when it began


class LaneScheduler:
    """Runs that pass through the lanes of a flock."""

    def __init__(self, flock: VectorBatch, runs: Sequence[Run]) -> None:
        self.flock, self.runs = flock, runs
        self._waiting = deque(range(len(runs)))
        self._standing: dict[int, Standing] = {}
        self._ended: list[tuple[Standing, Stood]] = []
        self._segments = Segments(np.zeros(0), np.zeros(0))
        self._followed: dict[int, int] = {}  # by each lane without a run of its own: the lane that it repeats
        self._slow: dict[int, int] = {}  # at how many looks in a row a lane was behind

    def results(self) -> Iterator[VectorResults]:
        """Runs that came through, as they end; to be read before the next are asked for."""
        while self._waiting:
            self._begin()
            while self._standing:
                self._advance()
                if self._standing and self._worth():
                    yield self._taken()
                    self._refill()
            yield self._taken()

    def _begin(self) -> None:
        """A pack from time 0 on; a run that has no sensible begin leaves its lane to the next."""
        taken = {lane: self._waiting.popleft() for lane in range(min(LANES, len(self._waiting)))}
        while True:
            last = list(taken.values())[-1]
            for lane in range(LANES):
                self.flock.fill(lane, self.runs[taken.get(lane, last)], 0.0)
            nothing = np.zeros_like(self.flock.state.counts)
            self._standing = {lane: self._place(number, 0.0, nothing) for lane, number in taken.items()}
            self._followed = {lane: list(taken)[-1] for lane in range(LANES) if lane not in taken}
            self.flock.start(self._shortest, self._due(0.0))
            lost = sorted(self.flock.beyond() & set(taken))
            if not lost or not self._waiting:
                break
            for lane in lost:
                del taken[lane]
                if self._waiting:
                    taken[lane] = self._waiting.popleft()
                    self.flock.refilled += 1
        self._lose(lost)
        self._cut()

    def _place(self, number: int, t: float, counts: np.ndarray) -> Standing:
        return Standing(number, t, t + self.runs[number].duration, counts)

    @property
    def _shortest(self) -> float:
        return min(self.runs[one.number].duration for one in self._standing.values())

    def _cut(self) -> None:
        """Find where steps end: wherever one of the runs asks for it."""
        ends, jumps = [], []
        for law, began in {(self.runs[one.number].controller, one.began) for one in self._standing.values()}:
            own = self.flock.segments_of(law)
            ends.append(own.ends + began)
            jumps.append(own.jumps + began)
        self._segments = Segments(_last_of_each(jumps), _last_of_each(ends))

    def _due(self, t: float) -> np.ndarray:
        """Times of outputs from t on."""
        rate = self.flock.series.settings.rate
        found = {(one.began, self.runs[one.number].duration) for one in self._standing.values()}
        times = np.unique(np.concatenate([began + instants(duration, rate) for began, duration in found]))
        times = times[times >= t]
        return times[np.diff(times, prepend=-np.inf) > SAME * np.maximum(1.0, times)]

    def _advance(self) -> None:
        """Take some steps, and see who is lost and who has ended."""
        flock, s = self.flock, self.flock.state
        begun, shortest = float(s.clock[TIME]), self._shortest
        end = self._segments.end_after(begun, min(one.end for one in self._standing.values()))
        code = flock.march(end, shortest, CHUNK)
        failed = code in (Status.FAILED, Status.NOT_FINITE)
        crawling = code == Status.PAUSED and s.clock[TIME] - begun < CHUNK * CRAWLING * shortest
        behind = self._behind(crawling)
        self._lose(flock.beyond() | (self._guilty() if failed else behind))
        if not self._standing:
            return
        since = min((one.counts for one in self._standing.values()), key=lambda counts: int(counts[STEPS]))
        steps, rejected = s.counts[STEPS] - since[STEPS], s.counts[REJECTED] - since[REJECTED]
        if rejected > TROUBLE + steps:
            self._standing.clear()
            return
        if failed:
            s.clock[NEXT_STEP] = max(0.5 * s.clock[LAST_STEP], 1e-6 * shortest)
            flock.newton.plan[DUE] = 1
        if code == Status.REACHED:
            self._end(end)
            if self._standing and np.any(np.abs(self._segments.jumps - end) <= ROUNDING * max(1.0, end)):
                self._anew(end, 1e-3 * self._shortest)

    def _anew(self, t: float, longest: float) -> None:
        """Begin anew at t, with a first step that is short; what has ended keeps its last output."""
        flock, r = self.flock, self.flock.record
        last, ended = int(r.next[0]) - 1, [stood.lane for _, stood in self._ended]
        tables = [table["lanes"] for table in (r.q, r.v, r.a, r.tau)]
        kept = [table[last][:, ended] for table in tables]
        flock.accelerate(t)
        begin_anew(flock.state, r, t, longest, flock.write)
        for table, samples in zip(tables, kept, strict=True):
            table[last][:, ended] = samples

    def _end(self, t: float) -> None:
        """Take note of runs that end at t; their lanes repeat one that goes on."""
        over = [lane for lane, one in self._standing.items() if one.end <= t + ROUNDING * max(1.0, t)]
        written = self.flock.record.times[: int(self.flock.record.next[0])]
        for lane in over:
            one = self._standing.pop(lane)
            at = one.began + instants(self.runs[one.number].duration, self.flock.series.settings.rate)
            rows = np.searchsorted(written, at - SAME * np.maximum(1.0, at))
            whole = rows[-1] - rows[0] == len(rows) - 1
            counts = self.flock.state.counts - one.counts
            stood = Stood(one.number, lane, slice(rows[0], rows[-1] + 1) if whole else rows, counts)
            self._ended.append((one, stood))
        self._idle(over)
        if over and self._standing:
            self._cut()

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
            self.flock.repeat(astray, sound)
            self._followed |= dict.fromkeys(astray, sound)

    def _worth(self) -> bool:
        """Whether lanes without a run should take the next ones while the others go on; see START."""
        free, s = min(LANES - len(self._standing), len(self._waiting)), self.flock.state
        t, steps = float(s.clock[TIME]), int(s.counts[STEPS])
        left = max(one.end for one in self._standing.values()) - t
        cost = min(START, steps) * max(s.clock[LAST_STEP], s.clock[NEXT_STEP]) + OUT_OF_STEP * left
        return free > 0 and free * left > cost * min(LANES, len(self._waiting))

    def _taken(self) -> VectorResults:
        """Runs that have ended, whose lanes have their tables again."""
        for one, stood in self._ended:
            self.flock.equip(stood.lane, self.runs[one.number], one.began)
        ended, self._ended = [stood for _, stood in self._ended], []
        return VectorResults(self.flock, self.runs, ended)

    def _refill(self) -> None:
        """Let runs that wait begin in lanes that have none."""
        flock, s = self.flock, self.flock.state
        t = float(s.clock[TIME])
        oldest = min(one.began for one in self._standing.values())
        flock.forget(int(np.searchsorted(flock.record.times, oldest - SAME * max(1.0, oldest))))
        taken = {lane: self._waiting.popleft() for lane in sorted(self._followed)[: len(self._waiting)]}
        for lane, number in taken.items():
            self._standing[lane] = self._place(number, t, s.counts.copy())
            flock.fill(lane, self.runs[number], t)
            del self._followed[lane]
        self._idle(list(self._followed))  # what has ended stands there again, to be read
        flock.refilled += len(taken)
        written, due = flock.record.times[: int(flock.record.next[0])], self._due(t)
        noted = t - written[-1] <= SAME * max(1.0, t)
        flock.expect(np.concatenate([written, due[1:] if noted else due]))
        flock.accelerate(t)
        begin_anew(s, flock.record, t, min(first_step(self.runs[k].duration) for k in taken.values()), flock.write)
        if not noted:
            flock.write(t)
        self._cut()

    def _guilty(self) -> set[int]:
        """The lane whose last correction was the largest."""
        size = self._sizes()
        return {max(size, key=lambda lane: size[lane])}

    def _behind(self, crawling: bool) -> set[int]:
        """Lanes whose last error or correction was far larger than that of most, look after look of a crawling pack."""
        size = self._sizes() if crawling else {}
        far = FAR * np.median(list(size.values())) if size else np.inf
        self._slow = {lane: self._slow.get(lane, 0) + 1 for lane, own in size.items() if own > far}
        return {lane for lane, looks in self._slow.items() if looks >= LOOKS}

    def _sizes(self) -> dict[int, float]:
        size = self.flock.sizes()
        return {lane: float(size[lane]) for lane in sorted(self._standing)}


def _last_of_each(times: Sequence[np.ndarray]) -> np.ndarray:
    """Times, ascending; of those that are one but for rounding the last: by then all lanes are there."""
    found = np.unique(np.concatenate(times)) if times else np.zeros(0)
    return found[np.diff(found, append=np.inf) > ROUNDING * np.maximum(1.0, found)]
