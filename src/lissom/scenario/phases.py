"""Runs in phases: loops that close and open in time, as when two bodies dock and part, joined in one result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from lissom.dynamics import loop_jacobian, mass_matrix, point_pose
from lissom.dynamics.coordinates import configuration, rates
from lissom.errors import LissomError
from lissom.lie import so3
from lissom.messages import suggestion
from lissom.model.any_robot import AnyRobot, as_robot
from lissom.model.description.frame import Frame
from lissom.model.description.kinematic_loop import Loop
from lissom.model.description.origin import Origin
from lissom.model.description.robot import Robot
from lissom.model.model import Model
from lissom.results.trajectory import Trajectory, from_run
from lissom.simulation.raw_run import Event, RawRun
from lissom.simulation.run_simulation import simulate
from lissom.simulation.settings import RunOptions, takes_settings
from lissom.simulation.status.run_ending import Ending

if TYPE_CHECKING:  # only annotations need them
    from lissom.simulation.inputs.run_arguments import Controller, Start

SINGULAR = 1e-9  # of what a latch holds, relative: directions that others hold already
REFUSED = ("loads", "payloads", "sensors", "motion", "start", "trust", "accuracy")


@dataclass(frozen=True)
class Phase:
    """A part of a run.

    Parameters
    ----------
    duration : float
        S.
    closed : sequence of str
        Loops of the robot that hold meanwhile; the others are open.
    options : mapping
        Arguments of `simulate` for this phase, such as {"controller": law}; the law's time begins with the phase.
    """

    duration: float
    closed: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@takes_settings
def run_phases(
    robot: AnyRobot,
    phases: Sequence[Phase],
    *,
    start: Start | None = None,
    controller: Controller | None = None,
    progress: bool = True,
    **options: Unpack[RunOptions],
) -> Trajectory:
    """Simulate a robot whose loops close and open in time, and return everything as one run.

    Where a loop closes, it holds its two frames as they stand to each other then: the second one's origin is moved
    there. Velocities jump as in a plastic impact, which keeps momentum; an event tells the energy that it costs. Where
    it opens, nothing jumps.

    Parameters
    ----------
    robot : str, Robot or Model
        With all its loops, such as {name: dock, between: [...], joint: {type: fixed}} between two bodies that float.
    phases : sequence of Phase
        One after the other.
    start : mapping, array_like or tuple, optional
        As for `simulate`.
    controller : ControlLaw, Sampled or callable, optional
        For phases that have none of their own; its time begins with each phase.
    progress : bool
        Show how far each phase is once it takes longer than two seconds.
    **options
        Settings of all phases, as for `simulate`.

    Returns
    -------
    Trajectory
        All phases, with the loops that are ever closed; a loop that is open carries nothing.

    Examples
    --------
    >>> pin = lissom.load("five-bar").loops[0].name
    >>> run = lissom.run_phases("five-bar", [lissom.Phase(0.1, closed=[pin]), lissom.Phase(0.1)])  # it lets go
    """
    whole = as_robot(robot)
    _check(whole, phases)
    model = _with_loops(whole, []).compile()
    given: Any = start if isinstance(start, tuple) else (start, None)
    q, v = configuration(model, given[0]), rates(model, given[1])
    held: dict[str, Loop] = {}  # as they closed
    parts: list[tuple[RawRun, float]] = []
    events: list[Event] = []
    t = 0.0
    for k, phase in enumerate(phases):
        closing = [name for name in phase.closed if k == 0 or name not in phases[k - 1].closed]
        for name in closing:
            held[name] = _where_it_stands(model, whole, _loop(whole, name), q)
        own = _with_loops(whole, [held[name] for name in phase.closed]).compile()
        if closing:
            v, lost = _impact(own, q, v)
            where, text = ", ".join(closing), "closes" if len(closing) == 1 else "close"
            events.append(Event(t, where, "latch", f"{where} {text}; the impact costs {lost:.4g} J", lost))
        for name in set(phases[k - 1].closed if k else ()) - set(phase.closed):
            events.append(Event(t, name, "latch", f"{name} opens", 0.0))
        arguments: dict[str, Any] = {"controller": controller, "progress": progress, **options, **phase.options}
        run = simulate(own, phase.duration, start=(q, v), **arguments)
        parts.append((run.raw, t))
        q, v, t = run.raw.q[-1], run.raw.v[-1], t + float(run.raw.time[-1])
        if run.raw.status is not Ending.FINISHED:
            break
    last = _with_loops(whole, list(held.values())).compile()
    return from_run(_joined(last, parts, events))


def _check(robot: Robot, phases: Sequence[Phase]) -> None:
    known = [loop.name for loop in robot.loops]
    if not phases:
        raise LissomError("is empty; give Phase(duration, closed=[...]) one after the other", ("phases",))
    for k, phase in enumerate(phases):
        for name in phase.closed:
            if name not in known:
                remedy = suggestion(name, known) if known else "the robot has no loops: add one with joint: fixed"
                raise LissomError(f"is not a loop of {robot.name}; {remedy}", ("phases", k, "closed"), name)
            if any(name in other.closed for other in phases[: max(k - 1, 0)]) and name not in phases[k - 1].closed:
                text = "closes a second time; give the robot another loop for it, as it may close elsewhere"
                raise LissomError(text, ("phases", k, "closed"), name)
    for k, phase in enumerate(phases):
        for name in REFUSED:
            if name in phase.options:
                text = "is not for runs in phases; simulate the phases one by one"
                raise LissomError(text, ("phases", k, "options"), name)


def _loop(robot: Robot, name: str) -> Loop:
    return next(loop for loop in robot.loops if loop.name == name)


def _with_loops(robot: Robot, loops: Sequence[Loop]) -> Robot:
    """Return the robot with these of its loops, in its own order."""
    order = [loop.name for loop in robot.loops]
    return robot.model_copy(update={"loops": tuple(sorted(loops, key=lambda loop: order.index(loop.name)))})


def _pose(model: Model, robot: Robot, frame: Frame, q: np.ndarray, whole: bool) -> np.ndarray:
    """Return the pose of a frame in the world, with its own origin or of what carries it."""
    placed = robot.placed(frame)
    T = np.eye(4) if frame.link == "world" else point_pose(model, q, frame.link, placed.at, (0.0, 0.0, 0.0))
    if whole:
        own = np.eye(4)
        own[:3, :3], own[:3, 3] = so3.from_rpy(np.array(placed.origin.rpy)), placed.origin.xyz
        T = T @ own
    return np.asarray(T)


def _where_it_stands(model: Model, robot: Robot, loop: Loop, q: np.ndarray) -> Loop:
    """Return the loop with its second frame where the first one is at q."""
    first, second = loop.between
    T = np.linalg.solve(_pose(model, robot, second, q, False), _pose(model, robot, first, q, True))
    origin = Origin(xyz=tuple(T[:3, 3].tolist()), rpy=tuple(np.asarray(so3.to_rpy(T[:3, :3])).tolist()))
    return loop.model_copy(update={"between": (first, second.model_copy(update={"origin": origin}))})


def _impact(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, float]:
    """Return velocities that the loops allow, with the momentum kept, and the energy lost: v - M^-1 G^T (..)^-1 G v."""
    M, G = mass_matrix(model, q), loop_jacobian(model, q)
    reach = np.linalg.solve(M, G.T)
    impulse = np.linalg.lstsq(G @ reach, G @ v, rcond=SINGULAR)[0]
    after = v - reach @ impulse
    return after, 0.5 * float(v @ M @ v - after @ M @ after)


def _joined(model: Model, parts: Sequence[tuple[RawRun, float]], events: Sequence[Event]) -> RawRun:
    """Return all parts as one run; at the joints the sample after the jump."""
    kept = [slice(None, -1 if k + 1 < len(parts) else None) for k in range(len(parts))]

    def stacked(name: str) -> np.ndarray:
        return np.concatenate([getattr(raw, name)[keep] for (raw, _), keep in zip(parts, kept, strict=True)])

    def summed(name: str, jumps: Mapping[float, float]) -> np.ndarray:
        out, before = [], 0.0
        for (raw, t), keep in zip(parts, kept, strict=True):
            before += jumps.get(t, 0.0)
            out.append(getattr(raw, name)[keep] + before)
            before += float(getattr(raw, name)[-1])
        return np.concatenate(out)

    last = parts[-1][0]
    time = np.concatenate([raw.time[keep] + t for (raw, t), keep in zip(parts, kept, strict=True)])
    lost = {event.time: event.value for event in events if event.value}
    rows = len(model.arrays.loops.hold)
    multipliers = np.zeros((len(time), rows))
    begin = 0
    for (raw, _), keep in zip(parts, kept, strict=True):
        count = len(raw.time[keep])
        for k, loop in enumerate(raw.model.loops):
            own = slice(*raw.model.arrays.loops.rows[k].tolist())
            goal = slice(*model.arrays.loops.rows[[one.name for one in model.loops].index(loop.name)].tolist())
            if raw.multipliers is not None:
                multipliers[begin : begin + count, goal] = raw.multipliers[keep][:, own]
        begin += count
    samples: dict[str, Any] = {name: stacked(name) for name in ("q", "v", "a", "tau")}
    counted = ("steps", "rejected", "evaluations", "wall")
    counts: dict[str, Any] = {name: sum(getattr(raw, name) for raw, _ in parts) for name in counted}
    moved = [replace(event, time=event.time + t) for raw, t in parts for event in raw.warnings]
    return replace(
        last,
        model=model,
        time=time,
        **samples,
        work=summed("work", {}),
        dissipated=summed("dissipated", lost),
        load_work=None if last.load_work is None else summed("load_work", {}),
        multipliers=multipliers,
        given=np.zeros((len(time), rows)),
        loads=None,
        **counts,
        warnings=sorted([*events, *moved], key=lambda event: event.time),
    )
