"""States of actuators where nothing moves: what their commands come to."""

from __future__ import annotations

import numpy as np

from lissom.dynamics.state_checks import Vector
from lissom.kernel.data.arrays import Drive, Regulation
from lissom.kernel.forces.actuator_laws import RESISTANCE, SERVO
from lissom.model.model import Model


def resting_states(model: Model, tau: Vector | None = None) -> Vector:
    """Return velocities (nv,) of a state of rest: zero, but for the states of actuators under their commands in `tau`.

    Efforts and lengths of rope have followed their commands, currents are what voltages drive through the resistance.
    Pressures of cylinders are those of the start, bristles are not bent.
    """
    v = np.zeros(model.nv)
    acts = model.arrays.actuators
    for a, own in enumerate(model.states if tau is not None else ()):
        if own.command is None or tau is None:
            continue
        k = int(acts.states[a, 0]) + own.command - own.first
        command = float(tau[own.command])
        limited = float(np.clip(command, np.real(acts.lower[k]), np.real(acts.upper[k])))
        if acts.kind[a] == Drive.EFFORT:
            v[own.first] = limited
        elif acts.kind[a] == Drive.MOTOR:
            peak = float(np.real(acts.peak[k]))
            current = command
            if acts.regulation[k] != Regulation.CURRENT:
                current = limited / float(np.real(acts.numbers[a, RESISTANCE]))
            v[own.first] = np.clip(current, -peak, peak)
        elif acts.kind[a] == Drive.ROPE and acts.numbers[a, SERVO] > 0:
            v[own.first] = limited
    return v
