"""lissom view."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.printing.command_wrapper import assignment, command, fail, say
from lissom.cli.printing.shared_options import EXAMPLE, Settings

if TYPE_CHECKING:
    from lissom.model.description.robot import Robot
    from lissom.results.trajectory import Trajectory

SUFFIX = ".nc"


@command
def view(
    what: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE|FOLDER|STORE",
            show_default=False,
            help="A robot or scenario, a recorded run, a folder of runs (out/ unless given), or the store of a study.",
        ),
    ] = "out",
    settings: Settings = None,
    modes: Annotated[bool, typer.Option("--modes", help="Begin with the natural modes.")] = False,
    live: Annotated[bool, typer.Option("--live", help="Begin with the arm moved by hand.")] = False,
    port: Annotated[int, typer.Option(metavar="NUMBER", help="Port; the next free one where it is taken.")] = 8080,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen at.")] = "127.0.0.1",
    remote: Annotated[
        bool, typer.Option("--remote", help="Allow an address that others on the network can reach.")
    ] = False,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
) -> None:
    """Show an arm in the browser: play a recorded run, move it by hand, watch its natural modes, or look at a study.

    The page is served on this machine only, and asks nothing of any other. Ctrl-C ends it.

    A scenario is simulated first, so that there is something to play.
    """
    if _is_study(what):
        _show_study(what, settings, host, port, remote, browser)
        return
    from lissom.view.live.server import check_server, open_server

    check_server(host, remote)
    robot, runs, start = _find(what, [assignment(text, EXAMPLE) for text in settings or ()])
    server, address = open_server(host, port, remote, say=lambda text: say(text, "yellow"))
    from lissom.view.live.app import MODES, MOVED, App

    app = App(server, robot, runs, start, MODES if modes else MOVED if live else None)
    _serve(app, address, browser)


def _serve(page: Any, address: str, browser: bool) -> None:
    """Serve a page until Ctrl-C."""
    try:
        typer.echo(f"lissom view: {address} (Ctrl-C ends it)")
        if browser:
            import webbrowser

            webbrowser.open(address)
        page.loop()
    except KeyboardInterrupt:
        typer.echo("ended")
    finally:
        page.stop()


def _is_study(what: str) -> bool:
    """Return whether it is the store of a study: a folder that holds a Zarr group, or an address elsewhere."""
    return "://" in what or (Path(what) / ".zgroup").is_file()


def _show_study(what: str, settings: Any, host: str, port: int, remote: bool, browser: bool) -> None:
    from lissom.study import open_results
    from lissom.view.pages.study_page import StudyServer

    if settings:
        raise typer.BadParameter("--set is for a robot or a scenario; a study is as it is")
    server = StudyServer(open_results(what), host, port, remote, say=lambda text: say(text, "yellow"))
    _serve(server, server.address, browser)


def _find(what: str, changes: list[tuple[str, Any]]) -> tuple[Robot | None, dict[str, Trajectory | Path], Any]:
    """Return a robot, recorded runs by their labels, and where a simulation starts."""
    path = Path(what)
    if path.is_dir() or path.suffix == SUFFIX:
        runs: dict[str, Trajectory | Path] = dict(_find_runs(path))
        if not runs:
            fail(f"{path}: holds no recorded run (*.nc); make one with lissom run, or give the name of a robot")
        if changes:
            raise typer.BadParameter("--set is for a robot or a scenario; a recorded run is as it is")
        return None, runs, None
    if what == "out":
        fail("there is no folder out/ yet; make a run with lissom run, or give the name of a robot: lissom view ella")
    from lissom.scenario.scenario_files import find
    from lissom.simulation.status.run_ending import Ending

    loaded = find(what)
    scenario = loaded.scenario.with_values(changes)
    prepared = scenario.prepare()
    run = prepared.simulate()
    if run.info.status is Ending.INTERRUPTED:
        raise KeyboardInterrupt
    return scenario.load_robot(), {loaded.name: run}, prepared.start[0]


def _find_runs(path: Path) -> list[tuple[str, Path]]:
    """Return recorded runs in a file or anywhere in a folder, by their place in it, the newest first."""
    if path.is_file():
        return [(str(path), path)]
    if not path.exists():
        fail(f"{path}: no such file or folder")
    root = path.resolve()
    inside = [file for file in path.rglob(f"*{SUFFIX}") if root in file.resolve().parents]
    newest = sorted(inside, key=lambda file: file.stat().st_mtime, reverse=True)
    labels = [file.relative_to(path) for file in newest]
    return [
        (str(label.parent if label.name == "trajectory.nc" else label), file) for label, file in zip(labels, newest)
    ]
