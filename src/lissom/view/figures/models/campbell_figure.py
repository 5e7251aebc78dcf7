"""Campbell diagram: frequencies over the speed of what turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.view.figures.figure_style import GREY, LIGHT, grid, headline, legend, line, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lissom.analysis.modes.campbell import Campbell

ORDERS = 6  # whole multiples of the speed that are drawn


def plot_campbell(found: Campbell) -> Figure:
    """Draw frequencies over speed, and the multiples of the speed at which something that stands still excites them."""
    with style():
        figure, (axes,) = grid(1, 1, width=4.6, height=4.2)
        top = 1.08 * float(found.frequencies.max(initial=0.0)) or 1.0
        for order in range(1, ORDERS + 1):
            hz = order * np.abs(found.speeds) / (2 * np.pi)
            axes.plot(found.speeds, hz, color=LIGHT, lw=0.8, zorder=0)
            if hz[-1] <= top:
                axes.annotate(f"{order}", (found.speeds[-1], hz[-1]), color=GREY, fontsize=7)
        for k, (name, hz) in enumerate(zip(found.labels, found.frequencies.T)):
            axes.plot(found.speeds, hz, label=name, **line(k))
        unstable = found.growth > 0
        at = np.broadcast_to(found.speeds[:, None], unstable.shape)
        if unstable.any():
            axes.plot(at[unstable], found.frequencies[unstable], "x", color="firebrick", label="unstable")
        axes.set(title="Frequencies", xlabel=f"speed of {found.joint} [rad/s]", ylabel="frequency [Hz]", ylim=(0, top))
        legend(axes)
        headline(figure, "Campbell diagram", f"{found.name}, in the turning frame")
        return figure
