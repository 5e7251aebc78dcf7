"""Derivatives of outputs by varied fields, exactly, from one run along its own steps; where they exist."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lissom.control.laws.control_law import ControlLaw
from lissom.errors import LissomError
from lissom.model.model import Model
from lissom.results.quantity_names import AXES
from lissom.scenario.prepare import Prepared, prepare
from lissom.scenario.scenario_paths import ROBOT
from lissom.scenario.scenario_schema import Scenario
from lissom.simulation.integrators.registry import AUTO, integrator
from lissom.simulation.sensitivity.motion_sensitivity import Sensitivity, Tip, sensitivity
from lissom.study.plan.kept_quantities import Quantity

COORDINATES = {"position": "", "velocity": ".rate", "acceleration": ".acceleration", "torque": ".torque"}
START, CONTROL = "start.", "control.gains."

# Weights (N,) of small changes of a history x over the times t in what it is reduced to.
Weights = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _mean(t: np.ndarray) -> np.ndarray:
    if len(t) == 1:
        return np.ones(1)
    half = np.diff(t) / 2
    return (np.append(half, 0.0) + np.append(0.0, half)) / (t[-1] - t[0])


def _rms(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    weights = _mean(t)
    size = np.sqrt(weights @ (x * x))
    return weights * x / size if size > 0 else np.zeros_like(x)


def _at(x: np.ndarray, k: Any) -> np.ndarray:
    weights = np.zeros(len(x))
    weights[int(k)] = 1.0
    return weights


REDUCED: dict[str, Weights] = {
    "mean": lambda t, x: _mean(t),
    "rms": _rms,
    "first": lambda t, x: _at(x, 0),
    "last": lambda t, x: _at(x, -1),
    "least": lambda t, x: _at(x, x.argmin()),
    "most": lambda t, x: _at(x, x.argmax()),
    "peak": lambda t, x: _at(x, (k := np.abs(x).argmax())) * np.sign(x[k]),
    "range": lambda t, x: _at(x, x.argmax()) - _at(x, x.argmin()),
}


def slopes(scenario: Scenario, fields: Sequence[str], outputs: Sequence[Quantity]) -> np.ndarray | None:
    """Return derivatives (outputs, fields); nan of outputs that have none, None where no output has any."""
    prepared = prepare(scenario)
    names = [_parameter(field, prepared) for field in fields]
    if None in names or not _derivable(scenario, prepared) or all(_channel(one) is None for one in outputs):
        return None
    settings = prepared.settings.model_copy(update={"audit": False})
    drive: dict[str, Any] = {"controller": prepared.controller, "start": prepared.start, "motion": prepared.motion}
    try:
        found = sensitivity(prepared.model, [str(name) for name in names], settings, **drive, progress=False)
    except LissomError:  # it says why not, and differences are taken instead
        return None
    return np.array([_slope(one, found) for one in outputs])


def _derivable(scenario: Scenario, prepared: Prepared) -> bool:
    """Return whether nothing in a scenario moves with the fields that derivatives take as given."""
    law = prepared.controller
    plain = law is None or (isinstance(law, ControlLaw) and law.twin is None)
    apart = scenario.loads or scenario.payloads or prepared.model.robot.loops or scenario.hold is not None
    method = prepared.settings.method
    derived = method == AUTO or integrator(method).derivatives is not None
    return plain and not apart and isinstance(scenario.start, dict) and derived


def _parameter(field: str, prepared: Prepared) -> str | None:
    """Return what `sensitivity` calls a field of a scenario; None of those that it has no derivative for."""
    if field.startswith(CONTROL):
        return field.removeprefix("control.")
    if field.startswith(START):
        return field if prepared.controller is None else None  # a reference may begin there
    path = field.removeprefix("robot.")
    return path if path.partition(".")[0] in ROBOT else None


def _channel(quantity: Quantity) -> tuple[str, str, list[str]] | None:
    """Return the kind, name of coordinate or link, and axes of an output that can be derived."""
    head, _, rest = quantity.channel.partition(".")
    if quantity.reduction not in REDUCED or not rest:
        return None
    if head in COORDINATES:
        return None if quantity.length else (head, rest, [])
    if head not in ("tip_position", "deflection"):
        return None
    if quantity.length:
        return head, rest, list(AXES)
    link, _, axis = rest.rpartition(".")
    return (head, link, [axis]) if axis in AXES else None


def _slope(quantity: Quantity, found: Sensitivity) -> np.ndarray:
    """Return derivatives (parameters,) of an output."""
    channel = _channel(quantity)
    if channel is None:
        return np.full(len(found.parameters), np.nan)
    head, name, axes = channel
    run = found.run
    if head in COORDINATES:
        values, changes = _coordinate(run, head, name), found.of(name + COORDINATES[head])
    else:
        at = [AXES.index(axis) for axis in axes]
        if head == "tip_position":
            vector, by = run.numbers.tip(name), found.of(Tip(name))
        else:
            vector, by = run.numbers.deflection(name), found.of(_Deflection(run.model, name))
        values, changes = vector[:, at], by[:, :, at]
        if quantity.length:
            size = np.linalg.norm(values, axis=1)
            unit = values / np.where(size > 0, size, 1.0)[:, None]
            values, changes = size, np.einsum("na,pna->pn", unit, changes)
        else:
            values, changes = values[:, 0], changes[:, :, 0]
    return changes @ REDUCED[quantity.reduction](run.time, values)


def _coordinate(run: Any, head: str, name: str) -> np.ndarray:
    part = {"position": run.numbers.position, "velocity": run.numbers.velocity, "torque": run.numbers.torque}
    return run.acceleration(name).values if head == "acceleration" else part[head](name).values


class _Deflection:
    """Displacement of a link's tip, link axes, (3,), for complex numbers too."""

    def __init__(self, model: Model, link: str) -> None:
        self.link, self.modes = link, model.bodies[model.row(link) - 1].modes_q

    def __call__(self, model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        beam = model.flexible[self.link]
        return beam.displacement(beam.length, q[self.modes])
