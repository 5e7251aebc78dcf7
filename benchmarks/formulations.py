"""One fall of a three-link arm by every formulation that covers it, and `lissom compare` as a whole."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from timing import environment

import lissom
from lissom import theory

DURATION = 0.6  # s
TURNS = 5
TARGET = 4.0  # s, of the whole command


def arm() -> lissom.Robot:
    """Three aluminium bars on hinges about y, z, y, five functions each; they fall from level."""
    beam = {
        "length": 0.8,
        "material": "aluminium",
        "section": {"shape": "rectangle", "width": 0.02, "height": 0.03},
        "shear": "none",
        "modes": {"y": 2, "z": 2, "torsion": 1, "axial": 0},
        "damping": 0.002,
    }
    axes = {"upper": [0, 1, 0], "middle": [0, 0, 1], "lower": [0, 1, 0]}
    links = [{"name": name, "joint": {"type": "revolute", "axis": axis}, "beam": beam} for name, axis in axes.items()]
    material = {"aluminium": {"E": 7e10, "nu": 0.3, "rho": 2700}}
    return lissom.Robot.from_dict({"lissom": 1, "name": "three-link-arm", "materials": material, "links": links})


def measure() -> dict[str, Any]:
    """Processor time of whole calls, warm and by turns, and its ratio to the kernel's; wall time of the command."""
    model = arm().compile()
    built = {}
    for name in theory.names():
        try:
            built[name] = theory.build(name, model)
        except theory.Unsupported:
            continue
    runs = {name: theory.simulate(formulation, DURATION) for name, formulation in built.items()}
    loops: dict[str, list[float]] = {name: [] for name in built}
    calls: dict[str, list[float]] = {name: [] for name in built}
    for _ in range(TURNS):
        for name, formulation in built.items():
            began = time.thread_time()
            run = theory.simulate(formulation, DURATION)
            calls[name].append(time.thread_time() - began)
            loops[name].append(run.info.wall)
    kernel = np.array(calls["kernel"])
    rows = {
        name: {
            "loop": min(loops[name]),
            "ratio": float(np.median(np.array(calls[name]) / kernel)),
            "call": min(calls[name]),
            "steps": run.info.steps,
            "angle": float(np.abs(run.q - runs["kernel"].q)[:, [body.joint_q.start for body in model.bodies]].max()),
        }
        for name, run in runs.items()
    }
    return {"formulations": rows, "command": _command()}


def _command() -> list[float]:
    """Wall times in seconds of `lissom compare` in processes of their own, with and without the figure, warm."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arm.yaml"
        arm().save(file)
        command = [sys.executable, "-m", "lissom", "compare", str(file), "--duration", str(DURATION), "-o", folder]
        _seconds(command)  # warms up
        return [min(_seconds([*command, *option]) for _ in range(3)) for option in ([], ["--no-figure"])]


def _seconds(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment())
    return time.perf_counter() - began
