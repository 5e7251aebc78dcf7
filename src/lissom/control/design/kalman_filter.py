"""The steady Kalman filter of a linear model, from sampled readings (Anderson and Moore 1979)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom import printing
from lissom.analysis.linear_models.linear_model import LinearModel
from lissom.control import argument_checks
from lissom.errors import LissomError
from lissom.printing import Printed

if TYPE_CHECKING:
    from rich.table import Table

STEADY = 1e-9  # from the unit circle: motions that do not decay
DOUBLINGS = 50  # more samples than any filter takes to settle
FLOOR = 1e-10  # share of the disturbance that moves every state, so that none is believed beyond doubt


class Way(NamedTuple):
    """What lies between a quantity and its reading: corner of a low-pass, Hz, and samples of delay."""

    low_pass: float | None = None
    late: int = 0


@dataclass(frozen=True, eq=False)
class Plant:
    """x[k+1] = A x[k] + B u[k], reading y[k] = C x[k]; the first states are those of the linear model.

    Readings are taken before u[k] acts: what depends on forces at once depends on u[k - 1], which is part of x.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray


def sampled_plant(linear: LinearModel, rate: float, ways: Sequence[Way]) -> Plant:
    """Return the model with inputs held over samples, its outputs passing low-passes and delays on their way."""
    n, m = linear.B.shape
    filtered = [k for k, way in enumerate(ways) if way.low_pass is not None]
    corner = 2 * np.pi * np.array([ways[k].low_pass for k in filtered])
    A = np.block([[linear.A, np.zeros((n, len(filtered)))], [corner[:, None] * linear.C[filtered], -np.diag(corner)]])
    B = np.concatenate([linear.B, corner[:, None] * linear.D[filtered]])
    C, D = np.concatenate([linear.C, np.zeros((len(linear.C), len(filtered)))], axis=1), linear.D.copy()
    C[filtered], D[filtered] = np.eye(len(A))[n:], 0.0
    size = len(A)
    held = LinearModel(
        A, B, C, D, tuple(f"x{k}" for k in range(size)), linear.inputs, linear.outputs,
        linear.q, linear.v, linear.tau, linear.a,
    ).discretise(1.0 / rate)  # fmt: skip
    A, B = held.A, held.B
    if np.any(D):  # the force that acted until the reading
        A = np.block([[A, np.zeros((size, m))], [np.zeros((m, size + m))]])
        B, C = np.concatenate([B, np.eye(m)]), np.concatenate([C, D], axis=1)
    for k, way in enumerate(ways):
        for _ in range(way.late):
            A = np.block([[A, np.zeros((len(A), 1))], [C[k : k + 1], np.zeros((1, 1))]])
            B = np.concatenate([B, np.zeros((1, m))])
            C = np.concatenate([C, np.zeros((len(C), 1))], axis=1)
            C[k], C[k, -1] = 0.0, 1.0
    return Plant(A, B, C)


@dataclass(eq=False)
class KalmanFilter(Printed):
    """The best linear estimate of a state from readings: `correct(y)` at every sample, then `predict(u)`."""

    plant: Plant
    L: np.ndarray  # (n, m) gain: x += L (y - C x)
    covariance: np.ndarray  # (n, n) of the estimate after a reading
    rate: float  # samples per second
    outputs: tuple[str, ...]
    x: np.ndarray = field(init=False)  # the estimate

    def __post_init__(self) -> None:
        self.reset()

    def reset(self, x: np.ndarray | None = None) -> None:
        """Begin with an estimate of the first states, zero unless given."""
        self.x = np.zeros(len(self.plant.A))
        if x is not None:
            self.x[: len(x)] = x

    def correct(self, y: np.ndarray) -> np.ndarray:
        """Return the estimate (n,) after the reading y (m,)."""
        self.x = self.x + self.L @ (y - self.plant.C @ self.x)
        return self.x

    def predict(self, u: np.ndarray) -> np.ndarray:
        """Return the estimate (n,) one sample later, while u (inputs,) acts."""
        self.x = self.plant.A @ self.x + self.plant.B @ u
        return self.x

    @property
    def poles(self) -> np.ndarray:
        """Poles of the error of the estimate; inside the unit circle."""
        n = len(self.x)
        return np.linalg.eigvals(self.plant.A @ (np.eye(n) - self.L @ self.plant.C))

    def table(self) -> Table:
        """Return a table of sizes, and of how fast errors fade."""
        table = printing.table("part", "value", title="Kalman filter")
        table.add_row("states", str(len(self.x)))
        table.add_row("readings", ", ".join(self.outputs))
        table.add_row("samples per second", f"{self.rate:g}")
        table.add_row("largest pole of the error", f"{np.abs(self.poles).max(initial=0.0):.4g} of the unit circle")
        return table


def kalman(
    linear: LinearModel, rate: float, *, noise: Any, disturbance: Any, ways: Sequence[Way] | None = None
) -> KalmanFilter:
    """Return the steady Kalman filter of a model, such as a reduced one, for readings of all its outputs.

    Parameters
    ----------
    linear : LinearModel
        In continuous time.
    rate : float
        Samples per second; inputs are held in between.
    noise
        Standard deviation of the readings, one or one for each output.
    disturbance
        Standard deviation of unknown forces on the inputs, one or one for each.
    ways : sequence, optional
        Low-pass and delay of each reading; none unless given.
    """
    if linear.dt is not None:
        raise LissomError("is in discrete time; give the continuous model, the filter samples it", ("linear",))
    rate = argument_checks.number(rate, "rate", "give the samples per second", above=0)
    count = len(linear.outputs)
    noises = argument_checks.numbers(noise, "noise", "give the standard deviation of each output", count, above=0)
    pushes = argument_checks.numbers(disturbance, "disturbance", "give forces in N m (N)", len(linear.inputs), above=0)
    plant = sampled_plant(linear, rate, ways if ways is not None else [Way()] * count)
    moved = plant.B * pushes
    W = moved @ moved.T
    W += FLOOR * np.diag(np.maximum(np.diag(W), FLOOR * np.diag(W).max(initial=0.0)))
    V = np.diag(noises**2)
    P = _riccati(plant, W, V)
    L = np.linalg.solve(plant.C @ P @ plant.C.T + V, plant.C @ P).T
    made = KalmanFilter(plant, L, (np.eye(len(P)) - L @ plant.C) @ P, rate, linear.outputs)
    largest = np.abs(made.poles).max(initial=0.0) if np.all(np.isfinite(L)) else np.inf
    if not largest < 1:
        raise LissomError(f"kalman: there is no steady filter of {linear.name}: {_cause(plant, noises)}")
    return made


def _cause(plant: Plant, noises: np.ndarray) -> str:
    """Return why there is no filter: a motion that no reading sees, or readings whose precision differs too much."""
    values = np.linalg.eigvals(plant.A)
    C = plant.C / np.linalg.norm(plant.C, axis=1, keepdims=True).clip(1e-300)
    identity = np.eye(len(plant.A))
    for value in values[np.abs(values) > 1 - STEADY]:  # Popov, Belevitch and Hautus: detectable if of full rank
        if np.linalg.svd(np.vstack([plant.A - value * identity, C]), compute_uv=False)[-1] < STEADY:
            return (
                "some motion that does not decay is not seen by any reading; add a sensor of it, such as encoders of "
                "all joints"
            )
    return (
        f"the noise of its readings, {noises.min():.3g} to {noises.max():.3g} of their units, is too far apart; give "
        "the most precise sensor a coarser resolution or more noise"
    )


def _riccati(plant: Plant, W: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Return the covariance of the steady prediction, the stabilising solution of the filter's Riccati equation."""
    from scipy.linalg import solve_discrete_are

    C = plant.C / np.sqrt(np.diag(V))[:, None]
    try:
        return solve_discrete_are(plant.A.T, C.T, W, np.eye(len(V)))
    except Exception:  # LAPACK has some of its own; its eigenvalues cannot be told apart: readings of unlike precision
        return _solve_by_doubling(plant.A, C, W)


def _solve_by_doubling(A: np.ndarray, C: np.ndarray, W: np.ndarray) -> np.ndarray:
    """Solve P = A P (1 + C^T C P)^-1 A^T + W by doubling: iteration k covers 2^k samples (Chu et al. 2004).

    It needs no eigenvalues, so that badly scaled equations cost digits, not the solution.
    """
    F, G, P = A.T, C.T @ C, W
    for _ in range(DOUBLINGS):
        inverse = np.linalg.inv(np.eye(len(A)) + G @ P)
        more = F.T @ P @ inverse @ F
        F, G, P = F @ inverse @ F, G + F @ inverse @ G @ F.T, P + more
        G, P = (G + G.T) / 2, (P + P.T) / 2
        if not np.all(np.isfinite(P)) or np.abs(more).max() <= 1e-15 * np.abs(P).max():
            break
    return P
