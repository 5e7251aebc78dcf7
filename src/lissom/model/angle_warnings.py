"""Angles that look like degrees: a plain number is in radians, and `45` for 45 degrees is seven turns."""

from __future__ import annotations

import warnings

from lissom.errors import Keys, LissomError, outer_path
from lissom.model.model import Model
from lissom.model.schema.number_fields import degrees_text, looks_like_degrees


class AngleWarning(UserWarning):
    """An angle in radians that was likely meant in degrees."""


def doubt_degrees(model: Model, at: int, value: float, path: Keys) -> None:
    """Warn of the value of q[at] where it looks like degrees. Joints with a pitch make many turns."""
    if not looks_like_degrees(value):
        return
    body = next((body for body in model.bodies if body.joint_q.start <= at < body.joint_q.stop), None)
    if body is None:
        return
    kind = model.robot.link(body.link).joint.kind
    if kind.position_units[at - body.joint_q.start] == "rad" and not kind.coupled:
        warnings.warn(str(LissomError(degrees_text(value), (*outer_path(), *path), value)), AngleWarning, stacklevel=2)
