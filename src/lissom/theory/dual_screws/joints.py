"""What joints and rotors themselves resist with: springs, friction, stops, elastic gears, armatures; compiled."""

from __future__ import annotations

from lissom.kernel.elementary import tanh
from lissom.kernel.jit import inline, kernel


@inline
def stop(depth, speed, stiffness, damping, width):
    """Resistance of a soft stop: potential 1/2 stiffness rho^2 of rho = depth s(depth), damped by s, s smoothly 0 to 1.

    `speed` is the rate of `depth`.
    """
    t = tanh(depth / width)
    s = 0.5 * (1.0 + t)
    slope = s + 0.5 * depth / width * (1.0 - t * t)
    return stiffness * depth * s * slope + damping * speed * s


@kernel
def add_joint_forces(model, q, v, tau):
    """Add to tau (nv,) what joints and gears resist with at rest and in uniform motion."""
    for k in range(model.passive_v.shape[0]):
        speed = v[model.passive_v[k]]
        force = model.viscous[k] * speed + model.coulomb[k] * tanh(speed / model.coulomb_speed[k])
        if model.passive_q[k] >= 0:
            x = q[model.passive_q[k]]
            force += model.spring[k] * (x - model.spring_rest[k])
            if model.has_stop[k] == 1:
                stiffness, damping, width = model.stop_stiffness[k], model.stop_damping[k], model.stop_width[k]
                force += stop(x - model.upper[k], speed, stiffness, damping, width)
                force -= stop(model.lower[k] - x, -speed, stiffness, damping, width)
        tau[model.passive_v[k]] += force
    for k in range(model.rotor_v.shape[0]):
        rotor = model.rotor_v[k]
        geared = model.geared_v[k]
        wind = q[model.rotor_q[k]] - q[model.geared_q[k]]
        torque = model.gear_stiffness[k] * wind + model.gear_damping[k] * (v[rotor] - v[geared])
        tau[rotor] += torque
        tau[geared] -= torque


@kernel
def add_joint_inertia(model, M):
    """Add to the diagonal of M (nv, nv) the armatures of joints and the inertias of rotors."""
    for k in range(M.shape[0]):
        M[k, k] += model.armature[k]
    for k in range(model.rotor_v.shape[0]):
        M[model.rotor_v[k], model.rotor_v[k]] += model.rotor_inertia[k]


@kernel
def add_joint_momenta(model, a, tau):
    """Add to tau (nv,) what armatures and rotors need for the accelerations a (nv,)."""
    for k in range(a.shape[0]):
        tau[k] += model.armature[k] * a[k]
    for k in range(model.rotor_v.shape[0]):
        tau[model.rotor_v[k]] += model.rotor_inertia[k] * a[model.rotor_v[k]]
