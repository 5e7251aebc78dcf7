"""What the time loop hands over: plain arrays at the output times, before anything has a name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.simulation.status.run_ending import Ending

if TYPE_CHECKING:
    from lissom.model.model import Model
    from lissom.simulation.inputs.loads import ActiveLoads
    from lissom.simulation.inputs.payload import Carried
    from lissom.simulation.inputs.sensor_signals import Sensed
    from lissom.simulation.postprocess import DrivenRows
    from lissom.simulation.settings import RunSettings


@dataclass(frozen=True)
class Event:
    """Something worth telling that happened during a run; `run.warnings` holds them.

    Parameters
    ----------
    time : float
        When it happened, or began, s.
    link_or_joint : str
        Its name; the robot's where it concerns the whole.
    kind : str
        "current": the rms current of a motor is above its continuous one (value: their ratio);
        "limit": a joint reached its limit (value: the coordinate, rad or m); "deflection": a tip is beyond a tenth
        of its link's length (value: the share of the length); "axial force": pressure that a linear field leaves
        out (value: the share of the buckling load); "propeller moment": inertia of sections that a second-order
        field leaves out (value: the share of the stiffness); "torsion": a link is bent so far that the second-order
        field is off in torsion (value: the share of the stiffness); "taut": a tension makes a link bend closer to
        forces in its span than its functions follow (value: sqrt(N / EI) times its length); "energy": the balance
        does not close (value: the share of what was exchanged); "gear": a joint is not where the motion of its
        motor is (value: how far); "branch": velocities jump where a loop may go on in more ways than one (value: by
        which share of the fastest); "divergence": the motion grew beyond sense (value: speed, or lengths of the
        link).
    text : str
        A whole sentence, with the remedy.
    value : float
        The number behind it.
    """

    time: float
    link_or_joint: str
    kind: str
    text: str
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
    multipliers: np.ndarray | None = None  # (N, rows) of the directions that loops hold
    given: np.ndarray | None = None  # (N, rows) what their values are to be, zero but for distances that are driven
    load_work: np.ndarray | None = None  # (N,) J, energy put in by loads and the thrust of cylinders
    loads: ActiveLoads | None = None  # what acted from outside, with its values at the samples
    carried: Carried | None = None  # payloads picked up and dropped on the way
    sensed: Sensed | None = None  # what sensors told
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
    def held_rows(self) -> DrivenRows | None:
        """What loops hold at the samples, zero where the run does not tell; None of a robot without loops."""
        from lissom.simulation.postprocess import DrivenRows

        if not self.model.loops:
            return None
        none = np.zeros((len(self.time), len(self.model.arrays.loops.hold)))
        parts = (none if part is None else part for part in (self.multipliers, self.given))
        return DrivenRows(*parts)

    @property
    def audited(self) -> bool:
        """Whether work and dissipation were integrated along the way."""
        return self.settings is None or self.settings.audit
