"""Frequencies at which a linear model is to be looked at: all it does, and finely where it resonates."""

from __future__ import annotations

import numpy as np

from lissom.analysis.linear_models.linear_model import LinearModel

POINTS = 400  # over the whole range, by equal ratios
NEAR = 33  # points around the frequency of each lightly damped pole or zero
LIGHT = 0.3  # damping ratio below which one gets them
UNDAMPED = 1e-4  # damping ratio that peaks are drawn with at least
FEW = 4  # ways from an input to an output whose zeros are looked for
MARGIN = 5.0  # ratio by which the range goes beyond the slowest and the fastest pole


def frequency_grid(linear: LinearModel, low: float | None = None, high: float | None = None) -> np.ndarray:
    """Return frequencies (N,) in Hz, rising, that show poles and zeros of a model.

    Parameters
    ----------
    linear : LinearModel
        In continuous or discrete time.
    low, high : float, optional
        The range, Hz; a fifth of the slowest to five times the fastest corner unless given; of sampled models
        to half the sampling frequency.
    """
    corners = np.concatenate([linear.poles().values, *_zeros(linear)])
    sizes = np.abs(corners) / (2 * np.pi)
    largest = sizes.max(initial=0.0)
    sizes = sizes[sizes > 1e-6 * largest]  # poles of free motions are at zero, but for rounding
    own_low, own_high = (sizes.min() / MARGIN, sizes.max() * MARGIN) if sizes.size else (0.01, 100.0)
    half = np.inf if linear.dt is None else 0.5 / linear.dt
    own_high = own_high if linear.dt is None else half
    low = min(own_low, 0.1 * half) if low is None else low
    high = min(own_high, half) if high is None else min(high, half)
    parts = [np.geomspace(low, high, POINTS)]
    for corner in corners[corners.imag > 0]:
        ratio = abs(corner.real) / abs(corner)
        frequency = corner.imag / (2 * np.pi)
        if ratio < LIGHT and low < frequency < high:
            spread = max(ratio, UNDAMPED) * np.geomspace(0.03, 30.0, NEAR)
            spread = np.append(spread, 0.0) if ratio > UNDAMPED else spread  # the response there has no end
            parts += [frequency * (1 + spread), frequency * (1 - spread[spread < 1])]
    return np.unique(np.clip(np.concatenate(parts), low, high))


def _zeros(linear: LinearModel) -> list[np.ndarray]:
    """Return the zeros of the ways from inputs to outputs: of few ways only, as each is an eigenproblem."""
    rows, columns = linear.D.shape
    if rows * columns > FEW:
        return []
    ways = [linear.select([output], [source]) for output in linear.outputs for source in linear.inputs]
    return [finite_zeros(way) for way in ways]


def finite_zeros(way: LinearModel, plane: bool = False) -> np.ndarray:
    """Return the zeros of a model with one input and one output, rad/s; with `plane`, in the z plane where sampled."""
    from scipy.linalg import eig

    n = len(way.A)
    mass = np.zeros((n + 1, n + 1))
    mass[:n, :n] = np.eye(n)
    with np.errstate(all="ignore"):
        zeros = eig(np.block([[way.A, way.B], [way.C, way.D]]), mass, right=False)
        zeros = zeros[np.isfinite(zeros)]
        limit = 1e3 * np.abs(np.linalg.eigvals(way.A)).max(initial=1e-3)
        zeros = zeros[np.abs(zeros) < limit]  # those beyond are at infinity, but for rounding
        if way.dt is None or plane:
            return np.asarray(zeros)
        return np.asarray(np.log(zeros[np.abs(zeros) > 1e-300]) / way.dt)
