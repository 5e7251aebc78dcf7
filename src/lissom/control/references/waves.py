"""Oscillating references: sums of sines whose frequency may sweep, faded in and out; pieces as in `motion_profiles`.

A wave is amplitude * fade(t) * sin(phase(t)). Its value, rate and acceleration are known in closed form; every piece is
the quintic that has them at both ends, so they are exact there and continuous. With PER_PERIOD pieces to a period the
value in between is met to 1e-13 of the amplitude, the acceleration to 1e-8 of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.control import argument_checks
from lissom.control.choices import SWEEPS, Sweep
from lissom.control.references.motion_profiles import Pieces, quintic_pieces
from lissom.errors import LissomError
from lissom.messages import did_you_mean, listed

PER_PERIOD = 128
MOST = 2_000_000  # pieces of one reference: 100 MB and more for each channel

_HZ = "give the frequency in Hz"
_RAMP = "give the time of fading in and out in seconds, 0 for none"


class Tone(NamedTuple):
    """One sine: its amplitudes (n,), and phase, rate and acceleration of the phase at times since its begin."""

    amplitude: np.ndarray
    phase: np.ndarray  # (k,) rad
    rate: np.ndarray  # (k,) rad/s
    acceleration: np.ndarray  # (k,) rad/s2


def sine(
    amplitude: np.ndarray, frequency: Any, duration: Any, offset: np.ndarray, phase: Any, ramp: Any, begin: Any
) -> Pieces:
    """Return a sine, one frequency and phase for all channels, or one each; `amplitude`, `offset` (n,)."""
    n = len(amplitude)
    duration, ramp, begin = _span(duration, ramp, begin)
    hz = argument_checks.numbers(frequency, "frequency", _HZ, n, above=0)
    first = argument_checks.numbers(phase, "phase", "give the phase at the begin in radians", n)
    t = _times(duration, ramp, np.linspace(0, duration, _count(hz.max() * duration, "frequency", hz.max())))
    tones = [Tone(amplitude * (np.arange(n) == k), *_steady(t, hz[k], first[k])) for k in range(n)]
    return _pieces(t, tones, offset, duration, ramp, begin)


def chirp(
    amplitude: np.ndarray, frequencies: Any, duration: Any, offset: np.ndarray, sweep: Sweep, ramp: Any, begin: Any
) -> Pieces:
    """Sweep from the first frequency to the second: f rises by equal amounts, or equal factors, in equal times."""
    if sweep not in SWEEPS:
        raise LissomError(f"is unknown{did_you_mean(sweep, SWEEPS)}; choose {listed(SWEEPS)}", ("sweep",), sweep)
    duration, ramp, begin = _span(duration, ramp, begin)
    low, high = argument_checks.numbers(frequencies, "frequencies", "give [first, last] in Hz", 2, above=0)
    even = np.linspace(0, 1, _count(max(low, high) * duration, "frequencies", max(low, high)))
    # Times at which the phase has gone equal parts of its way, so that pieces are as fine as the waves.
    fine = duration * np.linspace(0, 1, 4096)
    gone, _, _ = _sweep_phase(fine, low, high, duration, sweep)
    t = _times(duration, ramp, np.interp(even * gone[-1], gone, fine))
    return _pieces(t, [Tone(amplitude, *_sweep_phase(t, low, high, duration, sweep))], offset, duration, ramp, begin)


def multisine(
    amplitude: np.ndarray, frequencies: Any, duration: Any, offset: np.ndarray, phases: Any, ramp: Any, begin: Any
) -> Pieces:
    """Return several frequencies at once, each with the same amplitude."""
    duration, ramp, begin = _span(duration, ramp, begin)
    hz = argument_checks.numbers(frequencies, "frequencies", "give a list of frequencies in Hz", above=0)
    if phases is None:
        phases = schroeder(len(hz))
    first = argument_checks.numbers(phases, "phases", "give one phase per frequency in radians", len(hz))
    t = _times(duration, ramp, np.linspace(0, duration, _count(hz.max() * duration, "frequencies", hz.max())))
    tones = [Tone(amplitude, *_steady(t, f, p)) for f, p in zip(hz, first)]
    return _pieces(t, tones, offset, duration, ramp, begin)


def schroeder(count: int) -> np.ndarray:
    """Return phases (count,) that keep the peaks of a sum of equal sines low (Schroeder 1970)."""
    k = np.arange(count)
    return -np.pi * k * (k + 1) / count


def _span(duration: Any, ramp: Any, begin: Any) -> tuple[float, float, float]:
    duration = argument_checks.number(duration, "duration", "give the length of the time in seconds", above=0)
    ramp = argument_checks.number(ramp, "ramp", _RAMP, at_least=0)
    if ramp > duration / 2 * (1 + 1e-12):
        text = f"fading in and out takes longer than the whole, {duration:g} s; give at most half of that"
        raise LissomError(text, ("ramp",), ramp)
    return duration, ramp, argument_checks.number(begin, "begin", "give the start time in seconds")


def _count(periods: float, field: str, hz: float) -> int:
    count = int(np.ceil(PER_PERIOD * periods)) + 2
    if count > MOST:
        text = f"makes {periods:.3g} periods, more than {MOST // PER_PERIOD}; take a lower one, or a shorter duration"
        raise LissomError(text, (field,), hz)
    return count


def _times(duration: float, ramp: float, even: np.ndarray) -> np.ndarray:
    """Return breaks from 0 to the duration: where waves are divided, finely where they fade."""
    if ramp == 0:
        return even
    fading = np.linspace(0, ramp, 2 * PER_PERIOD)
    t = np.unique(np.concatenate([even, fading, duration - fading]))
    return t[np.concatenate([[True], np.diff(t) > 1e-9 * duration])]


def _steady(t: np.ndarray, hz: float, first: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    omega = 2 * np.pi * hz
    return first + omega * t, np.full_like(t, omega), np.zeros_like(t)


def _sweep_phase(t: np.ndarray, low: float, high: float, duration: float, sweep: Sweep) -> tuple[np.ndarray, ...]:
    a, b = 2 * np.pi * low, 2 * np.pi * high
    if sweep == "linear" or a == b:
        slope = (b - a) / duration
        return a * t + slope * t**2 / 2, a + slope * t, np.full_like(t, slope)
    growth = np.log(b / a) / duration
    rate = a * np.exp(growth * t)
    return (rate - a) / growth, rate, growth * rate


def _fade(t: np.ndarray, duration: float, ramp: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rise from 0 to 1 by a quintic within `ramp`, back to 0 at the end; with rate and acceleration."""
    if ramp == 0:
        return np.ones_like(t), np.zeros_like(t), np.zeros_like(t)
    rising = t < duration / 2
    s = np.clip(np.where(rising, t, duration - t) / ramp, 0, 1)
    sign = np.where(rising, 1.0, -1.0)
    value = s**3 * (10 - 15 * s + 6 * s**2)
    return value, sign * 30 * s**2 * (1 - s) ** 2 / ramp, 60 * s * (1 - s) * (1 - 2 * s) / ramp**2


def _pieces(
    t: np.ndarray, tones: Sequence[Tone], offset: np.ndarray, duration: float, ramp: float, begin: float
) -> Pieces:
    value, rate, acceleration = np.zeros((3, len(t), len(offset)))
    w, wd, wdd = _fade(t, duration, ramp)
    for amplitude, phase, phase_rate, phase_acceleration in tones:
        sin, cos = np.sin(phase), np.cos(phase)
        s, sd = sin, phase_rate * cos
        sdd = phase_acceleration * cos - phase_rate**2 * sin
        value += np.outer(w * s, amplitude)
        rate += np.outer(wd * s + w * sd, amplitude)
        acceleration += np.outer(wdd * s + 2 * wd * sd + w * sdd, amplitude)
    ends = [np.stack([x[:-1], x[1:]], axis=-1) for x in (value + offset, rate, acceleration)]
    return begin + t, quintic_pieces(np.diff(t), *ends)
