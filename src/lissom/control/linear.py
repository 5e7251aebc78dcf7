"""The linear model for the design of state feedback: equilibrium, modes, sensors, sampling with delay."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lissom.control import checks
from lissom.control.channels import Channel, Side
from lissom.errors import LissomError
from lissom.model.compiled import Model
from lissom.model.names import did_you_mean, listed

SENSOR_KINDS = ("position", "deflection")


class Equilibrium(NamedTuple):
    """A state of rest."""

    q: np.ndarray  # (nq,)
    tau: np.ndarray  # (nv,) forces of the motors that hold it


class LinearModel(NamedTuple):
    """Motion about an equilibrium in n modes z: z'' = -K z - D z' + B u, with q - q0 = shapes z (along v)."""

    K: np.ndarray  # (n, n)
    D: np.ndarray  # (n, n)
    B: np.ndarray  # (n, na) u: forces of the motors beyond those of the equilibrium
    shapes: np.ndarray  # (nv, n) of unit modal mass
    inverse: np.ndarray  # (n, nv) z = inverse (q - q0)

    @property
    def A(self) -> np.ndarray:
        """State matrix of x = (z, z'), (2n, 2n)."""
        n = len(self.K)
        return np.block([[np.zeros((n, n)), np.eye(n)], [-self.K, -self.D]])

    @property
    def input(self) -> np.ndarray:
        """Input matrix of x, (2n, na)."""
        return np.concatenate([np.zeros_like(self.B), self.B])


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


def equilibrium(model: Model, q: np.ndarray, selected: Sequence[Channel]) -> Equilibrium:
    """The state of rest with the joints at q: links bent and gears wound up by the load, motors holding."""
    from lissom.dynamics import integrate, inverse_derivatives

    motors = [channel.force for channel in selected]
    unknown = [k for body in model.bodies for k in range(model.nv)[body.modes_v]]
    unknown += [body.rotor_v for body in model.bodies if body.rotor_v is not None]
    geared = [body.joint_v.start for body in model.bodies if body.rotor_v is not None]
    rows = [k for body in model.bodies for k in range(model.nv)[body.modes_v]] + geared
    rest = np.zeros(model.nv)
    for _ in range(50):
        linear = inverse_derivatives(model, q, rest, rest)
        step = np.zeros(model.nv)
        if unknown:
            step[unknown] = -np.linalg.lstsq(linear.q[np.ix_(rows, unknown)], linear.tau[rows], rcond=None)[0]
        q = integrate(model, q, step)
        if np.abs(step).max(initial=0.0) <= 1e-10 * (1.0 + np.abs(q).max(initial=0.0)):
            break
    else:
        raise LissomError(
            f"no state of rest was found for {model.robot.name} at this pose; the links may be too soft for their load"
        )
    tau = inverse_derivatives(model, q, rest, rest).tau
    scale = np.abs(tau).max(initial=0.0) + 1e-300
    held = {*motors, *np.flatnonzero(model.arrays.prescribed).tolist()}
    for k in np.flatnonzero(np.abs(tau) > 1e-8 * scale):
        if k not in held and abs(tau[k]) > 1e-9:
            raise LissomError(
                f"{model.coordinates[k]} is not at rest at this pose: {tau[k]:.4g} N m (N) would have to "
                "hold it; control it too, or choose a pose where it balances"
            )
    out = np.zeros(model.nv)
    out[motors] = tau[motors]
    return Equilibrium(q, out)


def linear_model(model: Model, at: Equilibrium, selected: Sequence[Channel], limit: float) -> LinearModel:
    """The linear model, cut after the modes of `limit` Hz."""
    from scipy.linalg import eigh

    from lissom.dynamics import derivatives

    rest = np.zeros(model.nv)
    linear = derivatives(model, at.q, rest, at.tau)
    kept = np.flatnonzero(model.arrays.prescribed == 0)
    part = np.ix_(kept, kept)
    M = np.linalg.inv(linear.tau[part])
    M = (M + M.T) / 2
    K = -M @ linear.q[part]
    squares, modes = eigh((K + K.T) / 2, M)
    modes = modes[:, squares <= (2 * np.pi * limit) ** 2]
    shapes = np.zeros((model.nv, modes.shape[1]))
    shapes[kept] = modes
    inverse = np.zeros(shapes.T.shape)
    inverse[:, kept] = modes.T @ M
    return LinearModel(
        K=inverse @ -linear.q @ shapes,
        D=inverse @ -linear.qd @ shapes,
        B=shapes.T[:, [channel.force for channel in selected]],
        shapes=shapes,
        inverse=inverse,
    )


def sampled_model(model: LinearModel, rate: float, delay: float) -> SampledModel:
    """Zero-order hold at `rate`, inputs acting `delay` seconds late (Astrom and Wittenmark 1997, 2.6)."""
    period = 1.0 / rate
    whole = int(np.ceil(delay * rate - 1e-9))
    late = delay - (whole - 1) * period if whole else 0.0  # part of a period in which the older input acts
    early, later = _held(model, period - late), _held(model, late)
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


def _held(model: LinearModel, time: float) -> SampledModel:
    from scipy.linalg import expm

    A, B = model.A, model.input
    n, m = B.shape
    both = expm(time * np.block([[A, B], [np.zeros((m, n + m))]]))
    return SampledModel(both[:n, :n], both[:n, n:])


def tip_rows(model: Model, link: str) -> np.ndarray:
    """Elastic displacement (3) and rotation times length (3) of a beam's tip, by v: (6, nv)."""
    beam, body = model.beams[link], model.body(link)
    section = beam.section_map(beam.length)
    rows = np.zeros((6, model.nv))
    rows[:3, body.modes_v], rows[3:, body.modes_v] = section.phi, beam.length * section.psi
    return rows


def joint_sensor(model: Model, selected: Sequence[Channel], side: Side, noise: float) -> Sensor:
    """Encoders of the controlled joints."""
    on_q = np.array([getattr(channel, f"{side}_q") for channel in selected])
    on_v = [getattr(channel, f"{side}_v") for channel in selected]
    return Sensor("encoders", np.eye(model.nv)[on_v], lambda q: q[on_q], noise)


def tip_sensor(model: Model, q: np.ndarray, spec: Any, field: str) -> Sensor:
    """A sensor of a link's tip, from {link, kind: position or deflection, noise (m)}."""
    from lissom.dynamics import jacobian, tip_pose

    if not isinstance(spec, Mapping):
        raise LissomError(f"{field} = {checks.brief(spec)}: must be {{link: ..., kind: position or deflection}}")
    for key in spec:
        if key not in ("link", "kind", "noise"):
            raise LissomError(f"{field}.{key}: is unknown; give link, kind and noise")
    link, kind = spec.get("link", model.links[-1]), spec.get("kind", "position")
    noise = checks.number(spec.get("noise", 1e-4), f"{field}.noise", "give the standard deviation in metres", above=0)
    if link not in model.links:
        hint = did_you_mean(link, model.links)
        raise LissomError(f"{field}.link = {checks.brief(link)}: is not a link{hint}; choose {listed(model.links)}")
    if kind == "position":
        rows = jacobian(model, q, link)[3:]
        moving = np.abs(rows).max(axis=1) > 1e-9 * np.abs(rows).max()
        return Sensor(f"position of {link}", rows[moving], lambda q: tip_pose(model, q, link)[:3, 3][moving], noise)
    if kind != "deflection":
        hint = did_you_mean(kind, SENSOR_KINDS)
        raise LissomError(f"{field}.kind = {checks.brief(kind)}: is unknown{hint}; choose {listed(SENSOR_KINDS)}")
    if link not in model.beams:
        beams = listed(model.beams, "and") if model.beams else "none"
        raise LissomError(f"{field}.link = {link}: is rigid and has no deflection; the beams are {beams}")
    phi = tip_rows(model, link)[:3]
    bends = [k for k in (1, 2) if np.any(phi[k])]
    if not bends:
        raise LissomError(f"{field}.link = {link}: has no bending modes; give it some, or measure its position")
    modes = model.body(link).modes_q
    section = phi[bends][:, model.body(link).modes_v]
    return Sensor(f"deflection of {link}", phi[bends], lambda q: section @ q[modes], noise)
