"""Payloads that a link picks up and drops at given times.

A payload is a rigid body fixed on a link while it is carried. Picked up at rest, or tumbling, it joins the link as in a
plastic impact: velocities jump so that the generalised momentum stays, its own included, and the energy lost is told.
Dropped, it takes its own momentum away, and nothing jumps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from lissom.dynamics import energy, jacobian, loop_jacobian, mass_matrix, point_pose
from lissom.errors import LissomError
from lissom.kernel.data.arrays import Arrays
from lissom.lie import so3
from lissom.model.description.body import ZERO3, ZERO33
from lissom.model.description.frame import Frame, frame_problems
from lissom.model.description.location import AnyPlace
from lissom.model.description.origin import Origin
from lissom.model.model import Model
from lissom.model.schema.base_model import Description, as_parts, refusals
from lissom.model.schema.name_fields import Choice, Name
from lissom.model.schema.number_fields import Number
from lissom.model.schema.vector_fields import InertiaTensor, Matrix3, Vec3, Vector
from lissom.simulation.raw_run import Event

MOTIONS = ("rest", "carried")
SINGULAR = 1e-9  # of what loops hold, relative: directions that others hold already


class Payload(Description):
    """A rigid body that a link carries from `pick` to `drop`.

    It is held at the frame that `link`, `at` and `origin` place, the link's tip unless given.

    >>> Payload(link="hand", mass=5.0, pick=1.0, drop=3.0)

    Without `pick` it is there from the start, without `drop` it stays. Before it is picked up it is at rest, flies with
    a `velocity` and a `spin` of its own, or moves already as the link does (`motion="carried"`). The link then grasps
    it where it is: what it does before is not simulated, its momentum joins that of the robot.
    """

    what: ClassVar[str] = "payload"
    whole: ClassVar[str] = "list of payloads"
    error: ClassVar[type[LissomError]] = LissomError

    name: Annotated[str | None, Name("the name of the payload")] = None
    link: Annotated[str, Name("the link that carries the payload")]
    at: AnyPlace | None = Field(
        default=None, description="the place along a beam in metres, or an interface; the tip unless given"
    )
    origin: Origin = Field(
        default=Origin(), description="where it is held, as seen from there; on a rigid link, from its frame"
    )
    mass: Annotated[float, Number("the mass", "kg", above=0, at_most=1e9)]
    com: Annotated[Vec3, Vector("the centre of mass in the payload's frame", "metres")] = ZERO3
    inertia: Annotated[Matrix3, InertiaTensor()] = ZERO33
    pick: Annotated[float | None, Number("the time when it is picked up", "seconds", at_least=0)] = None
    drop: Annotated[float | None, Number("the time when it is dropped", "seconds", at_least=0)] = None
    motion: Annotated[str, Choice("how it moves before it is picked up", MOTIONS)] = "rest"
    velocity: Annotated[Vec3, Vector("the velocity of its centre before it is picked up, world axes", "m/s")] = ZERO3
    spin: Annotated[Vec3, Vector("its angular velocity before it is picked up, world axes", "rad/s")] = ZERO3

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.drop is not None and self.drop <= (self.pick or 0.0):
            begin = "the start" if self.pick is None else f"pick = {self.pick:g} s"
            raise refusals(("drop", self.drop, f"must be later than {begin}; give the time when it is dropped"))
        for name in ("velocity", "spin"):
            if not any(getattr(self, name)):
                continue
            if self.motion == "carried":
                text = "is that of the link where motion is carried; leave one of the two out"
                raise refusals((name, getattr(self, name), text))
            if self.pick is None:
                raise refusals((name, getattr(self, name), "needs a time when it is picked up; give pick"))
        return self

    @property
    def called(self) -> str:
        """Its name, or what it is."""
        return self.name or f"payload of {self.link}"

    def carried(self, t: float) -> bool:
        """Return whether the link carries it at the time t, and from then on."""
        slack = 1e-9 * max(1.0, t)
        return t >= (self.pick or 0.0) - slack and (self.drop is None or t < self.drop - slack)


class Carried(NamedTuple):
    """The payloads of a run and the first row of their frames in its model."""

    payloads: tuple[Payload, ...]
    first: int

    @property
    def times(self) -> np.ndarray:
        """When one is picked up or dropped, after the start."""
        if not self.payloads:
            return np.zeros(0)
        times = [t for payload in self.payloads for t in (payload.pick, payload.drop) if t]
        return np.unique(np.array(times, float))

    def put(self, arrays: Arrays, t: float) -> Iterator[Payload]:
        """Give a model's arrays the masses that it carries from the time t on, one by one; those that change."""
        inertia = arrays.inertia
        for row, payload in enumerate(self.payloads, start=self.first):
            mass = payload.mass if payload.carried(t) else 0.0
            if inertia.mass[row] == mass:
                continue
            com, tensor, share = np.array(payload.com), np.array(payload.inertia), mass / payload.mass
            second = 0.5 * np.trace(tensor) * np.eye(3) - tensor + payload.mass * np.outer(com, com)
            inertia.mass[row], inertia.moment[row], inertia.second_moment[row] = mass, mass * com, share * second
            yield payload


def as_payloads(payloads: Any) -> tuple[Payload, ...]:
    """Return payloads as a person gives them: Payload objects, or mappings as in a scenario file."""
    return as_parts(Payload, payloads, "payloads", "Payload(link='hand', mass=5.0, pick=1.0)")


def with_payloads(model: Model, payloads: tuple[Payload, ...]) -> tuple[Model, Carried]:
    """Return the model with a row for each payload, and what it carries at the start."""
    frames = []
    for k, payload in enumerate(payloads):
        frame = Frame(link=payload.link, at=payload.at, origin=payload.origin)
        for path, value, text in frame_problems(model.robot, frame, ("payloads", k)):
            raise LissomError(text, path, value)
        if frame.link == "world":
            raise LissomError("the world carries nothing; name a link", ("payloads", k, "link"), frame.link)
        frames.append(frame)
    carried = Carried(payloads, model.rows)
    if frames:
        model = model.with_masses(frames)
        list(carried.put(model.memory, 0.0))
    return model, carried


class Exchange(NamedTuple):
    """What picking up and dropping did at one moment."""

    v: np.ndarray  # velocities after it
    gained: float  # J: energy that came with payloads, or left
    lost: float  # J: energy lost in the joining
    driven: float  # J: work of what drives prescribed joints and lengths, which keep their speed
    events: list[Event]


def exchange(model: Model, carried: Carried, t: float, q: np.ndarray, v: np.ndarray) -> Exchange | None:
    """Pick up and drop what is due at the time t; None where nothing is."""
    before, M, total, driven = energy(model, q, v).total, mass_matrix(model, q), 0.0, 0.0
    events = []
    for payload in carried.put(model.memory, t):
        momentum, moving, lost = M @ v, 0.5 * float(v @ M @ v), 0.0
        M = mass_matrix(model, q)
        if payload.carried(t) and payload.motion == "rest":
            own, energy_of_flight = _flight(model, q, payload)
            joined, work = _velocities_after_grasp(model, q, M, momentum + own, v)
            lost = moving + energy_of_flight - 0.5 * float(joined @ M @ joined) + work
            v, driven = joined, driven + work
        total += lost
        events.append(_event(payload, t, lost))
    if not events:
        return None
    return Exchange(v, energy(model, q, v).total - before + total - driven, total, driven, events)


def _flight(model: Model, q: np.ndarray, payload: Payload) -> tuple[np.ndarray, float]:
    """Return the generalised momentum (nv,) and the kinetic energy that a payload brings along, 0 where it rests."""
    speed, spin = np.array(payload.velocity), np.array(payload.spin)
    if not speed.any() and not spin.any():
        return np.zeros(model.nv), 0.0
    frame = Frame(link=payload.link, at=payload.at, origin=payload.origin)
    place = model.robot.placed(frame)
    turn = so3.from_rpy(np.array(place.origin.rpy))
    centre = tuple((np.array(place.origin.xyz) + turn @ np.array(payload.com)).tolist())
    R = point_pose(model, q, payload.link, place.at, centre)[:3, :3] @ turn
    inertia = R @ np.array(payload.inertia) @ R.T
    momenta = np.concatenate([inertia @ spin, payload.mass * speed])
    energy_of_flight = 0.5 * float(spin @ inertia @ spin + payload.mass * speed @ speed)
    return jacobian(model, q, payload.link, place.at, centre).T @ momenta, energy_of_flight


def _velocities_after_grasp(
    model: Model, q: np.ndarray, M: np.ndarray, momentum: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return velocities with the generalised momentum given, and the work of the impulses that keep what is prescribed.

    Prescribed joints and the directions that loops hold keep their rates in `v`.
    """
    given = model.arrays.velocities.prescribed == 1
    free = ~given
    rows = loop_jacobian(model, q) if model.loops else np.zeros((0, len(v)))
    wanted = rows[:, free] @ v[free]
    right = np.column_stack([momentum[free] - M[np.ix_(free, given)] @ v[given], rows[:, free].T])
    solved = np.linalg.solve(M[np.ix_(free, free)], right)
    impulse = np.linalg.lstsq(rows[:, free] @ solved[:, 1:], wanted - rows[:, free] @ solved[:, 0], rcond=SINGULAR)[0]
    out = v.copy()
    out[free] = solved @ np.concatenate([[1.0], impulse])
    pushed = (M @ out - momentum - rows.T @ impulse)[given]
    return out, float(pushed @ v[given] + impulse @ (rows @ v))


def _event(payload: Payload, t: float, lost: float) -> Event:
    if not payload.carried(t):
        return Event(t, payload.link, "payload", f"{payload.called} of {payload.mass:g} kg is dropped", payload.mass)
    text = f"{payload.called} of {payload.mass:g} kg is picked up"
    text += f"; joining it costs {lost:.4g} J" if payload.motion == "rest" else ""
    return Event(t, payload.link, "payload", text, payload.mass)
