"""A formulation of a tree, joined by loads, elements, contacts, loops and prescribed joints."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.dynamics import Energy
from lissom.kernel.compile import Hidden, Pointer, Struct
from lissom.kernel.constraints.constraint_solve import make_schur
from lissom.kernel.constraints.loop_constraints import loop_wrenches
from lissom.kernel.forces.contact_forces import STORED
from lissom.kernel.forces.element_forces import ENERGY
from lissom.lie import se3
from lissom.model.description.frame import WORLD, Frame
from lissom.model.model import Model
from lissom.simulation.equations.system import Dynamics
from lissom.theory.connections import compiled
from lissom.theory.connections.frame_kernel import frame_motion
from lissom.theory.connections.tree_models import frames_of
from lissom.theory.formulation import Formulation, Limit, Offer

if TYPE_CHECKING:
    from lissom.simulation.raw_run import RawRun


class ConnectedFormulation(Formulation):
    """The equations of a tree by a formulation, with what joins its frames.

    Frames move by the formulation's own kinematics, and its own mass matrix says how the tree gives way: no equation
    of motion of the kernel is used.

    Parameters
    ----------
    base : Formulation
        Of the tree alone: the same links and coordinates.
    model : Model
        The robot with its loops, elements, contacts and prescribed joints.
    loads : sequence of Frame
        Where loads in time act.
    in_world : sequence of bool
        Whose wrenches are given in world axes; those of others are in their own.

    Equations: 001 (64)-(67).
    """

    def __init__(
        self, base: Formulation, model: Model, loads: Sequence[Frame] = (), in_world: Sequence[bool] = ()
    ) -> None:
        self.base, self.model, self.name = base, model, base.name  # type: ignore[misc]
        self._loaded = model.with_loads(loads, in_world)
        self.offers = base.offers - {Offer.LINEAR_MODEL}
        if model.loops:  # many forces give the same accelerations
            self.offers -= {Offer.INVERSE_DYNAMICS}
        self.given_wrenches = np.zeros((self.loaded.rows, 6))  # of the moment, loads and thrusts of cylinders

    @property
    def loaded(self) -> Model:
        """The model with the frames on which loads in time act."""
        return self._loaded

    def called(self) -> AbstractContextManager[Any]:
        """Return a context in which compiled code may call the formulation of the tree back."""
        return self.base.called()

    @property
    def external(self) -> np.ndarray:
        """Wrenches (loads, 6) of the moment, in the axes they are given in: for those who ask for forces themselves."""
        return self.given_wrenches[self.model.rows :]

    @cached_property
    def dynamics(self) -> Dynamics:
        """Inverse and forward dynamics as lissom's integrators call them."""
        own = self._memory
        return Dynamics(compiled.inverse, compiled.forward, own, given=own.fields.given)

    @cached_property
    def _memory(self) -> Struct:
        base, loaded = self.base, self.loaded
        model, dynamics, nv = base.model, base.tree_dynamics, self.model.nv
        q, v, none = np.zeros(model.nq), np.zeros(nv), np.zeros((model.rows, 6))
        own = Hidden(dynamics.own or model.new_workspace())
        alone = frames_of(loaded)
        motion, places = Struct(frame_motion(loaded)), base.frame_kernel(loaded.frames)
        fill_own = Hidden(places.own)
        driven = np.flatnonzero(self.model.arrays.velocities.prescribed)
        loops = len(loaded.arrays.loops.hold)
        rows, count = loops + len(driven), len(loaded.frames) + 1
        return Struct(
            compiled.ConnectionMemory(
                tree=model.struct,
                own=own,
                inverse=Pointer(dynamics.inverse, model.struct, own, q, v, v, none, v),
                forward=Pointer(dynamics.forward, model.struct, own, q, v, v, none, v),
                none=none,
                fill=Pointer(places.kernel, fill_own, q, v, motion),
                fill_own=fill_own,
                motion=motion,
                frames=alone.struct,
                work=alone.new_workspace(),
                acting=np.zeros((count, 6)),
                force=np.zeros(nv),
                total=np.zeros(nv),
                bias=np.zeros(nv),
                still=np.zeros(nv),
                driven=driven,
                given=np.zeros((loops, 3)),
                G=np.zeros((rows, nv)),
                right=np.zeros(rows),
                alone=np.zeros(nv),
                schur=Struct(make_schur(rows, nv, np.float64)),
            )
        )

    def accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Accelerations (nv,) under motors, loads, elements and contacts; prescribed joints keep their speed."""
        return self.driven_accelerations(q, v, tau, np.zeros(self.model.nv))

    def driven_accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Accelerations (nv,) where those of prescribed joints are as in a (nv,)."""
        q, v, tau, out = _floats(q, v, tau, a)
        with self.called():
            compiled.forward(self.loaded.struct, self._memory, q, v, tau, self.given_wrenches, out)
        return out

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Return the motors' forces (nv,) that produce a beside what acts on the frames."""
        if self.model.loops:
            raise self._refusal(Offer.INVERSE_DYNAMICS)
        return self._missing(q, v, a)

    def _missing(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Return forces (nv,) that a asks for beside what acts on the frames, which are then in place."""
        tau, (q, v, a) = np.zeros(self.model.nv), _floats(q, v, a)
        with self.called():
            compiled.inverse(self.loaded.struct, self._memory, q, v, a, self.given_wrenches, tau)
        return tau

    def wrenches(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Wrench of the parent on the child at every joint: what moves the links beyond, less what acts on them.

        Of closed chains under no forces of the motors.
        """
        return self.wrenches_under(q, v, a, np.zeros(self.model.nv))

    def wrenches_under(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Wrenches where the motors' forces tau (nv,) are known: loops carry what these leave of the accelerations."""
        on_frames = self.frame_wrenches(q, v, a, tau)
        out, robot = np.array(self.base.wrenches(q, v, a)), self.model.robot
        work = self._memory.fields.work.fields
        for k, frame in enumerate(self.loaded.frames, start=1):
            place, link = se3.from_parts(work.rotation[k], work.position[k]), frame.link
            while link != WORLD:
                seen = se3.inverse(self.base.link_pose(q, link)) @ place
                out[self.model.row(link) - 1] -= se3.transform_wrench(seen, on_frames[k])
                link = robot.link(link).parent
        return out

    def frame_wrenches(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Wrenches (frames + 1, 6) on all frames in their own axes, row 0 that of the world: forces and loops.

        The multipliers are the least that the accelerations a ask for beside the motors' forces tau (nv,).
        """
        own = self._memory.fields
        work, loops = own.work.fields, len(own.given)
        left = self._missing(q, v, a) - tau
        on_frames: np.ndarray = work.load.copy()
        if loops:
            self.driven_accelerations(q, v, tau, a)  # rows G of the state
            multipliers = np.linalg.lstsq(own.G.T, left, rcond=1e-9)[0][:loops]
            loop_wrenches(own.frames, own.work, multipliers, np.zeros((len(self.model.loops), 6)), on_frames)
        return on_frames

    def frame_forces(self, q: np.ndarray) -> np.ndarray:
        """Generalised forces (nv,) of what acts on the frames at rest, J^T W."""
        self._missing(q, *np.zeros((2, self.model.nv)))
        force: np.ndarray = self._memory.fields.force.copy()
        return force

    def energy(self, q: np.ndarray, v: np.ndarray) -> Energy:
        """Return the energies of the tree, and of elements and contacts."""
        own = self.base.energy(q, v)
        self._missing(q, v, np.zeros(self.model.nv))
        work = self._memory.fields.work.fields
        stored = float(work.element[:, ENERGY].sum() + work.touch[:, STORED].sum())
        return own._replace(elements=own.elements + stored)

    def tip(self, q: np.ndarray) -> np.ndarray:
        """Pose (4, 4) of the tip."""
        return self.base.tip(q)

    def link_pose(self, q: np.ndarray, link: str) -> np.ndarray:
        """Pose (4, 4) in the world of the frame of a link."""
        return self.base.link_pose(q, link)

    def limit(self, raw: RawRun) -> Limit | None:
        """Return where a run left what the formulation of the tree describes."""
        return self.base.limit(raw)


def _floats(*vectors: Any) -> list[np.ndarray]:
    return [np.array(x, float) for x in vectors]
