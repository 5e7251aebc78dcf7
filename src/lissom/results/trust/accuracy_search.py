"""From an accuracy that is wanted to functions, field, tolerances and outputs that give it."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from lissom.errors import LissomError
from lissom.messages import listed, suggestion
from lissom.model.any_robot import as_model
from lissom.model.description.robot import Robot
from lissom.model.flexible.beam_parts import Modes, ModesTo
from lissom.progress import Progress
from lissom.results.error_bars import ErrorBar, Reached, Trust
from lissom.results.trajectory import Trajectory, from_run
from lissom.results.trust.headline import group
from lissom.results.trust.refined_robots import enriched, half_more, shearing, with_exact_field
from lissom.results.trust.repeatable_run import RepeatableRun
from lissom.results.trust.run_trust import dense, repeatable, tighter, trust
from lissom.results.validity.run_checks import check_run
from lissom.simulation.raw_run import Event
from lissom.simulation.settings import RunSettings

ROUNDS = 8  # of refinement: each takes as many runs as `trust`, and most need two
COUNTS = 0.01  # of the largest number of a kind, below which a number is judged as a part of that
HOPELESS = 0.7  # of an error that is left by a refinement meant for it, from which on the next is not worth it
SECONDS = 30.0  # of computing for refinement, after which the best so far is told
PART = 0.3  # of the accuracy that one cause may take before it is refined


def reach_accuracy(
    run: Trajectory,
    accuracy: float,
    outputs: Collection[str] | None = None,
    *,
    seconds: float = SECONDS,
    progress: bool = True,
) -> Trajectory:
    """Return a run like the one given whose numbers are so certain, or as certain as they become.

    What decides the error of a number is refined until all of them are within the accuracy: outputs, tolerances,
    functions of the links and directions that need more, the exact field, shear. `run.trust` holds the error bars,
    `run.info.accuracy` what was chosen and what is missed.

    Parameters
    ----------
    run : Trajectory
        A run that can be repeated.
    accuracy : float
        Relative error that is allowed, such as 0.01. Numbers below a hundredth of the largest of their kind are judged
        as parts of that.
    outputs : collection of str, optional
        Names of the numbers that matter, as in `run.trust`; all of the summary tables, settling times apart, unless
        given.
    seconds : float, optional
        Of computing, after which nothing further is refined.
    """
    if not 0 < accuracy < 1:
        raise LissomError("must be a share between 0 and 1, such as 0.01 or 1 %", ("accuracy",), accuracy)
    again, given = repeatable(run)
    robot, settings = again.robot, given
    missed: list[ErrorBar] = []
    hopeless: set[str] = set()  # what further refinement did not make more certain
    errors: dict[str, float] = {}
    began = time.process_time()
    with Progress("reaching the accuracy", show=progress):
        for _ in range(ROUNDS):
            found = trust(run, progress=False)
            for name in set(outputs or ()) - found.bars.keys():
                raise LissomError(f"is no number of this run; {suggestion(name, list(found.bars))}", ("outputs",), name)
            missed = _misses(found, accuracy, outputs)
            hopeless |= {bar.name for bar in missed if bar.error > HOPELESS * errors.get(bar.name, np.inf)}
            errors = {bar.name: bar.error for bar in found}
            hopeful = [bar for bar in missed if np.isfinite(bar.error) and bar.name not in hopeless]
            finer = _refine(robot, settings, run, hopeful, accuracy)
            if finer == (robot, settings) or time.process_time() - began > seconds:
                break
            robot, settings = finer
            run = _again(run, again, robot, settings)
    chosen = _changes(again.robot, robot, given, settings)
    why = {bar.name: bar.limitless or f"{bar} {bar.unit}, {bar.main_source}" for bar in missed}
    reached = Reached(accuracy, not missed, chosen, why)
    run.info = replace(run.info, accuracy=vars(reached))
    if missed:
        text = (
            f"an accuracy of {100 * accuracy:g} % is not met: {listed([f'{n} ({w})' for n, w in why.items()], 'and')}"
        )
        run.warnings.append(Event(0.0, run.model.robot.name, "accuracy", text, accuracy))
    return run


def _again(run: Trajectory, again: RepeatableRun, robot: Robot, settings: RunSettings) -> Trajectory:
    """Return the run of a better robot with better settings, checked as any run is."""
    made = from_run(again.make(robot, settings))
    made.info = replace(made.info, scenario=run.info.scenario)
    made.repeat = replace(again, robot=robot)
    check_run(made)
    return made


def _misses(found: Trust, accuracy: float, outputs: Collection[str] | None) -> list[ErrorBar]:
    """Return the numbers whose error is larger than allowed."""
    sizes: dict[str, float] = {}
    for bar in found:
        sizes[group(bar.name, bar.unit)] = max(sizes.get(group(bar.name, bar.unit), 0.0), abs(bar.value))
    chosen = [bar for bar in found if (bar.unit != "s" if outputs is None else bar.name in outputs)]
    return [bar for bar in chosen if bar.error > accuracy * _size(bar, sizes)]


def _size(bar: ErrorBar, sizes: dict[str, float]) -> float:
    return max(abs(bar.value), COUNTS * sizes[group(bar.name, bar.unit)])


def _refine(
    robot: Robot, settings: RunSettings, run: Trajectory, missed: list[ErrorBar], accuracy: float
) -> tuple[Robot, RunSettings]:
    """Return the robot and the settings with every cause refined that takes its part of the errors that matter."""
    causes = [one for bar in missed for one in bar.sources if one.error > PART * accuracy * abs(bar.value)]
    kinds = {one.kind for one in causes}
    model = as_model(robot)
    if "functions" in kinds:
        places = {(one.link, one.direction) for one in causes if one.kind == "functions"}
        known = {(link.name, way) for link in robot.links for way in ("y", "z", "torsion", "axial")}
        wanted = {(link, way) for link, way in known if {(link, way), (link, ""), ("", "")} & places}
        robot = enriched(robot, model, half_more, wanted)
    if "field" in kinds:
        robot = with_exact_field(robot)
    if "shear" in kinds:
        robot = shearing(robot)
    if "sampling" in kinds:
        settings = settings.model_copy(update={"rate": dense(settings, run.info.steps).rate})
    if "time" in kinds:
        fine = tighter(settings)
        settings = settings.model_copy(update={"rtol": fine.rtol, "atol": fine.atol, "step": fine.step})
    return robot, settings


def _changes(robot: Robot, better: Robot, settings: RunSettings, finer: RunSettings) -> dict[str, Any]:
    """Return what differs, by the path of a scenario file, as a file writes it."""
    found: dict[str, Any] = {}
    for before, after in zip(robot.links, better.links, strict=True):
        if before.beam is None or after.beam is None:
            continue
        for name in ("modes", "stiffening", "frame", "shear"):
            if getattr(before.beam, name) != getattr(after.beam, name):
                value = getattr(after.beam, name)
                found[f"links.{after.name}.beam.{name}"] = (
                    _plain(value) if isinstance(value, Modes | ModesTo) else value
                )
    for name in ("rtol", "atol", "step"):
        if getattr(settings, name) != getattr(finer, name):
            found[name] = getattr(finer, name)
    if settings.rate != finer.rate:
        found["output.rate"] = finer.rate
    return found


def _plain(modes: Modes | ModesTo) -> dict[str, Any]:
    if isinstance(modes, Modes):
        return {name: count for name, count in modes.as_dict().items() if count}
    base = {} if modes.to is None else {"to": modes.to, "accuracy": modes.accuracy}
    return base | {"more": {name: count for name, count in modes.more.as_dict().items() if count}}
