"""Runs of a formulation, whose wrenches are its own."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lissom.results import trajectory
from lissom.results.run_info import RunInfo
from lissom.results.trajectory import Trajectory
from lissom.simulation.postprocess import Observation
from lissom.simulation.raw_run import RawRun
from lissom.theory.connections.connected import ConnectedFormulation
from lissom.theory.formulation import Formulation
from lissom.theory.kernel_formulation import Kernel


class OwnWrenches(Trajectory):
    """A run whose wrenches the formulation computes when they are asked for."""

    def __init__(self, raw: RawRun, formulation: Formulation) -> None:
        super().__init__(raw, raw.model, RunInfo.of(raw), raw.warnings)
        self._formulation = formulation

    @cached_property
    def seen(self) -> Observation:
        """What the run shows, with the formulation's own wrenches."""
        if self._stored is not None:  # a copy from another process, which has them among its quantities
            return super().seen
        formulation, wrenches = self._formulation, []
        for k, sample in enumerate(zip(self.q, self.v, self.a, self.raw.tau, strict=True)):
            if isinstance(formulation, ConnectedFormulation) and self.raw.loads is not None:
                formulation.given_wrenches[:] = self.raw.loads.on_rows(formulation.loaded.rows)[k]
            wrenches.append(formulation.wrenches_under(*sample))
        return super().seen._replace(wrench=np.reshape(wrenches, (len(self.time), -1, 6)))


def from_run(raw: RawRun, formulation: Formulation) -> Trajectory:
    """Return the results of a run; the kernel's wrenches are those that every trajectory has."""
    return trajectory.from_run(raw) if isinstance(formulation, Kernel) else OwnWrenches(raw, formulation)
