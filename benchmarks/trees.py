"""This checkout against another one: ratios of processor time, the two taking turns.

    python benchmarks/trees.py --before FOLDER [--rounds 7] [--only radau] [--python OTHER_PYTHON]

Forward dynamics in machine code, a call from Python and runs are timed in one process of each checkout; whole commands
are processes of their own, whose wall time counts. What both compute is compared, too.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import trees_worker
from rich.console import Console
from sheet import Sheet, spread
from timing import environment

HERE = Path(__file__).parent
COMMANDS = ("lissom run ella", "lissom list", "lissom modes ella")
Turn = tuple[float, Any]  # seconds, what was computed


class Side:
    """A checkout, and the process that times its code."""

    def __init__(self, folder: Path, python: str) -> None:
        if not (folder / "src" / "lissom").is_dir():
            raise SystemExit(f"{folder} is no checkout of lissom: it has no src/lissom")
        self._python = python
        self._variables = environment(PYTHONPATH=str(folder / "src"), OMP_NUM_THREADS="1")
        worker = [python, str(HERE / "trees_worker.py")]
        pipe = subprocess.PIPE
        self._worker = subprocess.Popen(worker, env=self._variables, stdin=pipe, stdout=pipe, text=True)

    def case(self, name: str) -> Turn:
        """A turn of the process."""
        assert self._worker.stdin is not None and self._worker.stdout is not None
        self._worker.stdin.write(f"{name}\n")
        self._worker.stdin.flush()
        line = self._worker.stdout.readline()
        if not line:
            raise SystemExit(f"{self._variables['PYTHONPATH']} failed at: {name}")
        seconds, result = json.loads(line)
        return seconds, result

    def command(self, text: str) -> Turn:
        """Wall time of a command in an empty folder."""
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            done = subprocess.run(
                [self._python, "-m", *text.split()], cwd=folder, env=self._variables, capture_output=True, text=True
            )
            seconds = time.perf_counter() - began
        if done.returncode:
            raise SystemExit(f"{text} failed:\n{done.stdout}{done.stderr}")
        return seconds, None

    def turn(self, name: str) -> Turn:
        return self.command(name) if name in COMMANDS else self.case(name)

    def close(self) -> None:
        self._worker.communicate()


def row(name: str, before: Sequence[Turn], after: Sequence[Turn]) -> list[str]:
    """Time before, ratio of both turn by turn, largest difference of what they computed, relative to its size."""
    ratios = np.array([seconds for seconds, _ in after]) / np.array([seconds for seconds, _ in before])
    low, median, high = np.quantile(ratios, (0.25, 0.5, 0.75))
    seconds = float(np.median([seconds for seconds, _ in before]))
    return [
        name,
        shown(seconds),
        spread({"median": median, "low": low, "high": high}),
        apart(before[-1][1], after[-1][1]),
    ]


def shown(seconds: float) -> str:
    """A time by its size."""
    unit, factor = next(((unit, f) for unit, f in (("s", 1.0), ("ms", 1e3)) if seconds * f >= 1.0), ("us", 1e6))
    return f"{seconds * factor:.3g} {unit}"


def apart(before: Any, after: Any) -> str:
    """How far two results differ, relative to the largest number."""
    if before is None:
        return ""
    old, new = np.array(before), np.array(after)
    if old.shape != new.shape:
        return f"{old.shape} and {new.shape}"
    return f"{np.abs(new - old).max() / np.abs(old).max():.0e}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, required=True, metavar="FOLDER", help="the other checkout")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each side")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose names have this in them")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has what the other one needs")
    given = parser.parse_args()
    names = [name for name in (*trees_worker.cases(), *COMMANDS) if given.only in name]
    before, after = Side(given.before.resolve(), given.python), Side(HERE.parent, sys.executable)
    console, rows = Console(), []
    with console.status("") as status:
        for name in names:
            status.update(f"{name}: the first time, which may compile")
            before.turn(name)
            after.turn(name)
            turns = []
            for k in range(given.rounds):
                status.update(f"{name}: round {k + 1} of {given.rounds}")
                turns.append((before.turn(name), after.turn(name)))
            rows.append(row(name, *zip(*turns, strict=True)))
            console.print(*rows[-1], sep="   ")
    for side in (before, after):
        side.close()
    text = "Medians of ratios, turn by turn, in brackets their quartiles: below 1 this checkout is faster."
    columns = ("case", "before", "now / before", "results differ by")
    Sheet("This checkout against the one before", text, columns, rows).show(console)


if __name__ == "__main__":
    main()
