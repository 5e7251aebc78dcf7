"""Calls with plain arrays of the right size: nothing to convert, so most of what they cost is the dynamics."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.dynamics.state_checks import FLOAT, is_plain
from lissom.kernel.algorithms.bound_arguments import Bound, forward_of, inverse_of
from lissom.kernel.compile import Struct
from lissom.model.model import Model


class PlainCall:
    """Memory of a model in which arguments are laid for the kernels, one for each thread."""

    def __init__(self, model: Model) -> None:
        self.model = model.struct
        self.sizes = model.nq, model.nv
        q, (v, tau, a) = np.zeros(model.nq), np.zeros((3, model.nv))
        self.bound = Bound(self.model, model.workspace(), q, v, tau, np.zeros((model.rows, 6)), a)
        self.struct = Struct(self.bound)
        self.given = np.flatnonzero(model.arrays.velocities.prescribed)

    def _takes(self, q: object, v: object, x: object) -> bool:
        """Return whether a configuration and two vectors of velocities or forces are plain arrays of their sizes."""
        nq, nv = self.sizes
        return is_plain(q, nq) and is_plain(v, nv) and is_plain(x, nv)

    def forward(self, q: Any, v: Any, tau: Any) -> np.ndarray | None:
        """Return accelerations, of prescribed coordinates zero; None where it takes more, or one is not finite."""
        if not self._takes(q, v, tau):
            return None
        bound = self.bound
        bound.q[:], bound.v[:], bound.tau[:] = q, v, tau
        bound.a[self.given] = 0.0
        forward_of(self.struct)
        return _copy_finite(bound.a)

    def inverse(self, q: Any, v: Any, a: Any) -> np.ndarray | None:
        """Return forces; None where it takes more, or where one of them is not finite."""
        if not self._takes(q, v, a):
            return None
        bound = self.bound
        bound.q[:], bound.v[:], bound.a[:] = q, v, a
        inverse_of(self.struct)
        return _copy_finite(bound.tau)


def forward_plainly(model: Model, q: Any, v: Any, tau: Any) -> np.ndarray | None:
    """Return accelerations where a model and all arguments are plain, and results finite; else None."""
    call = _call(model)
    return None if call is None else call.forward(q, v, tau)


def inverse_plainly(model: Model, q: Any, v: Any, a: Any) -> np.ndarray | None:
    """Return forces of a tree where it and all arguments are plain, and results finite; else None."""
    call = _call(model)
    return None if call is None else call.inverse(q, v, a)


def _call(model: Model) -> PlainCall | None:
    """Return this thread's memory for calls with plain arrays; None for complex models and for loops."""
    call: PlainCall | None = model.cached("plain call", lambda: _make(model))
    if call is not None and call.model is not model.struct:  # the model has gone on in other memory
        model.forget("plain call")
        return _call(model)
    return call


def _make(model: Model) -> PlainCall | None:
    real = model.arrays.inertia.mass.dtype == FLOAT
    return PlainCall(model) if real and not model.loops else None


def _copy_finite(x: np.ndarray) -> np.ndarray | None:
    """Return a copy of finite numbers, None where one is not, or where squares overflow."""
    size = np.vdot(x, x)  # does not warn of overflow
    return x.copy() if size - size == 0.0 else None
