"""What the runs of a pack leave, in the memory of their flock until it runs again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.model.compiled import Model
from lissom.simulation.newton import report
from lissom.simulation.raw import RawRun

if TYPE_CHECKING:
    from lissom.simulation.flock import Flock


class Run(NamedTuple):
    """What may differ between the runs of a pack."""

    model: Model
    controller: Any  # a ControlLaw, or none
    start: tuple[np.ndarray, np.ndarray]  # q (nq,) and v (nv,)


@dataclass(frozen=True)
class Flocked:
    """Samples of the runs that came through, by the lanes they stood in."""

    flock: Flock
    runs: Sequence[Run]
    lanes: Sequence[int]

    def raws(self) -> list[RawRun | None]:
        """Every run by itself, in memory of its own; None of one that is to be computed alone."""
        return [self.raw(lane) if lane in self.lanes else None for lane in range(len(self.runs))]

    def raw(self, lane: int) -> RawRun:
        """One of them, in memory of its own."""
        whole = self._raw(self.runs[lane], lane)
        return replace(whole, **{name: getattr(whole, name).copy() for name in ("time", "q", "v", "a", "tau")})

    def together(self) -> RawRun:
        """All of them, whose samples have an axis of runs in front; model and controller are those of the first."""
        lanes = list(self.lanes)
        whole = lanes == list(range(len(lanes)))
        return self._raw(self.runs[lanes[0]], slice(0, len(lanes)) if whole else lanes)

    def wrenches(self) -> np.ndarray:
        """Wrenches of the parent on the child at each joint, (runs, N, n, 6): `observe`, pack by pack."""
        found: np.ndarray = np.moveaxis(self.flock.wrenches()["lanes"], -1, 0)[list(self.lanes)]
        return found

    def deflections(self) -> np.ndarray:
        """How far the tips of links that bend are deflected, (runs, N, links, 3): `observe`, link by link."""
        q, models = self.together().q, [self.runs[lane].model for lane in self.lanes]
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

    def _raw(self, run: Run, lanes: Any) -> RawRun:
        flock = self.flock
        r, series = flock.record, flock.series
        n = int(r.next[0])
        steps, rejected, evaluations, jacobians = (int(x) for x in flock.state.counts)

        def own(packs: np.ndarray) -> np.ndarray:
            samples: np.ndarray = np.moveaxis(packs["lanes"][:n], -1, 0)[lanes]
            return samples

        return RawRun(
            model=run.model,
            time=r.times[:n],
            q=own(r.q),
            v=own(r.v),
            a=own(r.a),
            tau=own(r.tau),
            work=np.zeros(n),
            dissipated=np.zeros(n),
            carried=series.carried,
            loads=replace(series.loads, values=np.zeros((n, 0))),
            method=flock.method.name,
            reason=series.reason,
            steps=steps,
            rejected=rejected,
            evaluations=evaluations,
            jacobians=jacobians,
            newton=report(flock.newton),
            controller=run.controller,
            settings=series.settings,
        )
