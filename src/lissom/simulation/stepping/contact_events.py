"""Where contacts begin and end: steps end there, so that no step runs through a surface or blurs a touch.

Before a step, no body may come further than the surface it approaches or leaves; a step in which a gap closed or opened
is taken back and repeated up to there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import kernel
from lissom.kernel.forces.contact_forces import GAP, GAP_RATE
from lissom.kernel.forces.external_forces import act_unloaded
from lissom.kernel.kinematics.forward_kinematics import forward_kinematics
from lissom.model.model import Model
from lissom.simulation.equations.recorder import Record
from lissom.simulation.integrators.integrator_state import CONTINUED, TIME, State

CLOSE = 1e-9  # m: as good as touching
BEYOND = 1.02  # share of the time to the surface at the present speed that a step may take
TRIES = 12  # repeated steps until the begin or the end of a contact is found
SHORTEST = 1e-9  # s


@kernel
def contact_state(model, work, q, v):
    """Fill work.touch at the state (q, v)."""
    forward_kinematics(model, work, q, v)
    act_unloaded(model, work, q, v)


class StepCopy(NamedTuple):
    """What a step changes."""

    clock: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    next: np.ndarray
    flow: np.ndarray


class ContactEvents:
    """The contacts of a run."""

    def __init__(self, model: Model, state: State, record: Record) -> None:
        self.model, self.state, self.record = model, state, record
        self.gap = self._look()[0]
        self.cached = self._keep()

    def _look(self) -> tuple[np.ndarray, np.ndarray]:
        """Return gaps and their rates at the present state."""
        contact_state(self.model.struct, self.model.workspace(), self.state.q, self.state.v)
        touch = self.model.scratch().touch
        return touch[:, GAP].copy(), touch[:, GAP_RATE].copy()

    def _keep(self) -> StepCopy:
        s, r = self.state, self.record
        return StepCopy(*(x.copy() for x in (s.clock, s.q, s.v, s.a, r.next, r.flow)))

    def longest_step(self) -> float:
        """Return how long a step may be that goes no further than the surfaces ahead, s; it begins now."""
        self.gap, rate = self._look()
        self.cached = self._keep()
        ahead = (np.abs(self.gap) > CLOSE) & (self.gap * rate < 0)
        times = -self.gap[ahead] / rate[ahead]
        return max(SHORTEST, BEYOND * float(times.min(initial=np.inf)))

    def overrun(self) -> float | None:
        """Return how long the last step may be instead, s, where it ran through a surface; None where it did not."""
        gap, _ = self._look()
        crossed = (self.gap * gap < 0) & (np.minimum(np.abs(self.gap), np.abs(gap)) > CLOSE)
        if not np.any(crossed):
            return None
        h = float(self.state.clock[TIME] - self.cached.clock[TIME])
        shares = self.gap[crossed] / (self.gap[crossed] - gap[crossed])
        return h * float(shares.min())

    def take_back(self) -> None:
        """Undo the step, and forget what it followed from."""
        s, r, kept = self.state, self.record, self.cached
        arrays: tuple[Any, ...] = (s.clock, s.q, s.v, s.a, r.next, r.flow)
        for array, values in zip(arrays, kept, strict=True):
            array[:] = values
        s.flags[CONTINUED] = 0
