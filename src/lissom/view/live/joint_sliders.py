"""Joints that a slider can move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.analysis.equilibrium.loop_freedoms import leading_joints
from lissom.model.model import BodyNames, Model
from lissom.results.lookup import joint_names
from lissom.results.quantity_names import position_columns


@dataclass(frozen=True)
class Handle:
    """One coordinate of a joint."""

    name: str
    joint: str
    body: BodyNames
    unit: str  # rad or m
    q: int  # index in the configuration
    v: int  # index in the velocity
    rotor: int | None  # index of its rotor in the velocity
    lower: float
    upper: float

    @property
    def step(self) -> float:
        """Of a slider."""
        return float(f"{(self.upper - self.lower) / 400:.1g}")

    def slider(self, gui: Any, value: float) -> Any:
        """Return a slider for it that stands at a value, wherever that is."""
        lower, upper = min(self.lower, value), max(self.upper, value)
        return gui.add_slider(f"{self.name} [{self.unit}]", lower, upper, self.step, value)


def handles(model: Model, q: np.ndarray | None = None) -> list[Handle]:
    """Return the coordinates of all joints that turn or slide about fixed axes and may be chosen near q.

    Joints that follow others, or cylinders, in a loop have no slider: they would fight what leads them.
    """
    leading = set(range(model.nv)) if q is None or not model.loops else set(leading_joints(model, q))
    units = position_columns(model).units
    reach = sum(float(np.real(beam.length)) for beam in model.flexible.values()) or 1.0
    made = []
    for link, body in zip(model.robot.bodies, model.bodies, strict=True):
        if link.joint.kind.on_group or np.any(model.arrays.velocities.prescribed[body.motor_v]):
            continue
        for k, name in enumerate(joint_names(body, "q")):
            at, v = body.joint_q.start + k, body.joint_v.start + k
            if v not in leading:
                continue
            half = 3.14 if units[at] == "rad" else float(f"{0.5 * reach:.1g}")
            lower, upper = -half, half
            if link.joint.limits is not None:
                least, most = (
                    float(link.joint.each(end)[k]) for end in (link.joint.limits.lower, link.joint.limits.upper)
                )
                # A range that lies beyond the usual one is shown as it is.
                lower, upper = (max(lower, least), min(upper, most)) if least < half and most > -half else (least, most)
            made.append(Handle(name, body.joint, body, units[at], at, v, body.rotor_v, lower, upper))
    return made
