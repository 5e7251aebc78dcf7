"""Picture of a stacked system: its blocks by name, and where its entries stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lissom.theory.screw_pde import System

COLOURS = {
    "constraint": "#4477aa",
    "actuator": "#66ccee",
    "twist": "#228833",
    "deformation": "#ccbb44",
    "rotor": "#aa3377",
    "closure": "#ee6677",
}


def structure_figure(system: System, title: str) -> Figure:
    """Return the matrix with one tint per kind of row; grid lines between blocks, heavier ones between links."""
    from matplotlib.figure import Figure

    size = len(system.right)
    inches = float(np.clip(0.09 * size, 7.0, 20.0))
    figure = Figure(figsize=(inches + 2.2, inches + 1.2), layout="constrained")
    axes = figure.add_subplot()
    # tints of rows, lines between blocks, heavier ones between links
    for row in system.rows:
        axes.axhspan(row.start, row.stop, color=COLOURS[row.kind], alpha=0.10, lw=0)
        axes.axhline(row.stop, color="0.85", lw=0.4)
    for column in system.columns:
        axes.axvline(column.stop, color="0.85", lw=0.4)
    for block in system.columns:
        if block.kind == "wrench" and block.start:
            axes.axvline(block.start, color="0.4", lw=0.9)
    for block in system.rows:
        if block.kind in ("constraint", "actuator") and block.start and _opens(system, block.start):
            axes.axhline(block.start, color="0.4", lw=0.9)
    # every entry as a square of its row and column
    entries = system.matrix.tocoo()
    at, across = entries.coords
    kind = np.empty(size, object)
    for row in system.rows:
        kind[row.slice] = row.kind
    marker = (0.62 * 72 * inches / size) ** 2
    for name, colour in COLOURS.items():
        here = kind[at] == name
        if here.any():
            axes.scatter(across[here] + 0.5, at[here] + 0.5, s=marker, marker="s", color=colour, lw=0, label=name)
    # names of the blocks in place of numbers
    fontsize = 8 if size < 150 else 6
    axes.set(xlim=(0, size), ylim=(size, 0), aspect="equal")
    axes.set_yticks([(b.start + b.stop) / 2 for b in system.rows], [b.name for b in system.rows], fontsize=fontsize)
    names = [b.name for b in system.columns]
    axes.set_xticks([(b.start + b.stop) / 2 for b in system.columns], names, rotation=90, fontsize=fontsize)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_color("0.4")
    share = 100 * entries.nnz / size**2
    axes.set_xlabel(f"{title}: {size} unknowns, {entries.nnz} entries ({share:.0f} %)", fontsize=10)
    figure.legend(loc="outside right upper", frameon=False, fontsize=8, title="rows", markerscale=2)
    return figure


def _opens(system: System, start: int) -> bool:
    """Return whether a joint's rows begin here, not its second kind of rows."""
    before = next(row for row in system.rows if row.stop == start)
    return before.kind not in ("constraint",)
