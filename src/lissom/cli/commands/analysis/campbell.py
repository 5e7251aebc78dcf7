"""lissom campbell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from lissom.cli.printing.command_wrapper import assignment, command
from lissom.cli.printing.pose_options import Pose, read_pose
from lissom.cli.printing.shared_options import EXAMPLE, Anything, Json, Settings, out
from lissom.errors import LissomError
from lissom.terminal import screen


@command
def campbell(
    robot: Anything,
    joint: Annotated[
        str | None,
        typer.Option("--joint", metavar="NAME", show_default=False, help="What turns; the first joint unless given."),
    ] = None,
    low: Annotated[float, typer.Option("--from", metavar="RAD/S", help="First speed.")] = 0.0,
    high: Annotated[float, typer.Option("--to", metavar="RAD/S", help="Last speed.")] = 10.0,
    steps: Annotated[int, typer.Option("--steps", min=1, help="How many speeds.")] = 11,
    pose: Pose = None,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="How many modes, slowest first.")] = 6,
    to: Annotated[Path | None, out("File of the figure; out/NAME/campbell.png unless given.")] = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Frequencies of links over the speed at which a joint turns, about steady motions, in the turning frame."""
    import matplotlib
    import numpy as np

    from lissom.analysis import campbell as diagram
    from lissom.cli.builtin_entries import robot_of
    from lissom.cli.printing.figure_files import save

    changed, _ = robot_of(robot, [assignment(text, EXAMPLE) for text in settings or ()])
    model = changed.compile()
    turning = joint or next((body.joint for body in model.bodies if body.joint_v.stop > body.joint_v.start), None)
    if turning is None:
        raise LissomError(f"{changed.name} has no joint that turns", ("--joint",))
    q: Any = read_pose(model, pose)
    found = diagram(model, turning, np.linspace(low, high, steps), q or None, number=number)
    if as_json:
        names = ("speeds", "frequencies", "damping_ratios", "growth")
        data = {"robot": found.name, "joint": turning, "modes": list(found.labels)}
        typer.echo(json.dumps(data | {name: getattr(found, name).tolist() for name in names}, indent=2))
        return
    matplotlib.use("Agg")
    path = to or Path("out") / changed.name / "campbell.png"
    save(found.plot(), path)
    screen().print(found.table())
    screen().print(f"figure: {path}")
