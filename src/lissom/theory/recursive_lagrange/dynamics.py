"""The recursion as lissom's integrators call its dynamics."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Pointer, Struct, kernel
from lissom.kernel.forces.passive_joint_forces import passive_forces
from lissom.theory.linear import solve_free
from lissom.theory.recursive_lagrange.elastic import add_elastic_forces
from lissom.theory.recursive_lagrange.recursion import inertia_coefficients, outward, remainders


class RecursiveLagrangeMemory(NamedTuple):
    """Constants and memory of the recursion, and its passes."""

    tables: Any  # Struct
    work: Any  # Struct
    outward: Any  # Pointers: each pass compiles by itself
    remainders: Any
    add_elastic_forces: Any
    inertia_coefficients: Any
    drive_inertia: np.ndarray  # (nv,) of rotors and rigid gears
    still: np.ndarray  # (nv,) zeros
    force: np.ndarray  # (nv,)
    mass: np.ndarray  # (nv, nv)


def make_own(tables: Struct, work: Struct, drive_inertia: np.ndarray, q: np.ndarray) -> Struct:
    """Everything that the dynamics need; q (nq,) is an example.

    Equations: 004 (29)-(30).
    """
    v, mass = np.zeros_like(drive_inertia), np.zeros_like(drive_inertia, shape=2 * drive_inertia.shape)
    own = RecursiveLagrangeMemory(
        tables=tables,
        work=work,
        outward=Pointer(outward, tables, work, q, v, v),
        remainders=Pointer(remainders, tables, work, v),
        add_elastic_forces=Pointer(add_elastic_forces, tables, work, q, v, v),
        inertia_coefficients=Pointer(inertia_coefficients, tables, work, mass),
        drive_inertia=drive_inertia,
        still=v,
        force=v.copy(),
        mass=mass,
    )
    return Struct(own)


@kernel
def inverse(model, own, q, v, a, wrench, tau):
    """Compute forces tau (nv,) that produce the accelerations a; at a = 0 the remainders.

    Equations: 004 (40)-(42).
    """
    for k in range(tau.shape[0]):
        tau[k] = 0.0
    passive_forces(model, q, v, tau)
    for k in range(tau.shape[0]):
        tau[k] = own.drive_inertia[k] * a[k] - tau[k]
    own.outward(own.tables, own.work, q, v, a)
    own.remainders(own.tables, own.work, tau)
    own.add_elastic_forces(own.tables, own.work, q, v, tau)


@kernel
def forward(model, own, q, v, tau, wrench, a):
    """Accelerations a (nv,) under the forces tau; those of prescribed coordinates are given.

    Equations: 004 (46)-(47).
    """
    n = a.shape[0]
    inverse(model, own, q, v, own.still, wrench, own.force)
    for j in range(n):
        own.force[j] = tau[j] - own.force[j]
        for k in range(n):
            own.mass[j, k] = 0.0
    own.inertia_coefficients(own.tables, own.work, own.mass)
    for k in range(n):
        own.mass[k, k] += own.drive_inertia[k]
    solve_free(own.mass, own.force, model.velocities.prescribed, a)
