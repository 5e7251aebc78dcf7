"""Where a viewer stands: angles about the vertical and above the ground, in pages, films and on the live page alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lissom.view.drawing.arm_drawing import Drawing, FrameMotion

Viewpoint = tuple[float, float]  # rad
HOME: Viewpoint = (-1.05, 0.28)
BEHIND = 0.05  # of the reach: as far behind the rest may be what moves
SAMPLES = 24  # of a motion that are looked at
FAR = 3.0  # times its reach: where all of an arm goes farther than this, the picture travels with it


def horizontal(up: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two directions across `up` that turn with it: x and y where z is up."""
    ahead = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 0.0, 1.0])
    ahead = ahead - up * (up @ ahead)
    ahead /= np.linalg.norm(ahead)
    return ahead, np.cross(up, ahead)


def followed_link(arm: Drawing, motion: FrameMotion) -> int | None:
    """Return the link for the picture to travel with, where all that the world carries goes far, adrift or falling."""
    base = np.flatnonzero(arm.carrier < 0)
    way = np.linalg.norm(np.ptp(_places(arm, motion)[:, base], axis=0), axis=1)
    return int(base[way.argmin()]) if way.min() > FAR * arm.reach else None


def home(arm: Drawing, motion: FrameMotion) -> Viewpoint:
    """Return where one sees what moves: HOME, or its mirror image where that would be behind the rest."""
    places = _places(arm, motion)
    way = np.linalg.norm(np.ptp(places, axis=0), axis=1)
    if way.max() < 1e-3 * arm.reach:
        return HOME
    middle = places.mean(axis=0)
    moving = np.average(middle, axis=0, weights=way) - middle.mean(axis=0)
    ahead, side = horizontal(arm.up)
    turn, lift = HOME
    near = {at: moving @ (np.cos(at) * ahead + np.sin(at) * side) for at in (turn, -turn, np.pi - turn, np.pi + turn)}
    return (turn if near[turn] > -BEHIND * arm.reach else max(near, key=lambda at: near[at])), lift


def _places(arm: Drawing, motion: FrameMotion) -> np.ndarray:
    """Return origins (samples, s, 3) of all frames at some samples of a motion."""
    some = range(0, len(motion.eta), max(1, len(motion.eta) // SAMPLES))
    return np.array([arm.frames(motion, k).origin[: arm.world] for k in some])
