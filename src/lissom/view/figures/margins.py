"""Room for the texts around axes, from the number of their letters.

Matplotlib's layouts draw every text to learn its size, and lay out again what has moved. Numbers at axes have letters
of known width, so that one pass without drawing is enough: the figures of `lissom run ella` take 1.9 s of computing
instead of 2.5 s with "constrained". Titles that meet their neighbour are cut, legends keep off the curves.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from matplotlib.layout_engine import LayoutEngine

from lissom.messages import cut
from lissom.view.figures.figure_style import title_of
from lissom.view.figures.legends import settle

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINT = 1 / 72  # inch
GAP = 5 * POINT  # between one text and the next, and to the edge of the figure
LINE = 1.25  # height of a line of text, in sizes of its letters
MINUS = "\N{MINUS SIGN}"
WIDTHS = {".": 0.32, MINUS: 0.84}  # of letters in DejaVu Sans, in their size
DIGIT = 0.64
BOLD = 0.68  # mean of bold letters
FEWEST = 8  # letters of a title
RAISED = 0.72  # size of an exponent
TICK = 9 * POINT  # a tick and the space to its number, and from there to a label
SPACE = 0.45  # inches beside a picture in space, whose labels stand out
TITLE = 7 * POINT  # between axes and their title
ALIGNED = 0.3  # inches that a label may stand off its axis to be in line with those above and below


class Margins(LayoutEngine):
    """Places the axes of a grid; `head` is the height of what stands above them all, in inches."""

    _adjust_compatible = True
    _colorbar_gridspec = True

    def __init__(self, head: float = 0.36) -> None:
        super().__init__()
        self.head = head
        self._titles: dict[Any, tuple[str, str]] = {}  # as they were before they were cut, and since

    def execute(self, fig: Figure) -> None:
        """Place axes, titles and legends; Matplotlib calls this before it draws."""
        self._place(fig)
        for axes in fig.axes:
            settle(axes)
        self._place(fig)  # how many numbers stand at an axis depends on its length

    def _place(self, fig: Figure) -> None:
        # what the axes of each row and column need around them
        placed = [axes for axes in fig.axes if axes.get_subplotspec() is not None and axes.get_visible()]
        if not placed:
            return
        rooms = [_Room(axes) for axes in placed]
        rows, columns = rooms[0].grid
        left = [max((one.left for one in rooms if one.columns.start == c), default=0.0) for c in range(columns)]
        right = [max((one.right for one in rooms if one.columns.stop == c + 1), default=0.0) for c in range(columns)]
        top = [max((one.top for one in rooms if one.rows.start == r), default=0.0) for r in range(rows)]
        bottom = [max((one.bottom for one in rooms if one.rows.stop == r + 1), default=0.0) for r in range(rows)]
        across = max((a + b for a, b in zip(right, left[1:])), default=0.0)
        down = max((a + b for a, b in zip(bottom, top[1:])), default=0.0)
        # what is left for each pair of axes, in inches, once the texts have their room
        width, height = fig.get_size_inches()
        head = self.head + top[0]
        cell = (width - left[0] - right[-1] - (columns - 1) * across) / columns
        story = (height - head - bottom[-1] - (rows - 1) * down) / rows
        if cell <= 0 or story <= 0:
            return  # a window too small for its texts
        fig.subplots_adjust(
            left=left[0] / width,
            right=1 - right[-1] / width,
            top=1 - head / height,
            bottom=bottom[-1] / height,
            wspace=across / cell,
            hspace=down / story,
        )
        for one in rooms:
            one.label(width, height, left[one.columns.start])
        self._cut_titles(placed, width)

    def _cut_titles(self, placed: list[Axes], width: float) -> None:
        """Cut titles where the next axes begin, or the figure ends."""
        starts = sorted({axes.get_position().x0 for axes in placed} | {1.0})
        for axes in placed:
            title, start = title_of(axes), axes.get_position().x0
            whole, shown = self._titles.get(title, ("", ""))
            whole = whole if shown == title.get_text() else title.get_text()
            room = (next(x for x in starts if x > start) - start) * width - GAP
            title.set_text(cut(whole, max(FEWEST, int(room / (BOLD * title.get_fontsize() * POINT)))))
            self._titles[title] = whole, title.get_text()


class _Room:
    """What the texts of one pair of axes need on each side, in inches."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        spec: Any = axes.get_subplotspec()
        self.grid = spec.get_gridspec().get_geometry()
        self.rows, self.columns = spec.rowspan, spec.colspan
        self.left = self.right = self.top = self.bottom = GAP
        self.flat = axes.name != "3d"
        if not self.flat:
            self.right = SPACE
        if self.flat:
            self._below(axes)
            self._left(axes)
            self._above(axes)

    def label(self, width: float, height: float, left: float) -> None:
        """Put titles and labels where there is room for them in a figure of this size; `left` is the column's."""
        if self.flat:
            box, more = self.axes.get_position(), left - self.left
            beside = self.beside + (more if more < ALIGNED else 0.0)
            self.axes.xaxis.set_label_coords(0.5, -self.under / (box.height * height))
            self.axes.yaxis.set_label_coords(-beside / (box.width * width), 0.5)
            title_of(self.axes).set_y(1 + self.over / (box.height * height))

    def _below(self, axes: Axes) -> None:
        axis = axes.xaxis
        numbers, size = _numbers(axis, "labelbottom")
        self.under = TICK + LINE * size if numbers else GAP
        self.bottom = self.under + GAP + (_height(axis.label) if axis.label.get_text() else 0.0)
        self.right = GAP + (_width(numbers[-1], size) / 2 if numbers else 0.0)  # the last number stands out
        legend = axes.get_legend()
        if legend is not None and legend.get_bbox_to_anchor().x0 >= axes.bbox.x1 > legend.get_bbox_to_anchor().x0 - 1:
            figure = axes.get_figure(root=True)
            self.right += legend.get_window_extent().width / figure.dpi  # type: ignore[union-attr]

    def _left(self, axes: Axes) -> None:
        axis = axes.yaxis
        numbers, size = _numbers(axis, "labelleft")
        self.beside = TICK + max((_width(text, size) for text in numbers), default=0.0)
        self.left = self.beside + GAP + (_height(axis.label) if axis.label.get_text() else 0.0)
        self.over = LINE * size if axis.get_major_formatter().get_offset() else 0.0  # such as 1e6 above the numbers

    def _above(self, axes: Axes) -> None:
        title = title_of(axes)
        self.top = self.over + (TITLE + _height(title) if title.get_text() else GAP)


def _numbers(axis: Any, side: str) -> tuple[list[str], float]:
    """Return the numbers that stand at an axis, and the size of their letters in inches."""
    if not axis.get_tick_params().get(side, True):
        return [], 0.0
    low, high = sorted(axis.get_view_interval())
    slack = 1e-6 * (high - low)
    places = [x for x in axis.get_majorticklocs() if low - slack <= x <= high + slack]
    return axis.get_major_formatter().format_ticks(places), axis.get_major_ticks(1)[0].label1.get_fontsize() * POINT


def _width(text: str, size: float) -> float:
    """Return the width of a text, in inches."""
    if "$" in text:  # a power, such as $\\mathdefault{10^{-3}}$
        base, _, exponent = re.sub(r"\\[a-z]+|[${}]", "", text).replace("-", MINUS).partition("^")
        return _width(base, size) + _width(exponent, RAISED * size)
    return size * sum(WIDTHS.get(letter, DIGIT) for letter in text)


def _height(text: Any) -> float:
    return LINE * text.get_fontsize() * POINT
