"""Closures: what makes a loop of a chain. Its wrench is one more unknown.

A closure holds the second of two frames in some directions P of its twist V relative to the first, in its own axes:

    P V = 0,    P V' = -P' V,    wrench on the second frame P^T lambda

(26) of Yaqubi et al. 2026 for the joints of a chain, here for one that closes it. P is constant but for joints with two
hinges and for rods; how far a frame is from where it should be is told in the same directions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from lissom.errors import LissomError
from lissom.lie import se3, so3
from lissom.messages import did_you_mean
from lissom.model.description.frame import WORLD, Frame
from lissom.model.description.joint import Joint
from lissom.model.description.joint_kinds import joint_screws, joint_steps
from lissom.model.description.kinematic_loop import Loop
from lissom.model.model import Model

Array = np.ndarray
DIRECTIONS = {"pose": np.eye(6), "position": np.eye(6)[3:], "rotation": np.eye(6)[:3]}


class End(NamedTuple):
    """A frame on a link: its section at x (the tip unless given; on a rigid link its origin), moved by `offset`."""

    link: str  # or the world
    x: Any = None
    offset: Array = np.eye(4)


class Closing(ABC):
    """Two frames, and what is held between them."""

    name: str  # how rows and reports call it
    size: int  # how many directions it holds

    @property
    @abstractmethod
    def ends(self) -> tuple[End, End]:
        """The first and the second frame."""

    @abstractmethod
    def directions(self, T: Array) -> Array:
        """Directions held (k, 6), in the axes of the second frame, whose pose in the first is T."""

    def turning(self, T: Array, V: Array) -> Array:
        """Their rate (k, 6) at the relative twist V."""
        return np.zeros((self.size, 6))

    @abstractmethod
    def gap(self, T: Array) -> Array:
        """How far the second frame is from where it should be along the directions held, (k,)."""


@dataclass(frozen=True)
class Closure(Closing):
    """The section of `link` at x (its tip unless given; on a rigid link its origin) keeps its pose or a part of it.

    It stays where it is when a motion begins.
    """

    link: str
    x: float | None = None
    holds: Literal["pose", "position", "rotation"] = "pose"
    place: Array | None = None  # (4, 4) where it is held

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name in messages and rows."""
        return f"{self.link} held"

    @property
    def size(self) -> int:  # type: ignore[override]
        """How many directions are held."""
        return len(DIRECTIONS[self.holds])

    @property
    def ends(self) -> tuple[End, End]:
        """The two frames: one in the world, one on the link."""
        return End(WORLD, offset=np.eye(4) if self.place is None else self.place), End(self.link, self.x)

    def directions(self, T: Array) -> Array:
        """Return the directions held (k, 6) at the relative pose T."""
        return DIRECTIONS[self.holds]

    def gap(self, T: Array) -> Array:
        """Return how far the section is from where it is held, (k,)."""
        return DIRECTIONS[self.holds] @ se3.log(T)

    def checked(self, model: Model) -> Closure:
        """Itself, after checks."""
        if self.link not in model.links:
            hint = did_you_mean(self.link, list(model.links))
            raise LissomError(f"there is no such link{hint}", ("closure", "link"), self.link)
        if self.holds not in DIRECTIONS:
            raise LissomError(f"take {', '.join(DIRECTIONS)}", ("closure", "holds"), self.holds)
        if self.link not in model.flexible and self.x is not None:
            raise LissomError(f"{self.link} is rigid, so leave this out", ("closure", "x"), self.x)
        return self


class LoopClosure(Closing):
    """A loop of the robot: a joint, or a rod, between two frames."""

    def __init__(self, loop: Loop) -> None:
        self.name, self.joint, self.distance = loop.name, loop.joint, np.real(loop.distance or 0.0)
        first, second = (_end(frame) for frame in loop.between)
        self._ends = first, second
        self.size = 1 if loop.joint is None else 6 - loop.joint.nv
        self.hinges = [] if loop.joint is None else _hinges(loop.joint)
        self.held = np.zeros((1, 6)) if loop.joint is None else held_directions(loop.joint)

    @property
    def ends(self) -> tuple[End, End]:
        """The two frames that the loop joins."""
        return self._ends

    def directions(self, T: Array) -> Array:
        """Return the directions held (k, 6) at the relative pose T."""
        if self.joint is None:
            return np.concatenate([np.zeros(3), _along(T)])[None]
        if len(self.hinges) < 2:
            return self.held
        first, second = T[:3, :3].T @ self.hinges[0], self.hinges[1]
        return np.concatenate([DIRECTIONS["position"], [[*np.cross(first, second), 0, 0, 0]]])

    def turning(self, T: Array, V: Array) -> Array:
        """Return the rate (k, 6) of the directions at relative pose T and twist V."""
        out = np.zeros((self.size, 6))
        if self.joint is None:
            u, across = _along(T), V[3:] - np.cross(V[:3], T[:3, :3].T @ T[:3, 3])
            out[0, 3:] = (across - u * (u @ across)) / np.linalg.norm(T[:3, 3])
        elif len(self.hinges) == 2:
            out[3, :3] = np.cross(-np.cross(V[:3], T[:3, :3].T @ self.hinges[0]), self.hinges[1])
        return out

    def gap(self, T: Array) -> Array:
        """Return how far the second frame is from where it may be, (k,)."""
        return self.directions(T) @ self._error(T)

    def _error(self, T: Array) -> Array:
        """Smallest displacement (6,) that brings the second frame to where it may be, from there to here."""
        R, p = T[:3, :3], T[:3, :3].T @ T[:3, 3]
        joint, hinges = self.joint, self.hinges
        if joint is None:
            return np.concatenate([np.zeros(3), _along(T) * (np.linalg.norm(p) - self.distance)])
        turn = np.zeros(3)
        if not hinges and not joint.kind.on_group:
            turn = so3.vee((R - R.T) / 2)
        elif len(hinges) == 1:
            axis = hinges[0]
            turn = np.cross(R.T @ axis, axis)
            if joint.kind.coupled:
                angle = _angle(R, axis) - 2 * np.pi * (axis @ p) / np.real(joint.pitch)
                turn, p = turn + axis * np.remainder(angle + np.pi, 2 * np.pi) - axis * np.pi, p - axis * (axis @ p)
        elif len(hinges) == 2:
            first, second = R.T @ hinges[0], hinges[1]
            normal = np.cross(first, second)
            turn = -normal * (first @ second - hinges[0] @ second) / (normal @ normal)
        return np.concatenate([turn, p])


def closures_of(model: Model) -> tuple[LoopClosure, ...]:
    """Return the loops of a robot as closures."""
    return tuple(LoopClosure(loop) for loop in model.loops)


def held_directions(joint: Joint) -> Array:
    """Orthonormal basis (6 - d, 6) of the wrenches that a joint transmits without a motor.

    (26) of Yaqubi et al. 2026, for every joint type, in the axes of the child's base: what does no work in its motions.

    Equations: 003 (26).
    """
    screws = joint_screws(joint)
    return np.linalg.svd(screws)[2][len(screws) :] if len(screws) else np.eye(6)


def _end(frame: Frame) -> End:
    return End(frame.link, frame.at, se3.from_parts(np.real(frame.origin.rotation()), np.real(frame.origin.xyz)))


def _hinges(joint: Joint) -> list[Array]:
    """Axes about which a joint turns, the first fixed in the first frame, the second in the second."""
    return [np.real(step.screw[:3]) for step in joint_steps(joint) if step.row.turns]


def _along(T: Array) -> Array:
    """Return the unit vector from the first origin to the second, in the axes of the second."""
    p = T[:3, :3].T @ T[:3, 3]
    return p / np.linalg.norm(p)


def _angle(R: Array, axis: Array) -> float:
    """Turn of R about an axis that it leaves in place."""
    return float(np.arctan2(axis @ so3.vee((R - R.T) / 2), (np.trace(R) - 1) / 2))
