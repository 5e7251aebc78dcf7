"""Loads over time on sections, as external wrenches in the rows of their links."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import LissomError
from lissom.kernel.compile import Struct
from lissom.simulation.inputs.loads import activate, as_loads
from lissom.theory.connections.frame_kernel import frame_motion
from lissom.theory.screw_pde.compiled.evaluate import relative_motions
from lissom.theory.screw_pde.compiled.frames import add_section_wrenches

if TYPE_CHECKING:
    from lissom.theory.screw_pde.formulation import ScrewPDE

Array = np.ndarray


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
