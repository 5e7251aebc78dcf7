"""Centre of mass, momentum and angular momentum of a whole robot, free or fixed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lissom.dynamics.joint_space_inertia import mass_matrix
from lissom.kernel.kinematics.forward_kinematics import forward_kinematics, world_frames
from lissom.model.description.body import Body
from lissom.model.description.joint import Joint
from lissom.model.description.robot import WORLD, Link
from lissom.model.model import Model

if TYPE_CHECKING:
    from lissom.simulation.inputs.payload import Carried

UNIT = 1.0  # kg, kg m2: the carrier's own inertia, which is taken out again


class Momentum(NamedTuple):
    """Of a robot at N samples, in world axes."""

    centre: np.ndarray  # (N, 3) centre of mass, m
    linear: np.ndarray  # (N, 3) kg m/s
    angular: np.ndarray  # (N, 3) about the centre of mass, kg m2/s


def momentum(
    model: Model, q: np.ndarray, v: np.ndarray, time: np.ndarray | None = None, carried: Carried | None = None
) -> Momentum:
    """At configurations q (N, nq) and velocities v (N, nv), with the payloads carried at the times (N,).

    The robot is put on a carrier that floats freely and rests at the world's origin: in the rows of its mass matrix
    that belong to the carrier stand momentum (times velocities) and centre of mass.
    """
    floating, q_at, v_at = _floating(model)
    centre, linear, angular = np.zeros((3, len(q), 3))
    place, rates = floating.neutral(), np.zeros(floating.nv)
    for k in range(len(q)):
        place[q_at], rates[v_at] = q[k], v[k]
        rows = mass_matrix(floating, place)[:6]
        mass, lever = rows[3, 3] - UNIT, rows[:3, 3:6]  # the cross product with mass times centre of mass
        moment = np.array([lever[2, 1], lever[0, 2], lever[1, 0]])
        angular[k], linear[k] = (rows @ rates).reshape(2, 3)
        if carried is not None and carried.payloads and time is not None:
            for part in _payloads(model, q[k], v[k], float(time[k]), carried):
                mass, moment = mass + part.mass, moment + part.mass * part.centre
                linear[k] += part.linear
                angular[k] += part.angular
        centre[k] = moment / mass
    return Momentum(centre, linear, angular - np.cross(centre, linear))


class _Part(NamedTuple):
    """One body, in world axes; the angular momentum about the world's origin."""

    mass: float
    centre: np.ndarray
    linear: np.ndarray
    angular: np.ndarray


def _payloads(model: Model, q: np.ndarray, v: np.ndarray, t: float, carried: Carried) -> Iterator[_Part]:
    """What is carried at the time t."""
    forward_kinematics(model.struct, model.workspace(), np.ascontiguousarray(q), np.ascontiguousarray(v))
    world_frames(model.struct, model.workspace())
    work = model.scratch()
    for row, payload in enumerate(carried.payloads, start=carried.first):
        if payload.carried(t):
            R = work.world_rotation[row]
            arm, spin = R @ np.array(payload.com), R @ work.omega[row]
            centre = work.world_position[row] + arm
            linear = payload.mass * (R @ work.velocity[row] + np.cross(spin, arm))
            own = R @ np.array(payload.inertia) @ work.omega[row]
            yield _Part(payload.mass, centre, linear, own + np.cross(centre, linear))


@lru_cache(maxsize=4)
def _floating(model: Model) -> tuple[Model, list[int], list[int]]:
    """The robot on a free carrier, and where its coordinates q and v are there."""
    robot = model.robot
    name = "carrier"
    while name in (*model.links, *model.joints):
        name += "_"
    inertia = ((UNIT, 0.0, 0.0), (0.0, UNIT, 0.0), (0.0, 0.0, UNIT))
    body, joint = Body(mass=UNIT, inertia=inertia), Joint(name=name, type="free")
    carrier = Link(name=name, parent=WORLD, joint=joint, body=body)
    links = (link.model_copy(update={"parent": name}) if link.parent == WORLD else link for link in robot.links)
    carried = robot.model_copy(update={"links": (carrier, *links)}).compile()
    q_at = [carried.q_names.index(each) for each in model.q_names]
    return carried, q_at, [carried.coordinates.index(each) for each in model.coordinates]
