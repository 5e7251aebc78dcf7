"""The axes of results: how the names along each follow from a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.control.laws.control_law import Together
from lissom.results.quantity_names import AXES, QUATERNION, TWIST, WRENCH
from lissom.results.registry.result_quantity import RunData, register_axis
from lissom.results.registry.stress_peaks import stressed_links


def sensor_labels(run: RunData) -> tuple[str, ...]:
    """Return the names of all readings; none of a run without sensors."""
    return () if run.raw.sensed is None else run.raw.sensed.labels


def load_names(run: RunData) -> tuple[str, ...]:
    """Return the names of the loads."""
    return () if run.raw.loads is None else run.raw.loads.names


def followed_reference(run: RunData) -> tuple[Any, np.ndarray]:
    """Return the reference of a control law, and which of its columns are followed; of laws on one joint the first."""
    given = run.raw.controller
    law = given.law if isinstance(given, Together) else given
    reference, measured = getattr(law, "reference", None), getattr(law, "measured_q", None)
    if not callable(reference) or measured is None:
        return None, np.zeros(0, int)
    used = np.flatnonzero(np.asarray(getattr(law, "kp", np.ones(len(measured)))))
    return law, np.sort([used[k] for k in np.unique(np.asarray(measured)[used], return_index=True)[1]]).astype(int)


def followed_columns(run: RunData) -> list[int]:
    """Return where in a configuration the coordinates stand that follow a reference."""
    law, used = run.once(followed_reference)
    return np.asarray(law.measured_q)[used].tolist() if len(used) else []


for name, labels in {
    "q": lambda run: [run.positions.names[k] for k in run.positions.joints],
    "v": lambda run: [run.velocities.names[k] for k in run.velocities.joints],
    "mode": lambda run: [run.positions.names[k] for k in run.positions.modes],
    "rotor": lambda run: [run.positions.names[k] for k in run.positions.rotors],
    "state": lambda run: [run.velocities.names[k] for k in run.velocities.states],
    "actuator": lambda run: [actuator.name for actuator in run.model.robot.drives],
    "coordinate": lambda run: run.velocities.names,
    "joint": lambda run: run.model.joints,
    "link": lambda run: run.model.links,
    "flexible": lambda run: [link for link in run.model.links if link in run.model.flexible],
    "beam": stressed_links,
    "axis": lambda run: AXES,
    "quaternion": lambda run: QUATERNION,
    "wrench_component": lambda run: WRENCH,
    "twist_component": lambda run: TWIST,
    "loop": lambda run: [loop.name for loop in run.model.loops],
    "reference_q": lambda run: [run.positions.names[k] for k in followed_columns(run)],
    "sensor": sensor_labels,
    "element": lambda run: [element.name for element in run.model.robot.elements],
    "contact": lambda run: [contact.name for contact in run.model.robot.contacts],
    "load": load_names,
}.items():
    register_axis(name, labels)
