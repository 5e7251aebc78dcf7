"""The falling Canadarm2 by CVODE's Adams method and by Radau: agreement and time.

Run: python benchmarks/adams.py
"""

from __future__ import annotations

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


def main() -> None:
    runs = falls()
    for method, run in runs.items():
        print(f"{method:12} {run.info.wall:6.2f} s, {run.info.evaluations} evaluations")
    radau, adams = runs.values()
    print(f"largest difference of any coordinate: {np.abs(radau.q - adams.q).max():.1e}")


if __name__ == "__main__":
    main()
