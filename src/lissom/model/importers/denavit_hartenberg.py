"""Arms from a Denavit-Hartenberg table, one row per joint.

In a file:

    dh:
      convention: standard            # or modified
      rows:
        - {name: upper, theta: 0, d: 0.4, a: 0.5, alpha: 0, body: {mass: 2, com: [-0.25, 0, 0]}}
        - {name: forearm, joint: {type: revolute, transmission: {...}}, a: 0.4, beam: {material: steel, section: {...}}}

Standard (Denavit and Hartenberg 1955): T = Rz(theta) Tz(d) Tx(a) Rx(alpha), frame i at the far end of link i.
Modified (Craig 1986): T = Rx(alpha) Tx(a) Rz(theta) Tz(d), frame i at the joint of link i. Masses are given in the
frame of the row, as tables do. The joint adds to theta (revolute) or d (prismatic). A beam reaches from its joint to
the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, field_validator

from lissom.errors import RobotError
from lissom.model.description.body import AnyBody
from lissom.model.description.joint import Joint
from lissom.model.description.origin import Origin
from lissom.model.description.robot import Robot
from lissom.model.importers.frame_based_links import WORLD, Framed, Inertial, pose, robot_links
from lissom.model.importers.registry import Importer, RobotForm, register
from lissom.model.schema.base_model import Description
from lissom.model.schema.name_fields import Choice, Name, Title
from lissom.model.schema.number_fields import Number, refusal
from lissom.model.schema.written_forms import AlsoWritten

Angle = Number("the angle", "rad")
Length = Number("the length", "metres")


class TableRow(Description):
    """One row of the table with the link it moves: a rigid body, a beam, or a frame without mass."""

    what: ClassVar[str] = "row"

    name: Annotated[str, Name("the name of the link")]
    theta: Annotated[float, Angle] = 0.0
    d: Annotated[float, Length] = 0.0
    a: Annotated[float, Length] = 0.0
    alpha: Annotated[float, Angle] = 0.0
    joint: Annotated[Joint, AlsoWritten(dict[str, Any])] = Field(default={"type": "revolute"}, validate_default=True)
    body: AnyBody | None = None
    beam: dict[str, Any] | None = None

    @field_validator("joint", mode="before")
    @classmethod
    def _axis_is_z(cls, joint: Any) -> Any:
        """Return a joint of the table turns about or slides along z; its axis need not be said."""
        joint = {"type": joint} if isinstance(joint, str) else joint
        if not isinstance(joint, dict):
            return joint
        kind = joint.get("type", "revolute")
        if kind not in ("revolute", "prismatic"):
            raise refusal("is not a joint of a Denavit-Hartenberg table; choose revolute or prismatic")
        if "axis" in joint:
            raise refusal("the axis of a Denavit-Hartenberg joint is z; remove axis")
        return {**joint, "type": kind, "axis": [0, 0, 1]}


class Table(Description):
    """The table."""

    what: ClassVar[str] = "dh block"

    convention: Annotated[str, Choice("the convention", ("standard", "modified"))] = "standard"
    rows: tuple[TableRow, ...] = Field(description="the rows, one per joint")


class DhFile(RobotForm):
    """A robot file with a table in place of links."""

    name: Annotated[str, Title("the name of the robot")]
    base: Origin = Origin()
    dh: Annotated[Table, AlsoWritten(tuple[TableRow, ...])]

    @field_validator("dh", mode="before")
    @classmethod
    def _rows_alone(cls, value: Any) -> Any:
        return {"rows": value} if isinstance(value, list | tuple) else value

    def robot(self, source: str = "", text_of: Callable[[Path], str] | None = None) -> Robot:
        """Return the robot that the file describes."""
        links = _standard(self) if self.dh.convention == "standard" else _modified_links(self)
        return Robot.from_dict(
            {
                "lissom": 1,
                "name": self.name,
                "gravity": self.gravity,
                "materials": self.materials,
                "links": robot_links(links),
            }
        )


def _about(axis: int, angle: float, shift: float) -> np.ndarray:
    """Return the pose of a turn about, and a shift along, x (0) or z (2)."""
    xyz, rpy = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    xyz[axis], rpy[axis] = shift, angle
    return pose(xyz, rpy)


def _standard(file: DhFile) -> list[Framed]:
    """Return link frames at the joints: frame i - 1, turned by theta; frame i of the table lies `to_frame` further.

    The last frame has nobody behind it that would be turned by `alpha`: the last link's own frame is, with its axis.
    """
    links: list[Framed] = []
    end = pose(file.base.xyz, file.base.rpy)
    for row in file.dh.rows:
        to_frame = _about(2, 0.0, row.d) @ _about(0, row.alpha, row.a)
        turned = np.eye(4)
        if row is file.dh.rows[-1] and row.alpha:
            if row.beam is not None:
                text = (
                    "turns the last frame against the beam that carries it; make it 0, or give a row more, with a body"
                )
                raise RobotError(text, ("dh", "rows", len(links), "alpha"), row.alpha)
            turned = _about(0, row.alpha, 0.0)
            to_frame = np.linalg.inv(turned) @ to_frame
        place = end @ _about(2, row.theta, 0.0) @ turned
        links.append(_link(row, links, place, to_frame, to_frame[:3, 3]))
        links[-1].joint["axis"] = turned[2, :3].tolist()
        end = to_frame
    return links


def _modified_links(file: DhFile) -> list[Framed]:
    """Return link frames are the table's frames; a link reaches to the next row's joint."""
    links: list[Framed] = []
    base = pose(file.base.xyz, file.base.rpy)
    for i, row in enumerate(file.dh.rows):
        here = base @ _about(0, row.alpha, row.a) @ _about(2, row.theta, row.d)
        base = np.eye(4)
        reach = None
        if i + 1 < len(file.dh.rows):
            after = file.dh.rows[i + 1]
            reach = (_about(0, after.alpha, after.a) @ _about(2, after.theta, after.d))[:3, 3]
        links.append(_link(row, links, here, np.eye(4), reach))
    return links


def _link(
    row: TableRow, before: list[Framed], place: np.ndarray, frame: np.ndarray, reach: np.ndarray | None
) -> Framed:
    """Return the link of a row; masses are in `frame`, the beam reaches to `reach`, both seen from its joint."""
    link = Framed(
        row.name,
        before[-1].name if before else WORLD,
        place,
        row.joint.model_dump(exclude_unset=True, exclude={"axes"}),
    )
    if row.body is not None:
        link.inertial = Inertial(row.body.mass, np.array(row.body.com), np.array(row.body.inertia)).seen_from(frame)
        link.tip = frame[:3, 3] if row.body.tip is None else (frame @ np.append(row.body.tip, 1.0))[:3]
    if row.beam is not None:
        if row.body is not None:
            raise RobotError("has a beam and a body; give one of them", ("dh", row.name))
        if reach is None:
            length = row.beam.get("length")
            reach = np.array([float(length), 0.0, 0.0]) if isinstance(length, int | float) else np.zeros(3)
        length = float(np.linalg.norm(reach))
        if length < 1e-9:
            raise RobotError("has no length; give a or d, or the length of the last beam", ("dh", row.name, "beam"))
        link.beam, link.ends = {**row.beam, "length": length}, (np.zeros(3), reach)
    return link


register(Importer(key="dh", form=DhFile))
