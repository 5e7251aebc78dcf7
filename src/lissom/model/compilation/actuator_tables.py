"""Rows of actuators in the tables of a model: ports, laws, states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lissom.kernel.data.arrays import Actuators, Arrays, Port
from lissom.model.actuators.actuator import Actuator, ActuatorState
from lissom.model.description.robot import Robot
from lissom.model.model import BodyNames


class StateNames(NamedTuple):
    """The states of an actuator in v."""

    actuator: str
    first: int  # place of the first
    states: tuple[ActuatorState, ...]
    command: int | None  # place in v of the one that takes the command

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(f"{self.actuator}.{state.name}" for state in self.states)


def name_states(robot: Robot, first: int) -> tuple[StateNames, ...]:
    """Return the states of all actuators that have some, in the order of v, from `first` on."""
    found = []
    for actuator in robot.drives:
        states, at = actuator.states(robot), actuator.commanded()
        found.append(StateNames(actuator.name, first, states, None if at is None else first + at))
        first += len(states)
    return tuple(found)


def put_actuators(
    out: Actuators, robot: Robot, bodies: Sequence[BodyNames], states: Sequence[StateNames], first_frame: int
) -> None:
    """Fill the tables; `first_frame` is the row of the first point of the first path."""
    out.state_at[:], out.upper[:], out.slew[:], out.peak[:] = -1, INFINITE, INFINITE, INFINITE
    row, point, k = first_frame, 0, 0
    for a, (actuator, own) in enumerate(zip(robot.drives, states, strict=True)):
        out.kind[a], out.port[a] = actuator.kind, actuator.port
        out.ratio[a], out.axis[a] = actuator.ratio(robot), actuator.axis()
        numbers = actuator.numbers(robot)
        out.numbers[a, : len(numbers)] = numbers
        if actuator.port == Port.JOINT:
            out.port_q[a], out.port_v[a] = port_of(bodies, actuator.on_coordinate())
        count = len(actuator.frames(robot))
        out.path[a] = point, point + count
        out.row[point : point + count] = range(row, row + count)
        out.falls[point : point + count], out.grip[point : point + count] = actuator.falls(), actuator.grip()
        row, point = row + count, point + count
        out.states[a] = k, k + len(own.states)
        for state in own.states:
            at = own.first + k - out.states[a, 0]
            out.state_v[k], out.owner[k], out.state_at[at] = at, a, k
            out.inertia[k], out.powered[k] = state.inertia, int(state.powered)
            out.lower[k], out.upper[k] = max(state.lower, -INFINITE), min(state.upper, INFINITE)
            out.slew[k], out.regulation[k] = min(state.slew, INFINITE), state.regulation
            out.servo_time[k], out.peak[k] = state.servo_time, min(state.peak, INFINITE)
            k += 1


INFINITE = 1e30  # where there is no limit: finite, so that products with zero are zero


def port_of(bodies: Sequence[BodyNames], coordinate: str) -> tuple[int, int]:
    """Return where the coordinate of a joint, or the rotor behind its gear, stands in q and v."""
    for body in bodies:
        labels = body.v_names[: body.joint_v.stop - body.joint_v.start]
        if coordinate in labels:
            k = labels.index(coordinate)
            if body.rotor_q is not None and body.rotor_v is not None:
                return body.rotor_q, body.rotor_v
            return body.joint_q.start + k, body.joint_v.start + k
    raise AssertionError(coordinate)  # checked with the robot


def rotor_inertias(robot: Robot, arrays: Actuators) -> dict[int, float]:
    """Return what rotors of actuators add to the inertia of velocity coordinates."""
    found: dict[int, float] = {}
    for a, actuator in enumerate(robot.drives):
        if actuator.port == Port.JOINT and (inertia := actuator.rotor(robot)):
            at = int(arrays.port_v[a])
            found[at] = found.get(at, 0.0) + inertia
    return found


def actuator_of(robot: Robot, name: str) -> Actuator | None:
    """Return the actuator of that name."""
    return next((one for one in robot.drives if one.name == name), None)


def typical_sizes(arrays: Arrays, states: Sequence[StateNames]) -> dict[int, float]:
    """Return the size of every state by its place in v."""
    return {own.first + k: state.typical for own in states for k, state in enumerate(own.states)}
