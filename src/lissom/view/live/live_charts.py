"""Charts beside the live picture. Where the time is, a thin line stands over them: only the line moves."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from lissom.view.figures.chart import Chart, Series
from lissom.view.live.closing_controls import ClosingControls

LEFT, RIGHT, TOP, HEIGHT, BELOW = 60, 14, 8, 168, 40  # px of a chart and of what is around its curves
FRAME = (10, 7)  # px from the edges of the panel to those of a chart, left and right
DOWN = 12  # px from the line's element to the chart below it
WIDTH = 380
FAINT = "rgba(128, 138, 150, 0.22)"  # lines behind the curves, on light and dark paper
SAMPLES = 1200
LARGE = 1e6  # beside an axis there is no room for larger numbers
FINE, DIGITS = 4e-3, 3  # least height of a chart; axes are labelled with so many digits behind the point
# In a legend, one dashed entry stands for all curves of a group (the references of the joints); it has no value.
LOOK = """<style>
.u-legend { margin-top: -4px !important; max-height: 76px; overflow-y: auto; display: block; }
.u-legend .lissom-grouped, .u-legend .lissom-group .u-value { display: none !important; }
.u-legend .lissom-group { pointer-events: none; }
.u-legend .lissom-group th::after { content: "" !important; }
.u-legend .lissom-group .u-marker {
  height: 0; width: 16px; border: 0 !important; border-top: 2px dashed #8c95a0 !important; background: none !important;
}
</style>"""


class ChartPanel:
    """A panel of charts docked at the left."""

    def __init__(self, server: Any, leaving: ClosingControls) -> None:
        self.server, self._leaving = server, leaving
        self.panel = server.gui.add_panel()
        self.tab = self.panel.add_tab("Charts")
        self.panel.dock_left()
        self.panel.set_width(WIDTH)
        with self.tab:
            server.gui.add_html(LOOK)
        self._made: list[Any] = []
        self._plots: list[Any] = []
        self._lines: list[Any] = []
        self._labels: list[str] = []
        self._span = (0.0, 1.0)

    def set(self, charts: list[Chart]) -> None:
        """Show other charts."""
        for handle in self._made:
            self._leaving.add(handle)
        self._made, self._plots, self._lines = [], [], []
        charts = [chart.prefixed(LARGE) for chart in charts]
        self._labels = [chart.label for chart in charts]
        with self.server.atomic(), self.tab:
            for chart in charts:
                self._add(chart.thinned(SAMPLES))
        if charts:
            self._span = (float(charts[0].time[0]), float(charts[0].time[-1]))

    def say(self, content: str) -> None:
        """Show HTML in the place of the charts; what it says of names must be escaped."""
        self.set([])
        with self.tab:
            self._made.append(self.server.gui.add_html(content))

    def update(self, charts: list[Chart]) -> None:
        """Draw new data in the charts that are shown."""
        drawn = [chart.prefixed(LARGE) for chart in charts]
        if [chart.label for chart in drawn] != self._labels:  # other units: the axes are labelled again
            self.set(charts)
            return
        with self.server.atomic():
            for plot, chart in zip(self._plots, drawn, strict=True):
                plot.data = _data(chart)
                if (scales := _scales(chart)) != plot.scales:
                    plot.scales = scales
        self._span = (float(charts[0].time[0]), float(charts[0].time[-1]))

    def point(self, time: float | None) -> None:
        """Put the line at a time; None takes it away."""
        first, last = self._span
        part = None if time is None or last <= first else min(max((time - first) / (last - first), 0.0), 1.0)
        content = _line(part)
        for handle in self._lines:
            handle.content = content

    def _add(self, chart: Chart) -> None:
        gui = self.server.gui
        title = gui.add_html(
            f'<div style="font-weight:600;font-size:13px;padding:10px 12px 0">{escape(chart.title)}</div>'
        )
        axis = {
            "stroke": "#7d8894",
            "grid": {"stroke": FAINT, "width": 1},
            "ticks": {"show": False},
        }
        axis |= {"font": "11px sans-serif", "labelFont": "11px sans-serif"}
        series = [{"label": "t [s]"}, *_series(chart)]
        line = gui.add_html(_line(None))
        plot = gui.add_uplot(
            data=_data(chart),
            series=tuple(series),
            scales=_scales(chart),
            axes=(
                {**axis, "label": "time [s]", "labelSize": 14, "size": 24, "labelGap": -2},
                {**axis, "label": chart.label, "labelSize": 16, "size": LEFT - 16},
            ),
            cursor={"drag": {"x": False, "y": False, "setScale": False}},
            height=HEIGHT,
            padding=(TOP, RIGHT, 0, 0),
        )
        self._made += [title, line, plot]
        self._plots.append(plot)
        self._lines.append(line)


def _data(chart: Chart) -> tuple[np.ndarray, ...]:
    return (np.asarray(chart.time, float), *(np.asarray(s.values, float) for s in _sort_curves(chart)))


def _scales(chart: Chart) -> dict[str, Any]:
    """Return how curves lie on the paper: what hardly changes is not enlarged until its labels are all the same."""
    values = np.concatenate([s.values for s in chart.series])
    values = values[np.isfinite(values)]
    if len(values) == 0 or np.ptp(values) >= FINE:
        return {"x": {"time": False}}
    middle = round(float(values.max() + values.min()) / 2, DIGITS)
    return {"x": {"time": False}, "y": {"range": (middle - FINE, middle + FINE)}}


def _sort_curves(chart: Chart) -> list[Series]:
    """Return curves in the order of the legend: those of a group last."""
    return sorted(chart.series, key=lambda s: s.group)


def _series(chart: Chart) -> list[dict[str, Any]]:
    """Return how the curves are drawn, and what the legend says of them."""
    made: list[dict[str, Any]] = []
    groups: set[str] = set()
    for s in _sort_curves(chart):
        one: dict[str, Any] = {"label": s.name, "stroke": s.colour, "width": 1.7, "points": {"show": False}}
        if s.dashed:
            one |= {"width": 1.2, "dash": (5, 4)}
        if s.group:
            one |= {"class": "lissom-grouped"} if s.group in groups else {"class": "lissom-group", "label": s.group}
            groups.add(s.group)
        made.append(one)
    return made


def _line(part: float | None) -> str:
    """Return a line over the chart below it, at a part of the way from its left to its right."""
    if part is None:
        return "<div></div>"
    left, right = LEFT + FRAME[0], RIGHT + FRAME[1]
    place = f"left:calc({left}px + (100% - {left + right}px) * {part:.5f});top:{TOP + DOWN}px"
    line = "border-left:1.5px solid currentColor;opacity:.65"
    look = f"height:{HEIGHT - BELOW - TOP}px;{line};z-index:5;pointer-events:none"
    mark = f'<div class="lissom-cursor" style="position:absolute;{place};{look}"></div>'
    return f'<div style="position:relative;height:0">{mark}</div>'
