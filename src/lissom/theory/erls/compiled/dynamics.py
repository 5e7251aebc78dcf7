"""A chain in the coordinates of a Model, as lissom's integrators call its dynamics.

A Model's joint coordinate is the displacement of the joint itself, theta plus slip; elastic coordinates are q_d.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import inline, kernel
from lissom.kernel.forces.passive_joint_forces import passive_forces


class ErlsMemory(NamedTuple):
    """A chain, the steps of its equations, and where its coordinates stand in those of a Model."""

    tables: Any  # Struct of Tables
    work: Any  # Struct of Work
    settle: Any  # Pointers to the steps (table, work): each compiles by itself
    set_rates: Any
    needed_forces: Any
    project: Any
    accelerations: Any
    joint_q: np.ndarray  # (n,)
    joint_v: np.ndarray  # (n,)
    modes_q: np.ndarray  # (modes,)
    modes_v: np.ndarray  # (modes,)


@inline
def gather(table, x, joints, modes, joint, elastic):
    """Entries of x at `joints` into joint (n,), those at `modes` into the elastic part of elastic (N, k)."""
    for k in range(joints.shape[0]):
        joint[k] = x[joints[k]]
    for i in range(table.parent.shape[0]):
        for j in range(table.modes[i]):
            elastic[i, 6 + j] = x[modes[table.first[i] + j]]


@inline
def set_state(own, q, v):
    """Settle the equivalent rigid links and their rates at the state (q, v)."""
    table, work = own.tables, own.work
    gather(table, q, own.joint_q, own.modes_q, work.joints, work.q)
    gather(table, v, own.joint_v, own.modes_v, work.joint_rate, work.q_rate)
    own.settle(table, work)
    own.set_rates(table, work)


@kernel
def inverse(model, own, q, v, a, wrench, tau):
    """Compute forces tau (nv,) that produce the accelerations a, with passive forces and rotors."""
    table, work = own.tables, own.work
    set_state(own, q, v)
    gather(table, a, own.joint_v, own.modes_v, work.joint_second, work.q_second)
    own.needed_forces(table, work)
    own.project(table, work)
    for k in range(tau.shape[0]):
        tau[k] = 0.0
    passive_forces(model, q, v, tau)
    for k in range(tau.shape[0]):
        tau[k] = model.velocities.armature[k] * a[k] - tau[k]
    for k in range(work.joint.shape[0]):
        tau[own.joint_v[k]] += work.joint[k]
    for k in range(work.modal.shape[0]):
        tau[own.modes_v[k]] += work.modal[k]
    for k in range(model.gears.rotor_v.shape[0]):
        rotor = model.gears.rotor_v[k]
        tau[rotor] += model.gears.inertia[k] * a[rotor]


@kernel
def forward(model, own, q, v, tau, wrench, a):
    """Accelerations a (nv,) under the forces tau, by (75)."""
    work, n = own.work, own.joint_v.shape[0]
    set_state(own, q, v)
    for k in range(a.shape[0]):
        a[k] = tau[k]
    passive_forces(model, q, v, a)
    for k in range(n):
        work.joint[k] = a[own.joint_v[k]]
    for k in range(work.modal.shape[0]):
        work.modal[k] = a[own.modes_v[k]]
    own.accelerations(own.tables, work)
    for k in range(n):
        a[own.joint_v[k]] = work.joint_second[k]
    for k in range(work.modal.shape[0]):
        a[own.modes_v[k]] = work.found[n + k]
    for k in range(model.gears.rotor_v.shape[0]):
        a[model.gears.rotor_v[k]] /= model.gears.inertia[k]
