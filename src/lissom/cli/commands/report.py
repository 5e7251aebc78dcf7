"""lissom report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.printing.command_wrapper import command, fail
from lissom.cli.printing.shared_options import Beside, asked, check_name, labelled
from lissom.cli.printing.shared_options import out as out_option
from lissom.progress import Progress

FORMATS = (".html", ".pdf")


@command
def report(
    run: Annotated[
        str, typer.Argument(metavar="RUN", show_default=False, help="A saved run: its folder or its trajectory.nc.")
    ],
    out: Annotated[
        Path | None, out_option("File of the report, .html or .pdf; report.html in the folder of the run unless given.")
    ] = None,
    title: Annotated[str | None, asked("--title", "TEXT", "Its title.")] = None,
    text: Annotated[str | None, asked("--text", "TEXT|FILE", "What it says in front, or a .txt or .md file.")] = None,
    logo: Annotated[str | None, asked("--logo", "FILE", "A picture for its head, .png, .jpg or .svg.")] = None,
    units: Annotated[str | None, asked("--units", "NAMES", "Units, such as kN,mm,deg.")] = None,
    beside: Beside = None,
) -> None:
    """Write the report of a saved run: a page that opens anywhere, or a PDF.

    Title, text, logo and units are those of its scenario unless given, then those of your settings file. Other runs and
    measured data are drawn into its charts.
    """
    from lissom.results.trajectory import Trajectory

    source = check_name(run)
    file = source / "trajectory.nc" if source.is_dir() else source
    if not file.exists():
        fail(f"{file}: no such file; give a folder that lissom run wrote, or a trajectory.nc")
    to = file.with_name("report.html") if out is None else out
    if to.suffix.lower() not in FORMATS:
        raise typer.BadParameter(f"{to} is no name of a report; let it end in {' or '.join(FORMATS)}")
    found = Trajectory.load(file)
    if units is not None:
        found.units = units  # names with commas between them are taken apart
    found = found.beside(labelled(beside))
    with Progress("writing the report"):
        found.report(to, title=title, text=_text(text), logo=logo)
    typer.echo(f"{to}: {to.stat().st_size / 1e6:.1f} MB")


def _text(given: str | None) -> str | None:
    """Return a text, or what stands in the file that it names."""
    if given is None or not given.lower().endswith((".txt", ".md")):
        return given
    try:
        return Path(given).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{given} cannot be read ({error}); give a text file in UTF-8, or the text itself")
