"""Loops: a joint between two frames of the tree, and which directions it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field, field_validator, model_validator

from lissom.kernel.data.arrays import LoopRow
from lissom.messages import listed
from lissom.model.description.frame import WORLD, Frame, frame_problems
from lissom.model.description.joint import Joint
from lissom.model.description.joint_kinds import KINDS, MotionStep, joint_steps
from lissom.model.schema.base_model import Description, refusals
from lissom.model.schema.name_fields import Name
from lissom.model.schema.number_fields import Number, refusal
from lissom.model.schema.units import POSITION

if TYPE_CHECKING:
    from lissom.model.description.robot import Robot

Problem = tuple[tuple[str | int, ...], Any, str]


class Loop(Description):
    """A joint that closes a loop: the second frame moves on the first as a child does on its parent.

    In place of a joint a `distance` may be held between the origins of both frames, as a rod without mass does; or a
    `ratio`: the joint of the second link moves so many times as far as that of the first, as by a gear or a belt.
    """

    what: ClassVar[str] = "loop"

    name: Annotated[str, Name("the name of the loop")]
    joint: Joint | None = None
    distance: Annotated[float | None, Number("the distance between both origins", "metres", above=0)] = None
    ratio: Annotated[float | None, Number("how far the second joint moves per unit of the first")] = None
    offset: Annotated[float, Number("the second coordinate where the first is zero", POSITION)] = 0.0
    between: tuple[Frame, ...] = Field(description="the two frames, each with link, and at or origin as needed")

    @field_validator("joint")
    @classmethod
    def _holds(cls, joint: Joint | None, info: Any) -> Joint | None:
        if joint is None:
            return None
        if not joint.kind.closes_loops:
            holding = listed(kind for kind, other in KINDS.items() if other.closes_loops)
            why = "holds nothing" if joint.kind.floats else "holds a path, for which loops have no row"
            raise refusals(("type", joint.type, f"a {joint.type} joint {why}, so it closes no loop; choose {holding}"))
        for field in ("friction", "spring", "limits", "transmission"):
            if getattr(joint, field) is not None:
                raise refusals((field, getattr(joint, field), _ELSEWHERE))
        if np.any(joint.damping):
            raise refusals(("damping", joint.damping, _ELSEWHERE))
        if joint.name and "name" in info.data and joint.name != info.data["name"]:
            raise refusals(("name", joint.name, "the joint of a loop has the loop's name; remove this field"))
        return joint.model_copy(update={"name": info.data["name"]}) if "name" in info.data else joint

    @field_validator("between")
    @classmethod
    def _two(cls, between: tuple[Frame, ...]) -> tuple[Frame, ...]:
        if len(between) != 2:
            raise refusal(f"must be two frames, not {len(between)}; write between: [{{link: ...}}, {{link: ...}}]")
        return between

    @model_validator(mode="after")
    def _one_kind(self) -> Loop:
        given = [name for name in ("joint", "distance", "ratio") if getattr(self, name) is not None]
        text = (
            "give what closes the loop: joint, such as {type: revolute, axis: [0, 0, 1]}, or distance in metres, or "
            "the ratio of two joints"
        )
        if not given:
            raise refusals(("joint", None, f"missing; {text}"))
        if len(given) > 1:
            name = given[-1]
            raise refusals((name, getattr(self, name), f"conflicts with {given[0]}; {text}, and no other"))
        if self.offset and self.ratio is None:
            raise refusals(("offset", self.offset, "belongs to a ratio of two joints; remove it"))
        return self

    @property
    def kept_axes(self) -> np.ndarray:
        """Axes (n, 3) that both frames have in common however the joint moves."""
        steps = joint_steps(self.joint) if self.joint is not None else []
        if self.joint is None or any(step.row.on_group for step in steps):
            return np.zeros((0, 3))
        turns = [np.real(step.screw[:3]) for step in steps if step.row.turns]
        return np.eye(3) if not turns else np.array(turns if len(turns) == 1 else []).reshape(-1, 3)

    @property
    def held(self) -> list[Row]:
        """The directions that it holds."""
        if self.joint is not None:
            return held_rows(self.joint)
        if self.ratio is not None:
            return [Row(LoopRow.RATIO, "force on the second joint", np.zeros(3), level=self.offset, pace=self.ratio)]
        return [Row(LoopRow.DISTANCE, "force along the line", np.zeros(3), level=self.distance)]


_ELSEWHERE = (
    "acts along a coordinate, which the joint of a loop has not; cut the loop at another joint, or remove this field"
)


class Row(NamedTuple):
    """One direction that a joint holds, see `kernel.constraints.loop_constraints`; axes not used are zero."""

    hold: LoopRow
    label: str  # the reaction that holds it: "force along x"
    a: np.ndarray
    b: np.ndarray = np.zeros(3)
    axis: np.ndarray = np.zeros(3)
    level: Any = 0.0
    pace: Any = 0.0


def held_rows(joint: Joint) -> list[Row]:
    """Return the directions that a joint holds of its child: where it does not slide, how it does not turn."""
    if joint.kind.floats:
        return []
    steps = joint_steps(joint)
    slides = [_along(step) for step in steps if step.row.slides]
    turns = [step.screw[:3] for step in steps if step.row.turns]
    rows = [Row(LoopRow.PLACE, f"force along {_axis_text(a)}", a) for a in _normal_to(slides)]
    if any(step.row.on_group for step in steps):
        return rows
    if not turns:
        x, y, z = np.eye(3)
        pairs = [(y, z), (z, x), (x, y)]
    elif len(turns) == 1:
        pairs = [(a, turns[0]) for a in _normal_to(turns)]
    else:
        pairs = [(turns[0], turns[1])]
    for a, b in pairs:
        rows.append(Row(LoopRow.SQUARE, f"torque about {_axis_text(np.cross(b, a))}", a, b, level=a @ b))
    if joint.kind.coupled:
        axis = turns[0]
        side = _normal_to([axis])[0]
        label = f"torque about {_axis_text(axis)} with force along it"
        rows.append(Row(LoopRow.THREAD, label, side, side, axis, pace=2 * np.pi / joint.pitch))
    return rows


def _along(step: MotionStep) -> np.ndarray:
    """Return unit direction of a slide."""
    direction = step.screw[3:]
    return direction / np.linalg.norm(direction)


def _normal_to(axes: list[np.ndarray]) -> list[np.ndarray]:
    """Return unit vectors normal to the given ones and to each other; axes of the frame where they will do."""
    found: list[np.ndarray] = []
    taken = [np.real(axis) for axis in axes]
    if len(taken) == 2:
        normal = np.cross(taken[0], taken[1])
        return [normal / np.linalg.norm(normal)]
    for k in sorted(range(3), key=lambda k: sum(abs(axis[k]) for axis in taken)):
        unit = np.eye(3)[k]
        for other in taken:
            unit = unit - (unit @ other) * other / (other @ other)
        if len(taken) < 3:
            unit = unit / np.linalg.norm(unit)
            taken.append(unit)
            found.append(unit)
    return found


def _axis_text(axis: np.ndarray) -> str:
    """Return "x", "-y", or the components."""
    unit = np.real(axis) / np.linalg.norm(np.real(axis))
    for k, name in enumerate("xyz"):
        if abs(abs(unit[k]) - 1) < 1e-9:
            return name
    return "[" + ", ".join(f"{c:.3g}" for c in unit) + "]"


def loop_problems(robot: Robot) -> list[Problem]:
    """Return what keeps the loops from being closed on the robot: (path, value, what to do)."""
    found: list[Problem] = []
    joints = {link.joint.name: link.name for link in robot.links}
    names: set[str] = set()
    for i, loop in enumerate(robot.loops):
        path = ("loops", i)
        if loop.name in names:
            found.append(((*path, "name"), loop.name, "is the name of an earlier loop too; give each its own"))
        elif loop.name in joints:
            text = f"is the name of the joint of link {joints[loop.name]!r} too; give the loop a name of its own"
            found.append(((*path, "name"), loop.name, text))
        names.add(loop.name)
        frames = [frame_problems(robot, frame, (*path, "between", k)) for k, frame in enumerate(loop.between)]
        found += [problem for problems in frames for problem in problems]
        if loop.ratio is not None:
            found += _coupled_joints(robot, loop, path)
        elif not any(frames):
            found += _same_body(robot, loop, path)
    return found


def _coupled_joints(robot: Robot, loop: Loop, path: tuple[str | int, ...]) -> list[Problem]:
    """Return links whose joints no ratio can couple, and what places on them say, as joints have none."""
    links, found = {link.name: link for link in robot.links}, []
    for k, frame in enumerate(loop.between):
        where = (*path, "between", k)
        joint = links[frame.link].joint if frame.link in links else None
        if frame.at is not None or frame.origin != Frame(link=frame.link).origin:
            found.append((where, frame.link, "a ratio couples the joints of two links; give the link alone"))
        if frame.link in links and (joint is None or joint.nv != 1 or joint.kind.on_group):
            text = f"its joint is {joint.type if joint else 'fixed'}; a ratio couples joints of one coordinate each"
            found.append(((*where, "link"), frame.link, text))
        elif frame.link == WORLD:
            found.append(((*where, "link"), WORLD, "has no joint; name two links whose joints move together"))
    if loop.between[0].link == loop.between[1].link:
        found.append(
            ((*path, "between", 1, "link"), loop.between[1].link, "a joint cannot follow itself; name another")
        )
    return found


def _same_body(robot: Robot, loop: Loop, path: tuple[str | int, ...]) -> list[Problem]:
    """Return a loop whose frames cannot move against each other."""
    first, second = (frame.link for frame in loop.between)
    if first != second:
        return []
    links = {link.name: link for link in robot.links}
    if first != WORLD and links[first].flexible:
        return []
    what = "the world" if first == WORLD else f"the rigid link {first!r}"
    text = f"both frames are on {what}, which moves as one; name another link for one of them"
    return [((*path, "between", 1, "link"), second, text)]
