"""Run all benchmarks: tables on the screen, numbers in results.json, a page in docs/benchmarks.md."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
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
import live_frames
import loops
import optimal_motions
import screw_pde
import sensitivities
import startup
from rich.console import Console
from sheets import sheets_of
from timing import machine, moment

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
PAGE = HERE.parent / "docs" / "benchmarks.md"


def page(results: dict[str, Any]) -> str:
    source = "Written by `make bench` (`python benchmarks/run.py`); the numbers are in `benchmarks/results.json`."
    facts = [f"- {name}: {value}" for name, value in results["machine"].items()]
    parts = ["| part | measured | processes that wanted to run |", "| --- | --- | ---: |"]
    parts += [f"| `--only {part}` | {at['date']} | {at['load']} |" for part, at in results["measured"].items()]
    sheets = [sheet.markdown() for sheet in sheets_of(results)]
    return "\n".join(["# Benchmarks", "", source, "", *facts, "", *parts, "", *sheets])


def race_against_exudyn() -> dict[str, Any]:
    import exudyn_race

    return {"races": exudyn_race.measure()}


def fall_against_exudyn() -> dict[str, Any]:
    import falling_chains

    return falling_chains.measure()


Measure = Callable[[Callable[[str], object]], dict[str, Any]]  # of a function that shows what is being done
PARTS: dict[str, Measure] = {
    "forward_dynamics": lambda _: forward_dynamics.measure(),
    "loops": lambda _: loops.measure(),
    "exact_field": lambda _: exact_field.measure(),
    "startup": startup.measure,
    "finite_elements": finite_elements.measure,
    "exudyn": lambda _: race_against_exudyn(),
    "falling": lambda _: fall_against_exudyn(),
    "dual_screw": lambda _: dual_screw.measure(),
    "formulations": lambda _: formulations.measure(),
    "screw_pde": lambda _: screw_pde.measure(),
    "sensitivities": lambda _: sensitivities.measure(),
    "fitting": lambda _: fitting.measure(),
    "optimal_motions": lambda _: optimal_motions.measure(),
    "adams": lambda _: adams.measure(),
    "c_code": lambda _: c_code.measure(),
    "calls": lambda _: call_overhead.measure(),
    "batch": lambda _: batch.measure(),
    "live_page": lambda _: live_frames.measure(),
}
NEEDS = {  # packages
    "exudyn": ("exudyn",),
    "falling": ("exudyn",),
    "adams": ("sksundae",),
    "optimal_motions": ("casadi",),
    "c_code": ("casadi",),
    "live_page": ("viser", "playwright"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="measure one part, keep the results of the others")
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="an older checkout whose start-up is compared")
    given = parser.parse_args()
    only, PARTS["startup"] = given.only, partial(startup.measure, before=given.before and given.before.resolve())
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
