"""Watching a run: limits reached, deflections beyond the model's range, divergence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lissom.beam.flexible_link import PLACES, SMALL, small_deflection
from lissom.dynamics.kinematic_loops.loop_kinematics import loop_gaps
from lissom.model.model import Model
from lissom.simulation.equations.recorder import Record
from lissom.simulation.integrators.integrator_state import TIME, State
from lissom.simulation.raw_run import Event
from lissom.simulation.status.loop_singularity import remedy, row_loops, singularity

CALM = SMALL / 2  # largest component of it below which there is nothing to look at
HOPELESS = 3.0  # deflection over length beyond which a run is stopped
WHOLE_TURN = 1.0  # turns of the tip of an exact link beyond which a run is stopped
RACING = 1e6  # rad/s or m/s of a joint beyond which a run is stopped
OPEN = 1e-9  # m or rad: the gap that a loop may have
JUMP = 0.2  # of the fastest velocity so far: more than accelerations explain from sample to sample
CLOSER_LOOKS = 8  # at such samples at a time: a link that rings faster than it is sampled has many
SINGULAR = 0.1  # of how loops are held at best, see `near_singular`: links that are nearly in line


class RunLimits:
    """Looks at new output samples now and then; every kind of event is reported once per joint or link."""

    def __init__(self, model: Model, record: Record, lengths: Callable[[float], np.ndarray]) -> None:
        self.model, self.record, self._lengths = model, record, lengths  # what rows of loops are given at a time
        self.events: list[Event] = []
        self._seen = 0
        self._held = self._speed = 1e-300  # how well loops were held at best, and the fastest velocity, so far
        self._told: set[tuple[str, str]] = set()
        self._stops = np.flatnonzero(model.arrays.passive.has_stop)
        self._bent = {name: _deflections_along(beam) for name, beam in model.flexible.items()}
        self._at, self._maps = _side_by_side(model, self._bent)

    def look(self, state: State, closed: bool = True) -> str | None:
        """Check what is new; a message when going on makes no sense. `closed`: whether the method closes loops itself.

        Samples always are.
        """
        first, self._seen = self._seen, int(self.record.next[0])
        t, q = self.record.times[first : self._seen], self.record.q[first : self._seen]
        t, q = np.append(t, state.clock[TIME]), np.vstack([q, state.q])
        if len(self._stops):
            self._limits(t, q)
        if self.model.loops:
            self._branches(state, max(first - 3, 0))
        if self.model.loops and (opened := self._loops(*((t, q) if closed else (t[:-1], q[:-1])))) is not None:
            return opened
        with np.errstate(all="ignore"):  # a state that overflows is what is looked for
            # not by a product of matrices: libraries of those wake threads, which then wait busily beside the run
            if self._bent and not np.abs(np.einsum("tlm,lcm->tlc", q[:, self._at], self._maps)).max() < CALM:
                beyond = self._deflections(t, q)
                if beyond is not None:
                    return beyond
            return None if np.abs(state.v).max(initial=0.0) < RACING else self._speeds(state)

    def valid(self, written: int) -> int:
        """Return how many of the written outputs are worth keeping: those up to the first beyond hope."""
        beyond = [event.time for event in self.events if event.kind == "divergence"]
        numbers = np.isfinite(self.record.q[:written]).all(axis=1) & np.isfinite(self.record.a[:written]).all(axis=1)
        finite = written if numbers.all() else int(np.argmin(numbers))
        return min([finite, *(int(np.searchsorted(self.record.times, t, side="right")) for t in beyond)])

    def worst(self, state: State) -> str:
        """Return the fastest coordinate, for error messages."""
        speed = np.nan_to_num(np.abs(state.v), nan=np.inf)
        k = int(np.argmax(speed))
        return f"fastest coordinate: {self.model.coordinates[k]}, {state.v[k]:.3g} per second"

    def _tell(self, event: Event) -> None:
        if (event.kind, event.link_or_joint) not in self._told:
            self._told.add((event.kind, event.link_or_joint))
            self.events.append(event)

    def _limits(self, t: np.ndarray, q: np.ndarray) -> None:
        arrays = self.model.arrays
        for k in self._stops:
            values = q[:, arrays.passive.q[k]]
            beyond = np.flatnonzero((values > arrays.passive.upper[k]) | (values < arrays.passive.lower[k]))
            if beyond.size:
                when, value = float(t[beyond[0]]), float(values[beyond[0]])
                name = self.model.coordinates[arrays.passive.v[k]]
                limit = arrays.passive.upper[k] if value > arrays.passive.upper[k] else arrays.passive.lower[k]
                text = f"{name} reached its limit {limit:.4g} at t = {when:.4g} s"
                self._tell(Event(when, name, "limit", text, value))

    def near_singular(self, q: np.ndarray) -> tuple[float, str]:
        """Return how well the worst loop is held at q, relative to the best in this run; 0 where it is in line."""
        held, loop = singularity(self.model, q)
        self._held = max(self._held, held)
        return held / self._held, loop

    def _branches(self, state: State, first: int) -> None:
        """Look for velocities that jump beside a singular position, from sample `first` on: loops left their branch.

        Where branches meet, positions are the same on both and velocities are not; a motion keeps its own. Samples
        before and after a jump are explained by their accelerations; where links ring between samples, none are.
        """
        t, v, a = (part[first : self._seen] for part in (self.record.times, self.record.v, self.record.a))
        if len(t) < 4 or not all(np.isfinite(part).all() for part in (v, a, state.q)):
            return
        self.near_singular(state.q)
        self._speed = max(self._speed, float(np.abs(v).max()))
        explained = 0.5 * np.diff(t)[:, None] * (a[1:] + a[:-1])
        jump = np.abs(np.diff(v, axis=0) - explained).max(axis=1) / self._speed
        alone = (jump[1:-1] > JUMP) & (np.maximum(jump[:-2], jump[2:]) < JUMP / 4)  # else samples are just too few
        for k in 1 + np.flatnonzero(alone)[:CLOSER_LOOKS]:
            least, loop = min(self.near_singular(q) for q in self.record.q[first + k : first + k + 2])
            if least < SINGULAR:
                text = (
                    f"loops.{loop} passes a singular position near t = {t[k]:.4g} s, its links in line, where more "
                    f"than one branch goes on; velocities jump there by {jump[k]:.0%}, so the motion may have changed "
                    "its branch: take method radau, or a smaller rtol, and compare"
                )
                self._tell(Event(float(t[k]), loop, "branch", text, float(jump[k])))

    def _loops(self, t: np.ndarray, q: np.ndarray) -> str | None:
        """Return why a loop is open at the last of the times: what is prescribed asks for what it cannot follow."""
        if not len(t) or not np.all(np.isfinite(q[-1])):
            return None
        loop, gap = self._gap(float(t[-1]), q[-1])
        if gap <= OPEN:
            return None
        when, loop, gap = next((float(s), *found) for s, x in zip(t, q) if (found := self._gap(float(s), x))[1] > OPEN)
        text = f"loops.{loop} opens: its gap is {gap:.3g} m or rad at t = {when:.4g} s; {remedy(self.model)}"
        self._tell(Event(when, loop, "divergence", text, gap))
        return text

    def _gap(self, t: float, q: np.ndarray) -> tuple[str, float]:
        """Return the loop whose constraint is violated most, and by how much."""
        gaps = np.abs(loop_gaps(self.model, q) - self._lengths(t))
        k = int(np.argmax(gaps))
        return row_loops(self.model)[k], float(gaps[k])

    def _speeds(self, state: State) -> str | None:
        for body in self.model.bodies:
            speed = float(np.max(np.abs(state.v[body.joint_v]), initial=0.0))
            if not speed < RACING:
                when = float(state.clock[TIME])
                text = (
                    f"the motion diverges: {body.joint} moves by {speed:.3g} per second at t = {when:.4g} s; "
                    "check loads, gains and the start state"
                )
                self._tell(Event(when, body.joint, "divergence", text, speed))
                return text
        return None

    def _deflections(self, t: np.ndarray, q: np.ndarray) -> str | None:
        for body in self.model.bodies:
            if body.link not in self._bent:
                continue
            along = (q[:, body.modes_q] @ self._bent[body.link].T).reshape(len(t), len(PLACES), 3)
            along = np.nan_to_num(along, nan=np.inf, posinf=np.inf, neginf=np.inf)
            size = np.linalg.norm(along, axis=2).max(axis=1)
            beam = self.model.flexible[body.link]
            exact, small = beam.stiffening == "exact", small_deflection(beam)
            if not exact and (far := np.flatnonzero(size > small)).size:
                at_tip = np.argmax(np.linalg.norm(along[far[0]], axis=1)) == len(PLACES) - 1
                self._doubt(body.link, float(t[far[0]]), float(size[far[0]]), small, bool(at_tip))
            if (far := np.flatnonzero(size > (WHOLE_TURN if exact else HOPELESS))).size:
                return self._diverging(body.link, float(t[far[0]]), float(size[far[0]]))
        return None

    def _doubt(self, link: str, when: float, size: float, small: float, at_tip: bool) -> None:
        where = "its tip" if at_tip else "its span"
        text = (
            f"{link}: {where} is deflected by {100 * size:.3g} % of its length at t = {when:.4g} s; "
            f"beyond {100 * small:g} % the small-deflection field is in doubt; "
        )
        text += (
            "describe it as a beam with stiffening: exact"
            if self._is_finite_element_link(link)
            else "use stiffening: exact"
        )
        self._tell(Event(when, link, "deflection", text, size))

    def _diverging(self, link: str, when: float, size: float) -> str:
        stiffening, remedy = self.model.flexible[link].stiffening, "check loads, gains and the start state"
        if self._is_finite_element_link(link):
            remedy = "a link of finite elements has no geometric stiffening, so fast rotation softens it; use a beam"
        elif stiffening == "none":
            remedy = (
                "the link has no geometric stiffening (stiffening: none), so fast rotation softens it; "
                "use stiffening: first"
            )
        where = f"is {size:.3g} lengths away" if stiffening != "exact" else "has turned by a whole circle"
        text = f"the motion diverges: the tip of {link} {where} at t = {when:.4g} s; {remedy}"
        self._tell(Event(when, link, "divergence", text, size))
        return text

    def _is_finite_element_link(self, link: str) -> bool:
        return self.model.robot.link(link).beam is None


def _side_by_side(model: Model, maps: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return where the modes of each flexible link are in q (links, m), and its map (links, c, m), for a glance."""
    most = max((tip.shape[1] for tip in maps.values()), default=0)
    at, whole = np.zeros((len(maps), most), np.int64), np.zeros((len(maps), 3 * len(PLACES), most))
    for k, body in enumerate(body for body in model.bodies if body.link in maps):
        tip = maps[body.link]
        at[k, : tip.shape[1]], whole[k, :, : tip.shape[1]] = np.arange(body.modes_q.start, body.modes_q.stop), tip
    return at, whole


def deflection_map(model: Model) -> np.ndarray:
    """Return the map from q to deflections of the tips in lengths, or to whole turns of exact links, (nq, 3 links)."""
    bending = [body for body in model.bodies if body.link in model.flexible]
    whole = np.zeros((model.nq, 3 * len(bending)))
    for k, body in enumerate(bending):
        whole[body.modes_q, 3 * k : 3 * k + 3] = _tip_map(model.flexible[body.link]).T
    return whole


def _tip_map(beam: Any, share: float = 1.0) -> np.ndarray:
    """Return the map from a link's modes to its tip's deflection in lengths, or rotation in turns where exact.

    share: of the length, where another section than the tip is meant.
    """
    section = beam.section_map(beam.length if share == 1.0 else share * beam.length)
    return np.real(section.psi / (2 * np.pi) if beam.stiffening == "exact" else section.phi / beam.length)


def _deflections_along(beam: Any) -> np.ndarray:
    """Return the maps from a link's modes to deflections in lengths at PLACES, one after the other, (3 places, m)."""
    return np.concatenate([_tip_map(beam, share) for share in PLACES])
