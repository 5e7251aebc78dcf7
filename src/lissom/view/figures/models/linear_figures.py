"""Figures of linear models: Bode and Nyquist diagrams, root loci, step responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import check_choice
from lissom.view.figures.figure_style import GREY, INK, LIGHT, grid, headline, legend, line, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lissom.analysis.linear_models.frequency_response import FrequencyResponse
    from lissom.analysis.linear_models.root_locus import RootLocus
    from lissom.analysis.linear_models.step_response import StepResponse

KINDS = ("bode", "nyquist")
FAR = 20.0  # times the size of most of a Nyquist curve: beyond it is cut off
DAMPINGS = (0.1, 0.3, 0.5, 0.7, 0.9)  # lines in a root locus


def plot_response(response: FrequencyResponse, kind: str = "bode") -> Figure:
    """Draw a Bode or a Nyquist diagram, one curve for each way from an input to an output."""
    check_choice("kind", kind, KINDS)
    values = response.response.reshape(len(response.frequencies), len(response.outputs), len(response.inputs))
    curves = {
        f"{output} by {source}": values[:, i, k]
        for i, output in enumerate(response.outputs)
        for k, source in enumerate(response.inputs)
    }
    with style():
        return (_bode if kind == "bode" else _nyquist)(response.frequencies, curves)


def _bode(frequencies: np.ndarray, curves: dict[str, np.ndarray]) -> Figure:
    figure, (sizes, phases) = grid(2, 1, sharex=True)
    for k, (name, values) in enumerate(curves.items()):
        with np.errstate(divide="ignore"):
            sizes.semilogx(frequencies, 20 * np.log10(np.abs(values)), label=name, **line(k))
        phase = np.degrees(np.unwrap(np.angle(values)))
        phases.semilogx(frequencies, phase - 360 * np.round((phase[0] + 90) / 360), **line(k))
    sizes.set(title="Magnitude", ylabel="magnitude [dB]")
    phases.set(title="Phase", ylabel="phase [deg]", xlabel="frequency [Hz]")
    phases.yaxis.set_major_locator(_quarters())
    if len(curves) > 1:
        legend(sizes)
    headline(figure, "Bode diagram", next(iter(curves)) if len(curves) == 1 else "")
    return figure


def _nyquist(frequencies: np.ndarray, curves: dict[str, np.ndarray]) -> Figure:
    figure, (axes,) = grid(1, 1, width=3.6, height=5.0)
    usual = max(float(np.percentile(np.abs(values), 75)) for values in curves.values())
    turn = np.exp(2j * np.pi * np.linspace(0, 1, 200))
    axes.plot(turn.real, turn.imag, color=LIGHT, lw=0.8)
    for k, (name, values) in enumerate(curves.items()):
        near = np.where(np.abs(values) < FAR * max(usual, 1.0), values, np.nan)
        axes.plot(near.real, near.imag, label=name, **line(k))
        axes.plot(near.real, -near.imag, **(line(k) | {"linestyle": (0, (2, 2)), "linewidth": 0.7}))
        _arrow(axes, near, line(k)["color"])
    axes.plot(-1, 0, "+", color=INK, ms=9)
    axes.set(title="Response in the complex plane", xlabel="real", ylabel="imaginary")
    axes.set_aspect("equal", adjustable="datalim")
    if len(curves) > 1:
        legend(axes)
    headline(figure, "Nyquist diagram", f"{frequencies[0]:.3g} to {frequencies[-1]:.3g} Hz")
    return figure


def _arrow(axes: Axes, values: np.ndarray, colour: str) -> None:
    """Say by an arrow where the frequency rises, in the middle of the curve."""
    seen = values[np.isfinite(values)]
    way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(seen)))])
    if len(seen) < 3 or way[-1] == 0:
        return
    k = int(np.clip(np.searchsorted(way, 0.5 * way[-1]), 1, len(seen) - 1))
    begin, end = ((float(z.real), float(z.imag)) for z in (seen[k - 1], seen[k]))
    axes.annotate("", end, begin, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 0.0, "mutation_scale": 12})


def _quarters() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(steps=[1, 1.8, 4.5, 9, 10], nbins=7)


def plot_root_locus(locus: RootLocus, limit: float | None = None) -> Figure:
    """Draw the branches of a root locus, with lines of equal damping in continuous time, the unit circle otherwise."""
    with style():
        figure, (axes,) = grid(1, 1, width=3.8, height=5.0)
        points = np.concatenate([locus.poles[0], locus.zeros])
        if limit is not None and locus.dt is None:
            points = points[np.abs(points) <= 2 * np.pi * limit]
        reach = max(np.abs(points).max(initial=0.0), 1e-6 if locus.dt is None else 1.0)
        branches = locus.poles.ravel()
        points = np.concatenate([points, branches[np.abs(branches) <= 1.5 * reach], [0j]])
        if locus.dt is None:
            axes.axvline(0.0, color=GREY, lw=0.8)
            for ratio in DAMPINGS:
                far = 3 * reach * np.array([0, -ratio + 1j * np.sqrt(1 - ratio**2)])
                for one in (far, far.conj()):
                    axes.plot(one.real, one.imag, color=LIGHT, lw=0.6, zorder=0)
        else:
            turn = np.exp(2j * np.pi * np.linspace(0, 1, 400))
            axes.plot(turn.real, turn.imag, color=GREY, lw=0.8)
        for k, branch in enumerate(locus.poles.T):
            axes.plot(branch.real, branch.imag, **line(k % 7))
        axes.plot(locus.poles[0].real, locus.poles[0].imag, "x", color=INK, ms=6, label="poles of the loop")
        if len(locus.zeros):
            look = {"mfc": "none", "color": INK, "ms": 6}
            axes.plot(locus.zeros.real, locus.zeros.imag, "o", label="zeros", **look)
        near = [points.real.min(), points.real.max(), points.imag.min(), points.imag.max()]
        pad = 0.08 * max(near[1] - near[0], near[3] - near[2], 0.1 * reach)
        axes.set_xlim(near[0] - pad, near[1] + pad)
        axes.set_ylim(near[2] - pad, near[3] + pad)
        unit = "1/s" if locus.dt is None else "z plane"
        axes.set(title="Poles as the gain grows", xlabel=f"real [{unit}]", ylabel=f"imaginary [{unit}]")
        legend(axes)
        headline(figure, "Root locus", f"{locus.name}, gains {locus.gains[0]:.3g} to {locus.gains[-1]:.3g}")
        return figure


def plot_step(step: StepResponse) -> Figure:
    """Draw one panel for each output, with its final value dashed."""
    with style():
        figure, panels = grid(len(step.outputs), 2, sharex=True)
        for k, (axes, name) in enumerate(zip(panels, step.outputs, strict=True)):
            axes.plot(step.time, step.values[:, k], **line(0))
            if np.isfinite(step.final[k]):
                axes.axhline(step.final[k], color=GREY, lw=0.8, ls=(0, (4, 3)))
            axes.set(title=name, ylabel="response")
        for axes in panels[-2:]:
            axes.set_xlabel("time [s]")
            axes.tick_params(labelbottom=True)
        headline(figure, f"Unit step of {step.input}")
        return figure
