"""lissom modes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.printing.command_wrapper import assignment, command
from lissom.cli.printing.pose_options import Pose, read_pose, where_it_stands
from lissom.cli.printing.shared_options import EXAMPLE, Anything, Json, Settings, out
from lissom.errors import LissomError
from lissom.terminal import screen

if TYPE_CHECKING:
    from rich.table import Table

    from lissom.analysis import NaturalModes
    from lissom.model.model import Model


@command
def modes(
    robot: Anything,
    pose: Pose = None,
    free: Annotated[bool, typer.Option("--free", help="Let every joint move.")] = False,
    lock: Annotated[
        list[str] | None,
        typer.Option(
            "--lock",
            metavar="NAME",
            show_default=False,
            help="Lock this joint (its motor: NAME.rotor) and let the others move; may be given several times.",
        ),
    ] = None,
    motors: Annotated[bool, typer.Option("--motors", help="Lock the motors: elastic joints give way.")] = False,
    sag: Annotated[bool, typer.Option("--sag", help="Let the arm bend under its weight first.")] = False,
    buckling: Annotated[
        bool, typer.Option("--buckling", help="Load factors at which the arm buckles; without --load, of its weight.")
    ] = False,
    load: Annotated[
        list[str] | None,
        typer.Option(
            "--load",
            metavar="LINK=FX,FY,FZ",
            show_default=False,
            help="With --buckling: a growing force at the tip of LINK in N, world axes; may be given several times.",
        ),
    ] = None,
    follower: Annotated[
        list[str] | None,
        typer.Option(
            "--follower",
            metavar="LINK=FX,FY,FZ",
            show_default=False,
            help="With --buckling: a force at the origin of LINK that turns with it.",
        ),
    ] = None,
    to: Annotated[Path | None, out("With --buckling: file of a figure of the shapes.")] = None,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="How many modes, slowest first.")] = 10,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Natural frequencies and what moves in each mode, with the joints locked by default.

    Of a scenario file, the robot is taken where the scenario starts.
    """
    given = [name for name, is_given in (("--free", free), ("--motors", motors), ("--lock", lock)) if is_given]
    if len(given) > 1:
        raise typer.BadParameter(f"give one of {' and '.join(given)}, not {'both' if len(given) == 2 else 'all'}")
    if not buckling and (load or follower or to):
        raise typer.BadParameter("--load, --follower and --out go with --buckling")
    from lissom.analysis import natural_modes
    from lissom.cli.builtin_entries import robot_of
    from lissom.dynamics import closed_pose

    changed, scenario = robot_of(robot, [assignment(text, EXAMPLE) for text in settings or ()])
    model = changed.compile()
    q: Any = read_pose(model, pose)
    if scenario is not None and not q:
        q = scenario.with_value("robot", changed).prepare().start[0]
    q, lengths = closed_pose(model, q)
    if buckling:
        hold: Any = lock or (() if free else "motors" if motors else "joints")
        _buckling(model, q, hold, lengths, load, follower, number, to, as_json)
        return
    locked: Any = lock or (False if free else "motors" if motors else True)
    at: Any = "equilibrium" if sag else "given"
    found = natural_modes(model, q, locked=locked, number=number, at=at, lengths=lengths)
    if as_json:
        typer.echo(json.dumps(_data(found), indent=2))
        return
    held = "joints free" if free else "motors locked" if motors else "joints locked"
    if lock:
        held = f"{', '.join(lock)} locked"
    where = ", ".join(text.replace("=", " ") for text in pose or ()) or ("at the start" if scenario else "at zero")
    if model.loops and scenario is None:
        where = where_it_stands(model, found.q)
    screen().print(_table(found, f"Natural modes of {found.name}, {held}, {where}{', sagging' if sag else ''}"))


def _buckling(
    model: Model, q: Any, hold: Any, lengths: Any, load: list[str] | None, follower: list[str] | None, number: int,
    to: Path | None, as_json: bool,
) -> None:  # fmt: skip
    from lissom.analysis import buckling

    loads, wrenches = (_forces(given, name) for given, name in ((load, "--load"), (follower, "--follower")))
    found = buckling(model, loads, q, wrenches=wrenches, number=number, hold=hold, lengths=lengths)
    if as_json:
        rows = zip(found.factors.tolist(), found.kinds, found.frequencies.tolist(), found.labels)
        keys = ("load_factor", "kind", "frequency", "label")
        data = {"robot": found.name, "reached": found.reached, "modes": [dict(zip(keys, row)) for row in rows]}
        typer.echo(json.dumps(data, indent=2))
        return
    screen().print(found.table())
    if to is not None:
        import matplotlib

        from lissom.cli.printing.figure_files import save

        matplotlib.use("Agg")

        save(found.plot(), to)
        screen().print(f"figure: {to}")


def _forces(given: list[str] | None, option: str) -> dict[Any, list[float]]:
    """Return wrenches by link from texts such as "rod=0,0,-100"."""
    out: dict[Any, list[float]] = {}
    for text in given or ():
        link, _, numbers = text.partition("=")
        try:
            force = [float(number) for number in numbers.split(",")]
        except ValueError:
            force = []
        if not link or len(force) != 3:
            raise LissomError("must be a link and three numbers in N, such as rod=0,0,-100", (option,), text)
        out[link] = [0.0, 0.0, 0.0, *force]
    return out


def _data(found: NaturalModes) -> dict[str, Any]:
    rows = []
    for k, label in enumerate(found.labels):
        ratio = float(found.damping_ratios[k])
        rows.append(
            {
                "frequency": float(found.frequencies[k]),
                "damping_ratio": ratio if ratio == ratio else None,
                "growth": float(found.growth[k]),
                "resolved": bool(found.resolved[k]),
                "label": label,
                "participation": {name: float(share) for name, share in found.participation.strongest(k)},
            }
        )
    return {"robot": found.name, "locked": list(found.locked), "modes": rows}


def _table(found: NaturalModes, title: str) -> Table:
    from rich import box
    from rich.text import Text

    table = found.table()
    table.title, table.title_justify, table.box = Text(title, "bold"), "left", box.SIMPLE_HEAD
    for column, justify in zip(table.columns, ("right", "right", "right", "left", "left")):
        column.justify = justify  # type: ignore[assignment]
    table.columns[1].style = "bold cyan"
    return table
