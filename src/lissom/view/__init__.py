"""Seeing a run: figures, a report in one file, films, a live page.

The functions here are the `Display` that a Trajectory asks for its pictures; each loads what it needs.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom.errors import LissomError
from lissom.messages import did_you_mean
from lissom.view.style import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lissom.simulation.trajectory import Trajectory

__all__ = ["animate", "notebook_html", "plot", "style", "write_report"]


def plot(run: Trajectory, kind: str = "overview", **options: Any) -> Figure:
    """The figure of that kind, see `lissom.view.plots`."""
    from lissom.view.plots import KINDS

    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS)
        raise LissomError(f"there is no plot {kind!r}{hint}; choose from {', '.join(KINDS)}")
    return KINDS[kind](run, **options)


def write_report(run: Trajectory, path: str | Path, title: str | None = None) -> Path:
    """One HTML file with the moving arm, charts and tables, see `lissom.view.report`."""
    from lissom.view import report

    return report.write(path, report.report(run, title))


def animate(run: Trajectory, path: str | Path, **options: Any) -> Path:
    """A film of the motion, see `lissom.view.film`."""
    from lissom.view.film import film

    return film(run, path, **options)


def notebook_html(run: Trajectory) -> str:
    """How a notebook shows a run, see `lissom.view.notebook`."""
    from lissom.view import notebook

    return notebook.notebook_html(run)
