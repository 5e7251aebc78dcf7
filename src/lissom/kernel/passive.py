"""Forces that joints produce by themselves: damping, friction, springs, soft stops, elastic transmissions.

All are smooth functions, so that derivatives exist everywhere and every number type can evaluate them.
"""

from __future__ import annotations

from lissom.kernel.elementary import tanh
from lissom.kernel.exact import exact_dissipation
from lissom.kernel.jit import inline, kernel


@inline
def contact(x, width):
    """Smooth unit step of the penetration `x`, from 0 to 1 over about `width`."""
    return 0.5 * (1.0 + tanh(x / width))


@inline
def stop_force(x, stiffness, width):
    """Force of a stop with potential 1/2 stiffness rho^2, rho = x contact(x)."""
    on = contact(x, width)
    slope = on + 2.0 * x / width * on * (1.0 - on)
    return stiffness * x * on * slope


@inline
def stop_energy(x, stiffness, width):
    rho = x * contact(x, width)
    return 0.5 * stiffness * rho * rho


@kernel
def passive_forces(model, q, v, force):
    """Add the passive forces of all joints and transmissions to `force` (nv,)."""
    for k in range(model.passive_v.shape[0]):
        at_v = model.passive_v[k]
        at_q = model.passive_q[k]
        rate = v[at_v]
        f = -model.viscous[k] * rate - model.coulomb[k] * tanh(rate / model.coulomb_speed[k])
        if at_q >= 0:
            f -= model.spring[k] * (q[at_q] - model.spring_rest[k])
            if model.has_stop[k] == 1:
                above = q[at_q] - model.upper[k]
                below = model.lower[k] - q[at_q]
                width = model.stop_width[k]
                f += stop_force(below, model.stop_stiffness[k], width)
                f -= stop_force(above, model.stop_stiffness[k], width)
                f -= model.stop_damping[k] * rate * (contact(above, width) + contact(below, width))
        force[at_v] += f
    for k in range(model.rotor_v.shape[0]):
        torque = gear_torque(model, k, q, v)
        force[model.geared_v[k]] += torque
        force[model.rotor_v[k]] -= torque


@inline
def gear_torque(model, k, q, v):
    """Torque of transmission k on its joint: spring and damper between rotor and link."""
    stretch = q[model.rotor_q[k]] - q[model.geared_q[k]]
    rate = v[model.rotor_v[k]] - v[model.geared_v[k]]
    return model.gear_stiffness[k] * stretch + model.gear_damping[k] * rate


@kernel
def passive_energy(model, q, zero):
    """Potential energy stored in springs, stops and transmissions."""
    energy = zero
    for k in range(model.passive_v.shape[0]):
        at_q = model.passive_q[k]
        if at_q >= 0:
            stretch = q[at_q] - model.spring_rest[k]
            energy += 0.5 * model.spring[k] * stretch * stretch
            if model.has_stop[k] == 1:
                width = model.stop_width[k]
                energy += stop_energy(q[at_q] - model.upper[k], model.stop_stiffness[k], width)
                energy += stop_energy(model.lower[k] - q[at_q], model.stop_stiffness[k], width)
    for k in range(model.rotor_v.shape[0]):
        stretch = q[model.rotor_q[k]] - q[model.geared_q[k]]
        energy += 0.5 * model.gear_stiffness[k] * stretch * stretch
    return energy


@kernel
def dissipation(model, q, v, zero):
    """Power lost in joints, transmissions and links, in watt."""
    power = zero
    for k in range(model.passive_v.shape[0]):
        rate = v[model.passive_v[k]]
        at_q = model.passive_q[k]
        power += model.viscous[k] * rate * rate
        power += model.coulomb[k] * rate * tanh(rate / model.coulomb_speed[k])
        if at_q >= 0 and model.has_stop[k] == 1:
            width = model.stop_width[k]
            on = contact(q[at_q] - model.upper[k], width) + contact(model.lower[k] - q[at_q], width)
            power += model.stop_damping[k] * rate * rate * on
    for k in range(model.rotor_v.shape[0]):
        slip = v[model.rotor_v[k]] - v[model.geared_v[k]]
        power += model.gear_damping[k] * slip * slip
    for i in range(1, model.parent.shape[0]):
        eta = model.modes_q[i]
        rate = model.modes_v[i]
        if model.nodes[i] > 0:
            power += exact_dissipation(model, i, q, v, zero)
        for j in range(model.modes[i]):
            for k in range(model.modes[i]):
                power += v[rate + j] * model.damping[i, j, k] * v[rate + k]
        for term in range(model.cubic_start[i], model.cubic_start[i + 1]):
            a = model.cubic_modes[term, 0]
            b = model.cubic_modes[term, 1]
            c = model.cubic_modes[term, 2]
            power += (
                2.0
                * model.cubic_damping[term]
                * (
                    q[eta + a] * v[rate + b] * v[rate + c]
                    + v[rate + a] * q[eta + b] * v[rate + c]
                    + v[rate + a] * v[rate + b] * q[eta + c]
                )
            )
    return power
