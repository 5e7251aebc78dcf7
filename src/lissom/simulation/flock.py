"""Runs of models that differ in numbers alone, several at once: each in a lane of vector registers, in lock-step.

The steps of a pack are as long as the lane allows that asks for the shortest. A lane that diverges, whose steps do not
converge, or for which the others would wait long, is left to whoever computes runs alone; the others go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from lissom.control.control_law import ControlLaw
from lissom.kernel.arrays import alike
from lissom.kernel.machine import Struct
from lissom.kernel.packs import LANES, PACK, covers
from lissom.kernel.packs.memory import Packing, aligned
from lissom.model.compiled import parts
from lissom.simulation import lanes
from lissom.simulation.drive import law_arrays
from lissom.simulation.flocked import Flocked, Run
from lissom.simulation.methods import Method
from lissom.simulation.newton import DUE
from lissom.simulation.run import CHUNK, begin_anew
from lissom.simulation.segments import Segments, cut
from lissom.simulation.series import IN_TIME, Series
from lissom.simulation.stepping import LAST_STEP, NEXT_STEP, REJECTED, STEPS, TIME, Status
from lissom.simulation.tolerances import Paces
from lissom.simulation.watch import HOPELESS, RACING, deflection_map

LAW = -1  # what a lane is filled with, beside the tables of its model
CRAWLING = 1e-4  # of the duration: mean step below which lanes are looked for that hold the others back,
FAR = 1e4  # by the square of their last error or correction over that of most lanes: tenfold steps without them
TROUBLE = 20  # rejected attempts beyond one per step, after which runs are better computed alone


law_tables = lru_cache(maxsize=2 * LANES)(law_arrays)  # those of a pack are asked for again and again


def eligible(run: Run) -> bool:
    """Whether kernels in lanes know all of a run; nothing but its controller may drive or measure it."""
    law = run.controller
    if law is not None and not (isinstance(law, ControlLaw) and law.twin is None):
        return False
    free = law is None or bool(np.isinf(law.lower).all() and np.isinf(law.upper).all())
    on_group = np.any(run.model.arrays.velocities.group_axis >= 0)
    return free and covers(run.model.arrays) and not on_group and not len(run.model.arrays.loads.row)


class Wrenches(NamedTuple):
    """What kernels fill after a run."""

    wrench: np.ndarray


class Flock:
    """Memory for packs of runs that look like the one of `series`, which has begun with `method`."""

    def __init__(self, series: Series, method: Method) -> None:
        self._like, self.series, self.method = series.model, series, method
        packing = Packing(lanes.PLAIN, lanes.UNUSED)
        fields = method.work.fields
        newton = Struct(fields.newton.fields._replace(cost=np.inf))  # no exact matrix is ever worth it: there is none
        work = Struct(fields._replace(newton=newton))
        memory = (series.packed, series.scratch, series.packed_record, series.packed_state, work)
        self._kernel = [packing.of(part) for part in memory]
        self.system, self.scratch, self.record, self.state, self.work = (part.fields for part in self._kernel)
        self.newton = self.work.newton.fields
        self._packs = [made for _, made in packing.places.values() if made.dtype.fields is not None]
        self._tables = [
            [packing.places[t.ctypes.data][1]["lanes"] if _varies(t) else None for t in part]
            for part in parts(series.model.arrays)
        ]  # lanes of every table of numbers, part by part
        steering = (*self.newton, *self.work, *self.state)
        noted = [x for x in steering if isinstance(x, np.ndarray) and x.dtype.fields is None]
        self._first = [(memory, memory.copy()) for memory in noted]
        self._lost: set[int] = set()
        self._paces = Paces(series.model)
        self._held: list[dict[int, Any]] = [{} for _ in range(LANES)]  # tables and laws that lanes are filled with

    def compile(self) -> None:
        """Take no step, so that kernels are ready."""
        self._start()
        self._call(0.0, 0)
        self.wrenches()

    def wrenches(self) -> np.ndarray:
        """Packs (N, n, 6) of the wrenches of the parent on the child at each joint, of all outputs."""
        count = int(self.record.next[0])
        out = Wrenches(aligned(count, len(self._like.links), 6))
        lanes.write_wrenches(*self._kernel[:3], count, Struct(out))
        return out.wrench

    def fits(self, run: Run) -> bool:
        """Whether a run differs from the first in numbers alone: of its model, gains, reference and start."""
        if not alike(run.model.arrays, self._like.arrays):
            return False
        if run.controller is self.series.controller:
            return True
        own, other = law_tables(self.series.law), law_tables(run.controller)
        return all(
            a.shape == b.shape and ((name not in lanes.PLAIN and a.dtype.kind == "f") or np.array_equal(a, b))
            for name, a, b in zip(own._fields, own, other, strict=True)
        )

    def run(self, runs: Sequence[Run]) -> Flocked:
        """Results of up to LANES runs, without those that are to be computed alone."""
        self._fill(runs)
        self._lost = set(range(len(runs), LANES))
        self._start()
        self._lose(self._beyond())
        duration, segments = self.series.duration, self._segments(runs)
        while self.state.clock[TIME] < duration:
            end = segments.end_after(float(self.state.clock[TIME]), duration)
            self.system.latest[0] = end - 1e-13 * max(1.0, end)
            if not self._march(end):
                return Flocked(self, runs, ())
            if end < duration and np.any(segments.jumps == end):
                self.system.latest[0] = np.inf
                self._accelerate(end)
                begin_anew(self.state, self.record, end, 1e-3 * duration, self._write)
        return Flocked(self, runs, [lane for lane in range(len(runs)) if lane not in self._lost])

    def _segments(self, runs: Sequence[Run]) -> Segments:
        """Where steps end: wherever one of the runs asks for it."""
        found, own = self.series.segments, law_tables(self.series.law)
        for law in {run.controller for run in runs} - {self.series.controller}:
            tables = law_tables(law)
            if not all(np.array_equal(getattr(own, name), getattr(tables, name)) for name in IN_TIME):
                found = Segments(*map(np.union1d, found, cut(law, (), ())))
        return found

    def _fill(self, runs: Sequence[Run]) -> None:
        """Give every lane its run; lanes without one repeat the last."""
        self._maps: list[np.ndarray] = []
        fields: list[Any] = []
        for lane in range(LANES):
            model, controller, (q, v) = runs[min(lane, len(runs) - 1)]
            if lane < len(runs):
                speed, before = self.series.settings.atol * self._paces.of(model, q), fields
                fields = [getattr(link, "field", link) for link in model.flexible.values()]
                if lane == 0 or any(a is not b for a, b in zip(fields, before, strict=True)):
                    bent = deflection_map(model)
            held = self._held[lane]
            for k, (places, part) in enumerate(zip(self._tables, parts(model.arrays), strict=True)):
                if held.get(k) is not part:
                    held[k] = part
                    for place, table in zip(places, part, strict=True):
                        if place is not None:
                            place[..., lane] = table
            if held.get(LAW, self) is not controller:
                held[LAW] = controller
                for place, table in zip(self.system.law.fields, law_tables(controller), strict=True):
                    if place.dtype == PACK:
                        place["lanes"][..., lane] = table
            self.state.q["lanes"][:, lane], self.state.v["lanes"][:, lane] = q, v
            self.state.atol_rate["lanes"][:, lane] = speed
            self._maps.append(bent)

    def _start(self) -> None:
        for memory, first in self._first:
            memory[...] = first
        self.record.next[0] = 0
        self.system.latest[0] = np.inf
        self._accelerate(0.0)
        self._write(0.0)
        self._seen = 0

    def _accelerate(self, t: float) -> None:
        lanes.accelerate(*self._kernel[:2], self.work.matrix, self._kernel[3], t)

    def _write(self, t: float) -> None:
        lanes.write_state(*self._kernel[:4], t)

    def _march(self, end: float) -> bool:
        """Advance to `end`; False where it is better to compute the runs alone."""
        s = self.state
        while True:
            begun = float(s.clock[TIME])
            code = self._call(end, CHUNK)
            failed = code in (Status.FAILED, Status.NOT_FINITE)
            crawling = code == Status.PAUSED and s.clock[TIME] - begun < CHUNK * CRAWLING * self.series.duration
            self._lose(self._beyond() | ({self._guilty()} if failed else self._behind() if crawling else set()))
            if len(self._lost) == LANES or s.counts[REJECTED] > TROUBLE + s.counts[STEPS]:
                return False
            if failed:
                s.clock[NEXT_STEP] = max(0.5 * s.clock[LAST_STEP], 1e-6 * self.series.duration)
                self.newton.plan[DUE] = 1
            if code == Status.REACHED:
                return True

    def _call(self, end: float, steps: int) -> int:
        scratch, longest = self._kernel[1], 0.1 * self.series.duration
        return int(lanes.march(*self._kernel[:2], scratch, *self._kernel[2:], end, longest, False, steps))

    def _beyond(self) -> set[int]:
        """Lanes whose motion has grown beyond sense since the last look, see `Watch`."""
        first, self._seen = self._seen, int(self.record.next[0])
        q, now = self.record.q["lanes"][first : self._seen], self.state.q["lanes"]
        with np.errstate(all="ignore"):  # a state that overflows is what is looked for
            maps, fast = np.stack(self._maps), np.abs(self.state.v["lanes"]).max(axis=0, initial=0.0)
            most = np.maximum(q.max(axis=0, initial=0.0), -q.min(axis=0, initial=0.0))
            bent = np.einsum("lqc,ql->lc", np.abs(maps), np.maximum(most, np.abs(now))).max(axis=1, initial=0.0)
            if not bent.max() < HOPELESS / 2:  # the largest of all coordinates together are too much: look closer
                q = np.concatenate([q, now[None]])
                bent = np.abs(np.matmul(q.transpose(2, 0, 1), maps)).max(axis=(1, 2), initial=0.0)
            return set(np.flatnonzero(~(bent < HOPELESS / 2) | ~(fast < RACING)).tolist()) - self._lost

    def _guilty(self) -> int:
        """The lane whose last correction was the largest."""
        size = self._sizes()
        return max(size, key=lambda lane: size[lane])

    def _behind(self) -> set[int]:
        """Lanes whose last error or correction is far larger than that of most."""
        size = self._sizes()
        return {lane for lane, own in size.items() if own > FAR * np.median(list(size.values()))}

    def _sizes(self) -> dict[int, float]:
        """Square of the last error or correction of every lane that is not lost."""
        size = np.nan_to_num(self.work.size["lanes"][0], nan=np.inf)
        return {lane: float(size[lane]) for lane in range(LANES) if lane not in self._lost}

    def _lose(self, lost: set[int]) -> None:
        """Let lanes repeat another one from here on."""
        self._lost |= lost
        sound = next((k for k in range(LANES) if k not in self._lost), None)
        for lane in lost:
            self._held[lane].clear()
            for pack in self._packs if sound is not None else ():
                for part in pack.dtype.names or ():
                    pack[part][..., lane] = pack[part][..., sound]


def _varies(table: np.ndarray) -> bool:
    return table.dtype.kind == "f" and table.size > 0
