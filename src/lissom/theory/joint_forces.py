"""Forces that joints produce by themselves, for formulations that do not call the kernel.

Springs, viscous and smoothed Coulomb friction, soft stops and elastic transmissions of a Model; every function takes
leading batch axes and complex numbers.
"""

from __future__ import annotations

import numpy as np

from lissom.model.compiled import Model


def joint_forces(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Passive generalised forces (..., nv) at q (..., nq) and v (..., nv), to be added to those of the motors."""
    passive, gears = model.arrays.passive, model.arrays.gears
    force = np.zeros((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), model.nv), np.result_type(q, v, float))
    rate = v[..., passive.v].astype(force.dtype)
    local = -passive.viscous * rate - passive.coulomb * np.tanh(rate / passive.coulomb_speed)
    if (on := passive.q >= 0).any():
        x = q[..., passive.q[on]]
        local[..., on] -= passive.spring[on] * (x - passive.spring_rest[on])
    if (on := passive.has_stop == 1).any():
        x, width, stiffness = q[..., passive.q[on]], passive.stop_width[on], passive.stop_stiffness[on]
        above, below = x - passive.upper[on], passive.lower[on] - x
        local[..., on] += _stop_force(below, stiffness, width) - _stop_force(above, stiffness, width)
        local[..., on] -= passive.stop_damping[on] * rate[..., on] * (_contact(above, width) + _contact(below, width))
    force[..., passive.v] += local
    stretch = q[..., gears.rotor_q] - q[..., gears.joint_q]
    slip = v[..., gears.rotor_v] - v[..., gears.joint_v]
    torque = gears.stiffness * stretch + gears.damping * slip
    force[..., gears.joint_v] += torque
    force[..., gears.rotor_v] -= torque
    return force


def joint_energy(model: Model, q: np.ndarray) -> np.ndarray:
    """Energy (...) stored in springs, stops and elastic transmissions at q (..., nq)."""
    passive, gears = model.arrays.passive, model.arrays.gears
    on = passive.q >= 0
    x = q[..., passive.q[on]]
    stored = 0.5 * passive.spring[on] * (x - passive.spring_rest[on]) ** 2
    stops = (passive.has_stop[on] == 1) * passive.stop_stiffness[on]
    for depth in (x - passive.upper[on], passive.lower[on] - x):
        stored = stored + 0.5 * stops * (depth * _contact(depth, passive.stop_width[on])) ** 2
    stretch = q[..., gears.rotor_q] - q[..., gears.joint_q]
    return np.sum(stored, axis=-1) + 0.5 * np.sum(gears.stiffness * stretch**2, axis=-1)


def joint_force_slopes(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Diagonals (..., nv) of the derivatives of `joint_forces` by q and by v, for joints without elastic gears.

    Each force depends on its own coordinate alone, so that one complex step serves all of them.
    """
    h = 1e-30
    return joint_forces(model, q + 1j * h, v + 0j).imag / h, joint_forces(model, q + 0j, v + 1j * h).imag / h


def _contact(depth: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Smooth unit step of a penetration, from 0 to 1 over about `width`."""
    return 0.5 * (1.0 + np.tanh(depth / width))


def _stop_force(depth: np.ndarray, stiffness: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Force of a stop with potential 1/2 stiffness rho^2, rho = depth contact(depth)."""
    on = _contact(depth, width)
    return stiffness * depth * on * (on + 2.0 * depth / width * on * (1.0 - on))
