"""Runs in lanes against the same runs one by one, on one core; and what lock-step costs them in steps.

    python benchmarks/lock_step.py

Variants of ella's manoeuvre as in `batch.py`: all of 4 s; of 1 to 4 s; all of 4 s, a tenth of which fail at once. One
by one is the same `simulate_batch` in portions too small for lanes. Turns alternate.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sheet import Sheet, spread

import lissom
from lissom.dynamics.sensing import sensors_of
from lissom.kernel.packs import LANES
from lissom.scenario.prepare import Prepared, prepare
from lissom.simulation.batch.rerun import Rerun
from lissom.simulation.batch.vector_batch import VectorBatch
from lissom.simulation.batch.vector_results import LaneRun
from lissom.simulation.stepping.time_loop import simulate_raw
from lissom.study.execution.vector_runs import MANY, stream_of

RUNS, ONE_BY_ONE, TURNS = 1024, 128, 5
STREAMS = 4  # of sixteen runs each, whose steps are counted
OUTPUT = "peak |deflection.upper|"
DURATION, RATE = "duration", "start.elbow.rate"
WILD = 2e6  # rad/s: an arm that turns so fast at its start is given up at once

Changed = dict[str, np.ndarray]


def kinds(changed: Changed) -> dict[str, Changed]:
    """Batches by name."""
    rng, count = np.random.default_rng(2), len(next(iter(changed.values())))
    failing = np.where(np.arange(count) % 10 == 3, WILD, 0.0)
    return {
        "4 s each": changed,
        "1 to 4 s": changed | {DURATION: rng.uniform(1.0, 4.0, count)},
        "4 s each, a tenth fails": changed | {RATE: failing},
    }


def in_lanes(base: Any, changed: Changed) -> None:
    lissom.simulate_batch(base, changed, outputs=[OUTPUT], cores=1, progress=False)


def one_by_one(base: Any, changed: Changed) -> None:
    for first in range(0, ONE_BY_ONE, MANY // 2):
        in_lanes(base, {path: values[first : first + MANY // 2] for path, values in changed.items()})


def race(base: Any, changed: Changed) -> dict[str, Any]:
    """Runs per second, and their ratio turn by turn."""

    def rate(work: Callable[[Any, Changed], None], count: int) -> float:
        began = time.perf_counter()
        work(base, {path: values[:count] for path, values in changed.items()})
        return count / (time.perf_counter() - began)

    turns = np.array([(rate(in_lanes, RUNS), rate(one_by_one, ONE_BY_ONE)) for _ in range(TURNS + 1)])[1:]
    low, median, high = np.quantile(turns[:, 0] / turns[:, 1], (0.25, 0.5, 0.75))
    lanes, alone = np.median(turns, axis=0)
    return {
        "runs per second": {"lanes": float(lanes), "alone": float(alone)},
        "ratio": {"median": float(median), "low": float(low), "high": float(high)},
    }


def streams(base: Any, changed: Changed) -> list[list[Prepared]]:
    """Some of the runs that pass through one pack, evenly spread over the batch in the order in which it takes them."""
    size, order = stream_of(RUNS), sorted(range(RUNS), key=lambda k: -float(changed.get(DURATION, np.zeros(RUNS))[k]))
    firsts = size * np.linspace(0, RUNS // size - 1, STREAMS).astype(int)
    return [
        [prepare(base.with_values([(path, float(values[k])) for path, values in changed.items()])) for k in rows]
        for rows in (order[first : first + size] for first in firsts)
    ]


def steps(base: Any, changed: Changed) -> dict[str, float]:
    """Steps of runs alone, tried ones included; and in packs, relative to them: beyond that, and of lanes that idle.

    Of runs that come through; whatever lanes do for those that fail is idle.
    """
    alone, packs, own, count, quick = 0, 0, 0, 0, {"audit": False}
    for ones in streams(base, changed):
        first = ones[0]
        drive = first.drive | {"sensors": sensors_of(first.model, first.sensors)}
        series = Rerun(first.model, first.settings.model_copy(update=quick), **drive)
        batch = VectorBatch(series, series.begin())
        for ran in batch.stream([LaneRun(one.model, one.controller, one.start, one.settings.duration) for one in ones]):
            own += sum(int(one.counts[:2].sum()) for one in ran.stood)
            for one in (ones[number] for number in ran.numbers):
                raw = simulate_raw(one.model, one.settings.model_copy(update=quick), **one.drive)
                alone, count = alone + raw.steps + raw.rejected, count + 1
        packs += LANES * batch.tried
    return {"alone": alone / count, "lock step": own / alone - 1.0, "idle": (packs - own) / alone}


def measure(base: Any, changed: Changed) -> list[dict[str, Any]]:
    """All kinds of batches, whose values are those of RUNS runs."""
    return [{"runs": name, **race(base, some), **steps(base, some)} for name, some in kinds(changed).items()]


def sheet(rows: list[dict[str, Any]]) -> Sheet:
    """The table of this part."""
    lines = []
    for row in rows:
        rates = [f"{row['runs per second'][side]:.0f}" for side in ("lanes", "alone")]
        shares = [f"{100 * row[name]:.0f} %" for name in ("lock step", "idle")]
        lines.append([row["runs"], *rates, spread(row["ratio"]), f"{row['alone']:.0f}", *shares])
    text = (
        f"{RUNS} variants of ella's manoeuvre on one core by `simulate_batch`, runs per second, against the same one "
        "by one. Then the steps that a run takes alone; how many more its pack takes until it ends, since each step is "
        "the shortest that any of eight runs asks for; and those of lanes that idle. Medians, quartiles."
    )
    columns = ("runs", "in lanes", "one by one", "ratio", "steps alone", "by lock-step", "idle")
    return Sheet("Runs in lanes", text, columns, lines)


if __name__ == "__main__":
    from batch import as_in_file, fields, variants
    from rich.console import Console

    sheet(measure(as_in_file(), fields(variants(RUNS)))).show(Console(width=140))
