"""lissom export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.shell import command, fail


@command
def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, or its trajectory.nc.")],
    to: Annotated[Path, typer.Argument(metavar="TABLE", help="A file that ends in .csv or .parquet.")],
    units: Annotated[bool, typer.Option("--units", help="Units in the header of a CSV.")] = False,
) -> None:
    """Write a saved run as a table: one row per time, one column per number."""
    from lissom.simulation import Trajectory

    kind = to.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise typer.BadParameter(f"{to} must end in .csv or .parquet")
    if units and kind == ".parquet":
        raise typer.BadParameter("--units is for CSV; Parquet holds the units with each column")
    source = run / "trajectory.nc" if run.is_dir() else run
    if not source.exists():
        fail(f"{source}: no such file; give a folder that lissom run wrote, or a trajectory.nc")
    trajectory = Trajectory.load(source)
    if kind == ".csv":
        trajectory.to_csv(to, units)
    else:
        trajectory.to_parquet(to)
    typer.echo(f"{to}: {len(trajectory.time)} rows")
