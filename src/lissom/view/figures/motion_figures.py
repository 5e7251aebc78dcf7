"""Pictures of optimal motions: the smooth motion of a rigid arm in grey, the best one in colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.view.figures.figure_style import COLOURS, GREY, INK, grid, headline, legend, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lissom.optimise.motion_result import OptimalMotion, Verification

SAMPLES = 400
TURN = 57.29577951308232


def plot_motion(motion: OptimalMotion) -> Figure:
    """Draw one column per joint: its place, its speed, its torque within the limits."""
    task, both = motion.task, (motion.before, motion.best)
    count = len(motion.joints)
    columns = min(count, 4)
    with style():
        figure, axes = grid(3 * columns, columns, width=3.6, height=2.1)
        for k, name in enumerate(motion.joints[:columns]):
            channel = task.channels[k]
            slides = task.slides[k]
            factor, unit = (1.0, "m") if slides else (TURN, "deg")
            place, speed, torque = axes[k], axes[columns + k], axes[2 * columns + k]
            for which, label, look in zip(both, ("smooth", "best"), _looks(k), strict=True):
                place.plot(which.t, factor * which.q[:, channel.joint_v], label=label, **look)
                speed.plot(which.t, factor * which.v[:, channel.joint_v], **look)
                torque.plot(which.t, which.torque[:, k], **look)
            place.set(title=name, ylabel=f"position [{unit}]")
            speed.set(ylabel=f"speed [{unit}/s]")
            torque.set(ylabel="force [N]" if slides else "torque [N m]", xlabel="time [s]")
            _limits(torque, task.torque[0][k], task.torque[1][k])
            _limits(speed, -factor * task.speed[k], factor * task.speed[k])
            legend(place)
        headline(figure, f"{motion.asked.name}: least {motion.asked.least}", f"{motion.duration:.4g} s")
        return figure


def plot_verification(seen: Verification) -> Figure:
    """Return the deflections of the links, simulated, and how far the tips swing after the motion."""
    runs, labels = (seen.before, seen.after), ("smooth", "best")
    links = list(seen.motion.task.model.flexible)
    with style():
        figure, axes = grid(len(links) + 1, 2, width=5.4, height=2.6, sharex=False)
        for k, link in enumerate(links):
            for run, label, look in zip(runs, labels, _looks(k), strict=True):
                bent = np.linalg.norm(run.deflection(link).values, axis=-1)
                axes[k].plot(run.time, 1e3 * bent, label=label, **look)
            axes[k].set(title=f"Deflection of {link}", xlabel="time [s]", ylabel="deflection [mm]")
            axes[k].axvline(seen.ends[1], color=GREY, lw=0.7, ls=":")
            legend(axes[k])
        _swings(axes[-1], seen)
        headline(figure, f"{seen.motion.asked.name}, simulated", f"{seen.ratio:.3g} times less vibration")
        return figure


def _swings(axes: Axes, seen: Verification) -> None:
    """Draw how far the last tip is from its mean place after the motion, on a logarithmic scale."""
    for run, end, label, look in zip((seen.before, seen.after), seen.ends, ("smooth", "best"), _looks(1), strict=True):
        tips = run.dataset["tip_position"].sel(time=slice(end, None)).isel(link=-1)
        off = tips - tips.mean("time")
        far = np.linalg.norm(off.values, axis=-1)
        axes.semilogy(tips["time"].values - end, 1e3 * np.maximum(far, 1e-9), label=label, **look)
    axes.set(title="Swing of the tip after the motion", xlabel="time after the motion [s]", ylabel="distance [mm]")
    legend(axes)


def _looks(k: int) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"color": GREY, "lw": 1.1}, {"color": COLOURS[k % len(COLOURS)], "lw": 1.6}


def _limits(axes: Axes, low: float, high: float) -> None:
    """Draw dashed lines at limits."""
    for bound in (low, high):
        if np.isfinite(bound):
            axes.axhline(bound, color=INK, lw=0.8, ls=(0, (4, 3)))
