"""What a person waits for: whole commands on a terminal, from the key that starts them to their end.

The yardstick is a fresh process that imports NumPy, SciPy, xarray and Matplotlib: no program that uses them can be
faster. Commands and yardstick take turns, so that a busy machine slows both.

    python benchmarks/run.py --only startup --before ../older-checkout
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sheet import Sheet, verdict
from timing import environment

HERE = Path(__file__).parent.parent
YARDSTICK = "import numpy, scipy.linalg, xarray, matplotlib.pyplot"
TARGETS: dict[str, float | None] = {  # commands, or Python code, and how many yardsticks they may take
    "lissom list": 0.35,
    "lissom check ella": 0.5,
    "lissom describe ella": 0.5,
    "lissom modes ella": 0.75,
    "lissom run ella --no-figures": 1.1,
    "lissom run ella": 2.4,
    "lissom --help": None,
    "lissom compare ella --duration 0.6": None,
    "lissom theory structure ella": None,
    "import lissom": None,
    "import lissom; m = lissom.load('ella').compile(); lissom.forward_dynamics(m, m.neutral(), [0.0] * m.nv)": None,
}
COLD = ("lissom list", "lissom run ella", "import lissom")  # with empty caches: nothing, all usual kernels, nothing
TABLE_TARGET = 1.0  # in yardsticks, of the command below
TABLE = "lissom run ella"
LAST_LINE = b"largest error at any time"  # of its table
TURNS = 11


class Wait(NamedTuple):
    """Seconds from the start of a process."""

    end: float
    table: float  # on the screen; until the end where there is none


def arguments(command: str) -> list[str]:
    """How a command is started; what is no command is Python code."""
    if command.startswith("lissom "):
        return [sys.executable, "-m", *command.split()]
    return [sys.executable, "-c", command]


def wait(command: str, source: Path, cache: Path | None = None) -> Wait:
    """Run a command of a checkout on a terminal of its own, in an empty folder; `cache` holds what it keeps."""
    variables = environment(PYTHONPATH=str(source / "src"), COLUMNS="100", TERM="xterm")
    if cache is not None:
        places = {"LISSOM_CACHE": "lissom", "MPLCONFIGDIR": "matplotlib"}
        variables |= {name: str(cache / folder) for name, folder in places.items()}
    ours, theirs = pty.openpty()
    shown, table = b"", 0.0
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        process = subprocess.Popen(
            arguments(command), cwd=folder, env=variables, stdin=theirs, stdout=theirs, stderr=theirs
        )
        os.close(theirs)
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # how Linux ends a terminal
                break
            if not part:
                break
            shown += part
            if not table and LAST_LINE in shown:
                table = time.perf_counter() - began
        code, end = process.wait(), time.perf_counter() - began
        os.close(ours)
    if code:
        raise RuntimeError(f"{command} failed:\n{shown.decode(errors='replace')}")
    return Wait(end, table or end)


def warm(sources: dict[str, Path], turns: int, tell: Callable[[str], object]) -> dict[str, Any]:
    """Every command of every checkout by turns: medians in seconds and in yardsticks."""
    for source in sources.values():
        for command in (YARDSTICK, *TARGETS):
            tell(f"warming up: {command}")
            wait(command, source)
    yardsticks: list[float] = []
    waits: dict[str, dict[str, list[Wait]]] = {name: {command: [] for command in TARGETS} for name in sources}
    for turn in range(turns):
        for command in TARGETS:
            tell(f"turn {turn + 1} of {turns}: {command}")
            yardsticks.append(wait(YARDSTICK, HERE).end)
            for name, source in sources.items():
                waits[name][command].append(wait(command, source))
    yard = np.array(yardsticks).reshape(turns, -1)
    found = {
        name: {command: _medians(rows, yard[:, k]) for k, (command, rows) in enumerate(by_command.items())}
        for name, by_command in waits.items()
    }
    return {"yardstick": float(np.median(yard)), **found}


def _medians(rows: list[Wait], yard: np.ndarray) -> dict[str, float]:
    seconds = np.array(rows)
    ends, tables = np.median(seconds, axis=0)
    ratios = np.median(seconds / yard[:, None], axis=0)
    return {"seconds": float(ends), "table": float(tables), "ratio": float(ratios[0]), "table ratio": float(ratios[1])}


def cold(sources: dict[str, Path], tell: Callable[[str], object]) -> dict[str, dict[str, float]]:
    """Some commands once with empty caches, as the first one after installing: seconds."""
    found: dict[str, dict[str, float]] = {name: {} for name in sources}
    for name, source in sources.items():
        for command in COLD:
            tell(f"with empty caches, {name}: {command}")
            with tempfile.TemporaryDirectory() as folder:
                found[name][command] = wait(command, source, Path(folder)).end
    return found


def measure(tell: Callable[[str], object] = print, before: Path | None = None, turns: int = TURNS) -> dict[str, Any]:
    """Everything this file measures; with `before`, an older checkout takes its turns beside this one."""
    sources = {"now": HERE} | ({"before": before} if before else {})
    return {"warm": warm(sources, turns, tell), "cold": cold(sources, tell)}


def sheets(results: dict[str, Any]) -> list[Sheet]:
    warm, cold = results["warm"], results.get("cold", {})
    versions = [name for name in ("before", "now") if name in warm]
    rows = []
    for command, target in TARGETS.items():
        rows.append([f"`{command}`"])
        for name in versions:
            one = warm[name][command]
            rows[-1] += [f"{one['seconds']:.2f}", f"{one['ratio']:.2f}"]
        rows[-1].append("" if target is None else verdict(one["ratio"], target))
        rows[-1] += [f"{cold[name][command]:.1f}" if command in cold[name] else "" for name in versions if name in cold]
        if command == TABLE:
            rows.append(["... its table on the screen"])
            for name in versions:
                one = warm[name][command]
                rows[-1] += [f"{one['table']:.2f}", f"{one['table ratio']:.2f}"]
            rows[-1].append(verdict(one["table ratio"], TABLE_TARGET))
            rows[-1] += ["" for name in versions if name in cold]
    text = (
        "What a person waits for: whole processes on a terminal, from start to exit, in seconds, and as ratios to the "
        f"yardstick: a process that does nothing but `{YARDSTICK}`, {warm['yardstick']:.2f} s. Medians over "
        "processes that take turns with the yardstick. `before`: the version measured beside this one. Cold: the same "
        "once with empty caches, as right after installing."
    )
    columns = [
        "command",
        *(f"{name}{unit}" for name in versions for unit in (" [s]", " / yardstick")),
        "target",
        *(f"{name}, cold [s]" for name in versions if name in cold),
    ]
    return [Sheet("Start-up", text, columns, rows)]
