"""Step response of a linear model, exact at its samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import printing
from lissom.analysis.linear_models.linear_model import LinearModel
from lissom.errors import LissomError
from lissom.printing import Printed

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

SAMPLES = 1000
SETTLED = 0.02  # share of the way within which an output has settled


@dataclass(frozen=True, eq=False)
class StepResponse(Printed):
    """Outputs over time after a unit step of one input."""

    time: np.ndarray  # (N,) s
    values: np.ndarray  # (N, outputs)
    final: np.ndarray  # (outputs,) where they settle; nan where they do not
    input: str
    outputs: tuple[str, ...]

    @property
    def rise_time(self) -> np.ndarray:
        """Time from a tenth to nine tenths of the final value, s (outputs,); nan where there is none."""
        share = self._shares()
        return np.array([_first(self.time, row, 0.9) - _first(self.time, row, 0.1) for row in share.T])

    @property
    def overshoot(self) -> np.ndarray:
        """Largest value beyond the final one, as a share of it (outputs,)."""
        return np.maximum(self._shares().max(axis=0) - 1.0, 0.0)

    @property
    def settling_time(self) -> np.ndarray:
        """Time from which an output stays within 2 % of its final value, s (outputs,); nan where it never does."""
        off = np.abs(self._shares() - 1.0) > SETTLED
        last = [int(np.flatnonzero(row)[-1]) + 1 if row.any() else 0 for row in off.T]
        ended = [np.nan if k >= len(self.time) else self.time[k] for k in last]
        return np.where(np.isfinite(self.final), ended, np.nan)

    def _shares(self) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.values / self.final

    def table(self) -> Table:
        """Return a table of final values, rise and settling times, overshoot."""
        table = printing.table("output", "final", "rise", "overshoot", "settles", title=f"unit step of {self.input}")
        for k, name in enumerate(self.outputs):
            numbers = (
                f"{self.final[k]:.4g}", f"{self.rise_time[k]:.4g} s", f"{100 * self.overshoot[k]:.3g} %",
                f"{self.settling_time[k]:.4g} s",
            )  # fmt: skip
            table.add_row(name, *("-" if "nan" in text else text for text in numbers))
        return table

    def plot(self) -> Figure:
        """Draw the outputs over time."""
        from lissom.view.figures.models.linear_figures import plot_step

        return plot_step(self)


def step_response(linear: LinearModel, input: str | None = None, duration: float | None = None) -> StepResponse:
    """Return what the outputs of a linear model do after a unit step of one input, from rest.

    Parameters
    ----------
    linear : LinearModel
        In continuous or discrete time.
    input : str, optional
        Which input; the only one unless given.
    duration : float, optional
        S; until the slowest motion has decayed, at most fifty of its periods, unless given.

    Returns
    -------
    StepResponse
        Times, values, and `rise_time`, `overshoot`, `settling_time`.
    """
    if input is None and len(linear.inputs) != 1:
        raise LissomError(f"choose one of {', '.join(linear.inputs)}", ("input",))
    one = linear.select(inputs=input or linear.inputs[0])
    if len(one.inputs) != 1:
        raise LissomError(f"stands for {', '.join(one.inputs)}; choose one of them", ("input",), input)
    if duration is not None and not (np.isfinite(duration) and duration > 0):
        raise LissomError("must be a positive time in seconds", ("duration",), duration)
    time_span = duration or _until_settled(one)
    held = one.discretise(time_span / SAMPLES) if one.dt is None else one
    count = SAMPLES if one.dt is None else max(1, int(np.ceil(time_span / one.dt)))
    states = np.zeros((count + 1, len(one.A)))
    for k in range(count):
        states[k + 1] = held.A @ states[k] + held.B[:, 0]
    values = states @ one.C.T + one.D[:, 0]
    step = held.dt if held.dt is not None else 0.0
    return StepResponse(step * np.arange(count + 1), values, _final(one), one.inputs[0], one.outputs)


def _final(linear: LinearModel) -> np.ndarray:
    """Return where the outputs settle after a unit step, nan where the model does not settle."""
    if not linear.poles().stable:
        return np.full(len(linear.outputs), np.nan)
    rest: Any = -linear.A if linear.dt is None else np.eye(len(linear.A)) - linear.A
    return np.asarray(linear.C @ np.linalg.solve(rest, linear.B[:, 0]) + linear.D[:, 0])


def _until_settled(linear: LinearModel) -> float:
    poles = linear.poles().values
    size = np.abs(poles)
    moving = poles[size > 1e-6 * size.max(initial=1.0)]
    if not len(moving):
        return 1.0
    slowest = float(np.abs(moving).min())
    decay = -moving.real[-moving.real > 1e-9 * np.abs(moving)]
    return min(10.0 / float(decay.min()), 100 * np.pi / slowest) if len(decay) else 20 * np.pi / slowest


def _first(time: np.ndarray, values: np.ndarray, level: float) -> float:
    """Return when values first reach a level, interpolated."""
    reached = np.flatnonzero(values >= level)
    if not len(reached):
        return np.nan
    k = int(reached[0])
    if k == 0:
        return float(time[0])
    share = (level - values[k - 1]) / (values[k] - values[k - 1])
    return float(time[k - 1] + share * (time[k] - time[k - 1]))
