"""From names to the numbers of a run as plain arrays, with a helpful error where a name leads nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.beam import FlexibleLink
from lissom.dynamics.state_checks import numbers
from lissom.errors import LissomError
from lissom.lie import quaternion, so3
from lissom.messages import did_you_mean, listed, suggestion
from lissom.model.description.location import on_beam
from lissom.model.model import BodyNames, Model
from lissom.results.quantities import Quantities
from lissom.results.quantity_names import Columns, position_columns, velocity_columns

Kind = Literal["q", "v"]
MOST_STATIONS = 100_000
Variables = tuple[str, ...]  # of joints, modes, rotors, and in velocities of states of actuators
POSITION: Variables = ("position", "eta", "rotor_position")
VELOCITY: Variables = ("velocity", "eta_rate", "rotor_velocity", "actuator_state")
ACCELERATION: Variables = ("acceleration", "eta_acceleration", "rotor_acceleration", "actuator_state_rate")


class NamedColumns(NamedTuple):
    """Columns of a variable, asked for by one name."""

    variable: str
    axis: str
    at: list[int]
    values: np.ndarray  # (time, len(at)), or (time,) of a single one
    units: list[str]  # of each


@dataclass(frozen=True)
class Lookup:
    """The quantities of a run with N samples, by the names that the Trajectory takes."""

    quantities: Quantities
    model: Model

    def __getitem__(self, variable: str) -> np.ndarray:
        """Return a variable of the dataset."""
        return self.quantities[variable]

    def has(self, name: str) -> bool:
        """Return whether there is a joint that moves, or a coordinate, of this name."""
        return self._position(name) is not None

    def position(self, name: str) -> NamedColumns:
        """Return a joint or a coordinate; where a joint has more velocities than positions, also one of the former."""
        return self._require(self._position(name), name)

    def velocity(self, name: str) -> NamedColumns:
        """Return the velocity of a joint or coordinate."""
        return self._require(self.coordinate(name, VELOCITY, "v"), name)

    def acceleration(self, name: str) -> NamedColumns:
        """Return the acceleration of a joint or coordinate."""
        return self._require(self.coordinate(name, ACCELERATION, "v"), name)

    def torque(self, name: str) -> NamedColumns:
        """Return force on a joint by its motor, or by what drives a prescribed joint."""
        return self._require(self.force(name), name)

    def wrench(self, joint: str) -> np.ndarray:
        """Return the wrench of the parent on the child at a joint, in the child's axes, (N, 6)."""
        return self.quantities.select("wrench", "joint", self.joint(joint).joint)

    def tip(self, link: str, what: str = "position") -> np.ndarray:
        """Return position (N, 3), orientation (N, 4) or twist (N, 6) of a link's tip in the world."""
        return self.quantities.select(f"tip_{what}", "link", link)

    def deflection(self, link: str) -> np.ndarray:
        """Return the elastic displacement of the tip of a flexible link, link axes, (N, 3) m."""
        self.flexible(link)
        return self.quantities.select("deflection", "flexible", link)

    def rotation(self, link: str) -> np.ndarray:
        """Return elastic rotation vector of the tip of a flexible link, link axes, (N, 3) rad."""
        self.flexible(link)
        return self.quantities.select("rotation", "flexible", link)

    def bow(self, link: str) -> np.ndarray:
        """Return the largest distance of a flexible link's bent axis from the line through both its ends, (N,) m."""
        self.flexible(link)
        return self.quantities.select("bow", "flexible", link)

    def shape(self, link: str, x: ArrayLike) -> np.ndarray:
        """Return the displacement of the axis of a flexible link at places x (k,), link axes, (N, k, 3) m."""
        body = self.model.bodies[self.model.row(link) - 1]
        return self.flexible(link).displacement(x, self.whole("q", POSITION)[:, body.modes_q])

    def centre_line(self, link: str, stations: int | ArrayLike = 21) -> np.ndarray:
        """Return the bent axis of a flexible link in the world, (N, k, 3) m."""
        x = self.stations(link, stations)
        local = self.shape(link, x) + self.flexible(link).position(x)
        origin = self.quantities.select("link_position", "link", link)[:, None, :]
        return origin + so3.act(self.axes(link)[:, None], local)

    def coordinate(self, name: str, variables: Variables, kind: Kind) -> NamedColumns | None:
        """Return the coordinate `name`, or all coordinates of the joint `name`; None if there is no such thing."""
        for variable, axis in zip(variables, (kind, "mode", "rotor", "state")):
            if variable in self.quantities and name in self.quantities.labels(axis):
                return self._part(variable, axis, [name])
        for body in self.moving():
            if name == body.joint:
                return self._part(variables[0], kind, joint_names(body, kind))
        return None

    def force(self, name: str) -> NamedColumns | None:
        """Return the force on a coordinate, or on a joint: on its rotor where it has one."""
        for body in self.moving():
            if name == body.joint:
                rotor = body.rotor_v
                wanted = joint_names(body, "v") if rotor is None else (self.model.coordinates[rotor],)
                return self._part("torque", "coordinate", wanted)
        for own in self.model.states:
            if name == own.actuator and own.command is not None:
                return self._part("torque", "coordinate", [self.model.coordinates[own.command]])
        if name in self.model.coordinates:
            return self._part("torque", "coordinate", [name])
        return None

    def _part(self, variable: str, axis: str, wanted: Sequence[str]) -> NamedColumns:
        labels, every = self.quantities.labels(axis), self.quantities.column_units(variable)
        at = [labels.index(label) for label in wanted]
        values = self.quantities[variable][:, at[0] if len(at) == 1 else at]
        return NamedColumns(variable, axis, at, values, [every[k] for k in at])

    def whole(self, kind: Kind, variables: Variables) -> np.ndarray:
        """Return joints, modes, rotors and states together in the model's order, (N, nq) or (N, nv)."""
        columns: Columns = (position_columns if kind == "q" else velocity_columns)(self.model)
        out = np.empty((len(self.quantities["time"]), len(columns.names)))
        for at, variable in zip((columns.joints, columns.modes, columns.rotors, columns.states), variables):
            if len(at):
                out[:, at] = self.quantities[variable]
        return out

    def axes(self, link: str) -> np.ndarray:
        """Return the axes of a link in the world over time, (N, 3, 3)."""
        return quaternion.to_matrix(self.quantities.select("link_orientation", "link", link))

    def moving(self) -> Iterator[BodyNames]:
        """Yield bodies whose joint moves."""
        return (body for body in self.model.bodies if body.joint_v.stop > body.joint_v.start)

    def joint(self, name: str) -> BodyNames:
        """Return the body that the joint `name` carries, or whose own name it is."""
        for of in ("joint", "link") if isinstance(name, str) else ():
            for body in self.model.bodies:
                if name == getattr(body, of):
                    return body
        known = self.model.joints
        text = f"{self.model.robot.name} has no joint {name!r}{did_you_mean(name, known)}"
        raise LissomError(f"{text}; the joints are {', '.join(known)}", value=name)

    def flexible(self, link: str) -> FlexibleLink:
        """Return a flexible link."""
        self.model.row(link)
        if link not in self.model.flexible:
            known = ", ".join(self.model.flexible)
            raise LissomError(f"is rigid; {f'the flexible links are {known}' if known else 'all are'}", ("link",), link)
        return self.model.flexible[link]

    def stations(self, link: str, stations: int | ArrayLike) -> np.ndarray:
        """Return places x along a flexible link, from their number or as they are given."""
        length = float(self.flexible(link).length)
        if isinstance(stations, int | np.integer):
            if stations < 2:
                raise LissomError("a shape needs at least 2, the link's base and tip", ("stations",), stations)
            if stations > MOST_STATIONS:
                raise LissomError(f"is too many; give {MOST_STATIONS} at most", ("stations",), stations)
            return np.linspace(0.0, length, int(stations))
        x = np.atleast_1d(np.real(numbers(stations, "stations")))
        if x.ndim != 1 or not x.size:
            raise LissomError("must be a number of places, or places along the link", ("stations",), stations)
        if not np.all(on_beam(x, length)):
            raise LissomError(f"must lie on {link}, from 0 to {length:g} m", ("stations",), x)
        return x

    def reading(self, name: str, ideal: bool = False) -> NamedColumns:
        """Return the columns of a sensor, or of one of its readings."""
        labels = self.quantities.labels("sensor")
        wanted = [label for label in labels if label == name or label.startswith(f"{name}.")]
        if not wanted:
            known = list(dict.fromkeys(label.partition(".")[0] for label in labels))
            remedy = suggestion(name, known) if known else "give simulate some, sensors=[...], or the robot's file"
            raise LissomError(f"{self.model.robot.name} has no sensor {name!r} in this run; {remedy}", value=name)
        return self.readings(wanted, ideal)

    def readings(self, labels: Sequence[str], ideal: bool = False) -> NamedColumns:
        """Return the columns of some readings."""
        return self._part("ideal_reading" if ideal else "reading", "sensor", labels)

    def _position(self, name: str) -> NamedColumns | None:
        return self.coordinate(name, POSITION, "q") or self.coordinate(name, VELOCITY, "v")

    def _require(self, found: NamedColumns | None, name: str) -> NamedColumns:
        if found is None:
            raise self.unknown(name)
        return found

    def unknown(self, name: str) -> LissomError:
        """Return what to say about a name that is not a coordinate."""
        if name in self.model.joints:
            text = f"{name} is a fixed joint without coordinates; run.wrench({name!r}) gives its wrench"
            return LissomError(text, value=name)
        if name in self.model.links:
            ask = ("tip", "deflection", "shape") if name in self.model.flexible else ("tip",)
            return LissomError(f"{name} is a link; ask for {listed(f'run.{w}({name!r})' for w in ask)}", value=name)
        moving = [body.joint for body in self.moving()]
        known = [*moving, *self.model.q_names, *self.model.coordinates, *self.quantities.variables]
        joints = f"the joints are {', '.join(moving)}" if moving else "no joint moves"
        hint = did_you_mean(name, dict.fromkeys(known))
        return LissomError(f"{self.model.robot.name} has no joint or coordinate {name!r}{hint}; {joints}", value=name)


def joint_names(body: BodyNames, kind: Kind) -> tuple[str, ...]:
    """Return the names of the coordinates of a body's joint, without its modes."""
    names, part = (body.q_names, body.joint_q) if kind == "q" else (body.v_names, body.joint_v)
    return names[: part.stop - part.start]
