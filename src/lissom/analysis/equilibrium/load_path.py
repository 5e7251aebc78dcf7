"""The path of rest along which loads grow: what a search that begins far away follows, and where it turns back.

Loads grow from none to all of them, from where the search begins:

    H(q, s) = (1 - s) (A(q) - A(q0)) + s F(q) = 0,    0 <= s <= 1,

F what is unbalanced under all loads, A without any: q0 is at rest at s = 0, and s is the load factor where q0 is the
unloaded shape. A robot that only its loads hold has no path without them: A is F there, and what is unbalanced at q0 is
let go. Steps are taken along the arc (Riks 1979; Crisfield 1981), so that limit points, where s turns back, are passed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.analysis.equilibrium.force_balance import Away, ForceBalance, Reduced, gives_way, spectrum
from lissom.analysis.equilibrium.tangent_matrices import Tangent
from lissom.dynamics.state_checks import NotFinite, Vector

STEPS = 150
CORRECTIONS = 8
FIRST, LONGEST, SHORTEST = 0.1, 0.5, 1e-4  # of an arc, in shares of the loads and of their linear response
LAST = 20  # iterations at full load
TOLERANCE = 1e-9  # of a correction along the path, relative to the linear response
ROUNDING = 1e-6  # a correction below it that no longer shrinks is made of rounding, along what is about to give way
FINAL = 1e-12
BACK = -0.2  # load factor at which a path that turned back is left


class LoadPath(NamedTuple):
    """Where a path of growing loads leads."""

    q: Vector  # at full load, or where it was left
    lam: Vector
    complete: bool
    limits: tuple[float, ...]  # load factors at which it turns back
    top: float  # the largest load factor
    q_top: Vector  # there
    iterations: int
    factor: bool  # whether s is a factor of the loads


def load_path(balance: ForceBalance, q: Vector) -> LoadPath:
    """Follow the path of rest from q to full load, as far as it goes."""
    bare, factor = balance.unloaded(), True
    try:
        softest, floor = gives_way(spectrum(bare.at(q)))
        if softest <= floor:
            bare, factor = balance, False
        return _to_full_load(PathTrace(balance, bare, q), factor)
    except (Away, NotFinite, np.linalg.LinAlgError):
        return LoadPath(q, np.zeros(len(balance.wanted)), False, (), 0.0, q, 0, factor)


def _to_full_load(trace: PathTrace, factor: bool) -> LoadPath:
    here = trace.begin()
    limits: list[float] = []
    top, h = here, FIRST
    for _ in range(STEPS):
        if here.s + h * here.ahead[1] >= 1:
            if (end := trace.find_rest_at_full_load(here)) is not None:
                return LoadPath(*end, True, tuple(limits), 1.0, end[0], trace.solved, factor)
            h = (1 - here.s) / here.ahead[1] / 2
        step = trace.advance(here, h)
        if step is None:
            h /= 2
            if h < SHORTEST:
                break
            continue
        there, corrections = step
        if here.ahead[1] > 0 > there.ahead[1]:
            share = here.ahead[1] / (here.ahead[1] - there.ahead[1])
            limits.append(max(here.s, there.s, here.s + h * here.ahead[1] * share / 2))
        here = there
        if here.s > top.s:
            top = here
        if here.s < BACK:
            break
        h = min(1.5 * h, LONGEST) if corrections <= 3 else h
    most = max(top.s, *limits) if limits else top.s
    return LoadPath(here.q, here.balance.lam, False, tuple(limits), most, top.q, trace.solved, factor)


class PathPoint(NamedTuple):
    """A state of rest on the path, and where the path leads from there."""

    q: Vector
    s: float
    balance: Reduced
    rate: Vector  # (k,) of the unbalanced force by s
    ahead: tuple[Vector, float]  # unit direction: displacement on the basis of the balance, and s


class PathTrace:
    """The path of rest from q as `balance` takes the place of `bare`.

    What `bare` leaves unbalanced at q is let go along the path; of a q that is at rest (`at_rest`), it is what loops
    and held coordinates bear, and stays.
    """

    def __init__(self, balance: ForceBalance, bare: ForceBalance, q: Vector, at_rest: bool = False) -> None:
        self.balance, self.bare, self.q = balance, bare, q
        self.begun = np.zeros(bare.model.nv) if at_rest else bare.tangent(q).force
        self.solved = 0

    def at(self, q: Vector, s: float) -> tuple[Reduced, Vector]:
        """Return the balance at load factor s, and its derivative by s."""
        self.solved += 1
        try:
            loaded = self.balance.tangent(q)
            bare = loaded if self.bare is self.balance else self.bare.tangent(q)
            force = (1 - s) * (bare.force - self.begun) + s * loaded.force
            here = self.balance.reduce(q, Tangent(force, loaded.M, loaded.C, (1 - s) * bare.K + s * loaded.K))
        except (NotFinite, np.linalg.LinAlgError):
            raise Away from None
        return here, here.Z.T @ (loaded.force - bare.force + self.begun)[self.balance.free]

    def begin(self) -> PathPoint:
        """Return the beginning; the linear response to all loads is the unit of length along the path."""
        here, rate = self.at(self.q, 0.0)
        along = np.linalg.solve(here.K, -rate)
        self.unit = max(float(along @ here.M @ along), np.finfo(float).tiny)
        return PathPoint(self.q, 0.0, here, rate, self._normalise(here, along, 1.0))

    def advance(self, point: PathPoint, h: float) -> tuple[PathPoint, int] | None:
        """Return the point an arc h ahead and how many corrections it took; None where h is too long."""
        here, ahead = point.balance, point.ahead
        try:
            q, s, corrections = self._correct(point, h)
            there, rate = self.at(q, s)
            following = self._direction(there, rate, here.Z @ ahead[0], ahead[1])
        except (Away, np.linalg.LinAlgError):
            return None
        if self._cosine(there, following, here, ahead) < 0.8:
            return None
        return PathPoint(q, s, there, rate, following), corrections

    def _correct(self, point: PathPoint, h: float) -> tuple[Vector, float, int]:
        """Return the place of the path an arc h ahead, and how many corrections it took."""
        ahead, across = point.ahead, point.balance.Z @ point.ahead[0]
        q, s = self.balance.moved(point.q, h * across), point.s + h * ahead[1]
        before = np.inf
        for k in range(CORRECTIONS):
            there, rate = self.at(q, s)
            row = there.Z.T @ across @ there.M / self.unit
            n = len(there.force)
            matrix = np.block([[there.K, rate[:, None]], [row[None, :], np.array([[ahead[1]]])]])
            step = -np.linalg.solve(matrix, np.append(there.force, 0.0))
            q = self.balance.moved(q, there.closing + there.Z @ step[:n])
            s += float(step[n])
            size = np.sqrt(step[:n] @ there.M @ step[:n] / self.unit + step[n] ** 2)
            if size > 2.0:
                raise Away
            if size <= TOLERANCE or before / 2 <= size <= ROUNDING:
                return q, s, k + 1
            before = size
        raise Away

    def find_rest_at_full_load(self, point: PathPoint) -> tuple[Vector, Vector] | None:
        """Return rest at full load by Newton's method from the point ahead, unless it leads elsewhere."""
        arc = (1 - point.s) / point.ahead[1]
        try:
            q = self.balance.moved(point.q, arc * (point.balance.Z @ point.ahead[0]))
            before = np.inf
            for _ in range(LAST):
                there, _ = self.at(q, 1.0)
                step = -np.linalg.solve(there.K, there.force)
                size = np.sqrt(step @ there.M @ step / self.unit)
                if size > 0.5 * max(arc, 0.1) + 1e-6:
                    return None
                q = self.balance.moved(q, there.closing + there.Z @ step)
                if size <= FINAL or before / 2 <= size <= 1e3 * FINAL:
                    return q, there.lam
                before = size
        except (Away, np.linalg.LinAlgError):
            pass
        return None

    def _direction(self, here: Reduced, rate: Vector, before: Vector, before_s: float) -> tuple[Vector, float]:
        """Return the unit direction of the path, on from the one before."""
        row = here.Z.T @ before @ here.M / self.unit
        n = len(here.force)
        matrix = np.block([[here.K, rate[:, None]], [row[None, :], np.array([[before_s]])]])
        along = np.linalg.solve(matrix, np.append(np.zeros(n), 1.0))
        return self._normalise(here, along[:n], float(along[n]))

    def _normalise(self, here: Reduced, x: Vector, s: float) -> tuple[Vector, float]:
        size = np.sqrt(x @ here.M @ x / self.unit + s * s)
        return x / size, s / size

    def _cosine(
        self, there: Reduced, following: tuple[Vector, float], here: Reduced, ahead: tuple[Vector, float]
    ) -> float:
        before = there.Z.T @ (here.Z @ ahead[0])
        return float(following[0] @ there.M @ before / self.unit + following[1] * ahead[1])
