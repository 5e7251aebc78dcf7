"""Where all of a robot stands in the tables of a model: bodies in rows, coordinates in q and v, sizes of axes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lissom.beam import FlexibleLink
from lissom.errors import RobotError
from lissom.kernel.data.arrays import Axis, padded
from lissom.kernel.data.table_operations import Part, zeros
from lissom.model.compilation.actuator_tables import name_states
from lissom.model.compilation.end_conditions import ON_CHORD
from lissom.model.description.frame import Frame
from lissom.model.description.robot import Robot
from lissom.model.model import BodyNames


class Layout:
    """The rows, coordinates and sizes of a robot's tables; row 0 is the world."""

    def __init__(self, robot: Robot, prescribed: tuple[str, ...], frames: tuple[Frame, ...]) -> None:
        self.robot = robot
        self.frames = robot.frames + frames
        self.links = robot.bodies
        self.flexible = robot.flexible_links()
        self.rows = {"world": 0} | {link.name: i for i, link in enumerate(self.links, start=1)}
        self.rotors = [link for link in self.links if link.joint.elastic]
        self.n = len(self.links) + 1
        m = padded(max((beam.count for beam in self.flexible.values()), default=0))
        exact = {name: link.stations() for name, link in self.flexible.items()}
        self.stations = {name: part for name, part in exact.items() if part is not None}
        self.number = np.complex128 if robot.has_complex_values() else np.float64
        self.names = self._name_coordinates()
        self.prescribed = self._prescribed_coordinates(prescribed)
        self.sizes = {
            Axis.BODY: self.n,
            Axis.START: self.n + 1,
            Axis.VELOCITY: self.nv,
            Axis.MODE: m,
            Axis.COUPLING: 12 * m,
            Axis.NODE: max((part.nodes for part in self.stations.values()), default=0),
            Axis.BOW_NODE: max((len(beam.bow.nodes) for beam in self.flexible.values() if beam.bow), default=0),
            Axis.GEAR: len(self.rotors),
            Axis.ACTUATOR: len(robot.drives),
            Axis.STATE: sum(len(own.states) for own in self.states),
            Axis.WAYPOINT: sum(len(actuator.frames(robot)) for actuator in robot.drives),
        }

    def _name_coordinates(self) -> list[BodyNames]:
        """Return order of q and v: for each body its joint coordinates, then its modes; then the rotors.

        In v the states of actuators follow.
        """
        names, nq, nv = [], 0, 0
        for link in self.links:
            joint = link.joint
            labels = self.flexible[link.name].labels if link.name in self.flexible else ()
            modes = tuple(f"{link.name}.{label}" for label in labels)
            body = BodyNames(
                link=link.name,
                joint=joint.name,
                joint_q=slice(nq, nq + joint.nq),
                joint_v=slice(nv, nv + joint.nv),
                modes_q=slice(nq + joint.nq, nq + joint.nq + len(modes)),
                modes_v=slice(nv + joint.nv, nv + joint.nv + len(modes)),
                q_names=joint.position_names + modes,
                v_names=joint.velocity_names + modes,
            )
            nq, nv = body.modes_q.stop, body.modes_v.stop
            names.append(body)
        for k, link in enumerate(self.rotors):
            body = names[self.rows[link.name] - 1]
            body.rotor_q, body.rotor_v = nq + k, nv + k
        self.nq, self.nv = nq + len(self.rotors), nv + len(self.rotors)
        self.states = name_states(self.robot, self.nv)
        self.nv += sum(len(own.states) for own in self.states)
        return names

    def _prescribed_coordinates(self, joints: tuple[str, ...]) -> np.ndarray:
        mask = np.zeros(self.nv, np.int64)
        known = {body.joint: body for body in self.names}
        for name in joints:
            if name not in known or known[name].joint_v.stop == known[name].joint_v.start:
                movable = ", ".join(b.joint for b in self.names if b.joint_v.stop > b.joint_v.start)
                raise RobotError(f"is not a joint that moves; choose from {movable}", ("prescribed",), name)
            if self.robot.on_chord(known[name].link):
                raise RobotError(f"cannot be given: {ON_CHORD.format(known[name].link)}", ("prescribed",), name)
            mask[known[name].motor_v] = 1
        return mask

    def zeros(self, part: type[Part], **more: int) -> Part:
        """Return a part with all its tables zero; `more`: sizes of axes that only this part has."""
        return zeros(part, self.sizes | {Axis[name]: size for name, size in more.items()}, self.number)

    def bending(self) -> Iterator[tuple[int, FlexibleLink]]:
        """Return rows and links of the bodies that bend."""
        names = (link.name for link in self.links)
        return ((i, self.flexible[name]) for i, name in enumerate(names, start=1) if name in self.flexible)

    def starts(self, lengths: dict[int, int]) -> np.ndarray:
        """Return first row of every body and the end, in a table that lists rows body by body; `lengths` by body."""
        return np.cumsum([0, *(lengths.get(i, 0) for i in range(self.n))])

    def common(self, first: str, second: str) -> int:
        """Return row of the last body that carries both links."""
        above = {link.name: link.parent for link in self.links}
        ways: list[list[int]] = []
        for name in (first, second):
            way = [name]
            while way[-1] != "world":
                way.append(above[way[-1]])
            ways.append([self.rows[link] for link in way])
        return next(row for row in ways[0] if row in ways[1])
