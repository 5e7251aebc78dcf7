"""The balance of forces on coordinates that may move: what is left unbalanced, its stiffness, Newton's method."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from lissom.analysis.equilibrium.actuators_at_rest import resting_states
from lissom.analysis.equilibrium.deflection import Deflection, tip_deflections
from lissom.analysis.equilibrium.loop_freedoms import LoopFreedoms, free_displacements, multipliers, reaction_stiffness
from lissom.analysis.equilibrium.tangent_matrices import Eigenmodes, Loads, Tangent, eigenmodes, load_forces, tangent
from lissom.dynamics import bias, integrate
from lissom.dynamics.coordinates import indices
from lissom.dynamics.kinematic_loops.loop_closing import length_gaps
from lissom.dynamics.kinematic_loops.loop_kinematics import loop_gaps, loop_jacobian
from lissom.dynamics.state_checks import NotFinite, Vector, Wrenches
from lissom.lie import so3
from lissom.model.model import Model

TOLERANCE = 1e-13  # of the last correction, relative to the displacement
ROUNDING = 1e-9  # of the displacement: a correction below it that no longer shrinks is made of rounding
BALANCED = 1e-13  # force that counts as none where nothing resists it, relative to the weight
CLOSED = 1e-12  # m or rad, of a step that closes loops
LARGEST_TURN = 0.5  # rad or m, of a free joint in one iteration
LARGEST_BEND = 0.5  # rad, or share of the length, of a link's tip in one iteration where something gives way
FLOOR = 1e-12  # of the largest stiffness beside the mass: what lies below is no stiffness
CONDITION = 1e8  # of mode shapes that can still be told apart
ABSURD = 100.0  # lengths that no link deflects by


class Away(Exception):
    """The search left the states that have numbers."""


class Reduced(NamedTuple):
    """The balance on what loops leave free: columns of the basis Z of the free coordinates."""

    force: Vector  # (k,) unbalanced, once the loops are closed
    M: np.ndarray  # (k, k)
    C: np.ndarray
    K: np.ndarray
    Z: np.ndarray  # (free, k)
    closing: Vector  # (free,) the step that closes the loops
    lam: Vector  # (rows,) multipliers of the loops


class ForceBalance:
    """Forces on the free coordinates of a model at rest."""

    def __init__(
        self,
        model: Model,
        free: np.ndarray,
        tau: Vector,
        wrenches: Wrenches | None,
        loads: Loads,
        lengths: Mapping[str, float],
    ) -> None:
        self.model, self.tau, self.wrenches, self.loads = model, tau, wrenches, loads
        self.still = resting_states(model, tau)
        self.wanted = length_gaps(model, lengths)
        self.joints = {k for body in model.bodies for k in indices(body.joint_v)}
        self.release(free)

    def release(self, free: np.ndarray) -> None:
        """Let these coordinates move, and no others."""
        self.free, self.turning = free, np.array([k in self.joints for k in free], bool)

    def unloaded(self) -> ForceBalance:
        """Return the balance of springs and elastic links alone: no weight, loads, wrenches and given forces."""
        arrays = self.model.arrays._replace(gravity=np.zeros_like(self.model.arrays.gravity))
        model = self.model.with_arrays(arrays)
        commands = np.where(np.arange(model.nv) < model.moving, 0.0, self.tau)
        bare = ForceBalance(model, self.free, commands, None, {}, {})
        bare.wanted = self.wanted
        return bare

    def unbalanced(self, q: Vector, lam: Vector) -> Vector:
        """Return the forces (nv,) that would have to act to keep the arm at q."""
        force = bias(self.model, q, self.still, self.wrenches) - self.tau
        if self.loads:
            force = force - load_forces(self.model, q, self.loads)
        return force - loop_jacobian(self.model, q).T @ lam if len(lam) else force

    def tangent(self, q: Vector) -> Tangent:
        """Return forces and matrices at q, reactions of loops left out."""
        found = tangent(self.model, q, self.wrenches, self.loads, along=self.free, tau=self.tau)
        return found._replace(force=found.force - self.tau)

    def reduce(self, q: Vector, found: Tangent) -> Reduced:
        """Return the balance with the reactions that hold the loops."""
        free, force, K = self.free, found.force, found.K
        M, C = (part[np.ix_(free, free)] for part in (found.M, found.C))
        if not self.model.loops:
            return Reduced(force[free], M, C, K[free], np.eye(len(free)), np.zeros(len(free)), np.zeros(0))
        open_: LoopFreedoms = free_displacements(self.model, q, free)
        lam = multipliers(open_, force[free])
        force = force - loop_jacobian(self.model, q).T @ lam
        K = (K - reaction_stiffness(self.model, q, lam, free))[free]
        closing = -open_.back @ (loop_gaps(self.model, q) - self.wanted)
        Z = open_.basis
        return Reduced(Z.T @ (force[free] + K @ closing), Z.T @ M @ Z, Z.T @ C @ Z, Z.T @ K @ Z, Z, closing, lam)

    def at(self, q: Vector) -> Reduced:
        """Return the balance at q; raise `Away` where it has no numbers."""
        try:
            return self.reduce(q, self.tangent(q))
        except (NotFinite, np.linalg.LinAlgError):
            raise Away from None

    def whole(self, step: Vector) -> Vector:
        """Return a step of the free coordinates as one of all, (nv,)."""
        out = np.zeros(self.model.nv)
        out[self.free] = step
        return out

    def moved(self, q: Vector, step: Vector) -> Vector:
        """Return q moved along the free coordinates; raise `Away` where that leads beyond all lengths."""
        out = integrate(self.model, q, self.whole(step))
        if not np.all(np.isfinite(out)) or not self.sane(out):
            raise Away
        return out

    def sane(self, q: Vector) -> bool:
        """Return whether no mode is a hundred times as large as its link."""
        for body in self.model.bodies:
            if body.link in self.model.flexible:
                beam = self.model.flexible[body.link]
                if np.abs(q[body.modes_q]).max(initial=0.0) > ABSURD * max(beam.length, 1.0):
                    return False
        return True


def spectrum(found: Reduced) -> Eigenmodes:
    """Return undamped modes of a balance; `Away` where its mass is none."""
    from scipy.linalg import LinAlgError

    try:
        return eigenmodes(found.M, found.K)
    except (LinAlgError, ValueError):
        raise Away from None


def gives_way(modes: Eigenmodes) -> tuple[float, float]:
    """Return the least real square of a frequency, and the size below which it is none."""
    squares = modes.squares[np.imag(modes.squares) == 0].real
    return float(squares.min(initial=np.inf)), FLOOR * float(np.abs(modes.squares).max(initial=0.0))


class Settled(NamedTuple):
    """Where Newton's method came to rest."""

    q: Vector
    lam: Vector
    iterations: int
    doubtful: bool  # whether it may have passed states where something gives way


class Unsettled(Exception):
    """Newton's method did not come to rest."""

    def __init__(self, correction: Vector, iterations: int) -> None:
        super().__init__("unsettled")
        self.correction, self.iterations = correction, iterations  # the last one, (nv,)


def newton(balance: ForceBalance, q: Vector, most: int) -> Settled:
    """Return Newton's method on the free coordinates, in at most so many iterations.

    Where something gives way, its direction is followed downhill: what is unstable is left unless it is balanced.
    """
    model = balance.model
    weight = np.sqrt(model.arrays.inertia.mass.sum()) * np.linalg.norm(model.arrays.gravity)
    largest, strongest, before = 0.0, weight, np.inf
    correction, first, travel, doubtful = np.zeros(len(balance.free)), None, np.zeros(len(balance.free)), False
    for iteration in range(most):
        try:
            # Nothing is free but to close the loops.
            here = balance.at(q)
            if not len(here.force):
                q = balance.moved(q, here.closing)
                if np.abs(here.closing).max(initial=0.0) <= CLOSED:
                    return Settled(q, here.lam, iteration, False)
                continue
            # Balanced without being stable: a state of rest all the same.
            modes = spectrum(here)
            softest, floor = gives_way(modes)
            definite = softest > floor
            strength = _norm(np.linalg.solve(here.M, here.force), here.M)
            strongest = max(strongest, strength)
            if not definite and strength <= BALANCED * strongest:
                return Settled(q, here.lam, iteration, doubtful)
            # The correction K u = -f, or downhill where something gives way; done where it is small, or only rounding.
            reduced = -(np.linalg.solve(here.K, here.force) if definite else _downhill(modes, here, floor))
            correction = here.closing + here.Z @ reduced
            size = _norm(reduced, here.M)
            largest = max(largest, 1e-4 * np.sqrt(here.M.diagonal().max()), _elastic_displacement(balance, q, here))
            small = size <= TOLERANCE * largest or before / 2 <= size <= ROUNDING * largest
            before = size
            if small and np.abs(here.closing).max(initial=0.0) <= CLOSED:
                if first is not None:
                    doubtful |= bool(np.linalg.norm(travel - first) > 0.5 * np.linalg.norm(first))
                return Settled(balance.moved(q, correction), here.lam, iteration, doubtful)
            # A step of it, damped; a path that turns back on itself makes the result doubtful.
            step = (
                _shorten_correction(balance, q, here, correction, size) if definite else _short(balance, q, correction)
            )
            first = correction if first is None else first
            doubtful |= not definite
            travel = travel + step
            whole = np.abs(correction).max(initial=0.0)
            largest = max(largest, size * np.abs(step).max(initial=0.0) / max(whole, 1e-300))
            q = balance.moved(q, step)
        except (Away, np.linalg.LinAlgError):
            raise Unsettled(balance.whole(correction), iteration + 1) from None
    raise Unsettled(balance.whole(correction), most)


def _downhill(modes: Eigenmodes, here: Reduced, floor: float) -> Vector:
    """Return Newton's step with the stiffness of what gives way reversed, and none less than a floor."""
    from scipy.linalg import eigh

    squares, X = modes.squares, modes.shapes
    least = floor + np.finfo(float).tiny
    if not modes.potential and np.linalg.cond(X) < CONDITION:
        turned = np.where(np.imag(squares) == 0, np.maximum(np.abs(squares), least), squares)
        return np.real(X @ (np.linalg.solve(X, np.linalg.solve(here.M, here.force)) / turned))
    if not modes.potential:  # far from rest what turns on a group is unsymmetric too
        squares, X = eigh((here.K + here.K.T) / 2, here.M)
    return X @ (X.T @ here.force / np.maximum(np.abs(squares), least))


def _shorten_correction(balance: ForceBalance, q: Vector, here: Reduced, correction: Vector, size: float) -> Vector:
    """Shorten the correction where the next would be no smaller (Deuflhard's monotonicity test)."""
    turn = np.abs(correction[balance.turning]).max(initial=0.0)
    factor = min(1.0, LARGEST_TURN / turn) if turn > 0 else 1.0
    while factor > 1e-3:
        with suppress(NotFinite, Away):
            left = here.Z.T @ balance.unbalanced(balance.moved(q, factor * correction), here.lam)[balance.free]
            if _norm(np.linalg.solve(here.K, left), here.M) <= size:
                break
        factor /= 2
    return factor * correction


def _short(balance: ForceBalance, q: Vector, correction: Vector) -> Vector:
    """Shorten the correction so that no joint and no tip goes far."""
    turn = np.abs(correction[balance.turning]).max(initial=0.0)
    factor = min(1.0, LARGEST_TURN / turn) if turn > 0 else 1.0
    before = tip_deflections(balance.model, q)
    for _ in range(60):
        with suppress(Away):
            after = tip_deflections(balance.model, balance.moved(q, factor * correction))
            if all(_tip_travel(balance.model, link, before[link], after[link]) <= LARGEST_BEND for link in after):
                break
        factor /= 2
    return factor * correction


def _tip_travel(model: Model, link: str, before: Deflection, after: Deflection) -> float:
    """Return how far a tip is moved in lengths or turned in rad, whichever is more."""
    shift = np.linalg.norm(after.displacement - before.displacement) / model.flexible[link].length
    return float(max(shift, np.linalg.norm(so3.log(so3.exp(before.rotation).T @ so3.exp(after.rotation)))))


def _elastic_displacement(balance: ForceBalance, q: Vector, here: Reduced) -> float:
    """Return the size of the elastic displacement so far, in the measure of the mass."""
    eta = np.zeros(balance.model.nv)
    for body in balance.model.bodies:
        eta[body.modes_v] = q[body.modes_q]
    return _norm(here.Z.T @ eta[balance.free], here.M)


def _norm(x: Vector, M: np.ndarray) -> Any:
    return np.sqrt(max(float(x @ M @ x), 0.0))
