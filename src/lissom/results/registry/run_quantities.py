"""From the raw run to its quantities: those that are registered, as labelled arrays."""

from __future__ import annotations

from collections.abc import Callable, Container

import numpy as np

from lissom.errors import LissomError
from lissom.results.quantities import Quantities, Variable, axis, variable
from lissom.results.registry.result_quantity import QUANTITIES, ResultQuantity, RunData
from lissom.simulation.batch.vector_results import VectorResults
from lissom.simulation.postprocess import Observation
from lissom.simulation.raw_run import RawRun

TIME = {"long_name": "time", "units": "s"}


def quantities(
    raw: RawRun, observe: Callable[[], Observation] | None = None, only: Container[str] | None = None
) -> Quantities:
    """Compute the registered quantities that a run has, or those of them that `only` names.

    `observe` gives what follows from the samples; it is called when a quantity needs it.
    """
    return _compute(RunData(raw, observe), only)


def quantities_together(ran: VectorResults, only: Container[str]) -> Quantities:
    """Compute quantities of a pack of runs, with an axis of runs in front: of those with `in_packs` the ones named."""
    pack = _PackObservation(ran)
    return _compute(RunData(ran.together(), lambda: pack), only)  # type: ignore[arg-type, return-value]


def expected_quantities(run: RunData) -> list[ResultQuantity]:
    """Return the records of the quantities that a run has; nothing is computed."""
    return [quantity for quantity in QUANTITIES.values() if quantity.exists(run)]


def _compute(run: RunData, only: Container[str] | None) -> Quantities:
    made = {"time": Variable(("time",), np.array(run.raw.time, float), TIME)}
    for quantity in expected_quantities(run):
        if (not quantity.on_demand) if only is None else (quantity.name in only):
            made |= {dim: axis(dim, run.labels(dim)) for dim in quantity.dims}
            made[quantity.name] = variable(quantity.dims, _values(run, quantity), quantity.text, quantity.units(run))
    return Quantities(made)


def _values(run: RunData, quantity: ResultQuantity) -> np.ndarray:
    """Return the values of a quantity, whose shape must be that of its axes."""
    values = run[quantity.name]
    shape = (*run.raw.q.shape[:-1], *(len(run.labels(dim)) for dim in quantity.dims))
    if values.shape != shape:
        text = f"compute returned values of the shape {values.shape}; time and axes {quantity.dims} ask for {shape}"
        raise LissomError(text, (quantity.name,))
    return values


class _PackObservation:
    """What is known of a whole pack: the parts of an `Observation` that are computed for all its runs at once."""

    def __init__(self, ran: VectorResults) -> None:
        self._ran = ran

    @property
    def wrench(self) -> np.ndarray:
        return self._ran.wrenches()

    @property
    def deflection(self) -> np.ndarray:
        return self._ran.deflections()

    @property
    def tip_position(self) -> np.ndarray:
        return self._ran.tips()
