"""What drives a run, controller and prescribed motion, as compiled code reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lissom.control.kernel import LawArrays
from lissom.control.law import ControlLaw
from lissom.control.reference import Reference
from lissom.control.sampled import Sampled
from lissom.errors import LissomError
from lissom.model.compiled import Model


def continuous_or_sampled(model: Model, controller: Any) -> tuple[Any, ControlLaw | None, Sampled | None]:
    """The controller, as a continuous law or as a sampled one."""
    if controller is None:
        return None, None, None
    if isinstance(controller, ControlLaw):
        if controller.nv != model.nv:
            raise LissomError(
                f"the controller was built for a model with {controller.nv} velocities, this one has {model.nv}; "
                "build it from the same robot"
            )
        return controller, controller, None
    if isinstance(controller, Sampled):
        return controller, None, controller
    if callable(controller):
        return controller, None, Sampled(controller)
    text = "must be a ControlLaw, a Sampled or a function (t, q, v)"
    raise LissomError(text, ("controller",), controller)


def law_arrays(law: ControlLaw | None) -> LawArrays:
    """The law as compiled code reads it; no law is one on no coordinates."""
    index, number = np.zeros(0, np.int64), np.zeros(0)
    none = Reference(np.array([0.0, 1.0]), np.zeros((1, 0, 6)))
    reference, feed = (none, none) if law is None else (law.reference, law.feedforward)
    indices = ("force", "measured_q", "measured_v", "twin_index", "twin_q", "twin_v")
    numbers = ("kp", "kd", "lower", "upper")
    parts: dict[str, Any] = {name: np.array(getattr(law, name, index), np.int64) for name in indices}
    parts |= {name: np.array(getattr(law, name, number), float) for name in numbers}
    return LawArrays(
        law=0 if law is None else int(law.law),
        breaks=np.array(reference.breaks),
        coefficients=np.array(reference.coefficients),
        feed_breaks=np.array(feed.breaks),
        feed_coefficients=np.array(feed.coefficients),
        **parts,
    )


def checked_motion(motion: Any) -> dict[str, Reference]:
    """Prescribed joints as {joint: Reference}, or a clear error."""
    if motion is not None and not isinstance(motion, Mapping):
        raise LissomError("must be {joint: Reference}", ("motion",), motion)
    for name, reference in (motion or {}).items():
        if not isinstance(reference, Reference):
            raise LissomError("must be a Reference, such as Reference.quintic(0, 1, 2)", ("motion", name), reference)
    return dict(motion or {})


def stacked_motion(model: Model, motion: Mapping[str, Reference]) -> dict[str, np.ndarray]:
    """Prescribed joints as one piecewise polynomial."""
    at_q: list[int] = []
    at_v: list[int] = []
    for name, reference in motion.items():
        body = model.body(name)
        if body.joint_q.stop - body.joint_q.start != body.joint_v.stop - body.joint_v.start:
            raise LissomError("a joint on a group cannot be prescribed by coordinates", ("motion", name))
        count = body.joint_v.stop - body.joint_v.start
        if reference.channels != count:
            raise LissomError(f"must be a Reference with {count} channel(s)", ("motion", name), reference)
        at_q.extend(range(body.joint_q.start, body.joint_q.stop))
        at_v.extend(range(body.joint_v.start, body.joint_v.stop))
    stacked = Reference.stack(list(motion.values())) if motion else Reference(np.array([0.0, 1.0]), np.zeros((1, 0, 6)))
    return {
        "motion_q": np.array(at_q, np.int64),
        "motion_v": np.array(at_v, np.int64),
        "motion_breaks": np.array(stacked.breaks, float),
        "motion_coefficients": np.array(stacked.coefficients, float),
    }
