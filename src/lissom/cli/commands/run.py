"""lissom run."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.printing import shared_options
from lissom.cli.printing.command_wrapper import FAILED, INTERRUPTED, assignment, command, say
from lissom.cli.printing.shared_options import EXAMPLE, Anything, Beside, Json, Settings, labelled
from lissom.errors import LissomError
from lissom.files import NotWritten
from lissom.progress import Progress
from lissom.simulation.status.run_ending import Ending
from lissom.simulation.stepping.interrupts import defer_interrupts, interrupt_on_sigterm
from lissom.terminal import screen

if TYPE_CHECKING:
    from lissom.cli.printing.run_folder import Folder
    from lissom.results.summaries.summary import Summary
    from lissom.results.trajectory import Trajectory
    from lissom.scenario.prepare import Prepared
    from lissom.scenario.scenario_files import LoadedScenario
    from lissom.scenario.scenario_schema import Scenario


@command
def run(
    what: Anything,
    settings: Settings = None,
    duration: Annotated[float | None, typer.Option(metavar="SECONDS", help="Time to simulate.")] = None,
    method: Annotated[str | None, typer.Option(metavar="NAME", help="Integrator: auto, radau, dop853, ...")] = None,
    step: Annotated[float | None, typer.Option(metavar="SECONDS", help="A fixed step.")] = None,
    rtol: Annotated[float | None, typer.Option(metavar="NUMBER", help="Relative error allowed per step.")] = None,
    atol: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER", help="Absolute error allowed per step, in m and rad; rtol / 100 of them unless given."
        ),
    ] = None,
    rate: Annotated[float | None, typer.Option(metavar="HZ", help="Outputs per second.")] = None,
    accuracy: Annotated[
        str | None,
        typer.Option(metavar="1%", help="Choose functions, field, tolerances and outputs for this accuracy."),
    ] = None,
    trust: Annotated[
        bool | None,
        typer.Option(
            "--trust/--no-trust",
            show_default="where that takes less than a second",
            help="Measure by how much each number may be off, by runs that are finer.",
        ),
    ] = None,
    out: Annotated[Path | None, shared_options.out("Folder for the results, out/NAME unless given.")] = None,
    figures: Annotated[bool, typer.Option("--figures/--no-figures", help="Draw figures.")] = True,
    report: Annotated[bool, typer.Option("--report", help="Write report.html, a page that opens anywhere.")] = False,
    beside: Beside = None,
    animation: Annotated[
        str | None,
        typer.Option(metavar="NAME.mp4|NAME.gif", show_default=False, help="Film the motion, into the same folder."),
    ] = None,
    stress: Annotated[bool, typer.Option("--stress", help="Colour beams by their stress in the film.")] = False,
    as_json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Simulate a scenario, or a robot alone, and write data and figures to a folder.

    Prints the peak wrench in every joint, the peak deflection of every link, settling, energy balance and speed.

    Ctrl-C ends a run early and keeps what was computed.

    Exit codes: 0 done, 1 an error or a run that failed, 2 wrong usage, 130 interrupted.
    """
    changes = [assignment(text, EXAMPLE) for text in settings or ()]
    given: dict[str, Any] = {
        "duration": duration,
        "method": method,
        "step": step,
        "rtol": rtol,
        "atol": atol,
        "output.rate": rate,
    }
    given["accuracy"] = accuracy
    if method is not None and step is None:
        changes.append(("step", None))  # the scenario's step was meant for its own method
    changes += [(path, value) for path, value in given.items() if value is not None]
    _check_animation(animation)
    scenario, prepared, folder = _prepare_run(what, changes, out)
    with folder, interrupt_on_sigterm():
        trajectory = _trajectory(prepared, quiet)
        if trajectory.info.accuracy:
            scenario = _as_chosen(scenario, trajectory)
        try:
            # what is computed comes first
            with Progress("writing samples", show=not quiet), defer_interrupts() as pressed:
                folder.keep(scenario, trajectory)
                stopped = pressed()
        except NotWritten:
            if not (quiet or as_json):
                _show(trajectory, trajectory.summary())
            raise
        with _report_kept_files(folder):
            if stopped:
                raise KeyboardInterrupt
            if trust is not False and not trajectory.info.trust and trajectory.info.status is Ending.FINISHED:
                _measure_trust(trajectory, trust is True, quiet)
            with Progress("preparing results", show=not quiet):
                summary = trajectory.summary()
            try:
                with Progress("writing data", show=not quiet):
                    folder.write(trajectory, summary)
            finally:  # also where the disk is full
                if not (quiet or as_json):
                    _show(trajectory, summary)
            if beside:
                trajectory = trajectory.beside(labelled(beside))
            _extras(folder, trajectory, figures, report, animation, stress, show=not quiet)
            folder.finish(summary)
    if as_json:
        import json

        typer.echo(json.dumps(folder.account(summary), indent=2))
    elif not quiet:
        folder.show(screen())
    _tell_ending(trajectory, folder)


def _check_animation(name: str | None) -> None:
    """Refuse a film that cannot be made before anything is computed."""
    if name is not None:
        from lissom.cli.printing.run_folder import within
        from lissom.view.films.film import check_film

        check_film(within(Path("out"), name))


def prepare_scenario(what: str, changes: list[tuple[str, Any]]) -> tuple[LoadedScenario, Scenario, Prepared]:
    """Return a scenario by name or path, with values changed, ready to run."""
    from lissom.scenario.scenario_files import find

    loaded = find(what)
    scenario: Scenario = loaded.scenario.with_values(changes)
    try:
        return loaded, scenario, scenario.prepare()
    except LissomError as error:
        raise loaded.located(error, changed=[path.partition(".")[0] for path, _ in changes]) from None


def _prepare_run(what: str, changes: list[tuple[str, Any]], out: Path | None) -> tuple[Scenario, Prepared, Folder]:
    """Return the scenario as it is run, and the folder for what comes out, which is claimed before computing."""
    from lissom.cli.printing.run_folder import Folder, within

    loaded, scenario, prepared = prepare_scenario(what, changes)
    asked = out
    if out is None and scenario.output.folder is not None:
        try:
            asked = within(Path(), scenario.output.folder)
        except LissomError:
            text = "leads out of the working folder; if you mean that, give it with --out"
            raise LissomError(text, ("output", "folder"), scenario.output.folder) from None
    return scenario, prepared, Folder.claim(asked, loaded.name)


def _trajectory(prepared: Prepared, quiet: bool) -> Trajectory:
    from lissom.simulation.status.run_warnings import EndedEarly, SimulationWarning

    with warnings.catch_warnings():
        warnings.simplefilter("always", SimulationWarning)
        warnings.simplefilter("ignore", SimulationWarning if quiet else EndedEarly)  # how it ended is told at the end
        return prepared.simulate(progress=not quiet)


def _measure_trust(trajectory: Trajectory, asked: bool, quiet: bool) -> None:
    """Measure error bars, unless that takes long and nobody asked for it."""
    from lissom.results.trust.run_trust import BUDGET, is_quick
    from lissom.results.trust.run_trust import trust as measure

    if asked or is_quick(trajectory):
        measure(trajectory, budget=BUDGET if asked else 0.0, progress=not quiet)


def _as_chosen(scenario: Scenario, trajectory: Trajectory) -> Scenario:
    """Return the scenario with what was chosen for its accuracy, so that it runs so again."""
    chosen = trajectory.info.accuracy["chosen"]
    own = [(path, value) for path, value in chosen.items() if not path.startswith("links.")]
    return scenario.with_values([*own, ("accuracy", None)])


def _show(trajectory: Trajectory, summary: Summary) -> None:
    from lissom.cli.printing.run_overview import show

    show(screen(), trajectory, summary)


@contextlib.contextmanager
def _report_kept_files(folder: Folder) -> Iterator[None]:
    """Say where the run is on disk, whatever ends the preparation of results."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"interrupted: the whole motion is in {folder.path}", "yellow")
        raise typer.Exit(INTERRUPTED) from None
    except MemoryError:
        text = "there is not enough memory to prepare all results; the whole motion is in"
        raise LissomError(f"{text} {folder.path}, lower the rate for less") from None
    except NotWritten as error:
        raise error.advised(f"the samples of the run are in {folder.path}, and load as a whole run") from None


def _extras(
    folder: Folder, trajectory: Trajectory, figures: bool, report: bool, animation: str | None, stress: bool, show: bool
) -> None:
    """Draw what is asked for; the data is safe by now."""
    if figures:
        with Progress("drawing figures", show=show):
            folder.figures(trajectory)
    if report:
        with Progress("writing the report", show=show):
            folder.report(trajectory)
    if animation is not None:
        folder.film(trajectory, animation, show, stress)


def _tell_ending(trajectory: Trajectory, folder: Folder) -> None:
    info = trajectory.info
    if info.status is Ending.INTERRUPTED:
        say(f"interrupted: {info.message} in {folder.path}", "yellow")
        raise typer.Exit(INTERRUPTED)
    if info.status is not Ending.FINISHED:
        say(f"{info.status.word}: {info.message}; what was computed is in {folder.path}", "red")
        raise typer.Exit(FAILED)
