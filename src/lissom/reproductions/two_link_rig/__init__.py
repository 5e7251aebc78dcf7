"""A measured arm: a two-link flexible rig fitted to its records, and judged by records that were held back.

Stiffnesses come from two measured frequencies first; then friction, stiffness and drive efficiency from ten seconds of
measured motor current, hub angles and strain. The next five seconds and moves of another run choose between models of
friction. All that comes after is held back: there the nominal arm, the fitted one, a rigid one and the linear model of
the rig's documentation are compared, driven by currents and in closed loop with the rig's own controller.

The records are an excerpt at 100 Hz (means of five samples) of those of O. Bastar, Czech Technical University, Prague:
MIT licence, Copyright (c) 2022 aa4cc / Edu Ctrl Lab Models, text beside the data.
"""

from __future__ import annotations

from pathlib import Path

from lissom.reproductions.two_link_rig.closed_loop import in_loop
from lissom.reproductions.two_link_rig.fitting import (
    COMPARED,
    FITTED,
    FOUND,
    HELD,
    KNOWN,
    RANGES,
    RUNS,
    Found,
    Result,
    fitted,
    frequencies,
    judged,
    table,
    with_friction,
)
from lissom.reproductions.two_link_rig.formulations import by_formulations
from lissom.reproductions.two_link_rig.friction import Comparison, compared
from lissom.reproductions.two_link_rig.pictures import draw
from lissom.reproductions.two_link_rig.records import (
    Columns,
    Feedback,
    Scales,
    excerpt,
    published,
    read_folder,
    record,
    thinned,
)
from lissom.terminal import screen

__all__ = [
    "Columns", "Feedback", "Scales", "excerpt", "published", "read_folder", "record", "thinned", "COMPARED", "FITTED",
    "FOUND", "HELD", "KNOWN", "RANGES", "RUNS", "Found", "Result", "fitted", "frequencies", "judged", "table",
    "with_friction", "by_formulations", "Comparison", "compared", "in_loop", "main",
]  # fmt: skip


def main(folder: str | Path, data: str | Path | None = None) -> tuple[Result, Comparison]:
    """Print the comparisons, draw the fit and what was held back.

    Parameters
    ----------
    folder : path
        Where figures and the fitted robot go.
    data : path, optional
        Folder of the published files, at 500 Hz; unless given, the excerpt that comes with lissom.

    Returns
    -------
    Result, Comparison
        The arm with the friction that was chosen, judged by what was held back; and the models of friction.
    """
    measured = excerpt() if data is None else read_folder(data)
    shown = screen()
    frictions = compared(measured, fitted(measured))
    for title, held in (("choose", frictions.compared), ("judge", frictions.held)):
        shown.print(f"models of friction on the records that {title}:", held.table())
    for name, each in frictions.fits.items():
        shown.print(f"{name}: {each.fit.message}")
    means = ", ".join(f"{name} {100 * error:.1f}" for name, error in frictions.errors.items())
    shown.print(f"geometric means on those that choose, percent: {means}; chosen: {frictions.chosen}")
    result = judged(measured, frictions.fits[frictions.chosen])
    shown.print(result.fit.table())
    shown.print(table(result))
    shown.print(f"frequencies, Hz: nominal {result.nominal.round(3)}, fitted {result.fitted.round(3)}, ranges {RANGES}")
    shown.print(result.loop.table())
    chosen = frictions.fits[frictions.chosen]
    shown.print("by published formulations:", by_formulations(measured, chosen.fit.robot, chosen.scales).table())
    draw(result, Path(folder))
    result.fit.save(Path(folder) / "two-link-rig-fitted.yaml")
    return result, frictions
