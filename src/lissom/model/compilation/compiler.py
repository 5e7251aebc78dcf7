"""From a robot's description to the arrays that the kernels read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.beam import FlexibleLink
from lissom.errors import RobotError, within
from lissom.kernel.data.arrays import (
    SEVERAL,
    Arrays,
    Axis,
    Bow,
    Contacts,
    Elements,
    Exact,
    Foreshortening,
    Gears,
    Inertia,
    Joints,
    Loads,
    Loops,
    Part,
    Passive,
    Sections,
    Strain,
    Tree,
    Velocities,
    layout,
    padded,
    zeros,
)
from lissom.lie import so3
from lissom.model.compilation.array_checks import check
from lissom.model.compilation.end_conditions import ON_CHORD
from lissom.model.compilation.frames_on_links import attach, with_frames
from lissom.model.compilation.link_tables import (
    appended,
    coupled,
    put_body,
    put_bow,
    put_foreshortening,
    put_inertia,
    put_strain,
)
from lissom.model.compilation.mass_regularisation import TRACE, regularising_inertias
from lissom.model.compilation.variants import shared_tables, variant
from lissom.model.description.frame import Frame
from lissom.model.description.joint import Joint
from lissom.model.description.joint_kinds import joint_steps
from lissom.model.description.robot import Robot
from lissom.model.model import BodyNames, Model

if TYPE_CHECKING:
    from lissom.model.description.force_curve import Piece


def compile_robot(
    robot: Robot, prescribed: str | Iterable[str] = (), frames: Iterable[Frame] = (), before: Model | None = None
) -> Model:
    """Compile `robot` into a Model.

    Args:
        robot: the description; a complex value in it (set by `robot.with_value`) makes complex arrays.
        prescribed: joints whose motion is given, by name: acceleration is an input, force a result.
        frames: frames on links that get rows of their own, after those of the links and of the robot's own frames.
        before: the model of a similar robot; what both have in common is taken from there.
    """
    names = (prescribed,) if isinstance(prescribed, str) else tuple(prescribed)
    similar = None if before is None or names or frames else variant(robot, before)
    return similar or _Compiler(robot, names, tuple(frames)).model(before)


class _Compiler:
    """Fills the arrays body by body; row 0 is the world."""

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
        }

    def model(self, before: Model | None) -> Model:
        plain = self.number is np.float64 and not any(self.prescribed)
        shared = shared_tables(self.robot, self.names, before) if plain and before is not None else {}
        tables = {name: shared[name] if name in shared else make() for name, make in self._makers().items()}
        arrays = Arrays(gravity=np.asarray(self.robot.gravity, self.number), **tables)
        check(arrays, [link.name for link in self.links])
        arrays = with_frames(self.robot, arrays, self.frames, self.rows, self.flexible)
        return Model(self.robot, arrays, self.flexible, tuple(self.names), self.frames)

    def _makers(self) -> dict[str, Callable[[], Any]]:
        """Return who makes which tables, in the order in which they need each other."""
        return {
            "tree": self._tree,
            "sections": self._sections,
            "inertia": self._inertia,
            "foreshortening": self._foreshortening,
            "bow": self._bow,
            "strain": self._strain,
            "exact": self._exact,
            "joints": self._joints,
            "velocities": self._velocities,
            "passive": self._passive,
            "gears": self._gears,
            "loops": self._loops,
            "loads": lambda: self._zeros(Loads, LOAD=0),
            "elements": self._elements,
            "contacts": self._contacts,
        }

    # coordinates ------------------------------------------------------------------------------------------------

    def _name_coordinates(self) -> list[BodyNames]:
        """Return order of q and v: for each body its joint coordinates, then its modes; then the rotors."""
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

    # tables -----------------------------------------------------------------------------------------------------

    def _zeros(self, part: type[Part], **more: int) -> Part:
        """Return a part with all its tables zero; `more`: sizes of axes that only this part has."""
        return zeros(part, self.sizes | {Axis[name]: size for name, size in more.items()}, self.number)

    def _flexible(self) -> Iterator[tuple[int, FlexibleLink]]:
        """Return rows and links of the bodies that bend."""
        names = (link.name for link in self.links)
        return ((i, self.flexible[name]) for i, name in enumerate(names, start=1) if name in self.flexible)

    def _starts(self, lengths: dict[int, int]) -> np.ndarray:
        """Return first row of every body and the end, in a table that lists rows body by body; `lengths` by body."""
        return np.cumsum([0, *(lengths.get(i, 0) for i in range(self.n))])

    def _tree(self) -> Tree:
        out = self._zeros(Tree)
        for i, (link, names) in enumerate(zip(self.links, self.names, strict=True), start=1):
            out.parent[i] = self.rows[link.parent]
            out.joint_q[i], out.joint_v[i] = names.joint_q.start, names.joint_v.start
            out.modes_q[i], out.modes_v[i] = names.modes_q.start, names.modes_v.start
            if link.name in self.stations:
                out.nodes[i] = self.stations[link.name].nodes
        for i, beam in self._flexible():
            out.modes[i], out.bending[i], out.second_order[i] = beam.count, beam.bending_count, int(beam.second_order)
        return out

    def _sections(self) -> Sections:
        out = self._zeros(Sections)
        for i, link in enumerate(self.links, start=1):
            if link.parent in self.flexible:
                attach(out, i, self.flexible[link.parent], link.at)
        return out

    def _joints(self) -> Joints:
        out = self._zeros(Joints)
        out.origin_rotation[:], out.axis[:] = np.eye(3), SEVERAL
        for i, link in enumerate(self.links, start=1):
            rotation, position = np.eye(3), np.asarray(link.origin.xyz)
            if any(link.origin.rpy):
                rotation = so3.from_rpy(np.asarray(link.origin.rpy, self.number))
            out.origin_rotation[i], out.origin_position[i] = rotation, position
            out.has_origin[i] = int(np.any(position) or np.any(rotation != np.eye(3)))
            out.dofs[i] = link.joint.nv
            for k, step in enumerate(joint_steps(link.joint)):
                out.motion[i, k], out.screw[i, k], out.steps[i] = step.motion, step.screw, k + 1
            out.path[i, : len(link.joint.path)] = np.reshape(link.joint.path, (-1, 3))
            if (
                link.joint.nv == 1
                and not link.joint.path
                and np.sum(out.screw[i, 0] != 0) == 1
                and np.any(out.screw[i, 0] == 1)
            ):
                out.axis[i] = np.argmax(out.screw[i, 0] == 1)
        return out

    def _velocities(self) -> Velocities:
        out = self._zeros(Velocities)
        out.prescribed[:], out.group_axis[:] = self.prescribed, -1
        for link, names in zip(self.links, self.names, strict=True):
            on_group = link.joint.kind.on_group
            for k, at in enumerate(range(names.joint_v.start, names.joint_v.stop)):
                out.coordinate[at] = names.joint_q.start + (0 if on_group else k)
                out.group_axis[at] = k if on_group else -1
            out.coordinate[names.modes_v] = np.arange(names.modes_q.start, names.modes_q.stop)
            if names.rotor_v is not None:
                out.coordinate[names.rotor_v] = names.rotor_q or 0
            gear = link.joint.transmission
            if gear is not None and not link.joint.elastic:
                out.armature[names.joint_v] = gear.rotor_inertia * gear.gear**2
        return out

    def _inertia(self) -> Inertia:
        out = self._zeros(Inertia, COUPLED=0)
        for i, link in enumerate(self.links, start=1):
            if link.body is not None:
                put_body(out, i, link.body)
        for i, beam in self._flexible():
            put_inertia(out, i, beam)
        for name in regularising_inertias(self.robot):
            trace = TRACE * out.mass.sum()
            out.mass[self.rows[name]] += trace
            out.second_moment[self.rows[name]] += trace * self._reach() ** 2 * np.eye(3)
        return coupled(out)

    def _reach(self) -> float:
        """Return about how long the longest link is, m."""
        ways = [float(np.linalg.norm(np.real(link.origin.xyz))) for link in self.links]
        return max([*ways, *(float(np.real(beam.length)) for beam in self.flexible.values())])

    def _foreshortening(self) -> Foreshortening:
        parts = {i: part for i, beam in self._flexible() if (part := beam.shortening()) is not None}
        starts = self._starts({i: len(part.weight) for i, part in parts.items()})
        out = self._zeros(Foreshortening, FUNCTION=starts[-1])
        out.start[:] = starts
        for i, beam in self._flexible():
            put_foreshortening(out, i, beam)
        return out

    def _bow(self) -> Bow:
        starts = self._starts({i: len(beam.bow.nodes) for i, beam in self._flexible() if beam.bow is not None})
        out = self._zeros(Bow, BOW=starts[-1])
        out.start[:] = starts
        for i, beam in self._flexible():
            put_bow(out, i, beam)
        return out

    def _strain(self) -> Strain:
        starts = self._starts({i: len(beam.cubic_terms()[0]) for i, beam in self._flexible()})
        out = self._zeros(Strain, CUBIC=starts[-1])
        out.cubic_start[:] = starts
        for i, beam in self._flexible():
            name = self.links[i - 1].name
            out.cubic_modes[starts[i] : starts[i + 1]] = beam.cubic_terms()[0]
            with within("links", name):
                put_strain(out, i, beam, self.stations.get(name))
        out.damped[:] = np.any(out.damping, axis=(1, 2))
        return out

    def _exact(self) -> Exact:
        parts = {self.rows[name]: part for name, part in self.stations.items()}
        starts = self._starts({i: len(part.mass) for i, part in parts.items()})
        out = self._zeros(Exact, STATION=starts[-1])
        out.start[:] = starts
        for i, part in parts.items():
            out.retardation[i] = part.retardation
            for name, (_, axes) in layout(Exact).items():
                if axes[0] is Axis.STATION:
                    values = getattr(part, name)
                    getattr(out, name)[starts[i] : starts[i + 1]][tuple(slice(size) for size in values.shape)] = values
        return out

    def _passive(self) -> Passive:
        """Make one row per coordinate on which a joint acts by itself."""
        rows: list[dict[str, Any]] = []
        pieces: list[Piece] = []
        for link, names in zip(self.links, self.names, strict=True):
            joint = link.joint
            if not (np.any(joint.damping) or joint.friction or joint.spring or joint.limits):
                continue
            on_group = joint.kind.on_group
            friction, spring, limits = joint.friction, joint.spring, joint.limits
            for k in range(joint.nv):

                def value(part: Any, field: str, default: float, joint: Joint = joint, k: int = k) -> Any:
                    return default if part is None else joint.each(getattr(part, field))[k]

                rows.append(
                    {
                        "q": -1 if on_group else names.joint_q.start + k,
                        "v": names.joint_v.start + k,
                        "viscous": joint.each(joint.damping)[k] + value(friction, "viscous", 0.0),
                        "coulomb": value(friction, "coulomb", 0.0),
                        "coulomb_speed": value(friction, "velocity", 1.0),
                        "stick": value(friction, "stick", 0.0),
                        "stick_speed": value(friction, "stribeck", 1.0),
                        "spring": value(spring, "stiffness", 0.0),
                        "spring_rest": value(spring, "rest", 0.0),
                        "pieces": appended(pieces, spring, value(spring, "stiffness", 0.0)),
                        "has_stop": int(limits is not None),
                        "lower": value(limits, "lower", 0.0),
                        "upper": value(limits, "upper", 0.0),
                        "stop_stiffness": value(limits, "stiffness", 0.0),
                        "stop_damping": value(limits, "damping", 0.0),
                        "stop_width": value(limits, "width", 1.0),
                    }
                )
        self.gear_pieces = [appended(pieces, link.joint.transmission) for link in self.rotors]
        self.element_pieces = [appended(pieces, element) for element in self.robot.elements]
        out = self._zeros(Passive, PASSIVE=len(rows), PIECE=len(pieces))
        for k, piece in enumerate(pieces):
            for name, entry in piece._asdict().items():
                getattr(out, f"piece_{name}")[k] = entry
        for k, row in enumerate(rows):
            for name, entry in row.items():
                getattr(out, name)[k] = entry
        return out

    def _loops(self) -> Loops:
        """Return rows of the frames are the last two for each loop, in its order."""
        closures = self.robot.closures
        held = [loop.held for loop in closures]
        out = self._zeros(Loops, LOOP=len(held), ROW=sum(map(len, held)))
        at = 0
        for k, (loop, rows) in enumerate(zip(closures, held, strict=True)):
            out.first[k] = self.n + len(self.robot.frames) - 2 * (len(held) - k)
            out.second[k] = out.first[k] + 1
            out.common[k] = self._common(*(frame.link for frame in loop.between))
            out.rows[k] = at, at + len(rows)
            for row in rows:
                for name in ("hold", "a", "b", "axis", "level", "pace"):
                    getattr(out, name)[at] = getattr(row, name)
                at += 1
        return out

    def _common(self, first: str, second: str) -> int:
        """Return row of the last body that carries both links."""
        above = {link.name: link.parent for link in self.links}
        ways: list[list[int]] = []
        for name in (first, second):
            way = [name]
            while way[-1] != "world":
                way.append(above[way[-1]])
            ways.append([self.rows[link] for link in way])
        return next(row for row in ways[0] if row in ways[1])

    def _gears(self) -> Gears:
        out = self._zeros(Gears)
        for k, link in enumerate(self.rotors):
            names, gear = self.names[self.rows[link.name] - 1], link.joint.transmission
            assert gear is not None  # an elastic joint has one
            out.rotor_q[k], out.rotor_v[k] = names.rotor_q, names.rotor_v
            out.joint_q[k], out.joint_v[k] = names.joint_q.start, names.joint_v.start
            out.inertia[k] = gear.rotor_inertia * gear.gear**2
            out.stiffness[k], out.damping[k] = gear.stiffness or 0.0, gear.damping
            out.hysteresis[k], out.hysteresis_speed[k] = gear.hysteresis, gear.hysteresis_velocity
            out.pieces[k] = self.gear_pieces[k]
        return out

    # what acts from outside ---------------------------------------------------------------------------------------

    def _elements(self) -> Elements:
        out = self._zeros(Elements, ELEMENT=len(self.robot.elements))
        for k, element in enumerate(self.robot.elements):
            out.kind[k], out.first[k], out.second[k] = element.kind, self.n + 2 * k, self.n + 2 * k + 1
            out.pieces[k] = self.element_pieces[k]
            for name, entry in element.table().items():
                getattr(out, name)[k] = entry
        return out

    def _contacts(self) -> Contacts:
        out = self._zeros(Contacts, CONTACT=len(self.robot.contacts))
        for k, contact in enumerate(self.robot.contacts):
            first = self.n + 2 * (len(self.robot.elements) + k)
            out.sphere[k], out.surface[k] = first, first + 1
            for name, entry in contact.table().items():
                getattr(out, name)[k] = entry
        return out
