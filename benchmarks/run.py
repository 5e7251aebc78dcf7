"""Run all benchmarks: tables on the screen, numbers in results.json, a page in docs/benchmarks.md."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import adams
import dual_screw
import finite_elements
import formulations
import forward_dynamics
import live_frames
import screw_pde
import startup
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from timing import machine, moment

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
RACE_TARGET = 5.0  # times faster than Exudyn
PAGE = HERE.parent / "docs" / "benchmarks.md"


@dataclass
class Sheet:
    """One table, for the screen and for the page."""

    title: str
    text: str
    columns: Sequence[str]
    rows: list[list[str]]

    def show(self, console: Console) -> None:
        table = Table(title=self.title, caption=self.text, title_justify="left", caption_justify="left")
        for k, column in enumerate(self.columns):
            table.add_column(escape(column), justify="left" if k == 0 else "right")
        for row in self.rows:
            table.add_row(*row)
        console.print(table)

    def markdown(self) -> str:
        lines = [self.columns, ["---"] + ["---:"] * (len(self.columns) - 1), *self.rows]
        table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return f"## {self.title}\n\n{self.text}\n\n{table}\n"


def verdict(value: float, target: float, unit: str = "") -> str:
    """The target, and whether it is met."""
    return f"{target:g}{unit}, {'met' if value <= target else 'missed'}"


def spread(ratio: dict[str, float], digits: int = 2) -> str:
    """Median and quartiles."""
    low, high = (f"{ratio[key]:.{digits}f}" for key in ("low", "high"))
    return f"{ratio['median']:.{digits}f} ({low} to {high})"


def chains(results: dict[str, Any]) -> Sheet:
    rows = []
    for chain in results["chains"]:
        median = chain["ratio"]["median"]
        target = verdict(median, forward_dynamics.RATIO_TARGET) if chain["links"] >= 4 else ""
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


def starting(results: dict[str, Any]) -> Sheet:
    targets = {"import": startup.IMPORT_TARGET, "warm": startup.WARM_TARGET, "first": startup.FIRST_TARGET}
    names = {
        "python": "Python alone",
        "import": "`import lissom`",
        "warm": "later process: load, compile, forward dynamics",
        "first": "first call ever: the same, kernels compiled",
    }
    rows = []
    for key, name in names.items():
        times = [f"{results[key][kind]:.2f}" for kind in ("least_wall", "wall", "least_processor", "processor")]
        target = verdict(results[key]["wall"], targets[key], " s") if key in targets else ""
        rows.append([name, *times, target])
    text = (
        "Fresh processes, from start to exit, in seconds: wall and processor time, the least and the median of each. "
        "Targets are held against the median wall time. Where more programs run than there are cores (see the load "
        "above), wall times are longer than on a free machine; the processor time shows by how much."
    )
    columns = ("process", "least wall", "median wall", "least processor", "median processor", "target")
    return Sheet("Start-up", text, columns, rows)


def warm_steps(results: dict[str, Any]) -> Sheet:
    rows = [[step, f"{1e3 * seconds:.0f}"] for step, seconds in results["steps"].items()]
    text = "Processor time of the steps of a later process, in milliseconds; NumPy and pydantic load with the robot."
    return Sheet("Where a later process spends its time", text, ("step", "ms"), rows)


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
        target = f"{RACE_TARGET:g}, {'met' if median >= RACE_TARGET else 'missed'}"
        rows.append([race["problem"], asked, *shares, *times, spread(ratio, 1), target, settings])
    text = (
        "Time loops alone, warm, in one process and one thread, in milliseconds of processor time: medians over runs "
        "that take turns, ratios Exudyn / lissom with quartiles. Accuracy is against converged solutions of "
        "geometrically exact models (`tests/data/reference_figures.json`): the settings of either side keep every "
        "quantity within what is asked (`python benchmarks/exudyn_race.py --tune` tries others); the share "
        "of that error which each uses is given. Exudyn: generalised-alpha with fixed steps, modified Newton with "
        "tolerance 1e-6, sparse solver, no files, fast build; its rotors of the Canadarm2 run through Python "
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
        other = race["exudyn"]
        settings = f"rtol {race['rtol']:.0e}, {race['steps']} steps / {other['elements']} elements, {other['step']:g} s"
        name = f"{race['kind']}, {race['links']}"
        rows.append(
            [name, f"{race['error']:.1e}", *times, spread(race["ratio"], 1), f"{race['call ratio']:.1f}", settings]
        )
    exponents = ", ".join(f"{one['kind']} {one['exponent']:.2f}" for one in results["growth"])
    text = (
        "Chains of links with five functions each fall for 0.5 s, and a hand of five fingers with four links each: "
        "time loops and whole calls, processor time in ms; both sides within 1e-4 of the arm's length at every link "
        f"end. Time per step grows from 8 to 128 links with the power {exponents}. A spatial chain of "
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


def page(results: dict[str, Any]) -> str:
    source = "Written by `make bench` (`python benchmarks/run.py`); the numbers are in `benchmarks/results.json`."
    facts = [f"- {name}: {value}" for name, value in results["machine"].items()]
    parts = ["| part | measured | processes that wanted to run |", "| --- | --- | ---: |"]
    parts += [f"| `--only {part}` | {at['date']} | {at['load']} |" for part, at in results["measured"].items()]
    sheets = [sheet.markdown() for sheet in sheets_of(results)]
    return "\n".join(["# Benchmarks", "", source, "", *facts, "", *parts, "", *sheets])


def sheets_of(results: dict[str, Any]) -> list[Sheet]:
    """Every table that there are results for."""
    dynamics, starts, reduced, races, falls, arm, others, screws, methods, frames = map(results.get, PARTS)
    sheets = [chains(dynamics), limits(dynamics), growth(dynamics), jacobian(dynamics)] if dynamics else []
    sheets += [starting(starts), warm_steps(starts)] if starts else []
    sheets += [reduction(reduced)] if reduced else []
    sheets += [exudyn(races)] if races else []
    sheets += [falling(falls)] if falls else []
    sheets += [manoeuvre(arm)] if arm else []
    sheets += [compared(others)] if others else []
    sheets += [stacked(screws), stacked_growth(screws)] if screws else []
    sheets += [two_ways(methods)] if methods else []
    return sheets + ([live(frames)] if frames else [])


def race_against_exudyn() -> dict[str, Any]:
    import exudyn_race

    return {"races": exudyn_race.measure()}


def fall_against_exudyn() -> dict[str, Any]:
    import falling_chains

    return falling_chains.measure()


Measure = Callable[[Callable[[str], object]], dict[str, Any]]  # of a function that shows what is being done
PARTS: dict[str, Measure] = {
    "forward_dynamics": lambda _: forward_dynamics.measure(),
    "startup": lambda _: startup.measure(),
    "finite_elements": finite_elements.measure,
    "exudyn": lambda _: race_against_exudyn(),
    "falling": lambda _: fall_against_exudyn(),
    "dual_screw": lambda _: dual_screw.measure(),
    "formulations": lambda _: formulations.measure(),
    "screw_pde": lambda _: screw_pde.measure(),
    "adams": lambda _: adams.measure(),
    "live_page": lambda _: live_frames.measure(),
}
NEEDS = {  # packages
    "exudyn": ("exudyn",),
    "falling": ("exudyn",),
    "adams": ("sksundae",),
    "live_page": ("viser", "playwright"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="measure one part, keep the results of the others")
    only = parser.parse_args().only
    console = Console()
    results = json.loads(RESULTS.read_text()) if only else {"measured": {}}
    results["machine"] = machine()
    for part, measure in PARTS.items():
        if only not in (None, part):
            continue
        missing = [package for package in NEEDS.get(part, ()) if find_spec(package) is None]
        if missing:
            console.print(f'no {part}: it needs {", ".join(missing)}; pip install "lissom[bench,test]"')
            continue
        results["measured"][part] = moment()
        with console.status(part) as status:
            results[part] = measure(lambda text, status=status: status.update(text))
        for sheet in sheets_of({part: results[part]}):
            sheet.show(console)
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    PAGE.write_text(page(results))
    console.print(f"written: {RESULTS.name}, {PAGE.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
