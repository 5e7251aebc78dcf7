"""Names along the axes of results, and where the coordinates of joints, modes and rotors stand in a state."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.model.description.joint_kinds import FORCE
from lissom.model.model import Model

AXES = ("x", "y", "z")
QUATERNION = ("w", "x", "y", "z")
WRENCH = ("tx", "ty", "tz", "fx", "fy", "fz")
TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")
ENERGIES = ("kinetic_energy", "gravity_energy", "strain_energy", "joint_energy", "element_energy")


class Columns(NamedTuple):
    """Where joints, modes, rotors and states of actuators stand in a vector, in their own order, and their units."""

    joints: np.ndarray
    modes: np.ndarray
    rotors: np.ndarray
    states: np.ndarray  # of actuators, in velocities alone
    names: tuple[str, ...]  # of the whole vector
    units: tuple[str, ...]  # of the whole vector: rad, m or 1; of states their own


def position_columns(model: Model) -> Columns:
    """Return the parts of a configuration (nq,)."""
    return _columns(model, "q", model.q_names)


def velocity_columns(model: Model) -> Columns:
    """Return the parts of a velocity (nv,); units are those of its integral."""
    return _columns(model, "v", model.coordinates)


def force_units(model: Model) -> tuple[str, ...]:
    """Return the units of forces (nv,); of states of actuators those of their commands."""
    states = (state.command_unit or state.unit for own in model.states for state in own.states)
    return *(FORCE[unit] for unit in velocity_columns(model).units[: model.moving]), *states


def _columns(model: Model, kind: str, names: tuple[str, ...]) -> Columns:
    index = np.arange(len(names))
    joints = [index[getattr(body, f"joint_{kind}")] for body in model.bodies]
    modes = [index[getattr(body, f"modes_{kind}")] for body in model.bodies]
    rotors = sorted(getattr(body, f"rotor_{kind}") for body in model.bodies if body.rotor_v is not None)
    of = np.empty(len(names), dtype="<U4")
    states = []
    for own in model.states if kind == "v" else ():
        for at, state in enumerate(own.states, start=own.first):
            of[at] = state.unit
            states.append(at)
    for link, body, at in zip(model.robot.bodies, model.bodies, joints, strict=True):
        shared = link.joint.kind
        of[at] = shared.position_units if kind == "q" else shared.velocity_units
        if body.rotor_v is not None:
            of[getattr(body, f"rotor_{kind}")] = of[at[0]]
    for k in np.concatenate(modes):
        of[k] = "rad" if ".torsion" in names[k] else "m"
    moving = np.concatenate(joints), np.concatenate(modes), np.array(rotors, int)
    return Columns(*moving, np.array(states, int), names, tuple(of.tolist()))
