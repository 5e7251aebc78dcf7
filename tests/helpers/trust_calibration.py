"""Calibration of error bars: what `lissom.trust` says of machines, beside the truth.

Truth is what converged runs give (random machines), what books print (textbook machines), and what another program
computed (whole manoeuvres). Records are plain data, one per machine, so that many of them can be kept in a file.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from places import reference_figures
from random_motions import converged, random_motion

import lissom
from lissom.control import Reference, pd
from lissom.errors import LissomError
from lissom.results.trust.measurement import ErrorMeasurement
from lissom.results.trust.run_trust import run_question

MACHINES = 300
NOTHING = 1e-9  # of the largest number of a unit in a machine: rounding
GROUPS = {
    "falls": "arms that fall",
    "smooth": "arms on smooth set-points",
    "step": "arms on set-points that jump",
    "push": "arms under forces",
    "prescribed": "arms whose joints are prescribed",
    "free base smooth": "free bases on smooth set-points",
    "free base push": "free bases under forces",
    "four-bar": "four-bars",
    "slider-crank": "slider-cranks",
    "spatial with a rod": "spatial loops with a rod",
    "spatial with a link": "spatial loops with a link",
}
BOOKS = "beams held frequencies buckling spinning motion large frames blades columns response"
MANOEUVRES = tuple(reference_figures()["manoeuvres"])
RATE = 200.0
THEORY = 5e-3  # of a book's number: books leave out shear, and are linear
# Of the other program: half a unit of its coarsest converged digits, by its own refinement of mesh and step.
UNCERTAIN = {"ella": 1e-7, "dual-screw-arm": 4e-7, "canadarm2": 3e-5}


class Judgement(NamedTuple):
    """What error bars promise, over all numbers of some machines."""

    machines: int
    numbers: int
    covered: float  # share of numbers whose bar covers the true error
    ratio: float  # median of bar over true error, of numbers whose error is more than rounding
    misled: int  # numbers trusted to 1 % that are off by more than 10 %
    limitless: int  # numbers without an error bar: no limit, or not there in every run


def judge(records: Iterable[dict[str, Any]]) -> Judgement:
    """Return how error bars do on machines that were recorded."""
    rows, machines, limitless = [], 0, 0
    for record in records:
        found = [one for one in record["numbers"].values() if one["true"] is not None and np.isfinite(one["true"])]
        machines += bool(found)
        largest: dict[str, float] = {}
        for one in found:
            largest[one["unit"]] = max(largest.get(one["unit"], 0.0), abs(one["value"]))
        for one in found:
            off, rounding = abs(one["value"] - one["true"]), NOTHING * largest[one["unit"]] + one.get("unsure", 0.0)
            if np.isfinite(one["error"]):
                rows.append((abs(one["value"]), one["error"], off, rounding))
            else:
                limitless += 1
    size, bar, true, rounding = np.array(rows).T
    felt = true > rounding
    certain = (bar < 0.01 * size) & (size > 1e6 * NOTHING * size.max())
    ratio = float(np.median(bar[felt] / true[felt])) if np.any(felt) else np.nan
    misled = int(np.sum(certain & (true > 0.1 * size)))
    return Judgement(machines, len(rows), float(np.mean(true <= bar + rounding)), ratio, misled, limitless)


def random_machine(seed: int) -> dict[str, Any]:
    """Return what was measured of every number of a random machine, and its converged value."""
    motion = random_motion(seed)
    record: dict[str, Any] = {"seed": seed, "kind": motion.kind, "numbers": {}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run = motion.run()
            record["status"] = run.info.status.word
            if record["status"] != "finished":
                return record
            measurement = ErrorMeasurement(run_question(run), 0.0)
            bars, true = measurement.trust(), converged(run)
        except LissomError as error:
            return record | {"status": f"refused: {error}"}
    for bar in bars if true else ():
        known = measurement.measured.get(bar.name)
        parts = {"measured": asdict(known)} if known else {}
        record["numbers"][bar.name] = _row(bar.unit, bar.value, bar.error, true.get(bar.name)) | parts
    return record


@cache
def textbook_cases() -> dict[str, Any]:
    """The textbook machines that have an answer in numbers, by name."""
    cases = [case for part in BOOKS.split() for case in import_module(f"textbook_{part}").CASES]
    return {case.name: case for case in cases if case.told is None}


def textbook_machine(name: str) -> dict[str, Any]:
    """Return error bars of what is asked of a textbook machine, and the book's answers."""
    case = textbook_cases()[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bars = list(lissom.trust(case.ask, case.robot, budget=0.0, progress=False))
    pairs = zip(bars, map(float, np.ravel(case.expected)), strict=True)
    rows = {bar.name: _row("", bar.value, bar.error, x) | {"unsure": THEORY * abs(x)} for bar, x in pairs}
    return {"book": name, "kind": "textbook", "numbers": rows}


def manoeuvre(name: str, duration: float | None = None) -> dict[str, Any]:
    """Return error bands of a whole manoeuvre where another program has figures: angles, tip, what bends."""
    figures = reference_figures()["manoeuvres"][name]
    model, law = lissom.load(name).compile(), None
    if "gains" in figures:
        steps = "quintic" not in figures
        reference = Reference.steps(figures["steps"]) if steps else Reference.quintic(**figures["quintic"])
        law = pd(model, figures["gains"], reference)
    asked = figures["duration"] if duration is None else duration
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = lissom.simulate(model, asked, controller=law, start=figures["start"], rate=RATE, progress=False)
        trust = lissom.trust(run, budget=0.0, progress=False)
    rows: dict[str, Any] = {}
    for spot in (one for one in figures["spots"] if one["t"] <= asked):
        wanted = dict(zip(model.joints, spot["position"], strict=True)) | {f"tip.{model.links[-1]}": spot["tip"]}
        for what in ("deflection", "rotation"):
            wanted |= {f"{what}.{link}": values for link, values in spot[what].items()}
        for channel, true in wanted.items():
            band, at = trust.channel(channel), round(spot["t"] * RATE)
            for k, value in enumerate(np.atleast_1d(true)):
                mine, error = np.atleast_1d(band.values[at])[k], np.atleast_1d(band.error[at])[k]
                row = _row(band.unit, float(mine), float(error), float(value)) | {"unsure": UNCERTAIN[name]}
                rows[f"{channel} {k} at {spot['t']} s"] = row
    return {"manoeuvre": name, "kind": "manoeuvre", "numbers": rows}


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a file, one JSON object in a line."""
    if path.exists():
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def extend(path: Path, key: str, names: Iterable[Any], make: Any) -> None:
    """Add to a file the records of machines that it does not hold yet."""
    known = {record.get(key) for record in read(path)}
    for name in names:
        if name not in known:
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(make(name)) + "\n")


def _row(unit: str, value: float, error: float, true: float | None) -> dict[str, Any]:
    return {"unit": unit, "value": value, "error": error, "true": true}
