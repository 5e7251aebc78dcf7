"""Warnings about a run: of one and the same robot each kind is told once, however many runs a loop makes.

An early end is told every time. Robots are told apart as objects: two arms may have one name.
"""

from __future__ import annotations

import inspect
import warnings
from weakref import finalize

from lissom.model.description.robot import Robot
from lissom.simulation.raw_run import Event, RawRun
from lissom.simulation.status.run_ending import Ending

EXPECTED = "payload"  # kind of events that a person asked for
_told: dict[int, set[tuple[str, str]]] = {}  # by the id of a robot, as long as it lives


class SimulationWarning(UserWarning):
    """A run that went on, or ended early, although something is wrong."""


class EndedEarly(SimulationWarning):
    """A run that did not get to its end."""


def warn_about_run(raw: RawRun, events: list[Event], stacklevel: int) -> None:
    """Warn of the events of a run, and of an early end; all of them are in `run.warnings` and `run.info` anyway."""
    told, all_wanted = _warnings_given(raw.model.robot), _every_one(SimulationWarning)
    for event in events:
        kind = event.link_or_joint, event.kind
        if event.kind == EXPECTED or (kind in told and not all_wanted):
            continue
        told.add(kind)
        warn(event.text, SimulationWarning, stacklevel + 1)
    if raw.status is not Ending.FINISHED:
        warn(f"{raw.status.word}: {raw.message}", EndedEarly, stacklevel + 1)


def warn(text: str, category: type[Warning], stacklevel: int) -> None:
    """Warn as `warnings.warn` does, but again where a line of the caller has led to the same text before."""
    frame = inspect.currentframe()
    for _ in range(stacklevel):
        frame = frame.f_back if frame is not None else None
    assert frame is not None, "the caller of the caller"
    module = frame.f_globals.get("__name__", "")
    warnings.warn_explicit(text, category, frame.f_code.co_filename, frame.f_lineno, module)


def _warnings_given(robot: Robot) -> set[tuple[str, str]]:
    if id(robot) not in _told:
        _told[id(robot)] = set()
        finalize(robot, _told.pop, id(robot), None)
    return _told[id(robot)]


def _every_one(told: type[Warning]) -> bool:
    """Return whether the program asked for all warnings, or wants them as errors."""
    for action, message, category, module, line in warnings.filters:
        if message is None and module is None and line == 0 and issubclass(told, category):
            return action in ("always", "all", "error")
    return False
