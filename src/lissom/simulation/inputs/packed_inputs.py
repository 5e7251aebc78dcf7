"""What drives a run, controller and prescribed motion, as compiled code reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lissom.control.laws.control_law import ControlLaw, Together
from lissom.control.laws.sampled_control import Sampled
from lissom.control.references.reference import Reference
from lissom.errors import LissomError
from lissom.model.model import Model

NO_MOTION = Reference(np.array([0.0, 1.0]), np.zeros((1, 0, 6)))  # of no channel
NO_LENGTHS = {
    "driven": np.zeros(0, np.int64),
    "driven_breaks": np.array([0.0, 1.0]),
    "driven_coefficients": np.zeros((1, 0, 6)),
}


def continuous_or_sampled(model: Model, controller: Any) -> tuple[Any, ControlLaw | None, Sampled | Together | None]:
    """Return the controller, its continuous law, and what of it is sampled."""
    if controller is None:
        return None, None, None
    law = controller.law if isinstance(controller, Together) else controller
    if isinstance(law, ControlLaw) and law.nv != model.nv:
        raise LissomError(
            f"the controller was built for a model with {law.nv} velocities, this one has {model.nv}; "
            "build it from the same robot"
        )
    if isinstance(controller, ControlLaw):
        return controller, controller, None
    if isinstance(controller, Together):
        return controller, law, controller
    if isinstance(controller, Sampled):
        return controller, None, controller
    if callable(controller):
        return controller, None, Sampled(controller)
    text = "must be a ControlLaw, a Sampled or a function (t, q, v)"
    raise LissomError(text, ("controller",), controller)


def check_motion(motion: Any) -> dict[str, Reference]:
    """Return prescribed joints as {joint: Reference}, or a clear error."""
    if motion is not None and not isinstance(motion, Mapping):
        raise LissomError("must be {joint: Reference}", ("motion",), motion)
    for name, reference in (motion or {}).items():
        if not isinstance(reference, Reference):
            raise LissomError("must be a Reference, such as Reference.quintic(0, 1, 2)", ("motion", name), reference)
    return dict(motion or {})


def lengths_apart(model: Model, motion: Mapping[str, Reference]) -> tuple[dict[str, Reference], dict[str, Reference]]:
    """Return motions of joints, and those of lengths: of cylinders driven by length and loops that hold a distance."""
    closures = {loop.name: loop for loop in model.loops}
    lengths = {name: reference for name, reference in motion.items() if name in closures}
    for name, reference in lengths.items():
        if closures[name].distance is None:
            text = "is closed by a joint, which nothing moves; move a joint of the tree, or a loop with a distance"
            raise LissomError(f"this loop {text}", ("motion", name))
        if reference.channels != 1:
            raise LissomError("must be a Reference with 1 channel, the length in metres", ("motion", name), reference)
        shortest = float(np.min(reference(np.array(reference.breaks))[0]))
        if shortest <= 0:
            raise LissomError(f"is a length that reaches {shortest:.3g} m; it must stay above 0", ("motion", name))
    return {name: reference for name, reference in motion.items() if name not in lengths}, lengths


def driven_rows(model: Model, motion: Mapping[str, Reference]) -> dict[str, np.ndarray]:
    """Return rows of loops whose value is given in time, {loop: Reference}, as one piecewise polynomial."""
    if not motion:
        return NO_LENGTHS
    names = [loop.name for loop in model.loops]
    rows = [int(model.arrays.loops.rows[names.index(name), 0]) for name in motion]
    stacked = Reference.stack(list(motion.values()))
    coefficients = np.array(stacked.coefficients, float)
    coefficients[:, :, 0] -= np.real(model.arrays.loops.level[rows])
    return {
        "driven": np.array(rows, np.int64),
        "driven_breaks": np.array(stacked.breaks, float),
        "driven_coefficients": coefficients,
    }


def stack_motion(model: Model, motion: Mapping[str, Reference]) -> dict[str, np.ndarray]:
    """Return prescribed joints as one piecewise polynomial; behind an elastic gear the motor is what moves so."""
    at_q: list[int] = []
    at_v: list[int] = []
    group_v: list[int] = []
    numbers: list[int] = []
    groups: list[tuple[int, int, int, int]] = []
    before = 0
    for name, reference in motion.items():
        body = model.joint(name)
        kind = model.robot.link(body.link).joint.kind
        count = body.joint_q.stop - body.joint_q.start
        if reference.channels != count:
            what = " (w, x, y, z of a quaternion, and the position of a free joint; see control.pose_motion)"
            text = f"must be a Reference with {count} channel(s){what if kind.on_group else ''}"
            raise LissomError(text, ("motion", name), reference)
        if kind.on_group:
            groups.append((body.joint_q.start, body.joint_v.start, before, int(kind.floats)))
            group_v.extend(range(body.joint_v.start, body.joint_v.stop))
        else:
            at_q.extend(range(body.motor_q.start, body.motor_q.stop))
            at_v.extend(range(body.motor_v.start, body.motor_v.stop))
            numbers.extend(range(before, before + count))
        before += count
    stacked = Reference.stack(list(motion.values())) if motion else NO_MOTION
    return {
        "motion_q": np.array(at_q, np.int64),
        "motion_v": np.array(at_v + group_v, np.int64),
        "motion_number": np.array(numbers, np.int64),
        "motion_group": np.array(groups, np.int64).reshape(-1, 4),
        "motion_breaks": np.array(stacked.breaks, float),
        "motion_coefficients": np.array(stacked.coefficients, float),
    }
