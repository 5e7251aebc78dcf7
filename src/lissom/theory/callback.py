"""A formulation written in Python inside lissom's compiled time loop, which calls it back at every evaluation."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from lissom.simulation.system import Dynamics


class _Called(threading.local):
    """What the loop of this thread calls, and the last error of it."""

    formulation: Any = None
    error: Exception | None = None


_called = _Called()


@contextmanager
def called_back(formulation: Any) -> Iterator[Dynamics]:
    """Inverse and forward dynamics as lissom's integrators call them, by a formulation's own.

    An error of the formulation is not a number to the loop, which then tries a shorter step; see `last_error`.
    """
    from lissom.simulation.system import Dynamics
    from lissom.theory.callback_compiled import forward, inverse

    before = _called.formulation
    _called.formulation, _called.error = formulation, None
    try:
        yield Dynamics(inverse, forward)
    finally:
        _called.formulation = before


def last_error() -> Exception | None:
    """What the formulation raised last within `called_back`."""
    return _called.error


def call_inverse(q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> None:
    """Fill tau (nv,) with the forces that produce the accelerations a."""
    try:
        tau[:] = _called.formulation.inverse_dynamics(q, v, a)
    except Exception as error:  # none may pass through compiled code
        _called.error = error
        tau[:] = np.nan


def call_forward(q: np.ndarray, v: np.ndarray, tau: np.ndarray, a: np.ndarray) -> None:
    """Fill a (nv,) with the accelerations under the forces tau."""
    try:
        a[:] = _called.formulation.accelerations(q, v, tau)
    except Exception as error:  # none may pass through compiled code
        _called.error = error
        a[:] = np.nan
