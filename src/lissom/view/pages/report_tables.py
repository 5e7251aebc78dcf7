"""Tables of a report as HTML. Every text goes through `html.escape`: names may hold anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import LissomError
from lissom.results.summaries.summary_tables import number, work_rows
from lissom.view.figures.run_charts import busiest

if TYPE_CHECKING:
    from lissom.beam import FlexibleLink
    from lissom.results.summaries.summary import Summary
    from lissom.results.trajectory import Trajectory
    from lissom.view.figures.chart import Chart


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], kind: str = "wide") -> str:
    """Return an HTML table; numbers stand on the right, their column heads too."""
    filled = [list(row) for row in rows]
    right = [bool(filled) and all(_is_number(row[k]) for row in filled) for k in range(len(head))]

    def cells(tag: str, values: Sequence[Any]) -> str:
        made = []
        for value, number_column in zip(values, right):
            kind = ' class="number"' if number_column else ""
            made.append(f"<{tag}{kind}>{escape(_text(value))}</{tag}>")
        return f"<tr>{''.join(made)}</tr>"

    body = "".join(cells("td", row) for row in filled)
    return f'<div class="{kind}"><table><thead>{cells("th", head)}</thead><tbody>{body}</tbody></table></div>'


def figures(pairs: Iterable[tuple[str, str]]) -> str:
    """Return key figures: a large number and what it is."""
    cards = "".join(f'<div class="figure"><b>{escape(a)}</b><span>{escape(b)}</span></div>' for a, b in pairs)
    return f'<div class="figures">{cards}</div>'


def key_figures(run: Trajectory, summary: Summary) -> list[tuple[str, str]]:
    """Return the few numbers that one looks at first."""
    made, shown = [], summary.shown
    if summary.links:
        worst = max(summary.links, key=lambda link: max(link.deflection.value, link.bow.value))
        most = shown.value(max(worst.deflection.value, worst.bow.value), "m", "mm")
        size = f"{number(most)} {shown.unit('m', 'mm')}"
        made.append((size, f"peak deflection of {worst.link}, {worst.percent:.2g} % of its length"))
    strongest = max(summary.joints, key=lambda joint: joint.torque.value)
    torque = f"{number(shown.value(strongest.torque.value, 'N m'))} {shown.unit('N m')}"
    made.append((torque, f"peak torque through {strongest.joint}"))
    end = busiest(run)
    tip = next(row for row in summary.settling if row.tip_of == end)
    if tip.moved:
        when = "still moving" if tip.time is None else f"{number(tip.time)} s"
        which = f"{tip.name}, which travels farthest," if len(run.model.ends) > 1 else tip.name
        made.append((when, f"{which} settles within 2 % of its way"))
    if summary.energy.relative is not None:
        made.append((f"{summary.energy.relative:.1e}", "energy error, relative to the energy exchanged"))
    if summary.speed:
        made.append((f"{number(summary.speed)} ×", f"faster than real time, {number(summary.wall)} s of computing"))
    return made


def wrench_table(run: Trajectory, summary: Summary) -> str:
    """Return what every joint transmits at most: norms with their times, and each component."""
    shown, rows = summary.shown, []
    for peak in summary.joints:
        most = np.abs(run.numbers.wrench(peak.joint)).max(axis=0).tolist()
        torque, force = shown.value(peak.torque.value, "N m"), shown.value(peak.force.value, "N")
        components = [shown.value(value, "N m" if k < 3 else "N") for k, value in enumerate(most)]
        rows.append((peak.joint, torque, peak.torque.time, force, peak.force.time, *components))
    units = f"torque {shown.unit('N m')}", f"force {shown.unit('N')}"
    head = ("joint", units[0], "at s", units[1], "at s", "|tx|", "|ty|", "|tz|", "|fx|", "|fy|", "|fz|")
    return table(head, rows)


def energy_table(run: Trajectory, summary: Summary) -> str:
    """Return energy put in, lost, stored, and what the balance leaves over."""
    energy, shown = summary.energy, summary.shown
    rows: list[tuple[str, Any]] = [*work_rows(summary), ("stored since the start", shown.value(energy.stored, "J"))]
    if energy.residual is not None and energy.relative is not None:
        audit = run.energy_audit()
        rows.append((f"largest error, at {audit.worst_time:.4g} s", energy.residual * shown.factor("J")))
        rows.append(("the same, as a part of the energy exchanged", energy.relative))
    for name in ("kinetic", "gravity", "strain", "joint", "element"):
        values = run.numbers[f"{name}_energy"]
        if np.any(values):
            what = {"joint": "in elastic joints", "element": "in elements and contacts"}.get(name, name)
            rows.append((f"{what}, from least to most", shown.value(float(np.ptp(values)), "J")))
    return table(("energy", shown.unit("J")), rows)


def frequency_table(run: Trajectory, number: int = 10) -> str:
    """Return the slowest natural modes of the whole arm where the run ended; nothing where none is found."""
    from lissom.analysis.modes.natural_modes import natural_modes

    try:
        found = natural_modes(run.model, run.q[-1], locked=True, number=number)
    except LissomError:  # a rigid arm with its joints locked, or a run that diverged
        return ""
    rows = [
        (str(k + 1), float(frequency), f"{100 * ratio:.2g}" if np.isfinite(ratio) else "", label)
        for k, (frequency, ratio, label) in enumerate(zip(found.frequencies, found.damping_ratios, found.labels))
    ]
    return table(("mode", "frequency Hz", "damping %", "what moves"), rows) if rows else ""


def gain_table(run: Trajectory) -> str:
    """Return the gains of the control law; nothing where there is none."""
    rows = [(name, gain["p"], gain["d"]) for name, gain in run.info.gains.items()]
    return table(("coordinate", "p", "d"), rows) if rows else ""


def scenario_text(run: Trajectory) -> str:
    """Return the scenario that was run, as in its file; nothing where there was none."""
    from lissom.model.io.yaml_writer import write

    return f"<pre>{escape(write(run.info.scenario))}</pre>" if run.info.scenario else ""


def robot_table(run: Trajectory) -> str:
    """Return links, joints and masses."""
    rows = []
    for link in run.model.robot.bodies:
        beam = run.model.flexible.get(link.name)
        mass = float(np.real(beam.mass if beam is not None else link.body.mass))  # type: ignore[union-attr]
        length = float(np.real(beam.length)) if beam is not None else None
        first = _first_frequency(beam)
        modes = str(beam.count) if beam is not None else "rigid"
        joint = link.joint.type + (", elastic" if link.joint.elastic else "")
        rows.append((link.name, link.parent, link.joint.name, joint, mass, length, modes, first))
    head = ("link", "parent", "joint", "type", "mass kg", "length m", "modes", "first clamped Hz")
    return table(head, [[("" if cell is None else cell) for cell in row] for row in rows])


def deviation_table(runs: Mapping[str, Trajectory], charts: Sequence[Chart]) -> str:
    """Return the largest difference of every run from the first, by quantity."""
    labels = list(runs)
    rows = []
    for chart in charts:
        base = chart.series[0].values
        span = float(np.nanmax(base) - np.nanmin(base))
        off = [float(np.nanmax(np.abs(series.values - base))) for series in chart.series[1:]]
        rows.append((f"{chart.title} [{chart.unit}]", span, *off))
    return table(("quantity", f"range in {labels[0]}", *labels[1:]), rows, "wide differences")


def _first_frequency(link: FlexibleLink | None) -> float | None:
    return float(link.natural_modes().frequencies[0]) if link is not None and link.count else None


def _is_number(value: Any) -> bool:
    return (isinstance(value, int | float | np.number) and not isinstance(value, bool)) or value == ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else number(float(value))
