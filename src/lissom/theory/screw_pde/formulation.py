"""Screw-theoretic PDE synthesis as a formulation: accelerations and interaction wrenches of one stacked system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from lissom.beam import BeamLink
from lissom.dynamics.energies import Energy
from lissom.dynamics.state_checks import vector
from lissom.errors import LissomError
from lissom.kernel.compile import Struct
from lissom.lie import se3
from lissom.messages import did_you_mean
from lissom.model.any_robot import AnyRobot
from lissom.model.description.frame import WORLD, Frame
from lissom.model.description.location import on_beam
from lissom.model.model import Model
from lissom.simulation.equations.system import Dynamics
from lissom.theory.callback import prepare_sections
from lissom.theory.connections.frame_kernel import FrameKernel, on_links
from lissom.theory.connections.tree_models import tree_of
from lissom.theory.coverage import LINEAR_LINKS, Feature, Unsupported
from lissom.theory.formulation import Formulation, Offer, register
from lissom.theory.screw_pde.closure import Closing, Closure, closures_of
from lissom.theory.screw_pde.compiled import dynamics, eliminate, energy, evaluate
from lissom.theory.screw_pde.compiled.frames import fill, make_frames, prepare_nothing
from lissom.theory.screw_pde.load import Load, LoadsInTime, generalised
from lissom.theory.screw_pde.nonlinear_link import NonlinearLink
from lissom.theory.screw_pde.relative import held_accelerations
from lissom.theory.screw_pde.system import System
from lissom.theory.screw_pde.table import Station, of_higher_order, section_places, tables

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
        closures: sections held in the world. The loops of the robot are closures, too.
        stations: further sections that are placed, link and metres along it (None: its tip).
    """

    name = "screw_pde"
    covers = LINEAR_LINKS | {
        Feature.LOOPS,
        Feature.GROUP_JOINTS,
        Feature.ELASTIC_GEARS,
        Feature.PRESTRESS,
        Feature.EXACT_FIELD,
        Feature.PRESCRIBED_JOINTS,
        Feature.FOURTH_ORDER,
    }
    offers = frozenset({Offer.INVERSE_DYNAMICS, Offer.ENERGY})

    def __init__(
        self,
        robot: AnyRobot,
        frames: Mapping[str, float] | None = None,
        closures: Sequence[Closure] = (),
        stations: Sequence[Station] = (),
    ) -> None:
        super().__init__(robot)
        model = self.model
        self.frames = _checked_frames(model, frames or {})
        self.closures: tuple[Closing, ...] = (*closures_of(model), *(each.checked(model) for each in closures))
        if self.closures:  # many forces give the same accelerations
            self.offers -= {Offer.INVERSE_DYNAMICS}
        ends = [(end.link, end.x) for closure in self.closures for end in closure.ends if end.link != WORLD]
        ends += stations
        self.table, self.work = tables(model, self.frames, ends)
        self._nonlinear: dict[str, NonlinearLink] = {}
        self._nonlinear_rows: dict[str, list[int]] = {}
        places = section_places(model.robot.bodies, self.frames, ends)
        for name, link in model.flexible.items():
            if of_higher_order(link):
                frame, riding = self.frames.get(name, 0.0), len(model.bodies) + self.row(name)
                own = [
                    (row, at) for row, owner, at in places if owner == name and row != riding and (frame or at != 0.0)
                ]
                self._nonlinear[name] = NonlinearLink(cast(BeamLink, link), frame, [at for _, at in own])
                self._nonlinear_rows[name] = [*(row for row, _ in own), *([riding] if frame else [])]
        self._table, self._work = Struct(self.table), Struct(self.work)
        self._driven = np.concatenate([np.r_[model.joint(name).joint_v] for name in model.prescribed] or [[]]).astype(
            int
        )
        self._still, self._unloaded = np.zeros(model.nv), np.zeros((model.rows, 6))
        self.loads_in_time: LoadsInTime | None = None

    @cached_property
    def dynamics(self) -> Dynamics | None:
        """Inverse and forward dynamics as lissom's integrators call them; None where they are called back.

        Rows of loops and prescribed joints are added to those of the tree, one elimination for each of their wrenches.
        """
        if self._nonlinear or any(isinstance(each, Closure) for each in self.closures):
            return None
        if self.closures or self.model.prescribed:
            from lissom.theory.connections.connected import ConnectedFormulation

            return ConnectedFormulation(self.of_tree(), self.model).dynamics
        return Dynamics(dynamics.inverse, dynamics.forward, self._own)

    @cached_property
    def _own(self) -> Struct:
        return dynamics.make_own(self._table, self._work, self.model.nq, self.model.nv)

    def accelerations(self, q: Array, v: Array, tau: Array, loads: Iterable[Load] = ()) -> Array:
        """Accelerations (nv,) at the state (q, v) under forces tau (nv,) and loads, by O(n) block elimination."""
        if self.model.prescribed:
            text = "the model has prescribed joints, whose accelerations are given: take driven_accelerations"
            raise Unsupported(text, ("prescribed",), self.model.prescribed[0])
        self.evaluate(q, v, tau, loads)
        if not self.closures:
            return self.eliminate()
        return self._held(q, v, tau, loads, np.zeros(0))

    def driven_accelerations(self, q: Array, v: Array, tau: Array, a: Array, loads: Iterable[Load] = ()) -> Array:
        """Accelerations (nv,) where those of prescribed joints are as in a (nv,): the drives' forces are unknown."""
        self.evaluate(q, v, tau, loads)
        return self._held(q, v, tau, loads, np.asarray(a, float)[self._driven])

    def _held(self, q: Array, v: Array, tau: Array, loads: Iterable[Load], wanted: Array) -> Array:
        """Accelerations with closures, and with those of prescribed joints as wanted."""
        found = held_accelerations(self, self._driven, wanted)
        if found is None:
            if len(wanted):
                text = "a motion without inertia is held by loops alone; give its link a mass, or drive with a torque"
                raise Unsupported(text, ("prescribed",), self.model.prescribed[0])
            self.evaluate(q, v, tau, loads)
            return System.of(self).solve().accelerations
        return found

    def inverse_dynamics(self, q: Array, v: Array, a: Array, loads: Iterable[Load] = ()) -> Array:
        """Return forces (nv,) that produce the accelerations a, from the actuator and deformation rows."""
        if self.closures:
            raise self._refusal(Offer.INVERSE_DYNAMICS)
        self.evaluate(q, v, self._still, loads)
        return self._needed_forces(vector(self.model, a, "a", self.model.nv))

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

    def wrenches_under(self, q: Array, v: Array, a: Array, tau: Array) -> Array:
        """Wrenches where the motors' forces tau are known: with closures those of the system's own solution."""
        if not self.closures:
            return self.wrenches(q, v, a)
        self.driven_accelerations(q, v, tau, a)
        return self.work.wrench.copy()

    def _needed_forces(self, a: Array) -> Array:
        """Return the forces (nv,) that the blocks in `work` need for accelerations a; wrenches go to `work`."""
        tau = np.zeros(self.model.nv)
        energy.reactions(self._table, self._work, a)
        dynamics.needed_forces(self._table, self._work, a, tau)
        return tau

    def tip(self, q: Array) -> Array:
        """Pose (4, 4) of the last link's tip in the world."""
        return self.pose(q, self.model.links[-1])

    def link_pose(self, q: Array, link: str) -> Array:
        """Pose (4, 4) in the world of the base of a link."""
        self.place(q, self._still)
        T = self.frame_poses()[self.row(link)]
        if not self.frames.get(link):
            return T
        return T @ se3.inverse(self.model.flexible[link].pose(self.frames[link], q[self.model.link(link).modes_q]))

    def frame_kernel(self, frames: Sequence[Frame]) -> FrameKernel:
        """Compiled kinematics of frames, whose sections move as those do that carry joints."""
        stations = {row: (frame.link, frame.at) for row, frame in on_links(frames)}
        self._framed = self.with_stations(list(stations.values()))
        section, first = np.zeros(len(frames) + 1, int), 2 * len(self.model.bodies)
        section[list(stations)] = first + np.arange(len(stations))
        prepare = prepare_sections if self._nonlinear else prepare_nothing
        own = make_frames(*self._framed.structs, prepare, section, self.model.nq, self.model.nv)
        return FrameKernel(fill, own)

    def with_stations(self, stations: Sequence[Station]) -> ScrewPDE:
        """Return the same with memory of its own, and further sections that are placed, which come last."""
        held = [closure for closure in self.closures if isinstance(closure, Closure)]
        return ScrewPDE(self.model, self.frames, held, stations)

    def prepare(self, q: Array, v: Array) -> None:
        """Write the sections of frames on links whose fields are of higher order."""
        self._framed.place_sections(q, v)

    def of_tree(self) -> Formulation:
        """Return the same of the tree alone; sections held by closures of one's own are no part of a robot."""
        if any(isinstance(each, Closure) for each in self.closures):
            raise Unsupported("loads in time act on robots without closures of one's own; take `integrate`", ("loads",))
        return ScrewPDE(tree_of(self.model), self.frames) if self.closures or self.model.prescribed else self

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
        parts = np.array(energy.energies(self._table, self._work, q, v))
        for name, link in self._nonlinear.items():
            eta, rate, twist, gravity, i = self._link_state(name, q, v)
            parts[:3] += link.energies(eta, rate, twist, gravity, self.work.world_R[i].T @ self.work.world_p[i])
        return Energy(*map(float, parts))

    # steps of an evaluation, for the system, the integrators and the benchmarks ----------------------------------

    def row(self, link: str) -> int:
        """Index of a link."""
        return self.model.row(link) - 1

    def evaluate(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, loads: Iterable[Load] = ()) -> None:
        """Fill `work` with every block of the system at the state (q, v)."""
        q, v = self._state(q, v)
        tau = vector(self.model, tau, "tau", self.model.nv)
        self.set_loads(loads, q)
        self.place(q, v)
        if self.loads_in_time is not None:
            self.loads_in_time.add(q)
        self.fill_blocks(q, v, tau)

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
        self.place_sections(q, v)
        evaluate.relative_motions(self._table, self._work, q, v)
        evaluate.place_frames(self._table, self._work)

    def fill_blocks(self, q: Array, v: Array, tau: Array) -> None:
        """Fill the blocks for the frames and twists in `work`, wherever they came from."""
        self.write_rows(q, v)
        evaluate.fill_blocks(self._table, self._work, q, v, tau)

    def write_rows(self, q: Array, v: Array) -> None:
        """Write the rows of links whose fields are of high order, for the frames and twists in `work`."""
        for name, link in self._nonlinear.items():
            eta, rate, twist, gravity, i = self._link_state(name, q, v)
            size = 6 + link.m
            self.work.mass[i, :size, :size], self.work.bias[i, :size] = link.rows(eta, rate, twist, gravity)

    def place_sections(self, q: Array, v: Array) -> None:
        """Write the sections of links whose fields are of high order."""
        work = self.work
        for name, link in self._nonlinear.items():
            body = self.model.link(name)
            for k, row in enumerate(self._nonlinear_rows[name]):
                found = link.section(k, q[body.modes_q], v[body.modes_v])
                work.R[row], work.p[row] = found.pose[:3, :3], found.pose[:3, 3]
                work.J[row, : link.m], work.U[row], work.dU[row] = found.J.T, found.U, found.dU

    def _link_state(self, name: str, q: Array, v: Array) -> tuple[Array, Array, Array, Array, int]:
        """Return amplitudes, their rates, twist and gravity in the axes of a link, and its index."""
        body, i = self.model.link(name), self.row(name)
        gravity = self.work.world_R[i].T @ self.table.gravity
        return q[body.modes_q], v[body.modes_v], self.work.V[i], gravity, i

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
