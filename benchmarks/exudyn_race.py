"""A race against Exudyn: time loops of both to the same accuracy, in one process, one thread each.

    python benchmarks/exudyn_race.py            the race, with the settings chosen for both sides
    python benchmarks/exudyn_race.py --tune     accuracy and time of all settings tried; the fastest that do are chosen

Accuracy is against converged solutions of geometrically exact models (tests/data/reference_figures.json, and
tests/data/loops for mechanisms with closed loops). A side may use any mesh, modes, steps and method that keep every
quantity within what a problem allows. Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from exudyn_common import Theirs
from exudyn_mechanism_problems import Crane, FiveBar
from exudyn_problems import Manoeuvre, Ours, Problem, SpinUp, Swing

TURNS = 5
FEW = {"y": 2, "z": 2, "torsion": 1, "axial": 0}
PROBLEMS: list[Problem] = [
    SpinUp("2", 5e-5, Ours({"y": 2}, 3, rtol=1e-5, atol=1e-7), Theirs(6, 0.01)),
    SpinUp(
        "10",
        1e-4,
        Ours({"y": 6, "axial": 1}, rtol=1e-5, atol=1e-7, stiffening="exact", ends="legendre"),
        Theirs(16, 0.002),
    ),
    Swing(5e-5, Ours(FEW, step=1e-2), Theirs(2, 0.5 / 300)),
    Manoeuvre("dual-screw-arm", Ours(), Theirs(3, 2.5e-3)),
    Manoeuvre("ella", Ours(FEW), Theirs(4, 5e-3)),
    Manoeuvre("canadarm2", Ours(), Theirs(8, 1.25e-3)),
    FiveBar(Ours({"y": 3, "axial": 1}, rtol=1e-7, atol=1e-9, stiffening="first"), Theirs(4, 0.4 / 2200)),
    Crane(Ours({"y": 2, "axial": 1}, stiffening="first"), Theirs(2, 5.0 / 700)),
]


def tune(problem: Problem) -> None:
    """Print every candidate: share of the allowed error, processor time."""
    print(f"\n{problem.title}: {problem.allowed}")
    for side, settings in zip(("lissom", "exudyn"), problem.candidates(), strict=True):
        for setting in settings:
            try:
                entry = getattr(problem, side)(setting)
                runs = [entry() for _ in range(4 if side == "lissom" else 2)]
            except Exception as error:  # a step or mesh that a solver fails with is no candidate
                print(f"  {side:8} {setting}: {type(error).__name__}", flush=True)
                continue
            fastest = 1e3 * min(run.seconds for run in runs)
            share = problem.share(runs[-1])
            mark = "*" if share <= 1 else " "
            print(f" {mark}{side:8} {setting}: {share:8.2f} of the error, {fastest:8.2f} ms", flush=True)


def race(problem: Problem) -> dict[str, Any]:
    """Both sides take turns; the first run of each is for compilers and caches."""
    sides = {"lissom": problem.lissom(problem.ours), "exudyn": problem.exudyn(problem.theirs)}
    first = {name: entry() for name, entry in sides.items()}
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(TURNS):
        for name, entry in sides.items():
            seconds[name].append(entry().seconds)
    ratios = np.array(seconds["exudyn"]) / np.array(seconds["lissom"])
    low, median, high = np.quantile(ratios, (0.25, 0.5, 0.75))
    return {
        "problem": problem.title,
        "allowed": problem.allowed,
        "target": problem.target,
        "settings": {"lissom": str(problem.ours), "exudyn": str(problem.theirs)},
        "errors": {name: outcome.errors for name, outcome in first.items()},
        "share": {name: problem.share(outcome) for name, outcome in first.items()},
        "seconds": {name: float(np.median(values)) for name, values in seconds.items()},
        "ratio": {"median": float(median), "low": float(low), "high": float(high)},
    }


def measure() -> list[dict[str, Any]]:
    """The race on all problems."""
    return [race(problem) for problem in PROBLEMS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tune", action="store_true", help="try all settings")
    parser.add_argument("--only", default="", help="problems whose title contains this")
    options = parser.parse_args()
    for problem in PROBLEMS:
        if options.only not in problem.title:
            continue
        if options.tune:
            tune(problem)
            continue
        result = race(problem)
        times = ", ".join(f"{name} {1e3 * t:.1f} ms" for name, t in result["seconds"].items())
        shares = ", ".join(f"{name} {share:.2f}" for name, share in result["share"].items())
        print(
            f"{problem.title}: {times}, ratio {result['ratio']['median']:.2f}; share of the error: {shares}", flush=True
        )


if __name__ == "__main__":
    main()
