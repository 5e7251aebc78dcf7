"""Poses on the command line: joint values and cylinder lengths by name, and where that is in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.printing.command_wrapper import assignment

if TYPE_CHECKING:
    from lissom.model import Model

SHOWN = 12  # joints and cylinders in a title

Pose = Annotated[
    list[str] | None,
    typer.Option(
        "--pose",
        metavar="NAME=VALUE",
        show_default=False,
        help="Where a joint stands (else at zero), or how long a cylinder is; other cylinders follow.",
    ),
]


def read_pose(model: Model, given: list[str] | None) -> dict[str, Any]:
    """Return values by joint, units understood as in files, an angle that looks like degrees warned of."""
    from pydantic_core import PydanticCustomError

    from lissom.dynamics.coordinates import configuration
    from lissom.errors import LissomError
    from lissom.model.angle_warnings import doubt_degrees
    from lissom.model.schema.number_fields import Number
    from lissom.model.schema.units import POSITION

    number = Number("where the joint stands", POSITION, each=True)
    length = Number("how long the cylinder is", "metres", above=0)
    held = {loop.name for loop in model.loops if loop.distance is not None}
    pose = {}
    for name, value in (assignment(text, "elbow=45 deg") for text in given or ()):
        try:
            pose[name] = (length if name in held else number).check(value)
        except PydanticCustomError as error:
            raise LissomError(error.message(), ("pose", name), value) from None
    q = configuration(model, {name: value for name, value in pose.items() if name not in held}, "pose")
    for k, name in enumerate(model.q_names):
        if any(name == joint or name.startswith(f"{joint}.") for joint in pose):
            doubt_degrees(model, k, float(q[k]), ("pose", name))
    return pose


def where_it_stands(model: Model, q: Any) -> str:
    """Return where the joints stand and how long cylinders are, once the loops are closed."""
    from lissom.dynamics.coordinates import indices
    from lissom.dynamics.kinematic_loops.cylinder_pose import cylinders, lengths_at

    single = [(body.joint, float(q[body.joint_q.start])) for body in model.bodies if len(indices(body.joint_q)) == 1]
    names = cylinders(model)
    own = {loop.name: float(loop.distance) for loop in model.loops if loop.name in names and loop.distance is not None}
    values = [*single, *(own | lengths_at(model, q, names)).items()]
    shown = ", ".join(f"{name} {value:.4g}" for name, value in values[:SHOWN])
    return shown + (", ..." if len(values) > SHOWN else "")
