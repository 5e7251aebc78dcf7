"""Which inputs matter: first-order Sobol indices from any set of samples.

The variance of the mean of an output over slices of an input, by the output's own variance, is the share that the input
explains alone (Plischke, Borgonovo and Smith 2013). What chance alone gives slices of that many samples is taken off.
"""

from __future__ import annotations

import numpy as np

FEWEST = 4  # samples in a slice


def first_order_indices(inputs: dict[str, np.ndarray], output: np.ndarray) -> dict[str, float]:
    """Return the index of every input, numbers or words, for an output (runs,); nan where results are too few."""
    good = np.isfinite(output)
    if good.sum() < 2 * FEWEST:
        return dict.fromkeys(inputs, np.nan)
    return {name: _index(values[good], output[good]) for name, values in inputs.items()}


def _index(x: np.ndarray, y: np.ndarray) -> float:
    count, variance = len(y), float(np.var(y)) if len(y) else 0.0
    slices = _slices(x)
    if variance <= 1e-30 * float(np.abs(y).max(initial=0.0)) ** 2 or len(slices) < 2:
        return 0.0
    between = sum(len(part) * (y[part].mean() - y.mean()) ** 2 for part in slices) / count
    within = sum(((y[part] - y[part].mean()) ** 2).sum() for part in slices)
    # A slice's mean scatters by itself: the expected part of `between` is (slices - 1) / count of the variance within.
    if count > len(slices):
        between -= (len(slices) - 1) / count * within / (count - len(slices))
    return float(np.clip(between / variance, 0.0, 1.0))


def _slices(x: np.ndarray) -> list[np.ndarray]:
    """Return runs sorted by an input in slices of about equal size; runs of one value stay together."""
    values, which = np.unique(x, return_inverse=True)
    most = max(2, min(int(np.sqrt(len(x))), len(x) // FEWEST))
    if len(values) <= most:
        return [np.flatnonzero(which == k) for k in range(len(values))]
    return [part for part in np.array_split(np.argsort(x, kind="stable"), most) if len(part)]
