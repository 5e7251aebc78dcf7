"""Frequency response: how an output answers a sinusoidal input."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from lissom.analysis.equilibrium.equilibrium_state import Equilibrium
from lissom.analysis.equilibrium.tangent_matrices import Loads
from lissom.analysis.linear_models.linear_model import LinearModel
from lissom.analysis.linear_models.linearisation import linearise
from lissom.analysis.linear_models.signals import Outputs, Signals, as_list, join_by_dots
from lissom.dynamics.coordinates import Named
from lissom.dynamics.state_checks import Wrenches, numbers
from lissom.errors import LissomError
from lissom.model.any_robot import AnyRobot

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from xarray import DataArray


@dataclass(frozen=True, eq=False)
class FrequencyResponse:
    """Complex ratio of output to input amplitude, ready to plot: `magnitude_db` and `phase_deg` over `frequencies`.

    Arrays have the shape (N,) for one input and one output, else (N, outputs, inputs).
    """

    frequencies: np.ndarray  # (N,) Hz
    response: np.ndarray  # complex
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.response, dtype)

    @property
    def magnitude(self) -> np.ndarray:
        """Return the size of the response, (N, outputs, inputs)."""
        return np.abs(self.response)

    @property
    def magnitude_db(self) -> np.ndarray:
        """20 log10 of the magnitude; minus infinity where there is no response."""
        with np.errstate(divide="ignore"):
            return 20 * np.log10(self.magnitude)

    @property
    def phase_deg(self) -> np.ndarray:
        """Phase in degrees, without jumps along the frequencies."""
        return np.degrees(np.unwrap(np.angle(self.response), axis=0))

    def __repr__(self) -> str:
        span = f"{self.frequencies[0]:.4g} to {self.frequencies[-1]:.4g} Hz" if len(self.frequencies) else "nowhere"
        return f"<FrequencyResponse of {', '.join(self.outputs)} to {', '.join(self.inputs)}, {span}>"

    def plot(self, kind: Literal["bode", "nyquist"] = "bode") -> Figure:
        """Draw magnitude and phase over frequency ("bode"), or the response in the complex plane ("nyquist")."""
        from lissom.view.figures.models.linear_figures import plot_response

        return plot_response(self, kind)

    def main_numbers(self) -> dict[str, tuple[float, str]]:
        """Return the largest and the first magnitude from every input to every output, for `lissom.trust`."""
        sizes = self.magnitude.reshape(len(self.frequencies), len(self.outputs), len(self.inputs))
        found: dict[str, tuple[float, str]] = {}
        for i, output in enumerate(self.outputs):
            for k, source in enumerate(self.inputs):
                found[f"peak {output} by {source}"] = float(sizes[:, i, k].max()), ""
                found[f"{output} by {source} at {self.frequencies[0]:g} Hz"] = float(sizes[0, i, k]), ""
        return found

    def to_dataarray(self) -> DataArray:
        """Return the response as an xarray.DataArray with dimensions frequency (Hz), output, input."""
        from xarray import DataArray

        values = self.response.reshape(len(self.frequencies), len(self.outputs), len(self.inputs))
        coords = {"frequency": self.frequencies, "output": list(self.outputs), "input": list(self.inputs)}
        return DataArray(values, coords, ("frequency", "output", "input"), "response")


def frequency_response(
    robot: AnyRobot | LinearModel,
    q: ArrayLike | Named | Equilibrium | None = None,
    v: ArrayLike | Named | None = None,
    tau: ArrayLike | Named | None = None,
    outputs: Outputs | None = None,
    inputs: Signals | None = None,
    wrenches: Wrenches | None = None,
    loads: Loads | None = None,
    *,
    frequencies: ArrayLike | None = None,
) -> FrequencyResponse:
    """Return the response of outputs to sinusoidal inputs at some frequencies.

    Parameters
    ----------
    robot : Robot, Model, str or LinearModel
        A robot, linearised here, or a linear model, which has its state already.
    q, v, tau, outputs, inputs, wrenches, loads : see `lissom.linearise`
        The state and the signals, as in `linearisation`; of a linear model `outputs` and `inputs` select among
        those that it has.
    frequencies : array_like, optional
        Where to evaluate it, shape (N,), Hz; unless given a range that shows all poles, fine where they resonate.

    Returns
    -------
    FrequencyResponse
        Complex ratios of outputs to inputs, with `magnitude_db`, `phase_deg` and a Bode plot by `plot`.

    Examples
    --------
    >>> hz = np.geomspace(0.1, 100, 400)
    >>> response = lissom.frequency_response("ella", outputs="forearm.tip", inputs="elbow", frequencies=hz)
    """
    if isinstance(robot, LinearModel):
        state = {"q": q, "v": v, "tau": tau, "wrenches": wrenches, "loads": loads}
        if given := [name for name, value in state.items() if value is not None]:
            raise LissomError("the linear model has its state already; leave this out", (", ".join(given),))
        linear = select_signals(robot, outputs, inputs)
    else:
        linear = linearise(robot, q, v, tau, outputs, inputs, wrenches, loads)
    if frequencies is None:
        from lissom.analysis.linear_models.frequency_grid import frequency_grid

        frequencies = frequency_grid(linear)
    frequencies = np.atleast_1d(np.real(numbers(frequencies, "frequencies")))
    if frequencies.ndim != 1 or not np.all(np.isfinite(frequencies)):
        raise LissomError("must be a list of finite numbers, in Hz", ("frequencies",))
    response = linear.response(frequencies)
    if response.shape[1:] == (1, 1):
        response = response[:, 0, 0]
    return FrequencyResponse(frequencies, response, linear.inputs, linear.outputs)


def select_signals(linear: LinearModel, outputs: Any, inputs: Any) -> LinearModel:
    """Return the linear model with these of its signals alone, all unless named."""
    rows = _matching(linear.outputs, linear.outputs if outputs is None else outputs, "output")
    columns = _matching(linear.inputs, linear.inputs if inputs is None else inputs, "input")
    return replace(
        linear,
        B=linear.B[:, columns],
        C=linear.C[rows],
        D=linear.D[np.ix_(rows, columns)],
        inputs=tuple(linear.inputs[k] for k in columns),
        outputs=tuple(linear.outputs[k] for k in rows),
    )


def _matching(names: tuple[str, ...], signals: Signals, kind: str) -> list[int]:
    """Return places of the signals among `names`; a joint or a tip stands for all its components."""
    out = []
    for name in map(join_by_dots, as_list(signals)):
        whole = [k for k, known in enumerate(names) if known == name]
        found = whole or [k for k, known in enumerate(names) if _component(known, name)]
        if not found:
            raise LissomError(
                f"the linear model has no such {kind}; it has {', '.join(names) or 'none'}", (kind,), name
            )
        out += found
    return out


def _component(known: str, name: str) -> bool:
    """Return whether `known` is a component of `name`, as forearm.tip.x of forearm.tip, or elbow.rotor of elbow."""
    rest = known.removeprefix(f"{name}.")
    return rest != known and rest in (*"xyz", *"123", "rotor", "wx", "wy", "wz", "vx", "vy", "vz")
