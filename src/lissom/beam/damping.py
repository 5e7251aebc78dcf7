"""Material damping of a link: modal ratios, Rayleigh damping, a preset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from lissom.beam.functions.eigenmodes import eigenmodes
from lissom.beam.number_types import Array, Number, symmetric
from lissom.errors import LissomError

Damping: TypeAlias = Number | Mapping[str, Number] | str
"""A modal ratio; {"stiffness": beta, "mass": alpha}; or the name of a preset."""

# Ratio by frequency: (up to this many Hz, ratio).
PRESETS = {"engineering": ((100.0, 0.01), (1000.0, 0.1), (np.inf, 1.0))}


def rayleigh(damping: Damping) -> tuple[Number, Number] | None:
    """Return (beta, alpha) of a damping given as {"stiffness": beta, "mass": alpha}, None for modal damping."""
    if not isinstance(damping, Mapping):
        return None
    return damping.get("stiffness", 0.0), damping.get("mass", 0.0)


def check(damping: Damping) -> None:
    """Refuse a damping that is none, and name what is wrong."""
    if isinstance(damping, str):
        if damping not in PRESETS:
            raise LissomError(f"is unknown; choose a ratio, or one of {', '.join(PRESETS)}", ("damping",), damping)
        return
    if isinstance(damping, Mapping) and not set(damping) <= {"stiffness", "mass"}:
        stray = sorted(set(damping) - {"stiffness", "mass"})[0]
        raise LissomError("is unknown; give stiffness (beta) and mass (alpha)", ("damping", stray))
    for value in damping.values() if isinstance(damping, Mapping) else (damping,):
        if not (np.isfinite(value) and np.real(value) >= 0):
            raise LissomError("must be a finite number >= 0", ("damping",), value)


def matrix(damping: Damping, mass: Array, stiffness: Array) -> Array:
    """Return damping matrix (..., m, m) of a link with the given modal mass and stiffness matrices."""
    factors = rayleigh(damping)
    if factors is not None:
        beta, alpha = factors
        return beta * stiffness + alpha * mass
    if mass.shape[-1] == 0 or (not isinstance(damping, str) and np.all(damping == 0)):
        return np.zeros(mass.shape, np.result_type(mass, stiffness))
    if isinstance(damping, str):
        steps = PRESETS[damping]
        return modal(mass, stiffness, lambda hz: next(ratio for limit, ratio in steps if hz < limit))
    return damping * modal(mass, stiffness, lambda hz: 1.0)


def modal(mass: Array, stiffness: Array, ratio: Callable[[float], float]) -> Array:
    """Return every natural mode gets the damping ratio that `ratio` gives for its frequency in Hz: matrix (m, m).

    With the natural modes X (X^T M X = 1, K X = M X omega^2) it is M X diag(2 zeta omega) X^T M, which is
    2 zeta M (M^-1 K)^(1/2) for one ratio. Imaginary parts of M and K pass through by the Daleckii-Krein
    formula: the derivative of a function g of the matrix M^-1 K has, in modal coordinates, the entries of
    the argument's derivative times (g_i - g_j)/(lambda_i - lambda_j).
    """
    M, K = np.real(mass), np.real(stiffness)
    omega, X = eigenmodes(M, K)
    squares = omega**2
    zeta = np.array([ratio(w / (2 * np.pi)) for w in omega.ravel()]).reshape(omega.shape)
    g = 2 * zeta * omega
    MX = M @ X
    D = symmetric((MX * g[..., None, :]) @ np.swapaxes(MX, -1, -2))
    if not (np.iscomplexobj(mass) or np.iscomplexobj(stiffness)):
        return D

    dM, dK = np.imag(mass), np.imag(stiffness)
    # Between modes of one ratio it is 2 zeta/(omega_i + omega_j), for equal frequencies too.
    same = zeta[:, None] == zeta
    gap = np.where(same, 1.0, squares[:, None] - squares)
    divided = np.where(same, 2 * zeta / (omega[:, None] + omega), (g[:, None] - g) / gap)
    change = X.T @ dK @ X - (X.T @ dM @ X) * squares  # of M^-1 K
    dD = (dM @ X * g) @ MX.T + MX @ (change * divided) @ MX.T
    return D + 1j * symmetric(dD)
