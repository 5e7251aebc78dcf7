"""What is allowed as an error in each coordinate of a run, beyond its rtol and atol."""

from __future__ import annotations

import numpy as np

from lissom.dynamics import mass_matrix
from lissom.model.compiled import Model
from lissom.simulation.settings import RunSettings

PACE = 300.0  # 1/s: error allowed in velocities per error allowed in positions, of all that is slower than that


def pace(model: Model, q: np.ndarray) -> np.ndarray:
    """Own frequency of each coordinate (nv,), rad/s, PACE at least: vibrations as exact in velocity as in position."""
    inertia = np.diag(mass_matrix(model, q))
    stiffness = np.zeros(model.nv)
    for body in model.bodies:
        if body.link in model.flexible:
            stiffness[body.modes_v] = np.diag(model.flexible[body.link].stiffness())
    return np.maximum(PACE, np.sqrt(stiffness / np.where(inertia > 0, inertia, np.inf)))


def sharpness(model: Model, settings: RunSettings) -> float:
    """How many times smaller than errors allowed Newton's corrections must be where bodies rub; 0 where none do.

    They must tell sticking from sliding: a tenth of the speed over which friction builds up.
    """
    contacts = model.arrays.contacts
    rubbing = np.real(contacts.friction_speed)[np.real(contacts.friction) > 0]
    allowed = PACE * settings.atol + settings.rtol
    return max(1.0, 10.0 * allowed / float(rubbing.min())) if len(rubbing) else 0.0
