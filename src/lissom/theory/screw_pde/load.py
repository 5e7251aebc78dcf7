"""External wrenches at the base, the tip or a section of a link: (13) of Yaqubi et al. 2026, at rest and over time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.state_checks import wrench_vector
from lissom.errors import LissomError
from lissom.kernel.algorithms.complex_step import STEP
from lissom.kernel.compile import Struct
from lissom.lie import se3
from lissom.model.compilation.tip_frames import tip_of
from lissom.simulation.inputs.loads import activate, as_loads
from lissom.theory.connections.frame_kernel import frame_motion
from lissom.theory.screw_pde.compiled.evaluate import relative_motions
from lissom.theory.screw_pde.compiled.frames import add_section_wrenches

if TYPE_CHECKING:
    from lissom.theory.screw_pde.formulation import ScrewPDE

Array = np.ndarray


@dataclass(frozen=True)
class Load:
    """A wrench (torque, force) on `link` at the section x (its tip unless given), in the section's or world axes."""

    link: str
    wrench: ArrayLike
    x: float | None = None
    frame: Literal["local", "world"] = "local"


def generalised(system: ScrewPDE, load: Load, q: np.ndarray) -> np.ndarray:
    """Return forces (6 + m,) of a load in the rows of its link: [Ad(g^-1), J]^T W, from the section's motion.

    Equations: 003 (13).
    """
    wrench = wrench_vector(load.wrench, f"load on {load.link}")
    if load.frame not in ("local", "world"):
        raise LissomError("must be 'local' or 'world'", ("load", load.link, "frame"), load.frame)
    T, J = section_jacobian(system, load.link, load.x, q)
    if load.frame == "world":
        R = system.pose(q, load.link, load.x)[:3, :3]
        wrench = np.concatenate([R.T @ wrench[:3], R.T @ wrench[3:]])
    return np.concatenate([se3.Ad(se3.inverse(T)), J], axis=1).T @ wrench


def section_jacobian(system: ScrewPDE, link: str, x: float | None, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pose (4, 4) of a section in its link's body frame, and its twist (6, m) per modal velocity, in its own axes.

    J by a complex step through the section-pose map.
    """
    model = system.model
    if link not in model.flexible:
        if x is not None:
            raise LissomError("the link is rigid, so leave this out", ("load", link, "x"), x)
        return se3.from_parts(np.eye(3), tip_of(model, link)), np.zeros((6, 0))
    beam, eta = model.flexible[link], q[model.bodies[system.row(link)].modes_q]
    x = beam.length if x is None else x
    frame = system.frames.get(link, 0.0)
    nudged = eta + 1j * STEP * np.eye(beam.count)
    T = se3.inverse(beam.pose(frame, nudged)) @ beam.pose(x, nudged)
    pose = se3.inverse(beam.pose(frame, eta)) @ beam.pose(x, eta)
    rates = se3.inverse(pose) @ (T.imag / STEP)
    return pose, se3.vee(rates).T


class LoadsInTime:
    """Forces and torques of a run, which `add` puts into the rows of a formulation.

    Parameters
    ----------
    formulation : ScrewPDE
        Whose links carry them.
    loads : iterable of lissom.Load
        As in `lissom.simulate`; functions of the state are asked at every stage.
    duration : float
        Seconds that they are to cover.
    """

    def __init__(self, formulation: ScrewPDE, loads: Iterable[Any], duration: float) -> None:
        given = as_loads(loads)
        if any(load.element for load in given):
            raise LissomError("act on links here; cylinders are moved by `lissom.theory.simulate`", ("loads",))
        model, self.active = activate(formulation.model, given, duration)
        first = len(model.frames) - len(self.active.frames)
        motion = frame_motion(model)
        rows = slice(1 + first, None)
        self._formulation, self._owner = formulation, motion.owner[rows] - 1
        self._offset = motion.offset_R[rows], motion.offset_p[rows]
        self._sections = formulation.with_stations([(frame.link, frame.at) for frame in self.active.frames])
        section = len(self._sections.table.flexible) - len(self.active.frames)
        self._section = np.arange(section, len(self._sections.table.flexible))
        self._in_world = np.array(self.active.in_world, np.int64)
        self._row, self._wrench = self.active.row - (len(model.bodies) + 1 + first), np.zeros((len(self._owner), 6))
        self._structs: tuple[Struct, Struct] = self._sections.structs
        self._still = np.zeros(model.nv)

    def set_time(self, t: float, q: Array, v: Array) -> None:
        """Take the wrenches at time t and the state (q, v)."""
        values = np.array(self.active.reference(t)[0], float)
        for function, _, numbers in self.active.functions:
            values[numbers] = function(t, q.copy(), v.copy())
        self._wrench[self._row, self.active.entry] = values

    def add(self, q: Array) -> None:
        """Add the wrenches to the external ones of the links, whose body frames are in place."""
        self._sections.place_sections(q, self._still)
        relative_motions(*self._structs, q, self._still)
        world, external = self._formulation.work.world_R, self._formulation.work.external
        add_section_wrenches(
            *self._structs, self._section, self._owner, self._wrench, self._in_world, *self._offset, world, external
        )
