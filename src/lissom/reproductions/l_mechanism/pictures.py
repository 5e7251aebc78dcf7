"""Figures of the L mechanism: 3(a), 3(b) and 4 to 8 of Vidoni et al. (2017)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lissom.reproductions.l_mechanism import EXACT, FREQUENCIES, HALF, PAPER_FREQUENCIES, Response, Row


def draw_convergence(rows: list[Row], file: Path) -> None:
    """Curves of more modes are darker."""
    import matplotlib as mpl

    from lissom.view.figures.figure_style import INK, SEQUENTIAL, grid, headline, save, style

    with style():
        figure, axes = grid(4, 2, width=4.0, height=3.2)
        shades = mpl.colormaps[SEQUENTIAL](np.linspace(0.85, 0.0, len(rows)))
        for row, shade in zip(rows, shades):
            axes[0].plot(row.time, row.elbow[:, 2], color=shade)
            axes[1].plot(row.time, row.tip[:, 2], color=shade, label=f"{row.modes} modes")
            late = row.time >= 0.46
            axes[2].plot(row.time[late], row.tip[late, 2], color=shade)
            axes[3].plot(row.time, 1e3 * row.elbow[:, 1], color=shade)
        axes[1].plot([], [], "+", color=INK, ms=9, label="exact beams")
        axes[2].plot(HALF, EXACT[6], "+", color=INK, ms=9, clip_on=False)
        axes[3].plot(HALF, 1e3 * EXACT[2], "+", color=INK, ms=9, clip_on=False)
        axes[0].set(title="Elbow, figure 3(a)", xlabel="time [s]", ylabel="height [m]")
        axes[1].set(title="Tip, figure 3(b)", xlabel="time [s]", ylabel="height [m]")
        axes[2].set(title="Tip, last 40 ms", xlabel="time [s]", ylabel="height [m]")
        axes[3].set(title="Elbow along the hinge", xlabel="time [s]", ylabel="displacement [mm]")
        axes[1].legend(loc="upper right")
        headline(figure, "L mechanism, test 1: released level", "equivalent rigid-link system")
        save(figure, file)


def draw_swing(swings: dict[int, Row], kernel: np.ndarray, file: Path) -> None:
    """Draw figure 4: the tip along the hinge, and how far it is from the kernel's."""
    from lissom.view.figures.figure_style import INK, grid, headline, legend, save, style

    with style():
        figure, axes = grid(3, 3, width=4.0, height=3.0)
        _fill_swing(axes, swings, kernel, INK)
        for each in axes[1:]:
            legend(each)
        headline(figure, "L mechanism, test 2: swing of 2 s")
        save(figure, file)


def _fill_swing(axes: Any, swings: dict[int, Row], kernel: np.ndarray, ink: str) -> None:
    for count, row in swings.items():
        near = (row.time > 1.1) & (row.time < 1.3)
        for each, part in ((axes[0], slice(None)), (axes[1], near)):
            named = each is axes[1]  # one legend is enough
            each.plot(row.time[part], 1e3 * (row.tip[part, 1] - 0.5), label=f"{count} modes" if named else None)
            if count == max(swings):
                each.plot(
                    row.time[part], 1e3 * (kernel[part, 1] - 0.5), ":", color=ink, label="kernel" if named else None
                )
        axes[2].plot(row.time, 1e6 * (row.tip - kernel)[:, 1], lw=0.8, label=f"{count} modes")
    axes[0].set(title="Tip along the hinge", xlabel="time [s]", ylabel="displacement [mm]")
    axes[1].set(title="Around 1.2 s", xlabel="time [s]", ylabel="displacement [mm]")
    axes[2].set(title="Difference from the kernel", xlabel="time [s]", ylabel="difference [µm]")


def draw_response(found: Response, file: Path) -> None:
    """Draw figures 5 to 8: the torque, the elbow, its acceleration and the spectrum of that."""
    from lissom.view.figures.figure_style import INK, grid, headline, legend, save, style

    with style():
        figure, axes = grid(4, 2, height=2.8)
        axes[0].plot(found.time, found.torque)
        axes[0].set(title="Torque at the hinge", xlabel="time [s]", ylabel="torque [N m]")
        axes[1].plot(found.time, found.z, label="ERLS")
        axes[1].plot(found.time, found.kernel_z, ":", color=INK, label="kernel")
        axes[1].set(title="Elbow", xlabel="time [s]", ylabel="height [m]")
        axes[2].plot(found.time, found.acceleration, lw=0.7)
        axes[2].set(title="Elbow, upward", xlabel="time [s]", ylabel="acceleration [m/s²]")
        _fill_spectrum(axes[3], found)
        for each in (axes[1], axes[3]):
            legend(each)
        headline(figure, "L mechanism, test 3: torque input")
        save(figure, file)


def _fill_spectrum(axes: Any, found: Response) -> None:
    from lissom.view.figures.figure_style import COLOURS, GREY

    hz, amplitude = spectrum(found.acceleration, found.time)
    shown = hz < 200
    top, bottom = amplitude[shown].max(), amplitude[shown][1:].min()
    axes.semilogy(hz[shown], amplitude[shown])
    for k, f in enumerate(FREQUENCIES):
        axes.axvline(f, color=GREY, lw=0.7, ls="--", zorder=0, label=None if k else "natural frequencies")
    axes.plot(PAPER_FREQUENCIES, np.full(4, 3 * top), "v", color=COLOURS[1], ms=6, label="the paper's peaks")
    axes.set(
        title="Spectrum of that after 0.2 s",
        xlabel="frequency [Hz]",
        ylabel="amplitude [m/s²]",
        ylim=(bottom / 50, 10 * top),
    )


def spectrum(signal: np.ndarray, t: np.ndarray, since: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Amplitudes over Hz of what a signal does after the torque has ended, Hann window."""
    later = signal[t >= since]
    window = np.hanning(len(later))
    amplitude = np.abs(np.fft.rfft((later - later.mean()) * window)) * 2 / window.sum()
    return np.fft.rfftfreq(len(later), t[1] - t[0]), amplitude
