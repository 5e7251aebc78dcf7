"""Spectra of sampled signals: amplitudes, power density, peaks.

A signal is given as times (N,) and values (N,) or (N, channels); as an xarray.DataArray whose first dimension
has the times; or as a trajectory and the name of a variable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import LissomError

UNEVEN = 1e-6  # relative spread of sampling intervals that is taken for rounding


@dataclass(frozen=True, eq=False)
class Spectrum:
    """A spectrum: `frequencies` (F,) in Hz, `values` (F,) or (F, channels)."""

    frequencies: np.ndarray
    values: np.ndarray

    def peaks(self, number: int | None = None, least: float = 0.01) -> Peaks:
        """Return peaks of a spectrum of one channel, strongest first; see `find_peaks`."""
        if self.values.ndim != 1:
            raise LissomError(f"peaks are found in one channel: this spectrum has {self.values.shape[1]}; select one")
        return find_peaks(self.frequencies, self.values, number, least)


@dataclass(frozen=True, eq=False)
class Peaks:
    """Peaks, strongest first."""

    frequencies: np.ndarray  # (peaks,) Hz, interpolated between the lines
    values: np.ndarray  # (peaks,) height there


def amplitude_spectrum(t: Any, y: ArrayLike | str | None = None, *, window: str = "hann", padding: int = 4) -> Spectrum:
    """Compute amplitudes: a sine of amplitude a, well apart from others, shows as a peak of height a.

    The mean is taken off.

    Parameters
    ----------
    window : str
        Any window of scipy.signal; "boxcar" for none.
    padding : int
        How many times the record is lengthened by zeros, for finer lines.
    """
    from scipy.signal import get_window

    time, values = signal(t, y)
    shape = get_window(window, len(time)).reshape(-1, *[1] * (values.ndim - 1))
    n = int(padding) * len(time)
    lines = np.fft.rfft((values - values.mean(axis=0)) * shape, n, axis=0)
    dt = (time[-1] - time[0]) / (len(time) - 1)
    return Spectrum(np.fft.rfftfreq(n, dt), 2 * np.abs(lines) / shape.sum())


def power_density(t: Any, y: ArrayLike | str | None = None, *, segments: int = 8, window: str = "hann") -> Spectrum:
    """Compute the one-sided power spectral density (unit^2/Hz) by Welch's method.

    The record is cut into about `segments` parts.

    Its integral over the frequencies is the variance of the signal.
    """
    from scipy.signal import welch

    time, values = signal(t, y)
    rate = (len(time) - 1) / (time[-1] - time[0])
    length = min(len(time), max(8, 2 * len(time) // (int(segments) + 1)))  # parts overlap by half
    frequencies, density = welch(values, rate, window, length, axis=0, detrend="constant")
    return Spectrum(frequencies, density)


def find_peaks(frequencies: ArrayLike, values: ArrayLike, number: int | None = None, least: float = 0.01) -> Peaks:
    """Return local maxima of at least `least` times the highest, strongest first.

    Frequency and height are those of the parabola through the logarithms at a maximum and its two neighbours.
    """
    frequencies, values = np.asarray(frequencies, float), np.asarray(values, float)
    inner = values[1:-1]
    k = 1 + np.flatnonzero((inner > values[:-2]) & (inner >= values[2:]) & (inner >= least * values.max(initial=0)))
    tiny = np.finfo(float).tiny
    low, top, high = (np.log(np.maximum(values[k + step], tiny)) for step in (-1, 0, 1))
    shift = 0.5 * (low - high) / (low - 2 * top + high)
    spacing = frequencies[1] - frequencies[0] if len(frequencies) > 1 else 0.0
    places, heights = frequencies[k] + shift * spacing, np.exp(top - 0.25 * (low - high) * shift)
    order = np.argsort(-heights)[:number]
    return Peaks(places[order], heights[order])


def signal(t: Any, y: ArrayLike | str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return times (N,) and values (N, ...) of a signal at even intervals; see the head of this module."""
    if isinstance(y, str):
        t, y = t[y], None
    if y is None:
        if not (hasattr(t, "dims") and t.dims and t.dims[0] in t.coords):
            raise LissomError("give times and values, an xarray.DataArray along time, or a trajectory and a name")
        t, y = t.coords[t.dims[0]].values, t.values
    time, values = np.asarray(t, float), np.asarray(y, float)
    if time.ndim != 1 or values.ndim not in (1, 2) or len(values) != len(time):
        text = f"of shape {values.shape} do not fit times of shape {time.shape}: give (N,) and (N,)"
        raise LissomError(text, ("values",))
    if len(time) < 8:
        raise LissomError(f"{len(time)} samples are too few; give 8 or more", ("signal",))
    if not (np.all(np.isfinite(time)) and np.all(np.isfinite(values))):
        raise LissomError("has values that are not finite; cut them off first", ("signal",))
    steps = np.diff(time)
    if steps.min() <= 0 or steps.max() - steps.min() > UNEVEN * steps.mean() + 1e-12 * np.abs(time).max():
        text = f"must rise at even intervals: these lie {steps.min():g} to {steps.max():g} s apart; interpolate the"
        raise LissomError(f"{text} signal to an even grid, as with numpy.interp", ("times",))
    return time, values
