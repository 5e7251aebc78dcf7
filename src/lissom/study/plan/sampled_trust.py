"""Error bars of the outputs of some runs of a batch, evenly spread: all of them would cost seven times the batch."""

from __future__ import annotations

from functools import partial

import numpy as np

from lissom.errors import StudyError
from lissom.results.error_bars import ErrorBar
from lissom.results.trajectory import Trajectory
from lissom.results.trust.run_trust import trust
from lissom.simulation.status.run_ending import Ending
from lissom.study.plan.kept_quantities import Quantity
from lissom.study.plan.run_plan import Runs

SAMPLED = 3  # runs, unless asked for more


def sampled_trust(runs: Runs, count: int = SAMPLED) -> dict[int, dict[str, ErrorBar]]:
    """Return error bars of the outputs that are one number, by run and output; runs that do not finish have none."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise StudyError("must be a number of runs, at least 1", ("trust",), count)
    chosen = np.unique(np.linspace(0, len(runs) - 1, min(count, len(runs))).round().astype(int))
    return {run: _error_bars(runs, run) for run in chosen.tolist()}


def _error_bars(runs: Runs, run: int) -> dict[str, ErrorBar]:
    made = runs.trajectory(run, progress=False)
    if made.info.status is not Ending.FINISHED:
        return {}
    repeated = trust(made, budget=0.0, progress=False).runs
    if repeated is None:
        return {}
    found = {}
    for name, quantity in runs.outputs.items():
        own = _measure(quantity, made)
        if own is not None:
            found[name] = repeated.bar(name, own[1], partial(_value, quantity))
    return found


def _value(quantity: Quantity, run: Trajectory) -> float:
    found = _measure(quantity, run)
    return np.nan if found is None else found[0]


def _measure(quantity: Quantity, run: Trajectory) -> tuple[float, str] | None:
    """Return a quantity of a run and its unit; None where it is not one number."""
    found = quantity.measure(run.quantities_with(quantity.needs), run.model, run.q[0])
    return (float(found.values), found.units) if np.ndim(found.values) == 0 else None
