"""Sets of shape functions on xi = x/L in [0, 1]: what a link's coordinates multiply.

Every set vanishes at the base, bending shapes with their slope: there the link frame is tangent to the link.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.polynomial.legendre import legder, legint, legvander

from lissom.beam.functions import attachment_functions, mode_families
from lissom.beam.functions.attachment_functions import Place
from lissom.beam.functions.mode_families import Family
from lissom.beam.functions.quadrature import Quadrature
from lissom.beam.number_types import Array
from lissom.errors import LissomError

Values = tuple[Array, Array, Array]


@dataclass(frozen=True, eq=False)
class Shapes:
    """n functions f = raw @ mixing, each a fixed combination of raw functions.

    Attributes
    ----------
        name: how the set was made, for people.
        raw: from xi (k,), which may be complex, to (f, f', f'') of the raw functions, each (k, raw count).
        mixing: (raw count, n).
        degree: of polynomials that represent the functions to rounding between neighbouring breaks.
        breaks: interior points where a derivative jumps (piecewise functions).
        tip_mass, tip_inertia: what the tip carries in the modes' own inner product (see `Family`).
    """

    name: str
    raw: Callable[[Array], Values]
    mixing: Array
    degree: int
    breaks: tuple[float, ...] = ()
    tip_mass: float = 0.0
    tip_inertia: float = 0.0

    @property
    def count(self) -> int:
        """Number of functions."""
        return self.mixing.shape[1]

    @property
    def rule(self) -> Quadrature:
        """Quadrature that resolves products of these functions."""
        return Quadrature.resolving(self.degree, self.breaks)

    def values(self, xi: Array | float) -> Values:
        """Return (f, f', f''), each (len(xi), n), derivatives with respect to xi."""
        f, f1, f2 = self.raw(np.atleast_1d(xi))
        return f @ self.mixing, f1 @ self.mixing, f2 @ self.mixing

    def scaled(self, factors: Array) -> Shapes:
        """Return the same functions times one factor each."""
        return replace(self, mixing=self.mixing * factors)

    def l2_normalised(self) -> Shapes:
        """Scale functions to int f^2 = 1."""
        f = self.values(self.rule.nodes)[0]
        return self.scaled(1 / np.sqrt(self.rule.weights @ f**2))

    def ritz_modes(self, order: int) -> Shapes:
        """Return combinations with int f_i f_j = delta_ij and a diagonal stiffness, in rising order of frequency.

        The stiffness is int D f_i D f_j, D the derivative of the given order.
        """
        parts, weights = self.values(self.rule.nodes), self.rule.weights[:, None]
        f, strain = parts[0], parts[order]
        # The stiffness is the well-conditioned matrix of the two: its inverse root scales the problem.
        root = np.linalg.inv(np.linalg.cholesky(strain.T @ (weights * strain))).T
        modes = root @ np.linalg.svd(np.sqrt(weights) * (f @ root), full_matrices=False)[2].T
        modes /= np.sqrt((weights * (f @ modes) ** 2).sum(axis=0))
        modes *= np.sign(self.raw(np.zeros(1))[order] @ self.mixing @ modes)[0]
        return replace(self, mixing=self.mixing @ modes)


def none() -> Shapes:
    """Return the empty set: a direction in which the link is rigid."""
    return Shapes("none", lambda xi: (np.zeros((len(xi), 0)),) * 3, np.zeros((0, 0)), 0)


def from_family(family: Family, bending: bool) -> Shapes:
    """Return natural modes seen from the base: less their rigid part f(0) + f'(0) xi (only f(0) for a rod)."""
    f0, slope0, _ = family.values(0.0)
    slope0 = slope0 if bending else 0 * slope0

    def raw(xi: Array) -> Values:
        f, f1, f2 = family.values(xi)
        return f - f0 - slope0 * xi[:, None], f1 - slope0, f2

    shapes = Shapes(family.name, raw, np.eye(family.count), family.degree, (), family.tip_mass, family.tip_inertia)
    return shapes.l2_normalised()


@lru_cache(maxsize=64)
def auto_bending(n: int) -> Shapes:
    """Return the n Ritz modes of the static shapes of unit tip translation and rotation and clamped-clamped modes.

    Exact for any static force and moment at the tip, whatever the link carries there. A single function is
    the deflection under a tip force.
    """
    if n == 1:

        def tip_force(xi: Array) -> Values:
            x = xi[:, None]
            return x**2 * (3 - x) / 2, 3 * x * (2 - x) / 2, 3 * (1 - x)

        return Shapes("auto", tip_force, np.eye(1), 3).l2_normalised()

    held = from_family(mode_families.bending("clamped-clamped", n - 2), bending=True) if n > 2 else none()

    def raw(xi: Array) -> Values:
        x = xi[:, None]
        statics = (
            np.hstack([x**2 * (3 - 2 * x), x**2 * (x - 1)]),
            np.hstack([6 * x * (1 - x), x * (3 * x - 2)]),
            np.hstack([6 - 12 * x, 6 * x - 2]),
        )
        f, f1, f2 = (np.hstack(pair) for pair in zip(statics, held.values(xi)))
        return f, f1, f2

    return Shapes("auto", raw, np.eye(n), max(held.degree, 3)).ritz_modes(2)


@lru_cache(maxsize=64)
def auto_rod(n: int, hanging: bool = False) -> Shapes:
    """Return the n Ritz modes of the static shape xi and sin(k pi xi), which hold the tip: torsion, extension.

    hanging: xi (1 - xi) in place of the first sine, which makes it exact for the rod's own weight, too.
    """
    k_pi = np.pi * np.arange(1, n)

    def raw(xi: Array) -> Values:
        x = xi[:, None]
        sin, cos = np.sin(k_pi * x), np.cos(k_pi * x)
        f, f1, f2 = np.hstack([x, sin]), np.hstack([1 + 0 * x, k_pi * cos]), np.hstack([0 * x, -(k_pi**2) * sin])
        if hanging and n > 1:
            f[:, 1], f1[:, 1], f2[:, 1] = xi * (1 - xi), 1 - 2 * xi, -2
        return f, f1, f2

    half = np.pi * n / 2
    return Shapes("auto", raw, np.eye(n), int(half + 10 * np.cbrt(half)) + 3).ritz_modes(1)


@lru_cache(maxsize=256)
def attached(shapes: Shapes, direction: str, places: tuple[Place, ...]) -> Shapes:
    """Return the shapes of a direction with those that loads at places xi inside the span need beyond them.

    The functions of "auto" are mixed to natural modes again; others stay as they are.
    """
    if not places or shapes.count == 0:
        return shapes
    statics = _Statics(shapes, direction, places)
    chosen = statics.needed_loads()
    if not chosen.shape[1]:
        return shapes

    def raw(xi: Array) -> Values:
        f, f1, f2 = (np.hstack(pair) for pair in zip(shapes.raw(xi), statics.values(xi)))
        return f, f1, f2

    # what is added is free of the functions at hand, so that a diagonal stiffness stays one
    overlap = np.linalg.lstsq(statics.own, statics.strain @ chosen, rcond=None)[0]
    above = np.hstack([shapes.mixing, -shapes.mixing @ overlap])
    below = np.hstack([np.zeros((len(chosen), shapes.count)), chosen])
    mixing, degree = np.vstack([above, below]), max(shapes.degree, 3)
    found = replace(shapes, raw=raw, mixing=mixing, degree=degree, breaks=statics.breaks)
    return found.ritz_modes(statics.order) if shapes.name == "auto" else found.l2_normalised()


def missed_shares(shapes: Shapes, direction: str, places: tuple[Place, ...]) -> list[Array]:
    """Return the share of the compliance under each unit load at places xi that functions leave out, each (c,)."""
    statics = _Statics(shapes, direction, places)
    return attachment_functions.missed_shares(statics.own, statics.by_place)


class _Statics:
    """Shapes of a uniform link under unit loads at places of its span, beside functions at hand.

    Where those lie on the chord, it is pinned at both ends; else it is a cantilever.
    """

    def __init__(self, shapes: Shapes, direction: str, places: tuple[Place, ...]) -> None:
        bending = direction in ("y", "z")
        self._shapes = _chord_statics if shapes.name == "chord" else _bending_statics if bending else _rod_statics
        self._at = np.array([place.x for place in places])
        self._kept = [[2 * k + j if bending else k for j in place.loads(direction)] for k, place in enumerate(places)]
        self.order = 2 if bending else 1
        self.breaks = tuple(sorted({*shapes.breaks, *(x for k, x in zip(self._kept, self._at.tolist()) if k)}))
        rule = Quadrature.resolving(max(shapes.degree, 3), self.breaks)
        scale = np.sqrt(rule.weights)[:, None]
        self.own = scale * shapes.values(rule.nodes)[self.order]
        every = scale * self._shapes(rule.nodes, self._at)[self.order]
        self.by_place = [every[:, kept] for kept in self._kept]
        self.strain = np.hstack(self.by_place)
        held = any(place.held for place in places)
        self.tip = scale * self._shapes(rule.nodes, np.ones(1))[self.order] if held else None

    def values(self, xi: Array) -> Values:
        """Return the shapes and their derivatives at xi (k,), each (k, loads)."""
        kept = [k for part in self._kept for k in part]
        f, f1, f2 = (part[:, kept] for part in self._shapes(xi, self._at))
        return f, f1, f2

    def needed_loads(self) -> Array:
        """Return combinations of the loads (loads, n) that the functions at hand do not follow."""
        return attachment_functions.needed_loads(self.own, self.by_place, self.tip)


def _powers(xi: Array, at: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Return xi as a column, and (xi - at)^k for k = 0 to 3 where that is positive, else zero, each (k, p)."""
    beyond = xi[:, None] - at
    step = np.where(beyond.real > 0, 1.0, 0.0)
    return xi[:, None], step, step * beyond, step * beyond**2, step * beyond**3


def _pair_columns(force: Values, couple: Values) -> Values:
    """Return columns of each place in turn: those of a force, those of a couple."""
    f, f1, f2 = (np.stack(pair, axis=2).reshape(len(pair[0]), -1) for pair in zip(force, couple))
    return f, f1, f2


def _bending_statics(xi: Array, at: Array) -> Values:
    """Return a cantilever of unit length and stiffness under a unit force and a unit couple at each place."""
    x, h, p, pp, ppp = _powers(xi, at)
    force = (at * x**2 / 2 - x**3 / 6 + ppp / 6, at * x - x**2 / 2 + pp / 2, at - x + p)
    couple = ((x**2 - pp) / 2, x - p, 1 - h + 0 * x)
    return _pair_columns(force, couple)


def _chord_statics(xi: Array, at: Array) -> Values:
    """Return the shapes of a beam pinned at both ends under a unit force and a unit couple at each place."""
    x, h, p, pp, ppp = _powers(xi, at)
    rest = 1 - at
    slope = rest / 6 - rest**3 / 6, -1 / 6 + rest**2 / 2  # that makes the tip stay on the chord
    force = (rest * x**3 / 6 - ppp / 6 - slope[0] * x, rest * x**2 / 2 - pp / 2 - slope[0], rest * x - p)
    couple = (-(x**3) / 6 + pp / 2 - slope[1] * x, -(x**2) / 2 + p - slope[1], h - x)
    return _pair_columns(force, couple)


def _rod_statics(xi: Array, at: Array) -> Values:
    """Return a rod of unit length and stiffness under a unit force at each place."""
    x, h, p, _, _ = _powers(xi, at)
    return x - p, 1 - h + 0 * x, 0 * (x - p)


def legendre(n: int, bending: bool) -> Shapes:
    """Return polynomials whose strain (f'' in bending, else f') is a Legendre polynomial: a diagonal stiffness."""
    # coefficients in Legendre polynomials of u = 2 xi - 1; integrals are taken from xi = 0
    strain = np.eye(n)
    first = legint(strain, lbnd=-1, scl=0.5)
    coefficients: Values
    if bending:
        coefficients = (legint(strain, 2, lbnd=-1, scl=0.5), first, strain)
    else:
        coefficients = (first, strain, legder(strain, scl=2.0))

    def raw(xi: Array) -> Values:
        P = legvander(2 * xi - 1, n + 1)
        f, f1, f2 = (P[:, : len(c)] @ c for c in coefficients)
        return f, f1, f2

    return Shapes("legendre", raw, np.eye(n), n + 1 if bending else n).l2_normalised()


def hermite_bending(n: int) -> Shapes:
    """Return cubic finite elements, n/2 of equal length: deflection and slope of every node but the clamped one."""
    if n % 2:
        raise LissomError("a hermite element has 2, so use an even number", ("modes",), n)
    elements = n // 2

    def raw(xi: Array) -> Values:
        element, s = _locate(xi, elements)
        # deflection and slope at the left node, then at the right node
        cubics = (
            ((1 - s) ** 2 * (1 + 2 * s), s * (1 - s) ** 2, s**2 * (3 - 2 * s), s**2 * (s - 1)),
            (6 * s * (s - 1), (1 - s) * (1 - 3 * s), 6 * s * (1 - s), s * (3 * s - 2)),
            (12 * s - 6, 6 * s - 4, 6 - 12 * s, 6 * s - 2),
        )
        parts = []
        for order, quartet in enumerate(cubics):
            part = np.zeros((len(xi), n + 2), s.dtype)  # the clamped node's two columns first
            for k, cubic in enumerate(quartet):
                part[np.arange(len(xi)), 2 * element + k] = cubic * elements**order
            parts.append(part[:, 2:])
        return parts[0], parts[1], parts[2]

    return Shapes("hermite", raw, np.eye(n), 3, _element_edges(elements)).l2_normalised()


def hermite_rod(n: int) -> Shapes:
    """Return linear finite elements, n of equal length: torsion or extension of every node but the clamped one."""

    def raw(xi: Array) -> Values:
        element, s = _locate(xi, n)
        f, f1 = np.zeros((len(xi), n + 1), s.dtype), np.zeros((len(xi), n + 1), s.dtype)
        rows = np.arange(len(xi))
        f[rows, element], f[rows, element + 1] = 1 - s, s
        f1[rows, element], f1[rows, element + 1] = -n, n
        return f[:, 1:], f1[:, 1:], np.zeros((len(xi), n))

    return Shapes("hermite", raw, np.eye(n), 1, _element_edges(n)).l2_normalised()


def _locate(xi: Array, elements: int) -> tuple[Array, Array]:
    """Return element index and local coordinate in [0, 1] of each point."""
    element = np.clip((xi.real * elements).astype(int), 0, elements - 1)
    return element, xi * elements - element


def _element_edges(elements: int) -> tuple[float, ...]:
    return tuple(float(k) / elements for k in range(1, elements))
