"""The kinds of joints: one table that the reader, the compiler, results, control, statics and the view read.

A joint is a short sequence of elementary motions (`kernel.data.arrays.JointMotion`), and everything else follows from
them: how many coordinates it has, their names and units, whether it moves on a group. A kind made of them is one more
row of `KINDS`, from outside by `register_kind`. A motion that is new is a step in the kernel
(`kernel.kinematics.forward_kinematics`) and a row of `MOTIONS`; formulations that do not know it refuse it by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lissom.errors import RobotError
from lissom.kernel.data.arrays import JointMotion

if TYPE_CHECKING:
    from lissom.model.description.joint import Joint

_QUATERNION = ("qw", "qx", "qy", "qz")
_SPIN, _GLIDE = ("wx", "wy", "wz"), ("vx", "vy", "vz")


class Coordinates(NamedTuple):
    """Coordinates of an elementary motion, in q or in v; names are "" where the joint's own name or a number serves."""

    names: tuple[str, ...]
    units: tuple[str, ...]  # of the coordinate, or of the integral of the velocity


class MotionKind(NamedTuple):
    """What everybody but the kernel has to know of an elementary motion."""

    positions: Coordinates
    velocities: Coordinates
    turns: bool = False  # about an axis that both frames share
    slides: bool = False  # along an axis that both frames share
    on_group: bool = False  # by a quaternion: q and v differ in size, and q moves by a product
    floats: bool = False  # nothing holds the child
    coupled: str = ""  # field of a joint that couples turn and slide
    closes_loops: bool = True  # whether what it holds can be written as rows of a loop


_ANGLE, _LENGTH = Coordinates(("",), ("rad",)), Coordinates(("",), ("m",))
MOTIONS = {
    JointMotion.TURN: MotionKind(_ANGLE, _ANGLE, turns=True),
    JointMotion.SLIDE: MotionKind(_LENGTH, _LENGTH, slides=True),
    JointMotion.SCREW: MotionKind(_ANGLE, _ANGLE, turns=True, slides=True, coupled="pitch"),
    JointMotion.GUIDED: MotionKind(_ANGLE, _ANGLE, coupled="path", closes_loops=False),
    JointMotion.BALL: MotionKind(Coordinates(_QUATERNION, ("1",) * 4), Coordinates(_SPIN, ("rad",) * 3), on_group=True),
    JointMotion.FLOAT: MotionKind(
        Coordinates((*_QUATERNION, "x", "y", "z"), ("1",) * 4 + ("m",) * 3),
        Coordinates((*_SPIN, *_GLIDE), ("rad",) * 3 + ("m",) * 3),
        on_group=True,
        floats=True,
        closes_loops=False,
    ),
}
FORCE = {"rad": "N m", "m": "N"}  # unit of the force on a coordinate, by the unit of the coordinate
STEPS = 3  # motions of a joint that the tables of the kernel have room for
FIRST, SECOND, NORMAL = range(3)  # axes of a joint: the first, the second, and the one normal to both


class MotionStep(NamedTuple):
    """One elementary motion of a given joint."""

    motion: JointMotion
    screw: np.ndarray  # (6,) unit twist (angular, linear) of its coordinate where that is zero; zero on a group

    @property
    def row(self) -> MotionKind:
        """What is known of the motion."""
        return MOTIONS[self.motion]


@dataclass(frozen=True)
class Kind:
    """What joints of one type have in common."""

    motions: tuple[tuple[JointMotion, int], ...]  # in order from the parent to the child, each with its axis
    axes: int = 0  # how many axes a file gives: one as `axis`, two as `axes`
    square: bool = False  # two axes at right angles, x and y unless given

    @cached_property
    def rows(self) -> tuple[MotionKind, ...]:
        """What is known of its motions."""
        return tuple(MOTIONS[motion] for motion, _ in self.motions)

    @cached_property
    def on_group(self) -> bool:
        """Whether it turns by a quaternion: q and v then differ in size, and q moves by a product."""
        return any(row.on_group for row in self.rows)

    @property
    def floats(self) -> bool:
        """Whether nothing holds the child: the body is free."""
        return any(row.floats for row in self.rows)

    @property
    def closes_loops(self) -> bool:
        """Whether a loop can hold what such a joint holds."""
        return all(row.closes_loops for row in self.rows)

    @cached_property
    def coupled(self) -> str:
        """The field that couples its turn and its slide; "" where none does."""
        return next((row.coupled for row in self.rows if row.coupled), "")

    @property
    def single(self) -> bool:
        """Whether one coordinate says it all: a motor with a gear can drive it."""
        return len(self.position_units) == 1

    @cached_property
    def position_names(self) -> tuple[str, ...]:
        """Names of the configuration coordinates; "" where the joint's own name serves."""
        return self._names([row.positions for row in self.rows])

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """Names of the velocity coordinates."""
        return self._names([row.velocities for row in self.rows])

    @cached_property
    def position_units(self) -> tuple[str, ...]:
        """Units of the configuration coordinates: rad, m, or 1 of a quaternion."""
        return tuple(unit for row in self.rows for unit in row.positions.units)

    @cached_property
    def velocity_units(self) -> tuple[str, ...]:
        """Units of the velocity coordinates, per second: rad or m."""
        return tuple(unit for row in self.rows for unit in row.velocities.units)

    @property
    def force_units(self) -> tuple[str, ...]:
        """Units of the forces on the velocity coordinates: N m or N."""
        return tuple(FORCE[unit] for unit in self.velocity_units)

    def _names(self, coordinates: list[Coordinates]) -> tuple[str, ...]:
        own = tuple(name for each in coordinates for name in each.names)
        return own if self.on_group or len(own) == 1 else tuple(str(k) for k in range(1, len(own) + 1))


_TURN, _SLIDE = (JointMotion.TURN, FIRST), (JointMotion.SLIDE, FIRST)

KINDS = {
    "fixed": Kind(()),
    "revolute": Kind((_TURN,), axes=1),
    "prismatic": Kind((_SLIDE,), axes=1),
    "helical": Kind(((JointMotion.SCREW, FIRST),), axes=1),
    "guided": Kind(((JointMotion.GUIDED, FIRST),), axes=1),
    "cylindrical": Kind((_TURN, _SLIDE), axes=1),
    "universal": Kind((_TURN, (JointMotion.TURN, SECOND)), axes=2),
    "planar": Kind((_SLIDE, (JointMotion.SLIDE, SECOND), (JointMotion.TURN, NORMAL)), axes=2, square=True),
    "spherical": Kind(((JointMotion.BALL, FIRST),)),
    "free": Kind(((JointMotion.FLOAT, FIRST),)),
}


def register_kind(name: str, kind: Kind) -> None:
    """Let robot files give joints of a new type that is made of elementary motions.

    Parameters
    ----------
    name : str
        The type of such joints in robot files.
    kind : Kind
        Their motions: at most three, or one on a group by itself, since tables and quaternions have no more room.

    Raises
    ------
    RobotError
        Where the kernel has no step for a motion, or the sequence is one that it cannot go through.
    """
    unknown = [motion for motion, _ in kind.motions if motion not in MOTIONS]
    if unknown:
        raise RobotError(
            f"{unknown[0]!r} is no elementary motion of the kernel; choose from {', '.join(m.name for m in MOTIONS)}",
            ("joint", name),
        )
    if len(kind.motions) > STEPS or (kind.on_group and len(kind.motions) > 1):
        raise RobotError(f"must be at most {STEPS} motions, or one on a group; join two links instead", ("joint", name))
    if sum(bool(row.coupled) for row in kind.rows) > 1:
        raise RobotError("two of its motions would read the same field; join two links instead", ("joint", name))
    if any(at >= (3 if kind.axes == 2 else max(kind.axes, 1)) for _, at in kind.motions):
        raise RobotError("a motion has an axis that files do not give; correct `axes` of the kind", ("joint", name))
    KINDS[name] = kind


def joint_steps(joint: Joint) -> list[MotionStep]:
    """Return the elementary motions of a joint, in order from the parent to the child."""
    axes = [np.asarray(axis) for axis in joint.axes]
    axes += [np.cross(axes[0], axes[1])] if len(axes) == 2 else []
    return [
        MotionStep(motion, _screw(joint, motion, axes[at] if axes else np.zeros(3)))
        for motion, at in joint.kind.motions
    ]


def joint_screws(joint: Joint) -> np.ndarray:
    """Return the twists (nv, 6), angular part first, of the joint's velocities where its coordinates are zero."""
    if joint.kind.on_group:
        return np.eye(6)[: joint.nv]
    return np.array([step.screw for step in joint_steps(joint)]).reshape(-1, 6)


def _screw(joint: Joint, motion: JointMotion, axis: np.ndarray) -> np.ndarray:
    """Return the twist of the only coordinate of a motion where that is zero."""
    row = MOTIONS[motion]
    if row.coupled:
        slide = np.asarray(joint.path[0]) if row.coupled == "path" else axis * (joint.pitch / (2 * np.pi))
        return np.concatenate([axis, slide])
    return np.concatenate([axis * row.turns, axis * row.slides])
