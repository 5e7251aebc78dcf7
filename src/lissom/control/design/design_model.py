"""The linear model for the design of state feedback: equilibrium, modes, sensors, sampling with delay."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lissom.analysis.equilibrium.equilibrium_state import Equilibrium
from lissom.analysis.equilibrium.statics import static_equilibrium
from lissom.analysis.linear_models import signals
from lissom.analysis.linear_models.linear_model import LinearModel
from lissom.analysis.linear_models.linearisation import linearise
from lissom.analysis.modes.natural_modes import natural_modes
from lissom.control import argument_checks
from lissom.control.choices import SENSORS, Side
from lissom.control.laws.channels import Channel
from lissom.dynamics import mass_matrix, tip_pose
from lissom.errors import Keys, LissomError
from lissom.messages import did_you_mean, listed
from lissom.model.model import Model


@dataclass(frozen=True, eq=False)
class ModalModel:
    """Motion about an equilibrium in n modes z, with q - q0 = shapes z (along v)."""

    linear: LinearModel  # of x = (z, z'), driven by the motors' forces beyond those of the equilibrium
    shapes: np.ndarray  # (nv, n) of unit modal mass
    inverse: np.ndarray  # (n, nv) z = inverse (q - q0)

    @property
    def count(self) -> int:
        """Number n of modes."""
        return len(self.inverse)


class SampledModel(NamedTuple):
    """x[k+1] = A x[k] + B u[k]; with a delay, past inputs are part of x."""

    A: np.ndarray
    B: np.ndarray


@dataclass(frozen=True)
class Sensor:
    """One measured vector: its Jacobian by v (m, nv), its value at a configuration, and its noise."""

    name: str
    jacobian: np.ndarray
    value: Callable[[np.ndarray], np.ndarray]
    noise: float


def held_by_motors(model: Model, q: np.ndarray, selected: Sequence[Channel]) -> Equilibrium:
    """The state of rest with the joints at q, which the selected motors must be able to hold."""
    at = static_equilibrium(model, q)
    held = {*(channel.force for channel in selected), *np.flatnonzero(model.arrays.velocities.prescribed).tolist()}
    largest = np.abs(at.tau).max(initial=0.0)
    for k in np.flatnonzero(np.abs(at.tau) > max(1e-8 * largest, 1e-9)):
        if k not in held:
            raise LissomError(
                f"{model.coordinates[k]} is not at rest at this pose: {at.tau[k]:.4g} N m (N) would have to "
                "hold it; control it too, or choose a pose where it balances"
            )
    return at


def modal_model(model: Model, at: Equilibrium, selected: Sequence[Channel], limit: float) -> ModalModel:
    """The linear model about an equilibrium, cut after the modes of `limit` Hz."""
    linear = linearise(model, at, inputs=[model.coordinates[channel.force] for channel in selected])
    modes = natural_modes(model, at.q, locked=False)
    shapes = modes.shapes[:, modes.frequencies <= limit]
    inverse = shapes.T @ mass_matrix(model, at.q)
    back, to = np.kron(np.eye(2), inverse), np.kron(np.eye(2), shapes)
    names = [f"mode {k + 1}" for k in range(len(inverse))]
    states = (*names, *(f"{name}.rate" for name in names))
    return ModalModel(
        replace(linear, A=back @ linear.A @ to, B=back @ linear.B, C=linear.C @ to, states=states), shapes, inverse
    )


def sampled_model(linear: LinearModel, rate: float, delay: float) -> SampledModel:
    """Zero-order hold at `rate`, inputs acting `delay` seconds late (Astrom and Wittenmark 1997, 2.6)."""
    period = 1.0 / rate
    whole = int(np.ceil(delay * rate - 1e-9))
    late = delay - (whole - 1) * period if whole else 0.0  # part of a period in which the older input acts
    early, later = _held(linear, period - late), _held(linear, late)
    A = early.A @ later.A
    n, m = early.B.shape
    if not whole:
        return SampledModel(A, early.B)
    size = n + m * whole  # x, u[k - whole], ..., u[k - 1]
    big_a, big_b = np.zeros((size, size)), np.zeros((size, m))
    big_a[:n, :n] = A
    big_a[:n, n : n + m] = early.A @ later.B
    if whole > 1:
        big_a[:n, n + m : n + 2 * m] = early.B
        big_a[n : size - m, n + m :] = np.eye(size - n - m)
    else:
        big_b[:n] = early.B
    big_b[size - m :] = np.eye(m)
    return SampledModel(big_a, big_b)


def _held(linear: LinearModel, time: float) -> SampledModel:
    if time < 1e-12:
        return SampledModel(np.eye(len(linear.A)), np.zeros_like(linear.B))
    held = linear.discretise(time)
    return SampledModel(held.A, held.B)


def tip_rows(model: Model, link: str) -> np.ndarray:
    """Elastic displacement (3) and rotation times length (3) of a beam's tip, by v: (6, nv)."""
    beam, body = model.flexible[link], model.link(link)
    section = beam.section_map(beam.length)
    rows = np.zeros((6, model.nv))
    rows[:3, body.modes_v], rows[3:, body.modes_v] = section.phi, beam.length * section.psi
    return rows


def joint_sensor(model: Model, selected: Sequence[Channel], side: Side, noise: float) -> Sensor:
    """Encoders of the controlled joints."""
    on_q = np.array([getattr(channel, f"{side}_q") for channel in selected])
    on_v = [getattr(channel, f"{side}_v") for channel in selected]
    return Sensor("encoders", np.eye(model.nv)[on_v], lambda q: q[on_q], noise)


def tip_sensor(model: Model, q: np.ndarray, spec: Any, path: Keys) -> Sensor:
    """A sensor of a link's tip, from {link, kind: position or deflection, noise (m)}."""
    if not isinstance(spec, Mapping):
        raise LissomError("must be {link: ..., kind: position or deflection}", path, spec)
    for key in spec:
        if key not in ("link", "kind", "noise"):
            raise LissomError("is unknown; give link, kind and noise", (*path, key), spec[key])
    link, kind = spec.get("link", model.links[-1]), spec.get("kind", "position")
    noise = argument_checks.number(
        spec.get("noise", 1e-4), (*path, "noise"), "give the standard deviation in metres", above=0
    )
    if link not in model.links:
        hint = did_you_mean(link, model.links)
        raise LissomError(f"is not a link{hint}; choose {listed(model.links)}", (*path, "link"), link)
    if kind == "position":
        rows = _gradients(model, q, f"{link}.tip")
        moving = np.abs(rows).max(axis=1) > 1e-9 * np.abs(rows).max()
        return Sensor(f"position of {link}", rows[moving], lambda q: tip_pose(model, q, link)[:3, 3][moving], noise)
    if kind != "deflection":
        hint = did_you_mean(kind, SENSORS)
        raise LissomError(f"is unknown{hint}; choose {listed(SENSORS)}", (*path, "kind"), kind)
    if link not in model.flexible:
        beams = listed(model.flexible, "and") if model.flexible else "none"
        raise LissomError(f"is rigid and has no deflection; the beams are {beams}", (*path, "link"), link)
    rows = _gradients(model, q, f"{link}.deflection")
    bends = [k for k in (1, 2) if np.any(rows[k])]
    if not bends:
        raise LissomError("has no bending modes; give it some, or measure its position", (*path, "link"), link)
    beam, modes = model.flexible[link], model.link(link).modes_q
    return Sensor(
        f"deflection of {link}", rows[bends], lambda q: beam.displacement(beam.length, q[modes])[bends], noise
    )


def _gradients(model: Model, q: np.ndarray, signal: str) -> np.ndarray:
    """Derivatives (3, nv) of a point's position along the velocity coordinates."""
    return np.array([row.gradient(model, q) for row in signals.outputs(model, [signal])])
