"""Which parameter explains a published table: every explanation is fitted to it, and the explanations are weighed.

The rounding of the printed numbers is their tolerance. What an explanation misses beyond rounding counts as error of
the model, of unknown size; so explanations are weighed by Schwarz's criterion, n log(misfit / n) + p log n, where the
misfit per number is never taken below one, that of rounding alone. (Kass and Raftery 1995, eq. 9.)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from lissom import printing
from lissom.errors import IdentifyError, LissomError
from lissom.identify.published.printed_values import PrintedValue
from lissom.progress import Progress

if TYPE_CHECKING:
    from rich.table import Table

# parameters by name: a number holds it, two numbers are bounds between which it is found
Explanation: TypeAlias = Mapping[str, float | Sequence[float]]
Predict: TypeAlias = Callable[[Mapping[str, float]], Sequence[float] | np.ndarray]

STATED = "as stated"
STEP = 1e-4  # relative, of differences: runs at rtol 1e-7 differ by less than 1e-6 of their values over it
SCAN = 24  # values between the bounds, on their scale, at which the misfit is looked at first
STARTS = 3  # of the hollows found there, the deepest, from which searches begin
NORMAL = 1.96  # deviations to either side that hold 95 %
BLIND = 1e-6  # of the largest singular value: a combination of parameters that the table does not see
FAILED = 1e6  # roundings: where a run does not finish


@dataclass(frozen=True, eq=False)
class Explained:
    """One explanation at its best."""

    name: str
    values: dict[str, float]  # of the parameters that were found
    half: dict[str, float]  # half widths of their 95 % intervals; infinite where the table does not tell
    held: dict[str, float]  # of the parameters that were given
    predicted: np.ndarray  # (n,)
    misses: np.ndarray  # (n,) predicted less printed, in halves of the last printed digit
    met: int  # numbers that round to what is printed
    criterion: float  # Schwarz's
    confidence: float = 0.0  # among the explanations asked

    @property
    def worst(self) -> float:
        """The largest miss, in units of the last printed digit."""
        return float(0.5 * np.abs(self.misses).max())


@dataclass(frozen=True, eq=False)
class Explanations(printing.Printed):
    """Explanations of a published table, the likeliest first; `print` shows them."""

    names: tuple[str, ...]  # of the printed numbers
    printed: tuple[PrintedValue, ...]
    ranked: tuple[Explained, ...]

    @property
    def best(self) -> Explained:
        """The likeliest explanation."""
        return self.ranked[0]

    @property
    def rivals(self) -> tuple[Explained, ...]:
        """Explanations that the table cannot tell from the best one: a confidence of more than a tenth of its."""
        return tuple(each for each in self.ranked[1:] if each.confidence > 0.1 * self.best.confidence)

    def __getitem__(self, name: str) -> Explained:
        for each in self.ranked:
            if each.name == name:
                return each
        raise KeyError(name)

    def table(self) -> Table:
        """Return a table: what was found, how many printed numbers are met, how sure the explanation is."""
        made = printing.table(
            "explanation", "found", "numbers met", "largest miss", "confidence", title="What explains the table",
            caption=self._caption(),
        )  # fmt: skip
        for each in self.ranked:
            made.add_row(
                each.name,
                _result_text(each),
                f"{each.met} of {len(self.names)}",
                f"{each.worst:.3g} last digits",
                f"{100 * each.confidence:.2g} %",
            )
        return made

    def _caption(self) -> str:
        lines = []
        if self.rivals:
            names = ", ".join(each.name for each in (self.best, *self.rivals))
            lines.append(f"The table does not tell these apart: {names}.")
        k = int(np.abs(self.best.misses).argmax())
        lines.append(
            f"{self.best.name}: {self.names[k]} is {self.best.predicted[k]:.6g}, printed {self.printed[k].text}. "
            "Confidence is among the explanations asked."
        )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        rows = [
            {
                "explanation": each.name,
                "values": each.values,
                "half_interval": {name: h if np.isfinite(h) else None for name, h in each.half.items()},
                "held": each.held,
                "met": each.met,
                "largest_miss_of_last_digit": each.worst,
                "confidence": each.confidence,
                "predicted": each.predicted.tolist(),
            }
            for each in self.ranked
        ]
        printed = [{"name": name, "printed": one.text} for name, one in zip(self.names, self.printed)]
        return {"printed": printed, "explanations": rows}


def explain(
    predict: Predict,
    printed: Mapping[str, str | float],
    explanations: Mapping[str, Explanation],
    *,
    progress: bool = True,
) -> Explanations:
    """Find which parameters explain published numbers, and weigh the explanations.

    Parameters
    ----------
    predict : callable
        Takes {parameter: value}, of any of the parameters named (none of them: the paper as stated); returns the
        numbers in the order of `printed`.
    printed : mapping
        Numbers as printed, {name: "113.50"}: half a unit of the last digit is their tolerance. "> 0.02" is a bound.
    explanations : mapping
        {explanation: {parameter: [low, high]}}; a single number holds a parameter there instead. What the paper
        states is always among them.
    progress : bool
        Show how far it is once it takes longer than two seconds.

    Returns
    -------
    Explanations
        Ranked by confidence, with values, intervals and what each still misses.

    Examples
    --------
    A beam's first frequency is printed as 2.1 Hz, its second as 13.2 Hz; lengths of 1 m are stated.

    >>> from lissom.identify import explain
    >>> predict = lambda at: [2.9 / at.get("length", 1) ** 2, 18.2 / at.get("length", 1) ** 2]
    >>> explain(predict, {"first": "2.1", "second": "13.2"}, {"longer": {"length": [0.5, 2]}}).best.name
    'longer'
    """
    read = [PrintedValue.read(text) for text in printed.values()]
    _check_names(explanations)
    asked = {STATED: {}, **explanations}
    with Progress("explaining", len(asked), "explanations", show=progress) as bar:
        found = []
        for k, (name, parameters) in enumerate(asked.items()):
            bar.say(f"explaining by {name}")
            found.append(_best(name, predict, read, parameters))
            bar.update(k + 1)
    least = min(each.criterion for each in found)
    weights = np.exp([-0.5 * (each.criterion - least) for each in found])
    shares = weights / weights.sum()
    weighed = [replace(each, confidence=float(share)) for each, share in zip(found, shares)]
    ranked = sorted(weighed, key=lambda each: each.criterion)
    return Explanations(tuple(printed), tuple(read), tuple(ranked))


def _check_names(explanations: Mapping[str, Explanation]) -> None:
    if STATED in explanations:
        raise IdentifyError("is asked always; leave it out", ("explanations", STATED))
    for name, parameters in explanations.items():
        for parameter, given in parameters.items():
            if not isinstance(given, int | float) and not (len(given) == 2 and given[0] < given[1]):
                text = "must be a number, or [low, high] with the smaller number first"
                raise IdentifyError(text, ("explanations", name, parameter), given)


def _best(name: str, predict: Predict, printed: list[PrintedValue], parameters: Explanation) -> Explained:
    """Fit one explanation, from several starts between the bounds; values of one sign are searched by logarithm."""
    from scipy.optimize import least_squares

    held = {key: float(x) for key, x in parameters.items() if isinstance(x, int | float)}
    free = {key: (float(x[0]), float(x[1])) for key, x in parameters.items() if not isinstance(x, int | float)}
    scales = [_Scale(*bounds) for bounds in free.values()]
    deviation = np.array([one.deviation for one in printed])

    def at(z: np.ndarray) -> dict[str, float]:
        return held | {key: scale.value(u) for key, scale, u in zip(free, scales, z)}

    def residuals(z: np.ndarray) -> np.ndarray:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about values on the way
                found = _numbers(predict, at(z), len(printed))
        except LissomError:
            return np.full(len(printed), FAILED)
        return np.array([one.miss(x) for one, x in zip(printed, found)]) / deviation

    z, jacobian = np.zeros(0), np.zeros((len(printed), 0))
    if free:
        searches = [
            least_squares(residuals, start, bounds=(0.0, 1.0), diff_step=STEP, x_scale=0.1, xtol=1e-7)
            for start in _hollows(residuals, len(free))
        ]
        found = min(searches, key=lambda one: float(one.cost))
        z, jacobian = found.x, found.jac
    predicted = np.asarray(_numbers(predict, at(z), len(printed)), float)
    misses = np.array([one.miss(x) / one.half for one, x in zip(printed, predicted)])
    cost = float(np.sum(residuals(z) ** 2))
    n, p = len(printed), len(free)
    spread = max(1.0, cost / max(1, n - p))
    half = _intervals(jacobian, spread) * np.array([scale.slope(u) for scale, u in zip(scales, z)])
    return Explained(
        name,
        dict(zip(free, (at(z)[key] for key in free))),
        dict(zip(free, half.tolist())),
        held,
        predicted,
        misses,
        sum(bool(one.met_by(x)) for one, x in zip(printed, predicted)),
        n * float(np.log(max(1.0, cost / n))) + p * float(np.log(n)),
    )


def _hollows(residuals: Callable[[np.ndarray], np.ndarray], count: int) -> list[np.ndarray]:
    """Return where the misfit is least among its neighbours, all parameters moved together between their bounds."""
    points = [np.full(count, (k + 0.5) / SCAN) for k in range(SCAN)]
    cost = np.array([np.sum(residuals(point) ** 2) for point in points])
    around = np.concatenate([[np.inf], cost, [np.inf]])
    lowest = np.flatnonzero((cost <= around[:-2]) & (cost <= around[2:]))
    return [points[k] for k in lowest[np.argsort(cost[lowest])][:STARTS]]


@dataclass(frozen=True)
class _Scale:
    """A parameter between its bounds as a number from 0 to 1, on a logarithmic scale where both have one sign."""

    low: float
    high: float

    @property
    def logarithmic(self) -> bool:
        return self.low > 0

    def value(self, u: float) -> float:
        if self.logarithmic:
            return float(self.low * (self.high / self.low) ** u)
        return float(self.low + u * (self.high - self.low))

    def slope(self, u: float) -> float:
        return float(np.log(self.high / self.low) * self.value(u)) if self.logarithmic else self.high - self.low


def _numbers(predict: Predict, values: Mapping[str, float], count: int) -> np.ndarray:
    found = np.asarray(predict(values), float)
    if found.shape != (count,):
        raise IdentifyError(f"predicted {found.shape} numbers for a table of {count}", ("predict",))
    return found


def _intervals(jacobian: np.ndarray, spread: float) -> np.ndarray:
    """Return half widths (p,) of 95 % intervals of the scaled parameters."""
    if jacobian.shape[1] == 0:
        return np.zeros(0)
    _, singular, directions = np.linalg.svd(jacobian, full_matrices=False)
    seen = singular > BLIND * max(singular.max(), 1e-300)
    variance = (directions[seen] ** 2 / singular[seen, None] ** 2).sum(axis=0)
    lost = np.abs(directions[~seen]).max(axis=0, initial=0.0) > BLIND
    return np.where(lost, np.inf, NORMAL * np.sqrt(spread * variance))


def _result_text(each: Explained) -> str:
    rows = [f"{key} {x:.4g} ± {each.half[key]:.2g}" for key, x in each.values.items()]
    return "\n".join([*rows, *(f"{key} {x:.4g}, held" for key, x in each.held.items())]) or "-"
