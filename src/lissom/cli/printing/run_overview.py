"""What `lissom run` prints about a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rich.console import Console

    from lissom.results.summaries.summary import Settling, Summary
    from lissom.results.trajectory import Trajectory

BLOCKS = "▁▂▃▄▅▆▇█"
CURVE = 28  # columns of a curve
COLOURS = {"finished": "bold green", "interrupted": "bold yellow"}


def show(console: Console, trajectory: Trajectory, summary: Summary) -> None:
    """Print headline and tables of the summary, with a small curve beside each quantity that has one."""
    from rich.padding import Padding
    from rich.text import Text

    speed = f", {_round(summary.speed)} times real time" if summary.speed else ""
    console.print()
    console.print(
        Text.assemble(
            (summary.robot, "bold"),
            "  ",
            (summary.status.word, COLOURS.get(summary.status.word, "bold red")),
            f"  {summary.duration:g} s of motion in {_round(summary.wall)} s{speed}",
        )
    )
    why = "" if summary.reason == "as asked" else f": {summary.reason}"
    console.print(Text(f"{summary.method}, {summary.steps} steps{why}", style="dim"))
    drawable = console.encoding.lower().startswith("utf") and summary.trust is None  # errors take the room of curves
    curves = _curves(trajectory, summary) if drawable else {}
    drawn = {subject: list(map(sparkline, rows)) for subject, rows in curves.items()}
    for table in summary.tables(drawn).values():
        table.show_edge = False
        console.print(Padding(table, (1, 0, 0, 0)))
    for line in (*(() if summary.trust is None else summary.trust.lines), *summary.accuracy.splitlines()):
        console.print(Text(line, style="dim"))
    console.print()


def sparkline(values: np.ndarray, width: int = CURVE) -> str:
    """Return a curve in one line: the mean over each of `width` equal times, from the least value to the greatest."""
    count = min(width, len(values))
    means = np.array([part.mean() for part in np.array_split(values, count)])
    finite = means[np.isfinite(means)]
    if not finite.size or np.ptp(finite) <= 1e-9 * max(1.0, np.abs(finite).max()):
        return BLOCKS[0] * count
    level = (means - finite.min()) / np.ptp(finite) * (len(BLOCKS) - 1)
    return "".join(BLOCKS[round(x)] if np.isfinite(x) else " " for x in level)


def _curves(trajectory: Trajectory, summary: Summary) -> dict[str, list[np.ndarray]]:
    """Return what runs over time, row by row, by the subject of the table."""
    return {
        "joints": [_size(trajectory.numbers.wrench(row.joint)[:, :3]) for row in summary.joints],
        "elements": [trajectory.numbers["element_force"][:, k] for k in range(len(summary.elements))],
        "loops": [_size(trajectory["loop_wrench"].sel(loop=row.loop).values[:, 3:]) for row in summary.loops],
        "links": [_size(trajectory.numbers.deflection(row.link)) for row in summary.links],
        "settling": [_course(trajectory, row) for row in summary.settling],
    }


def _course(trajectory: Trajectory, row: Settling) -> np.ndarray:
    """Return a coordinate over time; of a tip, how far it has gone."""
    if row.tip_of is not None:
        tip = trajectory.numbers.tip(row.tip_of)
        return _size(tip - tip[0])
    return trajectory.numbers.position(row.name).values


def _size(vectors: np.ndarray) -> np.ndarray:
    return np.linalg.norm(vectors, axis=1)


def _round(value: float) -> str:
    """Return two digits or more."""
    return f"{value:.0f}" if value >= 100 else f"{value:.2g}"
