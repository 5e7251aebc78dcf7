"""Prescribed motions from the `motion:` block of a scenario file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.control.laws.channels import ControlledCoordinate, channels
from lissom.control.references.reference import Reference
from lissom.control.schema.reference_builder import reference
from lissom.control.schema.reference_schema import ReferenceBlock
from lissom.errors import LissomError, ScenarioError, within
from lissom.model.model import Model

if TYPE_CHECKING:
    from lissom.control.schema.pose_motions import Pose


def motions(
    model: Model, blocks: Mapping[str, ReferenceBlock | Pose], start: np.ndarray, duration: float
) -> dict[str, Reference]:
    """Return {joint or length: Reference} for `lissom.simulate`; a length is that of a cylinder or of a loop.

    Parameters
    ----------
    model : Model
        The robot with all its joints free.
    blocks : mapping
        {joint or length: {type: quintic, to: 1.0, duration: 2}}, checked.
    start : ndarray
        Configuration (nq,) at the start, from which motions begin unless they say otherwise.
    duration : float
        S, of the whole run.
    """
    made = {}
    lengths = {loop.name: loop.distance for loop in model.loops if loop.distance is not None}
    for joint, block in blocks.items():
        if joint in lengths:
            made[joint] = _length(model, joint, block, float(np.real(lengths[joint])), duration)
            continue
        if not isinstance(block, ReferenceBlock) or (joint in model.joints and _on_group(model, joint)):
            made[joint] = _pose(model, joint, block, start, duration)
            continue
        selected = channels(model, [joint], "motion")
        with within("motion", joint):
            if joint not in model.joints:
                text = f"a joint is prescribed as a whole; write {selected[0].joint}: with one value per coordinate"
                raise ScenarioError(text)
            first = np.array([start[channel.joint_q] for channel in selected])
            made[joint] = reference(model, block, selected, first, until=duration)
            _check_smooth(made[joint], duration)
    return made


def _length(model: Model, name: str, block: Any, start: float, duration: float) -> Reference:
    """Return the length over time of a cylinder, or of a loop that holds a distance; it begins at its own."""
    with within("motion", name):
        if not isinstance(block, ReferenceBlock):
            raise ScenarioError("is for spherical and free joints; choose another", ("type",), "pose")
        length = ControlledCoordinate(name, name, -1, -1, -1, -1, -1)  # no coordinate of the tree
        made = reference(model, block, (length,), np.array([start]), until=duration, positions=False)
        _check_smooth(made, duration)
        return made


def _on_group(model: Model, joint: str) -> bool:
    return model.robot.link(model.joint(joint).link).joint.kind.on_group


def _pose(model: Model, joint: str, block: Any, start: np.ndarray, duration: float) -> Reference:
    """Return the motion of a spherical or free joint."""
    from lissom.control.schema.pose_motions import Pose, pose_reference

    with within("motion"):
        body = model.joint(joint)
    with within("motion", joint):
        if not _on_group(model, joint):
            raise ScenarioError("is for spherical and free joints; choose another", ("type",), "pose")
        if not isinstance(block, Pose):
            text = "cannot move a spherical or free joint; write {type: pose, position: ..., rpy: ...}"
            raise ScenarioError(text, ("type",), block.type)
        floats = model.robot.link(body.link).joint.kind.floats
        motion = pose_reference(block, floats, start[body.joint_q], duration)
        _check_smooth(motion, duration)
        return motion


def _check_smooth(motion: Reference, duration: float) -> None:
    jumps = motion.discontinuities(1)
    inside = jumps[(jumps > 0) & (jumps < duration * (1 - 1e-9))]
    if inside.size:
        raise LissomError(
            f"its value or its speed jumps at t = {inside[0]:.4g} s, which would take an infinite torque; "
            "prescribe a smooth motion from rest to rest, such as quintic"
        )
