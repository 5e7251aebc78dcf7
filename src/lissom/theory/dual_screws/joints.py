"""What joints and rotors themselves resist with: springs, friction, stops, elastic gears, armatures; compiled."""

from __future__ import annotations

from lissom.kernel.elementary import tanh
from lissom.kernel.machine import inline, kernel


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
    passive = model.passive
    gears = model.gears
    for k in range(passive.v.shape[0]):
        speed = v[passive.v[k]]
        force = passive.viscous[k] * speed + passive.coulomb[k] * tanh(speed / passive.coulomb_speed[k])
        if passive.q[k] >= 0:
            x = q[passive.q[k]]
            force += passive.spring[k] * (x - passive.spring_rest[k])
            if passive.has_stop[k] == 1:
                stiffness, damping, width = passive.stop_stiffness[k], passive.stop_damping[k], passive.stop_width[k]
                force += stop(x - passive.upper[k], speed, stiffness, damping, width)
                force -= stop(passive.lower[k] - x, -speed, stiffness, damping, width)
        tau[passive.v[k]] += force
    for k in range(gears.rotor_v.shape[0]):
        rotor = gears.rotor_v[k]
        geared = gears.joint_v[k]
        wind = q[gears.rotor_q[k]] - q[gears.joint_q[k]]
        torque = gears.stiffness[k] * wind + gears.damping[k] * (v[rotor] - v[geared])
        tau[rotor] += torque
        tau[geared] -= torque


@kernel
def add_joint_inertia(model, M):
    """Add to the diagonal of M (nv, nv) the armatures of joints and the inertias of rotors."""
    gears = model.gears
    for k in range(M.shape[0]):
        M[k, k] += model.velocities.armature[k]
    for k in range(gears.rotor_v.shape[0]):
        M[gears.rotor_v[k], gears.rotor_v[k]] += gears.inertia[k]


@kernel
def add_joint_momenta(model, a, tau):
    """Add to tau (nv,) what armatures and rotors need for the accelerations a (nv,)."""
    gears = model.gears
    for k in range(a.shape[0]):
        tau[k] += model.velocities.armature[k] * a[k]
    for k in range(gears.rotor_v.shape[0]):
        tau[gears.rotor_v[k]] += gears.inertia[k] * a[gears.rotor_v[k]]
