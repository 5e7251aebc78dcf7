"""Warnings about a run: each kind is told once, however many runs a loop makes."""

from __future__ import annotations

import warnings

from lissom.simulation.ending import Ending
from lissom.simulation.raw import Event, RawRun

EXPECTED = "payload"  # kind of events that a person asked for
_told: set[tuple[str, str, str]] = set()


class SimulationWarning(UserWarning):
    """A run that went on, or ended early, although something is wrong."""


class EndedEarly(SimulationWarning):
    """A run that did not get to its end."""


def tell(raw: RawRun, events: list[Event], stacklevel: int) -> None:
    """Warn of the events of a run, and of an early end; all of them are in `run.warnings` and `run.info` anyway."""
    for event in events:
        if event.kind == EXPECTED:
            continue
        kind = raw.model.robot.name, event.link_or_joint, event.kind
        _tell(kind, event.text, SimulationWarning, stacklevel + 1)
    if raw.status is not Ending.FINISHED:
        kind = raw.model.robot.name, "", raw.status.word
        _tell(kind, f"{raw.status.word}: {raw.message}", EndedEarly, stacklevel + 1)


def _tell(kind: tuple[str, str, str], text: str, category: type[Warning], stacklevel: int) -> None:
    if kind in _told and not _every_one(category):
        return
    _told.add(kind)
    warnings.warn(text, category, stacklevel=stacklevel + 1)


def _every_one(told: type[Warning]) -> bool:
    """Whether the program asked for all warnings, or wants them as errors."""
    for action, message, category, module, line in warnings.filters:
        if message is None and module is None and line == 0 and issubclass(told, category):
            return action in ("always", "all", "error")
    return False
