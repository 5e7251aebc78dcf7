"""Chains and a hand that fall, against Exudyn: time loops and whole calls to the same accuracy, and growth with size.

    python benchmarks/falling_chains.py                          all of it
    python benchmarks/falling_chains.py --only spatial --links 8 16

Aluminium strips of 0.5 m with five functions each, revolute joints with a little damping, 0.5 s of fall from rest.
Accuracy: ends of all links at all outputs, as a share of the arm's length, against lissom with ten functions per link
and rtol 1e-8, itself checked against finely meshed Exudyn. lissom's tolerance is the loosest from which on all tighter
ones are within 1e-4. Exudyn has two-dimensional beams where the chain is planar, elements with their own mass or lumped
ones elsewhere; its mesh, step and solver settings are the fastest of those listed that are within 1e-4 and stay there
with half the step and a hundredth of the Newton tolerance, so that no error is small by chance. Both sides take turns.
Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from exudyn_arm import Arm
from exudyn_chain import PlanarChain
from exudyn_common import Theirs, clocked
from falling_arms import FINE, robot

import lissom
from lissom.model import Model, Robot
from lissom.simulation.postprocess import observe
from lissom.simulation.settings import RunSettings
from lissom.simulation.stepping.run_memory import RunMemory
from lissom.simulation.stepping.time_loop import TimeLoop

ALLOWED = 1e-4
DURATION, RATE = 0.5, 100.0
TOLERANCES = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5)
TURNS = 5
MESHES = (1, 2, 3, 4, 6)  # elements of each beam
LINKS = (2, 4, 8, 16, 32, 64)
GROWTH = (8, 16, 32, 64, 128)


def ends_ours(model: Model, rtol: float) -> tuple[np.ndarray, float, Any]:
    """Ends of all beams (N, links, 3), processor time of the loop, and the run."""
    settings = RunSettings(duration=DURATION, method="radau", rtol=rtol, atol=0.01 * rtol, rate=RATE, audit=False)
    loop = TimeLoop(RunMemory(model, settings))
    run, seconds = clocked(lambda: loop.run(None))
    seen = observe(model, run.q, run.v, run.a).tip_position
    beams = [k for k, link in enumerate(model.links) if link in model.flexible]
    return seen[:, beams], seconds, run


def call_ours(model: Model, rtol: float) -> float:
    """Seconds of a whole call of `simulate`, method chosen by itself."""
    _, seconds = clocked(lambda: lissom.simulate(model, DURATION, rtol=rtol, atol=0.01 * rtol, rate=RATE, audit=False))
    return seconds


def ends_theirs(kind: str, arm: Robot, theirs: Theirs) -> tuple[np.ndarray, float, float]:
    """Ends of all beams by Exudyn, processor time of the loop, and of the whole call."""
    if kind == "planar":
        chain, building = clocked(lambda: PlanarChain(arm, theirs.elements))
        ends, seconds = chain.run(DURATION, RATE, theirs)
        return ends, seconds, building + seconds
    model, building = clocked(lambda: Arm(arm, theirs.elements, own_mass=theirs.mass == "own"))
    result = model.run(DURATION, RATE, theirs)
    ends = np.stack([tip for _, _, tip in result.ends.values()], axis=1)
    return ends, result.seconds, building + result.seconds


def error(ends: np.ndarray, precise: np.ndarray, length: float) -> float:
    if ends.shape != precise.shape or not np.all(np.isfinite(ends)):
        return np.inf
    return float(np.linalg.norm(ends - precise, axis=2).max() / length)


def fastest(kind: str, arm: Robot, precise: np.ndarray, length: float) -> Theirs | None:
    """Settings with which Exudyn is fastest of those that keep the error.

    Meshes, steps and masses come first; then solver settings of the three fastest. Settings whose error grows beyond
    what is allowed with half the step and a finer Newton iteration are lucky hits, and left out.
    """

    def seconds(settings: Iterable[Theirs]) -> dict[Theirs, float]:
        taken = {}
        for theirs in settings:
            try:
                ends, took, _ = ends_theirs(kind, arm, theirs)
            except Exception:  # a step or mesh that its solver fails with is no candidate
                continue
            if error(ends, precise, length) < ALLOWED:
                taken[theirs] = took
        return taken

    steps = (5e-3, 2.5e-3, 1.25e-3) if kind == "hand" else (1e-2, 5e-3, 2.5e-3)
    masses = ("own",) if kind == "planar" else ("own", "lumped")
    meshes = seconds(Theirs(n, step, mass=mass) for n in MESHES for step in steps for mass in masses)
    tuned = seconds(
        replace(theirs, radius=radius, tolerance=tolerance, dense=dense)
        for theirs in sorted(meshes, key=meshes.__getitem__)[:3]
        for radius in (0.9, 0.5)
        for tolerance in (1e-6, 1e-4)
        for dense in (False, True)
    )
    ranked = sorted(tuned, key=tuned.__getitem__)
    finer = (replace(theirs, step=theirs.step / 2, tolerance=theirs.tolerance / 100) for theirs in ranked)
    return next((theirs for theirs, fine in zip(ranked, finer) if seconds([fine])), None)


def race(kind: str, links: int) -> dict[str, Any]:
    """One line of the table."""
    arm, model = robot(kind, links), robot(kind, links).compile()
    length = 0.2 + 0.2 * links if kind == "hand" else 0.5 * links
    precise = ends_ours(robot(kind, links, FINE).compile(), 1e-8)[0]
    meshed = ends_theirs(kind, arm, Theirs(8 if links <= 16 else 4, 1e-3))[0]
    tried = {rtol: error(ends_ours(model, rtol)[0], precise, length) for rtol in TOLERANCES}
    good = [rtol for k, rtol in enumerate(TOLERANCES) if all(tried[tighter] < ALLOWED for tighter in TOLERANCES[k:])]
    if not good:
        raise SystemExit(f"{kind} {links}: no tolerance keeps {ALLOWED}: {tried}")
    rtol = good[0]
    theirs = fastest(kind, arm, precise, length)
    turns = []
    for _ in range(TURNS):
        _, loop, run = ends_ours(model, rtol)
        other = ends_theirs(kind, arm, theirs)[1:] if theirs else (np.nan, np.nan)
        turns.append((loop, call_ours(model, rtol), *other))
    loop, call, loop_theirs, call_theirs = np.median(turns, axis=0)
    ratios = np.array(turns)[:, 2] / np.array(turns)[:, 0]
    return {
        "kind": kind,
        "links": links,
        "references differ by": error(meshed, precise, length),
        "rtol": rtol,
        "error": tried[rtol],
        "steps": run.steps,
        "newton": run.newton,
        "exudyn": str(theirs),
        "ms": {"lissom": 1e3 * loop, "exudyn": 1e3 * loop_theirs},
        "call ms": {"lissom": 1e3 * call, "exudyn": 1e3 * call_theirs},
        "ratio": dict(zip(("low", "median", "high"), np.quantile(ratios, (0.25, 0.5, 0.75)).tolist())),
        "call ratio": call_theirs / call,
    }


def growth(kind: str, sizes: Sequence[int] = GROWTH, rtol: float = 1e-4) -> dict[str, Any]:
    """Time per step over the number of links, and its exponent; sizes take turns, as the machine's pace changes."""
    models = [robot(kind, n).compile() for n in sizes]

    def turn() -> list[float]:
        return [1e6 * seconds / run.steps for _, seconds, run in (ends_ours(model, rtol) for model in models)]

    turns = np.array([turn() for _ in range(3 * TURNS)])
    exponents = np.polyfit(np.log(sizes), np.log(turns).T, 1)[0]
    per_step = dict(zip(sizes, np.median(turns, axis=0).tolist(), strict=True))
    return {"kind": kind, "us per step": per_step, "exponent": float(np.median(exponents))}


def long_chain(links: int = 200) -> dict[str, Any]:
    """A spatial chain of 200 links."""
    model = robot("spatial", links).compile()
    _, seconds, run = ends_ours(model, 1e-4)
    return {"links": links, "seconds": seconds, "steps": run.steps, "status": str(run.status), "newton": run.newton}


def measure(kinds: Sequence[str] = ("planar", "spatial", "spherical", "hand"), sizes: Sequence[int] = LINKS) -> dict:
    """Everything."""
    ends_ours(robot("spatial", 2).compile(), 1e-3)  # for compilers and caches
    call_ours(robot("spatial", 2).compile(), 1e-3)
    rows = []
    for kind in kinds:
        for n in (4,) if kind == "hand" else sizes:
            rows.append(race(kind, n))
            show(rows[-1])
    grown = [growth(kind) for kind in kinds if kind != "hand"]
    return {"races": rows, "growth": grown, "long": long_chain()}


def show(row: dict[str, Any]) -> None:
    print(
        f"{row['kind']} {row['links']}: lissom {row['ms']['lissom']:.1f} ms (rtol {row['rtol']:.0e}, {row['steps']} "
        f"steps, error {row['error']:.1e}), exudyn {row['ms']['exudyn']:.0f} ms ({row['exudyn']}), "
        f"loop x{row['ratio']['median']:.1f}, call x{row['call ratio']:.1f} "
        f"(call {row['call ms']['lissom']:.1f} ms); references differ by {row['references differ by']:.1e}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=("planar", "spatial", "spherical", "hand"), help="kinds")
    parser.add_argument("--links", nargs="*", type=int, default=LINKS, help="numbers of links")
    parser.add_argument("--json", help="file for the numbers")
    options = parser.parse_args()
    results = measure(options.only, options.links)
    for grown in results["growth"]:
        print(f"{grown['kind']}: us per step {grown['us per step']}, exponent {grown['exponent']:.2f}")
    print(f"200 links: {results['long']['seconds']:.2f} s, {results['long']['steps']} steps")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
