"""The linear model for the design of state feedback: equilibrium, modes, sensors, sampling with delay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lissom.analysis.equilibrium.equilibrium_state import Equilibrium
from lissom.analysis.equilibrium.statics import static_equilibrium
from lissom.analysis.linear_models.linear_model import LinearModel
from lissom.analysis.linear_models.linearisation import linearise
from lissom.analysis.modes.natural_modes import natural_modes
from lissom.control.choices import Side
from lissom.control.laws.channels import ControlledCoordinate
from lissom.dynamics import mass_matrix
from lissom.dynamics.coordinates import along_coordinates
from lissom.dynamics.sensing import Sensing
from lissom.errors import LissomError
from lissom.model.description.sensor import Sensor
from lissom.model.model import Model

UNFELT = 1e-9  # of the largest stiffness or damping per inertia: what is none


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
class Measurement:
    """A measured vector of m numbers."""

    jacobian: np.ndarray  # (m, nv) along the velocity coordinates
    value: Callable[[np.ndarray], np.ndarray]  # (m,) at a configuration
    noise: np.ndarray  # (m,) standard deviations


def held_by_motors(model: Model, q: np.ndarray, selected: Sequence[ControlledCoordinate]) -> Equilibrium:
    """Return the state of rest with the joints at q, which the selected motors must be able to hold."""
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


def modal_model(model: Model, at: Equilibrium, selected: Sequence[ControlledCoordinate], limit: float) -> ModalModel:
    """Return the linear model about an equilibrium, cut after the modes of `limit` Hz."""
    linear = linear_about(model, at, None, [model.coordinates[channel.force] for channel in selected])
    half = len(linear.A) // 2
    kept = [model.coordinates.index(name) for name in linear.states[:half]]
    M = mass_matrix(model, at.q)
    if half == model.nv:
        modes = natural_modes(model, at.q, locked=False)
        shapes = modes.shapes[:, modes.frequencies <= limit]
        inverse = shapes.T @ M
        back, to = np.kron(np.eye(2), inverse), np.kron(np.eye(2), shapes)
    else:
        shapes, back, to = _floating_modes(model, M, linear, kept, limit)
        inverse = np.zeros((shapes.shape[1], model.nv))
        inverse[:, kept] = back
        back, to = np.kron(np.eye(2), back), np.kron(np.eye(2), shapes[kept])
    names = [f"mode {k + 1}" for k in range(len(inverse))]
    states = (*names, *(f"{name}.rate" for name in names))
    return ModalModel(
        replace(linear, A=back @ linear.A @ to, B=back @ linear.B, C=linear.C @ to, states=states), shapes, inverse
    )


def _floating_modes(
    model: Model, M: np.ndarray, linear: LinearModel, kept: list[int], limit: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return modes at zero momentum up to `limit` Hz: shapes (nv, n), and the maps from and to what is kept."""
    from scipy.linalg import eigh

    follow = _followers(model, M, kept)
    spread = np.zeros((model.nv, len(kept)))
    spread[kept] = np.eye(len(kept))
    spread[[k for k in range(model.nv) if k not in kept]] = follow
    inertia = spread.T @ M @ spread
    stiffness = -inertia @ linear.A[len(kept) :, : len(kept)]
    squared, shapes = eigh((stiffness + stiffness.T) / 2, (inertia + inertia.T) / 2)
    shapes = shapes[:, np.sqrt(np.maximum(squared, 0.0)) <= 2 * np.pi * limit]
    return spread @ shapes, shapes.T @ inertia, shapes


def _followers(model: Model, M: np.ndarray, kept: list[int]) -> np.ndarray:
    """Return how the other coordinates follow those that are kept while their momentum stays zero."""
    others = [k for k in range(model.nv) if k not in kept]
    return -np.linalg.solve(M[np.ix_(others, others)], M[np.ix_(others, kept)])


def linear_about(model: Model, at: Equilibrium, outputs: Sequence[Any] | None, inputs: Sequence[Any]) -> LinearModel:
    """Return the linear model about a rest without the joints whose place and speed nothing feels.

    These are the free base of a robot in space, and joints that nothing drives, holds or brakes: no motor that acts
    inside can bring them to a place of their own choice. They follow the others at zero momentum.
    """
    linear = linearise(model, at, outputs=outputs, inputs=list(inputs))
    n = model.nv
    if len(linear.A) != 2 * n:  # loops: their free coordinates are the states
        return linear
    names = set(linear.inputs)
    prescribed = model.arrays.velocities.prescribed
    felt = np.abs(linear.A[n:])
    loose: list[int] = []
    for body in model.bodies:
        index = list(range(n)[body.joint_v])
        driven = {model.coordinates[k] for k in index} & names or body.rotor_v is not None or any(prescribed[index])
        both = [*index, *(n + k for k in index)]
        if index and not driven and felt[:, both].max() <= UNFELT * max(felt.max(), 1.0):
            loose += index
    if not loose:
        return linear
    kept = [k for k in range(n) if k not in loose]
    both = [*kept, *(n + k for k in kept)]
    follow = np.kron(np.eye(2), _followers(model, mass_matrix(model, at.q), kept))
    C = linear.C[:, both] + linear.C[:, [*loose, *(n + k for k in loose)]] @ follow
    D, named = linear.D, linear.outputs
    if outputs is None:
        C, D, named = np.eye(len(both)), linear.D[both], tuple(linear.states[k] for k in both)
    return replace(
        linear, A=linear.A[np.ix_(both, both)], B=linear.B[both], C=C, D=D, outputs=named,
        states=tuple(linear.states[k] for k in both),
    )  # fmt: skip


def sampled_model(linear: LinearModel, rate: float, delay: float) -> SampledModel:
    """Discretise by a zero-order hold at `rate`, inputs `delay` seconds late (Astrom and Wittenmark 1997, 2.6)."""
    period = 1.0 / rate
    whole = int(np.ceil(delay * rate - 1e-9))
    late = delay - (whole - 1) * period if whole else 0.0  # part of a period in which the older input acts
    early, later = _zero_order_hold(linear, period - late), _zero_order_hold(linear, late)
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


def _zero_order_hold(linear: LinearModel, time: float) -> SampledModel:
    if time < 1e-12:
        return SampledModel(np.eye(len(linear.A)), np.zeros_like(linear.B))
    held = linear.discretise(time)
    return SampledModel(held.A, held.B)


def tip_rows(model: Model, link: str) -> np.ndarray:
    """Return the elastic displacement (3) and rotation times length (3) of a beam's tip, by v: (6, nv)."""
    beam, body = model.flexible[link], model.link(link)
    section = beam.section_map(beam.length)
    rows = np.zeros((6, model.nv))
    rows[:3, body.modes_v], rows[3:, body.modes_v] = section.phi, beam.length * section.psi
    return rows


def encoders(model: Model, selected: Sequence[ControlledCoordinate], side: Side, noise: float) -> Measurement:
    """Return the encoders of the controlled joints, on one side of their gears."""
    on_q = np.array([getattr(channel, f"{side}_q") for channel in selected])
    on_v = [getattr(channel, f"{side}_v") for channel in selected]
    return Measurement(np.eye(model.nv)[on_v], lambda q: q[on_q], np.full(len(selected), noise))


def measurement(model: Model, q: np.ndarray, sensors: Sequence[Sensor]) -> Measurement:
    """Return what sensors measure about the configuration q, without the numbers that do not move there."""
    sensing, still = Sensing(model, sensors), np.zeros(model.nv)
    for k, one in enumerate(sensing.mounted):
        if one.kind.order > 0:
            text = f"is of type {one.sensor.kind}, which reads more than a configuration; design with lqg instead"
            raise LissomError(text, ("sensors", k), one.name)
        late = next((name for name in ("rate", "delay", "low_pass") if getattr(one.sensor, name)), None)
        if late is not None:
            text = "is no part of this design, which reads sensors at every sample; leave it out, or design with lqg"
            raise LissomError(text, ("sensors", k, late), getattr(one.sensor, late))
    noise, jacobian = deviations(sensing), along_coordinates(model, q, lambda z: sensing(z, still, still))
    size = np.abs(jacobian).max(axis=1, initial=0.0)
    moving = size > 1e-9 * size.max(initial=0.0)
    return Measurement(jacobian[moving], lambda q: sensing(q, still, still)[moving], noise[moving])


def deviations(sensing: Sensing) -> np.ndarray:
    """Return the standard deviation of every reading (m,): noise, and step / sqrt(12) of rounding to steps."""
    parts = []
    for k, one in enumerate(sensing.mounted):
        step = np.zeros(len(one.labels)) if one.resolution is None else one.resolution
        deviation = np.sqrt(np.broadcast_to(np.asarray(one.sensor.noise, float), step.shape) ** 2 + step**2 / 12)
        if np.any(deviation == 0):
            text = "missing; a filter must know how far to trust a sensor: give its noise or its resolution"
            raise LissomError(text, ("sensors", k, "noise"))
        parts.append(deviation)
    return np.concatenate([np.zeros(0), *parts])
