"""Commands that help to write files: new, schema."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from lissom.cli.printing.command_wrapper import command
from lissom.cli.printing.shared_options import asked
from lissom.cli.printing.shared_options import out as out_option
from lissom.errors import LissomError
from lissom.messages import did_you_mean, listed
from lissom.terminal import tell_place

SCHEMAS = "schemas"  # the folder beside new files that holds the schemas they name
MOST_LINKS = 20


@command
def schema(
    kind: Annotated[
        str | None,
        typer.Argument(metavar="KIND", show_default=False, help="robot, scenario, study, fit or task; none means all."),
    ] = None,
    out: Annotated[Path | None, out_option("Folder for the schemas; `schemas` unless given.")] = None,
) -> None:
    """Print or write the JSON Schemas of files, with which an editor completes and checks them while you type.

    A first line `# yaml-language-server: $schema=schemas/robot.json` in a file tells VS Code, Neovim, Emacs and other
    editors with a YAML language server where the schema is.
    """
    from lissom.cli.file_schemas import file_schema, schema_text, write_schemas

    if kind is not None and out is None:
        typer.echo(schema_text(file_schema(kind)), nl=False)
        return
    if kind is not None:
        raise LissomError("writes all kinds of schemas; leave KIND out", ("--out",), str(out))
    folder = out or Path(SCHEMAS)
    write_schemas(folder)
    tell_place("schemas of robots, scenarios, studies, fits and tasks in ", folder)


@command
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", show_default=False, help="Of the robot, such as my-arm.")],
    links: Annotated[int | None, asked("--links", "NUMBER", "How many links it has.")] = None,
    bend: Annotated[bool | None, typer.Option("--bend/--rigid", show_default=False, help="Whether they bend.")] = None,
    drive: Annotated[str | None, asked("--drive", "WORD", "What drives the joints: pd, torque or none.")] = None,
) -> None:
    """Write a robot and a scenario of it, with comments that say what else can be written.

    Asks what is not given by an option. The files and the schemas that they name, for editors, go to this folder.
    """
    from lissom.cli.file_schemas import write_schemas
    from lissom.cli.new_files import DRIVES, robot_text, scenario_text
    from lissom.model.schema.name_fields import Name

    if not re.fullmatch(Name.pattern, name):
        raise LissomError(f"cannot serve as a name; {Name('the name of the robot').remedy}", ("NAME",), name)
    links = _ask("How many links does it have?", 2) if links is None else links
    bend = _ask("Do they bend?", True) if bend is None else bend
    drive = _ask(f"What drives the joints ({listed(DRIVES)})?", DRIVES[0]) if drive is None else drive
    if not 1 <= links <= MOST_LINKS:
        raise LissomError(f"must be from 1 to {MOST_LINKS}; copy links in the file for more", ("--links",), links)
    if drive not in DRIVES:
        raise LissomError(f"is unknown{did_you_mean(drive, DRIVES)}; choose {listed(DRIVES)}", ("--drive",), drive)
    robot, scenario = Path(f"{name}.yaml"), Path(f"{name}-run.yaml")
    for path in (robot, scenario):
        if path.exists():
            raise LissomError(f"{path} is there already; give another name, or remove it", ("NAME",), name)
    text = robot_text(name, links, bend)
    texts = {robot: text, scenario: scenario_text(name, text, drive)}
    for path, content in texts.items():
        path.write_text(content, encoding="utf-8")
    write_schemas(Path(SCHEMAS))
    tell_place("robot in ", robot)
    tell_place("scenario in ", scenario)
    typer.echo(f"next: lissom run {scenario}, lissom view {scenario}")


def at_a_terminal() -> bool:
    """Return whether a person can be asked."""
    return sys.stdin.isatty()


def _ask(question: str, default: Any) -> Any:
    """Return the answer of a person; what is usual where nobody sits at the terminal."""
    if not at_a_terminal():
        return default
    return typer.confirm(question, default) if isinstance(default, bool) else typer.prompt(question, default)
