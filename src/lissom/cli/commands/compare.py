"""lissom compare."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lissom.cli.printing import shared_options
from lissom.cli.printing.command_wrapper import assignment, command
from lissom.cli.printing.shared_options import EXAMPLE, Json, Settings
from lissom.progress import Progress
from lissom.terminal import screen, tell_place

if TYPE_CHECKING:
    from lissom.model import Robot


@command
def compare(
    what: Annotated[
        str | None, typer.Argument(metavar="NAME|FILE", show_default=False, help="A built-in name or a file.")
    ] = None,
    formulations: Annotated[
        list[str] | None,
        typer.Option("--with", "-w", metavar="NAME", show_default=False, help="A formulation; all unless given."),
    ] = None,
    baseline: Annotated[str, typer.Option(metavar="NAME", help="What the others are measured against.")] = "kernel",
    settings: Settings = None,
    duration: Annotated[float | None, typer.Option(metavar="SECONDS", help="Time to simulate.")] = None,
    rtol: Annotated[float, typer.Option(metavar="NUMBER", help="Relative error allowed per step.")] = 1e-7,
    atol: Annotated[
        float | None, typer.Option(metavar="NUMBER", help="Absolute error allowed per step, rtol / 100 unless given.")
    ] = None,
    out: Annotated[Path | None, shared_options.out("Folder; out/compare-NAME unless given.")] = None,
    figure: Annotated[bool, typer.Option("--figure/--no-figure", help="Draw the figure.")] = True,
    report: Annotated[bool, typer.Option("--report", help="Write report.html, a page that opens anywhere.")] = False,
    as_json: Json = False,
    names: Annotated[
        bool, typer.Option("--list", help="List the formulations, and which cover the robot if one is given.")
    ] = False,
) -> None:
    """Run one manoeuvre by several published formulations and show how they differ.

    A table of the largest differences in joint angles, tip path, joint torques and forces, and of the time taken;
    a figure and the numbers go to a folder. Formulations that do not cover the robot are listed with the reason.
    """
    from lissom import theory
    from lissom.scenario.formulation_comparison import check_names
    from lissom.scenario.formulation_comparison import compare as measure
    from lissom.scenario.scenario_files import find

    if what is None:
        if not names:
            raise typer.BadParameter("the robot or scenario is missing; give NAME|FILE, or --list for the formulations")
        _list(None)
        return
    loaded = find(what)
    scenario = loaded.scenario.with_values([assignment(text, EXAMPLE) for text in settings or ()])
    if names:
        _list(scenario.load_robot())
        return
    check_names([baseline, *(formulations or ())])
    from lissom.cli.printing.run_folder import Folder

    # simulate by one formulation after the other; the bar goes on with the time of each
    order = list(dict.fromkeys([baseline, *(formulations or theory.names())]))
    whole = scenario.duration if duration is None else duration
    with Folder.claim(out, f"compare-{loaded.name}") as folder:
        with Progress("preparing", len(order), "formulations", show=not as_json) as shown:

            def tell(name: str, time: float) -> None:
                shown.say(f"simulating by {name}")
                shown.update(order.index(name) + time / (whole or 1.0))

            found = measure(
                scenario,
                formulations,
                baseline=baseline,
                duration=duration,
                rtol=rtol,
                atol=atol,
                progress=tell,
            )
        # the numbers first, so that a figure that fails costs none of them
        try:
            folder.text("comparison.json", json.dumps(found.to_dict(), indent=2) + "\n")
        finally:  # also where the disk is full
            if not as_json:
                screen().print(found.table())
        if figure:
            import matplotlib

            matplotlib.use("Agg")
            folder.picture("comparison.png", found.plot())
        if report:
            from lissom.view.pages.run_report import comparison

            title = f"{found.robot}: {len(found.results)} formulations"
            runs = {name: result.run for name, result in found.results.items()}
            folder.text("report.html", comparison(runs, title, found.missing))
    if as_json:
        typer.echo(json.dumps(found.to_dict() | {"folder": str(folder.path)}, indent=2))
    else:
        tell_place("Written to ", folder.path)


def _list(robot: Robot | None) -> None:
    """Print every formulation, and whether it covers a robot."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from lissom import theory

    model = None if robot is None else robot.compile()
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("formulation", no_wrap=True)
    for head in ("by", "what it is", *([] if robot is None else [f"covers {robot.name}"])):
        table.add_column(escape(head), overflow="fold")
    for name, entry in theory.entries().items():
        covers = ["yes"] if model is not None else []
        try:
            if model is not None:
                entry.make(model)
        except theory.Unsupported as reason:
            covers = [escape(f"no: {reason}")]
        table.add_row(name, entry.authors, entry.title, *covers)
    screen().print(table)
