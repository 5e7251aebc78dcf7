"""lissom pose."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from lissom.cli.printing.command_wrapper import assignment, command
from lissom.cli.printing.pose_options import Pose, read_pose
from lissom.cli.printing.shared_options import EXAMPLE, Anything, Json, Settings
from lissom.errors import LissomError
from lissom.terminal import screen

if TYPE_CHECKING:
    import numpy as np

    from lissom.model import Model

AT = "boom=[12, 0, 4]"


class Described(NamedTuple):
    """A pose in numbers."""

    joints: dict[str, float]  # rad or m, by coordinate
    lengths: dict[str, float]  # m, of cylinders, springs, ropes, rods
    tips: dict[str, list[float]]  # x, y, z in m, roll, pitch, yaw in rad, by end-effector


@command
def pose(
    robot: Anything,
    pose: Pose = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="LINK=[X,Y,Z]",
            show_default=False,
            help="Where the tip of a link is to be, in metres; six numbers give roll, pitch, yaw (rad) too, "
            "and '.' leaves one free. The pose nearest to that of --pose is found.",
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="NAME", show_default=False, help="A joint that does not move for --at."),
    ] = None,
    sag: Annotated[
        bool, typer.Option("--sag", help="With the links bent by their weight: the bent tip is there, for --at.")
    ] = False,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Joint values, lengths of cylinders and ropes, and places of the tips, whichever of them are given.

    Loops are closed, and links are not bent but with --sag. Joints that --pose names stay there, cylinders follow them;
    without them, cylinders have their own lengths.
    """
    from lissom.analysis import inverse_kinetostatics, static_equilibrium
    from lissom.cli.builtin_entries import robot_of
    from lissom.dynamics import closed_pose, inverse_kinematics

    changed, _ = robot_of(robot, [assignment(text, EXAMPLE) for text in settings or ()])
    model = changed.compile()
    start = read_pose(model, pose)
    if at is None:
        if keep:
            raise typer.BadParameter("--keep goes with --at")
        q = static_equilibrium(model, start).q if sag else closed_pose(model, start).q
    else:
        link, target = _target(at)
        find = inverse_kinetostatics if sag else inverse_kinematics
        q = find(model, target, link, q=start, keep=keep or None).q
    found = _describe(model, q)
    if as_json:
        typer.echo(json.dumps(found._asdict(), indent=2))
        return
    screen().print(_table(model, found))


def _target(text: str) -> tuple[str, np.ndarray]:
    """Return the link and the target of --at: a place, or a pose of six numbers."""
    import numpy as np

    from lissom.lie import so3

    link, value = assignment(text, AT)
    try:
        numbers = np.array([np.nan if one == "." else float(one) for one in value], float)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if len(numbers) == 3:
        return link, numbers
    if len(numbers) != 6 or np.isnan(numbers).any():
        raise LissomError(
            f"must be three numbers (a dot for one that is free) or six, such as {AT}", ("at", link), value
        )
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = so3.from_rpy(numbers[3:]), numbers[:3]
    return link, T


def _describe(model: Model, q: np.ndarray) -> Described:
    from lissom.dynamics import lengths, tip_pose
    from lissom.dynamics.coordinates import indices
    from lissom.lie import so3

    joints = {model.q_names[k]: float(q[k]) for body in model.bodies for k in indices(body.joint_q)}
    tips = {}
    for link in model.ends:
        T = tip_pose(model, q, link)
        tips[link] = [*T[:3, 3].tolist(), *so3.to_rpy(T[:3, :3]).tolist()]
    return Described(joints, lengths(model, q), tips)


def _table(model: Model, found: Described) -> Any:
    import numpy as np

    from lissom.printing import table
    from lissom.results.quantity_names import position_columns

    units = dict(zip(model.q_names, position_columns(model).units, strict=True))
    made = table("part", "value", "", title=f"Pose of {model.robot.name}")
    for name, value in found.joints.items():
        degrees = f"{np.degrees(value):.3f} deg" if units[name] == "rad" else ""
        made.add_row(name, f"{value:.6g} {units[name]}".removesuffix(" 1"), degrees)
    for name, length in found.lengths.items():
        made.add_row(f"{name} length", f"{length:.6g} m", "")
    for link, numbers in found.tips.items():
        place = ", ".join(f"{x:.6g}" for x in np.round(numbers[:3], 9) + 0.0)
        turn = ", ".join(f"{x:.3f}" for x in np.round(np.degrees(numbers[3:]), 9) + 0.0)
        made.add_row(f"tip of {link}", f"{place} m", f"roll, pitch, yaw {turn} deg")
    return made
