"""From a RawRun to named quantities: every number with its unit and the name of what it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

import numpy as np

from lissom.beam.flexible_link import bow
from lissom.control.laws.control_law import Together
from lissom.kernel.forces.contact_forces import FORCE as PUSH
from lissom.kernel.forces.contact_forces import GAP, NORMAL, SLIDING
from lissom.kernel.forces.element_forces import ENERGY, LENGTH, LOST, RATE, TENSION
from lissom.model.description.joint_kinds import FORCE
from lissom.model.model import Model
from lissom.results.quantities import Quantities, Variable
from lissom.simulation.batch.vector_results import VectorResults
from lissom.simulation.inputs.sensor_signals import Sensed, ideal_readings
from lissom.simulation.postprocess import Observation, Wanted
from lissom.simulation.raw_run import RawRun

AXES = ("x", "y", "z")
QUATERNION = ("w", "x", "y", "z")
WRENCH = ("tx", "ty", "tz", "fx", "fy", "fz")
TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")
ENERGIES = ("kinetic_energy", "gravity_energy", "strain_energy", "joint_energy", "element_energy")
SPACE = ("centre_of_mass", "momentum", "angular_momentum")
SAMPLES = {  # what a run holds by itself
    *("position", "velocity", "acceleration", "eta", "eta_rate", "eta_acceleration"),
    *("rotor_position", "rotor_velocity", "rotor_acceleration", "torque", "reference", "reading"),
    "ideal_reading",
}
BENDING = {"deflection", "rotation", "bow"}
PLACES = {  # what follows without forces and energies
    *("link_position", "link_orientation", "tip_position", "tip_orientation", "tip_twist", *BENDING),
    *("loop_position", "loop_orientation", "loop_gap", *SPACE),
}
TOGETHER = SAMPLES - {"reference", "reading", "ideal_reading"} | {"deflection", "wrench", "tip_position"}  # of a pack
ACCOUNTS = {"work", "dissipated", "load_work", "energy_residual"}  # kept by runs with audit


class Columns(NamedTuple):
    """Where joints, modes and rotors stand in a vector of the model, in their own order, and their units."""

    joints: np.ndarray
    modes: np.ndarray
    rotors: np.ndarray
    names: tuple[str, ...]  # of the whole vector
    units: tuple[str, ...]  # of the whole vector: rad, m or 1


def look_for(names: Collection[str]) -> Wanted:
    """How much must be looked at for results of these names."""
    wanted = set(names) - SAMPLES
    return Wanted.BENDING if wanted <= BENDING else Wanted.PLACES if wanted <= PLACES else Wanted.FORCES


def position_columns(model: Model) -> Columns:
    """Parts of a configuration (nq,)."""
    return _columns(model, "q", model.q_names)


def velocity_columns(model: Model) -> Columns:
    """Parts of a velocity (nv,); units are those of its integral."""
    return _columns(model, "v", model.coordinates)


def _columns(model: Model, kind: str, names: tuple[str, ...]) -> Columns:
    index = np.arange(len(names))
    joints = [index[getattr(body, f"joint_{kind}")] for body in model.bodies]
    modes = [index[getattr(body, f"modes_{kind}")] for body in model.bodies]
    rotors = sorted(getattr(body, f"rotor_{kind}") for body in model.bodies if body.rotor_v is not None)
    of = np.empty(len(names), dtype="<U4")
    for link, body, at in zip(model.robot.bodies, model.bodies, joints, strict=True):
        shared = link.joint.kind
        of[at] = shared.position_units if kind == "q" else shared.velocity_units
        if body.rotor_v is not None:
            of[getattr(body, f"rotor_{kind}")] = of[at[0]]
    for k in np.concatenate(modes):
        of[k] = "rad" if ".torsion" in names[k] else "m"
    return Columns(np.concatenate(joints), np.concatenate(modes), np.array(rotors, int), names, tuple(of.tolist()))


def quantities_together(ran: VectorResults, only: Collection[str]) -> Quantities:
    """Results of the runs of a pack that are asked for by name, of those in TOGETHER, with an axis of runs in front."""
    nothing = np.zeros(0)
    of_pack = {"deflection": ran.deflections, "wrench": ran.wrenches, "tip_position": ran.tips}
    found = {name: see() for name, see in of_pack.items() if name in only}
    seen = Observation(*(found.get(name, nothing) for name in Observation._fields))
    return quantities(ran.together(), lambda: seen, only)


def quantities(raw: RawRun, see: Callable[[], Observation], only: Collection[str] | None = None) -> Quantities:
    """All results of a run, or those that are asked for by name; `see` gives what follows from its samples.

    Variables without entries (modes of a rigid robot, say) are left out.
    """
    model = raw.model
    flexible = [link for link in model.links if link in model.flexible]
    time = Variable(("time",), np.array(raw.time, float), {"long_name": "time", "units": "s"})
    made = Quantities({"time": time}, only)
    sampled = made.wants(*SAMPLES)
    if sampled:
        q, v = position_columns(model), velocity_columns(model)
        made.axis("q", [q.names[k] for k in q.joints])
        made.axis("v", [v.names[k] for k in v.joints])
        made.axis("mode", [q.names[k] for k in q.modes])
        made.axis("rotor", [q.names[k] for k in q.rotors])
        made.axis("coordinate", v.names)
    made.axis("joint", model.joints)
    made.axis("link", model.links)
    made.axis("flexible", flexible)
    for name, labels in (("axis", AXES), ("quaternion", QUATERNION), ("wrench_component", WRENCH)):
        made.axis(name, labels)
    made.axis("twist_component", TWIST)
    made.axis("loop", [loop.name for loop in model.loops])
    if sampled:
        _samples(made, raw, q, v)
    if raw.sensed is not None:
        _sensed(made, raw, raw.sensed)
    if only is None or not set(only) <= SAMPLES:
        seen = see()
        if only is not None and set(only) <= SAMPLES | BENDING | {"wrench", "tip_position"}:
            _wrenches(made, seen)
            _tips(made, seen)
            _bending(made, raw, seen)
        else:
            _observed(made, raw, seen)
    return made


def _samples(made: Quantities, raw: RawRun, q: Columns, v: Columns) -> None:
    """Coordinates, their rates and forces."""
    _by_coordinate(made, "position", "q", raw.q, q.joints, q.units, "joint coordinate")
    _by_coordinate(made, "velocity", "v", raw.v, v.joints, v.units, "joint velocity", "/s")
    _by_coordinate(made, "acceleration", "v", raw.a, v.joints, v.units, "joint acceleration", "/s2")
    _by_coordinate(made, "eta", "mode", raw.q, q.modes, q.units, "modal coordinate")
    _by_coordinate(made, "eta_rate", "mode", raw.v, v.modes, v.units, "modal velocity", "/s")
    _by_coordinate(made, "eta_acceleration", "mode", raw.a, v.modes, v.units, "modal acceleration", "/s2")
    _by_coordinate(made, "rotor_position", "rotor", raw.q, q.rotors, q.units, "rotor coordinate, joint side")
    _by_coordinate(made, "rotor_velocity", "rotor", raw.v, v.rotors, v.units, "rotor velocity", "/s")
    _by_coordinate(made, "rotor_acceleration", "rotor", raw.a, v.rotors, v.units, "rotor acceleration", "/s2")
    forces = tuple(FORCE[unit] for unit in v.units)
    _by_coordinate(
        made,
        "torque",
        "coordinate",
        raw.tau,
        np.arange(len(v.names)),
        forces,
        "applied force; that of a motor behind an elastic gear is on its rotor",
    )
    if made.wants("reference"):
        _reference(made, raw, q)


def _wrenches(made: Quantities, seen: Observation) -> None:
    """At the joints."""
    text = "wrench of the parent on the child at the joint, in the child's axes"
    made.add("wrench", ("joint", "wrench_component"), seen.wrench, text, ["N m"] * 3 + ["N"] * 3)


def _tips(made: Quantities, seen: Observation) -> None:
    """Where they are."""
    made.add("tip_position", ("link", "axis"), seen.tip_position, "tip in the world", "m")


def _observed(made: Quantities, raw: RawRun, seen: Observation) -> None:
    """What follows from the samples."""
    model = raw.model
    _wrenches(made, seen)
    if model.loops:
        text = "wrench of the loop's first frame on its second, in the second's axes"
        made.add("loop_wrench", ("loop", "wrench_component"), seen.loop_wrench, text, ["N m"] * 3 + ["N"] * 3)
        made.add("loop_position", ("loop", "axis"), seen.loop_position, "joint of the loop in the world", "m")
        made.add("loop_orientation", ("loop", "quaternion"), seen.loop_orientation, "its axes in world axes", "1")
        made.add("loop_gap", ("loop",), seen.loop_gap, "how far the loop gapes, m or rad", "1")
    made.add("link_position", ("link", "axis"), seen.link_position, "origin of the link in the world", "m")
    made.add("link_orientation", ("link", "quaternion"), seen.link_orientation, "link axes in world axes", "1")
    _tips(made, seen)
    made.add("tip_orientation", ("link", "quaternion"), seen.tip_orientation, "tip axes in world axes", "1")
    rates = ["rad/s"] * 3 + ["m/s"] * 3
    made.add("tip_twist", ("link", "twist_component"), seen.tip_twist, "tip twist, world axes", rates)
    _bending(made, raw, seen)
    _outside(made, raw, seen)
    if any(link.joint.kind.floats for link in model.robot.links) and made.wants(*SPACE):
        _space(made, raw)
    _energies(made, raw, seen.energy)


def _bending(made: Quantities, raw: RawRun, seen: Observation) -> None:
    made.add("deflection", ("flexible", "axis"), seen.deflection, "elastic tip displacement, link axes", "m")
    made.add("rotation", ("flexible", "axis"), seen.rotation, "elastic tip rotation vector, link axes", "rad")
    bodies = [body for body in raw.model.bodies if body.link in raw.model.flexible]
    if bodies and made.wants("bow"):
        bows = [bow(raw.model.flexible[body.link], raw.q[..., body.modes_q]) for body in bodies]
        text = "largest distance of the bent axis from the straight line through both its ends"
        made.add("bow", ("flexible",), np.stack(bows, axis=-1), text, "m")


def _sensed(made: Quantities, raw: RawRun, sensed: Sensed) -> None:
    """What the sensors told."""
    made.axis("sensor", sensed.labels)
    units = list(sensed.units)
    made.add("reading", ("sensor",), sensed.reading[: len(raw.time)], "what the sensors tell", units)
    if made.wants("ideal_reading"):
        made.add("ideal_reading", ("sensor",), ideal_readings(raw), "what ideal sensors would tell", units)


def _outside(made: Quantities, raw: RawRun, seen: Observation) -> None:
    """Elements, contacts and loads."""
    robot = raw.model.robot
    if robot.elements:
        made.axis("element", [element.name for element in robot.elements])
        made.add("element_length", ("element",), seen.element[:, :, LENGTH], "distance of the element's ends", "m")
        made.add("element_rate", ("element",), seen.element[:, :, RATE], "rate of the element's length", "m/s")
        text = "pull of the element on its ends; of a bushing the size of its force"
        made.add("element_force", ("element",), seen.element[:, :, TENSION], text, "N")
        made.add("element_stored", ("element",), seen.element[:, :, ENERGY], "energy stored in the element", "J")
        made.add("element_loss", ("element",), seen.element[:, :, LOST], "power lost in the element", "W")
    if robot.contacts:
        made.axis("contact", [contact.name for contact in robot.contacts])
        made.add("contact_gap", ("contact",), seen.touch[:, :, GAP], "distance of sphere and surface", "m")
        made.add("contact_force", ("contact",), seen.touch[:, :, NORMAL], "normal force", "N")
        made.add("contact_sliding", ("contact",), seen.touch[:, :, SLIDING], "sliding speed", "m/s")
        push = seen.touch[:, :, PUSH : PUSH + 3]
        made.add("contact_push", ("contact", "axis"), push, "force on the sphere, friction included, world axes", "N")
    if raw.loads is not None and raw.loads.names:
        made.axis("load", raw.loads.names)
        own = len(raw.model.frames) - len(raw.loads.names)
        wrench = raw.loads.wrenches(raw.model.frame_row(own))
        local = ~np.array(raw.loads.in_world)
        axes = seen.frame_axes[:, own:][:, local]
        for part in (slice(0, 3), slice(3, 6)):
            wrench[:, local, part] = np.einsum("nkij,nkj->nki", axes, wrench[:, local, part])
        made.add("load_force", ("load", "axis"), wrench[:, :, 3:], "force of the load, world axes", "N")
        made.add("load_torque", ("load", "axis"), wrench[:, :, :3], "torque of the load, world axes", "N m")
        place = seen.frame_position[:, own:]
        made.add("load_position", ("load", "axis"), place, "where the load acts, in the world", "m")


def _space(made: Quantities, raw: RawRun) -> None:
    """What a robot that floats keeps while nothing acts on it from outside."""
    from lissom.results.momentum import momentum

    found = momentum(raw.model, raw.q, raw.v, raw.time, raw.carried)
    made.add("centre_of_mass", ("axis",), found.centre, "centre of mass of the robot in the world", "m")
    made.add("momentum", ("axis",), found.linear, "momentum of the robot, world axes", "kg m/s")
    text = "angular momentum of the robot about its centre of mass, world axes"
    made.add("angular_momentum", ("axis",), found.angular, text, "kg m2/s")


def _energies(made: Quantities, raw: RawRun, parts: np.ndarray) -> None:
    texts = (
        "kinetic energy",
        "potential of gravity",
        "strain energy of the links",
        "energy stored in joints",
        "energy stored in elements and contacts",
    )
    for name, text, values in zip(ENERGIES, texts, parts.T, strict=True):
        made.add(name, (), values, text, "J")
    stored = parts.sum(axis=1)
    made.add("stored_energy", (), stored, "kinetic and potential energy", "J")
    if not raw.audited:
        return
    flow = add_accounts(made, raw)
    residual = (stored - stored[:1]) - (flow - flow[:1])
    made.add("energy_residual", (), residual, "stored - work (of loads too) + dissipated, since the start", "J")


def add_accounts(made: Quantities, raw: RawRun) -> np.ndarray:
    """Add what was integrated along the way; return what the robot has gained by it, (N,) J."""
    made.add("work", (), raw.work, "work of the applied forces", "J")
    made.add("dissipated", (), raw.dissipated, "energy dissipated", "J")
    flow = raw.work - raw.dissipated
    if raw.load_work is not None and raw.model.frames:
        made.add("load_work", (), raw.load_work, "work of loads and of the thrust of cylinders", "J")
        flow = flow + raw.load_work
    return flow


def _reference(made: Quantities, raw: RawRun, q: Columns) -> None:
    """The set-points of a control law that follows some."""
    law = raw.controller.law if isinstance(raw.controller, Together) else raw.controller
    follows = getattr(law, "reference", None)
    measured = getattr(law, "measured_q", None)
    if not callable(follows) or measured is None:
        return
    used = np.flatnonzero(np.asarray(getattr(law, "kp", np.ones(len(measured)))))
    used = np.sort([used[k] for k in np.unique(np.asarray(measured)[used], return_index=True)[1]]).astype(int)
    if len(used):  # of laws that follow on the same coordinate, the first
        values = np.asarray(follows(raw.time)[0])[:, used]
        at = np.asarray(measured)[used]
        made.axis("reference_q", [q.names[k] for k in at])
        units = [q.units[k] for k in at]
        made.add("reference", ("reference_q",), values, "set-point of the controller", units)


def _by_coordinate(
    made: Quantities,
    name: str,
    dim: str,
    values: np.ndarray,
    at: np.ndarray,
    units: Iterable[str],
    text: str,
    per: str = "",
) -> None:
    """A variable whose unit may differ from column to column."""
    if len(at) and made.wants(name):
        made.add(name, (dim,), values[..., at], text, [tuple(units)[k] + per for k in at])
