"""lissom export."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.options import named
from lissom.cli.shell import command, fail


@command
def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", parser=named, help="Folder of a run, or its trajectory.nc.")],
    to: Annotated[Path, typer.Argument(metavar="TABLE", parser=named, help="A table: .csv, .parquet or .mat.")],
    units: Annotated[bool, typer.Option("--units", help="Units in the header of a CSV.")] = False,
) -> None:
    """Write a saved run as a table: one row per time, one column per number; or its arrays for MATLAB (.mat)."""
    from lissom.simulation import Trajectory

    kind = to.suffix.lower()
    if kind not in (".csv", ".parquet", ".mat"):
        raise typer.BadParameter(f"{to} must end in .csv, .parquet or .mat")
    if units and kind != ".csv":
        raise typer.BadParameter("--units is for CSV; the other formats hold the units anyway")
    source = run / "trajectory.nc" if run.is_dir() else run
    if not source.exists():
        fail(f"{source}: no such file; give a folder that lissom run wrote, or a trajectory.nc")
    if kind == ".parquet" and find_spec("pyarrow") is None:
        fail("Parquet needs the package pyarrow: pip install lissom[parquet]; or write a .csv")
    if not to.parent.is_dir():
        fail(f"cannot write {to}: there is no folder {to.parent}; make it first")
    trajectory = Trajectory.load(source)
    if kind == ".csv":
        trajectory.to_csv(to, units)
    elif kind == ".parquet":
        trajectory.to_parquet(to)
    else:
        trajectory.to_mat(to)
    typer.echo(f"{to}: {len(trajectory.time)} rows")
