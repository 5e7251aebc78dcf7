"""How references are made: each function returns breaks (p + 1,) and coefficients (p, n, 6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.control import argument_checks
from lissom.errors import LissomError
from lissom.messages import brief

Pieces = tuple[np.ndarray, np.ndarray]
_TIMES = "give rising times in seconds"


def trapezoid(start: np.ndarray, to: np.ndarray, speed: Any, acceleration: Any, duration: Any, begin: float) -> Pieces:
    """Return pieces of constant acceleration, constant speed, constant deceleration; `start`, `to` (n,)."""
    n, way = len(start), np.abs(to - start)
    given = [
        name for name, v in (("speed", speed), ("acceleration", acceleration), ("duration", duration)) if v is not None
    ]
    if len(given) != 2 and given != ["duration"]:
        raise LissomError(
            "a trapezoid takes speed and acceleration, or duration, or duration and one of them; "
            f"got {' and '.join(given) or 'none'}"
        )

    def share(limit: Any, name: str) -> float:
        """Return the limit of the path parameter, which runs from 0 to 1."""
        each = argument_checks.numbers(limit, name, f"give the largest {name} as a positive number", n, above=0)
        moving = way > 0
        return float(np.min(each[moving] / way[moving])) if np.any(moving) else 1.0

    if duration is None:
        v, a = share(speed, "speed"), share(acceleration, "acceleration")
        ramp = min(v / a, 1 / np.sqrt(a))
        total = ramp + 1 / (a * ramp)
    else:
        total = argument_checks.number(duration, "duration", "give the time of the motion in seconds", above=0)
        if speed is not None:
            v = share(speed, "speed")
            if v * total < 1 - 1e-12 or v * total > 2 + 1e-12:
                low, high = 1 / v, 2 / v
                raise LissomError(
                    f"this motion takes between {low:.4g} s and {high:.4g} s when the "
                    f"speed reaches {brief(speed)}; change the duration or the speed",
                    ("duration",),
                    total,
                )
            ramp = total - 1 / v
        elif acceleration is not None:
            a = share(acceleration, "acceleration")
            root = total * total / 4 - 1 / a
            if root < -1e-12 * total * total:
                raise LissomError(
                    f"with acceleration {brief(acceleration)} this motion takes "
                    f"at least {2 / np.sqrt(a):.4g} s; change the duration or the acceleration",
                    ("duration",),
                    total,
                )
            ramp = total / 2 - np.sqrt(max(root, 0.0))
        else:
            ramp = total / 3
    ramp = min(max(ramp, 1e-9 * total), total / 2)
    v = 1 / (total - ramp)
    a = v / ramp
    times, s = (
        [0.0, ramp],
        [(0.0, 0.0, a / 2)],
    )  # (value, rate, half the acceleration) where each piece begins
    if total - 2 * ramp > 1e-9 * total:
        times.append(total - ramp)
        s.append((v * ramp / 2, v, 0.0))
    times.append(total)
    s.append((1 - v * ramp / 2, v, -a / 2))
    coefficients = np.zeros((len(s), n, 6))
    coefficients[:, :, :3] = np.multiply.outer(s, to - start).transpose(0, 2, 1)
    coefficients[:, :, 0] += start
    return begin + np.array(times), coefficients


def minimum_jerk(points: ArrayLike, times: ArrayLike) -> Pieces:
    """Return the quintic spline through via points, at rest at both ends."""
    from scipy.interpolate import make_interp_spline

    t, y = _table(times, points, "times", "points")
    rest = [(1, np.zeros(y.shape[1])), (2, np.zeros(y.shape[1]))]
    return _from_spline(make_interp_spline(t, y, k=5, bc_type=(rest, rest)), t)


def samples(t: ArrayLike, values: ArrayLike, kind: str) -> Pieces:
    """Return a cubic spline or straight lines through samples."""
    from scipy.interpolate import CubicSpline

    t, y = _table(t, values, "t", "values")
    if kind == "cubic":
        return _pad_to_quintics(t, CubicSpline(t, y).c)
    if kind == "linear":
        return _pad_to_quintics(t, np.stack([np.diff(y, axis=0) / np.diff(t)[:, None], y[:-1]]))
    raise LissomError("is unknown; choose cubic or linear", ("kind",), kind)


def function_pieces(function: Callable[[float], Any], duration: float, pieces: int | None, begin: float) -> Pieces:
    """Return Quintic Hermite pieces of a function; derivatives by differences at Chebyshev points in each piece."""
    duration = argument_checks.number(duration, "duration", "give the length of the time in seconds", above=0)
    begin = argument_checks.number(begin, "begin", "give the start time in seconds")
    if pieces is not None:
        if isinstance(pieces, bool) or not isinstance(pieces, int | np.integer) or pieces < 1:
            raise LissomError("must be a whole number, 1 or more", ("pieces",), pieces)
        return _hermite(function, np.linspace(begin, begin + duration, pieces + 1))[0]
    count = 8
    while True:
        result, good = _hermite(function, np.linspace(begin, begin + duration, count + 1))
        if good or count >= 2048:
            return result
        count *= 2


_NODES = 13


def _hermite(function: Callable[[float], Any], breaks: np.ndarray) -> tuple[Pieces, bool]:
    from numpy.polynomial import chebyshev

    widths = np.diff(breaks)
    x = -np.cos(np.pi * np.arange(_NODES) / (_NODES - 1))
    t = breaks[:-1, None] + widths[:, None] * (1 + x) / 2
    t[:, -1] = breaks[1:]
    y = _sample(function, t)  # (p, nodes, n)
    fit = np.linalg.solve(chebyshev.chebvander(x, _NODES - 1), y)
    ends = np.array([-1.0, 1.0])
    scale = (2 / widths)[:, None, None]
    derivatives = []
    for order in (1, 2):
        at_ends = chebyshev.chebval(ends, chebyshev.chebder(fit, order, axis=1).swapaxes(0, 1))  # (p, n, 2)
        derivatives.append(_join_derivatives(at_ends * scale**order))
    c = quintic_pieces(widths, y[:, [0, -1]].transpose(0, 2, 1), *derivatives)
    s = widths[:, None] * (1 + x) / 2
    powers = s[:, :, None] ** np.arange(6)
    error = np.abs(np.einsum("pnk,psk->psn", c, powers) - y).max(axis=(0, 1))
    size = np.abs(y).max(axis=(0, 1)) + 1e-300
    # The middle of a piece is where the acceleration of a Hermite quintic is worst.
    half = np.einsum(
        "pnk,pk->pn", c[:, :, 2:], np.array([2.0, 6.0, 12.0, 20.0]) * (widths[:, None] / 2) ** np.arange(4)
    )
    exact = chebyshev.chebval(0.0, chebyshev.chebder(fit, 2, axis=1).swapaxes(0, 1)) * scale[:, :, 0] ** 2
    rough = np.abs(half - exact).max(axis=0)
    roundoff = 1e-11 * size / widths.min() ** 2
    good = np.all(error <= 1e-11 * size) and np.all(rough <= 1e-6 * np.abs(exact).max(axis=0) + roundoff)
    return (breaks, c), bool(good)


def _join_derivatives(ends: np.ndarray) -> np.ndarray:
    """Return derivatives (p, n, 2) at the ends of the pieces, made equal where neighbours differ by errors alone."""
    left, right = ends[:-1, :, 1], ends[1:, :, 0]
    size = np.abs(ends).max(axis=(0, 2)) + 1e-300
    same = np.abs(left - right) <= 1e-4 * size
    mean = (left + right) / 2
    ends = ends.copy()
    ends[:-1, :, 1], ends[1:, :, 0] = np.where(same, mean, left), np.where(same, mean, right)
    return ends


def quintic_pieces(h: np.ndarray, value: np.ndarray, rate: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
    """Return coefficients (p, n, 6) of the quintics with the given ends (p, n, 2) on pieces of width h (p,)."""
    h = h[:, None]
    (y0, y1), (v0, v1), (a0, a1) = (np.moveaxis(e, -1, 0) for e in (value, rate, acceleration))
    gap = y1 - y0 - h * v0 - h**2 / 2 * a0
    slope = (v1 - v0) * h - h**2 * a0
    bend = h**2 * (a1 - a0)
    c3 = (10 * gap - 4 * slope + bend / 2) / h**3
    c4 = (-15 * gap + 7 * slope - bend) / h**4
    c5 = (6 * gap - 3 * slope + bend / 2) / h**5
    return np.stack([y0, v0, a0 / 2, c3, c4, c5], axis=-1)


def _sample(function: Callable[[float], Any], t: np.ndarray) -> np.ndarray:
    """Return values (*t.shape, n) of the function, checked one by one."""
    rows: list[np.ndarray] = []
    for time in t.ravel().tolist():
        row = np.atleast_1d(np.asarray(function(time), float))
        if row.ndim != 1 or (rows and row.shape != rows[0].shape):
            raise LissomError(
                f"the function returned shape {row.shape} at t = {time:g} s; return one number, or one per channel"
            )
        if not np.all(np.isfinite(row)):
            raise LissomError(f"the function returned {brief(row)} at t = {time:g} s; return finite numbers")
        rows.append(row)
    return np.array(rows).reshape(*t.shape, -1)


def _table(t: ArrayLike, values: ArrayLike, t_name: str, name: str) -> tuple[np.ndarray, np.ndarray]:
    t = argument_checks.times(t, t_name, _TIMES)
    try:
        y = np.array(values, float)
    except (TypeError, ValueError, OverflowError):
        raise LissomError("must be a table of numbers; give one row per time", (name,), values) from None
    y = y[:, None] if y.ndim == 1 else y
    if len(t) < 2:
        raise LissomError(f"at least two are needed; {_TIMES}", (t_name,), t)
    if y.ndim != 2 or len(y) != len(t):
        text = f"has shape {y.shape} for {len(t)} times; give one row per time, one column per channel"
        raise LissomError(text, (name,))
    if not np.all(np.isfinite(y)):
        row, column = np.argwhere(~np.isfinite(y))[0]
        path = (name, int(row), int(column))
        raise LissomError(f"must be a finite number, at t = {t[row]:g} s", path, y[row, column])
    return t, y


def _from_spline(spline: Any, t: np.ndarray) -> Pieces:
    """Return Taylor coefficients of a B-spline at the begin of every piece."""
    factorials = np.array([1.0, 1, 2, 6, 24, 120])
    middle = (t[:-1] + t[1:]) / 2
    fifth = spline(middle, 5)  # constant on each piece, two-valued at the breaks
    orders = [spline(t[:-1], k) for k in range(5)] + [fifth]
    return t, np.stack(orders, axis=-1) / factorials


def _pad_to_quintics(t: np.ndarray, falling: np.ndarray) -> Pieces:
    """Reorder coefficients (degree + 1, p, n) in falling powers to (p, n, 6) in rising ones."""
    coefficients = np.zeros((len(t) - 1, falling.shape[2], 6))
    coefficients[:, :, : len(falling)] = np.moveaxis(falling[::-1], 0, -1)
    return t, coefficients
