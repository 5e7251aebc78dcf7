"""Figures of the rig's study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom.view.figures.figure_style import save, style
from lissom.view.figures.fit_figures import histories

if TYPE_CHECKING:
    from lissom.identify import Validation
    from lissom.reproductions.two_link_rig.fitting import Result


def draw(result: Result, folder: Path) -> None:
    """Draw the fit, what was held back, and the closed loop."""
    save(result.fit.plot(), folder / "rig-fitted.png")
    save(side_by_side(result.held), folder / "rig-held-back.png")
    save(side_by_side(result.loop), folder / "rig-in-loop.png")


def side_by_side(held: Validation) -> Any:
    """Histories that were held back, one column per record: measured, of the nominal arm and of the fitted one."""
    import matplotlib.pyplot as plt

    pairs = list(zip(held.blocks["nominal"], held.blocks["fitted"]))
    with style():
        figure = plt.figure(figsize=(12, 2.4 * len(pairs) / 2), layout="constrained")
        axes: Any = figure.subplots(len(pairs) // 2, 2, squeeze=False)
        for axis, (before, after) in zip(axes.T.ravel(), pairs):
            histories(axis, {"nominal": before, "fitted": after})
        for axis in axes[-1]:
            axis.set_xlabel("time [s]")
    return figure
