"""lissom sweep."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lissom.cli.printing.command_wrapper import FAILED, INTERRUPTED, command, say
from lissom.cli.printing.shared_options import Json, not_empty
from lissom.terminal import screen

if TYPE_CHECKING:
    from lissom.study.store.study_results import Results

EXTENSION = ".zarr"


@command
def sweep(
    study: Annotated[Path, typer.Argument(metavar="STUDY.yaml", show_default=False, help="A study file.")],
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="STORE",
            parser=not_empty,
            help="Folder or address of the store, out/NAME.zarr unless given.",
        ),
    ] = None,
    cores: Annotated[int | None, typer.Option(metavar="N", help="Processes here, all cores unless given.")] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, such as tcp://head:8786, in their place.")
    ] = None,
    as_json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Run a study: many variants of one scenario, kept in a store.

    Results are written piece by piece. Whatever interrupts it, the same command goes on where it stopped.

    Prints the range of every output and which of the varied fields moves it most.

    Exit codes: 0 done, 1 an error or no run that finished, 2 wrong usage, 130 interrupted.
    """
    from lissom.study import load

    asked = load(study)
    store = out or str(Path("out") / f"{asked.name}{EXTENSION}")
    try:
        results = asked.run(store, cores=cores, cluster=cluster, progress=not quiet)
    except KeyboardInterrupt:
        say(f"interrupted: what was computed is in {store}; the same command goes on from there", "yellow")
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        _print_json(results)
    elif not quiet:
        console = screen()
        console.print(results.table())
        console.print(f"results in {store}; in Python: lissom.study.open_results({store!r})")
    if not results.finished:
        say("no run finished; each says why in its cause, as in lissom sweep ... --json", "red")
        raise typer.Exit(FAILED)


def _print_json(results: Results) -> None:
    import json

    typer.echo(json.dumps(results.to_dict(), indent=2))
