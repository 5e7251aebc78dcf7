"""The tables of all parts of the benchmarks: what was measured, beside what is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import adams
import batch
import c_code
import call_overhead
import dual_screw
import exact_field
import finite_elements
import fitting
import formulations
import forward_dynamics
import forward_parts
import live_frames
import loops
import optimal_motions
import screw_pde
import sensitivities
import startup
from sheet import Sheet, spread, verdict

RACE_TARGET = 5.0  # times faster than Exudyn


def chains(results: dict[str, Any]) -> Sheet:
    rows = []
    for chain in results["chains"]:
        median = chain["ratio"]["median"]
        target = verdict(median, forward_dynamics.RATIO_TARGET)
        us = chain["us"]
        name = f"{chain['links']} x {chain['modes']}"
        times = [f"{us[key]:.2f}" for key in ("c", "none", "first")]
        rows.append([name, *times, spread(chain["ratio"]), target, spread(chain["stiffening"])])
    text = (
        "One forward dynamics inside a compiled loop, in microseconds: serial chains of beams on revolute joints "
        "(links x modes of each), linear field. The yardstick is `benchmarks/yardstick.c`: the same algorithm by hand "
        "for this kind of arm, its sizes fixed at compile time, built in the same run with "
        "`gcc -O3 -march=native -ffast-math`, fed with the arrays of the compiled model; both give the same "
        "accelerations to 1e-9. lissom's kernel is one for all trees and sizes. Times are those of the fastest of 200 "
        "runs, ratios medians (and quartiles) over runs that alternate every millisecond, in processor time. `first`: "
        "the same chains with geometric stiffening, and what that costs."
    )
    columns = ("chain", "C", "lissom", "`first`", "lissom / C", "target", "`first` / linear")
    return Sheet("Forward dynamics", text, columns, rows)


def limits(results: dict[str, Any]) -> Sheet:
    peak = results["peak_gflops"]
    rows = []
    for chain in results["chains"]:
        counts = [str(chain[key]) for key in ("operations", "operations_stiffened")]
        share = f"{100 * chain['gflops'] / peak:.0f} %"
        rows.append([f"{chain['links']} x {chain['modes']}", *counts, f"{chain['gflops']:.1f}", share])
    text = (
        "Floating-point operations of one forward dynamics (counted by running the kernel's source on a counting "
        f"number), the rate reached, and its share of what one core does at most: {peak:.0f} Gflop/s, measured on "
        "multiply-adds in registers (`benchmarks/peak.c`)."
    )
    columns = ("chain", "operations", "with `first`", "Gflop/s", "of the peak")
    return Sheet("Distance from the machine's limit", text, columns, rows)


def growth(results: dict[str, Any]) -> Sheet:
    growth = results["growth"]
    rows = [
        [str(n), f"{us:.3f}", f"{n * us:.0f}"] for n, us in zip(growth["links"], growth["us_per_link"], strict=True)
    ]
    text = f"Links of 8 modes. Fit: time grows with the number of links to the power {growth['exponent']:.3f}."
    return Sheet("Growth with the number of links", text, ("links", "us per link", "us"), rows)


def closed(results: dict[str, Any]) -> Sheet:
    rows = []
    for row in results["loops"]:
        target = verdict(row["ratio"]["median"], loops.TARGET) if row["loops"] == 1 else ""
        us = [f"{row['us'][name]:.2f}" for name in ("open", "closed")]
        rows.append([str(row["loops"]), str(4 * row["loops"]), *us, spread(row["ratio"]), target])
    text = (
        "Pairs of two-link arms of flexible links (4 functions and one axial each), every pair pinned at its tips by a "
        "hinge of five rows: forward dynamics with reactions in a compiled loop, beside those of the open tree."
    )
    columns = ("loops", "links", "open, us", "closed, us", "closed / open", "target")
    return Sheet("Closed loops", text, columns, rows)


def in_c(results: dict[str, Any]) -> Sheet:
    rows = []
    for row in results["c_code"]:
        us = [f"{row['us'][name]:.2f}" for name in ("kernel", "straight", "loops")]
        ratios = [spread(row["ratio"][name]) for name in ("straight", "loops")]
        target = verdict(row["ratio"]["straight"]["median"], c_code.TARGET)
        rows.append([row["robot"], str(row["dofs"]), f"`{row['function']}`", *us, *ratios, target])
    text = (
        "Functions of `lissom export --to c` beside the compiled kernel, all inside compiled loops, in microseconds. "
        f"Built with `gcc {' '.join(c_code.FLAGS[:4])}`. The export takes straight lines for all of these; the target "
        "is held against them."
    )
    columns = (
        "robot",
        "dofs",
        "function",
        "kernel",
        "straight",
        "loops",
        "straight / kernel",
        "loops / kernel",
        "target",
    )
    return Sheet("Exported C code", text, columns, rows)


def jacobian(results: dict[str, Any]) -> Sheet:
    jacobian = results["jacobian"]
    ratio = jacobian["ratio"]
    row = ["2 x 8", f"{1e-3 * jacobian['us']:.3f}", spread(ratio, 0)]
    text = (
        "`lissom.derivatives`, called from Python: accelerations and their derivatives by q, v and tau, exact to "
        "rounding; ratio to one forward dynamics of the same chain in a compiled loop."
    )
    rows = [[*row, verdict(ratio["median"], forward_dynamics.JACOBIAN_TARGET)]]
    return Sheet("Exact Jacobian", text, ("chain", "ms", "Jacobian / forward dynamics", "target"), rows)


def stacked(results: dict[str, Any]) -> Sheet:
    rows = []
    for chain in results["chains"]:
        us, median = chain["us"], chain["ratio"]["median"]
        times = [f"{us[key]:.2f}" for key in ("stacked", "kernel")]
        name = f"{chain['links']} x {chain['modes']}, `{chain['stiffening']}`"
        rows.append([name, *times, spread(chain["ratio"]), verdict(median, screw_pde.RATIO_TARGET)])
    text = (
        "The screw-theoretic system with wrenches among its unknowns (`theory.screw_pde`): all blocks evaluated and "
        "eliminated, in microseconds, beside the kernel's forward dynamics, inside compiled loops. Both give the same "
        "accelerations to 1e-9."
    )
    return Sheet("Stacked screw system", text, ("chain", "stacked", "kernel", "stacked / kernel", "target"), rows)


def stacked_growth(results: dict[str, Any]) -> Sheet:
    growth = results["growth"]
    low, high = screw_pde.DOUBLING
    rows = []
    for links, us, ratio in zip(growth["links"], growth["us"], [None, *growth["doubling"]], strict=True):
        met = "" if ratio is None else f"{low:g} to {high:g}, {'met' if low <= ratio <= high else 'missed'}"
        rows.append([str(links), f"{us:.1f}", "" if ratio is None else f"{ratio:.2f}", met])
    text = "The same for longer chains, links of 8 modes, `first`: microseconds, and the ratio to half as many links."
    return Sheet("Stacked screw system: growth", text, ("links", "us", "to half the links", "target"), rows)


def reduction(results: dict[str, Any]) -> Sheet:
    rows = [[step, f"{seconds:.1f}", ""] for step, seconds in results["steps"].items()]
    seconds, memory = results["processor"], results["gigabytes"]
    rows.append(["all, processor time", f"{seconds:.1f}", verdict(seconds, finite_elements.TIME_TARGET, " s")])
    rows.append(["all, wall time", f"{results['wall']:.1f}", ""])
    rows.append(["peak memory, GB", f"{memory:.2f}", verdict(memory, finite_elements.MEMORY_TARGET, " GB")])
    text = (
        f"A tube of {results['unknowns']} unknowns (quadratic hexahedra) becomes a link of {results['coordinates']} "
        "coordinates by Craig-Bampton: 20 held modes, static shapes, their augmentation, stresses, and a comparison "
        "with 12 natural frequencies of the full model, which agree to "
        f"{results['error']:.1e} up to half the cut-off. A fresh process, one thread, processor time in seconds."
    )
    return Sheet("Reduction of a finite-element link", text, ("step", "s", "target"), rows)


def exudyn(results: dict[str, Any]) -> Sheet:
    rows = []
    for race in results["races"]:
        ratio, median = race["ratio"], race["ratio"]["median"]
        asked = ", ".join(f"{limit:g} ({name})" for name, limit in race["allowed"].items())
        shares = [f"{100 * race['share'][side]:.0f} %" for side in ("lissom", "exudyn")]
        times = [f"{1e3 * race['seconds'][side]:.1f}" for side in ("lissom", "exudyn")]
        settings = f"{race['settings']['lissom']} / {race['settings']['exudyn']}"
        asked_for = race.get("target", RACE_TARGET)
        met = median >= asked_for and race["share"]["lissom"] <= 1.0
        target = f"{asked_for:g}, {'met' if met else 'missed'}"
        rows.append([race["problem"], asked, *shares, *times, spread(ratio, 1), target, settings])
    text = (
        "Time loops alone, warm, in one process and one thread, in milliseconds of processor time: medians over runs "
        "that take turns, ratios Exudyn / lissom with quartiles. Accuracy is against converged solutions of "
        "geometrically exact models (`tests/data/reference_figures.json`, `tests/data/loops`): the settings of either "
        "side keep every quantity within what is asked (`python benchmarks/exudyn_race.py --tune` tries others); the "
        "share of that error which each uses is given. Exudyn: generalised-alpha with fixed steps, modified Newton "
        "with tolerance 1e-6, sparse solver, no files, fast build; its rotors of the Canadarm2 run through Python "
        "functions."
    )
    columns = (
        "problem",
        "error asked",
        "lissom uses",
        "Exudyn uses",
        "lissom",
        "Exudyn",
        "Exudyn / lissom",
        "target",
        "settings",
    )
    return Sheet("Race against Exudyn", text, columns, rows)


def falling(results: dict[str, Any]) -> Sheet:
    rows = []
    for race in results["races"]:
        times = [f"{race[key][side]:.1f}" for key in ("ms", "call ms") for side in ("lissom", "exudyn")]
        settings = f"rtol {race['rtol']:.0e}, {race['steps']} steps / {race['exudyn']}"
        name = f"{race['kind']}, {race['links']}"
        rows.append(
            [name, f"{race['error']:.1e}", *times, spread(race["ratio"], 1), f"{race['call ratio']:.1f}", settings]
        )
    exponents = ", ".join(f"{one['kind']} {one['exponent']:.2f}" for one in results["growth"])
    text = (
        "Chains of links with five functions each fall for 0.5 s, and a hand of five fingers with four links each: "
        "time loops and whole calls, processor time in ms; both sides within 1e-4 of the arm's length at every link "
        "end. Exudyn: two-dimensional beams in the plane, the fastest of several meshes, steps, masses and solver "
        "settings that stays within the error when its step and its Newton iteration are refined. Time per step grows "
        f"from 8 to 128 links with the power {exponents}. A spatial chain of "
        f"{results['long']['links']} links takes {results['long']['seconds']:.2f} s."
    )
    columns = ("arm, links", "error", "loop", "Exudyn", "call", "Exudyn", "loops", "calls", "settings")
    return Sheet("Long arms against Exudyn", text, columns, rows)


def manoeuvre(results: dict[str, Any]) -> Sheet:
    rows = []
    for name, one in results.items():
        paper = f"{dual_screw.PAPER[name]:g}" if name in dual_screw.PAPER else ""
        target = verdict(one["median"], dual_screw.TARGET, " s") if name == "dual_screw" else ""
        times = [f"{one[key]:.3f}" for key in ("least", "median")]
        rows.append([f"`{name}`", *times, str(one["steps"]), f"{1e3 * one['tip']:.2g}", paper, target])
    text = (
        "6 s of the four-joint manoeuvre with 16 coordinates (`lissom example dual-screw-arm`), Radau IIA at a "
        "relative tolerance of 1e-6, wall time of the time loop in seconds, warm, by turns; beside it the largest "
        "distance of the tip from the kernel's, in millimetres, and the best time that the paper gives."
    )
    columns = ("formulation", "least", "median", "steps", "tip [mm]", "paper", "target")
    return Sheet("Linear dynamics by dual screws", text, columns, rows)


def compared(results: dict[str, Any]) -> Sheet:
    rows = []
    for name, one in results["formulations"].items():
        times = [f"{1e3 * one[key]:.0f}" for key in ("loop", "call")]
        rows.append([f"`{name}`", *times, f"{one['ratio']:.1f}", str(one["steps"]), f"{one['angle']:.1g}"])
    figure, plain = results["command"]
    text = (
        f"{formulations.DURATION:g} s of a falling arm with three flexible links and 18 coordinates by every "
        "formulation that covers it: Radau IIA at a relative tolerance of 1e-7, milliseconds of the time loop (wall "
        "time) and of the whole call with its wrenches and results (processor time), warm; ratios to the kernel are "
        "medians over calls that take turns. The angle is "
        "the largest difference from the kernel's in a joint. `lissom compare` of this arm, all formulations, as a "
        f"process of its own: {figure:.1f} s ({verdict(figure, formulations.TARGET, ' s')}), {plain:.1f} s without "
        "the figure."
    )
    columns = ("formulation", "loop [ms]", "call [ms]", "to the kernel's call", "steps", "angle [rad]")
    return Sheet("Formulations on the same arm", text, columns, rows)


def fitted(results: dict[str, Any]) -> Sheet:
    numbers = [str(results[key]) for key in ("parameters", "samples", "evaluations")]
    seconds = [f"{results[key]:.1f}" for key in ("seconds", "processor")]
    text = (
        "`lissom.fit` of the two-link rig to 20 s of its record: hub angles and strains at 100 Hz, driven by the "
        "measured motor current. Wall time and processor time, kernels compiled before."
    )
    columns = ("fit", "parameters", "samples", "evaluations", "s", "s of processor", "target")
    target = verdict(results["processor"], fitting.TARGET, " s")
    return Sheet("Fitting", text, columns, [["two-link rig", *numbers, *seconds, target]])


def derived(results: dict[str, Any]) -> Sheet:
    rows = []
    for case in results["cases"]:
        numbers = [f"{case['ms'][key]:.1f}" for key in ("run", "derived")]
        count = case["parameters"]
        target = verdict((case["ratio"] - 1.0) / count, sensitivities.TARGET)
        share = f"{(case['ratio'] - 1.0) / count:.2f}"
        name = f"{case['name']}, {case['coordinates']} coordinates"
        rows.append([name, str(count), str(case["steps"]), *numbers, share, target, f"{case['whole']:.2f}"])
    text = (
        "A run, and the same run derived by parameters along its steps (`lissom.sensitivity`), Radau IIA at a relative "
        "tolerance of 1e-7: milliseconds of processor time of the time loops, and what one parameter costs beside the "
        "run, in runs. The last column is the ratio of whole calls, from the robot's description to the derivatives of "
        "the tip: besides the run, the robot is compiled once for every parameter. Medians over calls that take turns."
    )
    columns = ("motion", "parameters", "steps", "run", "derived", "runs per parameter", "target", "whole calls")
    return Sheet("Sensitivities", text, columns, rows)


def best_motions(results: dict[str, Any]) -> Sheet:
    rows = []
    for case in results["cases"]:
        name = f"{case['name']}, {case['coordinates']} coordinates"
        ratio = "" if case["ratio"] is None else f"{case['ratio']:.0f}"
        seconds = [f"{case['seconds']:.1f}", verdict(case["seconds"], optimal_motions.TARGET, " s")]
        rows.append([name, f"{case['duration']:.4f}", str(case["iterations"]), *seconds, ratio])
    coarse, fine = (case["duration"] for case in results["cases"][-2:])
    text = (
        "The motion of least vibration in a given time within torque limits, and the least time on two grids "
        "(`lissom.optimise.Motion`): time of the motion, iterations of IPOPT, processor time of `solve`, warm, in "
        "seconds, and how many times less the tip of the whole robot vibrates afterwards, simulated, than after the "
        f"quintic of the same time. On the coarser grid the least time is {coarse / fine - 1:.1%} longer."
    )
    columns = ("motion", "time [s]", "iterations", "solve [s]", "target", "times less vibration")
    return Sheet("Optimal motions", text, columns, rows)


def two_ways(results: dict[str, Any]) -> Sheet:
    rows = []
    for method, one in results["methods"].items():
        rtol, atol = adams.TOLERANCES[method]
        numbers = [f"{rtol:g}", f"{atol:g}", str(one["steps"]), str(one["evaluations"]), f"{one['seconds']:.2f}"]
        rows.append([f"`{method}`", *numbers])
    text = (
        "2 s of the falling Canadarm2 by Radau IIA and by SUNDIALS' Adams method, tolerances such that both are exact "
        f"to many digits: no coordinate differs by more than {results['difference']:.1e} (m, rad). Wall time of the "
        "time loop in seconds, warm."
    )
    return Sheet("Implicit Runge-Kutta and Adams", text, ("method", "rtol", "atol", "steps", "evaluations", "s"), rows)


def calls(results: dict[str, Any]) -> Sheet:
    rows = []
    for k, call in enumerate(results["calls"]):
        around = call["around"]["median"]
        target = verdict(around, call_overhead.TARGET, " ms") if k == 0 else ""
        numbers = [spread(call[key]) for key in call_overhead.KEYS]
        rows.append([call["run"], str(call["samples"]), *numbers, target])
    text = (
        "What a second `simulate` of the same model costs, in milliseconds of processor time, median and quartiles of "
        "200 calls: the call, its time loop, what is around the loop, and all results, which are made when they are "
        "asked for."
    )
    columns = ("run", "samples", "call", "loop", "around", "results", "target of around")
    return Sheet("Calls of simulate", text, columns, rows)


def live(results: dict[str, Any]) -> Sheet:
    wanted = live_frames.WANTED
    rows = []
    for view in results["views"]:
        target = f"{wanted:g}, {'met' if view['median'] >= wanted else 'missed'}"
        numbers = [f"{view[key]:.1f}" for key in ("sent", "median", "most")]
        rows.append([f"{view['width']} x {view['height']}", *numbers, target])
    text = (
        "The live page plays a run of an arm with three flexible links. Mesh updates per second: sent, and drawn by "
        "the browser with new values in its graphics buffers, median and most of eight stretches of 1.5 s. Headless "
        "Chromium draws and puts together the page on the processor alone, on the cores that the simulation uses too: "
        "the larger the window, the slower (compositing and antialiasing by a graphics card are switched off). Where "
        "it is slow, the page lowers its resolution by up to a quarter. The target is held against the median."
    )
    return Sheet("Live page", text, ("window", "sent", "drawn, median", "drawn, most", "target"), rows)


SHEETS: dict[str, Callable[[Any], list[Sheet]]] = {
    "forward_dynamics": lambda r: [
        chains(r),
        limits(r),
        *forward_parts.sheets(r),
        growth(r),
        jacobian(r),
    ],
    "loops": lambda r: [closed(r)],
    "exact_field": exact_field.sheets,
    "startup": startup.sheets,
    "finite_elements": lambda r: [reduction(r)],
    "exudyn": lambda r: [exudyn(r)],
    "falling": lambda r: [falling(r)],
    "dual_screw": lambda r: [manoeuvre(r)],
    "formulations": lambda r: [compared(r)],
    "screw_pde": lambda r: [stacked(r), stacked_growth(r)],
    "sensitivities": lambda r: [derived(r)],
    "fitting": lambda r: [fitted(r)],
    "optimal_motions": lambda r: [best_motions(r)],
    "adams": lambda r: [two_ways(r)],
    "c_code": lambda r: [in_c(r)],
    "calls": lambda r: [calls(r)],
    "batch": batch.sheets,
    "live_page": lambda r: [live(r)],
}


def sheets_of(results: dict[str, Any]) -> list[Sheet]:
    """Every table that there are results for."""
    return [sheet for part, make in SHEETS.items() if part in results for sheet in make(results[part])]
