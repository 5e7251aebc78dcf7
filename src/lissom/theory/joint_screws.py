"""Joints as sequences of elementary screws, for formulations whose joints have one coordinate each."""

from __future__ import annotations

import numpy as np

from lissom.kernel.arrays import Motion
from lissom.model.compile import joint_steps
from lissom.model.joint import Joint


def joint_screws(joint: Joint) -> list[np.ndarray]:
    """Screw (6,) through the frame's origin of each elementary motion of a joint, none where it is fixed."""
    turns = [(kind == Motion.TURN, axis) for kind, axis in joint_steps(joint)]
    return [np.concatenate([axis * turn, axis * (not turn)]) for turn, axis in turns]
