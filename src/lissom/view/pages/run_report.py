"""A run as one HTML file that opens anywhere, without a server and without a network.

    lissom.view.pages.run_report.save(run, "report.html")

`comparison` puts several runs of one robot side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import LissomError
from lissom.files import write_whole
from lissom.results.presentation.report_text import ReportText
from lissom.simulation.status.run_ending import Ending
from lissom.view.drawing.arm_drawing import Drawing
from lissom.view.drawing.stress_colours import SCALE, StressColours
from lissom.view.drawing.viewpoint import followed_link
from lissom.view.figures.figure_style import COLOURS
from lissom.view.figures.overlays import finished
from lissom.view.figures.run_charts import busiest, space_charts, wrench_components
from lissom.view.pages import packed_numbers, report_tables
from lissom.view.pages.markup import document, stage
from lissom.view.pages.page_charts import charts, comparison_charts, differences

if TYPE_CHECKING:
    from lissom.results.summaries.summary import Summary
    from lissom.results.summaries.summary_tables import Rows
    from lissom.results.trajectory import Trajectory

HINT = (
    "Point at a chart to read it, drag to zoom, double-click for all, click for that moment. In the picture: drag to \
turn, wheel to come nearer, shift-drag to move, double-click to go back. The space bar plays and pauses."
)


def report(run: Trajectory, said: ReportText | None = None) -> str:
    """Return the HTML of a report: summary, moving arm, charts, tables of joints, links, energy and robot, citation.

    Title, text and logo are `said`, or else those of the scenario.
    """
    said = report_text(run) if said is None else said
    summary, arm = run.summary(), Drawing(run.model, tip=busiest(run), carried=run.payloads)
    floating, rows = space_charts(run), summary.rows()
    stress = StressColours(run, arm)
    data = _data({"": run}, charts(run) + wrench_components(run) + floating, arm, stress)
    parts = [
        _header(said.title or summary.robot, _status(run) + escape(_how(summary)) + _when(run), said),
        *(f'<p class="said">{escape(paragraph)}</p>' for paragraph in said.paragraphs),
        report_tables.figures(report_tables.key_figures(run, summary)),
        _hero(stage(_duration(run), stress=_stress_key(run, stress))),
        *(f'<p class="hint">{escape(text)}</p>' for text in (*_travelling(arm), *arm.missing)),
        '<div id="charts" class="charts"></div>',
        f'<p class="hint">{escape(HINT)}</p>',
        _section("Peak wrench in every joint", report_tables.wrench_table(run, summary)),
        '<p class="hint">The wrench of the parent on the child at the joint; components in the child\'s axes.</p>',
        _section("Wrench components over time", '<div id="wrenches" class="charts"></div>'),
        _section("In space", '<div id="space" class="charts"></div>') if floating else "",
        '<div class="tables">',
        _section_of(rows.get("elements")),
        _section_of(rows.get("loops")),
        _section_of(rows.get("links")),
        _section_of(rows.get("stresses")),
        _section("Energy audit", report_tables.energy_table(run, summary)),
        _section_of(rows.get("settling")),
        _section_of(rows.get("events")),
        _list_section("Natural frequencies, joints locked as at the end", report_tables.frequency_table(run)),
        _list_section("Gains", report_tables.gain_table(run)),
        "</div>",
        _list_section("Scenario", report_tables.scenario_text(run)),
        _section("Robot", report_tables.robot_table(run)),
        f'<p class="hint">{escape(_robot_line(run))}</p>',
        _footer(),
    ]
    return document(f"{said.title or summary.robot} - lissom", "\n".join(parts), data)


def report_text(run: Trajectory, **given: str | None) -> ReportText:
    """Return title, text and logo of the report of a run: what is given, and for the rest what its scenario says."""
    own = run.info.scenario.get("report") or {}
    return ReportText.from_dict({**own, **{name: value for name, value in given.items() if value is not None}})


def save(run: Trajectory, path: str | Path, **given: str | None) -> Path:
    """Write the report of a run to a file, a page or a PDF by its ending, with a title, text and logo of its own."""
    said = report_text(run, **given)
    if Path(path).suffix.lower() == ".pdf":
        from lissom.view.pages.pdf_report import pdf_report

        write_whole(path, pdf_report(run, said))
        return Path(path)
    return write(path, report(run, said))


def comparison(
    runs: Mapping[str, Trajectory], title: str | None = None, missing: Mapping[str, str] | None = None
) -> str:
    """Return the HTML of a report on several runs of one robot, by their labels: formulations, say, or designs.

    Every difference is from the first run. Runs may have different output times, not different links. `missing` says of
    others why they are not there.
    """
    if len(runs) < 2:
        raise LissomError(f"a comparison needs at least two runs, got {len(runs)}")
    first = next(iter(runs.values()))
    for label, run in runs.items():
        if run.model.links != first.model.links or run.model.q_names != first.model.q_names:
            raise LissomError(f"{label} is a run of another robot: its links or coordinates differ")
    drawn = comparison_charts(runs)
    name = first.model.robot.name
    rows = []
    for label, run in runs.items():
        energy = run.summary().energy.relative
        error = f"{energy:.1e}" if energy is not None else "not kept"
        rows.append((label, run.info.status.word, run.info.method, str(run.info.steps), float(run.info.wall), error))
    parts = [
        _header(title or f"{name}: {len(runs)} runs compared", escape(f"{_duration(first):g} s of motion")),
        _hero(stage(_duration(first), [(label, COLOURS[k % len(COLOURS)]) for k, label in enumerate(runs)])),
        _section(f"Differences from {next(iter(runs))} over time", '<div id="differences" class="charts"></div>'),
        _section(
            f"Largest differences from {next(iter(runs))}", report_tables.deviation_table(runs, finished(first, drawn))
        ),
        _section("Values", '<div id="charts" class="charts"></div>'),
        f'<p class="hint">{escape(HINT)}</p>',
        _section(
            "Runs", report_tables.table(("run", "status", "method", "steps", "computing s", "energy error"), rows)
        ),
        _section("Not there", report_tables.table(("run", "why"), missing.items())) if missing else "",
        _section("Robot", report_tables.robot_table(first)),
        _footer(),
    ]
    return document(f"{title or name} - lissom", "\n".join(parts), _data(runs, differences(runs) + drawn))


def embed(run: Trajectory) -> str:
    """Return the page of a run without its tables, for a notebook."""
    shown = [chart for chart in charts(run) if chart.title != "Energy balance"][:4]
    body = _hero(stage(_duration(run))) + '<div id="charts" class="charts"></div>'
    return document(run.model.robot.name, body, _data({"": run}, shown), embedded=True)


def write(path: str | Path, html: str) -> Path:
    """Write a page; a file that cannot be written is one clear error."""
    write_whole(path, html)
    return Path(path)


def _stress_key(run: Trajectory, stress: StressColours) -> str:
    """Return the largest stress, which the reddest colour stands for; nothing where none is known."""
    unit, factor = run.shown.units.convert("Pa", "MPa")
    return f"{factor * stress.most:.3g} {unit}" if stress else ""


def _data(
    runs: Mapping[str, Trajectory],
    drawn: list[Any],
    arm: Drawing | None = None,
    stress: StressColours | None = None,
) -> dict[str, Any]:
    """Return what the scripts of the page read."""
    first = next(iter(runs.values()))
    arm = arm or Drawing(first.model, tip=busiest(first), carried=first.payloads)
    several = len(runs) > 1
    arm.follow = followed_link(arm, arm.motion(np.nan_to_num(first.state(packed_numbers.scenes(first))[0])))
    motions = []
    for k, (label, run) in enumerate(runs.items()):
        own = {"label": label, "colour": COLOURS[k % len(COLOURS)]} if several else {"label": label}
        motions.append(own | packed_numbers.motion(arm, run, stress))
    return {
        "duration": max(_duration(run) for run in runs.values()),
        "charts": [packed_numbers.chart(one, float(first.time[0])) for one in finished(first, drawn)],
        "scene": {"drawing": packed_numbers.drawing(arm), "runs": motions} | _stress_scale(stress),
    }


def _stress_scale(stress: StressColours | None) -> dict[str, Any]:
    return {"stress": {"links": stress.links, "scale": SCALE}} if stress else {}


def _travelling(arm: Drawing) -> list[str]:
    """Return a line that says that the picture does not stand still, where it does not."""
    return [] if arm.follow is None else [f"The whole arm travels far: the view follows {arm.links[arm.follow]}."]


def _hero(scene: str) -> str:
    """Return the arm with the first two charts beside it."""
    return f'<div class="hero">{scene}<div id="beside"></div></div>'


def _header(title: str, detail: str, said: ReportText | None = None) -> str:
    from lissom.version import __version__

    logo = None if said is None else said.data_uri()
    organisation = None if said is None else said.organisation
    picture = f'<img class="logo" src="{logo}" alt="{escape(organisation or "logo")}">' if logo else ""
    left = f'<div class="title">{picture}<div><h1>{escape(title)}</h1><div class="detail">{detail}</div></div></div>'
    made = " · ".join(filter(None, (organisation, f"lissom {__version__}")))
    return f'<header>{left}<div class="made">{escape(made)}</div></header>'


def _status(run: Trajectory) -> str:
    good = "" if run.info.status is Ending.FINISHED else " bad"
    return f'<span class="status{good}">{escape(run.info.status.word)}</span>'


def _how(summary: Summary) -> str:
    parts = [f"{summary.duration:g} s of motion"]
    parts += [f"{summary.method} in {summary.steps} steps"] if summary.method else []
    parts += [summary.message] if summary.message else []
    return ", ".join(parts)


def _when(run: Trajectory) -> str:
    return f", {escape(run.info.date)}" if run.info.date else ""


def _robot_line(run: Trajectory) -> str:
    model = run.model
    gravity = ", ".join(f"{float(g):g}" for g in model.robot.gravity)
    return f"{len(model.links)} links, {model.nv} degrees of freedom, gravity ({gravity}) m/s²."


def _list_section(title: str, content: str) -> str:
    """Return a section, where there is something to tell."""
    return _section(title, content) if content else ""


def _section_of(rows: Rows | None) -> str:
    """Return a table of the summary, where there is something to tell."""
    return "" if rows is None else _section(rows.title, report_tables.table(rows.columns, rows.cells))


def _section(title: str, content: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{content}</section>"


def _duration(run: Trajectory) -> float:
    return float(run.time[-1] - run.time[0])


def _footer() -> str:
    from lissom.citation import cite

    return f"<footer>Please cite<pre>{escape(str(cite()))}</pre></footer>"
