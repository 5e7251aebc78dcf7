"""What a run was made of, so that it can be made again with another robot or other settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lissom.control.references.reference import Reference
from lissom.model.any_robot import AnyRobot, as_model, as_robot
from lissom.model.description.robot import Robot
from lissom.results.trust.carried_inputs import carried_controller, carried_state
from lissom.simulation.raw_run import RawRun
from lissom.simulation.settings import RunSettings


@dataclass(frozen=True)
class RepeatableRun:
    """A run that can be made again.

    Parameters
    ----------
    robot : Robot
        As it was given.
    make : callable
        From a robot and settings to the run of that robot.
    motion : mapping of str to Reference
        Prescribed motions, whose jumps matter.
    """

    robot: Robot
    make: Callable[[Robot, RunSettings], RawRun]
    motion: Mapping[str, Reference] = field(default_factory=dict)

    @classmethod
    def of(cls, robot: AnyRobot, drive: Mapping[str, Any]) -> RepeatableRun:
        """Return the run of a robot under what `lissom.simulate` was given."""
        from lissom.simulation.stepping.time_loop import simulate_raw  # scenarios are checked without it

        given = as_robot(robot)

        def make(other: Robot, settings: RunSettings) -> RawRun:
            if other is given:
                return simulate_raw(robot, settings, **drive)
            old, new = as_model(given), as_model(other)
            carried = {"controller": carried_controller(old, new, drive["controller"])}
            start = drive["start"]
            start = start.q if isinstance(getattr(start, "q", None), np.ndarray) else start
            if isinstance(start, np.ndarray | list | tuple):
                pair = start if isinstance(start, tuple) and len(start) == 2 else (start, np.zeros(old.nv))
                q, v = (np.asarray(part, float) for part in pair)
                carried["start"] = (q, v) if old.nq == new.nq else carried_state(old, new, q, v)
            return simulate_raw(other, settings, **(dict(drive) | carried))

        return cls(given, make, drive.get("motion") or {})

    def jumps(self, run: RawRun) -> np.ndarray:
        """Return the times at which forces or given motions jump, the start among them."""
        times = [np.zeros(1), np.asarray(getattr(run.controller, "jumps", ()), float)]
        if run.loads is not None:
            times.append(np.asarray(run.loads.reference.jumps, float))
        if run.carried is not None:
            times.append(np.asarray(run.carried.times, float))
        times += [np.asarray(one.discontinuities(2), float) for one in self.motion.values()]
        return np.unique(np.concatenate([part.ravel() for part in times]))
