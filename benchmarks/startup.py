"""Start-up: what `import lissom`, the first call ever and the first call of a later process cost."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

IMPORT_TARGET = 0.5  # seconds
FIRST_TARGET = 25.0
WARM_TARGET = 1.5

STEPS = {
    "import lissom": "import lissom",
    "load a robot": "robot = lissom.load('ella')",
    "compile it": "model = robot.compile()",
    "import the dynamics (Numba)": "forward_dynamics = lissom.forward_dynamics",
    "first forward dynamics": "forward_dynamics(model, model.neutral(), [0.0] * model.nv)",
}
CALL = "; ".join(STEPS.values())
CLOCKED = "\n".join(
    ["import json, time", "clock = [time.process_time()]"]
    + [f"{step}; clock.append(time.process_time())" for step in STEPS.values()]
    + ["print(json.dumps(clock))"]
)


def process(code: str, cache: Path) -> tuple[float, float, str]:
    """Wall time, processor time and output of a fresh Python process with its kernels cached in `cache`."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    used, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    wall, now = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime, done.stdout


def repeated(code: str, cache: Path, times: int) -> dict[str, float]:
    """Several fresh processes."""
    return summary([process(code, cache)[:2] for _ in range(times)])


def first_calls(times: int) -> dict[str, float]:
    """First call ever: every process begins with an empty cache."""
    runs = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as cache:
            runs.append(process(CALL, Path(cache))[:2])
    return summary(runs)


def summary(runs: list[tuple[float, float]]) -> dict[str, float]:
    """Of wall and processor times: the least and the median of each."""
    (least_wall, least), (wall, processor) = np.min(runs, axis=0), np.median(runs, axis=0)
    return {
        "least_wall": float(least_wall),
        "wall": float(wall),
        "least_processor": float(least),
        "processor": float(processor),
    }


def steps(cache: Path, times: int) -> dict[str, float]:
    """Processor time of each step of a process whose kernels are cached, medians."""
    clocks = [json.loads(process(CLOCKED, cache)[2]) for _ in range(times)]
    spent = np.median(np.diff(clocks, axis=1), axis=0)
    return dict(zip(STEPS, map(float, spent), strict=True))


def measure() -> dict[str, Any]:
    """Everything this file measures, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        process(CALL, cache)
        return {
            "python": repeated("pass", cache, 9),
            "import": repeated(STEPS["import lissom"], cache, 9),
            "warm": repeated(CALL, cache, 15),
            "steps": steps(cache, 9),
            "first": first_calls(3),
        }
