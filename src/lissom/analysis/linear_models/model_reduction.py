"""Small models for fast loops: balanced truncation and modal reduction, with bounds of the error.

Motions that do not decay (rigid bodies, modes without damping) are split off first and kept as they are. Of the rest,
G - Gr is bounded in the H-infinity norm, the largest gain at any frequency: balanced truncation by twice the sum of
the Hankel singular values that are left out (Glover 1984), modal reduction by the sum of the peaks of those modes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from lissom import printing
from lissom.analysis.linear_models.linear_model import LinearModel
from lissom.errors import LissomError, check_choice
from lissom.model.schema.number_fields import is_number, kind_of
from lissom.printing import Printed

if TYPE_CHECKING:
    from rich.table import Table

Method = Literal["balanced", "modal"]
METHODS = ("balanced", "modal")
SHARE = 0.01  # error allowed up to the wanted frequency, as a share of the gain at each
UNDAMPED = 1e-5  # damping ratio below which a mode does not decay
GRID = 400  # frequencies at which errors are measured, besides those of the poles


@dataclass(frozen=True, eq=False)
class Reduction(Printed):
    """A reduced model with what is known of its error; x is about `basis` z, and z is `dual` x."""

    model: LinearModel
    full: LinearModel
    method: str
    bound: float  # of the H-infinity norm of the error, in the units of the outputs per unit of the inputs
    hankel: np.ndarray  # singular values of the part that decays, largest first; its modes' peaks if modal
    undamped: int  # states that do not decay, all kept
    basis: np.ndarray  # (n, r)
    dual: np.ndarray  # (r, n)
    decaying: LinearModel  # the part of the full model that decays: only there do the two differ

    @property
    def order(self) -> int:
        """Number r of states kept."""
        return len(self.model.A)

    def error(self, frequencies: np.ndarray) -> np.ndarray:
        """Return largest gain of the error at frequencies (N,) in Hz, shape (N,)."""
        k, m = self.undamped, self.model
        kept = replace(m, A=m.A[k:, k:], B=m.B[k:], C=m.C[:, k:])
        return np.linalg.norm(self.decaying.response(frequencies) - kept.response(frequencies), 2, axis=(1, 2))

    def largest_error(self, frequency: float | None = None) -> float:
        """Return the largest gain of the error up to a frequency in Hz, or at all, on a fine grid with all poles."""
        return float(self.error(_grid(self.decaying, frequency)).max())

    def table(self) -> Table:
        """Return sizes and errors."""
        table = printing.table("part", "value", title=f"{self.method} reduction of {self.full.name}")
        table.add_row("states", f"{self.order} of {len(self.full.A)}")
        table.add_row("that do not decay, kept", str(self.undamped))
        table.add_row("bound of the error", f"{self.bound:.4g}")
        table.add_row("first value left out", f"{self.hankel[self.order - self.undamped]:.4g}" if self._cut else "none")
        return table

    @property
    def _cut(self) -> bool:
        return self.order - self.undamped < len(self.hankel)


class _Split(NamedTuple):
    """A model in parts that do not decay (first) and that do: T^-1 A T is block diagonal."""

    T: np.ndarray
    inverse: np.ndarray
    undamped: int
    A: np.ndarray  # of the part that decays
    B: np.ndarray
    C: np.ndarray


class _Choice(NamedTuple):
    """How much of the part that decays is kept."""

    order: int | None
    tolerance: float | None
    frequency: float | None


def reduce_model(
    linear: LinearModel,
    frequency: float | None = None,
    order: int | None = None,
    tolerance: float | None = None,
    method: Method = "balanced",
    static: bool = False,
) -> Reduction:
    """Reduce a linear model to fewer states that answer almost as all do.

    Scale inputs and outputs first where their units differ: errors of all are measured with one rule.

    Parameters
    ----------
    linear : LinearModel
        In continuous time, as `lissom.linearise` gives it.
    frequency : float, optional
        Hz up to which the answers matter. Modal: what is slower is kept; leaving out a mode without damping makes
        the bound infinite, as it answers without one at its own frequency. Balanced: the fewest states whose error
        at every frequency up to there is below `tolerance` (1 % unless given) of the gain.
    order : int, optional
        Number of states to keep instead.
    tolerance : float, optional
        Balanced and without a frequency: bound of the error at all frequencies, as a share of the largest Hankel
        singular value.
    method : str
        "balanced": the fewest states for an error. "modal": modes of the model, with their frequencies.
    static : bool
        Let what is left out answer as it would in rest, so that the gain at zero frequency is right.

    Returns
    -------
    Reduction
        The reduced linear model, with the bound of its error.

    Examples
    --------
    >>> rest = lissom.static_equilibrium("ella")
    >>> linear = lissom.linearise("ella", rest, outputs=["elbow"], inputs=["elbow"])
    >>> slow = lissom.reduce_model(linear, frequency=50.0, method="modal")
    """
    if linear.dt is not None:
        raise LissomError("is in discrete time; reduce the continuous model, then discretise(dt)", ("linear",))
    check_choice("method", method, METHODS)
    choice = _check_choice(linear, frequency, order, tolerance)
    if choice.order is None and choice.frequency is None and (choice.tolerance is None or method == "modal"):
        wanted = "frequency (Hz) or order" if method == "modal" else "frequency (Hz), order or tolerance"
        raise LissomError(f"does not say how far to reduce; give {wanted}", ("order",))
    split = _split_modes(linear, choice.frequency if method == "modal" else None)
    if choice.order is not None and choice.order < split.undamped:
        text = f"is less than the {split.undamped} states that do not decay, which are kept; give at least that many"
        raise LissomError(text, ("order",), choice.order)
    return (_balance if method == "balanced" else _modal)(linear, split, choice, static)


def _check_choice(linear: LinearModel, frequency: Any, order: Any, tolerance: Any) -> _Choice:
    for name, value, unit in (("frequency", frequency, "Hz"), ("tolerance", tolerance, "a share such as 0.01")):
        if value is not None and not (is_number(value) and np.isfinite(value) and value > 0):
            what = kind_of(value) if not is_number(value) else "that"
            raise LissomError(f"must be a positive number, not {what}; give it in {unit}", (name,), value)
    whole = order is None or (is_number(order) and float(order).is_integer())
    if not whole or (order is not None and not 0 <= order <= len(linear.A)):
        text = f"must be a whole number of states, at most the {len(linear.A)} of the model"
        raise LissomError(text, ("order",), order)
    if order is not None and frequency is not None:
        raise LissomError("cannot be combined with frequency; give one of them", ("order",), order)
    return _Choice(None if order is None else int(order), tolerance, frequency)


def _split_modes(linear: LinearModel, frequency: float | None = None) -> _Split:
    """Return the block-diagonal form by an ordered Schur form and a Sylvester equation, up to `frequency`."""
    from scipy.linalg import matrix_balance, schur, solve_sylvester

    A, scale = matrix_balance(linear.A, permute=False, separate=True)
    scale = scale[0]
    size = np.abs(np.linalg.eigvals(A)).max(initial=0.0)
    slow = 100 * np.sqrt(np.finfo(float).eps * max(size, 1.0))  # a double pole at zero is found that far from it

    def stays(re: float, im: float) -> bool:
        if frequency is not None and abs(complex(re, im)) > 2 * np.pi * frequency:
            return False
        return re > -max(UNDAMPED * abs(complex(re, im)), slow if abs(complex(re, im)) < 10 * slow else 0.0)

    form, Z, count = schur(A, output="real", sort=stays)
    T = Z.copy()
    if 0 < count < len(A):
        mixed = solve_sylvester(form[:count, :count], -form[count:, count:], -form[:count, count:])
        T[:, count:] += Z[:, :count] @ mixed
    inverse = Z.T.copy()
    if 0 < count < len(A):
        inverse[:count] -= mixed @ Z.T[count:]
    T, inverse = scale[:, None] * T, inverse / scale
    rest = slice(count, len(A))
    return _Split(T, inverse, count, form[rest, rest], (inverse @ linear.B)[rest], (linear.C @ T)[:, rest])


def _balance(linear: LinearModel, split: _Split, choice: _Choice, static: bool) -> Reduction:
    """Reduce by the square roots of the gramians of the part that decays."""
    control, observe = _gramian_root(split.A, split.B), _gramian_root(split.A.T, split.C.T)
    left, hankel, right = np.linalg.svd(observe.T @ control)
    hankel = hankel[: len(split.A)]
    known = int(np.sum(hankel > 1e-13 * hankel.max(initial=0.0)))

    def cut(kept: int) -> Reduction:
        root = np.sqrt(hankel[:known])
        to, back = control @ right[:known].T / root, (observe @ left[:, :known] / root).T
        return _reduced_model(linear, split, "balanced", to, back, kept, 2 * float(hankel[kept:].sum()), hankel, static)

    return cut(_fewest(choice, split, hankel, known, cut))


def _fewest(choice: _Choice, split: _Split, hankel: np.ndarray, known: int, cut: Callable[[int], Reduction]) -> int:
    """Return how many states of the balanced part are kept."""
    if choice.order is not None:
        return min(choice.order - split.undamped, known)
    if choice.frequency is None:
        assert choice.tolerance is not None
        bounds = 2 * (hankel.sum() - np.concatenate([[0.0], np.cumsum(hankel)]))
        return min(int(np.argmax(bounds <= choice.tolerance * hankel.max(initial=0.0) + 1e-300)), known)
    whole = cut(known)
    grid = _grid(whole.decaying, choice.frequency)
    allowed = (choice.tolerance or SHARE) * np.linalg.norm(whole.decaying.response(grid), 2, axis=(1, 2))
    low, high = 0, known
    while low < high:  # errors fall with the order; what is found meets the tolerance in any case
        middle = (low + high) // 2
        low, high = (low, middle) if np.all(cut(middle).error(grid) <= allowed) else (middle + 1, high)
    return high


def _modal(linear: LinearModel, split: _Split, choice: _Choice, static: bool) -> Reduction:
    """Reduce by the eigenvectors of the part that decays, slowest modes first, pairs kept together."""
    values, vectors = np.linalg.eig(split.A)
    if len(values) and np.linalg.cond(vectors) > 1e12:
        raise LissomError("modes of the model are not independent (equal poles); take method='balanced'")
    order = np.lexsort((values.imag, np.abs(values).round(9)))
    upper = [k for k in order if values[k].imag >= 0]
    to, peaks, sizes, rates = [], [], [], []
    dual = np.linalg.inv(vectors) if len(values) else vectors
    for k in upper:
        pole, pair = values[k], values[k].imag > 0
        lasts = abs(pole.real) <= UNDAMPED * abs(pole)
        residue = np.linalg.norm(np.outer(split.C @ vectors[:, k], dual[k] @ split.B), 2)
        peaks.append(np.inf if lasts else residue * (1 / abs(pole.real) + (1 / abs(pole) if pair else 0.0)))
        to += [vectors[:, k].real, vectors[:, k].imag] if pair else [vectors[:, k].real]
        sizes.append(2 if pair else 1)
        rates.append(abs(pole) / (2 * np.pi))
    basis = np.array(to).T.reshape(len(values), len(values))
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
    if choice.order is not None:
        modes = int(np.searchsorted(ends, choice.order - split.undamped, side="right")) - 1
    else:
        modes = int(np.sum(np.array(rates) <= choice.frequency))
    bound = float(np.sum(peaks[modes:]))
    spread = np.repeat(peaks, sizes) if sizes else np.zeros(0)
    back = np.linalg.inv(basis) if len(values) else basis
    return _reduced_model(linear, split, "modal", basis, back, int(ends[modes]), bound, spread, static)


def _reduced_model(
    linear: LinearModel,
    split: _Split,
    method: str,
    to: np.ndarray,
    back: np.ndarray,
    kept: int,
    bound: float,
    values: np.ndarray,
    static: bool,
) -> Reduction:
    """Return the reduced model from coordinates of the part that decays, in order of importance."""
    n, count = len(linear.A), split.undamped
    A, B, C = back @ split.A @ to, back @ split.B, split.C @ to
    D, one, two = linear.D, slice(0, kept), slice(kept, len(A))
    basis, dual = split.T[:, count:] @ to[:, one], back[one] @ split.inverse[count:]
    if static and kept < len(A):
        inner = np.linalg.solve(A[two, two], np.concatenate([A[two, one], B[two]], axis=1))
        follows, pushed = inner[:, :kept], inner[:, kept:]
        basis = basis - split.T[:, count:] @ to[:, two] @ follows
        D = D - C[:, two] @ pushed
        A1, B1, C1 = A[one, one] - A[one, two] @ follows, B[one] - A[one, two] @ pushed, C[:, one] - C[:, two] @ follows
        if method == "modal":  # what is left out answers at once: its own peak, and what it had at rest
            bound += float(np.linalg.norm(C[:, two] @ pushed, 2))
    else:
        A1, B1, C1 = A[one, one], B[one], C[:, one]
    first = slice(0, count)
    whole = np.zeros((count + kept, count + kept))
    undamped = split.inverse @ linear.A @ split.T
    whole[first, first], whole[count:, count:] = undamped[first, first], A1
    model = replace(
        linear,
        A=whole,
        B=np.concatenate([(split.inverse @ linear.B)[first], B1]),
        C=np.concatenate([(linear.C @ split.T)[:, first], C1], axis=1),
        D=D,
        states=tuple(f"z{k + 1}" for k in range(count + kept)),
    )
    basis = np.concatenate([split.T[:, first], basis], axis=1)
    dual = np.concatenate([split.inverse[first], dual])
    assert basis.shape == (n, count + kept)
    decaying = replace(linear, A=split.A, B=split.B, C=split.C)
    return Reduction(model, linear, method, bound, values, count, basis, dual, decaying)


def _gramian_root(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return L (n, 2 n) with L L^T = X of A X + X A^T + B B^T = 0, found without X (Hammarling 1982).

    A root of X itself would lose half the digits, and with them the small Hankel singular values. From the last row of
    the Schur form upwards: X's last column gives one column of L, and what it explains is taken out of B.
    """
    from scipy.linalg import schur, solve_triangular

    T, Q = schur(A.astype(complex), output="complex")
    B = Q.conj().T @ B
    U = np.zeros_like(T)
    for k in reversed(range(len(T))):
        size, pace = np.linalg.norm(B[k]), np.sqrt(-2 * T[k, k].real)
        if size == 0:
            continue
        U[k, k] = size / pace
        ahead = B[k] * (pace / size)
        shifted = T[:k, :k] + T[k, k].conj() * np.eye(k)
        U[:k, k] = solve_triangular(shifted, -T[:k, k] * U[k, k] - B[:k] @ ahead.conj()) if k else 0.0
        B[:k] -= np.outer(U[:k, k], ahead)
    root = Q @ U
    return np.concatenate([root.real, root.imag], axis=1)


def _grid(linear: LinearModel, frequency: float | None) -> np.ndarray:
    """Return frequencies in Hz up to one, or far beyond the fastest pole: even in logarithm, and those of all poles."""
    poles = linear.poles().values
    rates = np.abs(poles.imag) / (2 * np.pi)
    sizes = np.abs(poles)[np.abs(poles) > 1e-6 * np.abs(poles).max(initial=1e-300)] / (2 * np.pi)
    low, high = sizes.min(initial=1.0) / 30, sizes.max(initial=1.0) * 30
    high = high if frequency is None else frequency
    own = [rates * factor for factor in (1 - 1e-3, 1.0, 1 + 1e-3)]
    every = np.concatenate([np.geomspace(min(low, high / 10), high, GRID), *own])
    return np.unique(every[(every <= high) & (every >= min(low, high / 10))])
