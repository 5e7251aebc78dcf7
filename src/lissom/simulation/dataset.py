"""From a RawRun to a labelled dataset: every number with its unit and the name of what it belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.model.compiled import Model
from lissom.simulation.observe import Observation
from lissom.simulation.raw import RawRun

if TYPE_CHECKING:
    import xarray as xr

AXES = ("x", "y", "z")
QUATERNION = ("w", "x", "y", "z")
WRENCH = ("tx", "ty", "tz", "fx", "fy", "fz")
TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")
ENERGIES = ("kinetic_energy", "gravity_energy", "strain_energy", "joint_energy")
FORCE = {"rad": "N m", "m": "N"}  # unit of the force on a coordinate, by the unit of the coordinate


class Columns(NamedTuple):
    """Where joints, modes and rotors stand in a vector of the model, in their own order, and their units."""

    joints: np.ndarray
    modes: np.ndarray
    rotors: np.ndarray
    names: tuple[str, ...]  # of the whole vector
    units: tuple[str, ...]  # of the whole vector: rad, m or 1


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


def dataset(raw: RawRun, seen: Observation) -> xr.Dataset:
    """All results of a run, with what follows from its samples.

    Variables without entries (modes of a rigid robot, say) are left out.
    """
    import xarray as xr

    model = raw.model
    q, v = position_columns(model), velocity_columns(model)
    flexible = [link for link in model.links if link in model.flexible]
    made = _Variables(raw.time, len(raw.time))

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

    made.by_coordinate("position", "q", raw.q, q.joints, q.units, "joint coordinate")
    made.by_coordinate("velocity", "v", raw.v, v.joints, v.units, "joint velocity", "/s")
    made.by_coordinate("acceleration", "v", raw.a, v.joints, v.units, "joint acceleration", "/s2")
    made.by_coordinate("eta", "mode", raw.q, q.modes, q.units, "modal coordinate")
    made.by_coordinate("eta_rate", "mode", raw.v, v.modes, v.units, "modal velocity", "/s")
    made.by_coordinate("eta_acceleration", "mode", raw.a, v.modes, v.units, "modal acceleration", "/s2")
    made.by_coordinate("rotor_position", "rotor", raw.q, q.rotors, q.units, "rotor coordinate, joint side")
    made.by_coordinate("rotor_velocity", "rotor", raw.v, v.rotors, v.units, "rotor velocity", "/s")
    made.by_coordinate("rotor_acceleration", "rotor", raw.a, v.rotors, v.units, "rotor acceleration", "/s2")
    forces = tuple(FORCE[unit] for unit in v.units)
    made.by_coordinate("torque", "coordinate", raw.tau, np.arange(model.nv), forces, "applied force")
    _reference(made, raw, q)

    made.add(
        "wrench",
        ("joint", "wrench_component"),
        seen.wrench,
        "wrench of the parent on the child at the joint, in the child's axes",
        ["N m"] * 3 + ["N"] * 3,
    )
    made.add("link_position", ("link", "axis"), seen.link_position, "origin of the link in the world", "m")
    made.add("link_orientation", ("link", "quaternion"), seen.link_orientation, "link axes in world axes", "1")
    made.add("tip_position", ("link", "axis"), seen.tip_position, "tip in the world", "m")
    made.add("tip_orientation", ("link", "quaternion"), seen.tip_orientation, "tip axes in world axes", "1")
    rates = ["rad/s"] * 3 + ["m/s"] * 3
    made.add("tip_twist", ("link", "twist_component"), seen.tip_twist, "tip twist, world axes", rates)
    made.add("deflection", ("flexible", "axis"), seen.deflection, "elastic tip displacement, link axes", "m")
    made.add("rotation", ("flexible", "axis"), seen.rotation, "elastic tip rotation vector, link axes", "rad")
    _energies(made, raw, seen.energy)
    return xr.Dataset(made.variables, made.coordinates)


def _energies(made: _Variables, raw: RawRun, parts: np.ndarray) -> None:
    texts = (
        "kinetic energy",
        "potential of gravity",
        "strain energy of the links",
        "energy stored in joints",
    )
    for name, text, values in zip(ENERGIES, texts, parts.T, strict=True):
        made.add(name, (), values, text, "J")
    stored = parts.sum(axis=1)
    made.add("stored_energy", (), stored, "kinetic and potential energy", "J")
    if not raw.audited:
        return
    made.add("work", (), raw.work, "work of the applied forces", "J")
    made.add("dissipated", (), raw.dissipated, "energy dissipated", "J")
    flow = raw.work - raw.dissipated
    residual = (stored - stored[:1]) - (flow - flow[:1])
    made.add("energy_residual", (), residual, "stored - work + dissipated, since the start", "J")


def _reference(made: _Variables, raw: RawRun, q: Columns) -> None:
    """The set-points of a control law that follows some."""
    law = raw.controller
    follows = getattr(law, "reference", None)
    measured = getattr(law, "measured_q", None)
    if not callable(follows) or measured is None:
        return
    used = np.flatnonzero(np.asarray(getattr(law, "kp", np.ones(len(measured)))))
    if len(used):
        values = np.asarray(follows(raw.time)[0])[:, used]
        at = np.asarray(measured)[used]
        made.axis("reference_q", [q.names[k] for k in at])
        units = [q.units[k] for k in at]
        made.add("reference", ("reference_q",), values, "set-point of the controller", units)


class _Variables:
    """Variables and coordinates of a dataset in the making."""

    def __init__(self, time: np.ndarray, count: int) -> None:
        self.count = count
        self.variables: dict[str, Any] = {}
        self.coordinates: dict[str, Any] = {
            "time": ("time", np.array(time, float), {"long_name": "time", "units": "s"})
        }

    def axis(self, name: str, labels: Iterable[str]) -> None:
        labels = list(labels)
        if labels:
            self.coordinates[name] = (name, np.array(labels, dtype=object))

    def add(self, name: str, dims: tuple[str, ...], values: np.ndarray, text: str, units: str | list[str]) -> None:
        """A variable over time and `dims`; `units` of all, or one for each entry along the last axis."""
        if not values.size and self.count:
            return
        attributes: dict[str, Any] = {"long_name": text}
        if isinstance(units, str):
            attributes["units"] = units
        else:
            different = list(dict.fromkeys(units))
            attributes["units"] = ", ".join(different)
            if len(different) > 1:
                attributes["column_units"] = units
        self.variables[name] = (("time", *dims), np.array(values, float), attributes)

    def by_coordinate(
        self,
        name: str,
        dim: str,
        values: np.ndarray,
        at: np.ndarray,
        units: Iterable[str],
        text: str,
        per: str = "",
    ) -> None:
        """A variable whose unit may differ from column to column."""
        if len(at):
            self.add(name, (dim,), values[:, at], text, [tuple(units)[k] + per for k in at])


def column_units(values: xr.DataArray) -> list[str]:
    """The unit of each entry along the last axis of a variable (one for a variable of time alone)."""
    count = values.shape[-1] if values.ndim > 1 else 1
    return list(values.attrs.get("column_units", [values.attrs["units"]] * count))
