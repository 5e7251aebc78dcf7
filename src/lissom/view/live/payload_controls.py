"""The payload of a robot, as something that can be changed."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from lissom.model.description.robot import Robot
from lissom.view.drawing.arm_drawing import end_effector

NAME = "payload"
LEAST = 1e-6  # kg; the payload stays a part of the robot when it is taken off


class Payload:
    """The mass at the tip of the end-effector: one that the robot has already, or a new one of nothing at first.

    It is a lumped mass at the tip of its beam, a rigid body fixed to the end of the arm, or a new link there.
    """

    def __init__(self, robot: Robot) -> None:
        data, end = robot.to_dict(), end_effector(robot.compile())
        self._place = _place(data, end) or _add_link(data, robot, end)
        self.robot = Robot.from_dict(data)

    @cached_property
    def mass(self) -> float:
        """In kg."""
        mass = float(np.real(_get(self.robot.to_dict(), self._place)["mass"]))
        return 0.0 if mass <= LEAST else mass

    @property
    def suggested(self) -> float:
        """A mass that the arm feels: a tenth of its own."""
        links = self.robot.compile()
        total = float(np.real(links.arrays.inertia.mass).sum())
        return 0.1 * total

    def with_mass(self, mass: float) -> Payload:
        """Return a robot with another payload."""
        data = self.robot.to_dict()
        _get(data, self._place)["mass"] = max(mass, LEAST)
        changed = object.__new__(Payload)
        changed._place, changed.robot = self._place, Robot.from_dict(data)
        return changed


def _place(data: dict[str, Any], end: str) -> tuple[Any, ...] | None:
    """Return where the payload stands in the description, if there is one."""
    last = next(k for k, link in enumerate(data["links"]) if link["name"] == end)
    link = data["links"][last]
    if "beam" in link:
        length = link["beam"]["length"]
        for k, lump in enumerate(link["beam"].get("masses", ())):
            if abs(lump.get("x", length) - length) < 1e-9 * length:
                return ("links", last, "beam", "masses", k)
    if link["joint"] == "fixed" or (isinstance(link["joint"], dict) and link["joint"].get("type") == "fixed"):
        body = link.get("body", {})
        if "mass" in body and "tip" not in body:
            return ("links", last, "body")
    return None


def _add_link(data: dict[str, Any], robot: Robot, end: str) -> tuple[Any, ...]:
    """Return a new link of nothing at the tip of the end-effector."""
    last = robot.link(end)
    names = {link.name for link in robot.links} | {link.joint.name for link in robot.links}
    name = NAME
    while name in names:
        name += "-"
    link: dict[str, Any] = {"name": name, "parent": last.name, "joint": "fixed", "body": {"mass": LEAST}}
    tip = getattr(last.body, "tip", None)
    if tip is not None:
        link["origin"] = {"xyz": [float(np.real(x)) for x in tip]}
    data["links"] = [*data["links"], link]
    return ("links", len(data["links"]) - 1, "body")


def _get(data: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        data = data[key]
    return data
