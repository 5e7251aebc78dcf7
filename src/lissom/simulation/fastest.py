"""How fast a closed loop can oscillate or decay: the largest of its eigenvalues, by power steps on the recursion, O(n).

With the mass matrix M and the local damping D and stiffness K at the start (`linearise`), the largest eigenvalues of
M^-1 K and M^-1 D bound what explicit steps have to follow. Good for the choice of a method, not for analysis: what
bodies do to each other beyond M, such as gravity, is far slower and left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.control.kernel import Law
from lissom.kernel import articulated
from lissom.kernel.machine import Struct
from lissom.model.compiled import Model
from lissom.simulation.linearise import linearise, local_memory
from lissom.simulation.stepping import TIME, State

ROUNDS = 12  # within a few percent on arms and chains


def fastest_rate(model: Model, system: Any, scratch: Any, state: State) -> float:
    """Size of the fastest eigenvalue at the present state, 1/s; system and scratch as kernels take them."""
    packed, factors = model.kept("fastest rate", lambda: _memory(model))
    local = packed.fields
    local.q[:], local.v[:], local.a[:] = state.q, state.v, state.a
    linearise(system, scratch, packed, float(state.clock[TIME]), 0)
    articulated.factorise(model.struct, packed, factors, 0.0, 0.0)

    def largest(by_damping: float, by_stiffness: float) -> float:
        x, size = np.cos(np.arange(float(model.nv)) ** 2), 0.0  # no direction is left out
        for _ in range(ROUNDS):
            force = np.zeros(model.nv)
            articulated.add_local_product(model.struct, packed, by_damping, by_stiffness, x, x, force)
            factors.fields.x[:] = force
            articulated.solve(model.struct, packed, factors)
            size = float(np.linalg.norm(factors.fields.x))
            if not size > 0.0:
                return 0.0
            x = factors.fields.x / size
        return size

    squared, decay = largest(0.0, 1.0), largest(1.0, 0.0)
    law = system.fields.law.fields
    if law.law == Law.COMPUTED_TORQUE and len(law.kp):  # gains per unit of inertia
        squared, decay = max(squared, float(law.kp.max())), max(decay, float(law.kd.max()))
    swing = squared**0.5
    return swing if decay < 2.0 * swing else 0.5 * (decay + (decay * decay - 4.0 * squared) ** 0.5)


def _memory(model: Model) -> tuple[Any, Any]:
    return local_memory(model), Struct(articulated.make_factors(model.arrays, np.float64))
