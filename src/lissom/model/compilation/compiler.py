"""From a robot's description to the arrays that the kernels read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.errors import within
from lissom.kernel.data.arrays import (
    FIRST_ORDER,
    SEVERAL,
    Actuators,
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
    Passive,
    Sections,
    Strain,
    Tree,
    Velocities,
)
from lissom.kernel.data.table_operations import layout
from lissom.lie import so3
from lissom.model.compilation.actuator_tables import put_actuators, rotor_inertias
from lissom.model.compilation.array_checks import check
from lissom.model.compilation.coordinate_layout import Layout
from lissom.model.compilation.frames_on_links import attach, with_frames
from lissom.model.compilation.link_tables import (
    append_curve,
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
from lissom.model.model import Model

if TYPE_CHECKING:
    from lissom.model.description.force_curve import CurvePiece


def compile_robot(
    robot: Robot, prescribed: str | Iterable[str] = (), frames: Iterable[Frame] = (), before: Model | None = None
) -> Model:
    """Compile `robot` into a Model.

    Parameters
    ----------
    robot : Robot
        The description; a complex value in it (set by `robot.with_value`) makes complex arrays.
    prescribed : str or iterable of str
        Joints whose motion is given, by name: acceleration is an input, force a result.
    frames : iterable of Frame
        Frames on links that get rows of their own, after those of the links and of the robot's own frames.
    before : Model, optional
        The model of a similar robot; what both have in common is taken from there.

    Returns
    -------
    Model
        Flat tables, on which the free functions of dynamics work.
    """
    names = (prescribed,) if isinstance(prescribed, str) else tuple(prescribed)
    similar = None if before is None or names or frames else variant(robot, before)
    return similar or _Compiler(robot, names, tuple(frames)).model(before)


class CurvePieces(NamedTuple):
    """The pieces of all curves in one list, and where those of each begin and end."""

    pieces: list[CurvePiece]
    springs: dict[int, tuple[int, int]]  # by velocity coordinate
    gears: list[tuple[int, int]]
    elements: list[tuple[int, int]]


class _Compiler(Layout):
    """Fills the tables body by body."""

    def model(self, before: Model | None) -> Model:
        plain = self.number is np.float64 and not any(self.prescribed)
        shared = shared_tables(self.robot, self.names, before) if plain and before is not None else {}
        tables = {name: shared[name] if name in shared else make() for name, make in self._makers().items()}
        arrays = Arrays(gravity=np.asarray(self.robot.gravity, self.number), **tables)
        if len(tables["actuators"].kind):
            arrays = self._with_rotors(arrays)
        check(arrays, [link.name for link in self.links])
        arrays = with_frames(self.robot, arrays, self.frames, self.rows, self.flexible)
        return Model(self.robot, arrays, self.flexible, tuple(self.names), self.frames, self.states)

    def _makers(self) -> dict[str, Callable[[], Any]]:
        """Return who makes which tables."""
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
            "loads": lambda: self.zeros(Loads, LOAD=0),
            "elements": self._elements,
            "contacts": self._contacts,
            "actuators": self._actuators,
        }

    # tables -----------------------------------------------------------------------------------------------------

    def _tree(self) -> Tree:
        out = self.zeros(Tree)
        for i, (link, names) in enumerate(zip(self.links, self.names, strict=True), start=1):
            out.parent[i] = self.rows[link.parent]
            out.joint_q[i], out.joint_v[i] = names.joint_q.start, names.joint_v.start
            out.modes_q[i], out.modes_v[i] = names.modes_q.start, names.modes_v.start
            if link.name in self.stations:
                out.nodes[i] = self.stations[link.name].nodes
        for i, beam in self.bending():
            out.modes[i], out.bending[i], out.second_order[i] = beam.count, beam.bending_count, int(beam.second_order)
        return out

    def _sections(self) -> Sections:
        out = self.zeros(Sections)
        for i, link in enumerate(self.links, start=1):
            if link.parent in self.flexible:
                attach(out, i, self.flexible[link.parent], link.at)
        return out

    def _joints(self) -> Joints:
        out = self.zeros(Joints)
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
        out = self.zeros(Velocities)
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
        for own in self.states:
            out.group_axis[own.first : own.first + len(own.states)] = FIRST_ORDER
        return out

    def _inertia(self) -> Inertia:
        out = self.zeros(Inertia, COUPLED=0)
        for i, link in enumerate(self.links, start=1):
            if link.body is not None:
                put_body(out, i, link.body)
        for i, beam in self.bending():
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
        parts = {i: part for i, beam in self.bending() if (part := beam.shortening()) is not None}
        starts = self.starts({i: len(part.weight) for i, part in parts.items()})
        out = self.zeros(Foreshortening, FUNCTION=starts[-1])
        out.start[:] = starts
        for i, beam in self.bending():
            if (part := parts.get(i)) is not None:
                rows = slice(starts[i], starts[i + 1])
                out.axis[rows] = part.axis
                out.reach[rows] = np.where(out.axis[rows] == 0, beam.bending_count, beam.count)
            put_foreshortening(out, i, beam)
        return out

    def _bow(self) -> Bow:
        starts = self.starts({i: len(beam.bow.nodes) for i, beam in self.bending() if beam.bow is not None})
        out = self.zeros(Bow, BOW=starts[-1])
        out.start[:] = starts
        for i, beam in self.bending():
            put_bow(out, i, beam)
        return out

    def _strain(self) -> Strain:
        starts = self.starts({i: len(beam.cubic_terms()[0]) for i, beam in self.bending()})
        out = self.zeros(Strain, CUBIC=starts[-1])
        out.cubic_start[:] = starts
        for i, beam in self.bending():
            name = self.links[i - 1].name
            out.cubic_modes[starts[i] : starts[i + 1]] = beam.cubic_terms()[0]
            with within("links", name):
                put_strain(out, i, beam, self.stations.get(name))
        out.damped[:] = np.any(out.damping, axis=(1, 2))
        return out

    def _exact(self) -> Exact:
        parts = {self.rows[name]: part for name, part in self.stations.items()}
        starts = self.starts({i: len(part.mass) for i, part in parts.items()})
        out = self.zeros(Exact, STATION=starts[-1])
        out.start[:] = starts
        for i, part in parts.items():
            out.retardation[i] = part.retardation
            for name, (_, axes) in layout(Exact).items():
                if axes[0] is Axis.STATION:
                    values = getattr(part, name)
                    getattr(out, name)[starts[i] : starts[i + 1]][tuple(slice(size) for size in values.shape)] = values
        return out

    @cached_property
    def curves(self) -> CurvePieces:
        """The pieces of all curves: of springs in joints by velocity coordinate, of gears, of elements."""
        pieces: list[CurvePiece] = []
        springs: dict[int, tuple[int, int]] = {}
        for link, names in zip(self.links, self.names, strict=True):
            joint, spring = link.joint, link.joint.spring
            for k in range(joint.nv):
                stiffness = 0.0 if spring is None else joint.each(spring.stiffness)[k]
                springs[names.joint_v.start + k] = append_curve(pieces, spring, stiffness)
        gears = [append_curve(pieces, link.joint.transmission) for link in self.rotors]
        return CurvePieces(pieces, springs, gears, [append_curve(pieces, element) for element in self.robot.elements])

    def _passive(self) -> Passive:
        """Make one row per coordinate on which a joint acts by itself."""
        rows: list[dict[str, Any]] = []
        for link, names in zip(self.links, self.names, strict=True):
            joint = link.joint
            if not (np.any(joint.damping) or joint.friction or joint.spring or joint.stops):
                continue
            on_group = joint.kind.on_group
            friction, spring, limits = joint.friction, joint.spring, joint.stops
            friction = None if friction is not None and friction.law != "smooth" else friction  # has rows of its own
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
                        "pieces": self.curves.springs[names.joint_v.start + k],
                        "has_stop": int(limits is not None),
                        "lower": value(limits, "lower", 0.0),
                        "upper": value(limits, "upper", 0.0),
                        "stop_stiffness": value(limits, "stiffness", 0.0),
                        "stop_damping": value(limits, "damping", 0.0),
                        "stop_width": value(limits, "width", 1.0),
                    }
                )
        out = self.zeros(Passive, PASSIVE=len(rows), PIECE=len(self.curves.pieces))
        for k, piece in enumerate(self.curves.pieces):
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
        out = self.zeros(Loops, LOOP=len(held), ROW=sum(map(len, held)))
        at = 0
        for k, (loop, rows) in enumerate(zip(closures, held, strict=True)):
            out.first[k] = self.n + len(self.robot.frames) - 2 * (len(held) - k)
            out.second[k] = out.first[k] + 1
            out.common[k] = self.common(*(frame.link for frame in loop.between))
            out.rows[k] = at, at + len(rows)
            for row in rows:
                for name in ("hold", "a", "b", "axis", "level", "pace"):
                    getattr(out, name)[at] = getattr(row, name)
                if loop.ratio is not None:
                    out.joints[at] = [self.rows[frame.link] for frame in loop.between]
                at += 1
        return out

    def _gears(self) -> Gears:
        out = self.zeros(Gears)
        for k, link in enumerate(self.rotors):
            names, gear = self.names[self.rows[link.name] - 1], link.joint.transmission
            assert gear is not None  # an elastic joint has one
            out.rotor_q[k], out.rotor_v[k] = names.rotor_q, names.rotor_v
            out.joint_q[k], out.joint_v[k] = names.joint_q.start, names.joint_v.start
            out.inertia[k] = gear.rotor_inertia * gear.gear**2
            out.stiffness[k], out.damping[k] = gear.stiffness or 0.0, gear.damping
            out.hysteresis[k], out.hysteresis_speed[k] = gear.hysteresis, gear.hysteresis_velocity
            out.pieces[k] = self.curves.gears[k]
        return out

    # what acts from outside ---------------------------------------------------------------------------------------

    def _elements(self) -> Elements:
        out = self.zeros(Elements, ELEMENT=len(self.robot.elements))
        for k, element in enumerate(self.robot.elements):
            out.kind[k], out.first[k], out.second[k] = element.kind, self.n + 2 * k, self.n + 2 * k + 1
            out.pieces[k] = self.curves.elements[k]
            for name, entry in element.table().items():
                getattr(out, name)[k] = entry
        return out

    def _contacts(self) -> Contacts:
        out = self.zeros(Contacts, CONTACT=len(self.robot.contacts))
        for k, contact in enumerate(self.robot.contacts):
            first = self.n + 2 * (len(self.robot.elements) + k)
            out.sphere[k], out.surface[k] = first, first + 1
            for name, entry in contact.table().items():
                getattr(out, name)[k] = entry
        return out

    def _actuators(self) -> Actuators:
        out = self.zeros(Actuators)
        first = self.n + 2 * (len(self.robot.elements) + len(self.robot.contacts))
        put_actuators(out, self.robot, self.names, self.states, first)
        return out

    def _with_rotors(self, arrays: Arrays) -> Arrays:
        """Return the tables with the rotors of motors on the coordinates that they turn."""
        armature, behind = arrays.velocities.armature.copy(), arrays.gears.inertia.copy()
        for at, inertia in rotor_inertias(self.robot, arrays.actuators).items():
            gear = np.flatnonzero(arrays.gears.rotor_v == at)
            if len(gear):
                behind[gear[0]] += inertia
            else:
                armature[at] += inertia
        velocities, gears = arrays.velocities._replace(armature=armature), arrays.gears._replace(inertia=behind)
        return arrays._replace(velocities=velocities, gears=gears)
