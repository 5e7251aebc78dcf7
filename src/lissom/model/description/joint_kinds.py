"""The kinds of joints: one table that the reader, the compiler, results, control, statics and the view read.

A joint is a short sequence of elementary motions (`kernel.data.arrays.Motion`), and everything else follows from them:
how many coordinates it has, their names and units, whether it moves on a group. A new kind is one more row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lissom.kernel.data.arrays import JointMotion

if TYPE_CHECKING:
    from lissom.model.description.joint import Joint

_QUATERNION = ("qw", "qx", "qy", "qz")
_SPIN, _GLIDE = ("wx", "wy", "wz"), ("vx", "vy", "vz")


class Coordinates(NamedTuple):
    """Coordinates of an elementary motion, in q or in v; names are "" where the joint's own name or a number serves."""

    names: tuple[str, ...]
    units: tuple[str, ...]  # of the coordinate, or of the integral of the velocity


POSITIONS = {
    JointMotion.TURN: Coordinates(("",), ("rad",)),
    JointMotion.SLIDE: Coordinates(("",), ("m",)),
    JointMotion.SCREW: Coordinates(("",), ("rad",)),
    JointMotion.BALL: Coordinates(_QUATERNION, ("1",) * 4),
    JointMotion.FLOAT: Coordinates((*_QUATERNION, "x", "y", "z"), ("1",) * 4 + ("m",) * 3),
}
VELOCITIES = POSITIONS | {
    JointMotion.BALL: Coordinates(_SPIN, ("rad",) * 3),
    JointMotion.FLOAT: Coordinates((*_SPIN, *_GLIDE), ("rad",) * 3 + ("m",) * 3),
}
FORCE = {"rad": "N m", "m": "N"}  # unit of the force on a coordinate, by the unit of the coordinate
FIRST, SECOND, NORMAL = range(3)  # axes of a joint: the first, the second, and the one normal to both


class Step(NamedTuple):
    """One elementary motion of a given joint."""

    motion: JointMotion
    screw: np.ndarray  # (6,) unit twist (angular, linear) of its coordinate; zero on a group


@dataclass(frozen=True)
class Kind:
    """What joints of one type have in common."""

    motions: tuple[tuple[JointMotion, int], ...]  # in order from the parent to the child, each with its axis
    axes: int = 0  # how many axes a file gives: one as `axis`, two as `axes`
    square: bool = False  # two axes at right angles, x and y unless given

    @cached_property
    def on_group(self) -> bool:
        """Whether it turns by a quaternion: q and v then differ in size, and q moves by a product."""
        return any(motion in (JointMotion.BALL, JointMotion.FLOAT) for motion, _ in self.motions)

    @property
    def floats(self) -> bool:
        """Whether nothing holds the child: the body is free."""
        return any(motion is JointMotion.FLOAT for motion, _ in self.motions)

    @property
    def pitched(self) -> bool:
        """Whether turn and slide are coupled by a pitch."""
        return any(motion is JointMotion.SCREW for motion, _ in self.motions)

    @property
    def single(self) -> bool:
        """Whether one coordinate says it all: a motor with a gear can drive it."""
        return len(self.position_units) == 1

    @cached_property
    def position_names(self) -> tuple[str, ...]:
        """Names of the configuration coordinates; "" where the joint's own name serves."""
        return self._names(POSITIONS)

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """Names of the velocity coordinates."""
        return self._names(VELOCITIES)

    @cached_property
    def position_units(self) -> tuple[str, ...]:
        """Units of the configuration coordinates: rad, m, or 1 of a quaternion."""
        return tuple(unit for motion, _ in self.motions for unit in POSITIONS[motion].units)

    @cached_property
    def velocity_units(self) -> tuple[str, ...]:
        """Units of the velocity coordinates, per second: rad or m."""
        return tuple(unit for motion, _ in self.motions for unit in VELOCITIES[motion].units)

    @property
    def force_units(self) -> tuple[str, ...]:
        """Units of the forces on the velocity coordinates: N m or N."""
        return tuple(FORCE[unit] for unit in self.velocity_units)

    def _names(self, table: dict[JointMotion, Coordinates]) -> tuple[str, ...]:
        own = tuple(name for motion, _ in self.motions for name in table[motion].names)
        return own if self.on_group or len(own) == 1 else tuple(str(k) for k in range(1, len(own) + 1))


_TURN, _SLIDE = (JointMotion.TURN, FIRST), (JointMotion.SLIDE, FIRST)

KINDS = {
    "fixed": Kind(()),
    "revolute": Kind((_TURN,), axes=1),
    "prismatic": Kind((_SLIDE,), axes=1),
    "helical": Kind(((JointMotion.SCREW, FIRST),), axes=1),
    "cylindrical": Kind((_TURN, _SLIDE), axes=1),
    "universal": Kind((_TURN, (JointMotion.TURN, SECOND)), axes=2),
    "planar": Kind((_SLIDE, (JointMotion.SLIDE, SECOND), (JointMotion.TURN, NORMAL)), axes=2, square=True),
    "spherical": Kind(((JointMotion.BALL, FIRST),)),
    "free": Kind(((JointMotion.FLOAT, FIRST),)),
}


def joint_steps(joint: Joint) -> list[Step]:
    """The elementary motions of a joint, in order from the parent to the child."""
    axes = [np.asarray(axis) for axis in joint.axes]
    axes += [np.cross(axes[0], axes[1])] if len(axes) == 2 else []
    return [Step(motion, _screw(joint, motion, axes[at] if axes else np.zeros(3))) for motion, at in joint.kind.motions]


def joint_screws(joint: Joint) -> np.ndarray:
    """Twists (nv, 6), angular part first, of the joint's velocities where its coordinates are zero."""
    if joint.kind.on_group:
        return np.eye(6)[: joint.nv]
    return np.array([step.screw for step in joint_steps(joint)]).reshape(-1, 6)


def _screw(joint: Joint, motion: JointMotion, axis: np.ndarray) -> np.ndarray:
    none = np.zeros(3)
    if motion is JointMotion.SCREW:
        return np.concatenate([axis, axis * (joint.pitch / (2 * np.pi))])
    return np.concatenate([axis, none]) if motion is JointMotion.TURN else np.concatenate([none, axis])
