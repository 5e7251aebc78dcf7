"""Cylinders that a slider can move: by length or by force."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.control.references.reference import Reference
from lissom.dynamics.kinematic_loops.cylinder_pose import lengths
from lissom.dynamics.kinematic_loops.loop_closing import LoopWarning, closed_configuration
from lissom.errors import LissomError
from lissom.model.model import Model
from lissom.simulation.inputs.loads import Load

STROKE, STEPS = 0.4, 8  # how far either way lengths are tried, as a part of the length, and in how many steps
FOLLOW = 1.5  # 1/s: how fast a cylinder goes where its slider is
GRAVITY = 9.81  # m/s2: three weights of the arm are the most that a cylinder pushes with


@dataclass(frozen=True)
class CylinderHandle:
    """One cylinder: its length in m where it is driven by length, else its push in N."""

    name: str
    unit: str  # m or N
    value: float
    lower: float
    upper: float

    @property
    def by_length(self) -> bool:
        """Whether its length is given; else its push."""
        return self.unit == "m"

    def slider(self, gui: Any, value: float) -> Any:
        """Return a slider for it."""
        step = float(f"{(self.upper - self.lower) / 400:.1g}")
        return gui.add_slider(f"{self.name} [{self.unit}]", self.lower, self.upper, step, value)


def cylinder_handles(model: Model, q: np.ndarray) -> list[CylinderHandle]:
    """Return the cylinders of a model whose loops are closed at q, with the range that they can move in."""
    now, made = lengths(model, q), []
    weight = GRAVITY * float(np.real(model.arrays.inertia.mass).sum())
    for part in model.robot.elements:
        if part.drawn != "cylinder":
            continue
        if part.held() is not None:
            made.append(CylinderHandle(part.name, "m", now[part.name], *_stroke(model, q, part.name, now[part.name])))
        else:
            push = float(np.real(getattr(part, "force", 0.0)))
            most = float(f"{max(3 * abs(push), 3 * weight):.2g}")
            made.append(CylinderHandle(part.name, "N", push, -most, most))
    return made


def pushed_joints(model: Model) -> set[str]:
    """Return the joints between the ends of cylinders driven by force, which a law in the joint would fight."""
    above = {link.name: link for link in model.robot.bodies}
    found: set[str] = set()
    for part in model.robot.elements:
        if part.drawn != "cylinder" or part.held() is not None:
            continue
        ways = []
        for frame in part.between:
            way, name = set(), frame.link
            while name in above:
                way.add(above[name].joint.name)
                name = above[name].parent
            ways.append(way)
        found |= ways[0] ^ ways[1]
    return found


class CylinderMotion:
    """How a cylinder follows its slider: critically damped, so that its speed has no jumps."""

    def __init__(self, handle: CylinderHandle) -> None:
        self.handle, self.value, self.rate = handle, handle.value, 0.0

    def advance(self, wanted: float, duration: float) -> Reference:
        """Return the next stretch of its way to what is wanted, a cubic, and stand at the end of it."""
        # e'' + 2 w e' + w^2 e = 0 with e = value - wanted: e(t) = (e + (e' + w e) t) exp(-w t)
        off, fade = self.value - wanted, np.exp(-FOLLOW * duration)
        slope = self.rate + FOLLOW * off
        after = wanted + (off + slope * duration) * fade
        rate = (slope - FOLLOW * (off + slope * duration)) * fade
        way, h = after - self.value, duration
        cubic = [self.value, self.rate, 3 * way / h**2 - (2 * self.rate + rate) / h]
        cubic.append((self.rate + rate) / h**2 - 2 * way / h**3)
        self.value, self.rate = float(after), float(rate)
        return Reference(np.array([0.0, duration]), np.array([[[*cubic, 0.0, 0.0]]]))

    def load(self, reference: Any) -> Load:
        """Return the load that makes the whole push over time, of which the cylinder has some by itself."""
        return Load(element=self.handle.name, force=reference + Reference.constant([-self.handle.value]))


def _stroke(model: Model, q: np.ndarray, name: str, length: float) -> tuple[float, float]:
    """Return the lengths between which loops close without bending a link, tried outwards from where they do."""
    ends = []
    for side in (-1, 1):
        end, pose = length, q
        for step in range(1, STEPS + 1):
            tried = length * (1 + side * STROKE * step / STEPS)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error", LoopWarning)
                    pose = closed_configuration(model, pose, set(), {name: tried})
            except (LissomError, LoopWarning):
                break
            end = tried
        ends.append(float(f"{end:.4g}"))
    return min(ends[0], length), max(ends[1], length)
