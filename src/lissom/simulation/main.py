"""simulate: the main job in one call."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from lissom.control.reference import Reference
from lissom.errors import LissomError
from lissom.model.any_robot import AnyRobot
from lissom.simulation.axial_force import axial_doubts
from lissom.simulation.ending import Ending
from lissom.simulation.raw import Event, RawRun
from lissom.simulation.run import run
from lissom.simulation.settings import RunSettings, takes_settings
from lissom.simulation.trajectory import Trajectory, from_run


class SimulationWarning(UserWarning):
    """A run that went on, or ended early, although something is wrong."""


@takes_settings
def simulate(
    robot: AnyRobot,
    duration: float | RunSettings,
    *,
    controller: Any = None,
    start: Any = None,
    motion: Mapping[str, Reference] | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Trajectory:
    """Simulate a robot and return everything it did.

    >>> run = lissom.simulate("ella", 2.0, start={"elbow": 0.5})
    >>> run["elbow"], run.wrench("shoulder"), run.deflection("upper")

    Args:
        robot: a Robot, a compiled Model, or the name or path of a robot file.
        duration: seconds to simulate; or the whole `RunSettings` of a run, from which `options` may differ.
        controller: a law of `lissom.control` (runs compiled), a `Sampled` controller, or any function (t, q, v) that
            returns torques; a plain function is sampled 1000 times per second and its torques are held in between.
        start: joint values by name ({"elbow": 0.5}), an array q, or a pair (q, v); zero and at rest unless given.
        motion: joints that follow a prescribed motion, {joint: Reference}; the torque they need is in the result.
        progress: show a progress bar; by default on a terminal when the run takes more than two seconds.
        options: the settings of a run:
            method: "auto", or "radau", "generalised-alpha", "dop853", "dopri5", "rk4", "euler", "cvode-adams",
                "cvode-bdf".
            step: fixed step in seconds (needed by rk4 and euler); without it the step follows `rtol` and `atol`.
            rtol, atol: relative and absolute error allowed per step in positions; in velocities rtol, and atol times
                each coordinate's own frequency (300 per second at least).
            rate: outputs per second, independent of the steps.
            radius: spectral radius of generalised-alpha at high frequencies, 1 (no damping) to 0.
            audit: integrate work and dissipation along the way for the energy balance.
    Returns:
        The Trajectory. A run that fails, diverges or is interrupted returns what was computed, with a warning.
    """
    settings = RunSettings.of(duration, **options)
    with _Bar(settings.duration, progress) as bar:
        raw = run(robot, settings, controller=controller, start=start, motion=motion, progress=bar)
    if len(raw.time) == 0:
        raise LissomError(f"the run ended before its first output: {raw.message}")
    trajectory = from_run(raw)
    trajectory.warnings += axial_doubts(trajectory)
    _warn(raw, trajectory.warnings)
    return trajectory


def _warn(raw: RawRun, events: list[Event]) -> None:
    for event in events:
        warnings.warn(event.text, SimulationWarning, stacklevel=3)
    if raw.status is not Ending.FINISHED:
        warnings.warn(f"{raw.status.word}: {raw.message}", SimulationWarning, stacklevel=3)


class _Bar:
    """A progress bar that appears after two seconds on a terminal."""

    def __init__(self, duration: float, show: bool | None) -> None:
        self._duration, self._began = duration, time.monotonic()
        self._bar: Any = None
        self._show = sys.stderr.isatty() if show is None else show
        self._wait = 2.0 if show is None else 0.0

    def __enter__(self) -> Callable[[float], None]:
        return self.update

    def update(self, t: float) -> None:
        if not self._show or time.monotonic() - self._began < self._wait:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (
                TextColumn("simulating"),
                BarColumn(),
                TextColumn("{task.completed:.2f} of {task.total:g} s"),
                TimeRemainingColumn(),
            )
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("", total=self._duration)
        self._bar.update(self._task, completed=t)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
