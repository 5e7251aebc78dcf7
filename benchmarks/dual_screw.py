"""The four-joint manoeuvre of Cibicik and Egeland 2021 by dual screws, linear and nonlinear, and by the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.reproductions.dual_screw_arm import distance, motion, scenario

FORMS = {"dual_screw": "linear", "dual_screw_nonlinear": "nonlinear", "kernel": "kernel"}  # by formulation
PAPER = {"dual_screw": 14.0, "dual_screw_nonlinear": 3901.0}  # s, the paper's best for 6 s of motion
TARGET = 1.0  # s, of the linear model
TURNS = 5


def measure() -> dict[str, Any]:
    """Wall time of the time loop for 6 s of motion, warm: the least and the median; and how far the tips are apart."""
    manoeuvre = scenario()
    runs = {name: motion(form, manoeuvre) for name, form in FORMS.items()}
    walls: dict[str, list[float]] = {name: [] for name in FORMS}
    for _ in range(TURNS):
        for name, form in FORMS.items():
            walls[name].append(motion(form, manoeuvre, rate=20.0).run.info.wall)
    return {
        name: {
            "least": min(walls[name]),
            "median": float(np.median(walls[name])),
            "steps": runs[name].run.info.steps,
            "tip": float(distance(runs[name], runs["kernel"]).max()),
        }
        for name in FORMS
    }
