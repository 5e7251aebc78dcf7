"""The search for a state of rest: Newton's method, loads that grow step by step where it fails, and its checks."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from lissom.analysis.equilibrium.deflection import Deflection, check_bending, tip_deflections
from lissom.analysis.equilibrium.equilibrium_state import Equilibrium
from lissom.analysis.equilibrium.force_balance import (
    ABSURD,
    Away,
    ForceBalance,
    Settled,
    Unsettled,
    gives_way,
    newton,
    spectrum,
)
from lissom.analysis.equilibrium.held_coordinates import Hold, held_coordinates
from lissom.analysis.equilibrium.load_path import LoadPath, load_path
from lissom.analysis.equilibrium.tangent_matrices import grows
from lissom.analysis.field_validity import field_doubts
from lissom.beam.flexible_link import SMALL
from lissom.dynamics import bias, inverse_derivatives, mass_matrix
from lissom.dynamics.coordinates import indices
from lissom.dynamics.kinematic_loops.loop_angles import angles_off
from lissom.dynamics.kinematic_loops.loop_closing import ASSEMBLED, closed_configuration
from lissom.dynamics.state_checks import NotFinite, Vector, Wrenches
from lissom.errors import LissomError
from lissom.messages import brief
from lissom.model.description.frame import Frame
from lissom.model.model import BodyNames, Model

ITERATIONS = 200
BENDING = 60  # iterations where links alone move: beyond them, loads grow step by step
UNBALANCED = 1e-6  # of what acts: force beyond which a state is not at rest
BETWEEN = (0.25, 0.5, 0.75)  # of the way to rest, where something may have given way


class EquilibriumSearch:
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
        self.held = self._fixed_velocities(hold)
        free = np.setdiff1d(np.arange(model.nv), self.held)
        self.balance = ForceBalance(model, free, tau, wrenches, loads, lengths)
        self.lam = np.zeros(len(model.arrays.loops.hold))
        if model.loops:
            self.q = closed_configuration(model, self.q, set(self.held.tolist()), lengths)

    def _fixed_velocities(self, hold: Hold) -> np.ndarray:
        model = self.model
        held = set(np.flatnonzero(model.arrays.velocities.prescribed).tolist())
        held |= set(held_coordinates(model, hold, self.q, self.lengths)) | set(range(model.moving, model.nv))
        for body in model.bodies:
            if body.rotor_v is not None and body.joint_v.start in held:
                if body.rotor_v in held:
                    raise LissomError("and its rotor: hold one side of an elastic joint", ("hold",), body.joint)
                self.wound.append(body)
                self.q[body.rotor_q] = self.q[body.joint_q.start]
                held.add(body.rotor_v)
        return np.array(sorted(held), np.int64)

    def equilibrium(self) -> Equilibrium:
        """Find the state of rest, and say how stable it is and what is doubtful about it."""
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
            if not self._is_balanced(found.q, found.lam):
                raise Unsettled(np.zeros(self.model.nv), found.iterations)
        except Unsettled as away:
            path = load_path(self.balance, start)
            if not (path.complete and self._is_balanced(path.q, path.lam)):
                raise self._failure(away, path) from None
            self.q, self.lam, iterations = path.q, path.lam, away.iterations + path.iterations
        else:
            self.q, self.lam, iterations = found.q, found.lam, found.iterations
            if not (found.doubtful and self._gave_way(start, found.q)):
                return iterations
            path = load_path(self.balance, start)
            if (
                path.complete and not path.limits and self._is_balanced(path.q, path.lam)
            ):  # nothing snaps on the way there
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
        if self.model.nq != self.model.moving or self._topples(start):
            return False
        return any(self._topples(start + share * (end - start)) for share in BETWEEN)

    def _is_balanced(self, q: Vector, lam: Vector) -> bool:
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
            return float(bias(self.model, self.q, self.balance.still, wrenches)[rotor_v]) - torque

        missing = -excess(0.0)
        stiffness = inverse_derivatives(self.model, self.q, self.balance.still, zero, wrenches).q[rotor_v, rotor_v]
        angle = missing / stiffness if stiffness > 0 else np.sign(missing) * 1e-3
        while excess(angle) * missing < -1e-9 * missing**2:
            angle *= 2
        if abs(excess(angle)) > 1e-9 * abs(missing):
            angle = brentq(excess, 0.0, angle, xtol=1e-15 + 1e-13 * abs(angle))
        self.q[rotor_q] = start + angle

    def _failure(self, away: Unsettled, path: LoadPath) -> LissomError:
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
            if twisting := [doubt.text for doubt in field_doubts(self.model, path.q_top) if doubt.kind == "torsion"]:
                return LissomError("; ".join([*parts, *twisting]))
        parts.append("the load may be more than the links carry: lower it, or stiffen the link")
        return LissomError("; ".join(parts))


def _share(model: Model, deflections: dict[str, Deflection], link: str) -> float:
    return float(np.linalg.norm(deflections[link].displacement)) / model.flexible[link].length
