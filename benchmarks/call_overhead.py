"""What a second call of `simulate` costs beyond its time loop, on an arm of two flexible links.

    python benchmarks/call_overhead.py

Round by round the loop's own time is taken from that of its call; the rest is overhead. Results are made when they are
asked for, so the time to have them all is listed apart.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np

import lissom

ARM = """
lissom: 1
name: two-link
materials: {aluminium: {E: 7.0e10, nu: 0.33, rho: 2700}}
links:
  - name: upper
    joint: {name: shoulder, type: revolute, axis: [0, 1, 0], damping: 0.1}
    beam: &beam
      length: 1.0
      material: aluminium
      section: {shape: tube, outer: 0.05, thickness: 0.003}
      shear: none
      modes: {z: 2}
      damping: 0.01
  - name: forearm
    joint: {name: elbow, type: revolute, axis: [0, 1, 0], damping: 0.1}
    beam: *beam
"""
ROUNDS = 200
TARGET = 2.0  # ms around the loop of the two-link arm
KEYS = ("call", "loop", "around", "results")


def measure() -> dict[str, Any]:
    """Calls of a small arm and of a run with many samples."""
    cases = {"two-link, 0.5 s": (lissom.Robot.from_yaml(ARM), 0.5), "ella, 4 s": (lissom.load("ella"), 4.0)}
    return {"calls": [{"run": name, **timed(robot.compile(), duration)} for name, (robot, duration) in cases.items()]}


def timed(model: lissom.Model, duration: float) -> dict[str, Any]:
    """Processor time in ms, quartiles over the rounds: of a call, its loop, what is around it, and all results."""
    rows = []
    with loop_clock(time.thread_time):
        lissom.simulate(model, duration)  # compiles
        for _ in range(ROUNDS):
            began = time.thread_time()
            run = lissom.simulate(model, duration)
            called = time.thread_time()
            run.dataset  # noqa: B018 made when asked for
            loop = run.info.wall
            rows.append((called - began, loop, called - began - loop, time.thread_time() - called))
    low, median, high = (dict(zip(KEYS, 1e3 * row)) for row in np.quantile(rows, (0.25, 0.5, 0.75), axis=0))
    found = {key: {"low": low[key], "median": median[key], "high": high[key]} for key in KEYS}
    return {"samples": len(run.time), **found}


@contextmanager
def loop_clock(clock: Callable[[], float]) -> Iterator[None]:
    """Let the time loop measure itself by another clock, so that it and the whole call are measured alike."""
    from lissom.simulation.stepping import time_loop

    before, time_loop.time = time_loop.time, SimpleNamespace(perf_counter=clock)
    try:
        yield
    finally:
        time_loop.time = before


if __name__ == "__main__":
    for each in measure()["calls"]:
        times = ", ".join(f"{key} {each[key]['median']:.2f} ms" for key in KEYS)
        print(f"{each['run']}, {each['samples']} samples: {times}")
