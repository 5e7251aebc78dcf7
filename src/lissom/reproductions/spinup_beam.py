"""A beam on a shaft that spins up: with and without foreshortening, five speeds.

Section 4.1 of Qian, Zhang and Liu (2013), figures 3 to 5: the tip of an 8 m beam lags behind a shaft that reaches its
speed in 15 s. Without foreshortening (zero order) the beam loses its stiffness near 3 rad/s, the natural frequency of
the beam at rest, and the deflection grows without bound; with all terms kept (high order) it stays finite at any speed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import lissom
from lissom import theory
from lissom.control import Reference
from lissom.theory.recursive_lagrange import RecursiveLagrange

RAMP, DURATION, LENGTH = 15.0, 20.0, 8.0
# largest lag of the tip in m: a fully nonlinear beam, by cable elements of another program
NONLINEAR = {0.6: -0.0855395, 2.0: -0.280121, 3.0: -0.411168, 8.0: -0.932035, 10.0: -1.0831}


class Lag(NamedTuple):
    """Deflection of the tip, seen from the shaft."""

    speed: float  # rad/s
    order: str
    time: np.ndarray  # (N,)
    tip: np.ndarray  # (N,) m
    diverged: bool


def spin_up(speed: float, order: str, duration: float = DURATION) -> Lag:
    """Return the beam of the paper, three bending functions, up to where its deflection is out of all proportion."""
    model = lissom.load("spinup-beam").compile(prescribed="shaft")
    beam = RecursiveLagrange(model, order=order)  # type: ignore[arg-type]
    shaft = Reference.spin_up(speed, RAMP, DURATION + 1)
    diverged = False
    try:
        run = theory.simulate(beam, duration, motion={"shaft": shaft}, rtol=1e-6, atol=1e-8, rate=100)
    except theory.Stopped as stopped:
        run, diverged = stopped.run, True
    return Lag(speed, order, run.time, np.array([beam.tip_in_link(q, "blade")[1, 3] for q in run.q]), diverged)


def main(out: Path, speeds: tuple[float, ...] = tuple(NONLINEAR), duration: float = DURATION) -> list[Lag]:
    """Run zero and high order at every speed; table on the screen, figures in `out`."""
    from rich.console import Console
    from rich.progress import track
    from rich.table import Table

    console = Console()
    cases = [(speed, order) for speed in speeds for order in ("zero", "high")]
    lags = [spin_up(*case, duration) for case in track(cases, "spinning up", console=console, transient=True)]
    table = Table(
        "rad/s",
        "order",
        "largest lag",
        "nonlinear beam",
        title="Lag of the tip in m; a run stops where the tip is three lengths away",
        title_justify="left",
    )
    for lag in lags:
        lowest = f"diverges, {lag.time[-1]:.2f} s" if lag.diverged else f"{lag.tip.min():.5f}"
        table.add_row(f"{lag.speed:g}", lag.order, lowest, f"{NONLINEAR[lag.speed]:.5f}")
    console.print(table)
    _draw(lags, out / "tip-deflection.png")
    return lags


def _draw(lags: list[Lag], path: Path) -> None:
    """Figures 3 to 5 side by side: below, at and above the natural frequency."""
    import matplotlib.pyplot as plt

    from lissom.view.figures.figure_style import COLOURS, style

    groups: tuple[tuple[str, Callable[[float], bool]], ...] = (
        ("Below 3 rad/s", lambda w: w < 3),
        ("3 rad/s", lambda w: w == 3),
        ("Above 3 rad/s", lambda w: w > 3),
    )
    with style():
        figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
        for ax, (title, chosen) in zip(axes, groups, strict=True):
            here = [lag for lag in lags if chosen(lag.speed)]
            speeds = sorted({lag.speed for lag in here})
            deepest = min((lag.tip.min() for lag in here if not lag.diverged), default=-1.0)
            for lag in here:
                colour = COLOURS[speeds.index(lag.speed)]
                label = f"{lag.speed:g} rad/s, {lag.order} order" + (" (diverges)" if lag.diverged else "")
                ax.plot(lag.time, lag.tip, "-" if lag.order == "high" else "--", color=colour, label=label)
            ax.set(title=title, xlabel="time [s]", ylabel="tip deflection [m]", ylim=(1.6 * deepest, -0.7 * deepest))
            if here:
                ax.legend(loc="upper right")
        figure.savefig(path)
        plt.close(figure)
