"""lissom compare."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lissom.cli.options import EXAMPLE, Anything, Json, Settings
from lissom.cli.shell import assignment, command
from lissom.terminal import screen

if TYPE_CHECKING:
    from lissom.scenario.compare import Comparison


@command
def compare(
    what: Anything,
    formulations: Annotated[
        list[str] | None,
        typer.Option("--with", "-w", metavar="NAME", show_default=False, help="A formulation; all unless given."),
    ] = None,
    baseline: Annotated[str, typer.Option(metavar="NAME", help="What the others are measured against.")] = "kernel",
    settings: Settings = None,
    duration: Annotated[float | None, typer.Option(metavar="SECONDS", help="Time to simulate.")] = None,
    rtol: Annotated[float, typer.Option(metavar="NUMBER", help="Relative error allowed per step.")] = 1e-7,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", show_default=False, help="Folder; out/compare-NAME unless given."),
    ] = None,
    figure: Annotated[bool, typer.Option("--figure/--no-figure", help="Draw the figure.")] = True,
    report: Annotated[bool, typer.Option("--report", help="Write report.html, a page that opens anywhere.")] = False,
    as_json: Json = False,
    names: Annotated[bool, typer.Option("--list", help="List the formulations that cover the robot.")] = False,
) -> None:
    """Run one manoeuvre by several published formulations and show how they differ.

    A table of the largest differences in joint angles, tip path, joint torques and forces, and of the time taken;
    a figure and the numbers go to a folder. Formulations that do not cover the robot are listed with the reason.
    """
    from lissom.scenario.compare import compare as measure
    from lissom.scenario.files import find

    loaded = find(what)
    scenario = loaded.scenario.with_values([assignment(text, EXAMPLE) for text in settings or ()])
    if names:
        _list(scenario.load_robot())
        return
    from lissom.cli.folder import Folder
    from lissom.cli.progress import busy

    folder = Folder.make(out, f"compare-{loaded.name}")
    try:
        with busy("preparing", show=not as_json) as status:
            found = measure(
                scenario,
                formulations,
                baseline=baseline,
                duration=duration,
                rtol=rtol,
                progress=lambda name: status and status.update(f"simulating by {name}"),
            )
    except BaseException:
        folder.discard()
        raise
    if not as_json:
        screen().print(found.table())
    _write(found, folder.path, figure)
    if report:
        from lissom.view import report as page

        title = f"{found.robot}: {len(found.results)} formulations"
        runs = {name: result.run for name, result in found.results.items()}
        page.write(folder.path / "report.html", page.comparison(runs, title, found.missing))
    if as_json:
        typer.echo(json.dumps(found.to_dict() | {"folder": str(folder.path)}, indent=2))
    else:
        screen().print(f"Written to [bold cyan]{folder.path}[/]")


def _list(robot: object) -> None:
    """Every formulation, and whether it covers the robot."""
    from rich import box
    from rich.table import Table

    from lissom import theory
    from lissom.model import Robot

    assert isinstance(robot, Robot)
    model = robot.compile()
    table = Table("formulation", "what it is", f"covers {robot.name}", box=box.SIMPLE_HEAD)
    for name, entry in theory.entries().items():
        try:
            entry.make(model)
            covers = "yes"
        except theory.Unsupported as reason:
            covers = f"no: {reason}"
        table.add_row(name, entry.title, covers)
    screen().print(table)


def _write(found: Comparison, folder: Path, figure: bool) -> None:
    text = json.dumps(found.to_dict(), indent=2) + "\n"
    (folder / "comparison.json").write_text(text, encoding="utf-8")
    if figure:
        import matplotlib

        matplotlib.use("Agg")
        found.plot().savefig(folder / "comparison.png", dpi=120)
