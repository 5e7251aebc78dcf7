"""The quantities that lissom itself registers, one record each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from lissom.beam.flexible_link import bow
from lissom.kernel.data.arrays import Port
from lissom.kernel.forces.actuator_forces import EFFORT, PLACE, POWER
from lissom.kernel.forces.actuator_forces import LOST as ACTUATOR_LOST
from lissom.kernel.forces.actuator_forces import RATE as PORT_RATE
from lissom.kernel.forces.actuator_forces import STORED as ACTUATOR_STORED
from lissom.kernel.forces.contact_forces import FORCE as PUSH
from lissom.kernel.forces.contact_forces import GAP, NORMAL, SLIDING
from lissom.kernel.forces.element_forces import ENERGY, LENGTH, LOST, RATE, TENSION
from lissom.model.actuators.actuator import joint_unit
from lissom.results.momentum import Momentum, momentum
from lissom.results.quantity_names import ENERGIES, force_units
from lissom.results.registry.result_quantity import ResultQuantity, RunData, register_quantity
from lissom.results.registry.standard_axes import followed_columns, followed_reference, load_names
from lissom.results.registry.stress_peaks import peak_stress
from lissom.simulation.inputs.sensor_signals import ideal_readings
from lissom.simulation.postprocess import Wanted

BENDING, PLACES, FORCES = Wanted.BENDING, Wanted.PLACES, Wanted.FORCES
WRENCH_UNITS = ("N m",) * 3 + ("N",) * 3
TWIST_UNITS = ("rad/s",) * 3 + ("m/s",) * 3
LOAD_WORK = "work of loads and of the thrust of cylinders"
ACCOUNT: dict[str, Any] = {"sample": True, "audit": True}
PER = {"q": "", "v": "/s", "a": "/s2"}  # behind the unit of a coordinate


# records that differ little from each other


Unit = str | Sequence[str]


def _coordinate(name: str, dim: str, vector: str, part: str, text: str) -> None:
    """Register the entries of q, v or a that belong to joints, modes or rotors."""

    def columns(run: RunData) -> Any:
        return run.positions if vector == "q" else run.velocities

    def units(run: RunData) -> list[str]:
        return [columns(run).units[k] + PER[vector] for k in getattr(columns(run), part)]

    def compute(run: RunData) -> np.ndarray:
        values: np.ndarray = getattr(run.raw, vector)[..., getattr(columns(run), part)]
        return values

    register_quantity(ResultQuantity(name, (dim,), units, text, compute, sample=True, in_packs=True))


def _register_seen(name: str, dims: str, unit: Unit, text: str, look: Wanted, in_packs: bool = False) -> None:
    """Register a field of `RunData.seen`."""
    made = ResultQuantity(name, tuple(dims.split()), unit, text, lambda run: getattr(run.seen, name), look)
    register_quantity(replace(made, in_packs=in_packs))


def _part(name: str, dims: str, unit: Unit, text: str, field: str, which: Any) -> None:
    """Register some columns of a field of `RunData.seen` that needs forces."""
    _other(name, dims, unit, text, lambda run: getattr(run.seen, field)[..., which], FORCES)


def _element(name: str, unit: str, text: str, which: int) -> None:
    _part(f"element_{name}", "element", unit, text, "element", which)


def _actuator(name: str, unit: Any, text: str, which: int) -> None:
    _part(f"actuator_{name}", "actuator", unit, text, "actuator", which)


def _contact(name: str, unit: str, text: str, which: int | slice, dims: str = "contact") -> None:
    _part(f"contact_{name}", dims, unit, text, "touch", which)


def _other(
    name: str,
    dims: str,
    unit: Any,
    text: str,
    compute: Callable[[RunData], Any],
    look: Wanted | None = None,
    **how: Any,
) -> None:
    register_quantity(ResultQuantity(name, tuple(dims.split()), unit, text, compute, look, **how))


# samples: coordinates, their rates and forces, references and readings

_coordinate("position", "q", "q", "joints", "joint coordinate")
_coordinate("velocity", "v", "v", "joints", "joint velocity")
_coordinate("acceleration", "v", "a", "joints", "joint acceleration")
_coordinate("eta", "mode", "q", "modes", "modal coordinate")
_coordinate("eta_rate", "mode", "v", "modes", "modal velocity")
_coordinate("eta_acceleration", "mode", "a", "modes", "modal acceleration")
_coordinate("rotor_position", "rotor", "q", "rotors", "rotor coordinate, joint side")
_coordinate("rotor_velocity", "rotor", "v", "rotors", "rotor velocity")
_coordinate("rotor_acceleration", "rotor", "a", "rotors", "rotor acceleration")


def _state_rate_units(run: RunData) -> list[str]:
    return [f"{run.velocities.units[k]}/s" for k in run.velocities.states]


def _force_units(run: RunData) -> list[str]:
    return list(force_units(run.model))


_other(
    "actuator_state",
    "state",
    lambda run: [run.velocities.units[k] for k in run.velocities.states],
    "state of an actuator",
    lambda run: run.raw.v[..., run.velocities.states],
    sample=True,
)
_other(
    "actuator_state_rate",
    "state",
    _state_rate_units,
    "rate of a state of an actuator",
    lambda run: run.raw.a[..., run.velocities.states],
    sample=True,
)
_other(
    "torque",
    "coordinate",
    _force_units,
    "applied force; that of a motor behind an elastic gear is on its rotor",
    lambda run: run.raw.tau,
    sample=True,
    in_packs=True,
)


def _reference(run: RunData) -> np.ndarray:
    law, used = run.once(followed_reference)
    return np.asarray(law.reference(run.raw.time)[0])[:, used]


def _reference_units(run: RunData) -> list[str]:
    return [run.positions.units[k] for k in followed_columns(run)]


_other("reference", "reference_q", _reference_units, "set-point of the controller", _reference, sample=True)


def _reading(run: RunData) -> np.ndarray:
    sensed: Any = run.raw.sensed
    values: np.ndarray = sensed.reading[: len(run.raw.time)]  # a run that ended early has told no more
    return values


def _reading_units(run: RunData) -> tuple[str, ...]:
    sensed: Any = run.raw.sensed
    return tuple(sensed.units)


_other("reading", "sensor", _reading_units, "what the sensors tell", _reading, sample=True)
_other("ideal_reading", "sensor", _reading_units, "what ideal sensors would tell", lambda run: ideal_readings(run.raw))


# wrenches, poses and deflections

_register_seen(
    "wrench",
    "joint wrench_component",
    WRENCH_UNITS,
    "wrench of the parent on the child at the joint, in the child's axes",
    FORCES,
    in_packs=True,
)
_register_seen(
    "loop_wrench",
    "loop wrench_component",
    WRENCH_UNITS,
    "wrench of the loop's first frame on its second, in the second's axes",
    FORCES,
)
_register_seen("loop_position", "loop axis", "m", "joint of the loop in the world", PLACES)
_register_seen("loop_orientation", "loop quaternion", "1", "its axes in world axes", PLACES)
_register_seen("loop_gap", "loop", "1", "constraint violation of the loop, m or rad", PLACES)
_register_seen("link_position", "link axis", "m", "origin of the link in the world", PLACES)
_register_seen("link_orientation", "link quaternion", "1", "link axes in world axes", PLACES)
_register_seen("tip_position", "link axis", "m", "tip in the world", PLACES, in_packs=True)
_register_seen("tip_orientation", "link quaternion", "1", "tip axes in world axes", PLACES)
_register_seen("tip_twist", "link twist_component", TWIST_UNITS, "tip twist, world axes", PLACES)
_register_seen("deflection", "flexible axis", "m", "elastic tip displacement, link axes", BENDING, in_packs=True)
_register_seen("rotation", "flexible axis", "rad", "elastic tip rotation vector, link axes", BENDING)


def _bow(run: RunData) -> np.ndarray:
    model = run.model
    bodies = [body for body in model.bodies if body.link in model.flexible]
    return np.stack([bow(model.flexible[body.link], run.raw.q[..., body.modes_q]) for body in bodies], axis=-1)


_other("bow", "flexible", "m", "largest distance of the bent axis from the straight line through both its ends", _bow)


# elements, contacts and loads

_element("length", "m", "distance of the element's ends", LENGTH)
_element("rate", "m/s", "rate of the element's length", RATE)
_element("force", "N", "pull of the element on its ends; of a bushing the size of its force", TENSION)
_element("stored", "J", "energy stored in the element", ENERGY)
_element("loss", "W", "power lost in the element", LOST)
_contact("gap", "m", "distance of sphere and surface", GAP)
_contact("force", "N", "normal force", NORMAL)
_contact("sliding", "m/s", "sliding speed", SLIDING)
_contact("push", "N", "force on the sphere, friction included, world axes", slice(PUSH, PUSH + 3), "contact axis")


def _load_frames(run: RunData) -> slice:
    """Return which frames of the model loads act on: the last ones."""
    return slice(len(run.model.frames) - len(load_names(run)), None)


def _load_wrench(run: RunData) -> np.ndarray:
    """Return torque and force of every load, world axes, (N, loads, 6)."""
    loads: Any = run.raw.loads
    frames = _load_frames(run)
    wrench: np.ndarray = loads.wrenches(run.model.frame_row(frames.start))
    local = ~np.array(loads.in_world)
    axes = run.seen.frame_axes[:, frames][:, local]
    for part in (slice(0, 3), slice(3, 6)):
        wrench[:, local, part] = np.einsum("nkij,nkj->nki", axes, wrench[:, local, part])
    return wrench


def _load_force(run: RunData) -> np.ndarray:
    return run.once(_load_wrench)[:, :, 3:]


def _load_torque(run: RunData) -> np.ndarray:
    return run.once(_load_wrench)[:, :, :3]


def _load_position(run: RunData) -> np.ndarray:
    return run.seen.frame_position[:, _load_frames(run)]


_other("load_force", "load axis", "N", "force of the load, world axes", _load_force, FORCES)
_other("load_torque", "load axis", "N m", "torque of the load, world axes", _load_torque, FORCES)
_other("load_position", "load axis", "m", "where the load acts, in the world", _load_position, FORCES)


# momentum of robots that float: what they keep while nothing acts on them from outside


def _momentum(run: RunData) -> Momentum:
    raw = run.raw
    return momentum(raw.model, raw.q, raw.v, raw.time, raw.carried)


def _momentum_part(field: str, run: RunData) -> np.ndarray:
    values: np.ndarray = getattr(run.once(_momentum), field)
    return values


def _port_units(field: str, run: RunData) -> list[str]:
    """Return units of place, rate or effort at the port of every actuator."""
    robot, found = run.model.robot, []
    for actuator in robot.drives:
        turns = actuator.port == Port.JOINT and joint_unit(robot, actuator.on_coordinate()) == "rad"
        units = ("rad", "rad/s", "N m") if turns else ("m", "m/s", "N")
        found.append(units[("place", "rate", "effort").index(field)])
    return found


def _floats(run: RunData) -> bool:
    return any(link.joint.kind.floats for link in run.model.robot.links)


for name, unit, field, text in (
    ("centre_of_mass", "m", "centre", "centre of mass of the robot in the world"),
    ("momentum", "kg m/s", "linear", "momentum of the robot, world axes"),
    ("angular_momentum", "kg m2/s", "angular", "angular momentum of the robot about its centre of mass, world axes"),
):
    _other(name, "axis", unit, text, partial(_momentum_part, field), given=_floats)


# actuators

for name, field, which, text in (
    ("place", "place", PLACE, "what an actuator works on: turn of its shaft, length of its path"),
    ("rate", "rate", PORT_RATE, "rate of what an actuator works on"),
    ("effort", "effort", EFFORT, "what an actuator gives: torque of its shaft, force that lengthens its path"),
):
    _actuator(name, partial(_port_units, field), text, which)
_actuator("stored", "J", "energy stored in an actuator", ACTUATOR_STORED)
_actuator("loss", "W", "power lost in an actuator", ACTUATOR_LOST)


def _actuator_power(run: RunData) -> np.ndarray:
    """Return what goes in, (N, actuators): what laws say, and commands times the states that are their partners."""
    given = np.array(run.seen.actuator[..., POWER])
    acts = run.model.arrays.actuators
    for k in np.flatnonzero(acts.powered):
        at = acts.state_v[k]
        given[:, acts.owner[k]] += run.raw.tau[:, at] * run.raw.v[:, at]
    return given


_other("actuator_power", "actuator", "W", "power that goes into an actuator", _actuator_power, FORCES)


# energies, and the accounts of what went in and out

PARTS = (
    "kinetic energy",
    "potential of gravity",
    "strain energy of the links",
    "energy stored in joints",
    "energy stored in elements, contacts and actuators",
)
for k, (name, text) in enumerate(zip(ENERGIES, PARTS, strict=True)):
    _part(name, "", "J", text, "energy", k)


def _has_loads(run: RunData) -> bool:
    return run.raw.load_work is not None and bool(run.model.frames)


def _residual(run: RunData) -> np.ndarray:
    """Return stored energy - work + dissipation since the start, (N,) J: zero of an exact solution."""
    gained = run.raw.work - run.raw.dissipated
    if _has_loads(run):
        gained = gained + run.raw.load_work
    left = run["stored_energy"] - gained
    return left - left[:1]


_other("stored_energy", "", "J", "kinetic and potential energy", lambda run: run.seen.energy.sum(axis=1), FORCES)
_other("work", "", "J", "work of the applied forces", lambda run: run.raw.work, **ACCOUNT)
_other("dissipated", "", "J", "energy dissipated", lambda run: run.raw.dissipated, **ACCOUNT)
_other("load_work", "", "J", LOAD_WORK, lambda run: run.raw.load_work, given=_has_loads, **ACCOUNT)
_other(
    "energy_residual",
    "",
    "J",
    "stored - work (of loads too) + dissipated, since the start",
    _residual,
    FORCES,
    audit=True,
)
_other(
    "stress",
    "beam",
    "Pa",
    "largest von Mises stress in the beam",
    peak_stress,
    FORCES,
    on_demand=True,
)
