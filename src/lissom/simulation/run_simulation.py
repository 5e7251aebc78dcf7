"""simulate: the main job in one call."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from lissom.control.references.reference import Reference
from lissom.errors import LissomError
from lissom.kernel.compile.events import listening
from lissom.model.any_robot import AnyRobot
from lissom.progress import Progress
from lissom.results.trajectory import Trajectory, from_run
from lissom.results.trust.repeatable_run import RepeatableRun
from lissom.results.validity.run_checks import check_run
from lissom.simulation.raw_run import Event
from lissom.simulation.settings import RunOptions, RunSettings, takes_settings
from lissom.simulation.status.run_ending import Ending
from lissom.simulation.status.run_warnings import warn_about_run
from lissom.simulation.stepping.interrupts import AFTER_ALL
from lissom.simulation.stepping.time_loop import simulate_raw

if TYPE_CHECKING:  # only annotations need them
    from lissom.dynamics.sensing import Sensors
    from lissom.simulation.inputs.run_arguments import Controller, Loads, Payloads, Start

LOG = logging.getLogger(__name__)
DOING, COMPILING = "simulating", "compiling, once per machine"


@takes_settings
def simulate(
    robot: AnyRobot,
    duration: float | RunSettings,
    *,
    controller: Controller | None = None,
    start: Start | None = None,
    motion: Mapping[str, Reference] | None = None,
    loads: Loads | None = None,
    payloads: Payloads | None = None,
    sensors: Sensors | None = None,
    trust: bool = False,
    accuracy: float | None = None,
    progress: bool = True,
    **options: Unpack[RunOptions],
) -> Trajectory:
    """Simulate a robot and return everything it did.

    >>> run = lissom.simulate("ella", 2.0, start={"elbow": 0.5})
    >>> run["elbow"], run.wrench("shoulder"), run.deflection("upper")

    Parameters
    ----------
    robot : Robot, Model or str
        A Robot, a compiled Model, or the name or path of a robot file.
    duration : float or RunSettings
        Seconds to simulate; or the whole `RunSettings` of a run, from which other arguments may differ.
    controller : ControlLaw, Sampled or callable, optional
        A law of `lissom.control` (runs compiled), a `Sampled` controller, or any function (t, q, v) that returns
        torques; a plain function is sampled 1000 times per second and its torques are held in between.
    start : mapping, array_like, tuple or str, optional
        Joint values by name ({"elbow": 0.5}), an array q, or a pair (q, v); zero and at rest unless given.
        "equilibrium" bends links and winds up elastic joints as the weight does, payloads and loads of t = 0
        included, with the joints at zero; the result of `lissom.static_equilibrium` starts there, with what it
        holds and loads of your choice.
    motion : mapping of str to Reference, optional
        Joints that follow a prescribed motion, {joint: Reference}; the torque they need is in the result. Behind an
        elastic gear it is the motor that follows it, and the joint winds up and swings behind.
    loads : sequence of Load, optional
        Forces and torques over time on links, and what drives cylinders: a list of `lissom.Load`.
    payloads : sequence of Payload, optional
        Bodies that links pick up and drop: a list of `lissom.Payload`.
    sensors : sequence of sensors or mappings, optional
        What measures the motion besides the sensors of the robot's file: a list such as
        [lissom.model.Encoder(joint="elbow", counts=4096)], or mappings as in a file. `run.reading(name)` is what
        one told, and a `control.Sampled` may read them instead of the state.
    trust : bool
        Measure by how much the numbers of the summary may be off, and why, as `lissom.trust` does; `run.trust` holds
        it. It takes some runs more.
    accuracy : float, optional
        Relative error that is allowed in the numbers of the summary, such as 0.01: functions, field, tolerances and
        outputs are chosen so that they meet it. `run.info.accuracy` tells what was chosen, and what cannot meet it
        (a warning says so).
    progress : bool
        Show how far the run is once it takes longer than two seconds: a bar on a terminal, else one line.
    method : str
        "auto", or "radau", "generalised-alpha", "dop853", "dopri5", "rk4", "euler", "cvode-adams", "cvode-bdf".
    step : float, optional
        Fixed step in seconds (needed by rk4 and euler); without it the step follows `rtol` and `atol`.
    rtol, atol : float, optional
        Relative and absolute error allowed per step in positions; in velocities rtol, and atol times each
        coordinate's own frequency (at least 300 per second). Without `atol` it is rtol / 100, so that rtol alone
        sets how precise a run is.
    rate : float
        Outputs per second, independent of the steps.
    radius : float
        Spectral radius of generalised-alpha at high frequencies, 1 (no damping) to 0.
    follow : float, optional
        Highest frequency, in Hz, whose vibrations radau follows; it damps faster ones. None: all of them.
    audit : bool
        Integrate work and dissipation along the way for the energy balance.

    Returns
    -------
    Trajectory
        The Trajectory. A run that fails, diverges or is interrupted returns what was computed, with a warning.
    """
    settings = RunSettings.of(duration, **options)
    bar = Progress(DOING, settings.duration, "s", show=progress)
    with bar, listening(lambda name: bar.say(COMPILING if name else DOING)):
        drive: dict[str, Any] = {
            "controller": controller,
            "start": start,
            "motion": motion,
            "loads": loads,
            "payloads": payloads,
        }
        drive["sensors"] = sensors
        raw = simulate_raw(robot, settings, **drive, progress=bar.update)
    told = (raw.model.robot.name, raw.method, raw.steps, raw.time[-1] if len(raw.time) else 0.0, raw.wall)
    LOG.info("%s: %s, %d steps to t = %g s in %.3g s, %s %s", *told, raw.status.word, raw.message)
    if len(raw.time) == 0:
        raise LissomError(f"the run ended before its first output: {raw.message}")
    trajectory = from_run(raw)
    try:
        check_run(trajectory)
    except KeyboardInterrupt:
        raw.status, raw.message = Ending.INTERRUPTED, AFTER_ALL
        trajectory.info = replace(trajectory.info, status=raw.status, message=raw.message)
    except MemoryError:
        text = "there is not enough memory to check the results of this run; take a lower rate, or a shorter one"
        trajectory.warnings.append(Event(float(raw.time[-1]), raw.model.robot.name, "memory", text, len(raw.time)))
    trajectory.repeat = RepeatableRun.of(robot, drive)
    warn_about_run(raw, trajectory.warnings, stacklevel=2)
    if accuracy is not None and raw.status is Ending.FINISHED:
        from lissom.results.trust.accuracy_search import reach_accuracy

        better = reach_accuracy(trajectory, accuracy, progress=progress)
        warn_about_run(better.raw, [event for event in better.warnings if event.kind == "accuracy"], stacklevel=2)
        return better
    if trust and raw.status is Ending.FINISHED:
        from lissom.results.trust.run_trust import trust as measure

        measure(trajectory, progress=progress)
    return trajectory
