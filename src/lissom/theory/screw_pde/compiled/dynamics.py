"""The stacked system as lissom's integrators call its dynamics."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Pointer, Struct, kernel
from lissom.theory.screw_pde.compiled.eliminate import eliminate
from lissom.theory.screw_pde.compiled.energy import reactions
from lissom.theory.screw_pde.compiled.evaluate import evaluate


class ScrewPdeMemory(NamedTuple):
    """Constants and memory of the system, and the steps of its solution."""

    tables: Any  # Struct
    work: Any  # Struct
    evaluate: Any  # Pointers: each step compiles by itself
    reactions: Any
    eliminate: Any
    still: np.ndarray  # (nv,) zeros


def make_own(table: Struct, work: Struct, nq: int, nv: int) -> Struct:
    """Everything that the dynamics need."""
    q, v = np.zeros(nq), np.zeros(nv)
    own = ScrewPdeMemory(
        tables=table,
        work=work,
        evaluate=Pointer(evaluate, table, work, q, v, v),
        reactions=Pointer(reactions, table, work, v),
        eliminate=Pointer(eliminate, table, work, v),
        still=v,
    )
    return Struct(own)


@kernel
def inverse(model, own, q, v, a, wrench, tau):
    """Compute forces tau (nv,) that produce the accelerations a: actuator rows, deformation rows, rotors."""
    own.evaluate(own.tables, own.work, q, v, own.still)
    own.reactions(own.tables, own.work, a)
    needed_forces(own.tables, own.work, a, tau)


@kernel
def needed_forces(table, work, a, tau):
    """Compute tau (nv,) from the rows and wrenches that go with the accelerations a."""
    for k in range(tau.shape[0]):
        tau[k] = table.armature[k] * a[k] - work.force[k]  # what joints do by themselves
    for r in range(table.gears.rotor_v.shape[0]):
        tau[table.gears.rotor_v[r]] += table.gears.inertia[r] * a[table.gears.rotor_v[r]]
    for i in range(table.parent.shape[0]):
        m, up, W = table.modes[i], table.parent[i], work.wrench[i]
        for k in range(table.dofs[i]):
            for r in range(6):
                tau[table.joint_v[i] + k] += work.S[i, k, r] * W[r]
        for j in range(m):
            row = 6 + j
            total = work.bias[i, row]
            for c in range(6 + m):
                total += (work.mass[i, row, c] if c <= row else work.mass[i, c, row]) * work.zdot[i, c]
            if table.moved[i] == 1:
                for r in range(6):
                    total -= work.base_J[i, j, r] * W[r]
            tau[table.modes_v[i] + j] += total
        if up >= 0:
            for j in range(table.modes[up]):
                for r in range(6):
                    tau[table.modes_v[up] + j] += work.reach[i, r, 6 + j] * W[r]


@kernel
def forward(model, own, q, v, tau, wrench, a):
    """Accelerations a (nv,) under the forces tau."""
    own.evaluate(own.tables, own.work, q, v, tau)
    own.eliminate(own.tables, own.work, a)
