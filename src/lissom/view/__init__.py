"""Seeing a run: figures, a report in one file, films, a live page.

Results reach these functions by `lissom.plot_registry`; scripts may call `figures.plots` and `style`.
"""

from lissom.view.figures.figure_style import style

__all__ = ["style"]
