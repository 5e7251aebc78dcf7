"""How a run was made and how it ended: what goes with its numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lissom.simulation.raw_run import RawRun
from lissom.simulation.settings import RunSettings
from lissom.simulation.status.run_ending import Ending
from lissom.version import __version__


@dataclass(frozen=True)
class RunInfo:
    """How a run was made, and how it ended."""

    method: str
    reason: str  # why this method
    steps: int
    rejected: int
    evaluations: int
    jacobians: int
    wall: float  # s spent in the time loop
    status: Ending
    message: str = ""
    version: str = __version__
    newton: dict[str, Any] = field(default_factory=dict)  # how an implicit method iterated; see `newton.report`
    settings: RunSettings | None = None  # None where the samples come from elsewhere
    date: str = ""  # when it was run, with the offset from UTC
    gains: dict[str, dict[str, float]] = field(default_factory=dict)  # of a control law: {coordinate: {"p", "d"}}
    scenario: dict[str, Any] = field(default_factory=dict)  # that it was run by, as in its file, without the robot
    trust: dict[str, Any] = field(default_factory=dict)  # error bars of its numbers, where they were measured
    accuracy: dict[str, Any] = field(default_factory=dict)  # one that was asked for, what was chosen, what is missed

    @classmethod
    def of(cls, raw: RawRun) -> RunInfo:
        """Return how a run that has just ended was made."""
        return cls(
            method=raw.method,
            reason=raw.reason,
            steps=raw.steps,
            rejected=raw.rejected,
            evaluations=raw.evaluations,
            jacobians=raw.jacobians,
            wall=raw.wall,
            status=raw.status,
            message=raw.message,
            newton=raw.newton,
            settings=raw.settings,
            date=datetime.now().astimezone().isoformat(" ", "seconds"),
            gains=_gains(raw),
        )


def describe_run(info: RunInfo, robot: str) -> dict[str, str | float | int]:
    """Return what a table says of how a run was made: program, version, robot, method, settings, scenario.

    They are plain texts and numbers, as files take them.
    """
    said: dict[str, str | float | int] = {"program": "lissom", "version": info.version, "robot_name": robot}
    said |= {"date": info.date, "status": info.status.word, "method": info.method, "steps": info.steps}
    if info.settings is not None:
        for name, value in info.settings.model_dump().items():
            if value is not None:
                said[f"settings.{name}"] = value if isinstance(value, int | float) else str(value)
    if info.scenario:
        said["scenario"] = json.dumps(info.scenario, default=str)
    return {name: value for name, value in said.items() if value != ""}


def _gains(raw: RawRun) -> dict[str, dict[str, float]]:
    law = raw.controller
    if not all(hasattr(law, name) for name in ("kp", "kd", "measured_q")):
        return {}
    names = [raw.model.q_names[k] for k in law.measured_q]
    return {name: {"p": float(p), "d": float(d)} for name, p, d in zip(names, law.kp, law.kd) if p or d}
