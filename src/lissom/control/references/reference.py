"""What a joint or a motor should do over time: piecewise polynomials with their rates and accelerations."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.control import argument_checks
from lissom.control.choices import Interpolation, Sweep
from lissom.errors import LissomError

DEGREE = 5
_MERGE = 1e-13  # breaks closer than this share of the whole time are one break
_SMOOTH = 1e-9  # differences below this share of the channel's size are no jumps


@dataclass(frozen=True, eq=False)
class Reference:
    """A piecewise polynomial of time with n channels, of degree 5 or less.

    On piece i, breaks[i] <= t < breaks[i + 1], the value is sum_k coefficients[i, :, k] (t - breaks[i])^k.
    Before the first break and from the last one on, the value there is held and the rates are zero.

    Parameters
    ----------
    breaks
        Increasing times, shape (p + 1,).
    coefficients
        Shape (p, n, 6), rising powers.
    """

    breaks: np.ndarray
    coefficients: np.ndarray

    def __post_init__(self) -> None:
        breaks = argument_checks.times(self.breaks, "breaks", "give the times where pieces begin, and the end")
        coefficients = np.array(self.coefficients, float)
        if coefficients.ndim != 3 or coefficients.shape[::2] != (len(breaks) - 1, DEGREE + 1):
            shape = f"({len(breaks) - 1}, channels, {DEGREE + 1}) for {len(breaks)} breaks"
            raise LissomError(f"must have shape {shape}, got {coefficients.shape}", ("coefficients",))
        if len(breaks) < 2:
            raise LissomError("must hold at least two times: a piece has a start and an end", ("breaks",), breaks)
        if not np.all(np.isfinite(coefficients)):
            raise LissomError("must be finite numbers", ("coefficients",))
        for name, array in (("breaks", breaks), ("coefficients", coefficients)):
            array.flags.writeable = False
            object.__setattr__(self, name, np.ascontiguousarray(array))

    def __repr__(self) -> str:
        span = f"{self.breaks[0]:g} s to {self.breaks[-1]:g} s"
        return f"<Reference: {self.channels} channels, {len(self.coefficients)} pieces, {span}>"

    @property
    def channels(self) -> int:
        """Number n of channels."""
        return self.coefficients.shape[1]

    @property
    def end(self) -> float:
        """Time from which the reference is at rest."""
        return float(self.breaks[-1])

    def __call__(self, t: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the value, rate and acceleration at the times t, each of shape (*t.shape, n)."""
        t = np.asarray(t, float)
        piece = np.clip(np.searchsorted(self.breaks, t, side="right") - 1, 0, len(self.coefficients) - 1)
        inside = (t >= self.breaks[0]) & (t < self.breaks[-1])
        s = (np.clip(t, self.breaks[0], self.breaks[-1]) - self.breaks[piece])[..., None]
        c = self.coefficients[piece]
        value, rate, acceleration = (np.zeros(c.shape[:-1]) for _ in range(3))
        for k in range(DEGREE, -1, -1):
            acceleration = acceleration * s + 2 * rate
            rate = rate * s + value
            value = value * s + c[..., k]
        moving = inside[..., None]
        return value, np.where(moving, rate, 0.0), np.where(moving, acceleration, 0.0)

    def discontinuities(self, order: int = 1, share: float = _SMOOTH) -> np.ndarray:
        """Return times where a derivative up to `order` (0 value, 1 rate, 2 acceleration) jumps, increasing.

        A jump below this `share` of the derivative's size is none.
        """
        widths = np.diff(self.breaks)
        jump = np.zeros(len(self.breaks), bool)
        for k in range(order + 1):
            right, left = self._ends(k, np.zeros(len(widths))), self._ends(k, widths)
            # The size of the terms that make up the derivative, over the piece: round-off scales with it.
            size = np.abs(self._terms(k, widths)).sum(axis=-1).max(axis=0) + np.finfo(float).tiny
            outside = np.zeros((1, self.channels))
            before = np.concatenate([outside if k else right[:1], left])
            after = np.concatenate([right, outside if k else left[-1:]])
            jump |= np.any(np.abs(after - before) > share * size, axis=1)
        return self.breaks[jump]

    @cached_property
    def jumps(self) -> np.ndarray:
        """Times where the value or the rate jumps: an integrator restarts there."""
        return self.discontinuities(1)

    def _terms(self, order: int, s: np.ndarray) -> np.ndarray:
        """Return terms (p, n, 6 - order) of the derivative at s (p,) after the begin of each piece."""
        powers = np.arange(order, DEGREE + 1)
        factors = np.array([np.prod(np.arange(k, k - order, -1)) for k in powers], float)
        return self.coefficients[:, :, order:] * factors * (s[:, None] ** (powers - order))[:, None, :]

    def _ends(self, order: int, s: np.ndarray) -> np.ndarray:
        return self._terms(order, s).sum(axis=-1)

    # operations ---------------------------------------------------------------------------------------------

    def shifted(self, dt: float) -> Reference:
        """Return this motion later by `dt` seconds."""
        return Reference(self.breaks + argument_checks.number(dt, "dt", "give a time in seconds"), self.coefficients)

    def scaled(self, factor: ArrayLike) -> Reference:
        """Multiply every channel by `factor` (a number, or one per channel)."""
        factors = argument_checks.numbers(factor, "factor", "give a number, or one per channel", self.channels)
        return Reference(self.breaks, self.coefficients * factors[:, None])

    def __add__(self, other: Reference) -> Reference:
        if not isinstance(other, Reference):
            return NotImplemented
        if other.channels != self.channels:
            raise LissomError(
                f"references of {self.channels} and {other.channels} channels cannot be added; select first"
            )
        breaks = _union([self.breaks, other.breaks])
        return Reference(breaks, self.on_breaks(breaks) + other.on_breaks(breaks))

    def select(self, channels: int | Iterable[int]) -> Reference:
        """Return a reference with the given channels, in the given order."""
        index = [channels] if isinstance(channels, int) else list(channels)
        for k in index:
            if not -self.channels <= k < self.channels:
                raise LissomError(f"there is no such channel; they are 0 to {self.channels - 1}", ("channels",), k)
        return Reference(self.breaks, self.coefficients[:, index])

    @classmethod
    def stack(cls, references: Sequence[Reference]) -> Reference:
        """Join references into one with the channels of all, one after the other."""
        if not references:
            raise LissomError("stack: no references given; give at least one")
        if len(references) == 1:
            return references[0]
        breaks = _union([r.breaks for r in references])
        return cls(breaks, np.concatenate([r.on_breaks(breaks) for r in references], axis=1))

    def on_breaks(self, breaks: np.ndarray) -> np.ndarray:
        """Return the coefficients (p, n, 6) of this function on finer pieces."""
        middle = 0.5 * (breaks[:-1] + breaks[1:])
        piece = np.clip(np.searchsorted(self.breaks, middle, side="right") - 1, 0, len(self.coefficients) - 1)
        shift = (np.clip(breaks[:-1], self.breaks[0], self.breaks[-1]) - self.breaks[piece])[:, None]
        c = self.coefficients[piece]
        out = np.zeros_like(c)
        for k in range(DEGREE + 1):
            for j in range(k, DEGREE + 1):
                out[:, :, k] += comb(j, k) * c[:, :, j] * shift ** (j - k)
        out[(middle < self.breaks[0]) | (middle > self.breaks[-1]), :, 1:] = 0.0
        return out

    # constructors -------------------------------------------------------------------------------------------

    @classmethod
    def constant(cls, values: ArrayLike) -> Reference:
        """Hold the values for all time."""
        return cls.steps([(0.0, values)])

    @classmethod
    def step(cls, start: ArrayLike, to: ArrayLike, at: float = 0.0) -> Reference:
        """Jump from `start` to `to` at the time `at`."""
        at = argument_checks.number(at, "at", "give the time of the step in seconds")
        return cls.steps([(at - 1.0, start), (at, to)])

    @classmethod
    def steps(cls, setpoints: Sequence[tuple[float, ArrayLike]]) -> Reference:
        """Hold values between jumps: [(time, values), ...], each held until the next; the first also before it."""
        if not setpoints:
            raise LissomError("is an empty list; give [(time, values), ...]", ("setpoints",))
        rows = [argument_checks.numbers(v, ("setpoints", k), _VALUES) for k, (_, v) in enumerate(setpoints)]
        n = max(map(len, rows))
        for k, row in enumerate(rows):
            if len(row) != n:
                raise LissomError(f"has {len(row)} values, another has {n}; {_VALUES}", ("setpoints", k))
        t = argument_checks.times([t for t, _ in setpoints], "times", "give rising times in seconds")
        coefficients = np.zeros((len(t), n, DEGREE + 1))
        coefficients[:, :, 0] = rows
        return cls(np.append(t, t[-1] + 1.0), coefficients)

    @classmethod
    def quintic(cls, start: ArrayLike, to: ArrayLike, duration: float, begin: float = 0.0) -> Reference:
        """Move from rest to rest without a jump in acceleration: start + (to - start)(10 s^3 - 15 s^4 + 6 s^5)."""
        start, to = _pair(start, to)
        duration = argument_checks.number(duration, "duration", "give the time of the motion in seconds", above=0)
        begin = argument_checks.number(begin, "begin", "give the start time of the motion in seconds")
        coefficients = np.zeros((1, len(start), DEGREE + 1))
        coefficients[0, :, 0] = start
        coefficients[0, :, 3:] = np.multiply.outer(
            to - start, np.array([10.0, -15.0, 6.0]) / duration ** np.arange(3, 6)
        )
        return cls(np.array([begin, begin + duration]), coefficients)

    @classmethod
    def trapezoid(
        cls,
        start: ArrayLike,
        to: ArrayLike,
        speed: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        duration: float | None = None,
        begin: float = 0.0,
    ) -> Reference:
        """Speed up, cruise, slow down: all channels together, on a straight line from `start` to `to`.

        Give `speed` and `acceleration` (limits, one for all channels or one each) for the fastest motion
        within them, or `duration` alone (a third of it each for speeding up, cruising and slowing down) or
        with one of the limits as the value that the most demanding channel reaches.
        """
        from lissom.control.references.motion_profiles import trapezoid

        start, to = _pair(start, to)
        begin = argument_checks.number(begin, "begin", "give the start time of the motion in seconds")
        return cls(*trapezoid(start, to, speed, acceleration, duration, begin))

    @classmethod
    def spin_up(
        cls, speed: ArrayLike, ramp: float, until: float, start: ArrayLike = 0.0, begin: float = 0.0
    ) -> Reference:
        """Spin up from rest at `start` to a constant speed w that lasts `until` then, without a jump in acceleration.

        While it rises, for `ramp` = T seconds from `begin` on, the rate is w/T (t - T/(2 pi) sin(2 pi t/T)).

        Equations: 004 (56).
        """
        first, w = _pair(start, speed, ("start", "speed"))
        T = argument_checks.number(ramp, "ramp", "give the time of spinning up in seconds", above=0)
        begin = argument_checks.number(begin, "begin", "give the start time of the motion in seconds")
        until = argument_checks.number(until, "until", "give a time after the ramp, in seconds", above=begin + T)
        k = 2 * np.pi / T
        rising = cls.from_function(
            lambda t: first + w / T * ((t - begin) ** 2 / 2 + (np.cos(k * (t - begin)) - 1) / k**2), T, begin=begin
        )
        steady = np.zeros((1, len(w), DEGREE + 1))
        steady[0, :, 0], steady[0, :, 1] = first + w * T / 2, w
        return cls(np.append(rising.breaks, until), np.concatenate([rising.coefficients, steady]))

    @classmethod
    def sine(
        cls,
        amplitude: ArrayLike,
        frequency: ArrayLike,
        duration: float,
        offset: ArrayLike = 0.0,
        phase: ArrayLike = 0.0,
        ramp: float = 0.0,
        begin: float = 0.0,
    ) -> Reference:
        """Return offset + amplitude sin(2 pi frequency (t - begin) + phase) for `duration` seconds.

        Parameters
        ----------
        amplitude, offset : array_like
            One number for all channels, or one each; so are frequency (Hz) and phase (rad).
        ramp : float
            Seconds in which the wave is faded in, and out again at its end, from rest to rest; 0 for none.
        """
        from lissom.control.references.waves import sine

        mean, size = _pair(offset, amplitude, ("offset", "amplitude"))
        return cls(*sine(size, frequency, duration, mean, phase, ramp, begin))

    @classmethod
    def chirp(
        cls,
        amplitude: ArrayLike,
        frequencies: ArrayLike,
        duration: float,
        offset: ArrayLike = 0.0,
        sweep: Sweep = "linear",
        ramp: float = 0.0,
        begin: float = 0.0,
    ) -> Reference:
        """Sweep a sine from the first to the second of `frequencies` (Hz) within `duration` seconds.

        Parameters
        ----------
        sweep : Sweep
            "linear": the frequency rises by equal steps in equal times; "exponential": by equal factors.
        amplitude, offset, ramp : array_like
            As in `sine`.
        """
        from lissom.control.references.waves import chirp

        mean, size = _pair(offset, amplitude, ("offset", "amplitude"))
        return cls(*chirp(size, frequencies, duration, mean, sweep, ramp, begin))

    @classmethod
    def multisine(
        cls,
        amplitude: ArrayLike,
        frequencies: ArrayLike,
        duration: float,
        offset: ArrayLike = 0.0,
        phases: ArrayLike | None = None,
        ramp: float = 0.0,
        begin: float = 0.0,
    ) -> Reference:
        """Add sines of several `frequencies` (Hz) at once, each of the same amplitude.

        Parameters
        ----------
        phases : array_like, optional
            One per frequency (rad); those of Schroeder 1970, which keep the peaks low, unless given.
        amplitude, offset, ramp : array_like
            As in `sine`.
        """
        from lissom.control.references.waves import multisine

        mean, size = _pair(offset, amplitude, ("offset", "amplitude"))
        return cls(*multisine(size, frequencies, duration, mean, phases, ramp, begin))

    @classmethod
    def minimum_jerk(cls, points: ArrayLike, times: ArrayLike) -> Reference:
        """Move through `points` (k, n) at `times` (k,) from rest to rest, with the least integral of jerk squared.

        Flash and Hogan 1985: a quintic spline with four continuous derivatives.
        """
        from lissom.control.references.motion_profiles import minimum_jerk

        return cls(*minimum_jerk(points, times))

    @classmethod
    def from_samples(cls, t: ArrayLike, values: ArrayLike, kind: Interpolation = "cubic") -> Reference:
        """Interpolate samples `values` (k, n) or (k,) at times t (k,): a C2 cubic spline, or straight lines."""
        from lissom.control.references.motion_profiles import samples

        return cls(*samples(t, values, kind))

    @classmethod
    def from_csv(
        cls,
        path: str | os.PathLike[str],
        columns: Sequence[str | int] | str | int | None = None,
        time: str | int = 0,
        kind: Interpolation = "cubic",
    ) -> Reference:
        """Read samples from a CSV file: columns by name or number from 0; all but `time` unless given."""
        from lissom.control.references.csv_tables import read

        t, values = read(path, columns, time)
        return cls.from_samples(t, values, kind)

    @classmethod
    def from_function(
        cls, function: Callable[[float], Any], duration: float, pieces: int | None = None, begin: float = 0.0
    ) -> Reference:
        """Approximate a smooth function of time, t -> value or (n,) values, from `begin` on for `duration` seconds.

        On every piece a quintic matches value, rate and acceleration at both ends. Without `pieces` they are
        halved until the error is below 1e-11 of the values (1e-6 in the accelerations).
        """
        from lissom.control.references.motion_profiles import function_pieces

        return cls(*function_pieces(function, duration, pieces, begin))


_VALUES = "give one number per channel"


def _pair(start: ArrayLike, to: ArrayLike, names: tuple[str, str] = ("start", "to")) -> tuple[np.ndarray, np.ndarray]:
    start, to = (argument_checks.numbers(each, name, _VALUES) for each, name in zip((start, to), names, strict=True))
    if len(start) == 1 or len(to) == 1:
        n = max(len(start), len(to))
        start, to = np.broadcast_to(start, n), np.broadcast_to(to, n)
    if len(start) != len(to):
        text = f"has {len(to)} values, {names[0]} has {len(start)}; give one number per channel in both"
        raise LissomError(text, (names[1],), to)
    return start, to


def _union(all_breaks: Sequence[np.ndarray]) -> np.ndarray:
    """Return all breaks in order, those that differ by round-off taken once."""
    breaks = np.unique(np.concatenate(all_breaks))
    scale = max(abs(breaks[0]), abs(breaks[-1]), breaks[-1] - breaks[0])
    return breaks[np.concatenate([[True], np.diff(breaks) > _MERGE * scale])]
