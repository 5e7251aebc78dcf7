"""Angles that look like degrees: a plain number is in radians, and `45` for 45 degrees is seven turns."""

from __future__ import annotations

import math
import warnings

from lissom.errors import Keys, LissomError, outer_path
from lissom.model.compiled import Model


class AngleWarning(UserWarning):
    """An angle in radians that was likely meant in degrees."""


def doubt_degrees(model: Model, at: int, value: float, path: Keys) -> None:
    """Warn of the value of q[at] where it turns a joint by more than once round and is a number people write.

    Angles of several turns that are meant come from pi or from a unit, and have many digits: `720 deg` is no doubt.
    Joints with a pitch make many turns.
    """
    if abs(value) <= 2 * math.pi or round(value, 2) != value:
        return
    body = next((body for body in model.bodies if body.joint_q.start <= at < body.joint_q.stop), None)
    if body is None:
        return
    kind = model.robot.link(body.link).joint.kind
    if kind.position_units[at - body.joint_q.start] == "rad" and not kind.pitched:
        text = (
            f"is more than one turn, as angles are in radians; for degrees write {value:g} deg (in Python np.radians)"
        )
        warnings.warn(str(LissomError(text, (*outer_path(), *path), value)), AngleWarning, stacklevel=2)
