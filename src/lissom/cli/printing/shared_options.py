"""Arguments that several commands take."""

from pathlib import Path
from typing import Annotated, Any

import typer


def not_empty(value: str) -> str:
    """Return a name or an address."""
    if not value.strip():
        raise typer.BadParameter("is empty; give a name")
    return value


def check_name(value: str) -> Path:
    """Return a path with a name: an empty one would be the working folder."""
    return Path(not_empty(value))


def out(help: str) -> Any:
    """Return the option for a folder or a file to write."""
    return typer.Option("--out", "-o", metavar="PATH", show_default=False, parser=check_name, help=help)


def asked(flag: str, metavar: str, help: str) -> Any:
    """Return an option with a value that may be left out."""
    return typer.Option(flag, metavar=metavar, show_default=False, help=help)


def labelled(given: list[str] | None) -> dict[str, str]:
    """Return what stands beside a run, by its label: LABEL=PATH, or the name of the file or folder alone."""
    found: dict[str, str] = {}
    for text in given or ():
        label, equals, path = text.partition("=")
        label, path = (label.strip(), path.strip()) if equals else (Path(text).stem, text.strip())
        if not label or not path or label in found:
            raise typer.BadParameter(f"{text!r} names nothing of its own; write it like measured=bench.csv")
        found[label] = path
    return found


Beside = Annotated[
    list[str] | None,
    typer.Option(
        "--beside",
        metavar="[LABEL=]PATH",
        show_default=False,
        help="Another run or a table of measured data to draw into the charts; may be given several times.",
    ),
]


def complete_builtin(incomplete: str) -> list[str]:
    """Return the built-in names that begin so; a shell completes files itself where there are none."""
    from lissom import builtin

    names = {*builtin.names(builtin.ROBOTS), *builtin.names(builtin.SCENARIOS)}
    return sorted(name for name in names if name.startswith(incomplete))


Anything = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE",
        show_default=False,
        help="A built-in name or a file.",
        autocompletion=complete_builtin,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        show_default=False,
        help="Change a value of the robot or the scenario; may be given several times.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
EXAMPLE = "links.upper.beam.length=1.2"
