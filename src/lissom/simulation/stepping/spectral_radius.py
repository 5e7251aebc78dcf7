"""How fast a closed loop can oscillate or decay: the largest of its eigenvalues, by power steps on the recursion, O(n).

With the mass matrix M and the local damping D and stiffness K at the start (`newton_linearisation`), the largest
eigenvalues of M^-1 K and M^-1 D, and those of elements and contacts (`external_stiffness`), bound what explicit steps
have to follow. Good for the choice of a method, not for analysis: what bodies do to each other beyond M, such as
gravity, is far slower and left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.control.laws.control_kernel import Gain
from lissom.kernel.compile import Struct, kernel
from lissom.kernel.implicit import articulated_newton
from lissom.kernel.implicit.local_stiffness import add_local_product
from lissom.model.model import Model
from lissom.simulation.equations.newton import SLACK
from lissom.simulation.equations.newton_linearisation import linearise, local_memory
from lissom.simulation.integrators.integrator_state import TIME, State
from lissom.simulation.stepping.external_stiffness import external_stiffness

ROUNDS = 12  # power steps: within a few percent on arms and chains; a choice of method asks for a factor of 2


@kernel
def largest_eigenvalue(model, local, factors, by_damping, by_stiffness, x):
    """Return that of M^-1 (by_damping D + by_stiffness K), M factorised, by power steps from x (nv,).

    x is used up.
    """
    size = 0.0
    for _ in range(ROUNDS):
        for k in range(x.shape[0]):
            factors.x[k] = 0.0
        add_local_product(model, local, by_damping, by_stiffness, x, x, factors.x)
        articulated_newton.solve(model, local, factors)
        total = 0.0
        for k in range(x.shape[0]):
            total += factors.x[k] * factors.x[k]
        size = total**0.5
        if not size > 0.0:
            return 0.0
        for k in range(x.shape[0]):
            x[k] = factors.x[k] / size
    return size


def spectral_radius(model: Model, system: Any, scratch: Any, state: State) -> float:
    """Return the size of the fastest eigenvalue at the present state, 1/s; system and scratch as kernels take them."""
    packed, factors = model.cached("fastest rate", lambda: _memory(model))
    local = packed.fields
    local.q[:], local.v[:], local.a[:] = state.q, state.v, state.a
    linearise(system, scratch, packed, float(state.clock[TIME]), 0, SLACK)
    articulated_newton.factorise(model.struct, packed, factors, 0.0, 0.0)
    squared = largest_eigenvalue(model.struct, packed, factors, 0.0, 1.0, _any_direction(model))
    decay = largest_eigenvalue(model.struct, packed, factors, 1.0, 0.0, _any_direction(model))

    def solved(force: np.ndarray) -> np.ndarray:
        factors.fields.x[:] = force
        articulated_newton.solve(model.struct, packed, factors)
        return factors.fields.x.copy()

    outside = external_stiffness(model, state, solved)
    squared, decay = max(squared, outside[0]), max(decay, outside[1])
    law = system.fields.law.fields
    computed = law.gain == Gain.PER_INERTIA
    squared, decay = law.kp[computed].max(initial=squared), law.kd[computed].max(initial=decay)
    swing = squared**0.5
    return swing if decay < 2.0 * swing else 0.5 * (decay + (decay * decay - 4.0 * squared) ** 0.5)


def _any_direction(model: Model) -> np.ndarray:
    """Return a vector that leaves no direction out."""
    return np.cos(np.arange(float(model.nv)) ** 2)


def _memory(model: Model) -> tuple[Any, Any]:
    return local_memory(model), Struct(articulated_newton.make_factors(model.arrays, np.float64))
