"""Runs of models that differ in numbers alone, several at once: each in a lane of vector registers, in lock-step.

Here is their memory and what is done to lanes; `lane_scheduler` says which run stands in which lane from when to when.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pkgutil import resolve_name
from typing import Any, NamedTuple

import numpy as np

from lissom.control.laws.control_law import ControlLaw
from lissom.control.laws.law_tables import law_arrays
from lissom.kernel.compile import Struct
from lissom.kernel.data.table_operations import alike
from lissom.kernel.packs import LANES, PACK, covers
from lissom.kernel.packs.memory import Packing, aligned_packs
from lissom.model.model import parts
from lissom.simulation.batch.lane_scheduler import LaneScheduler
from lissom.simulation.batch.rerun import IN_TIME, Rerun
from lissom.simulation.batch.vector_results import LaneRun, VectorResults
from lissom.simulation.equations.recorder import make_record
from lissom.simulation.integrators.error_scales import Paces
from lissom.simulation.integrators.integrator_state import set_out
from lissom.simulation.integrators.registry import Method
from lissom.simulation.settings import RunSettings
from lissom.simulation.status.run_limits import HOPELESS, RACING, deflection_map
from lissom.simulation.stepping.segments import Segments, cut_at_jumps

LAW = -1  # what a lane is filled with, beside the tables of its model
SAMPLES = ("times", "q", "v", "a", "tau")  # of the record

law_tables = lru_cache(maxsize=2 * LANES)(law_arrays)  # those of a pack are asked for again and again


def eligible(run: LaneRun) -> bool:
    """Return whether kernels in lanes know all of a run; nothing but its controller may drive or measure it."""
    law = run.controller
    if law is not None and not (isinstance(law, ControlLaw) and law.twin is None and law.outside is None):
        return False
    free = law is None or bool(np.isinf(law.lower).all() and np.isinf(law.upper).all())
    on_group = np.any(run.model.arrays.velocities.group_axis >= 0)
    return free and covers(run.model.arrays) and not on_group and not len(run.model.arrays.loads.row)


class Wrenches(NamedTuple):
    """Wrenches in joints, computed after a run."""

    wrench: np.ndarray


class LinkPoses(NamedTuple):
    """Poses of links, computed after a run."""

    frame: np.ndarray


class VectorBatch:
    """Memory for packs of runs that look like the one of `rerun`, which has begun with `method`."""

    def __init__(self, rerun: Rerun, method: Method) -> None:
        self.memory, self._like = rerun.memory, rerun.memory.model
        self.method = method
        self._kernels: Any = resolve_name(str(method.integrator.vector_kernels))
        self._packing = packing = Packing(self._kernels.PLAIN, self._kernels.UNUSED)
        fields = method.work.fields
        newton = Struct(fields.newton.fields._replace(cost=np.inf))  # no exact matrix is ever worth it: there is none
        work = Struct(fields._replace(newton=newton))
        run = self.memory
        memory = (run.packed, run.scratch, run.packed_record, run.packed_state, work)
        self._kernel = [packing.of(part) for part in memory]
        self.system, self.scratch, self.record, self.state, self.work = (part.fields for part in self._kernel)
        self.newton = self.work.newton.fields
        recorded = {getattr(self.record, name).ctypes.data for name in SAMPLES}
        made = [made for _, made in packing.places.values() if made.dtype.fields is not None]
        self._packs = [each for each in made if each.ctypes.data not in recorded]  # what a lane goes on by
        self._tables = [
            [packing.places[t.ctypes.data][1]["lanes"] if _varies(t) else None for t in part]
            for part in parts(run.model.arrays)
        ]  # lanes of every table of numbers, part by part
        steering = (*self.newton, *self.work, *self.state)
        noted = [x for x in steering if isinstance(x, np.ndarray) and x.dtype.fields is None]
        self._first = [(memory, memory.copy()) for memory in noted]
        self._paces = Paces(run.model)
        self._held: list[dict[int, Any]] = [{} for _ in range(LANES)]  # tables and laws that lanes are filled with
        self._bent: tuple[list[Any], np.ndarray] = ([None], np.zeros(0))  # fields of links, and their map
        self._maps = [deflection_map(run.model)] * LANES
        self.tried = 0  # steps of all packs, rejected ones included

    def compile(self) -> None:
        """Take no step, so that kernels are ready."""
        self.start(self.memory.duration, self.memory.times)
        self.march(0.0, self.memory.duration, 0)
        self.wrenches()
        self.frames()

    def wrenches(self) -> np.ndarray:
        """Return packs (N, n, 6) of the wrenches of the parent on the child at each joint, of all outputs."""
        count = int(self.record.next[0])
        out = Wrenches(aligned_packs(count, len(self._like.links), 6))
        self._kernels.write_wrenches(*self._kernel[:3], count, Struct(out))
        return out.wrench

    def frames(self) -> np.ndarray:
        """Return packs (N, n, 12) of position and rotation matrix of each link in the world, of all outputs."""
        count = int(self.record.next[0])
        out = LinkPoses(aligned_packs(count, len(self._like.links), 12))
        self._kernels.write_frames(*self._kernel[:3], count, Struct(out))
        return out.frame

    def settings(self, duration: float) -> RunSettings:
        """Return those of a run."""
        own = self.memory.settings
        return own if own.duration == duration else own.model_copy(update={"duration": duration})

    def fits(self, run: LaneRun) -> bool:
        """Return whether a run differs from the first in numbers alone: model, gains, reference, start and duration."""
        if not alike(run.model.arrays, self._like.arrays):
            return False
        if run.controller is self.memory.controller:
            return True
        own, other = law_tables(self.memory.law), law_tables(run.controller)
        return all(
            a.shape == b.shape and (a.dtype.kind == "f" or np.array_equal(a, b))
            for a, b in zip(own, other, strict=True)
        )

    def run(self, runs: Sequence[LaneRun]) -> VectorResults:
        """Return results of up to LANES runs, without those that are to be computed alone."""
        return next(self.stream(runs[:LANES]), VectorResults(self, runs, ()))

    def stream(self, runs: Sequence[LaneRun]) -> Iterator[VectorResults]:
        """Return results of any number of runs, to be read before the next; without those to be computed alone."""
        return LaneScheduler(self, runs).results()

    def segments_of(self, law: ControlLaw | None) -> Segments:
        """Return where the steps of a run under a law end."""
        own, tables = law_tables(self.memory.law), law_tables(law)
        same = all(np.array_equal(getattr(own, name), getattr(tables, name)) for name in IN_TIME)
        return self.memory.segments if same else cut_at_jumps(law, (), ())

    def fill(self, lane: int, run: LaneRun) -> None:
        """Let a run stand in a lane, at its start."""
        self.equip(lane, run)
        q, v = run.start
        self.state.q["lanes"][:, lane], self.state.v["lanes"][:, lane] = q, v
        self.state.atol_rate["lanes"][:, lane] = self.memory.settings.absolute_error * self._paces.of(run.model, q)
        fields = [getattr(link, "field", link) for link in run.model.flexible.values()]
        if len(fields) != len(self._bent[0]) or any(a is not b for a, b in zip(fields, self._bent[0], strict=True)):
            self._bent = fields, deflection_map(run.model)
        self._maps[lane] = self._bent[1]

    def equip(self, lane: int, run: LaneRun) -> None:
        """Fill a lane with the tables of a run and of its law alone."""
        held = self._held[lane]
        for k, (places, part) in enumerate(zip(self._tables, parts(run.model.arrays), strict=True)):
            if held.get(k) is not part:
                held[k] = part
                for place, table in zip(places, part, strict=True):
                    if place is not None:
                        place[..., lane] = table
        if held.get(LAW, self) is not run.controller:
            held[LAW] = run.controller
            tables = law_tables(run.controller)
            for place, table in zip(self.system.law.fields, tables, strict=True):
                if place.dtype == PACK:
                    place["lanes"][..., lane] = table

    def repeat(self, others: Iterable[int], sound: int) -> None:
        """Let lanes repeat another one from here on."""
        for lane in others:
            self._held[lane].clear()
            for pack in self._packs:
                for part in pack.dtype.names or ():
                    pack[part][..., lane] = pack[part][..., sound]

    def start(self, shortest: float, times: np.ndarray) -> None:
        """Begin at time 0 with what lanes are filled with; `shortest` is the duration of a run, `times` of outputs."""
        for memory, first in self._first:
            memory[...] = first
        set_out(self.state, shortest)
        self._expect(times)
        self.accelerate(0.0)
        self.write(0.0)
        self._seen = 0

    def _expect(self, times: np.ndarray) -> None:
        """Set the times of outputs, all of which are to come; makes room for them."""
        if len(times) > len(self.record.times):
            room = np.full(max(len(times), 2 * len(self.record.times)), np.inf)
            made = make_record(self._like, room, False, 0, self.memory.record.projector)
            self._kernel[2] = self._packing.of(Struct(made))
            self.record = self._kernel[2].fields
        self.record.next[0] = 0
        self.record.times[: len(times)] = times
        self.record.times[len(times) :] = np.inf

    def accelerate(self, t: float) -> None:
        """Compute accelerations of all lanes that fit their forces at t."""
        self.system.latest[0] = np.inf
        self._kernels.accelerate(*self._kernel[:2], self.work.matrix, self._kernel[3], t)

    def write(self, t: float) -> None:
        """Note the state as the next output."""
        self._kernels.write_state(*self._kernel[:4], t)

    def march(self, end: float, shortest: float, steps: int) -> int:
        """Take some steps, not beyond `end`; `shortest` is the duration of a run. Returns a Status."""
        scratch = self._kernel[1]
        self.system.latest[0] = end - 1e-13 * max(1.0, end)
        before = int(self.state.counts[:2].sum())
        code = int(
            self._kernels.march(*self._kernel[:2], scratch, *self._kernel[2:], end, 0.1 * shortest, False, steps)
        )
        self.tried += int(self.state.counts[:2].sum()) - before
        return code

    def beyond(self) -> set[int]:
        """Return lanes whose motion has grown beyond sense since the last look, see `RunLimits`."""
        first, self._seen = self._seen, int(self.record.next[0])
        q, now = self.record.q["lanes"][first : self._seen], self.state.q["lanes"]
        with np.errstate(all="ignore"):  # a state that overflows is what is looked for
            maps, fast = np.stack(self._maps), np.abs(self.state.v["lanes"]).max(axis=0, initial=0.0)
            most = np.maximum(q.max(axis=0, initial=0.0), -q.min(axis=0, initial=0.0))
            bent = np.einsum("lqc,ql->lc", np.abs(maps), np.maximum(most, np.abs(now))).max(axis=1, initial=0.0)
            if not bent.max() < HOPELESS / 2:  # the largest of all coordinates together are too much: look closer
                q = np.concatenate([q, now[None]])
                bent = np.abs(np.matmul(q.transpose(2, 0, 1), maps)).max(axis=(1, 2), initial=0.0)
            return set(np.flatnonzero(~(bent < HOPELESS / 2) | ~(fast < RACING)).tolist())

    def sizes(self) -> np.ndarray:
        """Return the square of the last error or correction of every lane."""
        return np.nan_to_num(self.work.size["lanes"][0], nan=np.inf)


def _varies(table: np.ndarray) -> bool:
    return table.dtype.kind == "f" and table.size > 0
