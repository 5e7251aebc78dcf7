"""Pictures of sizings: how much of every limit is used, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.view.figures.figure_style import COLOURS, INK, LIGHT, grid, headline, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lissom.optimise.sizing_result import Lightest, LimitedQuantity


def plot_sizing(found: Lightest) -> Figure:
    """Draw bars of what each limit is used by, at the start in grey, by the lightest robot in colour."""
    rows = found.largest
    with style():
        figure, (axes,) = grid(1, 1, width=5.2, height=0.42 * len(rows) + 1.3)
        at = np.arange(len(rows))[::-1]
        for shift, which, colour, label in ((0.19, 0, LIGHT, "start"), (-0.19, 1, COLOURS[0], "lightest")):
            shares = [100 * _used_share(row[which]) for row in rows]
            axes.barh(at + shift, shares, height=0.36, color=colour, label=label)
        axes.axvline(100, color=INK, lw=0.9, ls=(0, (4, 3)))
        axes.set_yticks(at, [after.name for _, after in rows])
        axes.set(xlabel="share of the limit that is used [%]", xlim=(0, 1.05 * max(100.0, axes.get_xlim()[1])))
        axes.grid(axis="y", visible=False)
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, borderaxespad=0.2)
        detail = f"{found.start_mass:.4g} kg to {found.mass:.4g} kg, {found.change}"
        headline(figure, found.asked.name, detail)
        return figure


def _used_share(limited: LimitedQuantity) -> float:
    """Return the share of a limit: the limit over the value where it is the least allowed."""
    value = limited.quantity.value
    return limited.limit / value if limited.least and value > 0 else value / limited.limit
