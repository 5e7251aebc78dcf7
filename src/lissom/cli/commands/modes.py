"""lissom modes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.printing.command_wrapper import assignment, command
from lissom.cli.printing.shared_options import EXAMPLE, Anything, Json, Settings
from lissom.terminal import screen

if TYPE_CHECKING:
    from rich.table import Table

    from lissom.analysis import NaturalModes
    from lissom.model import Model


SHOWN = 12  # joints and cylinders in a title


@command
def modes(
    robot: Anything,
    pose: Annotated[
        list[str] | None,
        typer.Option(
            "--pose",
            metavar="NAME=VALUE",
            show_default=False,
            help="Where a joint stands (else at zero), or how long a cylinder is; other cylinders follow.",
        ),
    ] = None,
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
    from lissom.analysis import natural_modes
    from lissom.cli.builtin_entries import robot_of
    from lissom.dynamics import closed_pose

    changed, scenario = robot_of(robot, [assignment(text, EXAMPLE) for text in settings or ()])
    model = changed.compile()
    q: Any = _pose(model, [assignment(text, "elbow=45 deg") for text in pose or ()])
    if scenario is not None and not q:
        q = scenario.with_value("robot", changed).prepare().start[0]
    q, lengths = closed_pose(model, q)
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
        where = _where(model, found.q)
    screen().print(_table(found, f"Natural modes of {found.name}, {held}, {where}{', sagging' if sag else ''}"))


def _pose(model: Model, given: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return values by joint, units understood as in files, an angle that looks like degrees warned of."""
    from pydantic_core import PydanticCustomError

    from lissom.dynamics.coordinates import configuration
    from lissom.errors import LissomError
    from lissom.model.angle_warnings import doubt_degrees
    from lissom.model.fields.number_fields import Number
    from lissom.model.fields.units import POSITION

    number = Number("where the joint stands", POSITION, each=True)
    length = Number("how long the cylinder is", "metres", above=0)
    held = {loop.name for loop in model.loops if loop.distance is not None}
    pose = {}
    for name, value in given:
        try:
            pose[name] = (length if name in held else number).check(value)
        except PydanticCustomError as error:
            raise LissomError(error.message(), ("pose", name), value) from None
    q = configuration(model, {name: value for name, value in pose.items() if name not in held}, "pose")
    for k, name in enumerate(model.q_names):
        if any(name == joint or name.startswith(f"{joint}.") for joint in pose):
            doubt_degrees(model, k, float(q[k]), ("pose", name))
    return pose


def _where(model: Model, q: Any) -> str:
    """Return where the joints stand and how long cylinders are, once the loops are closed."""
    from lissom.dynamics.coordinates import indices
    from lissom.dynamics.loops.cylinder_pose import cylinders, lengths_at

    single = [(body.joint, float(q[body.joint_q.start])) for body in model.bodies if len(indices(body.joint_q)) == 1]
    names = cylinders(model)
    own = {loop.name: float(loop.distance) for loop in model.loops if loop.name in names and loop.distance is not None}
    values = [*single, *(own | lengths_at(model, q, names)).items()]
    shown = ", ".join(f"{name} {value:.4g}" for name, value in values[:SHOWN])
    return shown + (", ..." if len(values) > SHOWN else "")


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
