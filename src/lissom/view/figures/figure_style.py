"""The look of all figures: thin lines, quiet axes, colours that stay apart for every eye."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.files import write_whole
from lissom.messages import shorten_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Hues that every eye can tell apart (after Okabe and Ito 2008), the yellow darkened to stand on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#B8860B", "#4D4D4D")
SHADES = (0.0, 0.5, -0.5, 0.72)  # of one colour: the part of the way to white, or to black where negative
DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)))
GREY = "#8C8C8C"
LIGHT = "#D0D0D0"
INK = "#262626"
HEAD = 0.08  # inches from the top of a figure to its title
LONGEST = 26  # letters of a name in a legend
NAMED = 8  # curves that a legend names, of many
DIVERGING = "RdBu_r"
SEQUENTIAL = "viridis"

_SETTINGS: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 9,
    "axes.linewidth": 0.7,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlepad": 7,
    "axes.titlesize": 9.5,
    "axes.titley": 1.0,  # where it is: no search for a place
    "axes.titleweight": "bold",
    "axes.xmargin": 0,
    "figure.dpi": 110,
    "figure.facecolor": "white",
    "figure.titlesize": 12,
    "font.size": 9,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "lines.linewidth": 1.3,
    "lines.solid_capstyle": "round",
    "savefig.dpi": 160,
    "text.color": INK,
    "xtick.color": GREY,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 8,
    "ytick.color": GREY,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 8,
}


@contextmanager
def style() -> Iterator[None]:
    """Give everything drawn inside the look of lissom; settings elsewhere stay as they are."""
    import matplotlib as mpl
    from cycler import cycler

    with mpl.rc_context(_SETTINGS | {"axes.prop_cycle": cycler(color=COLOURS)}):
        yield


def line(k: int) -> dict[str, Any]:
    """Colour and dashes of the k-th thing that a figure shows."""
    return {"color": COLOURS[k % len(COLOURS)], "linestyle": DASHES[k // len(COLOURS) % len(DASHES)]}


def shaded(colours: Sequence[str], owners: Sequence[str]) -> list[str]:
    """Return colours such as #0072B2, one per thing, in a shade of its own for each thing of the same owner."""
    before: Counter[str] = Counter()
    made = []
    for colour, owner in zip(colours, owners, strict=True):
        made.append(_shade(colour, SHADES[before[owner] % len(SHADES)]))
        before[owner] += 1
    return made


def _shade(colour: str, part: float) -> str:
    goal = 255 if part > 0 else 0
    channels = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(c + abs(part) * (goal - c)):02X}" for c in channels)


def grid(count: int, columns: int, width: float = 4.6, height: float = 2.5, **options: Any) -> tuple[Any, list[Any]]:
    """Return a figure of `count` axes in rows; those below each other share their abscissa."""
    import matplotlib.pyplot as plt

    from lissom.view.figures.margins import Margins

    columns = min(columns, count)
    rows = -(-count // columns)
    size = (width * columns if columns > 1 else 1.5 * width, height * rows + 0.4)
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, layout=Margins(), **options)
    flat = list(axes.ravel())
    for spare in flat[count:]:
        spare.remove()
    return figure, flat[:count]


def legend(axes: Axes, outside: int = 8) -> None:
    """Add a legend where there is something to tell apart, beside the axes if it is long.

    Of many curves it names those that reach farthest.
    """
    handles, labels = axes.get_legend_handles_labels()
    names = shorten_names(labels, LONGEST)
    if len(names) > outside:
        if len(names) > NAMED + 1:
            far = sorted(range(len(names)), key=lambda k: -_extent(handles[k]))[:NAMED]
            rest = axes.plot([], [], linestyle="")[0]
            handles = [*(handles[k] for k in sorted(far)), rest]
            names = [*(names[k] for k in sorted(far)), f"and {len(names) - NAMED} more"]
        axes.legend(handles, names, loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)
    elif names:
        from lissom.view.figures.legends import SETTLED
        from lissom.view.figures.margins import Margins

        drawn = axes.legend(handles, names, loc="best", ncols=1 if len(names) < 4 else 2, columnspacing=1.2)
        figure: Any = axes.get_figure(root=True)
        if axes.name != "3d" and isinstance(figure.get_layout_engine(), Margins):
            drawn.set(loc="upper right", gid=SETTLED)


def _extent(drawn: Any) -> float:
    """Return how far a curve goes from its least to its greatest value; of what is no curve, without end."""
    values = np.asarray(drawn.get_ydata(), float) if hasattr(drawn, "get_ydata") else np.empty(0)
    values = values[np.isfinite(values)]
    return float(np.ptp(values)) if len(values) else np.inf


def save(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure, as its ending says, whole or not at all."""
    content = BytesIO()
    figure.savefig(content, format=Path(path).suffix.removeprefix(".") or "png")
    write_whole(path, content.getvalue())


def headline(figure: Any, title: str, detail: str = "") -> None:
    """Put a title on the left of a figure and a detail in grey on the right: the last touch, after all other texts."""
    top = 1 - HEAD / figure.get_size_inches()[1]
    figure.suptitle(title, x=0.012, y=top, ha="left", va="top", fontweight="bold")
    figure.text(0.988, top, detail, color=GREY, ha="right", va="top", fontsize=8.5)
    for text in _texts(figure):
        text.set_parse_math(False)  # names may hold dollars, which are no formulas


def title_of(axes: Axes) -> Any:
    """Return the text of a title: of the three that axes have, the one on the left."""
    from matplotlib.text import Text

    titles = (child for child in axes.get_children() if isinstance(child, Text) and child not in axes.texts)
    return next(text for text in titles if text.get_horizontalalignment() == "left")


def _texts(figure: Any) -> Iterator[Any]:
    """Yield all texts but the numbers at the axes, which are set as formulas where they are powers."""
    yield from figure.texts
    for axes in figure.axes:
        yield from (*axes.texts, title_of(axes), axes.xaxis.label, axes.yaxis.label)
        yield from (axes.get_legend().get_texts() if axes.get_legend() is not None else ())
