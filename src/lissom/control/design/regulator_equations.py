"""The discrete Riccati equation of regulators and filters, and whether a solution can be used."""

from __future__ import annotations

import numpy as np

from lissom.control.design.design_model import ModalModel, SampledModel
from lissom.errors import LissomError
from lissom.model.model import Model

# growth from one sample to the next beyond which double precision does not solve the Riccati equation
FARTHEST = 1e9


def riccati(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, what: str, design: str = "lqr") -> np.ndarray:
    """Return the solution of the discrete Riccati equation; an error that names the design where there is none."""
    from scipy.linalg import solve_discrete_are

    if not np.abs(A).max(initial=0.0) < FARTHEST:
        text = (
            f"{design}: between two samples the linear model moves {np.abs(A).max():.2g} times as far as it stands off"
        )
        raise LissomError(f"{text}; raise the rate", ("rate",))
    try:
        return solve_discrete_are(A, B, Q, R)
    except Exception as error:  # LAPACK has exceptions of its own
        raise LissomError(
            f"{design}: no {what} stabilises the linear model ({error}); lower `limit` to leave fast modes out, "
            "give the links some damping, or add sensors"
        ) from None


def check_stable(A: np.ndarray, what: str) -> None:
    """Refuse a sampled loop with a pole on the unit circle or beyond."""
    largest = np.abs(np.linalg.eigvals(A)).max()
    if not largest < 1:
        raise LissomError(
            f"lqr: the {what} is not stable (pole of size {largest:.6f}); "
            "lower `limit` to leave fast modes out, give the links some damping, or raise the rate"
        )


def check_reach(model: Model, modal: ModalModel, plant: SampledModel, rows: np.ndarray, what: str, why: str) -> None:
    """Refuse a mode that neither decays nor answers to `rows` (Popov, Belevitch and Hautus)."""
    values, vectors = np.linalg.eig(plant.A.T)
    n = modal.count
    for value, left in zip(values, vectors.T):
        if abs(value) < 1 - 1e-9 or np.abs(left[: 2 * n]).max() == 0:
            continue
        reached = np.abs(rows @ left) / (np.linalg.norm(rows, axis=1) * np.linalg.norm(left) + 1e-300)
        if reached.max() < 1e-10:
            share = np.abs(modal.shapes @ left[:n].real) + np.abs(modal.shapes @ left[n : 2 * n].real)
            name = model.coordinates[int(np.argmax(share))]
            raise LissomError(
                f"lqr: {what} an undamped mode (mainly {name}): {why}; "
                "give its link some damping, control more joints, or leave the mode out"
            )
