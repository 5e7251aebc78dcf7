"""Loads that grow, and the factors at which a stiffness that is linear in them vanishes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.analysis.equilibrium.force_balance import Away, ForceBalance, gives_way, spectrum
from lissom.analysis.equilibrium.load_path import PathTrace
from lissom.dynamics.state_checks import NotFinite, Vector
from lissom.errors import LissomError

SMALL_STEP = 1e-5  # displacement by which the change of stiffness is measured


class GrowingLoads(NamedTuple):
    """The loads that grow."""

    loads: dict[Any, Any]
    wrenches: dict[str, Any]
    weight: bool  # whether weight grows

    def beside(self, bare: ForceBalance, gravity: np.ndarray, factor: float) -> ForceBalance:
        """Return the balance under these loads, times a factor, beside all that acts in `bare`."""
        model = bare.model
        if self.weight:
            model = model.with_arrays(model.arrays._replace(gravity=factor * gravity))
        loads, wrenches = (
            {key: factor * np.asarray(wrench, float) for key, wrench in given.items()}
            for given in (self.loads, self.wrenches)
        )
        out = ForceBalance(model, bare.free, bare.tau, wrenches or None, loads, {})
        out.wanted = bare.wanted
        return out


class LinearBuckling(NamedTuple):
    """Load factors and shapes of a stiffness that is linear in the load factor."""

    factors: np.ndarray  # (k,) positive, rising
    shapes: np.ndarray  # (reduced coordinates, k)


def scaled_path(
    bare: ForceBalance, growing: GrowingLoads, gravity: np.ndarray, q: Vector
) -> tuple[PathTrace, float, LinearBuckling]:
    """Return the path along which loads grow from q, their scale, and linear estimates of load factors by it.

    The estimate takes the stiffness as linear in the load factor, K0 + s K1: K1 x = -K0 x / s. The scale is the load
    factor that it names first, so that along the path something is expected at s = 1; zero where loads change nothing.
    """
    name = bare.model.robot.name
    if not len(bare.free):
        raise LissomError(f"{name} has nothing that could give way: its links are rigid or held")
    trace = PathTrace(growing.beside(bare, gravity, 1.0), bare, q, at_rest=True)
    try:
        begin = bare.at(q)
        softest, floor = gives_way(spectrum(begin))
        if softest <= floor:
            text = f"{name} gives way before the loads grow: hold its free joints, or leave out what acts already"
            raise LissomError(f"{text} (weight='none')")
        _, rate = trace.at(q, 0.0)
        response = -np.linalg.solve(begin.K, rate)
        change = _change_of_stiffness(trace, begin.Z, response, q)
    except (Away, NotFinite, np.linalg.LinAlgError):
        raise LissomError(f"the stiffness of {name} under these loads is no number; lower them") from None
    # K1 x = -K0 x / s. The scale is that of K1 where nothing buckles by it, but may flutter.
    ratios, X = np.linalg.eig(np.linalg.solve(begin.K, -change))
    L = np.linalg.cholesky((begin.K + begin.K.T) / 2)
    size = float(np.linalg.norm(np.linalg.solve(L, np.linalg.solve(L, change).T), 2))
    if size == 0:
        return trace, 0.0, LinearBuckling(np.zeros(0), X[:, :0].real)
    negligible = np.sqrt(np.finfo(float).eps) * size
    kept = np.flatnonzero((np.abs(ratios.imag) <= negligible) & (ratios.real > negligible))
    kept = kept[np.argsort(-ratios.real[kept], kind="stable")]
    first = float(ratios.real[kept[0]]) if len(kept) else size
    scaled = PathTrace(growing.beside(bare, gravity, 1 / first), bare, q, at_rest=True)
    return scaled, 1 / first, LinearBuckling(first / ratios.real[kept], np.real(X[:, kept]))


def _change_of_stiffness(trace: PathTrace, Z: np.ndarray, response: Vector, q: Vector) -> np.ndarray:
    """Return the derivative of the stiffness by the load factor at its beginning, the arm giving way."""
    size = float(np.abs(response).max(initial=0.0))
    h = SMALL_STEP / size if size else 1.0
    ahead, behind = (trace.at(trace.balance.moved(q, sign * h * (Z @ response)), sign * h)[0] for sign in (1, -1))
    # Bases of loops at the two places are turned against each other: both are seen on that of the beginning.
    matrices = [(Z.T @ there.Z) @ there.K @ (there.Z.T @ Z) for there in (ahead, behind)]
    return (matrices[0] - matrices[1]) / (2 * h)
