"""Screw-theoretic PDE synthesis as a formulation: accelerations and interaction wrenches of one stacked system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.energies import Energy
from lissom.dynamics.state_checks import vector
from lissom.errors import LissomError
from lissom.kernel.compile import Struct
from lissom.lie import se3
from lissom.messages import did_you_mean
from lissom.model.any_robot import AnyRobot
from lissom.model.description.frame import WORLD
from lissom.model.description.location import on_beam
from lissom.model.model import Model
from lissom.simulation.equations.system import Dynamics
from lissom.theory.coverage import LINEAR_LINKS, Feature, Unsupported
from lissom.theory.formulation import Formulation, Offer, register
from lissom.theory.screw_pde.closure import Closing, Closure, closures_of
from lissom.theory.screw_pde.compiled import dynamics, eliminate, energy, evaluate
from lissom.theory.screw_pde.load import Load, generalised
from lissom.theory.screw_pde.system import System
from lissom.theory.screw_pde.table import tables

Array = np.ndarray


@register(
    "screw_pde",
    "twist and deformation equations of every link, coupled by interaction wrenches that are unknowns",
    "Yaqubi, Kitzinger, Müller, Gattringer, Mattila 2026, arXiv:2601.16242",
)
class ScrewPDE(Formulation):
    """The stacked differential-algebraic system of a robot: rigid and flexible links, any joints, chain or tree.

    Args:
        model: the compiled robot.
        frames: station (metres along the link) of the body frame of flexible links, by name; the base unless given.
            The frame rides on that section. No physical result depends on it.
        closures: sections held in the world. The loops of the robot are closures, too. A system with closures is solved
            by a sparse direct method.
    """

    name = "screw_pde"
    covers = LINEAR_LINKS | {Feature.LOOPS, Feature.GROUP_JOINTS, Feature.ELASTIC_GEARS, Feature.PRESTRESS}
    offers = frozenset({Offer.INVERSE_DYNAMICS, Offer.ENERGY})

    def __init__(
        self, robot: AnyRobot, frames: Mapping[str, float] | None = None, closures: Sequence[Closure] = ()
    ) -> None:
        super().__init__(robot)
        model = self.model
        self.frames = _checked_frames(model, frames or {})
        self.closures: tuple[Closing, ...] = (*closures_of(model), *(each.checked(model) for each in closures))
        if self.closures:  # many forces give the same accelerations
            self.offers -= {Offer.INVERSE_DYNAMICS}
        ends = [(end.link, end.x) for closure in self.closures for end in closure.ends if end.link != WORLD]
        self.table, self.work = tables(model, self.frames, ends)
        self._table, self._work = Struct(self.table), Struct(self.work)
        self._still, self._unloaded = np.zeros(model.nv), np.zeros((model.rows, 6))

    @cached_property
    def dynamics(self) -> Dynamics | None:
        """Inverse and forward dynamics as lissom's integrators call them; None with closures."""
        if self.closures:
            return None
        return Dynamics(dynamics.inverse, dynamics.forward, self._own)

    @cached_property
    def _own(self) -> Struct:
        return dynamics.make_own(self._table, self._work, self.model.nq, self.model.nv)

    def accelerations(self, q: Array, v: Array, tau: Array, loads: Iterable[Load] = ()) -> Array:
        """Accelerations (nv,) at the state (q, v) under forces tau (nv,) and loads, by O(n) block elimination."""
        self.evaluate(q, v, tau, loads)
        return self.eliminate() if not self.closures else System.of(self).solve().accelerations

    def inverse_dynamics(self, q: Array, v: Array, a: Array, loads: Iterable[Load] = ()) -> Array:
        """Return forces (nv,) that produce the accelerations a, from the actuator and deformation rows."""
        if self.closures:
            raise self._not_offered(Offer.INVERSE_DYNAMICS)
        q, v, a, tau = *self._state(q, v), vector(self.model, a, "a", self.model.nv), np.zeros(self.model.nv)
        self.set_loads(loads, q)
        dynamics.inverse(self.model.struct, self._own, q, v, a, self._unloaded, tau)
        return tau

    def solve(self, q: Array, v: Array, tau: Array, loads: Iterable[Load] = ()) -> tuple[Array, Array]:
        """Accelerations (nv,) and interaction wrenches (joints, 6) at once, as one solution of the system."""
        a = self.accelerations(q, v, tau, loads)
        return a, self.work.wrench.copy()

    def system(self, q: Array, v: Array, tau: Array, loads: Iterable[Load] = ()) -> System:
        """Return the stacked system at a state as one sparse matrix with named blocks."""
        self.evaluate(q, v, tau, loads)
        return System.of(self)

    def wrenches(self, q: Array, v: Array, a: Array, loads: Iterable[Load] = ()) -> Array:
        """Wrench of the parent on the child at every joint that goes with accelerations a, child axes, (joints, 6)."""
        if self.closures:
            raise Unsupported("wrenches with closures depend on the motors' forces; take system(q, v, tau).solve()")
        self.evaluate(q, v, self._still, loads)
        energy.reactions(self._table, self._work, vector(self.model, a, "a", self.model.nv))
        return self.work.wrench.copy()

    def tip(self, q: Array) -> Array:
        """Pose (4, 4) of the last link's tip in the world."""
        return self.pose(q, self.model.links[-1])

    def pose(self, q: Array, link: str, x: float | None = None) -> Array:
        """Pose (4, 4) in the world of the section of `link` at x, its tip unless given."""
        i = self.row(link)
        self.place(q, self._still)
        T = self.frame_poses()[i]
        if link not in self.model.flexible:
            body = self.model.robot.link(link).body
            tip = None if body is None else body.tip
            return T @ se3.from_parts(np.eye(3), np.zeros(3) if tip is None else tip)
        beam, eta = self.model.flexible[link], q[self.model.bodies[i].modes_q]
        T_base = T @ se3.inverse(beam.pose(self.frames[link], eta)) if self.frames.get(link) else T
        return T_base @ beam.pose(beam.length if x is None else x, eta)

    def energy(self, q: Array, v: Array) -> Energy:
        """Energies in joule, summed over the particles of every link."""
        self.place(q, v)
        return Energy(*energy.energies(self._table, self._work, q, v))

    # steps of an evaluation, for the system, the integrators and the benchmarks ----------------------------------

    def row(self, link: str) -> int:
        """Index of a link."""
        return self.model.row(link) - 1

    def evaluate(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, loads: Iterable[Load] = ()) -> None:
        """Fill `work` with every block of the system at the state (q, v)."""
        q, v = self._state(q, v)
        tau = vector(self.model, tau, "tau", self.model.nv)
        self.set_loads(loads, q)
        evaluate.evaluate(self._table, self._work, q, v, tau)

    def _state(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        return vector(self.model, q, "q", self.model.nq), vector(self.model, v, "v", self.model.nv)

    def set_loads(self, loads: Iterable[Load], q: Array) -> None:
        """External wrenches of the next evaluations."""
        self.work.external[:] = 0.0
        for load in loads:
            i = self.row(load.link)
            self.work.external[i, : 6 + self.table.modes[i]] += generalised(self, load, q)

    def place(self, q: Array, v: Array) -> None:
        """Poses and twists of all body frames, and relative motions."""
        evaluate.relative_motions(self._table, self._work, q, v)
        evaluate.place_frames(self._table, self._work)

    def fill_blocks(self, q: Array, v: Array, tau: Array) -> None:
        """Fill the blocks for the frames and twists in `work`, wherever they came from."""
        evaluate.fill_blocks(self._table, self._work, q, v, tau)

    def eliminate(self) -> Array:
        """Solve the blocks in `work`: accelerations (nv,); zdot and wrenches stay there."""
        a = np.empty(self.model.nv)
        eliminate.eliminate(self._table, self._work, a)
        return a

    def frame_poses(self) -> Array:
        """Poses (n, 4, 4) of the body frames as placed last."""
        return se3.from_parts(self.work.world_R, self.work.world_p)

    @property
    def structs(self) -> tuple[Any, Any]:
        """Table and work as compiled functions take them."""
        return self._table, self._work


def _checked_frames(model: Model, frames: Mapping[str, float]) -> dict[str, float]:
    for link, x in frames.items():
        if link not in model.links:
            raise LissomError(f"there is no link {link!r}{did_you_mean(link, list(model.links))}", ("frames",))
        if link not in model.flexible:
            raise LissomError("is rigid; its body frame stays at its origin, remove the entry", ("frames", link))
        length = model.flexible[link].length
        if not (on_beam(x, length)):
            raise LissomError(f"lies outside the link; give 0 to {length:g} m", ("frames", link), x)
    return {link: float(x) for link, x in frames.items()}
