"""The command line: `lissom list | describe | check | cite`."""

from pathlib import Path
from typing import Annotated

import typer

from lissom import __version__
from lissom.errors import LissomError

app = typer.Typer(
    name="lissom",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lissom {__version__}")
        raise typer.Exit


@app.callback()
def _lissom(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Dynamics of robot arms whose links and joints bend.

    Start with a robot that comes with lissom, then write your own file:

        [bold]lissom list[/]                  the built-in robots

        [bold]lissom describe ella[/]         its links, joints, masses and natural frequencies

        [bold]lissom check my_arm.yaml[/]     is my robot file right, and if not, where?

        [bold]lissom cite[/]                  what to cite
    """


@app.command("list")
def list_robots() -> None:
    """Name the built-in robots.

    Each name works wherever a robot file does: [bold]lissom describe ella[/], or
    [bold]lissom.load("ella")[/] in Python.
    """
    from lissom.model import builtin_names

    for name in builtin_names():
        typer.echo(name)


@app.command()
def describe(
    robot: Annotated[str, typer.Argument(metavar="NAME_OR_FILE", help="A built-in robot or a robot file.")],
) -> None:
    """Print a robot's links, joints, masses, degrees of freedom and natural frequencies.

    [bold]lissom describe ella[/]

    [bold]lissom describe arms/my_arm.yaml[/]
    """
    from lissom.model import load

    try:
        text = load(robot).describe()
    except LissomError as error:
        _report(error)
        raise typer.Exit(1) from None
    typer.echo(text)


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="One or more robot files.")],
) -> None:
    """Check robot files; the exit code is 1 if any of them has an error.

    An error names the file, the field, its value and a remedy.

        [bold]lissom check my_arm.yaml[/]

        [bold]lissom check arms/*.yaml && echo all good[/]
    """
    from lissom.model import load

    failed = False
    for file in files:
        try:
            robot = load(file)
            model = robot.compile()
        except LissomError as error:
            _report(error)
            failed = True
        else:
            size = f"links: {len(robot.links)}, degrees of freedom: {model.nv}"
            typer.echo(f"{file}: ok ({robot.name}, {size})")
    if failed:
        raise typer.Exit(1)


@app.command()
def cite(
    bibtex: Annotated[bool, typer.Option("--bibtex", help="BibTeX entries instead of a list.")] = False,
) -> None:
    """Print references to lissom and to the papers whose formulations it implements.

    [bold]lissom cite --bibtex >> references.bib[/]
    """
    import lissom

    typer.echo(lissom.cite("bibtex" if bibtex else "text"))


def _report(error: LissomError) -> None:
    typer.secho(f"error: {error}", err=True, fg=typer.colors.RED)


def main() -> None:
    """Entry point of the `lissom` command."""
    app()
