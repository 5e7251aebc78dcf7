"""How a formulation tells where frames on its links are and how they move, by its own kinematics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Struct
from lissom.lie import se3
from lissom.model.description.frame import WORLD, Frame
from lissom.model.description.origin import Origin
from lissom.model.model import Model


class FrameMotion(NamedTuple):
    """Motion of the sections on which frames sit, row by row; row 0 is the world. Twists are in a section's own axes.

    A `FrameKernel` writes rows with an owner; the others stay as they are.
    """

    owner: np.ndarray  # (f,) row of the link, 0: the world
    R: np.ndarray  # (f, 3, 3) in world axes
    p: np.ndarray  # (f, 3)
    V: np.ndarray  # (f, 6) twist
    drift: np.ndarray  # (f, 6) its rate at zero accelerations of the coordinates, without gravity
    J: np.ndarray  # (f, 6, nv) twist per velocity
    offset_R: np.ndarray  # (f, 3, 3) of the frame on its section
    offset_p: np.ndarray  # (f, 3)


class FrameKernel(NamedTuple):
    """Compiled kinematics of frames: `kernel(own, q, v, motion)` fills a `FrameMotion`."""

    kernel: Any
    own: Struct


def frame_motion(model: Model) -> FrameMotion:
    """Make the memory for all frames of a model, those on the world in their places."""
    count, rows = len(model.frames) + 1, {link: k for k, link in enumerate(model.links, start=1)}
    motion = FrameMotion(
        owner=np.array([0, *(rows.get(frame.link, 0) for frame in model.frames)]),
        R=np.tile(np.eye(3), (count, 1, 1)),
        p=np.zeros((count, 3)),
        V=np.zeros((count, 6)),
        drift=np.zeros((count, 6)),
        J=np.zeros((count, 6, model.nv)),
        offset_R=np.tile(np.eye(3), (count, 1, 1)),
        offset_p=np.zeros((count, 3)),
    )
    for k, frame in enumerate(model.frames, start=1):
        place = offset(model, frame)
        motion.offset_R[k], motion.offset_p[k] = place[:3, :3], place[:3, 3]
    return motion


def offset(model: Model, frame: Frame) -> np.ndarray:
    """Return the pose (4, 4) of a frame on its section, or on its rigid link."""
    origin = model.robot.placed(frame).origin
    return se3.from_parts(np.real(origin.rotation()), np.real(origin.xyz))


def sections(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """Return the sections on which frames sit, as frames without an offset."""
    return tuple(Frame(link=frame.link, at=frame.at, origin=Origin(xyz=(0.0, 0.0, 0.0))) for frame in frames)


def on_links(frames: Sequence[Frame]) -> list[tuple[int, Frame]]:
    """Return the frames on links with their rows of a `FrameMotion`."""
    return [(row, frame) for row, frame in enumerate(frames, start=1) if frame.link != WORLD]
