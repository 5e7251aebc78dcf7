"""Static equilibrium: how an arm sags, and what holds it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lissom import printing
from lissom.analysis.equilibrium.deflection import Deflection, check_bending, tip_deflections
from lissom.analysis.equilibrium.force_balance import (
    ABSURD,
    Away,
    Balance,
    Settled,
    Unsettled,
    gives_way,
    newton,
    spectrum,
)
from lissom.analysis.equilibrium.held_coordinates import Hold, held_coordinates, refuse_held_forces
from lissom.analysis.equilibrium.load_path import Path, load_path
from lissom.analysis.equilibrium.tangent_matrices import Loads, grows
from lissom.analysis.field_validity import field_doubts
from lissom.beam.flexible_link import SMALL
from lissom.dynamics import bias, inverse_derivatives, mass_matrix
from lissom.dynamics.coordinates import Named, configuration, forces, indices
from lissom.dynamics.loops.cylinder_pose import closed_pose, split_lengths
from lissom.dynamics.loops.loop_angles import angles_off
from lissom.dynamics.loops.loop_closing import ASSEMBLED, close_loops, closed_configuration
from lissom.dynamics.loops.loop_kinematics import reactions
from lissom.dynamics.state_checks import NotFinite, Vector, Wrenches
from lissom.errors import LissomError
from lissom.messages import brief
from lissom.model.any_robot import AnyRobot, model_for
from lissom.model.description.frame import Frame
from lissom.model.model import BodyNames, Model
from lissom.printing import Printed

if TYPE_CHECKING:
    from rich.table import Table

ITERATIONS = 200
BENDING = 60  # iterations where links alone move: beyond them, loads grow step by step
UNBALANCED = 1e-6  # of what acts: force beyond which a state is not at rest
BETWEEN = (0.25, 0.5, 0.75)  # of the way to rest, where something may have given way


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
    growth: float = 0.0  # 1/s, of the fastest small motion that leaves it; zero where it is stable
    flutter: float = 0.0  # Hz, of that motion; zero where it topples or buckles
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
        """Return a rich table of deflections and motor torques."""
        how = "stable"
        if not self.stable:
            flutters = f", fluttering at {self.flutter:.4g} Hz" if self.flutter else ""
            how = f"unstable: a small push makes it leave by {self.growth:.3g} 1/s{flutters}"
        title = f"{self.model.robot.name} at rest"
        table = printing.table("part", "value", title=title, caption="\n".join([how, *self.warnings]))
        for link, tip in self.deflections.items():
            shift, turn = np.linalg.norm(tip.displacement), np.degrees(np.linalg.norm(tip.rotation))
            table.add_row(f"{link} deflection", f"{1e3 * shift:.4g} mm, {turn:.4g} deg")
        for described, body in zip(self.model.robot.bodies, self.model.bodies, strict=True):
            motors = range(body.joint_v.start, body.joint_v.stop) if body.rotor_v is None else [body.rotor_v]
            for k, unit in zip(motors, described.joint.kind.force_units):
                if k in self.model.actuated:
                    table.add_row(f"{self.model.coordinates[k]} motor", f"{self.tau[k]:.5g} {unit}")
        for loop in self.model.loops:
            torque, force = np.split(self.loop_wrenches[loop.name], 2)
            if loop.distance is None:
                table.add_row(f"{loop.name} loop", f"{np.linalg.norm(force):.5g} N, {np.linalg.norm(torque):.5g} N m")
            else:
                push = float(self.multipliers[self.model.arrays.loops.rows[self.model.loops.index(loop), 0]])
                table.add_row(f"{loop.name} {'push' if push > 0 else 'pull'}", f"{abs(push):.5g} N")
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
    """Find the state of rest under gravity, springs and loads (Newton's method with the exact stiffness).

    Loops stay closed: what is not held moves so that they are, and their reactions are part of the result. Where
    Newton's method does not get there, loads grow step by step along the path of rest, past limit points.

    Parameters
    ----------
    q : array_like or mapping, optional
        Where held coordinates stand and where the search begins: (nq,), or {joint: value}; neutral unless given.
        Cylinders driven by length may be named like joints; with `hold="joints"` those that are not follow the
        joints that are.
    tau : array_like or mapping, optional
        Forces on coordinates that are not held, (nv,) or {joint: value}; zero unless given.
    hold : str or sequence of str
        "joints" keeps every joint at its angle in `q` (in loops those near the ground, which the others follow):
        links bend, and the rotor of an elastic joint winds up by the torque it transmits. "motors" keeps the rotors
        (and joints without one), so that elastic joints give way too. Or the names to hold, joints ("elbow") and
        rotors ("elbow.rotor"); () leaves all free. Prescribed joints are always held.
    wrenches : mapping of str to array_like, optional
        External wrenches by link name, (torque, force) at the link's origin in its axes, turning with it.
    loads : mapping, optional
        Wrenches (torque, force) in the world's axes, by link name at its tip or by (link, x).
    lengths : mapping of str to float, optional
        Distance in metres of loops that hold one, where it is not the robot's own.

    Returns
    -------
    Equilibrium
        An Equilibrium, or an error that says how far the loads could grow: what is returned is at rest. Free joints
        settle where the arm would come to rest, if they start off a balance point. Links bent beyond their range
        (`stiffening: exact` has none) and limit points that were passed are told by a warning and in `warnings`.
    """
    places = [key for key in loads or () if isinstance(key, tuple) and len(key) == 2]
    model = model_for(robot, places, q)
    hold = hold if isinstance(hold, str) else tuple(hold)
    by_name = (("loads", loads, "{'hand': [0, 0, 0, 0, 0, -20]}"), ("lengths", lengths, "{'lift': 2.5}"))
    for name, given, example in by_name:
        if given is not None and not isinstance(given, Mapping):
            raise LissomError(f"must be given by name, such as {example}", (name,), given)
    closing = model.loops and hold == "joints"  # elsewhere the search closes them around what is held
    q, lengths = split_lengths(model, q, lengths)
    if closing and isinstance(q, Mapping):
        pose, lengths = closed_pose(model, q, lengths)
    else:
        pose = close_loops(model, q, lengths=lengths) if closing else configuration(model, q)
    if isinstance(tau, Mapping):
        refuse_held_forces(model, tau, held_coordinates(model, hold, pose, lengths))
    found = find_equilibrium(model, pose, forces(model, tau), hold, wrenches, loads, lengths)
    for doubt in found.warnings:
        warnings.warn(f"{model.robot.name}: {doubt}", StaticsWarning, stacklevel=2)
    return found


class StaticsWarning(UserWarning):
    """A state of rest that was found, but lies beyond what its model or its loads are good for."""


def find_equilibrium(
    model: Model,
    q: Vector,
    tau: Vector,
    hold: Hold = "joints",
    wrenches: Wrenches | None = None,
    loads: Loads | None = None,
    lengths: Mapping[str, float] | None = None,
) -> Equilibrium:
    """Find the equilibrium of a model at a closed configuration; warnings are in the result alone."""
    return _EquilibriumSearch(model, q, tau, hold, wrenches, dict(loads or {}), dict(lengths or {})).equilibrium()


class _EquilibriumSearch:
    """Rest by Newton's method, along the path of growing loads where that does not find it."""

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
        self.model, self.q, self.tau, self.begun = model, q.copy(), tau, q.copy()
        self.lengths, self.doubts = lengths, list[str]()
        self.wound: list[BodyNames] = []  # elastic joints held at the link: their rotors follow by the torque
        self.held = self._held(hold)
        free = np.setdiff1d(np.arange(model.nv), self.held)
        self.balance = Balance(model, free, tau, wrenches, loads, lengths)
        self.lam = np.zeros(len(model.arrays.loops.hold))
        if model.loops:
            self.q = closed_configuration(model, self.q, set(self.held.tolist()), lengths)

    def _held(self, hold: Hold) -> np.ndarray:
        model = self.model
        held = set(np.flatnonzero(model.arrays.velocities.prescribed).tolist())
        held |= set(held_coordinates(model, hold, self.q, self.lengths))
        for body in model.bodies:
            if body.rotor_v is not None and body.joint_v.start in held:
                if body.rotor_v in held:
                    raise LissomError("and its rotor: hold one side of an elastic joint", ("hold",), body.joint)
                self.wound.append(body)
                self.q[body.rotor_q] = self.q[body.joint_q.start]
                held.add(body.rotor_v)
        return np.array(sorted(held), np.int64)

    def equilibrium(self) -> Equilibrium:
        iterations = self._settle() if len(self.balance.free) else 0
        needed = self.balance.unbalanced(self.q, self.lam) + self.tau
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
        growth, hertz = self._growth()
        return Equilibrium(
            self.q,
            self.tau,
            deflections,
            self.balance.unbalanced(self.q, self.lam),
            growth == 0,
            iterations,
            (*self._link_doubts(), *check_bending(self.model, deflections), *self.doubts),
            multipliers=self.lam,
            growth=growth,
            flutter=hertz if growth else 0.0,
            model=self.model,
            wrenches=self.balance.wrenches,
            loads=self.balance.loads,
            lengths=self.lengths,
        )

    def _growth(self) -> tuple[float, float]:
        """Return the fastest growth of small motions (1/s), held coordinates staying, and its frequency."""
        if not len(self.balance.free):
            return 0.0, 0.0
        here = self.balance.at(self.q)
        growth, hertz = grows(here.M, here.C, here.K)
        softest, floor = gives_way(spectrum(here))
        return (growth, hertz) if hertz or softest < -floor else (0.0, 0.0)

    def _link_doubts(self) -> list[str]:
        """Return where functions do not follow loads inside spans, and fields not how far links are bent."""
        places = [Frame(link=key[0], at=key[1]) for key in self.balance.loads if isinstance(key, tuple)]
        of_functions = [text for _, text, _ in self.model.function_doubts(places)]
        return of_functions + [doubt.text for doubt in field_doubts(self.model, self.q)]

    def _settle(self) -> int:
        """Find q and lam at rest; how many iterations it took."""
        start = self.q
        try:
            found = self._newton()
            if not self._balanced(found.q, found.lam):
                raise Unsettled(np.zeros(self.model.nv), found.iterations)
        except Unsettled as away:
            path = load_path(self.balance, start)
            if not (path.complete and self._balanced(path.q, path.lam)):
                raise self._failure(away, path) from None
            self.q, self.lam, iterations = path.q, path.lam, away.iterations + path.iterations
        else:
            self.q, self.lam, iterations = found.q, found.lam, found.iterations
            if not (found.doubtful and self._gave_way(start, found.q)):
                return iterations
            path = load_path(self.balance, start)
            if path.complete and not path.limits and self._balanced(path.q, path.lam):  # nothing snaps on the way there
                self.q, self.lam = path.q, path.lam
            iterations += path.iterations
        if path.limits and path.factor:
            self.doubts.append(
                f"the load passes a limit point at load factor {path.limits[0]:.3g}: on the way from where the search "
                "began the arm snaps through; for the state before it lower the load, or begin beyond it"
            )
        return iterations

    def _newton(self) -> Settled:
        """Return Newton's method; where the arm would topple, its joints settle before its links bend."""
        balance = self.balance
        modes = {k for body in self.model.bodies for k in indices(body.modes_v)}
        free = balance.free
        stiff = np.array([k for k in free if k not in modes], np.int64)
        if not (0 < len(stiff) < len(free) and self._topples(self.q)):
            return newton(balance, self.q, ITERATIONS if len(stiff) else BENDING)
        balance.release(stiff)
        try:
            first = newton(balance, self.q, ITERATIONS)
        except Unsettled as far:  # loops that close only by bending may yet allow it
            balance.release(free)
            try:
                return newton(balance, self.q, ITERATIONS // 2)
            except Unsettled as farther:
                raise (far if far.correction.any() else farther) from None  # the one that knows what still moves
        finally:
            balance.release(free)
        found = newton(balance, first.q, ITERATIONS)
        return found._replace(iterations=first.iterations + found.iterations, doubtful=False)

    def _topples(self, q: Vector) -> bool:
        """Return whether something would give way at q under all loads."""
        with suppress(Away):
            softest, floor = gives_way(spectrum(self.balance.at(q)))
            return softest <= floor
        return False

    def _gave_way(self, start: Vector, end: Vector) -> bool:
        """Return whether under all loads something gives way between two states, although not at the first."""
        if self.model.nq != self.model.nv or self._topples(start):
            return False
        return any(self._topples(start + share * (end - start)) for share in BETWEEN)

    def _balanced(self, q: Vector, lam: Vector) -> bool:
        """Return whether what is left is small beside what acts, and loops are closed as they are described."""
        balance, free = self.balance, self.balance.free
        try:
            left = balance.unbalanced(q, lam)[free]
            acts = left - balance.unloaded().unbalanced(q, lam)[free]
            M = balance.at(q).M if not self.model.loops else mass_matrix(self.model, q)[np.ix_(free, free)]
            force, scale = (np.sqrt(max(x @ np.linalg.solve(M, x), 0.0)) for x in (left, acts))
            bent = tip_deflections(self.model, q)
        except (Away, NotFinite, np.linalg.LinAlgError):
            return False
        heavy = np.sqrt(self.model.arrays.inertia.mass.sum())
        as_described = not self.model.loops or angles_off(self.model, q).max() <= ASSEMBLED
        return (
            bool(force <= UNBALANCED * (scale + heavy))
            and as_described
            and all(_share(self.model, bent, link) <= ABSURD for link in bent)
        )

    def _wind(self, rotor_q: int, rotor_v: int, torque: float) -> None:
        """Turn a rotor until its gear transmits `torque`; gears stiffen as they like."""
        from scipy.optimize import brentq

        zero, start, wrenches = np.zeros(self.model.nv), self.q[rotor_q], self.balance.wrenches

        def excess(angle: float) -> float:
            self.q[rotor_q] = start + angle
            return float(bias(self.model, self.q, zero, wrenches)[rotor_v]) - torque

        missing = -excess(0.0)
        stiffness = inverse_derivatives(self.model, self.q, zero, zero, wrenches).q[rotor_v, rotor_v]
        angle = missing / stiffness if stiffness > 0 else np.sign(missing) * 1e-3
        while excess(angle) * missing < -1e-9 * missing**2:
            angle *= 2
        if abs(excess(angle)) > 1e-9 * abs(missing):
            angle = brentq(excess, 0.0, angle, xtol=1e-15 + 1e-13 * abs(angle))
        self.q[rotor_q] = start + angle

    def _failure(self, away: Unsettled, path: Path) -> LissomError:
        """Return what was tried, how far it went, and what to do."""
        text = f"no static equilibrium of {self.model.robot.name} found in {away.iterations} iterations"
        correction = np.abs(np.nan_to_num(away.correction, nan=np.inf))
        joints = sorted(self.balance.joints & set(self.balance.free.tolist()))
        if joints and not path.factor:  # links follow what only their loads hold
            correction = np.where(np.isin(np.arange(self.model.nv), joints), correction, 0.0)
        worst = int(correction.argmax())
        joint = None
        if correction[worst] > 0:
            text += f": {self.model.coordinates[worst]} still moves"
            joint = next((body for body in self.model.bodies if worst in indices(body.joint_v)), None)
        if joint is not None:
            remedy = (
                "hold it, give it a spring or the torque that balances it, or begin nearer to rest than "
                f"{joint.joint} = {brief(np.squeeze(self.begun[joint.joint_q]))}"
            )
            return LissomError(f"{text}; {remedy}")
        parts = [text]
        if path.factor:
            share = tip_deflections(self.model, path.q_top)
            bends = max(share, key=lambda link: np.linalg.norm(share[link].displacement), default="")
            far = f", where {bends} deflects by {_share(self.model, share, bends):.0%} of its length" if bends else ""
            how = f"turns back at load factor {path.top:.3g}" if path.limits else f"leads to load factor {path.top:.3g}"
            parts.append(f"under growing loads its rest {how}{far}")
            soft = [link for link in share if self.model.flexible[link].stiffening != "exact"]
            if any(_share(self.model, share, link) > SMALL for link in soft):
                worst_link = max(soft, key=lambda link: _share(self.model, share, link))
                field = self.model.flexible[worst_link].stiffening
                parts.append(
                    f"that is beyond small deformations ({SMALL:.0%}), which stiffening: {field} is for: write "
                    f"stiffening: exact for {worst_link}, or lower the load"
                )
                return LissomError("; ".join(parts))
        parts.append("the load may be more than the links carry: lower it, or stiffen the link")
        return LissomError("; ".join(parts))


def _share(model: Model, deflections: dict[str, Deflection], link: str) -> float:
    return float(np.linalg.norm(deflections[link].displacement)) / model.flexible[link].length
