"""lissom identify."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.printing import shared_options
from lissom.cli.printing.command_wrapper import command
from lissom.cli.printing.shared_options import Json
from lissom.terminal import screen, tell_place


@command
def identify(
    fit: Annotated[Path, typer.Argument(metavar="FIT.yaml", show_default=False, help="A fit file.")],
    out: Annotated[Path | None, shared_options.out("Folder; out/fit-NAME unless given.")] = None,
    figure: Annotated[bool, typer.Option("--figure/--no-figure", help="Draw the histories and what is left.")] = True,
    as_json: Json = False,
) -> None:
    """Find parameters of a robot from measured histories and frequencies, or what explains published tables.

    Prints the values with their 95 % intervals, what the data cannot tell apart, and errors on records held back. The
    new robot file, the numbers and a figure go to a folder. A file with `tables` and `explanations` instead of records
    takes the rounding of printed numbers as their tolerance and ranks the explanations by confidence.
    """
    from lissom.identify.fit_schema import ExplanationFile, load

    asked = load(fit)
    from lissom.cli.printing.run_folder import Folder

    if isinstance(asked, ExplanationFile):
        with Folder.claim(out, f"fit-{asked.name}") as folder:
            explanations = asked.run(progress=not as_json)
            folder.text("explanations.json", json.dumps(explanations.to_dict(), indent=2) + "\n")
        if as_json:
            typer.echo(json.dumps(explanations.to_dict() | {"folder": str(folder.path)}, indent=2))
        else:
            screen().print(explanations.table())
            tell_place("the numbers in ", folder.path)
        return
    with Folder.claim(out, f"fit-{asked.name}") as folder:
        found = asked.run(progress=not as_json)
        folder.text("robot.yaml", found.provenance() + found.robot.to_yaml())
        folder.text("fit.json", json.dumps(found.to_dict(), indent=2) + "\n")
        if not as_json:
            screen().print(found.table())
            if found.validation is not None:
                screen().print(found.validation.table())
        if figure:
            import matplotlib

            matplotlib.use("Agg")
            folder.picture("fit.png", found.plot())
    if as_json:
        typer.echo(json.dumps(found.to_dict() | {"folder": str(folder.path)}, indent=2))
    else:
        tell_place(f"the new robot{', numbers and figure' if figure else ' and numbers'} in ", folder.path)
