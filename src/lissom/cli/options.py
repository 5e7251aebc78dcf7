"""Arguments that several commands take."""

from typing import Annotated

import typer

Anything = Annotated[str, typer.Argument(metavar="NAME|FILE", show_default=False, help="A built-in name or a file.")]
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
