"""Inputs and outputs of linear models, by name.

    elbow, upper.y1            a coordinate; the name of a joint stands for all its coordinates
    forearm.tip                position of a link's tip in the world (metres); forearm.tip.y for one component
    upper.deflection           elastic displacement of a beam's tip in the link's frame, upper.deflection.z
    <any of these>.rate        its rate, and .acceleration its acceleration

("tip", "forearm") and ("deflection", "upper", "z") mean the same as the names with dots. As an input, a joint
means its motor, a coordinate the force along it, and a tip the force there along the world's axes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from lissom.dynamics import jacobian, point_pose
from lissom.dynamics.coordinates import along_coordinates, motor_indices, velocity_indices
from lissom.dynamics.state_checks import Vector
from lissom.errors import LissomError
from lissom.model.description.sensor import Sensor
from lissom.model.model import Model

Signal: TypeAlias = str | tuple[str, ...]
Signals: TypeAlias = Signal | Sequence[Signal]
Outputs: TypeAlias = Signal | Sensor | Sequence[Signal | Sensor]

AXES = "xyz"
POINTS = ("tip", "deflection")
DERIVATIVES = ("rate", "acceleration")


@dataclass(frozen=True)
class LinearOutput:
    """One scalar output: component `row` of a base quantity, differentiated `order` times."""

    name: str
    base: tuple[str, str]  # (kind, of what)
    row: int
    order: int

    def gradient(self, model: Model, q: Vector) -> Vector:
        """Return the derivative of the base quantity along the velocity coordinates, (nv,); q may be complex."""
        kind, of = self.base
        if kind == "coordinate":
            return np.eye(model.nv)[self.row]
        J = jacobian(model, q, of)[3:]
        if kind == "tip":
            return J[self.row]
        out, modes = np.zeros_like(J[0]), model.link(of).modes_v
        R = point_pose(model, q, of, 0.0)[:3, :3]
        out[modes] = R[:, self.row] @ J[:, modes]  # what the link's own modes do, in its frame
        return out


def as_list(signals: Any) -> list[Any]:
    """Return one signal or several, as a list: a tuple that begins with "tip" or "deflection" is one signal."""
    if isinstance(signals, str | Sensor) or (
        isinstance(signals, tuple) and signals and signals[0] in POINTS + DERIVATIVES
    ):
        return [signals]
    return list(signals)


def join_by_dots(signal: Signal) -> str:
    """Return ("tip", "forearm", "y") as "forearm.tip.y"; ("rate", "elbow") as "elbow.rate"."""
    if isinstance(signal, str):
        return signal
    if isinstance(signal, tuple) and len(signal) >= 2 and all(isinstance(word, str) for word in signal):
        first, name, *rest = signal
        return ".".join((name, first, *rest))
    raise LissomError("write a name like 'elbow', 'forearm.tip.y' or ('tip', 'forearm')", ("signal",), signal)


def outputs(model: Model, signals: Iterable[Signal]) -> list[LinearOutput]:
    """Return the scalar outputs that the signals stand for."""
    return [output for signal in signals for output in _outputs(model, join_by_dots(signal))]


def input_columns(model: Model, q: Vector, signals: Iterable[Signal]) -> tuple[list[str], np.ndarray]:
    """Return names of the scalar inputs and the generalised forces (nv, inputs) of a unit of each.

    On a prescribed coordinate a unit stands for its acceleration.
    """
    names: list[str] = []
    columns: list[Vector] = []
    given = model.arrays.velocities.prescribed == 1
    for signal in signals:
        name = join_by_dots(signal)
        kind, of, rows = _point(model, name)
        if kind == "tip":
            J = jacobian(model, q, of)
            for row in rows:
                names.append(f"{of}.tip.{AXES[row]}")
                columns.append(np.where(given, 0.0, J[3 + row]))  # no force moves these
            continue
        if kind:
            text = f"cannot be an input; use a joint, a coordinate, or a tip such as '{of}.tip.y'"
            raise LissomError(text, ("inputs",), name)
        for k in motor_indices(model, name):
            names.append(model.coordinates[k])
            columns.append(np.eye(model.nv)[k])
    return names, np.array(columns).T.reshape(model.nv, len(names))


def output_matrices(
    model: Model, rows: Sequence[LinearOutput], q: Vector, v: Vector, a: Vector, A: np.ndarray, B: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return C and D of the outputs, exact at the state (q, v) with accelerations a."""
    n = model.nv
    C, D = np.zeros((len(rows), 2 * n)), np.zeros((len(rows), B.shape[1]))
    for i, row in enumerate(rows):
        gradient = row.gradient(model, q)
        if row.order == 0:
            C[i, :n] = gradient
        elif row.order == 1:
            C[i, :n], C[i, n:] = _bend(model, row, q, v), gradient
        else:
            if row.base[0] != "coordinate" and np.any(v):
                raise LissomError("the acceleration of a point is given about a state at rest, v = 0", (row.name,))
            C[i] = gradient @ A[n:]
            C[i, :n] += _bend(model, row, q, a)
            D[i] = gradient @ B[n:]
    return C, D


def _bend(model: Model, row: LinearOutput, q: Vector, rate: Vector) -> Vector:
    """Return how the output's rate along `rate` changes with the configuration, (nv,)."""
    if row.base[0] == "coordinate" or not np.any(rate):
        return np.zeros(model.nv)
    return along_coordinates(model, q, lambda z: row.gradient(model, z) @ rate)


def _outputs(model: Model, name: str) -> list[LinearOutput]:
    base, _, last = name.rpartition(".")
    order = DERIVATIVES.index(last) + 1 if base and last in DERIVATIVES else 0
    base = base if order else name
    ending = f".{last}" if order else ""
    kind, of, rows = _point(model, base)
    if kind:
        return [LinearOutput(f"{of}.{kind}.{AXES[row]}{ending}", (kind, of), row, order) for row in rows]
    where = velocity_indices(model, base)
    if where[0] >= model.moving:  # a state stands among the velocities
        return [LinearOutput(model.coordinates[k] + ending, ("coordinate", base), k, order + 1) for k in where]
    return [LinearOutput(model.coordinates[k] + ending, ("coordinate", base), k, order) for k in where]


def _point(model: Model, name: str) -> tuple[str, str, list[int]]:
    """Return the kind ("tip", "deflection" or ""), link and components of a name."""
    words = name.split(".")
    if name in model.coordinates or len(words) not in (2, 3) or words[1] not in POINTS:
        return "", "", []
    link, kind, *axis = words
    model.row(link)
    if axis and (len(axis[0]) != 1 or axis[0] not in AXES):
        raise LissomError(f"the component must be x, y or z, not {axis[0]!r}", (name,))
    if kind == "deflection" and link not in model.flexible:
        raise LissomError(f"{link} is rigid; the flexible links are {', '.join(model.flexible) or 'none'}", (name,))
    return kind, link, [AXES.index(axis[0])] if axis else [0, 1, 2]
