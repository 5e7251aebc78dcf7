"""Seeing a run: figures, a report in one file, films, a live page.

The methods `plot`, `report` and `animate` of results call these functions. `Plot`, `Chart`, `quantity_charts` and
`register_plot` are for plots from outside, `style` for scripts.
"""

from lissom.view.figures.chart import Chart, Series, quantity_charts
from lissom.view.figures.figure_style import style
from lissom.view.figures.plots import Plot, plot, register_plot

__all__ = ["Chart", "Plot", "Series", "plot", "quantity_charts", "register_plot", "style"]
