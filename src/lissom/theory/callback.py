"""A formulation written in Python inside lissom's compiled time loop, which calls it back at every evaluation."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.kernel.compile import called_back as kept_python
from lissom.theory.loaded_formulation import LoadedFormulation

if TYPE_CHECKING:
    from lissom.simulation.equations.system import Dynamics
    from lissom.theory.formulation import Formulation


class _Called(threading.local):
    """What the loop of this thread calls, and the last error of it."""

    formulation: Formulation | None = None
    error: BaseException | None = None


_called = _Called()


@contextmanager
def called_back(formulation: Formulation) -> Iterator[Dynamics]:
    """Inverse and forward dynamics as lissom's integrators call them, by a formulation's own.

    An error of the formulation is not a number to the loop, which then tries a shorter step; see `last_error`.
    """
    from lissom.simulation.equations.system import Dynamics

    before = _called.formulation
    _called.formulation, _called.error = formulation, None
    try:
        yield Dynamics(inverse, forward)
    finally:
        _called.formulation, _called.error = before, None


def last_error() -> BaseException | None:
    """Return what the formulation raised last, within `called_back`."""
    return _called.error


@kept_python
def inverse(model, work, q, v, a, wrench, tau):
    """Fill tau (nv,) with the forces that produce the accelerations a."""
    assert _called.formulation is not None
    _take_loads(_called.formulation, wrench)
    _fill(tau, _called.formulation.inverse_dynamics, q, v, a)


@kept_python
def forward(model, work, q, v, tau, wrench, a):
    """Fill a (nv,) with the accelerations under the forces tau; those of prescribed joints are there already."""
    assert _called.formulation is not None
    formulation = _called.formulation
    _take_loads(formulation, wrench)
    if formulation.model.prescribed:
        _fill(a, formulation.driven_accelerations, q, v, tau, a)
    else:
        _fill(a, formulation.accelerations, q, v, tau)


def _take_loads(formulation: Formulation, wrench: np.ndarray) -> None:
    """Hand the wrenches of loads on, which stand in the last rows."""
    if isinstance(formulation, LoadedFormulation):
        count = len(formulation.external)
        formulation.external[:] = wrench[len(wrench) - count :]


def _fill(out: np.ndarray, function: Any, *arguments: np.ndarray) -> None:
    """No error may pass through compiled code; a run stopped by hand finds no numbers any more."""
    if isinstance(_called.error, KeyboardInterrupt):
        out[:] = np.nan
        return
    try:
        out[:] = function(*arguments)
    except (Exception, KeyboardInterrupt) as error:
        _called.error = error
        out[:] = np.nan
