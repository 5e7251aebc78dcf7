"""How a run shows itself in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from lissom.view.pages import report_tables, run_report

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory

HEIGHT = 700  # px of the page in the cell


def notebook_html(run: Trajectory) -> str:
    """Return a table of key figures, and below it charts and the moving arm, in a frame that reaches nothing else."""
    summary = run.summary()
    rows = [(what, value) for value, what in report_tables.key_figures(run, summary)]
    table = report_tables.table(("", _heading(run)), rows)
    page = escape(run_report.embed(run), quote=True)
    style = f"width:100%;height:{HEIGHT}px;border:0"
    return f'{table}<iframe sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'


def _heading(run: Trajectory) -> str:
    """Name, duration and status of a run."""
    return f"{run.model.robot.name}, {run.time[-1] - run.time[0]:g} s, {run.info.status.word}"
