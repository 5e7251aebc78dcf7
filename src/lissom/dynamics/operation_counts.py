"""Floating-point operations of the dynamics: how far a measured time is from the machine's limit."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.state_checks import integrate, vector
from lissom.errors import LissomError
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model

Counting = Literal["forward_dynamics", "inverse_dynamics", "mass_matrix"]


class OperationCount(NamedTuple):
    """Operations on numbers; a subtraction is an addition, a change of sign is nothing."""

    additions: int
    multiplications: int
    divisions: int
    functions: int  # sin, cos, tanh

    @property
    def total(self) -> int:
        """Return the number of operations of all kinds."""
        return sum(self)


def count(
    robot: AnyRobot,
    function: Counting = "forward_dynamics",
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
) -> OperationCount:
    """Return operations in one call of a dynamics function, by a run of the kernel's source on a counting number.

    Every operation in the source counts, also with numbers that are zero: the compiled kernel does them too.
    The count is the same at every state; a random one is taken unless `q` (nq,) or `v` (nv,) is given.
    """
    model = as_model(robot)
    return evaluate(model, function, q, v)[0]


def evaluate(
    robot: AnyRobot,
    function: Counting,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    forcing: ArrayLike | None = None,
) -> tuple[OperationCount, np.ndarray]:
    """Return the count and what the counting run computed; `forcing` stands for tau or a, zero unless given."""
    model = as_model(robot)
    from lissom.kernel.numbers import operation_counter

    rng = np.random.default_rng(0)
    nv = model.nv
    q = integrate(model, model.neutral(), 0.01 * rng.normal(size=nv)) if q is None else q
    q = vector(model, q, "q", model.nq)
    v = vector(model, rng.normal(size=nv) if v is None else v, "v", nv)
    forcing = vector(model, np.zeros(nv) if forcing is None else forcing, "forcing", nv)
    if any(map(np.iscomplexobj, (model.arrays.inertia.mass, q, v, forcing))):
        raise LissomError("operations are counted on real numbers: this model or state is complex")
    result = np.zeros((nv, nv) if function == "mass_matrix" else nv)
    arguments = (q, np.zeros(nv)) if function == "mass_matrix" else (q, v, forcing, _no_wrenches(model))
    tally = operation_counter.count(_kernel(function), model.arrays, *arguments, result)
    return OperationCount(**vars(tally)), result


def _no_wrenches(model: Model) -> np.ndarray:
    return np.zeros((model.rows, 6))


def _kernel(function: str) -> Any:
    from lissom.kernel.algorithms import articulated_body, composite_body, newton_euler

    kernels = {
        "forward_dynamics": articulated_body.forward_dynamics,
        "inverse_dynamics": newton_euler.inverse_dynamics,
        "mass_matrix": composite_body.mass_matrix,
    }
    if function not in kernels:
        raise LissomError(f"is not counted; choose from {', '.join(kernels)}", ("function",), function)
    return kernels[function]
