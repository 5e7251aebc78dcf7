"""Figures of a comparison of formulations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.view.figures.figure_style import DASHES, grid, headline, legend, line, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lissom.scenario.formulation_comparison import Comparison

LEAST = 1e-16  # differences below are drawn there


def plot_comparison(comparison: Comparison) -> Figure:
    """Draw differences of tip, joints and torques from the baseline over time, and the time that each run took."""
    results = list(comparison.results.values())
    others = [(k, result) for k, result in enumerate(results) if result.name != comparison.baseline]
    with style():
        figure, axes = grid(4, 2, height=2.6)
        tip, angle, torque, seconds = axes
        for k, result in others:
            t, smooth = result.run.time, comparison.smooth
            look = {"color": line(k)["color"], "linestyle": DASHES[k % len(DASHES)]}  # some differ alike
            tip.semilogy(t, np.maximum(result.distance, LEAST), label=result.name, **look)
            angle.semilogy(t, np.maximum(result.angle, LEAST), **look)
            relative = result.torque[smooth] / comparison.peak_torque
            torque.semilogy(t[smooth], np.maximum(relative, LEAST), **look)
        tip.set(title="Tip", ylabel="distance [m]", xlabel="time [s]")
        angle.set(title="Joint angles", ylabel="largest difference [rad]", xlabel="time [s]")
        torque.set(title="Joint torques", ylabel="difference / peak of all [1]", xlabel="time [s]")
        legend(tip)
        for k, result in enumerate(results):
            seconds.barh(result.name, result.seconds, color=line(k)["color"])
            seconds.annotate(
                f" {result.seconds:.2g} s", (result.seconds, k), va="center", fontsize=8, annotation_clip=False
            )
        duration = float(results[0].run.time[-1])
        seconds.set(title="Time of the time loop", xlabel="time [s]", xscale="log")
        seconds.xaxis.set_minor_formatter("")
        times = [result.seconds for result in results]
        seconds.set_xlim(min(times) / 5, 5 * max(times))
        seconds.invert_yaxis()
        seconds.grid(False, axis="y")
        headline(figure, f"{comparison.robot}: differences from {comparison.baseline}", f"{duration:g} s of motion")
        return figure
