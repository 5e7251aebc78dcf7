"""What the time loop hands over: plain arrays at the output times, before anything has a name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.simulation.ending import Ending

if TYPE_CHECKING:
    from lissom.model.compiled import Model
    from lissom.simulation.settings import RunSettings


@dataclass(frozen=True)
class Event:
    """Something worth telling that happened during a run."""

    time: float  # s
    link_or_joint: str
    kind: str  # "limit", "deflection", ...
    text: str  # a whole sentence
    value: float


@dataclass
class RawRun:
    """A run of `N` output times on `model`."""

    model: Model
    time: np.ndarray  # (N,) s
    q: np.ndarray  # (N, nq)
    v: np.ndarray  # (N, nv)
    a: np.ndarray  # (N, nv)
    tau: np.ndarray  # (N, nv) applied forces, with the driving force of prescribed joints
    work: np.ndarray  # (N,) J, energy put in by tau
    dissipated: np.ndarray  # (N,) J
    method: str = ""
    reason: str = ""  # why this method
    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    jacobians: int = 0
    newton: dict[str, Any] = field(default_factory=dict)  # of an implicit method, see `newton.report`
    wall: float = 0.0  # s spent in the time loop
    status: Ending = Ending.FINISHED
    message: str = ""
    warnings: list[Event] = field(default_factory=list)
    controller: Any = None
    settings: RunSettings | None = None  # None where the samples come from elsewhere

    @property
    def audited(self) -> bool:
        """Whether work and dissipation were integrated along the way."""
        return self.settings is None or self.settings.audit
