"""lissom export."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from lissom.cli.printing.command_wrapper import assignment, command, fail
from lissom.cli.printing.shared_options import EXAMPLE, Settings, asked, check_name
from lissom.cli.printing.shared_options import out as out_option
from lissom.messages import listed

TABLES = ("csv", "xlsx", "parquet", "mat")
PACKAGES = {
    "parquet": ("Parquet", "pyarrow", "parquet"),
    "xlsx": ("Excel", "openpyxl", "excel"),
}
FORMATS = (*TABLES, "c", "fmu")

MEANT = {  # options by format
    "csv": ("--units", "--in", "--column"),
    "xlsx": ("--in", "--column"),
    "parquet": ("--column",),
    "c": ("--controller", "--functions", "--point", "--wrench", "--name", "--parameter", "--backend", "--set"),
    "fmu": ("--wrench", "--name", "--fmi", "--kind", "--parameter", "--platform", "--set"),
}


@command
def export(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            show_default=False,
            help="A saved run (its folder or trajectory.nc), or the name or file of a robot or scenario.",
        ),
    ],
    to: Annotated[
        str | None,
        asked(
            "--to",
            "FORMAT",
            "csv, xlsx, parquet or mat for a run, c for a robot, fmu for a scenario; or the ending of --out.",
        ),
    ] = None,
    out: Annotated[
        Path | None, out_option("File of a table or an FMU, or folder for C code (NAME-c unless given).")
    ] = None,
    units: Annotated[bool, typer.Option("--units", help="csv: units in the header, those that the run has.")] = False,
    in_units: Annotated[
        str | None,
        asked("--in", "UNITS", "csv, xlsx: units of the columns, such as kN,mm,deg, in the header."),
    ] = None,
    column: Annotated[
        list[str] | None,
        asked(
            "--column",
            "NAME",
            "csv, xlsx, parquet: a column wanted, what names begin with or a pattern, such as position or "
            "'wrench.elbow.f*'; may be given several times. All unless given.",
        ),
    ] = None,
    controller: Annotated[
        bool,
        typer.Option("--controller", help="c: the sampled controller of a scenario, not its robot's dynamics."),
    ] = False,
    functions: Annotated[
        str | None, asked("--functions", "NAMES", "c: the functions wanted, comma between; else all.")
    ] = None,
    point: Annotated[
        list[str] | None,
        asked(
            "--point",
            "LINK[@METRES]",
            "c: a point for point_pose and jacobian: a link's tip, or a section of a beam; may be given several times. "
            "The ends of the arm unless given.",
        ),
    ] = None,
    wrench: Annotated[
        list[str] | None,
        asked(
            "--wrench",
            "LINK",
            "c, fmu: a link with an external wrench as an argument or input; may be given several times. Of an FMU the "
            "ends of the arm unless given.",
        ),
    ] = None,
    name: Annotated[
        str | None,
        asked("--name", "TEXT", "c: what C names begin with; else the robot's name. fmu: of the model."),
    ] = None,
    fmi: Annotated[str | None, asked("--fmi", "VERSION", "fmu: 2.0 (unless given) or 3.0.")] = None,
    kind: Annotated[
        str | None, asked("--kind", "NAME", "fmu: co-simulation, model-exchange or both; else both.")
    ] = None,
    parameter: Annotated[
        list[str] | None,
        asked(
            "--parameter",
            "PATH",
            "c, fmu: a number of the robot that becomes an argument, or that a tool may change beside gains and "
            "gravity, such as links.forearm.body.mass; may be given several times.",
        ),
    ] = None,
    backend: Annotated[
        str | None,
        asked(
            "--backend",
            "WAY",
            "c: straight (assignments only, fastest where short), loops (over tables, shortest); else the better.",
        ),
    ] = None,
    platform: Annotated[
        list[str] | None,
        asked(
            "--platform",
            "NAME",
            "fmu: another machine that it is to run on: win64, linux64, darwin64, aarch64-linux, "
            "aarch64-darwin or all; may be given several times. Needs the extra compiler.",
        ),
    ] = None,
    settings: Settings = None,
) -> None:
    """Write a saved run as a table, a robot as C code, or a scenario as an FMU.

    A run becomes CSV, Excel or Parquet, a row per time, a column per number; or MATLAB's arrays. A robot becomes C99
    without dependencies: dynamics, joint wrenches, mass matrix, poses, Jacobians, exact derivatives, a step of the
    closed loop in real time, with a test against Python. A scenario becomes an FMU of FMI 2.0 or 3.0, a block for
    Simulink, Modelica and other tools that runs by lissom's own kernels.
    """
    target = _format(to, out)
    given = {"--units": units, "--functions": functions, "--point": point, "--wrench": wrench, "--name": name}
    given |= {"--fmi": fmi, "--kind": kind, "--parameter": parameter, "--backend": backend, "--platform": platform}
    given |= {"--set": settings, "--in": in_units, "--column": column, "--controller": controller}
    for option, value in given.items():
        if value and option not in MEANT.get(target, ()):
            raise typer.BadParameter(f"{option} has no meaning for {target}")
    if target in TABLES:
        _table(check_name(what), target, out, in_units or units, column)
    elif target == "fmu":
        asked = {"version": fmi or "2.0", "kind": kind or "both", "wrenches": wrench, "parameters": parameter or ()}
        _fmu(what, out, settings or [], name=name, platforms=platform or (), **asked)
    elif controller:
        _controller(what, out, settings or [], name)
    else:
        _c_code(
            what,
            out,
            functions,
            settings or [],
            points=point,
            wrenches=wrench or (),
            name=name,
            parameters=parameter or (),
            backend=backend or "auto",
        )


def _format(to: str | None, out: Path | None) -> str:
    """Return the format that is asked for, or that the ending of the file says."""
    kind = to if to is not None else "" if out is None else out.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        given = f"--to {to}" if to is not None else out
        said = "the format is missing" if given is None else f"{given} names no format"
        raise typer.BadParameter(f"{said}; write --to with one of {listed(FORMATS)}")
    return kind


def _table(run: Path, kind: str, out: Path | None, units: bool | str, columns: list[str] | None) -> None:
    from lissom.simulation import Trajectory

    source = run / "trajectory.nc" if run.is_dir() else run
    to = Path(f"{source.parent.name if run.is_dir() else run.stem}.{kind}") if out is None else out
    if not source.exists():
        fail(f"{source}: no such file; give a folder that lissom run wrote, or a trajectory.nc")
    if kind in PACKAGES and find_spec(PACKAGES[kind][1]) is None:
        file, package, extra = PACKAGES[kind]
        fail(f"{file} needs the package {package}: pip install lissom[{extra}]; or write a .csv")
    if not to.parent.is_dir():
        fail(f"cannot write {to}: there is no folder {to.parent}; make it first")
    trajectory = Trajectory.load(source)
    if kind == "csv":
        trajectory.to_csv(to, units, columns)
    elif kind == "xlsx":
        trajectory.to_excel(to, units or True, columns)
    elif kind == "parquet":
        trajectory.to_parquet(to, columns)
    else:
        trajectory.to_mat(to)
    typer.echo(f"{to}: {len(trajectory.time)} rows")


def _c_code(robot: str, out: Path | None, functions: str | None, settings: list[str], **options: Any) -> None:
    from lissom.cli.builtin_entries import robot_of
    from lissom.export import to_c

    changed, _ = robot_of(robot, [assignment(text, EXAMPLE) for text in settings])
    chosen = None if functions is None else [each.strip() for each in functions.split(",") if each.strip()]
    written = to_c(changed, out or Path(f"{changed.name}-c"), chosen, **options)
    width = max(map(len, written.operations))
    for function, count in written.operations.items():
        typer.echo(f"{function.ljust(width)}  {count:>9} operations, {written.ways[function]}")
    typer.echo(f"{written.folder}: try make -C {written.folder} test")


def _controller(scenario: str, out: Path | None, settings: list[str], name: str | None) -> None:
    from lissom.cli.commands.run import prepare_scenario
    from lissom.export import controller_to_c

    loaded, _, prepared = prepare_scenario(scenario, [assignment(text, EXAMPLE) for text in settings])
    title = loaded.name or prepared.model.robot.name
    written = controller_to_c(
        prepared.model, prepared.controller, out or Path(f"{title}-controller"), name=name or f"{title} controller"
    )
    typer.echo(f"{written}: try make -C {written} test")


def _fmu(scenario: str, out: Path | None, settings: list[str], **options: Any) -> None:
    from lissom.cli.commands.run import prepare_scenario
    from lissom.export import to_fmu
    from lissom.progress import Progress

    loaded, _, prepared = prepare_scenario(scenario, [assignment(text, EXAMPLE) for text in settings])
    options["name"] = options["name"] or loaded.name
    with Progress("writing the FMU"):
        written = to_fmu(prepared, out or Path(f"{loaded.name}.fmu"), **options)
    typer.echo(f"{written}: FMI {options['version']}, {written.stat().st_size / 1e6:.1f} MB")
