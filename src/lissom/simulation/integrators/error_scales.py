"""What is allowed as an error in each coordinate of a run, beyond its rtol and atol."""

from __future__ import annotations

import numpy as np

from lissom.dynamics.state_checks import finite
from lissom.kernel.algorithms.composite_body import mass_matrix
from lissom.model.model import Follower, Model
from lissom.simulation.settings import RunSettings

PACE = 300.0  # 1/s: error allowed in velocities per error allowed in positions, of all that is slower than that


def pace(model: Model, q: np.ndarray) -> np.ndarray:
    """Return each coordinate's own frequency (nv,), rad/s, PACE at least: velocities as exact as positions."""
    M, rest = model.cached("pace", lambda: (np.zeros((model.nv, model.nv)), np.zeros(model.nv)))
    mass_matrix(model.struct, model.workspace(), q, rest, M)
    return _pace(model, q, M)


class Paces:
    """The frequencies of `pace` for models that differ in numbers alone, in memory that is laid out once."""

    def __init__(self, model: Model) -> None:
        self._memory = Follower(model)
        self._matrix, self._rest = np.zeros((model.nv, model.nv)), np.zeros(model.nv)

    def of(self, model: Model, q: np.ndarray) -> np.ndarray:
        """Return the `pace` of a model."""
        own = self._memory.of(model)
        mass_matrix(own.struct, own.workspace(), q, self._rest, self._matrix)
        return _pace(model, q, self._matrix)


def _pace(model: Model, q: np.ndarray, M: np.ndarray) -> np.ndarray:
    inertia = finite(model, "mass_matrix", M, q=q).diagonal()
    stiffness = np.zeros(model.nv)
    for row, body in enumerate(model.bodies, start=1):
        modes = body.modes_v.stop - body.modes_v.start
        stiffness[body.modes_v] = model.arrays.strain.stiffness[row].diagonal()[:modes]
    found = np.maximum(PACE, np.sqrt(stiffness / np.where(inertia > 0, inertia, np.inf)))
    for own in model.states:
        found[own.first : own.first + len(own.states)] = [PACE * state.typical for state in own.states]
    return found


def sharpness(model: Model, settings: RunSettings) -> float:
    """Return how many times smaller than errors allowed Newton's corrections must be where bodies rub; 0 where none do.

    They must tell sticking from sliding: a tenth of the speed over which friction builds up.
    """
    contacts = model.arrays.contacts
    rubbing = np.real(contacts.friction_speed)[np.real(contacts.friction) > 0]
    allowed = PACE * settings.absolute_error + settings.rtol
    return max(1.0, 10.0 * allowed / float(rubbing.min())) if len(rubbing) else 0.0
