"""Commands about files: list, describe, check, cite."""

from __future__ import annotations

import json
import os
import warnings
from typing import Annotated

import typer

from lissom.cli.printing.command_wrapper import FAILED, assignment, command, say
from lissom.cli.printing.shared_options import EXAMPLE, Anything, Json, Settings
from lissom.errors import LissomError
from lissom.terminal import screen


@command
def list_all(as_json: Json = False) -> None:
    """Name the robots and scenarios that come with lissom.

    A robot's name works wherever a robot file does; `lissom run` looks for a scenario of that name first.
    """
    from rich import box
    from rich.table import Table

    from lissom.cli.builtin_entries import entries

    found = entries()
    if as_json:
        typer.echo(json.dumps([entry._asdict() for entry in found], indent=2))
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("name", style="bold cyan", no_wrap=True)
    table.add_column("links", justify="right")
    table.add_column("flexible", justify="right")
    table.add_column("lissom run", no_wrap=True)
    table.add_column("what happens")
    for entry in found:
        table.add_row(*map(str, entry))
    screen().print(table)


@command
def describe(robot: Anything, settings: Settings = None) -> None:
    """Print a robot's links, joints, masses, degrees of freedom and natural frequencies.

    Of a scenario file, its robot is described.
    """
    from lissom.cli.builtin_entries import robot_of

    changed, _ = robot_of(robot, [assignment(text, EXAMPLE) for text in settings or ()])
    typer.echo(changed.describe(), nl=False)


@command
def check(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", show_default=False, help="Files of robots, scenarios, studies, fits and tasks; stores."
        ),
    ],
    strict: Annotated[bool, typer.Option("--strict", help="Let warnings count as errors.")] = False,
) -> None:
    """Check files of robots, scenarios, studies, fits and tasks; the exit code is 1 if any of them has an error.

    An error names the file, the line, the field, its value and a remedy. Of a store, everything that was written is
    read and compared with its checksums.
    """
    failed = False
    for file in files:
        try:
            with warnings.catch_warnings(record=strict) as doubts:
                if strict:
                    warnings.simplefilter("always")
                found = _check_file(file)
            for doubt in doubts or ():
                say(f"error: {doubt.message}", "red")
            failed = failed or bool(doubts)
            if not doubts:
                typer.echo(f"{file}: ok ({found})")
        except LissomError as error:
            say(f"error: {error}", "red")
            failed = True
    if failed:
        raise typer.Exit(FAILED)


def _check_file(file: str) -> str:
    """Return what is in a file without errors."""
    from lissom.scenario.scenario_files import find

    if os.path.isdir(file) and os.path.exists(os.path.join(file, ".zgroup")):
        return _check_store(file)
    described = _read_other(file)
    if described is not None:
        return described
    loaded = find(file)
    scenario = loaded.scenario
    if loaded.kind == "robot":
        robot = scenario.load_robot()
        links = f"{len(robot.links)} link{'s' if len(robot.links) > 1 else ''}"
        return f"robot {robot.name}: {links}, {robot.compile().nv} degrees of freedom"
    try:
        model = scenario.prepare().model
    except LissomError as error:
        raise loaded.located(error) from None
    laws = scenario.control if isinstance(scenario.control, tuple) else (scenario.control,)
    control = " + ".join(law.type for law in laws if law is not None) or "none"
    parts = [f"{scenario.duration:g} s", f"control: {control}"]
    parts += [f"prescribed: {', '.join(scenario.motion)}"] if scenario.motion else []
    return f"scenario of {model.robot.name}: {', '.join(parts)}, {model.nv} degrees of freedom"


def _read_other(file: str) -> str | None:
    """Return what is in a file of a study, a fit or a task; None of others."""
    from pathlib import Path

    from lissom.model.io.robot_files import find

    path = Path(file)
    fields = find(path).fields if path.is_file() else {}
    if "links" in fields or "duration" in fields:
        return None
    if "vary" in fields or ("scenario" in fields and "outputs" in fields):
        from lissom.study import load as load_study

        study = load_study(path)
        study.runs.check()
        return f"study {study.name}: {len(study)} runs, outputs {', '.join(study.outputs)}"
    if "scenario" in fields:
        from lissom.optimise.task_files import load as load_task

        task = load_task(path)
        return f"{type(task).__name__.lower()} {task.name}"
    if fields.keys() & {"parameters", "records", "frequencies", "explanations"}:
        from lissom.identify.fit_schema import ExplanationFile
        from lissom.identify.fit_schema import load as load_fit

        fit = load_fit(path)
        if isinstance(fit, ExplanationFile):
            return f"fit {fit.name}: {len(fit.tables)} tables, {len(fit.explanations)} explanations"
        parts = [f"{len(fit.parameters)} parameters", f"{len(fit.records)} records"]
        return f"fit {fit.name}: {', '.join(parts)}"
    return None


def _check_store(address: str) -> str:
    """Return what is in a store that is as it was written."""
    from lissom.study.store.zarr_store import open_store

    store = open_store(address)
    study, damaged = store.study(), store.find_damaged()
    if damaged:
        runs = ", ".join(f"{r.start} to {r.stop - 1} ({name})" for name, r in store.places(damaged))
        text = f"is not as it was written: runs {runs}; the same study, run again, computes them again"
        raise LissomError(text, source=address)
    store.check_files()
    missing = sum(len(store.rows(piece)) for piece in store.missing())
    return f"store of {study.name}: {len(study)} runs, " + (f"{missing} to be computed" if missing else "complete")


@command
def cite(bibtex: Annotated[bool, typer.Option("--bibtex", help="BibTeX entries instead of a list.")] = False) -> None:
    """Print references to lissom and to the papers whose formulations it implements."""
    import lissom

    typer.echo(lissom.cite("bibtex" if bibtex else "text"))
