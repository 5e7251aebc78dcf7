"""A measured arm: a two-link flexible rig fitted to its records, and judged by records that were held back.

Stiffnesses come from two measured frequencies first; then friction, stiffness and drive efficiency from ten seconds of
measured motor current, hub angles and strain. The later ten seconds and another run, with other moves, are held back.
There the nominal arm, the fitted one, a rigid one and the linear model of the rig's documentation are compared, driven
by the measured current and in closed loop with the rig's own controller; and so are models of friction.

The records are an excerpt at 100 Hz (means of five samples) of those of O. Bastar, Czech Technical University, Prague:
MIT licence, Copyright (c) 2022 aa4cc / Edu Ctrl Lab Models, text beside the data.
"""

from __future__ import annotations

from pathlib import Path

from lissom.identify import Validation
from lissom.reproductions.two_link_rig.fitting import (
    FITTED,
    FOUND,
    HELD,
    KNOWN,
    RANGES,
    RUNS,
    Result,
    fitted,
    frequencies,
    study,
    table,
    with_friction,
)
from lissom.reproductions.two_link_rig.friction import compared
from lissom.reproductions.two_link_rig.loop import in_loop
from lissom.reproductions.two_link_rig.pictures import draw
from lissom.reproductions.two_link_rig.records import (
    Columns,
    Feedback,
    Scales,
    excerpt,
    published,
    read_folder,
    record,
)
from lissom.terminal import screen

__all__ = [
    "Columns", "Feedback", "Scales", "excerpt", "published", "read_folder", "record", "FITTED", "FOUND", "HELD",
    "KNOWN", "RANGES", "RUNS", "Result", "fitted", "frequencies", "study", "table", "with_friction", "compared",
    "in_loop", "main",
]  # fmt: skip


def main(folder: str | Path, data: str | Path | None = None) -> tuple[Result, Validation]:
    """Print the comparisons, draw the fit and what was held back.

    Args:
        folder: for the figures and the fitted robot.
        data: the folder of the published files, at 500 Hz; unless given, the excerpt that comes with lissom.

    Returns:
        The study, and how models of friction do on what was held back.
    """
    measured = excerpt() if data is None else read_folder(data)
    shown = screen()
    result = study(measured)
    shown.print(result.fit.table())
    shown.print(table(result))
    shown.print(f"frequencies, Hz: nominal {result.nominal.round(3)}, fitted {result.fitted.round(3)}, ranges {RANGES}")
    shown.print(result.loop.table())
    frictions = compared(measured, result.fit)
    shown.print(frictions.table())
    draw(result, Path(folder))
    result.fit.save(Path(folder) / "two-link-rig-fitted.yaml")
    return result, frictions
