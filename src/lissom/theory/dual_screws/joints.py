"""What joints and rotors themselves resist with: passive forces, armatures; compiled."""

from __future__ import annotations

from lissom.kernel.compile import kernel
from lissom.kernel.forces.passive_joint_forces import passive_forces


@kernel
def add_joint_forces(model, q, v, tau):
    """Add to tau (nv,) what joints and gears resist with at rest and in uniform motion."""
    for k in range(tau.shape[0]):
        tau[k] = -tau[k]
    passive_forces(model, q, v, tau)
    for k in range(tau.shape[0]):
        tau[k] = -tau[k]


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
