"""Natural modes of uniform beams and rods by their end conditions, on xi = x/L in [0, 1].

A family holds the roots beta of its frequency equation and its functions. Natural frequencies are
omega = beta^2 sqrt(EI/(rhoA L^4)) in bending, omega = beta c/L with the wave speed c in torsion, extension.
Nothing overflows or cancels up to mode 50 and far beyond: the hyperbolic parts are the decaying exponentials
exp(-beta xi) and exp(-beta (1 - xi)), and frequency equations are divided by cosh. Functions have unit L2
norm, and their first derivative that does not vanish at the base is positive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from lissom.beam.functions.quadrature import Quadrature
from lissom.beam.number_types import Array
from lissom.errors import LissomError


@dataclass(frozen=True, eq=False)
class Family:
    """The first n natural modes of one kind of beam or rod.

    Attributes
    ----------
        roots: (n,) roots beta of the frequency equation.
        coefficients: (n, 4) of cos(beta xi), sin(beta xi), exp(-beta xi), exp(-beta (1 - xi)) in each mode.
        tip_mass, tip_inertia: weights of the tip in the inner product under which the modes are orthogonal,
            int f g + tip_mass f(1) g(1) + tip_inertia f'(1) g'(1).
    """

    name: str
    roots: Array
    coefficients: Array
    tip_mass: float = 0.0
    tip_inertia: float = 0.0

    @property
    def count(self) -> int:
        """Number of modes."""
        return len(self.roots)

    @property
    def degree(self) -> int:
        """Degree of polynomials that represent the highest mode to rounding (decay of Bessel functions)."""
        half = self.roots[-1] / 2
        return int(np.ceil(half + 10 * np.cbrt(half))) + 3

    def derivative(self, xi: Array | float, order: int) -> Array:
        """Return derivative of the given order with respect to xi, shape (len(xi), n)."""
        waves = _waves(self.roots, np.atleast_1d(xi)[:, None], order)
        return np.einsum("xkw,kw->xk", waves, self.coefficients) * self.roots**order

    def values(self, xi: Array | float) -> tuple[Array, Array, Array]:
        """Return (f, f', f''), each (len(xi), n), derivatives with respect to xi."""
        return self.derivative(xi, 0), self.derivative(xi, 1), self.derivative(xi, 2)

    def normalised(self) -> Family:
        """Return the same modes with int f^2 = 1, and positive where they start from the base."""
        rule = Quadrature.resolving(self.degree)
        norms = np.sqrt(rule.weights @ self.derivative(rule.nodes, 0) ** 2)
        at_base = np.stack([self.derivative(0.0, order)[0] / self.roots**order for order in range(3)])
        start = np.argmax(np.abs(at_base) > 1e-6, axis=0)
        norms *= np.sign(at_base[start, np.arange(self.count)])
        return replace(self, coefficients=self.coefficients / norms[:, None])


def _waves(beta: Array, xi: Array | float, order: int) -> Array:
    """Return derivatives, over beta^order, of the four functions with f'''' = beta^4 f."""
    cos, sin = np.cos(beta * xi), np.sin(beta * xi)
    cosine, sine = ((cos, sin), (-sin, cos), (-cos, -sin), (sin, -cos))[order % 4]
    return np.stack([cosine, sine, (-1) ** order * np.exp(-beta * xi), np.exp(-beta * (1 - xi))], axis=-1)


# Bending: which derivatives vanish at the base and at the tip.
_CLAMPED, _PINNED, _FREE = (0, 1), (0, 2), (2, 3)
_BENDING_ENDS = {
    "clamped-free": (_CLAMPED, _FREE),
    "clamped-mass": (_CLAMPED, _FREE),
    "pinned-free": (_PINNED, _FREE),
    "free-free": (_FREE, _FREE),
    "clamped-clamped": (_CLAMPED, _CLAMPED),
    "clamped-pinned": (_CLAMPED, _PINNED),
}
BENDING = tuple(_BENDING_ENDS)
TORSION = ("clamped-free", "clamped-inertia", "free-free")
EXTENSION = ("clamped-free", "clamped-mass", "free-free")


@lru_cache(maxsize=256)
def bending(name: str, n: int, tip_mass: float = 0.0, tip_inertia: float = 0.0) -> Family:
    """Return the first n bending modes of a uniform beam; rigid-body modes of free and pinned beams do not count.

    Parameters
    ----------
    name : str
        One of `BENDING`.
    tip_mass : float
        Mass at the tip over the beam's mass ("clamped-mass" only).
    tip_inertia : float
        Rotary inertia at the tip over rhoA L^3 ("clamped-mass" only).

    Equations: 003 (85)-(88).
    """
    _check(name, BENDING, n, (tip_mass, tip_inertia), loaded="clamped-mass")
    beta = _bending_roots(name, n, tip_mass, tip_inertia)
    base, tip = _BENDING_ENDS[name]
    at_tip = [_waves(beta, 1.0, order) for order in range(4)]
    conditions = [_waves(beta, 0.0, order) for order in base] + [at_tip[order] for order in tip]
    if name == "clamped-mass":  # moment f'' = tip_inertia beta^4 f', shear f''' = -tip_mass beta^4 f
        conditions[2] = _scaled_sum(at_tip[2], -tip_inertia * beta**3, at_tip[1])
        conditions[3] = _scaled_sum(at_tip[3], tip_mass * beta, at_tip[0])
    null_vectors = np.linalg.svd(np.stack(conditions, axis=1))[2][:, 3]
    return Family(name, beta, null_vectors, tip_mass, tip_inertia).normalised()


def _scaled_sum(first: Array, factor: Array, second: Array) -> Array:
    """Return first + factor second, scaled so that a huge factor leaves the rows of a matrix comparable."""
    return (first + factor[:, None] * second) / (1 + np.abs(factor))[:, None]


def _bending_roots(name: str, n: int, tip_mass: float, tip_inertia: float) -> Array:
    k = np.arange(1, n + 1)
    if name in ("clamped-clamped", "free-free"):
        return _bisect(lambda b: np.cos(b) - _sech(b), k * np.pi, (k + 1) * np.pi)
    if name in ("clamped-pinned", "pinned-free"):
        return _bisect(lambda b: np.cos(b) * np.tanh(b) - np.sin(b), k * np.pi, (k + 0.5) * np.pi)

    def frequency_equation(b: Array, mass: float, inertia: float) -> Array:
        cos, sin, sech, tanh = np.cos(b), np.sin(b), _sech(b), np.tanh(b)
        translating = cos + sech + mass * b * (cos * tanh - sin)
        turning = -(cos * tanh + sin) + mass * b * (sech - cos)
        return translating + inertia * b**3 * turning

    roots = _bisect(partial(frequency_equation, mass=0.0, inertia=0.0), (k - 1) * np.pi, k * np.pi)
    # A mass, then a rotary inertia, lowers every root, but never past the next lower one before it was added.
    for mass, inertia in ((tip_mass, 0.0), (tip_mass, tip_inertia)):
        lower = np.concatenate([[0.0], roots[:-1]])
        roots = _bisect(partial(frequency_equation, mass=mass, inertia=inertia), lower, roots)
    return roots


def _sech(b: Array) -> Array:
    decay = np.exp(-b)
    return 2 * decay / (1 + decay**2)


def torsion(name: str, n: int, tip_inertia: float = 0.0) -> Family:
    """Return the first n torsion modes of a uniform rod; `tip_inertia` over Jx L ("clamped-inertia" only)."""
    _check(name, TORSION, n, (tip_inertia,), loaded="clamped-inertia")
    return _rod(name, n, tip_inertia)


def extension(name: str, n: int, tip_mass: float = 0.0) -> Family:
    """Return the first n axial modes of a uniform rod; `tip_mass` over the rod's mass ("clamped-mass" only).

    Equations: 003 (84).
    """
    _check(name, EXTENSION, n, (tip_mass,), loaded="clamped-mass")
    return _rod(name, n, tip_mass)


@lru_cache(maxsize=256)
def _rod(name: str, n: int, tip_load: float) -> Family:
    """Return modes of the wave equation: cosines from a free base, sines with cot(beta) = tip_load beta else."""
    k = np.arange(1, n + 1)
    coefficients = np.zeros((n, 4))
    if name == "free-free":
        coefficients[:, 0] = 1
        return Family(name, k * np.pi, coefficients).normalised()
    coefficients[:, 1] = 1
    beta = (k - 0.5) * np.pi
    if tip_load:
        beta = _bisect(lambda b: np.cos(b) - tip_load * b * np.sin(b), (k - 1) * np.pi, beta)
    return Family(name, beta, coefficients, tip_load).normalised()


def _bisect(function: Callable[[Array], Array], lower: Array, upper: Array) -> Array:
    """Return roots to the last bit, one in each interval; from one to the next the sign of `function` alternates.

    A root may sit on an end of its interval (a mode that does not move where the mass is added): where the
    sign just inside an end is not the one that alternation gives, that end is the root.
    """
    nudge = 1e-12 * (upper - lower)
    sign = np.where(np.arange(len(lower)) % 2, -1, 1) * np.sign(function(lower + nudge)[0])
    at_lower = sign * function(lower + nudge) <= 0
    at_upper = sign * function(upper - nudge) >= 0
    a, b = lower, upper
    for _ in range(60):
        middle = (a + b) / 2
        before = sign * function(middle) > 0
        a, b = np.where(before, middle, a), np.where(before, b, middle)
    return np.select([at_lower, at_upper], [lower, upper], (a + b) / 2)


def _check(name: str, known: tuple[str, ...], n: int, tip_loads: tuple[float, ...], loaded: str) -> None:
    if name not in known:
        raise LissomError(f"is unknown; choose from {', '.join(known)}", ("family",), name)
    if n < 1:
        raise LissomError(f"of family {name!r}, at least 1 is needed", ("modes",), n)
    for load in tip_loads:
        if not (np.isfinite(load) and load >= 0):
            raise LissomError(f"the tip load ratio of family {name!r} must be a finite number >= 0", ("load",), load)
        if load and name != loaded:
            raise LissomError(f"family {name!r} has nothing at its tip; take {loaded!r}", ("load",), load)
