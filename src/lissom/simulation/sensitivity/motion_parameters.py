"""Parameters of a motion by name, and what of a run depends on each: numbers of the robot, the start, the gains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lissom.control.laws.control_law import ControlLaw
from lissom.dynamics import inverse_derivatives, inverse_dynamics
from lissom.dynamics.coordinates import configuration, indices, rates
from lissom.errors import LissomError
from lissom.kernel.algorithms.complex_step import STEP
from lissom.kernel.algorithms.complex_tangent import lay_tangent
from lissom.kernel.data.table_operations import mapped, tables
from lissom.messages import did_you_mean, listed
from lissom.model.compilation.link_tables import unify_lists
from lissom.model.model import Model
from lissom.simulation.initial_state import EQUILIBRIUM, RATE
from lissom.simulation.inputs.cylinder_pressures import carrying_pressures

START, GAINS, FEED = "start.", "gains.", "feedforward."
OF_LAW = {"p": "kp", "d": "kd", "scale": "feed_scale", "offset": "feed_offset", "delay": "feed_delay"}
AS_IT_IS = {"scale": 1.0, "offset": 0.0, "delay": 0.0}  # of a feedforward torque


@dataclass(frozen=True, eq=False)
class Parameter:
    """A number that a motion depends on."""

    name: str
    value: float
    model: Model  # of complex numbers: imaginary parts are STEP times derivatives by the parameter
    u: np.ndarray  # (nv,) derivative of the start, along velocity coordinates
    v: np.ndarray  # (nv,) and of its velocity
    of_law: tuple[tuple[str, int], ...] = ()  # fields such as "kp" and channels of the law that it is


def read_parameters(
    model: Model, names: Sequence[str], law: ControlLaw | None, start: Any, q: np.ndarray, v: np.ndarray
) -> list[Parameter]:
    """Return the parameters called `names`; the run starts at q (nq,), v (nv,), as `start` says."""
    plain = model.with_arrays(complex_numbers(model))
    found = [_read_parameter(model, plain, name, law, start) for name in names]
    if isinstance(start, str) and start == EQUILIBRIUM:
        found = [_add_equilibrium_derivative(model, each, q) for each in found]
    return [_add_pressure_derivative(each, q, v) for each in found] if model.states else found


def complex_numbers(model: Model) -> Any:
    """Return the arrays of a model with complex numbers in place of real ones."""
    return mapped(lambda table: table.astype(complex) if table.dtype == float else table, model.arrays)


def _read_parameter(model: Model, plain: Model, name: str, law: ControlLaw | None, start: Any) -> Parameter:
    still = np.zeros(model.nv)
    if not isinstance(name, str):
        raise LissomError("is not a name; give paths such as 'links.upper.beam.length'", ("parameters",), name)
    if name.startswith(GAINS):
        gain, value = _gain(name, law)
        return Parameter(name, value, plain, still, still, (gain,))
    if name.startswith(FEED):
        fields, value = _feed(name, law)
        return Parameter(name, value, plain, still, still, fields)
    if name.startswith(START):
        value, u, v = _start(model, name, start)
        return Parameter(name, value, plain, u, v)
    value = model.robot.value(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise LissomError("is not a number; give the path of a number of the robot", name.split("."), value)
    stepped = model.robot.with_value(name, float(value) + 1j * STEP).compile(prescribed=model.prescribed)
    return Parameter(name, float(value), stepped, still, still)


def _gain(name: str, law: ControlLaw | None) -> tuple[tuple[str, int], float]:
    """Return a gain such as gains.elbow.p."""
    coordinate, _, kind = name.removeprefix(GAINS).rpartition(".")
    if law is None:
        raise LissomError("the motion has no controller with gains", name.split("."))
    if kind not in ("p", "d") or coordinate not in law.names:
        known = [f"{GAINS}{each}.p" for each in law.names]
        text = f"is unknown{did_you_mean(name, known)}; there are {listed(known, 'and')}, .d likewise"
        raise LissomError(text, name.split("."))
    field, channel = OF_LAW[kind], law.names.index(coordinate)
    return (field, channel), float(getattr(law, field)[channel])


def _feed(name: str, law: ControlLaw | None) -> tuple[tuple[tuple[str, int], ...], float]:
    """Return a scale, offset or delay of a feedforward torque, such as feedforward.elbow.scale, 1 as it stands."""
    coordinate, _, kind = name.removeprefix(FEED).rpartition(".")
    if law is None:
        raise LissomError("the motion has no controller with torques over time", name.split("."))
    channels = [k for k, each in enumerate(law.names) if each == coordinate]
    if kind not in AS_IT_IS or not channels:
        known = [f"{FEED}{each}.scale" for each in dict.fromkeys(law.names)]
        text = f"is unknown{did_you_mean(name, known)}; there are {listed(known, 'and')}, or .offset, .delay"
        raise LissomError(text, name.split("."))
    acting = channels[-1:] if kind == "offset" else channels
    return tuple((OF_LAW[kind], channel) for channel in acting), AS_IT_IS[kind]


def _start(model: Model, name: str, start: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """Return a start value such as start.elbow or start.elbow.rate: its value, and what moves with it."""
    if isinstance(start, str):
        text = f"the start is {start!r}, which has no values of its own; give start values by joint"
        raise LissomError(text, name.split("."))
    coordinate = name.removeprefix(START)
    rate = coordinate.endswith(RATE)
    coordinate = coordinate.removesuffix(RATE) if rate else coordinate
    if coordinate not in model.coordinates or (not rate and coordinate not in model.q_names):
        known = [each for each in model.coordinates if each in model.q_names]
        text = f"is unknown{did_you_mean(coordinate, known)}; there are {listed(known, 'and')}, or .rate"
        raise LissomError(text, name.split("."))
    named = dict(start) if isinstance(start, Mapping) else {}
    given = {str(key): x for key, x in named.items() if str(key).endswith(RATE) == rate}
    key = coordinate + RATE if rate else coordinate
    read = _rates if rate else configuration
    value = float(given.get(key, 0.0))
    change = read(model, given | {key: value + 1.0}) - read(model, given | {key: value})
    if not isinstance(start, Mapping) and start is not None:
        first, second = start if isinstance(start, tuple) and len(start) == 2 else (start, np.zeros(model.nv))
        array = rates(model, second) if rate else configuration(model, getattr(first, "q", first))
        value = float(array[(model.coordinates if rate else model.q_names).index(coordinate)])
    if rate:
        return value, np.zeros(model.nv), change
    u = np.array([change[model.q_names.index(each)] if each in model.q_names else 0.0 for each in model.coordinates])
    return value, u, np.zeros(model.nv)


def _rates(model: Model, named: Mapping[str, Any]) -> np.ndarray:
    return rates(model, {key.removesuffix(RATE): x for key, x in named.items()})


def _add_equilibrium_derivative(model: Model, parameter: Parameter, q: np.ndarray) -> Parameter:
    """Add the derivative of the equilibrium at which every joint is held: links bend, rotors wind up."""
    rows, columns = [], []
    for body in model.bodies:
        rows += indices(body.modes_v)
        columns += indices(body.modes_v)
        if body.rotor_v is not None:  # what the gear gives to the joint holds it
            rows.append(body.joint_v.start)
            columns.append(body.rotor_v)
    still = np.zeros(model.nv)
    stiffness = inverse_derivatives(model, q, still, still).q
    unbalanced = inverse_dynamics(parameter.model, q, still, still).imag / STEP
    u = still.copy()
    if rows:
        u[columns] = -np.linalg.solve(stiffness[np.ix_(rows, columns)], unbalanced[rows])
    return replace(parameter, u=parameter.u + u)


def _add_pressure_derivative(parameter: Parameter, q: np.ndarray, v: np.ndarray) -> Parameter:
    """Add the derivative of the pressures that carry the machine at the start."""
    model = parameter.model
    at, scratch = np.zeros(model.nq, complex), np.zeros(model.nv, complex)
    lay_tangent(model.struct, q, parameter.u, scratch, at)
    rate = v + 1j * STEP * parameter.v
    return replace(parameter, v=carrying_pressures(model, at, rate).imag / STEP)


def number_parameters(
    model: Model, law: Any, parameters: Sequence[Parameter]
) -> tuple[Model, Any, dict[str, np.ndarray]]:
    """Return a complex model and law whose numbers lie in one array, and which of them depend on which parameter.

    Returns them with the fields `numbers`, `start`, `place` and `value` of a Variation.
    """
    # All real numbers of the model, then those of the law, lie in one array.
    plain, *stepped = unify_lists([model.arrays, *(parameter.model.arrays for parameter in parameters)])
    names = dict(tables(plain))
    sizes = [0 if table.dtype != float else table.size for table in names.values()]
    places = dict(zip(names, np.cumsum([0, *sizes]), strict=False))
    channels = len(law.kp)
    of_law = {field: sum(sizes) + k * channels for k, field in enumerate(OF_LAW.values())}
    numbers = np.zeros(sum(sizes) + len(of_law) * channels, complex)
    start, place, value = [0], [], []
    whole = {name: table for name, table in names.items() if table.dtype != float}
    # Where a parameter shows: in the imaginary parts of the model that was compiled with it.
    for parameter, own in zip(parameters, stepped, strict=True):
        for name, table in tables(own):
            if table.shape != names[name].shape:
                raise LissomError("the robot is compiled to other tables where it changes", parameter.name.split("."))
            if name in whole:  # an origin that is zero, or not
                whole[name] = np.maximum(whole[name], table)
                continue
            entries = np.flatnonzero(table.imag)
            place.append(places[name] + entries)
            value.append(table.imag.ravel()[entries] / STEP)
        for field, channel in parameter.of_law:
            place.append(np.array([of_law[field] + channel]))
            value.append(np.ones(1))
        start.append(sum(map(len, place)))

    def laid(table: np.ndarray, at: int) -> np.ndarray:
        view = numbers[at : at + table.size].reshape(table.shape)
        view[...] = table
        return view

    def all_tables() -> Iterator[np.ndarray]:
        for name, table in names.items():
            yield whole[name] if name in whole else laid(table, places[name])

    made = all_tables()
    arrays = mapped(lambda _: next(made), plain)
    law = law._replace(**{field: laid(getattr(law, field), at) for field, at in of_law.items()})
    fields = {
        "numbers": numbers,
        "start": np.array(start, np.int64),
        "place": np.concatenate([np.zeros(0, np.int64), *place]).astype(np.int64),
        "value": np.concatenate([np.zeros(0), *value]),
    }
    return model.with_arrays(arrays), law, fields
