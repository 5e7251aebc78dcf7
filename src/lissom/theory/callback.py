"""A formulation written in Python inside lissom's compiled time loop, which calls it back at every evaluation."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.kernel.compile import called_back as kept_python
from lissom.simulation.equations.system import Dynamics

if TYPE_CHECKING:
    from lissom.theory.formulation import Formulation


class _Called(threading.local):
    """What the loop of this thread calls, and the last error of it."""

    formulation: Formulation | None = None
    error: BaseException | None = None


_called = _Called()


@contextmanager
def called_back(formulation: Formulation) -> Iterator[None]:
    """Let `CALLED_BACK`, dynamics as lissom's integrators call them, be a formulation's own.

    An error of the formulation is not a number to the loop, which then tries a shorter step; see `last_error`.
    """
    before = _called.formulation
    _called.formulation, _called.error = formulation, None
    try:
        yield
    finally:
        _called.formulation, _called.error = before, None


def last_error() -> BaseException | None:
    """Return what the formulation raised last, within `called_back`."""
    return _called.error


@kept_python
def inverse(model, work, q, v, a, wrench, tau):
    """Fill tau (nv,) with the forces that produce the accelerations a."""
    assert _called.formulation is not None
    _fill(tau, _called.formulation.inverse_dynamics, q, v, a)


@kept_python
def forward(model, work, q, v, tau, wrench, a):
    """Fill a (nv,) with the accelerations under the forces tau; those of prescribed joints are there already."""
    assert _called.formulation is not None
    formulation = _called.formulation
    if formulation.model.prescribed:
        _fill(a, formulation.driven_accelerations, q, v, tau, a)
    else:
        _fill(a, formulation.accelerations, q, v, tau)


@kept_python
def prepare_sections(q, v):
    """Let the formulation write what its compiled kinematics of frames read and cannot compute."""
    assert _called.formulation is not None
    formulation: Any = _called.formulation
    _guarded(formulation.prepare, q, v)


CALLED_BACK = Dynamics(inverse, forward)


def _guarded(function: Any, *arguments: np.ndarray) -> Any:
    """Return what a function gives, or nan where it fails: no error may pass through compiled code."""
    try:
        return function(*arguments)
    except (Exception, KeyboardInterrupt) as error:
        _called.error = error
        return np.nan


def _fill(out: np.ndarray, function: Any, *arguments: np.ndarray) -> None:
    """Write what a function gives; a run stopped by hand finds no numbers any more."""
    out[:] = np.nan if isinstance(_called.error, KeyboardInterrupt) else _guarded(function, *arguments)
