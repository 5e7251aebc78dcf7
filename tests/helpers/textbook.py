"""Textbook machines as a user describes them, and how a user asks for numbers.

A case is a machine (what stands in a robot file), a question and the textbook's answer. Nothing is tuned: no `modes`,
no `ends`, no tolerance; sections are shapes of a material. `stiffening: exact` stands only where a case is about large
deflections, and the default field then has a case of its own, which must tell.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

import lissom

E, NU, RHO, g = 210e9, 0.3, 7850.0, 9.81
G = E / (2 * (1 + NU))
STEEL = "{E: 210 GPa, nu: 0.3, rho: 7850}"


@dataclass(frozen=True)
class Case:
    """A machine, a question, and the textbook's answer."""

    name: str
    source: str  # book and formula
    machine: str  # a robot file without its head
    ask: Callable[[lissom.Robot], object]
    expected: object = None  # number, or numbers
    gravity: float = 0.0  # downwards, m/s2
    told: str | None = None  # in place of the number, lissom must say this

    @property
    def robot(self) -> lissom.Robot:
        head = f"lissom: 1\nname: machine\ngravity: [0, 0, {-self.gravity}]\nmaterials: {{steel: {STEEL}}}\n"
        return lissom.Robot.from_yaml(head + self.machine)


def answer(case: Case) -> tuple[object, list[str]]:
    """What lissom answers (None where it refuses), and all sentences that it tells."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = case.ask(case.robot)
        except lissom.LissomError as error:
            return None, [str(error)]
    return value, [str(warning.message) for warning in caught]


# Sections: area, second moment of area, torsion constant.


def circle(diameter):
    return np.pi * diameter**2 / 4, np.pi * diameter**4 / 64, np.pi * diameter**4 / 32


def tube(outer, thickness):
    inner = outer - 2 * thickness
    return tuple(a - b for a, b in zip(circle(outer), circle(inner), strict=True))


# Questions


def rest(robot, q=None, **options):
    """Equilibrium; what it doubts is told as a warning."""
    found = lissom.static_equilibrium(robot, q, **options)
    for text in found.warnings:
        warnings.warn(text, stacklevel=2)
    return found


def run(robot, duration, **options):
    found = lissom.simulate(robot, duration, progress=False, **options)
    for event in found.warnings if hasattr(found, "warnings") else ():
        warnings.warn(getattr(event, "text", str(event)), stacklevel=2)
    return found


def pose(state, link, at=None):
    return lissom.point_pose(state.model, state.q, link, at)


def shift(state, link, at=None):
    """How far a point has moved from where it is in the unloaded machine, (3,) m."""
    unloaded = lissom.point_pose(state.model, state.model.neutral(), link, at)
    return (pose(state, link, at) - unloaded)[:3, 3]


def turn(state, link, at=None):
    """How far a section has turned, as a rotation vector in world axes, (3,) rad."""
    unloaded = lissom.point_pose(state.model, state.model.neutral(), link, at)
    return Rotation.from_matrix(pose(state, link, at)[:3, :3] @ unloaded[:3, :3].T).as_rotvec()


def down(force):
    return [0, 0, 0, 0, 0, -force]
