"""States with a pose for every body frame: from and to model coordinates, with what the joints' constraints leave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lissom.errors import LissomError
from lissom.theory.screw_pde.compiled import absolute as compiled
from lissom.theory.screw_pde.formulation import ScrewPDE

Array = np.ndarray


class Residual(NamedTuple):
    """Largest constraint violation: of positions in m or rad, of velocities in m/s or rad/s."""

    position: float
    velocity: float


@dataclass(frozen=True, eq=False)
class State:
    """Poses of n body frames, and x = (twists, modal amplitudes, their rates, rotor angles, their rates)."""

    R: Array  # (n, 3, 3)
    p: Array  # (n, 3)
    x: Array

    def copy(self) -> State:
        """Return a state with arrays of its own."""
        return State(self.R.copy(), self.p.copy(), self.x.copy())


class Frames:
    """The absolute states of a formulation: body frames are unknowns, joints are constraints between them."""

    def __init__(self, formulation: ScrewPDE) -> None:
        if formulation.closures:
            raise LissomError("body frames as states cover chains and trees; leave the closures out")
        self.formulation, self.model = formulation, formulation.model
        table = formulation.table
        self.links, self.rotors = len(table.parent), len(table.gears.rotor_v)
        self.modes_q = np.concatenate([np.r_[body.modes_q] for body in self.model.bodies]).astype(int)
        self.modes_v = np.concatenate([np.r_[body.modes_v] for body in self.model.bodies]).astype(int)
        self.size = 6 * self.links + 2 * len(self.modes_q) + 2 * self.rotors
        self.q, self.v = self.model.neutral(), np.zeros(self.model.nv)  # as measured last

    def state(self, q: Array, v: Array) -> State:
        """Return the state at model coordinates (q, v): every constraint holds."""
        f, table = self.formulation, self.formulation.table
        self.q, self.v = np.array(q, float), np.array(v, float)
        f.place(self.q, self.v)
        parts = (f.work.V.ravel(), q[self.modes_q], v[self.modes_v], q[table.gears.rotor_q], v[table.gears.rotor_v])
        return State(f.work.world_R.copy(), f.work.world_p.copy(), np.concatenate(parts))

    def measure(self, state: State) -> tuple[Array, Array]:
        """Model coordinates (q, v) of a state; turns are counted on from those measured before."""
        modes, first = len(self.modes_q), 6 * self.links
        self.q[self.modes_q], self.v[self.modes_v] = state.x[first : first + 2 * modes].reshape(2, modes)
        self.formulation.place_sections(self.q, self.v)
        compiled.measure(*self.formulation.structs, state.R, state.p, state.x, self.q, self.v)
        return self.q, self.v

    def residual(self) -> Residual:
        """Constraint violation of the state measured last."""
        return Residual(*compiled.residuals(*self.formulation.structs))

    def project(self, state: State) -> State:
        """Return the state of the same joint and modal coordinates that keeps the constraints and their rates."""
        return self.state(*self.measure(state))

    def shifted(self, state: State, change: Array, out: State) -> None:
        """`out` = state moved by an increment (6 n + size,)."""
        compiled.shift(state.R, state.p, state.x, change, out.R, out.p, out.x)

    def rate(self, change: Array, tau: Array, out: Array) -> None:
        """Rate of an increment at `change`, for the state measured last."""
        self.formulation.write_rows(self.q, self.v)
        compiled.rate(*self.formulation.structs, change, self.q, self.v, tau, out)
