"""Dynamics of arguments that stay where they are: one address is handed over, and Python calls in a microsecond."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.algorithms.articulated_body import forward_dynamics
from lissom.kernel.algorithms.newton_euler import inverse_dynamics
from lissom.kernel.compile import kernel


class Bound(NamedTuple):
    """A model, its workspace and the numbers of a call."""

    model: Any  # Struct
    work: Any  # Struct
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    wrench: np.ndarray  # (rows, 6)
    a: np.ndarray


@kernel
def forward_of(bound):
    """Compute `bound.a`."""
    forward_dynamics(bound.model, bound.work, bound.q, bound.v, bound.tau, bound.wrench, bound.a)


@kernel
def inverse_of(bound):
    """Compute `bound.tau`."""
    inverse_dynamics(bound.model, bound.work, bound.q, bound.v, bound.a, bound.wrench, bound.tau)
