"""Finite elements: time and memory to reduce a link of 50 000 unknowns."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

TIME_TARGET = 60.0  # seconds
MEMORY_TARGET = 4.0  # gigabytes
CELLS = (66, 36, 1)  # along the tube, around it, through its wall


def reduce_tube(cells: tuple[int, int, int], told: Callable[[str], None]) -> dict[str, Any]:
    """Mesh, assemble and reduce a tube with two interfaces; seconds of processor time by step."""
    from lissom import beam, fem

    began, used = time.perf_counter(), time.process_time()
    steps: list[tuple[str, float]] = []

    def progress(step: str) -> None:
        steps.append((step.split(",")[0].split(":")[0], time.process_time()))
        told(step)

    progress("meshing")
    mesh = fem.tube_mesh(1.2, 0.12, 0.10, cells)
    structure = fem.solid(mesh, beam.Material(E=7e10, nu=0.33, rho=2700), progress=progress)
    ends = [fem.Interface("base", "base"), fem.Interface("tip", "tip", tie="averaging")]
    link = fem.reduce(structure, ends, modes=20, progress=progress)
    steps.append(("end", time.process_time()))
    spent: dict[str, float] = {}
    for (step, start), (_, end) in pairwise(steps):
        spent[step] = spent.get(step, 0.0) + end - start
    report = link.truncation
    return {
        "unknowns": structure.size,
        "coordinates": link.count,
        "steps": spent,
        "processor": time.process_time() - used,
        "wall": time.perf_counter() - began,
        "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "error": report.worst(report.cutoff / 2),
    }


def measure(told: Callable[[str], None] = lambda text: None) -> dict[str, Any]:
    """The same in a fresh process, so that the memory is its own."""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([sys.executable, __file__, "--json"], env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    results: dict[str, Any] = {}
    for line in process.stdout:
        message = json.loads(line)
        if isinstance(message, str):
            told(message)
        else:
            results = message
    if process.wait():
        raise RuntimeError("the reduction failed; its message is above")
    return results


def main() -> None:
    if "--json" in sys.argv:
        print(json.dumps(reduce_tube(CELLS, lambda text: print(json.dumps(text), flush=True))))
        return
    from rich.console import Console

    console = Console()
    with console.status("finite elements") as status:
        results = measure(lambda text: status.update(f"finite elements: {text}"))
    for step, seconds in results["steps"].items():
        console.print(f"{seconds:6.1f} s  {step}")
    seconds, memory = results["processor"], results["gigabytes"]
    console.print(f"{seconds:6.1f} s  processor time (target {TIME_TARGET:g}), {results['wall']:.1f} s of wall time")
    console.print(f"{memory:6.2f} GB peak (target {MEMORY_TARGET:g}), {results['unknowns']} unknowns")


if __name__ == "__main__":
    main()
