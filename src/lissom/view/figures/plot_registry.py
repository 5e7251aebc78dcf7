"""Kinds of figures of a run, in a registry, and how a figure is put together from charts or other drawings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from lissom.errors import LissomError
from lissom.simulation.status.run_ending import Ending
from lissom.view.figures.chart import Chart
from lissom.view.figures.chart_drawing import AxesDrawing, draw_chart
from lissom.view.figures.figure_style import grid, headline, style
from lissom.view.figures.overlays import finished

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lissom.results.trajectory import Trajectory


@dataclass(frozen=True)
class Plot:
    """A kind of figure of a run.

    Parameters
    ----------
    name : str
        What `run.plot(name)` and the file `figures/name.png` of `lissom run` call it.
    draw : callable, optional
        Returns the figure of a run; it may take options. Unless given, the figure has the `charts` below each other.
    charts : callable, optional
        Returns the charts that pages show of a run, if they are to show any.
    in_folder : bool
        Whether `lissom run` draws it. A `LissomError` says that a run has nothing to show there.
    """

    name: str
    draw: Callable[..., Figure] | None = None
    charts: Callable[[Trajectory], Sequence[Chart]] | None = None
    in_folder: bool = True

    def figure(self, run: Trajectory, **options: Any) -> Figure:
        """Return the figure of a run."""
        if self.draw is not None:
            return self.draw(run, **options)
        return chart_figure(run, self.charts(run) if self.charts is not None else [], columns=1)


PLOTS: dict[str, Plot] = {}


def register_plot(plot: Plot) -> Plot:
    """Make a kind of figure known to `run.plot`, to `lissom run` and, where it has charts, to pages.

    Raises
    ------
    LissomError
        If there is one of this name.
    """
    if plot.name in PLOTS:
        raise LissomError("is a plot that is there already; choose another name", ("name",), plot.name)
    PLOTS[plot.name] = plot
    return plot


def chart_figure(run: Trajectory, charts: Iterable[Chart], columns: int) -> Figure:
    """Return a figure of charts in rows, with the curves of what stands beside the run."""
    return axes_figure(run, [partial(draw_chart, chart=chart) for chart in finished(run, charts)], columns)


def axes_figure(run: Trajectory, drawings: Sequence[AxesDrawing], columns: int, abscissa: str = "time [s]") -> Figure:
    """Return a figure of drawings in rows, with the robot's name above them."""
    if not drawings:
        raise LissomError(f"{run.model.robot.name} has nothing to show in this plot")
    with style():
        figure, axes = grid(len(drawings), columns, sharex=True)
        for one, draw in zip(axes, drawings, strict=True):
            draw(one)
        columns = min(columns, len(drawings))
        for k, one in enumerate(axes):
            if k + columns >= len(axes):
                one.set_xlabel(abscissa)
                one.tick_params(labelbottom=True)
        headline(figure, run.model.robot.name, detail(run))
        return figure


def detail(run: Trajectory) -> str:
    """Return what stands in grey beside the title: duration, method, how the run ended."""
    parts = [f"{run.time[-1] - run.time[0]:g} s of motion"]
    parts += [f"{run.info.method}, {run.info.steps} steps"] if run.info.method else []
    parts += [run.info.status.word] if run.info.status is not Ending.FINISHED else []
    return ", ".join(parts)
