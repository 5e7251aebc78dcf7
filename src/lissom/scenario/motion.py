"""Prescribed motions from the `motion:` block of a scenario file."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lissom.control.channels import channels
from lissom.control.reference import Reference
from lissom.control.references import reference
from lissom.control.schema import ReferenceBlock
from lissom.errors import LissomError, ScenarioError, within
from lissom.model.compiled import Model


def motions(
    model: Model, blocks: Mapping[str, ReferenceBlock], start: np.ndarray, duration: float
) -> dict[str, Reference]:
    """{joint: Reference} for `lissom.simulate`.

    Args:
        model: the robot with all its joints free.
        blocks: {joint: {type: quintic, to: 1.0, duration: 2}}, checked.
        start: configuration (nq,) at the start, from which motions begin unless they say otherwise.
        duration: s, of the whole run.
    """
    made = {}
    for joint, block in blocks.items():
        selected = channels(model, [joint], "motion")
        with within("motion", joint):
            if joint not in model.joints:
                text = f"a joint is prescribed as a whole; write {selected[0].joint}: with one value per coordinate"
                raise ScenarioError(text)
            first = np.array([start[channel.joint_q] for channel in selected])
            made[joint] = reference(model, block, selected, first, until=duration)
            _check_smooth(made[joint], duration)
    return made


def _check_smooth(motion: Reference, duration: float) -> None:
    jumps = motion.discontinuities(1)
    inside = jumps[(jumps > 0) & (jumps < duration * (1 - 1e-9))]
    if inside.size:
        raise LissomError(
            f"its value or its speed jumps at t = {inside[0]:.4g} s, which would take an infinite torque; "
            "prescribe a smooth motion from rest to rest, such as quintic"
        )
