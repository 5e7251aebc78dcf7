"""Draws section-axes.png: how sections lie in the axes of their link.

python docs/images/section_axes.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

from lissom.model.flexible.beam import Beam

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Curve

ROW: list[tuple[str, dict[str, Any]]] = [
    ("rectangle, box, ...", {"shape": "rectangle", "width": 0.06, "height": 0.09}),
    ("I", {"shape": "I", "width": 0.06, "height": 0.09, "flange": 0.012, "web": 0.012}),
    ("C", {"shape": "C", "width": 0.06, "height": 0.09, "flange": 0.012, "web": 0.012}),
    ("L", {"shape": "L", "width": 0.06, "height": 0.09, "thickness": 0.012}),
    (
        "turn: 30 deg, offset: [0.03, 0.02]",
        {"shape": "rectangle", "width": 0.04, "height": 0.07, "turn": np.pi / 6, "offset": [0.03, 0.02]},
    ),
]


def rings(section: dict[str, Any]) -> list[np.ndarray]:
    """Outline and holes of a section, (k, 2) each, along y and z of the link."""
    from lissom.model.flexible.material import Material

    steel = Material(E=2.1e11, nu=0.3, rho=7850.0)
    beam = Beam.model_validate({"length": 1.0, "material": "steel", "section": section})
    placed = beam.profile({"steel": steel}).section(0.5)
    return [np.real(ring) for ring in (placed.outline, *placed.holes)]


def sized(axes: Any, start: tuple[float, float], end: tuple[float, float], text: str) -> None:
    """A double arrow with its name."""
    axes.annotate("", end, start, arrowprops={"arrowstyle": "<->", "color": "0.35", "lw": 1})
    middle = np.add(start, end) / 2
    flat = abs(end[0] - start[0]) > abs(end[1] - start[1])
    axes.annotate(text, middle, (0, -12) if flat else (-6, 0), textcoords="offset points", color="0.35",
                  ha="center" if flat else "right", va="center", rotation=0 if flat else 90, fontsize=9)  # fmt: skip


def main() -> None:
    figure, row = plt.subplots(1, len(ROW), figsize=(13, 3.2), layout="constrained")
    for k, (axes, (name, section)) in enumerate(zip(row, ROW)):
        found = rings(section)
        curve = Curve.make_compound_path(*(Curve(np.vstack([ring, ring[:1]]), closed=True) for ring in found))
        axes.add_patch(PathPatch(curve, facecolor="#c9d6e3", edgecolor="#34506b"))
        for end, label in (((0.085, 0.0), "y"), ((0.0, 0.085), "z")):
            axes.annotate("", end, (0, 0), arrowprops={"arrowstyle": "-|>", "color": "#b03a2e", "lw": 1.5})
            axes.annotate(label, end, (4, 4), textcoords="offset points", color="#b03a2e", fontsize=11)
        axes.plot(0, 0, "o", color="#b03a2e", ms=4)
        low, high = found[0].min(axis=0), found[0].max(axis=0)
        if k < len(ROW) - 1:
            sized(axes, (low[0], low[1] - 0.006), (high[0], low[1] - 0.006), "width")
            sized(axes, (low[0] - 0.006, low[1]), (low[0] - 0.006, high[1]), "height")
        else:
            axes.plot([0, 0.03], [0, 0.02], "--", color="0.35", lw=1)
            axes.annotate(
                "offset", (0, 0), (-8, -14), textcoords="offset points", color="0.35", fontsize=9, ha="center"
            )
            axes.plot(0.03, 0.02, "o", color="#34506b", ms=4)
            tip = np.array([0.03, 0.02]) + 0.035 * np.array([-np.sin(np.pi / 6), np.cos(np.pi / 6)])
            axes.plot(*tip, "s", color="#1e8449", ms=6)
            axes.annotate(f"fibre: [{tip[0]:.4f}, {tip[1]:.4f}]", tip, (-34, 16), textcoords="offset points",
                          color="#1e8449", fontsize=9, ha="center")  # fmt: skip
        axes.set(xlim=(-0.075, 0.1), ylim=(-0.075, 0.1), aspect="equal", title=name)
        axes.axis("off")
    figure.suptitle("seen against x: the tip points at you, the dot is the axis of the link", fontsize=10)
    figure.savefig(Path(__file__).with_name("section-axes.png"), dpi=110)


if __name__ == "__main__":
    main()
