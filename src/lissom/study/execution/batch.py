"""simulate_batch: many runs of one arm in one call, on all cores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import StudyError
from lissom.kernel.packs import LANES
from lissom.model.any_robot import AnyRobot
from lissom.operating_system import cores, memory
from lissom.progress import Progress
from lissom.simulation.settings import RunOptions, takes_settings
from lissom.simulation.status.run_warnings import EndedEarly, SimulationWarning, warn
from lissom.simulation.stepping.output_times import readable
from lissom.study.execution.process_pool import Pool
from lissom.study.execution.vector_runs import stream_of
from lissom.study.plan.kept_quantities import Quantity, quantities
from lissom.study.plan.run_plan import FINISHED, LOOKED, STATUS, Runs, StudyPiece, as_scenario, with_settings
from lissom.study.plan.sampled_trust import sampled_trust
from lissom.study.plan.sampling import Variations, in_si

if TYPE_CHECKING:
    import xarray as xr

# quantities to keep, as text or as what a study writes; by name, or named by their text
Outputs: TypeAlias = str | Iterable[str | Quantity] | Mapping[str, str | Quantity]

FEW = 4  # runs that do not pay for a further process
SHARE = 8  # pieces per process, so that none waits long for the last
FULL = 4 * LANES  # runs that are worth preparing together


@takes_settings
def simulate_batch(
    robot: AnyRobot,
    variations: Variations | Mapping[str, ArrayLike] | Iterable[Mapping[str, object]],
    duration: float | None = None,
    *,
    outputs: Outputs | None = None,
    cores: int | None = None,
    trust: int = 0,
    progress: bool = True,
    **options: Unpack[RunOptions],
) -> xr.Dataset:
    """Simulate many variants of an arm and return them side by side.

    Parameters
    ----------
    robot : str, path, Scenario, Robot or Model
        A scenario, or the name or file of one, as `lissom run` takes it; or a robot, which moves freely for the
        duration.
    variations : mapping, or iterable of mappings
        {path: values} with one value per run each, or a list of {path: value}, one per run. Paths are those of
        `lissom run --set`: "links.upper.beam.length", "control.gains.elbow.p", "start.elbow".
    duration : float, optional
        Seconds to simulate, in place of the scenario's.
    outputs : str, sequence or mapping, optional
        Quantities to keep, as a list or {name: quantity}: "position.elbow" (over time), ``peak |deflection.upper|``,
        "last tip_position.tool.z", "frequency.1"; see `lissom.study.plan.kept_quantities`. Everything over time unless
        given.
    cores : int, optional
        Processes to use, all unless given.
    trust : int, optional
        Of how many runs, evenly spread, error bars are measured: `NAME error` in the dataset, nan of the others.
    progress : bool
        Show how far it is once it takes longer than two seconds.
    **options
        Settings of the runs in place of the scenario's, as of `lissom.simulate`.

    Returns
    -------
    xarray.Dataset
        With a dimension `run`: what was varied, the outputs, and `status` (0: finished) and `cause` of every run. A run
        that fails leaves nan; the others stand. A warning tells how many ended in which way, and what puts numbers in
        doubt: of some runs, evenly spread, `cause` says that too.

    Examples
    --------
    >>> mass = "links.forearm.beam.masses.0.mass"
    >>> data = lissom.simulate_batch("ella", {mass: [0.5, 1, 2]}, 0.1, outputs=["peak |deflection.upper|"])
    >>> heaviest = data["peak |deflection.upper|"].sel(run=2)
    """
    scenario = with_settings(as_scenario(robot, duration), dict(options))
    runs = Runs(scenario, Variations.of(variations), {} if outputs is None else quantities(outputs))
    if outputs is None:
        runs = Runs(scenario, runs.variations, everything(runs))
    runs.check()
    _check_size(runs)
    count = len(runs)
    processes = processes_for(count, cores)
    with Progress("simulating", count, "runs", show=progress) as bar:
        piece = compute_runs(runs, processes, bar.update)
    tell_failures(piece.status, piece.cause, stacklevel=2)
    data = gather_runs(runs, piece)
    return data.assign(_errors(runs, trust)) if trust else data


def _errors(runs: Runs, count: int) -> dict[str, tuple[str, np.ndarray, dict[str, str]]]:
    """Return by how much outputs may be off, as variables over the runs; nan of runs that were not looked at."""
    found = sampled_trust(runs, count)
    names = dict.fromkeys(name for bars in found.values() for name in bars)
    errors = {name: np.full(len(runs), np.nan) for name in names}
    units = {}
    for run, bars in found.items():
        for name, bar in bars.items():
            errors[name][run], units[name] = bar.error, bar.unit
    return {f"{name} error": ("run", errors[name], {"units": units[name]}) for name in names}


def everything(runs: Runs) -> dict[str, Quantity]:
    """Return every quantity over time that a run of this robot has."""
    run = runs.trajectory(0, duration=1e-3, progress=False)
    return {str(name): Quantity.of(str(name)) for name in run.dataset.data_vars}


def tell_failures(status: np.ndarray, cause: Sequence[str], stacklevel: int) -> None:
    """Warn of runs that did not finish or are in doubt: one line for every kind of ending, however many they are."""
    for kind in np.unique(status[status > FINISHED]):
        those = np.flatnonzero(status == kind).tolist()
        text = f"{len(those)} of {len(status)} runs did not finish: {STATUS[kind]}; the first is run {those[0]}"
        warn(f"{text}: {cause[those[0]]}", EndedEarly, stacklevel + 1)
    doubtful = [k for k in np.flatnonzero(status == FINISHED).tolist() if cause[k]]
    if doubtful:
        text = f"{len(doubtful)} of {min(len(status), LOOKED)} runs that were looked at are in doubt; the first is run"
        warn(f"{text} {doubtful[0]}: {cause[doubtful[0]]}", SimulationWarning, stacklevel + 1)


def processes_for(count: int, asked: int | None) -> int:
    """Return how many processes so many runs are worth."""
    if asked is not None and (isinstance(asked, bool) or not isinstance(asked, int) or asked < 1):
        raise StudyError("must be a whole number, at least 1", ("cores",), asked)
    return min(cores() if asked is None else asked, max(1, count // FEW))


def _check_size(runs: Runs) -> None:
    numbers = len(runs) * sum(math.prod(shape.sizes) for shape in runs.shapes.values())
    size, has = 2 * 8.0 * numbers, memory()
    if size > has:
        text = (
            f"{len(runs)} runs of {numbers // len(runs)} numbers need {readable(size)} of memory, and this machine has "
            f"{readable(has)}; keep less, as in outputs=['peak |deflection.upper|'], or make a study of it"
        )
        raise StudyError(text, ("outputs",))


def portions(count: int, processes: int, packs: bool) -> list[range]:
    """Return runs that one process computes at a time; who shares a pack does not depend on the number of processes."""
    size, stream = max(1, math.ceil(count / (processes * SHARE))), stream_of(count)
    if packs:
        size = stream * max(1, min(max(size, FULL), count // processes) // stream)
    return [range(k, min(k + size, count)) for k in range(0, count, size)]


def compute_runs(runs: Runs, processes: int, tell: Callable[[int], None]) -> StudyPiece:
    """Return results of all runs; `tell` is told how many are done."""
    order, job = runs.order(range(len(runs))), partial(runs.compute, stream=stream_of(len(runs)))
    parts = [tuple(order[k] for k in part) for part in portions(len(runs), processes, runs.in_packs)]
    found: dict[tuple[int, ...], StudyPiece] = {}
    if processes == 1:
        for rows in parts:
            found[rows] = job(rows)
            tell(sum(map(len, found)))
    else:
        with Pool(processes, job) as pool:
            for rows, piece in pool.each(parts):
                found[rows] = piece
                tell(sum(map(len, found)))
    pieces, place = [found[rows] for rows in parts], np.argsort(order)
    return StudyPiece(
        {name: np.concatenate([piece.values[name] for piece in pieces])[place] for name in runs.shapes},
        np.concatenate([piece.status for piece in pieces])[place],
        [text for _, text in sorted(zip(order, (text for piece in pieces for text in piece.cause), strict=True))],
    )


def gather_runs(runs: Runs, piece: StudyPiece) -> xr.Dataset:
    """Return one labelled dataset of all runs."""
    import xarray as xr

    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {"run": np.arange(len(runs))}
    for name, values in runs.variations.columns.items():
        coordinates[name] = ("run", column_of(values), runs.column_attributes(name))
    for name, shape in runs.shapes.items():
        variables[name] = (("run", *shape.dims), piece.values[name], shape.attributes)
        coordinates |= {dim: list(labels) for dim, labels in shape.labels.items()}
    if any("time" in shape.dims for shape in runs.shapes.values()):
        coordinates["time"] = ("time", runs.time, {"units": "s"})
    variables["status"] = ("run", piece.status, status_attributes())
    variables["cause"] = ("run", np.array(piece.cause, dtype=object))
    return xr.Dataset(variables, coordinates)


def column_of(values: tuple[Any, ...]) -> np.ndarray:
    """Return a varied quantity as an array: numbers, in SI units, where all are, else text."""
    try:
        return np.array([in_si(value) for value in values])
    except (TypeError, ValueError):
        return np.array([str(value) for value in values], dtype=object)


def status_attributes() -> dict[str, Any]:
    """Return how to read the numbers of `status`."""
    return {
        "long_name": "how the run ended",
        "flag_values": list(range(len(STATUS))),
        "flag_meanings": " ".join(str(word) for word in STATUS),
    }
