"""Error bars of a run: it is repeated with more outputs, finer steps, more functions and a better field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from lissom.errors import LissomError
from lissom.model.description.robot import Robot
from lissom.progress import Progress
from lissom.results.error_bars import Trust
from lissom.results.trajectory import Trajectory, from_run
from lissom.results.trust.analysis_trust import analysis_question
from lissom.results.trust.headline import AT_JUMPS, at_jumps, headline
from lissom.results.trust.measurement import Computed, EndsEarlyError, Question, measure
from lissom.results.trust.repeatable_run import RepeatableRun
from lissom.simulation.settings import FINEST, RunSettings
from lissom.simulation.status.run_ending import Ending

TIGHTER = 100.0  # times smaller tolerances
SHORTER = 4.0  # times shorter fixed steps
PER_STEP = 4.0  # outputs in a step, between which peaks are found
MOST_SAMPLES = 20_000  # of a dense run
BUDGET = 1.0  # s for looking at links one by one
QUICK = 60_000  # steps times squared coordinates: measuring runs of ella, with 44 000, takes half a second
FEW_SAMPLES = 5000


def trust(
    subject: Trajectory | Callable[..., object],
    *arguments: object,
    budget: float = BUDGET,
    progress: bool = True,
    **more: object,
) -> Trust:
    """Measure how far numbers can be trusted, and where their errors come from.

    A run is made again, each time with one thing refined: more outputs (peaks between samples), tolerances a hundred
    times smaller, more shape functions (twice), the exact field, sections that shear; and with all of them. So is what
    a function computes of a robot.

    Parameters
    ----------
    subject : Trajectory or callable
        A run of `lissom.simulate` or of a scenario, in the process that made it. Or a function of a robot such as
        `lissom.natural_modes`, `lissom.static_equilibrium`, `lissom.frequency_response`, `lissom.sensitivity`, or your
        own, which returns numbers: one, an array, or {name: number}.
    *arguments, **more
        What the function takes, the robot first.
    budget : float, optional
        Seconds that looking at links and directions one by one may take. Where it would take longer, functions of all
        links are one source.
    progress : bool, optional
        Show how far it is, once it takes longer than two seconds.

    Returns
    -------
    Trust
        An error bar for every number: of a run those of the summary tables; `run.trust` and `run.summary()` have it
        from then on.

    Examples
    --------
    >>> run = lissom.simulate("ella", 0.5)
    >>> lissom.trust(run)["peak |deflection.upper|"].main_source
    >>> print(lissom.trust(lissom.natural_modes, "ella", number=3))
    """
    with Progress("measuring errors", show=progress):
        if not isinstance(subject, Trajectory):
            return measure(analysis_question(subject, arguments, more), budget)
        if arguments or more:
            raise LissomError(f"a run has no further arguments; leave out {', '.join([*map(str, arguments), *more])}")
        found = measure(run_question(subject), budget)
    subject.info, subject.measured = replace(subject.info, trust=found.to_dict()), found
    return found


def is_quick(run: Trajectory) -> bool:
    """Return whether measuring how far a run can be trusted takes less than a second, as far as counts tell."""
    if not isinstance(run.repeat, RepeatableRun) or run.info.settings is None:
        return False
    repeats = 1 + len(run.repeat.robot.toleranced()) / 3
    work = run.info.steps * run.model.nv**2 * repeats
    return work <= QUICK and len(run.time) * repeats <= FEW_SAMPLES


def run_question(run: Trajectory) -> Question:
    """Return the numbers of a run and how it is repeated."""
    again, settings = repeatable(run)
    usual = dense(settings, run.info.steps)
    tight = tighter(usual)

    def compute(robot: Robot, finer: bool) -> Computed:
        raw = again.make(robot, tight if finer else usual)
        if raw.status is not Ending.FINISHED:
            raise EndsEarlyError(f"such a run {raw.status.word}, {raw.message}")
        made, jumps = from_run(raw), again.jumps(raw)
        return Computed(headline(made.summary()) | at_jumps(made, jumps), raw.wall, jumps, made)

    plain = {
        name: one._replace(resolution=1 / usual.rate if one.unit == "s" else 0.0)
        for name, one in headline(run.summary()).items()
    }
    behind = at_jumps(run, again.jumps(run.raw))
    remedies = {
        "sampling": f"rate: {usual.rate:g}",
        "time": f"rtol: {tight.rtol:.0e}" if tight.step is None else f"step: {tight.step:g}",
    }
    return Question(
        again.robot,
        plain | behind,
        compute,
        run.info.wall,
        remedies,
        settings.duration,
        outputs=usual.rate / settings.rate,
        behind={name: name.removeprefix(AT_JUMPS) for name in behind},
        run=run,
    )


def repeatable(run: Trajectory) -> tuple[RepeatableRun, RunSettings]:
    """Return what a run was made of; refuse one that did not get to its end, or that comes from a file."""
    again, settings = run.repeat, run.info.settings
    if not isinstance(again, RepeatableRun):
        raise LissomError("what this run was made of is not known, so it cannot be repeated; simulate it again")
    if run.info.status is not Ending.FINISHED or settings is None:
        raise LissomError(f"the run did not get to its end ({run.info.message}), so its numbers have no error bars")
    return again, settings


def dense(settings: RunSettings, steps: int) -> RunSettings:
    """Return settings of the same steps with so many outputs that no peak falls between them."""
    outputs = settings.duration * settings.rate
    factor = max(2.0, np.ceil(PER_STEP * steps / outputs))
    factor = max(1.0, min(factor, np.floor(MOST_SAMPLES / outputs)))
    return settings.model_copy(update={"rate": settings.rate * factor, "audit": False})


def tighter(settings: RunSettings) -> RunSettings:
    """Return settings with tolerances a hundred times smaller, or fixed steps a quarter as long."""
    rtol = max(settings.rtol / TIGHTER, 10 * FINEST)
    change = {"rtol": rtol, "atol": settings.absolute_error * rtol / settings.rtol}
    return settings.model_copy(update=change | ({} if settings.step is None else {"step": settings.step / SHORTER}))
