"""lissom run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.options import EXAMPLE, Anything, Json, Settings
from lissom.cli.shell import FAILED, INTERRUPTED, assignment, command, say
from lissom.errors import LissomError
from lissom.terminal import screen

if TYPE_CHECKING:
    from lissom.scenario.prepare import Prepared
    from lissom.scenario.schema import Scenario
    from lissom.simulation.trajectory import Trajectory


@command
def run(
    what: Anything,
    settings: Settings = None,
    duration: Annotated[float | None, typer.Option(metavar="SECONDS", help="Time to simulate.")] = None,
    method: Annotated[str | None, typer.Option(metavar="NAME", help="Integrator: auto, radau, dop853, ...")] = None,
    step: Annotated[float | None, typer.Option(metavar="SECONDS", help="A fixed step.")] = None,
    rtol: Annotated[float | None, typer.Option(metavar="NUMBER", help="Relative error allowed per step.")] = None,
    rate: Annotated[float | None, typer.Option(metavar="HZ", help="Outputs per second.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="DIR", show_default=False, help="Folder for the results, out/NAME unless given."
        ),
    ] = None,
    figures: Annotated[bool, typer.Option("--figures/--no-figures", help="Draw figures.")] = True,
    report: Annotated[bool, typer.Option("--report", help="Write report.html, a page that opens anywhere.")] = False,
    animation: Annotated[
        str | None,
        typer.Option(metavar="NAME.mp4|NAME.gif", show_default=False, help="Film the motion, into the same folder."),
    ] = None,
    as_json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Simulate a scenario, or a robot alone, and write data and figures to a folder.

    Prints the peak wrench in every joint, the peak deflection of every link, settling, energy balance and speed.

    Ctrl-C ends a run early and keeps what was computed.

    Exit codes: 0 done, 1 an error or a run that failed, 2 wrong usage, 130 interrupted.
    """
    from lissom.cli.folder import within

    if animation is not None:
        within(Path("out"), animation)  # refused before computing
    changes = [assignment(text, EXAMPLE) for text in settings or ()]
    given = {"duration": duration, "method": method, "step": step, "rtol": rtol, "output.rate": rate}
    if method is not None and step is None:
        changes.append(("step", None))  # the scenario's step was meant for its own method
    changes += [(path, value) for path, value in given.items() if value is not None]
    scenario, trajectory, folder = _simulate(what, changes, out, show=not quiet)
    summary = trajectory.summary()
    from lissom.cli.progress import busy

    if not (quiet or as_json):
        from lissom.cli.report import show

        show(screen(), trajectory, summary)
    try:
        with busy("writing data and drawing figures" if figures else "writing data", show=not quiet):
            folder.write(scenario, trajectory, summary, figures)
        if report:
            with busy("writing the report", show=not quiet):
                folder.report(trajectory)
        if animation is not None:
            folder.film(trajectory, animation, show=not quiet)
    finally:
        if as_json:
            import json

            typer.echo(json.dumps(folder.account(summary), indent=2))
        elif not quiet:
            folder.show(screen())
    from lissom.simulation.ending import Ending

    info = trajectory.info
    if info.status is Ending.INTERRUPTED:
        say(f"interrupted: {info.message} in {folder.path}", "yellow")
        raise typer.Exit(INTERRUPTED)
    if info.status is not Ending.FINISHED:
        say(f"{info.status.word}: {info.message}; what was computed is in {folder.path}", "red")
        raise typer.Exit(FAILED)


def _simulate(what: str, changes: list[tuple[str, Any]], out: Path | None, show: bool) -> Any:
    """The scenario as it is run, what came out, and the folder for it, which is tried before computing."""
    from lissom.scenario.files import find

    loaded = find(what)
    scenario: Scenario = loaded.scenario.with_values(changes)
    try:
        prepared = scenario.prepare()
    except LissomError as error:
        raise loaded.located(error, changed=[path.partition(".")[0] for path, _ in changes]) from None
    from lissom.cli.folder import Folder, within

    asked = out
    if out is None and scenario.output.folder is not None:
        try:
            asked = within(Path(), scenario.output.folder)
        except LissomError:
            text = f"output.folder = {scenario.output.folder!r} leads out of the working folder"
            raise LissomError(f"{text}; if that is meant, give it with --out") from None
    folder = Folder.make(asked, loaded.name)
    try:
        return scenario, _trajectory(prepared, show), folder
    except BaseException:
        folder.discard()
        raise


def _trajectory(prepared: Prepared, show: bool) -> Trajectory:
    from lissom.cli.progress import Bar
    from lissom.kernel.machine.events import listening
    from lissom.simulation.run import run as integrate
    from lissom.simulation.trajectory import from_run

    with Bar(prepared.settings.duration, show) as bar, listening(bar.compiling):
        raw = integrate(
            prepared.model,
            prepared.settings,
            controller=prepared.controller,
            start=prepared.start,
            motion=prepared.motion,
            progress=bar.update,
        )
    if len(raw.time) == 0:
        raise LissomError(f"the run ended before its first output: {raw.message}")
    return from_run(raw)
