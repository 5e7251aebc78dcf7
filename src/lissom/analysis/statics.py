"""Static equilibrium: how an arm sags, and what holds it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lissom import printing
from lissom.analysis.closed import free_displacements, multipliers, reaction_stiffness
from lissom.analysis.deflection import Deflection, bending_doubts, tip_deflections
from lissom.analysis.holding import Hold, held_coordinates, refuse_held_forces
from lissom.analysis.tangent import Loads, load_forces
from lissom.dynamics import bias, integrate, inverse_derivatives
from lissom.dynamics.closing import close_loops, closed_configuration, length_gaps
from lissom.dynamics.coordinates import (
    Named,
    along_coordinates,
    configuration,
    forces,
    indices,
)
from lissom.dynamics.loops import loop_gaps, loop_jacobian, reactions
from lissom.dynamics.state import NotFinite, Vector, Wrenches
from lissom.errors import LissomError
from lissom.messages import brief
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.compiled import BodyNames, Model
from lissom.printing import Printed

if TYPE_CHECKING:
    from rich.table import Table

ITERATIONS = 200
TOLERANCE = 1e-13  # of the last correction, relative to the displacement
ROUNDING = 1e-9  # of the displacement: a correction below it that no longer shrinks is made of rounding
BALANCED = 1e-13  # force that counts as none where nothing resists it, relative to the weight
CLOSED = 1e-12  # m or rad, of a step that closes loops
LARGEST_TURN = 0.5  # rad or m, of a free joint in one iteration


@dataclass(frozen=True, eq=False)
class Equilibrium(Printed):
    """A state of rest."""

    q: Vector  # (nq,) configuration
    tau: Vector  # (nv,) forces: those given, and on held coordinates those that hold
    deflections: dict[str, Deflection]  # of each flexible link
    residual: Vector  # (nv,) forces left unbalanced
    stable: bool  # whether it comes back after a small push, held coordinates staying
    iterations: int
    warnings: tuple[str, ...] = ()
    multipliers: Vector = field(default_factory=lambda: np.zeros(0))  # (rows,) of the loops, the least that balance
    model: Model = field(repr=False, kw_only=True)
    wrenches: Wrenches | None = field(repr=False, kw_only=True)
    loads: Loads = field(repr=False, kw_only=True)
    lengths: Mapping[str, float] = field(default_factory=dict, repr=False, kw_only=True)  # of loops, if not their own

    @property
    def torques(self) -> dict[str, float]:
        """Force or torque of every motor, by coordinate."""
        return {self.model.coordinates[k]: float(self.tau[k]) for k in self.model.actuated}

    @property
    def loop_wrenches(self) -> dict[str, np.ndarray]:
        """Torque and force (6,) of each loop's first frame on its second, at its origin in its axes."""
        rows, second = reactions(self.model, self.q, self.multipliers), self.model.arrays.loops.second
        return {loop.name: rows[at] for loop, at in zip(self.model.loops, second, strict=True)}

    def table(self) -> Table:
        """A rich table of deflections and motor torques."""
        how = "stable" if self.stable else "unstable: a small push makes it leave"
        table = printing.table("part", "value", title=f"{self.model.robot.name} at rest", caption=how)
        for link, tip in self.deflections.items():
            shift, turn = np.linalg.norm(tip.displacement), np.degrees(np.linalg.norm(tip.rotation))
            table.add_row(f"{link} deflection", f"{1e3 * shift:.4g} mm, {turn:.4g} deg")
        for described, body in zip(self.model.robot.bodies, self.model.bodies, strict=True):
            motors = range(body.joint_v.start, body.joint_v.stop) if body.rotor_v is None else [body.rotor_v]
            for k, unit in zip(motors, described.joint.kind.force_units):
                if k in self.model.actuated:
                    table.add_row(f"{self.model.coordinates[k]} motor", f"{self.tau[k]:.5g} {unit}")
        return table


def static_equilibrium(
    robot: AnyRobot,
    q: ArrayLike | Named | None = None,
    tau: ArrayLike | Named | None = None,
    hold: Hold = "joints",
    wrenches: Wrenches | None = None,
    loads: Loads | None = None,
    lengths: Mapping[str, float] | None = None,
) -> Equilibrium:
    """State of rest under gravity, springs and loads (Newton's method with the exact stiffness).

    Loops stay closed: what is not held moves so that they are, and their reactions are part of the result.

    Args:
        q: where held coordinates stand and where the search begins: (nq,), or {joint: value}; neutral unless
            given.
        tau: forces on coordinates that are not held, (nv,) or {joint: value}; zero unless given.
        hold: "joints" keeps every joint at its angle in `q` (in loops those near the ground, which the others
            follow): links bend, and the rotor of an elastic joint winds up by the torque it transmits. "motors"
            keeps the rotors (and joints without one), so that elastic joints give way too. Or the names to hold,
            joints ("elbow") and rotors ("elbow.rotor"); () leaves all free. Prescribed joints are always held.
        wrenches: external wrenches by link name, (torque, force) at the link's origin in its axes, turning
            with it.
        loads: wrenches (torque, force) in the world's axes, by link name at its tip or by (link, x).
        lengths: distance in metres of loops that hold one, where it is not the robot's own.
    Returns:
        An Equilibrium. Free joints settle where the arm would come to rest, if they start off a balance
        point.
    """
    model = as_model(robot)
    hold = hold if isinstance(hold, str) else tuple(hold)
    by_name = (("loads", loads, "{'hand': [0, 0, 0, 0, 0, -20]}"), ("lengths", lengths, "{'lift': 2.5}"))
    for name, given, example in by_name:
        if given is not None and not isinstance(given, Mapping):
            raise LissomError(f"must be given by name, such as {example}", (name,), given)
    closing = model.loops and hold == "joints"  # elsewhere the search closes them around what is held
    pose = close_loops(model, q, lengths=lengths) if closing else configuration(model, q)
    if isinstance(tau, Mapping):
        refuse_held_forces(model, tau, held_coordinates(model, hold, pose, lengths))
    search = _Search(model, pose, forces(model, tau), hold, wrenches, dict(loads or {}), dict(lengths or {}))
    return search.equilibrium()


class _Search:
    """Newton's method on the free coordinates."""

    def __init__(
        self,
        model: Model,
        q: Vector,
        tau: Vector,
        hold: Hold,
        wrenches: Wrenches | None,
        loads: dict[Any, Any],
        lengths: dict[str, float],
    ) -> None:
        self.model, self.q, self.tau, self.begun = model, q, tau, q.copy()
        self.wrenches, self.loads, self.load = wrenches, loads, partial(load_forces, model, loads=loads)
        self.lengths = lengths
        self.wound: list[BodyNames] = []  # elastic joints held at the link: their rotors follow by the torque
        self.held = self._held(hold, lengths)
        self._release(np.setdiff1d(np.arange(model.nv), self.held))
        self.lam = np.zeros(len(model.arrays.loops.hold))
        self.wanted = length_gaps(model, lengths)
        if model.loops:
            self.q = closed_configuration(model, self.q, set(self.held.tolist()), lengths)

    def _held(self, hold: Hold, lengths: dict[str, float]) -> np.ndarray:
        model = self.model
        held = set(np.flatnonzero(model.arrays.velocities.prescribed).tolist())
        held |= set(held_coordinates(model, hold, self.q, lengths))
        for body in model.bodies:
            if body.rotor_v is not None and body.joint_v.start in held:
                if body.rotor_v in held:
                    raise LissomError("and its rotor: hold one side of an elastic joint", ("hold",), body.joint)
                self.wound.append(body)
                self.q[body.rotor_q] = self.q[body.joint_q.start]
                held.add(body.rotor_v)
        return np.array(sorted(held), np.int64)

    def _release(self, free: np.ndarray) -> None:
        """Let these coordinates move."""
        joints = {k for body in self.model.bodies for k in indices(body.joint_v)}
        self.free, self.turning = free, np.array([k in joints for k in free], bool)
        self.open = free_displacements(self.model, self.q, free)

    def equilibrium(self) -> Equilibrium:
        steps, definite = self._settled() if len(self.free) else (0, True)
        needed = self._unbalanced(self.q) + self.tau
        for body in self.wound:
            joint = body.joint_v.start
            assert body.rotor_v is not None and body.rotor_q is not None
            torque = needed[joint] + needed[body.rotor_v] - self.tau[joint]  # what the gear gives unwound is in both
            self._wind(body.rotor_q, body.rotor_v, torque)
            self.tau[body.rotor_v] = torque
        wound = {k for body in self.wound for k in (body.joint_v.start, body.rotor_v)}
        held = [k for k in self.held if k not in wound]
        self.tau[held] = needed[held]
        deflections = tip_deflections(self.model, self.q)
        return Equilibrium(
            self.q,
            self.tau,
            deflections,
            self._unbalanced(self.q),
            definite,
            steps,
            tuple(bending_doubts(self.model, deflections)),
            multipliers=self.lam,
            model=self.model,
            wrenches=self.wrenches,
            loads=self.loads,
            lengths=self.lengths,
        )

    def _settled(self) -> tuple[int, bool]:
        """Newton's method; where the arm would topple, its joints settle before its links bend."""
        modes = {k for body in self.model.bodies for k in indices(body.modes_v)}
        free, start = self.free, self.q
        stiff = np.array([k for k in free if k not in modes], np.int64)
        if not (0 < len(stiff) < len(free) and self._topples()):
            return self._solve(ITERATIONS)
        self._release(stiff)
        try:
            steps, _ = self._solve(ITERATIONS)
        except LissomError as far:  # loops that close only by bending may yet allow it
            self.q = start
            self._release(free)
            with suppress(LissomError):
                return self._solve(ITERATIONS // 2)
            raise far from None
        self._release(free)
        further, definite = self._solve(ITERATIONS)
        return steps + further, definite

    def _topples(self) -> bool:
        """Whether something would give way where the search begins."""
        with suppress(NotFinite):
            _, stiffness, mass, *_ = self._reduced(*self._linear())
            return len(mass) > 0 and not _spread(stiffness, mass)[2]
        return False

    def _wind(self, rotor_q: int, rotor_v: int, torque: float) -> None:
        """Turn a rotor until its gear transmits `torque`; gears stiffen as they like."""
        from scipy.optimize import brentq

        zero, start = np.zeros(self.model.nv), self.q[rotor_q]

        def excess(angle: float) -> float:
            self.q[rotor_q] = start + angle
            return float(bias(self.model, self.q, zero, self.wrenches)[rotor_v]) - torque

        missing = -excess(0.0)
        stiffness = inverse_derivatives(self.model, self.q, zero, zero, self.wrenches).q[rotor_v, rotor_v]
        angle = missing / stiffness if stiffness > 0 else np.sign(missing) * 1e-3
        while excess(angle) * missing < -1e-9 * missing**2:
            angle *= 2
        if abs(excess(angle)) > 1e-9 * abs(missing):
            angle = brentq(excess, 0.0, angle, xtol=1e-15 + 1e-13 * abs(angle))
        self.q[rotor_q] = start + angle

    def _unbalanced(self, q: Vector) -> Vector:
        force = bias(self.model, q, np.zeros(self.model.nv), self.wrenches) - self.tau - self.load(q)
        return force - loop_jacobian(self.model, q).T @ self.lam if len(self.lam) else force

    def _linear(self) -> tuple[Vector, np.ndarray, np.ndarray]:
        """Unbalanced forces, their stiffness, the mass matrix, on the free coordinates; reactions of loops renewed."""
        zero = np.zeros(self.model.nv)
        exact = inverse_derivatives(self.model, self.q, zero, zero, self.wrenches)
        force, stiffness = exact.tau - self.tau, exact.q[:, self.free]
        if self.loads:
            force = force - self.load(self.q)
            stiffness = stiffness - along_coordinates(self.model, self.q, self.load, self.free)
        if len(self.lam):
            self.open = free_displacements(self.model, self.q, self.free)
            self.lam = multipliers(self.open, force[self.free])
            force = force - loop_jacobian(self.model, self.q).T @ self.lam
            stiffness = stiffness - reaction_stiffness(self.model, self.q, self.lam, self.free)
        return force[self.free], stiffness[self.free], exact.a[np.ix_(self.free, self.free)]

    def _solve(self, most: int) -> tuple[int, bool]:
        """How many of at most so many iterations it took to balance the free coordinates, and whether they stay so."""
        weight = np.sqrt(self.model.arrays.inertia.mass.sum()) * np.linalg.norm(self.model.arrays.gravity)
        largest, strongest, before = 0.0, weight, np.inf
        correction = np.zeros(len(self.free))
        for iteration in range(most):
            try:
                force, stiffness, mass = self._linear()
            except NotFinite:
                break
            force, stiffness, mass, Z, closing = self._reduced(force, stiffness, mass)
            if not len(force):
                self._move(closing)
                if np.abs(closing).max(initial=0.0) <= CLOSED:
                    return iteration, True
                continue
            softest, floor, definite = _spread(stiffness, mass)
            # Where the arm would topple, a shift by the mass turns Newton's step into one downhill.
            shift = 0.0 if definite else 1.5 * abs(softest) + floor + np.finfo(float).tiny
            strength = np.sqrt(force @ np.linalg.solve(mass, force))
            strongest = max(strongest, strength)
            if not definite and strength <= BALANCED * strongest:
                return iteration, bool(softest > -floor)
            matrix = stiffness + shift * mass
            reduced = -np.linalg.solve(matrix, force)
            correction = closing + Z @ reduced
            size = np.sqrt(reduced @ mass @ reduced)
            largest = max(largest, 1e-4 * np.sqrt(mass.diagonal().max()), self._displacement(mass, Z))
            small = size <= TOLERANCE * largest or before / 2 <= size <= ROUNDING * largest
            before = size
            if small and np.abs(closing).max(initial=0.0) <= CLOSED:
                self._move(correction)
                return iteration, bool(softest > -floor)
            step = self._damped(correction, matrix, mass, Z, size, definite)
            largest = max(
                largest, size * np.abs(step).max(initial=0.0) / max(np.abs(correction).max(initial=0.0), 1e-300)
            )
            self._move(step)
        raise self._failure(most, correction)

    def _reduced(
        self, force: Vector, stiffness: np.ndarray, mass: np.ndarray
    ) -> tuple[Vector, np.ndarray, np.ndarray, np.ndarray, Vector]:
        """Force, stiffness and mass of what loops leave free, the basis Z of that, and the step that closes them."""
        Z = self.open.basis
        if not len(self.lam):
            return force, stiffness, mass, Z, np.zeros(len(force))
        closing = -self.open.back @ (loop_gaps(self.model, self.q) - self.wanted)
        return Z.T @ (force + stiffness @ closing), Z.T @ stiffness @ Z, Z.T @ mass @ Z, Z, closing

    def _displacement(self, mass: np.ndarray, Z: np.ndarray) -> float:
        """Size of the elastic displacement so far, in the measure of the mass."""
        eta = np.zeros(self.model.nv)
        for body in self.model.bodies:
            eta[body.modes_v] = self.q[body.modes_q]
        moved = Z.T @ eta[self.free]
        return float(np.sqrt(moved @ mass @ moved))

    def _damped(
        self, correction: Vector, matrix: np.ndarray, mass: np.ndarray, Z: np.ndarray, size: float, definite: bool
    ) -> Vector:
        """The correction, shortened where the next would be no smaller (Deuflhard's monotonicity test)."""
        turn = np.abs(correction[self.turning]).max(initial=0.0)
        factor = min(1.0, LARGEST_TURN / turn) if turn > 0 else 1.0
        while definite and factor > 1e-3:
            with suppress(NotFinite):
                left = Z.T @ self._unbalanced(self._moved(factor * correction))[self.free]
                following = np.linalg.solve(matrix, left)
                if following @ mass @ following <= size**2:
                    break
            factor /= 2
        return factor * correction

    def _moved(self, correction: Vector) -> Vector:
        step = np.zeros(self.model.nv)
        step[self.free] = correction
        return integrate(self.model, self.q, step)

    def _move(self, correction: Vector) -> None:
        self.q = self._moved(correction)

    def _failure(self, most: int, correction: Vector) -> LissomError:
        worst = int(np.argmax(np.abs(np.nan_to_num(correction, nan=np.inf))))
        name = self.model.coordinates[self.free[worst]]
        doubts = bending_doubts(self.model, tip_deflections(self.model, self.q)) if np.all(np.isfinite(self.q)) else []
        remedy = "the load may be more than the links carry; lower it, stiffen the link or begin nearer"
        if self.turning[worst]:
            body = next(body for body in self.model.bodies if self.free[worst] in indices(body.joint_v))
            remedy = (
                "hold it, give it a spring or the torque that balances it, or begin nearer to rest than "
                f"{body.joint} = {brief(np.squeeze(self.begun[body.joint_q]))}"
            )
        robot = self.model.robot.name
        text = f"no static equilibrium of {robot} found in {most} iterations: {name} still moves"
        return LissomError("; ".join([text, *doubts, remedy]))


def _spread(stiffness: np.ndarray, mass: np.ndarray) -> tuple[float, float, bool]:
    """The least eigenvalue of the stiffness beside the mass, what of it is rounding, and whether it lies above that."""
    from scipy.linalg import eigvalsh

    spread = eigvalsh((stiffness + stiffness.T) / 2, mass)
    floor = 1e-12 * np.abs(spread).max()
    return float(spread[0]), float(floor), bool(spread[0] > floor)
