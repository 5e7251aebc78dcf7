"""Many variants of ella, payload and stiffness drawn at random: runs per second on all cores.

    python benchmarks/batch.py

Against (a) a Python loop over `simulate` that does the same, and (b) Exudyn in as many processes as there are cores.
Each side keeps the largest deflection of the upper arm. In (b) both have their settings of the race (`exudyn_race.py`),
with which they keep the manoeuvre within what the problem allows: shape functions and tolerances, elements and steps.
How far each is from converged runs is measured. Turns alternate.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from typing import Any

import lock_step
import numpy as np
from forward_dynamics import LANES_TARGET, lanes, peak_gflops
from sheet import Sheet, spread

import lissom
from lissom.operating_system import cores
from lissom.study.execution.vector_runs import MANY

RUNS, TURNS = 1000, 4
LOOP_TARGET, CORE_TARGET, EXUDYN_TARGET = 4.0, 2.5, 150.0
OUTPUT = "peak |deflection.upper|"
CONVERGED = {"rtol": 1e-9, "atol": 1e-11}
STIFFNESSES = ("EIy", "EIz", "GJ")
LINKS = ("upper", "forearm")


def variants(count: int) -> dict[str, np.ndarray]:
    """Payload and the factor of all bending and torsional stiffnesses."""
    rng = np.random.default_rng(1)
    return {"payload": rng.uniform(0.5, 3.0, count), "factor": rng.uniform(0.7, 1.5, count)}


def fields(drawn: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Values of the fields of the robot file."""
    robot = lissom.load("ella")
    changed = {"links.forearm.beam.masses.0.mass": drawn["payload"]}
    for link in LINKS:
        for name in STIFFNESSES:
            path = f"links.{link}.beam.section.{name}"
            changed[path] = robot.value(path) * drawn["factor"]
    return changed


def as_in_file() -> Any:
    """The scenario of the Python loop."""
    return lissom.scenario.load("ella")


def as_in_race() -> Any:
    """The scenario with lissom's settings of the race against Exudyn."""
    ours = ella().ours
    values = [(f"links.{link}.beam.modes", dict(ours.modes)) for link in LINKS]
    return as_in_file().with_values([*values, ("method", ours.method), ("rtol", ours.rtol), ("atol", ours.atol)])


def ella() -> Any:
    """The problem of the race against Exudyn."""
    from exudyn_race import PROBLEMS

    return next(problem for problem in PROBLEMS if problem.title.startswith("ella"))


def looped(base: Any, changed: dict[str, np.ndarray], rows: Iterable[int], **settings: Any) -> list[float]:
    """Runs one after the other, as anybody would write it."""
    found = []
    for k in rows:
        variant = base.with_values([(path, float(values[k])) for path, values in changed.items()])
        run = variant.run(progress=False, **settings)
        found.append(float(np.linalg.norm(run.deflection("upper"), axis=1).max()))
    return found


def batched(base: Any, changed: dict[str, np.ndarray], rows: range, used: int) -> list[float]:
    part = {path: values[rows.start : rows.stop] for path, values in changed.items()}
    return lissom.simulate_batch(base, part, outputs=[OUTPUT], cores=used, progress=False)[OUTPUT].values.tolist()


def exudyn_runs(rows: range) -> list[float]:
    """The same runs by Exudyn, in this process."""
    import exudyn_arm

    race = ella()
    changed, robot = fields(variants(RUNS)), lissom.load("ella")
    found = []
    for k in rows:
        variant = robot.with_values([(path, float(values[k])) for path, values in changed.items()])
        arm = exudyn_arm.Arm(variant, race.theirs.elements, list(race.figures["start"].values()), race._drive())
        result = arm.run(race.duration, race.rate, race.theirs)
        bent = exudyn_arm.deflection(result, "upper", variant.link("upper").beam.length)
        found.append(float(np.linalg.norm(bent, axis=1).max()))
    return found


class Clock:
    """Runs per second of one side, turn by turn."""

    def __init__(self, work: Any, size: int) -> None:
        self.work, self.size = work, size
        self.rates: list[float] = []
        self.found: dict[int, float] = {}

    def turn(self, number: int) -> None:
        first = number * self.size % RUNS
        rows = range(first, first + self.size)
        began = time.perf_counter()
        found = self.work(rows)
        self.rates.append(self.size / (time.perf_counter() - began))
        self.found |= dict(zip(rows, found, strict=True))


def race(other: str, base: Any, work: Any, size: int, target: float, used: int) -> dict[str, Any]:
    """A batch on so many cores against another side; the first turn of each is for compilers and processes."""
    changed = fields(variants(RUNS))
    sides = {"batch": Clock(lambda rows: batched(base, changed, rows, used), RUNS), other: Clock(work, size)}
    sides["batch"].work(range(MANY))
    sides[other].work(range(size))
    for turn in range(TURNS):
        for clock in sides.values():
            clock.turn(turn)
    batch, rival = (np.array(clock.rates) for clock in sides.values())
    low, median, high = np.quantile(batch / rival, (0.25, 0.5, 0.75))
    same = sorted(set(sides["batch"].found) & set(sides[other].found))
    return {
        "against": other,
        "cores": used,
        "settings": ", ".join(settings_of(base)),
        "runs per second": {name: float(np.median(clock.rates)) for name, clock in sides.items()},
        "ratio": {"median": float(median), "low": float(low), "high": float(high)},
        "found": {name: {k: clock.found[k] for k in same} for name, clock in sides.items()},
        "target": target,
    }


def settings_of(base: Any) -> tuple[str, str]:
    """Functions of a link, and the tolerance."""
    return "+".join(str(count) for _, count in base.load_robot().link(LINKS[0]).beam.modes), f"rtol {base.rtol:.0e}"


def measure() -> dict[str, Any]:
    """All races; `errors`: of their results, the largest of each side."""
    changed = fields(variants(RUNS))
    loop = as_in_file()
    races = [
        race("Python loop", loop, lambda rows: looped(loop, changed, rows), 12, target, used)
        for target, used in ((LOOP_TARGET, cores()), (CORE_TARGET, 1))
    ]
    if find_spec("exudyn") is not None:
        with ProcessPoolExecutor(cores(), mp_context=get_context("spawn")) as pool:

            def shared(rows: range) -> list[float]:
                parts = [rows[k :: cores()] for k in range(cores())]
                found: dict[int, float] = {}
                for part, values in zip(parts, pool.map(exudyn_runs, parts), strict=True):
                    found |= dict(zip(part, values, strict=True))
                return [found[k] for k in rows]

            races.append(race("Exudyn", as_in_race(), shared, 2 * cores(), EXUDYN_TARGET, cores()))
    compared = sorted({k for one in races for k in one["found"]["batch"]})
    exact = dict(zip(compared, looped(loop, changed, compared, **CONVERGED), strict=True))
    for one in races:
        found = one.pop("found")
        one["errors"] = {name: max(abs(values[k] / exact[k] - 1) for k in values) for name, values in found.items()}
    return {
        "cores": cores(),
        "runs": RUNS,
        "races": races,
        "peak_gflops": peak_gflops(),
        "lanes": lanes(),
        "lock step": lock_step.measure(loop, fields(variants(lock_step.RUNS))),
    }


def sheets(results: dict[str, Any]) -> list[Sheet]:
    """The tables of this part."""
    measured = results.get("lock step")  # which results of earlier versions do not have
    return [_many_runs(results), *([lock_step.sheet(measured)] if measured else []), _in_lanes(results)]


def _many_runs(results: dict[str, Any]) -> Sheet:
    rows = []
    for row in results["races"]:
        median, target, rates = row["ratio"]["median"], row["target"], row["runs per second"]
        met = f"{target:g}, {'met' if median >= target else 'missed'}"
        sides = ("batch", row["against"])
        numbers = [f"{rates[name]:.1f}" for name in sides]
        errors = [f"{row['errors'][name]:.0e}" for name in sides]
        rows.append([row["against"], str(row["cores"]), row["settings"], *numbers, spread(row["ratio"]), met, *errors])
    text = (
        f"Variants of ella's manoeuvre of 4 s, payload and stiffness drawn at random, {results['runs']} of them by "
        "`simulate_batch`, the largest deflection kept: runs per second of wall time. Against a Python loop over "
        "`simulate`, which uses one core, with the settings of the file; and against Exudyn in as many processes as "
        "the batch has cores, both with their settings of the race above. The last columns are the largest errors of "
        "what both sides computed, relative to runs with the functions of the file and rtol 1e-9. Sides take turns; "
        "medians and quartiles."
    )
    columns = ("against", "cores", "settings", "batch", "the other", "ratio", "target", "error", "of the other")
    return Sheet("Many runs", text, columns, rows)


def _in_lanes(results: dict[str, Any]) -> Sheet:
    rows = []
    for row in results["lanes"]:
        name = f"{row['links']} x {row['modes']}, `{row['stiffening']}`"
        times = [f"{row['us'][key]:.2f}" for key in ("one", "lanes")]
        met = f"{LANES_TARGET:g}, {'met' if row['ratio']['median'] >= LANES_TARGET else 'missed'}"
        share = f"{100 * row['gflops'] / results['peak_gflops']:.0f} %"
        narrow = spread(row["narrow"]) if row["narrow"] else ""
        rows.append([name, *times, spread(row["ratio"]), met, f"{row['gflops']:.1f}", share, narrow])
    text = (
        "Forward dynamics of many states of a chain (links x modes of each) on one core, in microseconds per state: "
        "one after the other in a compiled loop, and eight at a time in vector registers (`forward_dynamics_batch`), "
        f"the same kernel source; and its share of what the core does at most, {results['peak_gflops']:.0f} Gflop/s. "
        "Last, the ratio by code for processors whose registers hold four numbers (x86-64-v3), where this one's hold "
        "eight."
    )
    columns = ("chain", "one by one", "in lanes", "ratio", "target", "Gflop/s", "of the peak", "four in a register")
    return Sheet("States in lanes", text, columns, rows)


if __name__ == "__main__":
    for row in measure()["races"]:
        rates = ", ".join(f"{name} {rate:.1f}/s" for name, rate in row["runs per second"].items())
        errors = ", ".join(f"{name} {error:.0e}" for name, error in row["errors"].items())
        print(
            f"{row['settings']}, {row['cores']} cores: {rates}, ratio {row['ratio']['median']:.2f} "
            f"(asked {row['target']:g}), largest errors {errors}"
        )
