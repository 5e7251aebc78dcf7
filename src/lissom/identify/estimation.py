"""lissom.fit: the parameters under which a robot does what was measured."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias, Unpack

import numpy as np

from lissom.errors import IdentifyError, LissomError
from lissom.identify.fit_parameters import Unknown, unknowns
from lissom.identify.fit_result import Fit
from lissom.identify.growing_windows import growing_windows, likelihood, poorest
from lissom.identify.measured_frequencies import MeasuredFrequency
from lissom.identify.measured_records import Record, name_records
from lissom.identify.residuals import Residuals
from lissom.identify.uncertainty import longest_memory, uncertainty
from lissom.model.any_robot import AnyRobot, as_robot
from lissom.progress import Progress
from lissom.simulation.settings import RunOptions, takes_settings

# paths of what is to be found, with bounds (None: open) or with all that is known of it
Parameters: TypeAlias = Sequence[str] | Mapping[str, Unknown | Sequence[float | None] | Mapping[str, object] | None]
Records: TypeAlias = Record | Mapping[str, object] | Iterable[Record | Mapping[str, object]]

# The search is lissom's own: nine fits of three arms (tests/helpers/measured_arms.py, starts up to 40 % off) take it 75
# evaluations. SciPy's trust region (`least_squares`, its end decided alike) takes 88, from afar up to three times as
# many, and cannot be told when to end before SciPy 1.16.
LOG = logging.getLogger(__name__)
ROUNDS = 6  # of finding parameters and noise in turn
SETTLED = 0.02  # share by which the noise may change in the last round
# of half the sum of squared residuals, per sample of the errors' memory, where a step of one deviation gains 0.5:
LEFT = 0.02  # a fifth of a deviation: what may be left to gain
FAINT = 0.2  # promised, or lost, by a step that gains nothing: runs, whose steps differ, cannot tell better from worse
UNSURE = 0.2  # deviations of the noise by which it may change in the last round, where that is more than SETTLED
FIRST = 0.02  # share of the whole, before the noise is known
SINGULAR = 1e-12  # of the curvature: directions with less are left as they are
DAMPED, HARDER, EASIER, HOPELESS = 1e-3, 5.0, 10.0, 1e8  # how steps become shorter and longer
POOR, GOOD = 0.05, 0.6  # of what a step should gain
REACH = 2.0  # times its size: a parameter of the robot moves no further in one step; its misfit is no parabola for ever


@takes_settings
def fit(
    robot: AnyRobot,
    parameters: Parameters,
    records: Records = (),
    *,
    frequencies: Sequence[MeasuredFrequency | Mapping[str, object]] = (),
    held_back: Records = (),
    most: int = 50,
    folder: str | os.PathLike[str] = ".",
    progress: bool = True,
    **settings: Unpack[RunOptions],
) -> Fit:
    """Find parameters of a robot from measured histories and frequencies.

    Parameters
    ----------
    robot : str, path, Robot or Model
        The name or file of a robot, a robot, or its model; the search starts with its values.
    parameters : sequence of str, or mapping
        Fields to be found: a list of paths, {path: [low, high]}, or {path: {start, bounds, prior, ties}}.
    records : Record, mapping, or iterable of them
        What was measured.
    frequencies : sequence of MeasuredFrequency or mapping
        Measured natural frequencies.
    held_back : Record, mapping, or iterable of them
        Records that are not fitted; the result says how well they are met.
    most : int
        Evaluations of the model at most, in each search.
    folder : str or path
        Where relative paths of records begin.
    progress : bool
        Show how far it is once it takes longer than two seconds.
    **settings
        Settings of the runs, as of `lissom.simulate`: rtol, atol, method ...

    Returns
    -------
    Fit
        Values, intervals, what the data cannot tell apart, errors on what was held back, the new robot.

    Examples
    --------
    >>> first = lissom.natural_modes("ella").frequencies[0]
    >>> measured = lissom.identify.MeasuredFrequency(frequency=0.98 * first)
    >>> found = lissom.fit("ella", {"links.upper.beam.section.EIz": [1000, 9000]}, frequencies=[measured])
    >>> print(found)
    """
    described = as_robot(robot)
    made = [each if isinstance(each, MeasuredFrequency) else MeasuredFrequency.from_dict(each) for each in frequencies]
    misfit = Residuals(
        described, unknowns(parameters), name_records(records), made, settings=dict(settings), folder=os.fspath(folder)
    )
    with Progress("fitting", most, "evaluations at most", show=progress) as bar:
        x, message = search(misfit, most, bar)
        if poorest(misfit.blocks(x)) is not None:
            bar.say("fitting short windows first")
            x, message = _by_windows(misfit, x, message, most, bar)
        found = Fit(misfit, x, uncertainty(misfit, x), message)
        if held_back:
            bar.say("validating")
            found = found.validated(held_back, folder)
    return found


def _by_windows(misfit: Residuals, x: np.ndarray, message: str, most: int, bar: Progress) -> tuple[np.ndarray, str]:
    """Search again from windows that grow; return the better of both ends, doubts in its message."""
    at, ended = misfit.start, message
    with suppress(LissomError):
        for part in growing_windows(misfit):
            at, _ = search(part, most, bar, at)
            misfit.evaluations += part.evaluations
        at, ended = search(misfit, misfit.evaluations + most, bar, at)
        if likelihood(misfit.blocks(at)) < likelihood(misfit.blocks(x)):
            x, message = at, ended
    left = poorest(misfit.blocks(x))
    if left is not None:
        message = (
            f"poor fit: errors of {left.output} in {left.record} are {100 * left.normalised:.0f} % of what was "
            "measured and no noise, also by way of short windows; begin nearer, narrow the bounds, or doubt the model"
        )
    return x, message


def search(
    misfit: Residuals, most: int, bar: Progress | None = None, start: np.ndarray | None = None
) -> tuple[np.ndarray, str]:
    """Return the parameters (p,) with the least misfit, and how the search ended; noise that is not given is found too.

    It begins with the robot's own values, or with `start` (p,).
    """
    misfit.first_guess()
    x = misfit.start if start is None else start
    if start is not None:
        misfit.estimate_noise(start, 0)
    samples = len(misfit.residuals(x))
    if samples < len(x):
        raise IdentifyError(f"{len(x)} parameters cannot be found from {samples} numbers; give more data")
    rough = len(misfit.given_noise) < len(misfit.noise)
    for _ in range(ROUNDS):
        memory = longest_memory(misfit.blocks(x))
        x, message = descend(misfit, x, memory, FIRST if rough else 0.0, most, bar)
        change = misfit.estimate_noise(x, len(x))
        blocks = misfit.blocks(x)
        fewest, now = min((len(block.errors) for block in blocks), default=1), longest_memory(blocks)
        settled = change < max(SETTLED, UNSURE * np.sqrt(now / (2.0 * fewest))) and now > 0.5 * memory
        if misfit.evaluations >= most or (settled and not rough):
            return x, message
        rough = False
    return x, f"stopped: the noise still changes by {100 * change:.0f} % in a round; give it, or doubt the model"


def descend(
    misfit: Residuals, x: np.ndarray, memory: float, share: float, most: int, bar: Progress | None = None
) -> tuple[np.ndarray, str]:
    """Apply Levenberg and Marquardt's method within bounds, until a step can gain little, or but a share of the misfit.

    Steps are judged by half the sum of squared residuals, which follow each other over `memory` samples. A robot that
    cannot be, or a motion that does not finish, counts as a step that was too long.
    """
    size = np.array([entry.size for entry in misfit.entries])
    low, high = (np.array([getattr(entry, side) for entry in misfit.entries]) / size for side in ("low", "high"))
    reach = np.array([REACH if entry.record is None else np.inf for entry in misfit.entries])
    z, damping, left, faint = np.clip(x / size, low, high), 0.0, LEFT * memory, FAINT * memory
    r, J = misfit.residuals(z * size), misfit.jacobian(z * size) * size
    while True:
        gradient, cost = J.T @ r, 0.5 * float(r @ r)
        outward = ((z <= low) & (gradient > 0)) | ((z >= high) & (gradient < 0))
        free = np.flatnonzero(~outward)
        normal = J[:, free].T @ J[:, free]
        scale = np.maximum(np.diag(normal), SINGULAR * normal.diagonal().max(initial=1e-300))
        full = _step(normal, scale, gradient[free], SINGULAR)
        gain = -0.5 * float(gradient[free] @ full)
        if gain <= left:  # the last step is taken unless it is one too far
            last = z.copy()
            last[free] = np.clip(z[free] + full, low[free], high[free])
            with suppress(LissomError):
                if 0.5 * float(np.sum(misfit.residuals(last * size) ** 2)) < cost + left:
                    z = last
        if gain <= max(left, share * cost):
            return z * size, "converged"
        while True:  # shorter steps, until one gains something
            if misfit.evaluations >= most:
                return z * size, "stopped at the largest number of evaluations"
            step = _step(normal, scale, gradient[free], damping or SINGULAR)
            trial = z.copy()
            trial[free] = np.clip(z[free] + step, low[free], high[free])
            moved = trial - z
            if np.any(np.abs(moved) > reach) and damping < HOPELESS:
                damping = max(HARDER * damping, DAMPED)
                continue
            expected = -float(gradient @ moved) - 0.5 * float(np.sum((J @ moved) ** 2))
            try:
                found = misfit.residuals(trial * size)
                gained = cost - 0.5 * float(found @ found)
            except LissomError:
                found, gained = r, -np.inf
            if bar is not None:
                bar.update(misfit.evaluations)
            if gained > POOR * expected and gained > 0:
                break
            damping = max(HARDER * damping, DAMPED)
            if max(expected, -gained) < faint:
                return trial * size, "converged"
            if damping > HOPELESS:
                return z * size, "stopped: no step gains anything, so doubt the model or tighten rtol"
        z, r = trial, found
        LOG.info("half the squared residuals %.6g after %d evaluations", 0.5 * float(r @ r), misfit.evaluations)
        J = misfit.jacobian(z * size) * size
        damping = damping / EASIER if gained > GOOD * expected else damping
        damping = damping if damping > DAMPED / EASIER else 0.0


def _step(normal: np.ndarray, scale: np.ndarray, gradient: np.ndarray, damping: float) -> np.ndarray:
    """Return the step that a damped model of the misfit asks for."""
    return -np.linalg.lstsq(normal + damping * np.diag(scale), gradient, rcond=None)[0]
