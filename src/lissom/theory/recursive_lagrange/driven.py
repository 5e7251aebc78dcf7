"""Motion of a formulation some of whose joints follow a given motion, such as a beam on a shaft that spins up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lissom.dynamics import derivatives
from lissom.errors import LissomError
from lissom.theory.recursive_lagrange.formulation import RecursiveLagrange

if TYPE_CHECKING:
    from lissom.control.reference import Reference


class Driven(NamedTuple):
    """States at the output times, up to where `stop` ended the run."""

    time: np.ndarray  # (N,)
    q: np.ndarray  # (N, nq)
    v: np.ndarray  # (N, nv)
    stopped: bool


def simulate_driven(
    formulation: RecursiveLagrange,
    duration: float,
    motion: Mapping[str, Reference],
    *,
    rate: float = 100.0,
    rtol: float = 1e-7,
    atol: float = 1e-9,
    stop: Callable[[np.ndarray], float] | None = None,
) -> Driven:
    """Simulate from rest, every prescribed joint of the model on its reference, by Radau IIA of order 5.

    The Newton matrix of the implicit method is the kernel's Jacobian: it decides how fast Newton's method converges.

    Args:
        motion: {joint: Reference} for the joints that the model was compiled with as `prescribed`.
        stop: function of q (nq,); the run ends where it reaches zero.
    """
    from scipy.integrate import solve_ivp

    model = formulation.model
    n, mask = model.nv, model.arrays.velocities.prescribed == 1
    if model.nq != n:
        raise LissomError(f"{model.robot.name} has joints with quaternions; driven motions need plain coordinates")
    places = {joint: model.body(joint).joint_v for joint in motion}
    given = np.zeros(n, bool)
    for place in places.values():
        given[place] = True
    if not np.array_equal(given, mask):
        raise LissomError("motion: give a reference for every joint compiled as prescribed, and for no other")

    def references(t: float) -> np.ndarray:
        """Position, velocity, acceleration (3, n) of the prescribed joints."""
        out = np.zeros((3, n))
        for joint, reference in motion.items():
            out[:, places[joint]] = np.reshape(reference(t), (3, -1))
        return out

    still = np.zeros(n)

    def on_track(t: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        position, velocity, acceleration = references(t)
        return np.where(mask, position, x[:n]), np.where(mask, velocity, x[n:]), acceleration

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        q, v, a = on_track(t, x)
        return np.concatenate([v, formulation.accelerations(q, v, still, a)])

    def jacobian(t: float, x: np.ndarray) -> np.ndarray:
        q, v, a = on_track(t, x)
        exact = derivatives(model, q, v, qdd=a)
        return np.block([[np.zeros((n, n)), np.eye(n)], [exact.q, exact.qd]])

    def reached(t: float, x: np.ndarray) -> float:
        return 1.0 if stop is None else stop(x[:n])

    reached.terminal = True  # type: ignore[attr-defined]
    times = np.arange(0.0, duration + 0.5 / rate, 1 / rate)
    start = np.concatenate(references(0.0)[:2])
    options = {"method": "Radau", "t_eval": times, "jac": jacobian, "events": reached, "rtol": rtol, "atol": atol}
    with np.errstate(over="ignore", invalid="ignore"):
        solution = solve_ivp(rates, (0.0, times[-1]), start, **options)
    states = np.array([np.concatenate(on_track(t, x)[:2]) for t, x in zip(solution.t, solution.y.T, strict=True)])
    return Driven(solution.t, states[:, :n], states[:, n:], solution.status != 0)
