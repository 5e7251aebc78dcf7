"""Buckling: the load factors at which a state of rest gives way, on the tangent of everything that acts.

Loads grow from none along the path of rest, past limit points and bifurcations. A linear estimate at the beginning says
in which steps; the number of small motions that leave the state is counted at every step, and each factor at which
it rises is found to rounding. So factors count what the arm does before it buckles: sag, bow, tension, joints that give
way. Loads without a potential (followers) may flutter where nothing buckles.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.analysis.equilibrium.equilibrium_search import EquilibriumSearch
from lissom.analysis.equilibrium.force_balance import spectrum
from lissom.analysis.equilibrium.held_coordinates import Hold
from lissom.analysis.equilibrium.load_path import PathPoint, PathTrace
from lissom.analysis.equilibrium.statics import static_equilibrium
from lissom.analysis.equilibrium.tangent_matrices import Eigenmodes, Loads, tangent, without_gravity
from lissom.analysis.modes import participation
from lissom.analysis.modes.buckling_modes import BucklingModes, Kind
from lissom.analysis.modes.linear_buckling import GrowingLoads, LinearBuckling, scaled_path
from lissom.beam.functions.basis import DIRECTIONS
from lissom.dynamics import mass_matrix
from lissom.dynamics.coordinates import Named
from lissom.dynamics.state_checks import Vector, Wrenches
from lissom.errors import LissomError, check_choice
from lissom.model.any_robot import AnyRobot, compile, model_for
from lissom.model.model import Model

Weight = Literal["acts", "grows", "none"]

FIRST, SHORTEST = 0.1, 1e-6  # of the linear estimate: the first step; the step at which the path is left
# How steps grow, and the longest as a share of the load factor so far: what vanishes is counted however many vanish in
# a step; a pair may begin and cease to flutter within one.
WIDE, NARROW = (2.0, 0.5), (1.2, 0.15)
FARTHEST = 60.0  # times the linear estimate: where a search for flutter ends
BEYOND = 3.0  # times the linear estimate of the last factor wanted: where a search for buckling ends
SAME = 1e-6  # relative distance of load factors that count as one
ZERO = 1e-10  # of a step, and of a square of the frequency over a step
ITERATIONS = 60
BISECTED = 1e-9  # of a step: how exactly the onset of flutter is found
STEPS = 100  # along the path
MORE = 4  # functions in each direction that may change a load factor by RESOLVED at most
RESOLVED = 0.01
LIMIT = 1e-5  # share of the growing loads along a shape: beyond it the path turns back instead of branching


def buckling(
    robot: AnyRobot,
    loads: Loads | None = None,
    q: ArrayLike | Named | None = None,
    *,
    wrenches: Wrenches | None = None,
    weight: Weight | None = None,
    number: int = 4,
    tau: ArrayLike | Named | None = None,
    hold: Hold = "joints",
    lengths: Mapping[str, float] | None = None,
) -> BucklingModes:
    """Return load factors at which a state of rest buckles, snaps through or flutters, with their shapes.

    Parameters
    ----------
    loads : mapping, optional
        Wrenches (torque, force) in the world's axes that grow, by link name at its tip or by (link, x).
    q : array_like or mapping, optional
        Where held coordinates stand, (nq,) or {joint: value}; neutral unless given.
    wrenches : mapping of str to array_like, optional
        Wrenches that grow and turn with a link (follower loads), at its origin in its axes.
    weight : {"acts", "grows", "none"}, optional
        Whether weight acts in full from the beginning, grows with the loads, or is left out. It acts unless given,
        and grows where there are no loads.
    number : int, optional
        How many load factors, from the least on.
    tau, hold, lengths
        As of `static_equilibrium`: forces on what is not held, what is held, distances of loops.

    Returns
    -------
    BucklingModes
        Load factors from the least on, their kinds and shapes, and the states of rest there. A factor of 2 says that
        twice the loads make the arm buckle.

    Examples
    --------
    >>> found = lissom.buckling("spinup-beam", {"blade": [0, 0, 0, -1, 0, 0]}, number=2)  # N, along the blade
    >>> print(found.factors[0])  # N
    """
    model = model_for(robot, [key for key in loads or () if isinstance(key, tuple) and len(key) == 2], q)
    weight = weight or ("acts" if loads or wrenches else "grows")
    check_choice("weight", weight, ("acts", "grows", "none"))
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
        raise LissomError("must be a whole number of load factors from 1 on", ("number",), number)
    given = _Given(GrowingLoads(dict(loads or {}), dict(wrenches or {}), weight == "grows"), weight, tau, hold)
    trace, scale, linear = _prepare(given, model, q, lengths)
    found = _Search(trace, number, linear).found() if scale else _Found([], 0.0)
    known = np.array([scale * one.point.s for one in found.critical])
    return _result(trace, found, scale, _resolved(given, model, trace.q, lengths, known, scale * linear.factors))


class _Given(NamedTuple):
    """What is asked of a model."""

    growing: GrowingLoads
    weight: Weight
    tau: ArrayLike | Named | None
    hold: Hold


def _prepare(
    given: _Given, model: Model, q: ArrayLike | Named | None, lengths: Mapping[str, float] | None
) -> tuple[PathTrace, float, LinearBuckling]:
    """Return the path along which loads grow from rest, its scale, and linear estimates by it."""
    acting = model if given.weight == "acts" else without_gravity(model)
    rest = static_equilibrium(acting, q, given.tau, given.hold, lengths=lengths)
    search = EquilibriumSearch(acting, rest.q, rest.tau.copy(), given.hold, None, {}, dict(rest.lengths))
    return scaled_path(search.balance, given.growing, model.arrays.gravity, rest.q)


def _resolved(
    given: _Given,
    model: Model,
    q: Vector,
    lengths: Mapping[str, float] | None,
    factors: np.ndarray,
    estimates: np.ndarray,
) -> np.ndarray:
    """Return whether linear estimates near the load factors stay where they are with more functions."""
    robot = model.robot
    for link in robot.links:
        if link.beam is not None:
            now = Counter(model.flexible[link.name].directions)
            more = {name: now[name] + (MORE if name != "axial" else 0) for name in DIRECTIONS}
            robot = robot.with_value(f"links.{link.name}.beam.modes", more)
    finer = compile(robot, model.prescribed)
    joints = {body.joint: q[body.joint_q] for body in model.bodies if len(np.atleast_1d(q[body.joint_q]))}
    tau = given.tau if given.tau is None or isinstance(given.tau, Mapping) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, scale, linear = _prepare(given._replace(tau=tau), finer, joints, lengths)
    count = min(len(estimates), len(linear.factors), len(factors))
    change = np.abs(scale * linear.factors[:count] / estimates[:count] - 1)
    return np.append(change <= RESOLVED, np.ones(len(factors) - count, bool))


class _Critical(NamedTuple):
    """What gives way at a point of the path."""

    point: PathPoint
    kind: Kind
    frequency: float  # Hz, of what flutters
    shape: Vector  # (free,)


class _Found(NamedTuple):
    critical: list[_Critical]
    reached: float  # load factor on the path, by its scale


class _Search:
    """Steps along the path of rest, until enough of what gives way is found."""

    def __init__(self, trace: PathTrace, number: int, linear: LinearBuckling) -> None:
        self.trace, self.number, self.linear = trace, number, linear
        wanted = linear.factors[:number]
        self.far = BEYOND * float(wanted.max(initial=1.0))
        model = trace.balance.model
        parts, self.free = participation.parts(model), trace.balance.free
        self.parts = [parts[k] for k in self.free]

    def found(self) -> _Found:
        """Return what gives way, by rising load factor."""
        here, out, h, turns = self.trace.begin(), list[_Critical](), FIRST, False
        before, end = _modes(here), self.far
        for _ in range(STEPS):
            if len(out) >= self.number or not 0 <= here.s < end:
                break
            step = self.trace.advance(here, h)
            if step is None:
                h /= 2
                if h < SHORTEST:
                    break
                continue
            there, _ = step
            after = _modes(there)
            end = self.far if after.potential else max(self.far, FARTHEST)
            # A pair that flutters may come to leave without swinging, and back: it has been counted already.
            new = _leaving(after) - _leaving(before)
            pairs = min(max(_fluttering(after) - _fluttering(before), 0), new // 2)
            out += self._buckling(here, there, h, _buckled(before), new - 2 * pairs)
            out += self._flutter(here, there, h, pairs)
            turns = here.ahead[1] > 0 > there.ahead[1]
            here, before = there, after
            if turns:  # beyond a limit point the arm has snapped
                break
            growth, share = WIDE if after.potential else NARROW
            h = max(h, min(growth * h, share * here.s))
        out = sorted(out, key=lambda one: one.point.s)[: self.number]
        if here.s < end and not any(one.kind in ("limit", "flutter") for one in out):
            out += self._beyond(len(out))
        return _Found(out, here.s)

    def _beyond(self, found: int) -> list[_Critical]:
        """Return linear estimates in place of what is not found on a path that bends away before it gets there."""
        begin, linear = self.trace.begin(), self.linear
        return [
            _Critical(begin._replace(s=float(factor)), "linear", 0.0, begin.balance.Z @ shape)
            for factor, shape in list(zip(linear.factors, linear.shapes.T))[found : self.number]
        ]

    def _zero(self, here: PathPoint, there: PathPoint, h: float, k: int) -> PathPoint:
        """Return where the k-th real square vanishes (regula falsi with Illinois' weights).

        At the very point the path has no unique direction: the search ends near it, and interpolates.
        """
        if min(len(_real_squares(point)) for point in (here, there)) <= k or _real_squares(here)[k] <= 0:
            return self._onset(here, there, h, lambda modes: _buckled(modes) > k)
        ends = [(0.0, _real_squares(here)[k], here), (h, _real_squares(there)[k], there)]
        weights, first = [1.0, 1.0], abs(ends[0][1]) + abs(ends[1][1])
        for _ in range(ITERATIONS):
            (a, fa, _), (b, fb, _) = ends
            x = a + (b - a) * weights[0] * fa / (weights[0] * fa - weights[1] * fb)
            step = self.trace.advance(here, x)
            if step is None:
                break
            f = _real_squares(step[0])[k]
            side = 0 if f > 0 else 1
            ends[side], weights[side] = (x, f, step[0]), 1.0
            weights[1 - side] /= 2
            if abs(f) <= ZERO * first or b - a <= ZERO * h:
                break
        (_, fa, low), (_, fb, high) = ends
        nearest = low if abs(fa) < abs(fb) else high
        return nearest._replace(s=low.s + (high.s - low.s) * fa / (fa - fb))

    def _onset(self, here: PathPoint, there: PathPoint, h: float, begun: Callable[[Eigenmodes], bool]) -> PathPoint:
        """Return where something has begun that has no derivative there, by bisection."""
        low, high = 0.0, h
        while high - low > BISECTED * h:
            middle = (low + high) / 2
            step = self.trace.advance(here, middle)
            if step is None:
                break
            if begun(_modes(step[0])):
                high, there = middle, step[0]
            else:
                low = middle
        return there

    def _buckling(self, here: PathPoint, there: PathPoint, h: float, first: int, number: int) -> list[_Critical]:
        """Return where so many more stiffnesses vanish between two points, an arc h apart."""
        out: list[_Critical] = []
        turns = here.ahead[1] > 0 > there.ahead[1]
        points = [self._zero(here, there, h, first + k) for k in range(number)]
        while points:
            # Several that vanish together span a space: each shape is turned towards one link and direction.
            point = points[0]
            together = sum(abs(other.s - point.s) <= SAME * abs(point.s) for other in points)
            found = _modes(point)
            real = np.flatnonzero(np.imag(found.squares) == 0)[first : first + together]
            X = point.balance.Z @ np.real(found.shapes[:, real])
            mass = mass_matrix(self.trace.balance.model, point.q)[np.ix_(self.free, self.free)]
            X = participation.separate_modes(X, mass, np.zeros(together), 0.0, self.parts)
            kind: Kind = "limit" if turns and self._pushed(point, np.real(found.shapes[:, real[0]])) else "buckling"
            out += [_Critical(point, kind, 0.0, shape) for shape in X.T]
            points, first = points[together:], first + together
        return out

    def _pushed(self, point: PathPoint, shape: Vector) -> bool:
        """Return whether the growing loads work along a shape: then the path turns back there, and does not branch."""
        strength = point.rate @ np.linalg.solve(point.balance.M, point.rate)
        return bool((point.rate @ shape) ** 2 > LIMIT**2 * strength)

    def _flutter(self, here: PathPoint, there: PathPoint, h: float, number: int) -> list[_Critical]:
        """Return where so many more pairs of motions begin to flutter."""
        out: list[_Critical] = []
        before = _fluttering(_modes(here))
        for k in range(before, before + number):
            point = self._onset(here, there, h, lambda modes, k=k: _fluttering(modes) > k)  # type: ignore[misc]
            found = _modes(point)
            one = np.flatnonzero(np.imag(found.squares) > 0)[k]
            shape = point.balance.Z @ np.real(found.shapes[:, one])
            hertz = float(np.sqrt(np.real(found.squares[one]).clip(0.0))) / (2 * np.pi)
            out.append(_Critical(point, "flutter", hertz, shape))
        return out


def _modes(point: PathPoint) -> Eigenmodes:
    return spectrum(point.balance)


def _real_squares(point: PathPoint) -> np.ndarray:
    squares = _modes(point).squares
    return np.asarray(np.real(squares[np.imag(squares) == 0]))


def _buckled(modes: Eigenmodes) -> int:
    return int(np.sum((np.imag(modes.squares) == 0) & (np.real(modes.squares) < -modes.noise)))


def _fluttering(modes: Eigenmodes) -> int:
    return int(np.sum(np.imag(modes.squares) > 0))


def _leaving(modes: Eigenmodes) -> int:
    return _buckled(modes) + 2 * _fluttering(modes)


def _result(trace: PathTrace, found: _Found, scale: float, resolved: np.ndarray) -> BucklingModes:
    model, free, count = trace.balance.model, trace.balance.free, len(found.critical)
    every = participation.parts(model)
    start = tangent(trace.bare.model, trace.q, tau=trace.bare.tau)
    shapes, stored, moving = (np.zeros((model.nv, count)) for _ in range(3))
    for k, one in enumerate(found.critical):
        M, shape = mass_matrix(model, one.point.q), np.zeros(model.nv)
        shape[free] = one.shape * np.sign(one.shape[np.abs(one.shape).argmax()])
        shapes[:, k] = shape / np.sqrt(shape @ M @ shape)
        stored[:, k], moving[:, k] = shapes[:, k] * (start.K @ shapes[:, k]), shapes[:, k] * (M @ shapes[:, k])
    return BucklingModes(
        factors=np.array([scale * one.point.s for one in found.critical]),
        kinds=tuple(one.kind for one in found.critical),
        frequencies=np.array([one.frequency for one in found.critical]),
        shapes=shapes,
        labels=participation.labels(every, stored, moving, np.zeros(count, bool)),
        coordinates=model.coordinates,
        q=np.array([one.point.q for one in found.critical]).reshape(-1, model.nq),
        reached=scale * found.reached if scale else np.inf,
        resolved=resolved,
        name=model.robot.name,
        model=model,
    )
