"""The best of all variants: minimise an output over any fields, within bounds and limits of other outputs.

Every run is noted in a store before the next is asked for. SciPy's methods always ask in the same order, so a search
that was interrupted goes on by asking again: what is known is answered at once.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import printing
from lissom.errors import LissomError, StudyError
from lissom.messages import did_you_mean, listed
from lissom.model.schema.number_fields import is_number
from lissom.progress import Progress
from lissom.scenario.scenario_paths import value_at
from lissom.scenario.scenario_schema import Scenario
from lissom.study.execution.batch import compute_runs, processes_for
from lissom.study.plan.kept_quantities import Quantity, quantities
from lissom.study.plan.run_plan import FINISHED, Runs, as_scenario, check_units
from lissom.study.plan.sampling import Variations, in_si
from lissom.study.search.output_derivatives import slopes
from lissom.study.search.search_log import RUNS, SLOPES, SearchLog

if TYPE_CHECKING:
    from rich.table import Table

GLOBAL, LOCAL = "differential-evolution", "cobyla"
METHODS = {
    "global": GLOBAL,
    "local": LOCAL,
    **{name: name for name in (GLOBAL, LOCAL, "slsqp", "nelder-mead", "powell")},
}
LIMITED = (GLOBAL, LOCAL, "slsqp")  # methods that heed limits
DIFFERENCE = 1e-4  # of a range: step of differences, well above the error of a run
FAILED = 1e30  # what a run without a result counts


@dataclass(frozen=True)
class Best(printing.Printed):
    """The best variant that was found."""

    values: dict[str, float]  # of the fields
    outputs: dict[str, float]  # of the objective and of what is limited, there
    scenario: Scenario  # with these values
    runs: int  # that were made, earlier ones in the store included
    message: str  # of the method

    def table(self) -> Table:
        """Return a table of the best run and its outputs."""
        table = printing.table("", "value", title=f"best of {self.runs} runs", caption=self.message)
        for name, value in (self.values | self.outputs).items():
            table.add_row(name, f"{value:.6g}")
        return table


def minimise(
    scenario: Any,
    output: str,
    over: Mapping[str, Sequence[float]],
    *,
    limits: Mapping[str, float] | None = None,
    method: str = "global",
    store: str | os.PathLike[str] | None = None,
    most: int = 2000,
    seed: int = 0,
    cores: int | None = None,
    progress: bool = True,
) -> Best:
    """Minimise an output of a scenario.

    >>> lissom.study.minimise("ella", "rms position.elbow", {"control.gains.elbow.d": (10, 200)})

    Parameters
    ----------
    scenario
        As for `lissom.simulate_batch`.
    output : str
        What shall become small, such as ``peak |deflection.upper|``; "mass" is one too.
    over : mapping
        {path: (least, largest)} of the fields that may change.
    limits : mapping, optional
        {output: largest value allowed}.
    method : str
        "global" (differential evolution) searches everywhere; "local" (COBYLA) goes downhill from the
        scenario's own values; or another of SciPy's: nelder-mead, powell, or slsqp, which takes exact derivatives
        (`lissom.sensitivity`, one run for all fields) of joints, tips and deflections by numbers of the robot,
        start values and gains, and differences of everything else.
    store : str or path, optional
        A folder that keeps every run; the same call goes on from there.
    most : int
        Runs at most.
    seed : int
        Of a global search.
    cores : int, optional
        Processes, all unless given.
    """
    search = _VariantSearch(as_scenario(scenario), output, over, limits or {}, store, most, cores)
    name = METHODS.get(method)
    if name is None:
        raise StudyError(
            f"is unknown{did_you_mean(method, METHODS)}; there are {listed(METHODS, 'and')}", ("method",), method
        )
    if limits and name not in LIMITED:
        raise StudyError(f"cannot heed limits; take {listed(LIMITED)}", ("method",), method)
    with Progress("minimising", most, "runs at most", show=progress) as bar:
        search.told = bar.update
        message = _globally(search, seed) if name == GLOBAL else _locally(search, name)
    return search.best(message)


class _Enough(Exception):
    """The allowed number of runs is reached."""


class _Refused(Exception):
    """Its cause ends a search."""


class _VariantSearch:
    """Runs that were asked for; points are given in shares of the bounds, 0 to 1."""

    def __init__(
        self,
        scenario: Scenario,
        output: str,
        over: Mapping[str, Sequence[float]],
        limits: Mapping[str, float],
        store: str | os.PathLike[str] | None,
        most: int,
        cores: int | None,
    ) -> None:
        self.scenario = scenario.model_copy(update={"robot": scenario.load_robot()})
        self.bounds = {path: _bounds(path, pair) for path, pair in over.items()}
        if not self.bounds:
            raise StudyError("is empty; give {path: (least, largest)}", ("over",))
        self.outputs: dict[str, Quantity] = quantities([output, *limits])
        self.limits = np.array([_limit(name, limit) for name, limit in limits.items()])
        self._limited = [list(self.outputs).index(name) for name in quantities(list(limits))] if limits else []
        if isinstance(most, bool) or not isinstance(most, int) or most < 1:
            raise StudyError("must be a whole number, at least 1", ("most",), most)
        self.most, self.cores = most, cores
        self.known: dict[bytes, np.ndarray] = {}
        self.order: list[np.ndarray] = []
        self.known_slopes: dict[bytes, np.ndarray] = {}
        self.by_differences = False  # no derivative exists
        self.told: Callable[[float], None] = lambda done: None
        for path, pair in over.items():
            check_units(self.scenario, path, pair)
        self._check()
        self.log = self._read_log(store) if store is not None else None

    def _read_log(self, store: str | os.PathLike[str]) -> SearchLog:
        """Return what was asked for earlier."""
        log = SearchLog(store, self.describe(), len(self.bounds), len(self.outputs))
        for point, row in log.rows(RUNS):
            self.note(point, row)
        for point, row in log.rows(SLOPES):
            self.note_slopes(point, row.reshape(len(self.outputs), len(self.bounds)))
        return log

    def _check(self) -> None:
        runs = self._runs(np.vstack([np.outer([0.5, 0.0, 1.0], np.ones(len(self.bounds))), self.start()]))
        runs.check()
        for name, shape in runs.shapes.items():
            if shape.sizes:
                raise StudyError(
                    "must be one number per run; reduce it, as in 'peak |deflection.upper|'", ("outputs",), name
                )

    def describe(self) -> dict[str, Any]:
        """Return what decides the numbers in a store."""
        bounds = {path: list(pair) for path, pair in self.bounds.items()}
        return {"scenario": self.scenario.to_dict(), "over": bounds, "outputs": list(self.outputs)}

    def _runs(self, points: np.ndarray) -> Runs:
        columns = {
            path: tuple((low + (high - low) * points[:, k]).tolist())
            for k, (path, (low, high)) in enumerate(self.bounds.items())
        }
        return Runs(self.scenario, Variations(columns, {path: (path,) for path in columns}), self.outputs)

    def evaluate(self, points: np.ndarray) -> np.ndarray:
        """Return outputs (k, outputs) at points (k, fields); runs that fail give FAILED."""
        points = np.clip(np.atleast_2d(points), 0.0, 1.0)
        new = list({point.tobytes(): point for point in points if point.tobytes() not in self.known}.values())
        room = self.most - self.made
        if new and room <= 0:
            raise _Enough
        if new:
            new = new[:room]
            runs = self._runs(np.array(new))
            found = compute_runs(runs, processes_for(len(new), self.cores), lambda done: None)
            values = np.column_stack([found.values[name] for name in self.outputs])
            good = found.status == FINISHED
            values[~good | ~np.isfinite(values).all(axis=1)] = FAILED
            for point, row in zip(new, values, strict=True):
                self.note(point, row)
                if self.log is not None:
                    self.log.write(RUNS, point, row)
            self.told(self.made)
        if any(point.tobytes() not in self.known for point in points):
            raise _Enough
        return np.array([self.known[point.tobytes()] for point in points])

    def note(self, point: np.ndarray, row: np.ndarray) -> None:
        """Note a run and its outputs."""
        self.known[point.tobytes()] = row
        self.order.append(point)

    def objective(self, point: np.ndarray) -> float:
        return float(self.evaluate(point)[0, 0])

    def room(self, point: np.ndarray) -> np.ndarray:
        """Return what is left to the limits, as shares of them: negative beyond."""
        size = np.where(self.limits == 0, 1.0, np.abs(self.limits))
        return (self.limits - self.evaluate(point)[0, self._limited]) / size

    def slopes(self, point: np.ndarray) -> np.ndarray:
        """Return derivatives (outputs, fields) by shares: exact where they exist, from one run; else by differences."""
        point = np.clip(point, 0.0, 1.0)
        if point.tobytes() not in self.known_slopes:
            if self.made >= self.most:
                raise _Enough
            found = self._exact_slopes(point)
            self.note_slopes(point, found)
            if self.log is not None:
                self.log.write(SLOPES, point, found)
        found = self.known_slopes[point.tobytes()].copy()
        unknown = np.isnan(found).any(axis=1)
        if unknown.any():
            steps = np.where(point + DIFFERENCE > 1.0, -DIFFERENCE, DIFFERENCE)
            values = self.evaluate(np.vstack([point, point + np.diag(steps)]))[:, unknown]  # at once, on all cores
            found[unknown] = ((values[1:] - values[0]) / steps[:, None]).T
        return found

    def _exact_slopes(self, point: np.ndarray) -> np.ndarray:
        none = np.full((len(self.outputs), len(self.bounds)), np.nan)
        if self.by_differences:
            return none
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scenario = self._runs(point[None]).scenario_of(0)
            found = slopes(scenario, list(self.bounds), list(self.outputs.values()))
        self.by_differences = found is None
        widths = np.array([high - low for low, high in self.bounds.values()])
        return none if found is None else found * widths

    def room_slopes(self, point: np.ndarray) -> np.ndarray:
        """Return derivatives of `room`, (limits, fields)."""
        size = np.where(self.limits == 0, 1.0, np.abs(self.limits))
        return -self.slopes(point)[self._limited] / size[:, None]

    def note_slopes(self, point: np.ndarray, found: np.ndarray) -> None:
        """Note derivatives at a point."""
        self.known_slopes[point.tobytes()] = found

    @property
    def made(self) -> int:
        """Runs so far; one for the derivatives at a point."""
        exact = sum(not np.isnan(found).all() for found in self.known_slopes.values())
        return len(self.known) + exact

    def start(self) -> np.ndarray:
        """Return the scenario's own values, or the middle of the bounds."""
        return np.array([self._share(path, low, high) for path, (low, high) in self.bounds.items()])

    def _share(self, path: str, low: float, high: float) -> float:
        own = value_at(self.scenario, path)
        return float(np.clip((own - low) / (high - low), 0.0, 1.0)) if is_number(own) else 0.5

    def best(self, message: str) -> Best:
        """Return the best run within the limits; the one nearest to them where none is."""
        if not self.order:
            raise StudyError("no run was made; allow more with most=")
        points = np.array(self.order)
        values = np.array([self.known[point.tobytes()] for point in points])
        size = np.where(self.limits == 0, 1.0, np.abs(self.limits))
        beyond = np.maximum(0.0, (values[:, self._limited] - self.limits) / size - 1e-9).sum(axis=1)
        k = int(np.lexsort((values[:, 0], beyond))[0])
        if values[k, 0] >= FAILED:
            text = f"none of {len(points)} runs finished with a number; widen the bounds, or look at one run first"
            raise StudyError(text)
        if beyond[k] > 0:
            message = "no variant keeps the limits; this one comes nearest"
        runs = self._runs(points[k : k + 1])
        outputs = {name: float(value) for name, value in zip(self.outputs, values[k], strict=True)}
        return Best(runs.variations.row(0), outputs, runs.scenario_of(0), self.made, message)


def _globally(search: _VariantSearch, seed: int) -> str:
    from scipy.optimize import NonlinearConstraint, differential_evolution

    size = len(search.bounds)
    limited = NonlinearConstraint(search.room, 0.0, np.inf) if len(search.limits) else ()

    def together(function: Callable[..., Any], points: Any) -> list[float]:
        """Evaluate a whole generation at once, on all cores."""
        points = list(points)
        try:
            if points:
                search.evaluate(np.array(points))
        except LissomError as error:
            raise _Refused from error  # SciPy takes every ValueError for a mistake in this function
        return [function(point) for point in points]

    try:
        found = differential_evolution(
            search.objective, [(0.0, 1.0)] * size, seed=seed, constraints=limited, workers=together,
            updating="deferred", polish=False, init="sobol", maxiter=10**6,
        )  # fmt: skip
    except _Enough:
        return f"stopped after {search.most} runs"
    except _Refused as refused:
        assert refused.__cause__ is not None
        raise refused.__cause__ from None
    return _locally(search, LOCAL, found.x)  # evolution ends near the bottom, not at it


def _locally(search: _VariantSearch, name: str, start: np.ndarray | None = None) -> str:
    from scipy.optimize import minimize

    size = len(search.bounds)
    options: dict[str, Any] = {"bounds": [(0.0, 1.0)] * size}
    if len(search.limits):
        options["constraints"] = [{"type": "ineq", "fun": search.room}]
        if name == "slsqp":
            options["constraints"][0]["jac"] = search.room_slopes
    if name == LOCAL:
        options |= {"tol": 1e-4, "options": {"rhobeg": 0.2 if start is None else 0.02}}
    if name == "slsqp":
        options["jac"] = lambda point: search.slopes(point)[0]
        options["options"] = {"ftol": 1e-8}
    try:
        found = minimize(search.objective, search.start() if start is None else start, method=name, **options)
    except _Enough:
        return f"stopped after {search.most} runs"
    return str(found.message)


def _limit(name: str, value: Any) -> float:
    if not is_number(value) or not np.isfinite(value):
        raise StudyError("must be the largest value allowed, a number in SI units", ("limits", name), value)
    return float(value)


def _bounds(path: str, pair: Any) -> tuple[float, float]:
    try:
        low, high = (in_si(value) for value in pair)
    except (TypeError, ValueError):
        raise StudyError("must be (least, largest)", ("over", path), pair) from None
    if not low < high or not np.isfinite([low, high]).all():
        raise StudyError("must be two finite numbers, the smaller first", ("over", path), pair)
    return low, high
