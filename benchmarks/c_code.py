"""Exported C code beside the compiled kernel it comes from: the same functions of the same robots."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from timing import Race

import lissom
from lissom.export import to_c
from lissom.export.c.checks.test_program import lively_state
from lissom.kernel.algorithms.articulated_body import forward_dynamics
from lissom.kernel.algorithms.newton_euler import inverse_dynamics
from lissom.kernel.compile import kernel

TARGET = 1.0  # times the compiled kernel
ROBOTS = ("rigid-7-axis", "ella", "canadarm2")
FLAGS = ("-O3", "-march=native", "-fno-math-errno", "-ffp-contract=fast", "-std=c99", "-shared", "-fPIC")
TURNS = 100
REPEAT = """
#include "arm.h"
void repeat_{name}(int n, const double *q, const double *v, const double *x, double *y)
{{
    for (int k = 0; k < n; k++) {{
        arm_{name}(q, v, x, y);
    }}
}}
"""


def library(model: lissom.Model, names: tuple[str, ...], backend: Any) -> ctypes.CDLL:
    """The robot's C code with loops around its functions, built for this processor."""
    with TemporaryDirectory() as folder:
        to_c(model, folder, names, name="arm", backend=backend)
        place = Path(folder)
        (place / "repeat.c").write_text("".join(REPEAT.format(name=name) for name in names))
        subprocess.run(["gcc", *FLAGS, "arm.c", "repeat.c", "-lm", "-o", "arm.so"], cwd=place, check=True)
        return ctypes.CDLL(str(place / "arm.so"))


@kernel
def _repeat_forward(model, work, rounds, q, v, x, wrench, y):
    for _ in range(rounds):
        forward_dynamics(model, work, q, v, x, wrench, y)


@kernel
def _repeat_inverse(model, work, rounds, q, v, x, wrench, y):
    for _ in range(rounds):
        inverse_dynamics(model, work, q, v, x, wrench, y)


KERNELS = {"forward_dynamics": _repeat_forward, "inverse_dynamics": _repeat_inverse}


def competitors(
    model: lissom.Model, libraries: dict[str, ctypes.CDLL], name: str
) -> dict[str, Callable[[int], object]]:
    rng = np.random.default_rng(0)
    q, v = lively_state(model, rng)
    x, y, wrench = rng.normal(size=model.nv), np.zeros(model.nv), np.zeros((model.rows, 6))
    work, vector = model.workspace(), np.ctypeslib.ndpointer(np.float64)

    def in_c(library: ctypes.CDLL) -> Callable[[int], object]:
        function = getattr(library, f"repeat_{name}")
        function.argtypes, function.restype = [ctypes.c_int, *[vector] * 4], None
        return lambda count: function(count, q, v, x, y)

    def compiled(count: int) -> None:
        KERNELS[name](model.struct, work, count, q, v, x, wrench, y)

    return {"kernel": compiled} | {backend: in_c(each) for backend, each in libraries.items()}


def measure() -> dict[str, Any]:
    """Microseconds and ratios by robot and function."""
    rows = []
    for robot in ROBOTS:
        model = lissom.load(robot).compile()
        libraries = {backend: library(model, tuple(KERNELS), backend) for backend in ("straight", "loops")}
        for name in KERNELS:
            race = Race(competitors(model, libraries, name), TURNS)
            us = {each: 1e6 * race.timing(each).best for each in ("kernel", *libraries)}
            ratio = {backend: asdict(race.ratio(backend, "kernel")) for backend in libraries}
            rows.append({"robot": robot, "dofs": model.nv, "function": name, "us": us, "ratio": ratio})
    return {"c_code": rows}
