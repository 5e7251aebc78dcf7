"""Frequencies and damping ratios from a decaying oscillation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lissom import printing
from lissom.analysis.modes.spectra import signal
from lissom.errors import LissomError
from lissom.printing import Printed

if TYPE_CHECKING:
    from rich.table import Table

COLUMNS = 400  # of the Hankel matrix at most: the cost grows with the square of it


@dataclass(frozen=True, eq=False)
class IdentifiedModes(Printed):
    """Decaying oscillations a exp(-zeta omega t) cos(omega_d t + phase), omega_d = omega sqrt(1 - zeta^2)."""

    frequencies: np.ndarray  # (modes,) Hz, omega / 2 pi, rising
    damping_ratios: np.ndarray  # (modes,) zeta
    amplitudes: np.ndarray  # (modes,) or (modes, channels), at the first sample
    phases: np.ndarray  # the same shape, rad
    misfit: float  # root mean square of what the modes leave unexplained, relative to the signal

    def __len__(self) -> int:
        return len(self.frequencies)

    def table(self) -> Table:
        """Return a rich table."""
        table = printing.table("Hz", "damping ratio", "amplitude", title="identified modes")
        for hz, ratio, size in zip(self.frequencies, self.damping_ratios, self.amplitudes):
            table.add_row(f"{hz:.6g}", f"{ratio:.4g}", f"{np.max(size):.4g}")
        return table


def identify_modes(
    t: Any, y: ArrayLike | str | None = None, number: int | None = None, *, least: float = 1e-3
) -> IdentifiedModes:
    """Return modes of a free decay, by the matrix pencil method (Hua and Sarkar 1990); channels share their poles.

    The signal y[n] is a sum of powers z^n. The Hankel matrix of its samples has as many dominant singular
    values as there are poles z; the shift of its row space by one sample has the poles as eigenvalues.

    Parameters
    ----------
    t, y : array_like
        The signal, as in `lissom.analysis.modes.spectra`: at even intervals, after the last change of any input. It
        should hold a period of the slowest mode, and three samples per period of the fastest.
    number : int, optional
        How many oscillations it holds. Unless given, singular values above the noise are counted (threshold of
        Gavish and Donoho 2014).
    least : float
        Least amplitude of a mode that is reported, relative to the strongest.

    Returns
    -------
    IdentifiedModes
        Oscillating modes only; an offset or a plain decay in the signal is taken out as well.
    """
    time, values = signal(t, y)
    if number is not None and number < 1:
        raise LissomError("must be 1 or more, or None", ("number",), number)
    channels = values.reshape(len(time), -1)
    dt = (time[-1] - time[0]) / (len(time) - 1)
    offset = channels.mean(axis=0)
    scale = float(np.sqrt(np.mean((channels - offset) ** 2)))
    if scale <= 1e-14 * float(np.abs(channels).max()):
        raise LissomError("is constant: there is nothing to identify", ("signal",))
    z = _poles(channels / scale, number)
    poles = np.log(z) / dt
    powers = np.exp(np.outer(time - time[0], poles))
    weights = np.linalg.lstsq(powers, channels.astype(complex), rcond=None)[0]
    rest = channels - (powers @ weights).real
    keep = (poles.imag > 0) & (np.abs(poles) > 0) & (poles.imag > 1e-9 * np.abs(poles))
    size = 2 * np.abs(weights)
    strongest = size[keep].max(initial=0.0)
    keep &= size.max(axis=1) >= least * strongest
    order = np.flatnonzero(keep)[np.argsort(np.abs(poles[keep]))]
    if number is not None and len(order) > number:
        best = order[np.argsort(-size[order].max(axis=1))[:number]]
        order = best[np.argsort(np.abs(poles[best]))]
    shape = (len(order), *values.shape[1:])
    return IdentifiedModes(
        np.abs(poles[order]) / (2 * np.pi),
        -poles[order].real / np.abs(poles[order]),
        size[order].reshape(shape),
        np.angle(weights[order]).reshape(shape),
        float(np.sqrt(np.mean(rest**2))) / scale,
    )


def _poles(channels: np.ndarray, number: int | None) -> np.ndarray:
    """Return poles z of the signals (N, channels)."""
    samples = len(channels)
    columns = min(samples // 2, COLUMNS)
    windows = np.lib.stride_tricks.sliding_window_view(channels, columns + 1, axis=0)
    hankel = windows.reshape(-1, columns + 1)
    # The triangular factor has the same row space and is no larger than the columns.
    _, singular, rows = np.linalg.svd(np.linalg.qr(hankel, mode="r"), full_matrices=False)
    order = _order(singular, hankel.shape) if number is None else 2 * number + 1
    order = max(1, min(order, columns - 1))
    space = rows[:order].T
    shift = np.linalg.lstsq(space[:-1], space[1:], rcond=None)[0]
    z = np.linalg.eigvals(shift).astype(complex)
    return z[np.abs(z) > 1e-12]


def _order(singular: np.ndarray, shape: tuple[int, int]) -> int:
    """Return how many singular values stand out of the noise."""
    beta = min(shape) / max(shape)
    threshold = (0.56 * beta**3 - 0.95 * beta**2 + 1.82 * beta + 1.43) * np.median(singular)
    return int(np.sum(singular > max(threshold, 1e-12 * singular[0])))
