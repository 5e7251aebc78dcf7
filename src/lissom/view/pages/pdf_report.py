"""The report of a run as a PDF, drawn by Matplotlib on A4: a page with text and picture, tables, then all charts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.results.summaries.summary_tables import ERROR_FROM, Rows, number
from lissom.simulation.status.run_ending import Ending
from lissom.version import __version__
from lissom.view.figures.chart_drawing import draw_chart
from lissom.view.figures.figure_style import GREY, INK, style
from lissom.view.figures.overlays import finished
from lissom.view.films.film import still
from lissom.view.pages.page_charts import charts
from lissom.view.pages.report_tables import key_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lissom.results.presentation.report_text import ReportText
    from lissom.results.trajectory import Trajectory
    from lissom.view.figures.chart import Chart

PAPER = (8.27, 11.69)  # inches, A4
EDGE = 0.75  # inches around what is printed
LOGO = (2.2, 0.6)  # inches at most
ROWS, COLUMNS = 5, 2  # of charts on a page
LABELS = 0.35  # inches of the numbers and the label beside an axis, of which some stand in the edge
TEXT, SMALL = 10.0, 8.0  # points
LINE = 1.45  # height of a line, in sizes of its letters
LETTER = 0.53  # mean width of a letter, in its size
PICTURE = (1120, 630)  # pixels
POSES = 4  # that it shows


class Sheet:
    """A page that is filled from its top."""

    def __init__(self) -> None:
        from matplotlib.figure import Figure

        self.figure = Figure(figsize=PAPER)
        self.down = EDGE  # inches from the top to what is free

    @property
    def left(self) -> float:
        """Inches that are free."""
        return PAPER[1] - EDGE - self.down

    def write(self, text: str, x: float = 0.0, size: float = TEXT, step: bool = True, **look: Any) -> None:
        """Write a line at x inches from the left edge of what is printed."""
        usual: dict[str, Any] = {"color": INK, "va": "top", "parse_math": False}
        at = (EDGE + x) / PAPER[0], 1.0 - self.down / PAPER[1]
        self.figure.text(*at, text, fontsize=size, **usual | look)
        self.down += step * size * LINE / 72

    def rule(self, strong: bool = False) -> None:
        """Draw a line across."""
        from matplotlib.lines import Line2D

        y = 1.0 - self.down / PAPER[1]
        ends = EDGE / PAPER[0], 1.0 - EDGE / PAPER[0]
        look: dict[str, Any] = {"color": INK if strong else "#D8DDE2", "linewidth": 0.7 if strong else 0.4}
        self.figure.add_artist(Line2D(ends, (y, y), transform=self.figure.transFigure, **look))

    def picture(self, pixels: np.ndarray, width: float, height: float, x: float = 0.0) -> None:
        """Show a picture within width and height, in inches."""
        tall, wide = pixels.shape[:2]
        size = min(width / wide, height / tall)
        box = (EDGE + x) / PAPER[0], 1.0 - (self.down + size * tall) / PAPER[1]
        axes = self.figure.add_axes((*box, size * wide / PAPER[0], size * tall / PAPER[1]))
        axes.imshow(pixels, interpolation="antialiased")
        axes.axis("off")
        self.down += size * tall


def pdf_report(run: Trajectory, said: ReportText) -> bytes:
    """Return the report of a run as a PDF."""
    from matplotlib.backends.backend_pdf import PdfPages

    content = BytesIO()
    title = said.title or run.model.robot.name
    facts = {"Title": title, "Creator": f"lissom {__version__}", "Author": said.organisation or ""}
    with style(), PdfPages(content, metadata=facts) as pages:
        sheets = [_first(run, said, title), *_tables(run), *_charts(run)]
        for k, sheet in enumerate(sheets, start=1):
            _foot(sheet, said, f"{k} / {len(sheets)}")
            pages.savefig(sheet)
    return content.getvalue()


def _first(run: Trajectory, said: ReportText, title: str) -> Figure:
    sheet = Sheet()
    logo = said.picture()
    if logo is not None and logo.suffix.lower() != ".svg":  # Matplotlib draws no SVG
        from PIL import Image

        sheet.picture(np.asarray(Image.open(logo).convert("RGBA")), *LOGO)
        sheet.down += 0.25
    for part in _lines(title, 18):
        sheet.write(part, size=18, fontweight="bold")
    info = run.info
    parts = [f"{run.time[-1] - run.time[0]:g} s of motion", info.method, info.date]
    parts += [] if info.status is Ending.FINISHED else [info.status.word]
    sheet.write(", ".join(filter(None, parts)), size=SMALL, color=GREY)
    sheet.down += 0.15
    for paragraph in said.paragraphs:
        for part in _lines(paragraph, TEXT):
            sheet.write(part)
        sheet.down += 0.09
    sheet.down += 0.1
    for value, meaning in key_figures(run, run.summary()):
        sheet.write(value, size=12, step=False, fontweight="bold")
        sheet.write(meaning, 1.6, size=TEXT, color=GREY)
        sheet.down += 0.04
    sheet.down += 0.2
    if sheet.left > 2.0:
        sheet.picture(
            still(run, np.linspace(run.time[0], run.time[-1], POSES), size=PICTURE), PAPER[0] - 2 * EDGE, sheet.left
        )
    return sheet.figure


def _tables(run: Trajectory) -> Iterator[Figure]:
    sheet = Sheet()
    for rows in run.summary().rows().values():
        for part in _fitting(rows, sheet.left):
            if part is None:
                yield sheet.figure
                sheet = Sheet()
            else:
                _table(sheet, part)
    yield sheet.figure


def _fitting(rows: Rows, room: float) -> Iterator[Rows | None]:
    """Yield a table in parts that fit on pages; None where a page ends."""
    height = SMALL * LINE / 72 + 0.045
    head, whole = 0.75, PAPER[1] - 2 * EDGE
    cells = list(rows.cells)
    while cells:
        count = int((room - head) / height)
        if count < min(3, len(cells)):
            yield None
            room = whole
            continue
        yield rows._replace(cells=cells[:count])
        cells = cells[count:]
        room -= whole


def _table(sheet: Sheet, rows: Rows) -> None:
    sheet.write(rows.title, size=11, fontweight="bold")
    sheet.down += 0.05
    texts = [[cell if isinstance(cell, str) else number(cell) for cell in row] for row in rows.cells]
    wanted = [max(map(len, column)) for column in zip(rows.columns, *texts)]
    letters = (PAPER[0] - 2 * EDGE) / (SMALL * LETTER / 72)
    spare = max(2.0, min(6.0, (letters - sum(wanted)) / max(1, len(wanted) - 1)))
    widths = [(count + spare) * SMALL * LETTER / 72 for count in wanted]
    shrink = min(1.0, (PAPER[0] - 2 * EDGE) / sum(widths))
    words = [k in (0, rows.words) or name == ERROR_FROM for k, name in enumerate(rows.columns)]
    for k, row in enumerate([list(rows.columns), *texts]):
        x = 0.0
        for text, width, left in zip(row, widths, words, strict=True):
            look = {"color": GREY if k == 0 else INK, "ha": "left" if left else "right"}
            edge = x if left else x + width - 2.0 * SMALL * LETTER / 72
            sheet.write(text, shrink * edge, SMALL * shrink, step=False, **look)
            x += width
        sheet.down += SMALL * LINE / 72
        sheet.rule(k == 0)
        sheet.down += 0.045
    sheet.down += 0.25


def _charts(run: Trajectory) -> Iterator[Figure]:
    drawn = finished(run, charts(run))
    for start in range(0, len(drawn), ROWS * COLUMNS):
        yield _chart_page(drawn[start : start + ROWS * COLUMNS])


def _chart_page(some: Sequence[Chart]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=PAPER)
    wide, high = (EDGE + LABELS) / PAPER[0], EDGE / PAPER[1]  # fixed: layouts that measure take seconds a page
    place = {"left": wide, "right": 1 - EDGE / PAPER[0], "bottom": high + 0.02, "top": 1 - high}
    cells = figure.add_gridspec(ROWS, COLUMNS, **place, wspace=0.3, hspace=0.42)
    for k, chart in enumerate(some):
        axes = figure.add_subplot(cells[k // COLUMNS, k % COLUMNS])
        draw_chart(axes, chart)
        if k + COLUMNS >= len(some):
            axes.set_xlabel("time [s]")
        for text in (axes.title, axes.yaxis.label):
            text.set_parse_math(False)
    return figure


def _foot(figure: Figure, said: ReportText, page: str) -> None:
    left = " · ".join(filter(None, (said.organisation, f"lissom {__version__}")))
    for x, text, side in ((EDGE, left, "left"), (PAPER[0] - EDGE, page, "right")):
        look: dict[str, Any] = {"ha": side, "color": GREY, "fontsize": SMALL, "parse_math": False}
        figure.text(x / PAPER[0], 0.4 / PAPER[1], text, **look)


def _lines(text: str, size: float) -> list[str]:
    return textwrap.wrap(text, int((PAPER[0] - 2 * EDGE) / (size * LETTER / 72))) or [""]
