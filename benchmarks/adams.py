"""The falling Canadarm2 by CVODE's Adams method and by Radau: agreement and time.

Run: python benchmarks/adams.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

import lissom

START = {"shoulder": 0.4 * np.pi, "elbow": -0.4 * np.pi}
TOLERANCES = {"radau": (1e-10, 1e-12), "cvode-adams": (1e-11, 1e-13)}


def falls(duration: float = 2.0) -> dict[str, lissom.Trajectory]:
    """The fall by both methods, at tolerances that make them agree."""
    model = lissom.load("canadarm2").compile()
    return {
        method: lissom.simulate(model, duration, start=START, method=method, rtol=rtol, atol=atol, audit=False)
        for method, (rtol, atol) in TOLERANCES.items()
    }


def measure() -> dict[str, Any]:
    """Time and evaluations of each method, the second time that it runs; the largest difference of any coordinate."""
    falls(0.05)
    runs = falls()
    radau, adams = runs.values()
    return {
        "methods": {
            method: {"seconds": run.info.wall, "evaluations": run.info.evaluations, "steps": run.info.steps}
            for method, run in runs.items()
        },
        "difference": float(np.abs(radau.q - adams.q).max()),
    }


def main() -> None:
    found = measure()
    for method, one in found["methods"].items():
        print(f"{method:12} {one['seconds']:6.2f} s, {one['evaluations']} evaluations")
    print(f"largest difference of any coordinate: {found['difference']:.1e}")


if __name__ == "__main__":
    main()
