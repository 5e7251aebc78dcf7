"""What the runs of a pack leave, in the memory of their batch until it goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.model.compilation.tip_frames import tip_of
from lissom.model.model import Model
from lissom.simulation.equations.newton import report
from lissom.simulation.raw_run import RawRun
from lissom.simulation.stepping.method_selection import AS_ASKED
from lissom.simulation.stepping.output_times import instants

if TYPE_CHECKING:
    from lissom.simulation.batch.vector_batch import VectorBatch


class LaneRun(NamedTuple):
    """What may differ between the runs of a pack."""

    model: Model
    controller: Any  # a ControlLaw, or none
    start: tuple[np.ndarray, np.ndarray]  # q (nq,) and v (nv,)
    duration: float  # s


class Stood(NamedTuple):
    """A run that came through: where its samples are."""

    number: int  # of the run, among all that were given
    lane: int
    rows: slice | np.ndarray  # of the record
    counts: np.ndarray  # (4,) steps of the pack and so on, from the begin of the run to its end


@dataclass(frozen=True)
class VectorResults:
    """Samples of the runs that came through."""

    batch: VectorBatch
    runs: Sequence[LaneRun]  # all that were given
    stood: Sequence[Stood]
    _seen: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def numbers(self) -> list[int]:
        """Which of the runs came through."""
        return [one.number for one in self.stood]

    def raws(self) -> list[RawRun | None]:
        """Return every run by itself, in memory of its own; None of one that is to be computed alone."""
        found = {one.number: self._raw(one) for one in self.stood}
        return [found.get(number) for number in range(len(self.runs))]

    def alike(self) -> Iterator[VectorResults]:
        """Yield those whose samples stand in the same rows, together."""
        left = list(self.stood)
        while left:
            same = [one for one in left if _same(one.rows, left[0].rows)]
            yield replace(self, stood=same)
            left = [one for one in left if not _same(one.rows, same[0].rows)]

    def raw(self, number: int) -> RawRun:
        """Return one of them, in memory of its own."""
        return self._raw(next(one for one in self.stood if one.number == number))

    def together(self) -> RawRun:
        """Return all runs, `alike`: samples have an axis of runs in front; model and controller are the first's."""
        lanes = [one.lane for one in self.stood]
        whole = lanes == list(range(len(lanes)))
        return self._samples(self.stood[0], slice(0, len(lanes)) if whole else lanes)

    def wrenches(self) -> np.ndarray:
        """Return wrenches of the parent on the child at each joint, (runs, N, n, 6), of runs that are `alike`."""
        return self._of_pack("wrench", self.batch.wrenches)

    def deflections(self) -> np.ndarray:
        """Return how far the tips of links that bend are deflected, (runs, N, links, 3): `observe`, link by link."""
        q, models = self.together().q, [self.runs[number].model for number in self.numbers]
        bending = [body for body in models[0].bodies if body.link in models[0].flexible]
        out = np.zeros((*q.shape[:2], len(bending), 3))
        for k, body in enumerate(bending):
            links = [model.flexible[body.link] for model in models]
            tips = [link.section_map(link.length) for link in links]
            eta = np.ascontiguousarray(q[..., body.modes_q])
            if all(tip is tips[0] for tip in tips):
                out[:, :, k] = tips[0].displacement(eta)
            else:
                for run, tip in enumerate(tips):
                    out[run, :, k] = tip.displacement(eta[run])
        return out

    def tips(self) -> np.ndarray:
        """Return where the tips of links are in the world, (runs, N, n, 3): `observe`, by the frames of links."""
        frames, deflections = self._of_pack("frame", self.batch.frames), self.deflections()
        models = [self.runs[number].model for number in self.numbers]
        place = np.array([[tip_of(model, link) for link in model.links] for model in models])[:, None]
        bending = [k for k, link in enumerate(models[0].links) if link in models[0].flexible]
        place = np.repeat(place, frames.shape[1], axis=1)
        place[:, :, bending] += deflections
        out = frames[..., :3]
        for column in range(3):
            out = out + frames[..., 3 + column :: 3] * place[..., column : column + 1]
        return out

    def _of_pack(self, name: str, measure: Any) -> np.ndarray:
        """Return what is measured of a whole pack at once, of these runs."""
        if name not in self._seen:
            self._seen[name] = measure()["lanes"]
        found: np.ndarray = np.moveaxis(self._seen[name][self.stood[0].rows], -1, 0)
        return found[[one.lane for one in self.stood]]

    def _raw(self, one: Stood) -> RawRun:
        whole = self._samples(one, one.lane)
        return replace(whole, **{name: getattr(whole, name).copy() for name in ("q", "v", "a", "tau")})

    def _samples(self, one: Stood, lanes: Any) -> RawRun:
        batch, run = self.batch, self.runs[one.number]
        r, memory = batch.record, batch.memory
        time = instants(run.duration, memory.settings.rate)
        steps, rejected, evaluations, jacobians = (int(x) for x in one.counts)

        def own(packs: np.ndarray) -> np.ndarray:
            samples: np.ndarray = np.moveaxis(packs["lanes"][one.rows], -1, 0)[lanes]
            return samples

        return RawRun(
            model=run.model,
            time=time,
            q=own(r.q),
            v=own(r.v),
            a=own(r.a),
            tau=own(r.tau),
            work=np.zeros(len(time)),
            dissipated=np.zeros(len(time)),
            carried=memory.carried,
            loads=replace(memory.loads, values=np.zeros((len(time), 0))),
            method=batch.method.name,
            reason=AS_ASKED,
            steps=steps,
            rejected=rejected,
            evaluations=evaluations,
            jacobians=jacobians,
            newton=report(batch.newton),
            controller=run.controller,
            settings=batch.settings(run.duration),
        )


def _same(a: slice | np.ndarray, b: slice | np.ndarray) -> bool:
    if isinstance(a, slice) or isinstance(b, slice):
        return isinstance(a, slice) and isinstance(b, slice) and a == b
    return np.array_equal(a, b)
