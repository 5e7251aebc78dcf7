"""Stiffness and damping of the bodies as they were at the end of a step, for the Newton matrix of the next one.

Both depend on forces. Those of accelerations that are just predicted are far off where links are stiff.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import inline, kernel
from lissom.kernel.implicit.link_stiffness import link_stiffness
from lissom.kernel.links.geometric_stiffness import clear_turns, turn_stiffness


class LastStepStiffness(NamedTuple):
    """As in a Workspace."""

    link_stiffness: np.ndarray
    link_damping: np.ndarray
    turn_stiffness: np.ndarray


def make_last_step_stiffness(work: Any) -> LastStepStiffness:
    """Return memory for what a Workspace has."""
    return LastStepStiffness(*(np.zeros_like(getattr(work, name)) for name in LastStepStiffness._fields))


@kernel
def store_stiffness(model, work, q, v, last):
    """Note what belongs to the state (q, v), whose inverse dynamics the workspace holds."""
    link_stiffness(model, work, q, v)
    clear_turns(model, work)
    turn_stiffness(model, work)
    copy_stiffness(work, last)


@inline
def copy_stiffness(source, to):
    """Copy the blocks of all bodies."""
    copy_blocks(source.link_stiffness, to.link_stiffness)
    copy_blocks(source.link_damping, to.link_damping)
    copy_blocks(source.turn_stiffness, to.turn_stiffness)


@inline
def copy_blocks(source, to):
    """Copy an array of three axes."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            for k in range(source.shape[2]):
                to[i, j, k] = source[i, j, k]
