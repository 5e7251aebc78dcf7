"""The recursion and the Lagrangian form as lissom's integrators call their dynamics."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Pointer, Struct, kernel
from lissom.kernel.forces.passive_joint_forces import passive_forces
from lissom.theory.lie_group import passes
from lissom.theory.lie_group.arm import Arm
from lissom.theory.linear import solve_positive


class LieGroupMemory(NamedTuple):
    """Constants and memory of one arm, with a batch axis of one state as the passes have it, and the passes."""

    newton_euler: Any  # Pointers: each pass compiles by itself
    outward: Any
    parent: np.ndarray  # as in Arm
    M: np.ndarray
    S: np.ndarray
    column: np.ndarray
    J: np.ndarray
    armature: np.ndarray
    base: np.ndarray  # (6,) acceleration of the world, against gravity
    x: np.ndarray  # (1, n) state and accelerations
    xd: np.ndarray
    xdd: np.ndarray
    V: np.ndarray  # (1, N, 6)
    Vdot: np.ndarray
    F: np.ndarray
    f: np.ndarray  # (1, N, 4, 4)
    B: np.ndarray  # (1, N, 6, n), zero where a coordinate does not move a node
    tau: np.ndarray  # (1, n)
    still: np.ndarray  # (n,) zeros
    force: np.ndarray  # (n,)
    mass: np.ndarray  # (n, n)


def make_own(arm: Arm) -> Struct:
    """Everything that the dynamics need."""
    n, nodes = arm.n, len(arm.parent)
    x, xd, xdd, tau = (np.zeros((1, n)) for _ in range(4))
    V, Vdot, F = (np.zeros((1, nodes, 6)) for _ in range(3))
    f, B = np.zeros((1, nodes, 4, 4)), np.zeros((1, nodes, 6, n))
    base = np.concatenate([np.zeros(3), -arm.gravity])
    chain = arm.parent, arm.M, arm.S, arm.column
    own = LieGroupMemory(
        newton_euler=Pointer(passes.newton_euler, *chain, arm.J, base, x, xd, xdd, V, Vdot, F, tau),
        outward=Pointer(passes.outward, *chain, x, f, B),
        parent=arm.parent,
        M=arm.M,
        S=arm.S,
        column=arm.column,
        J=arm.J,
        armature=arm.armature,
        base=base,
        x=x,
        xd=xd,
        xdd=xdd,
        V=V,
        Vdot=Vdot,
        F=F,
        f=f,
        B=B,
        tau=tau,
        still=np.zeros(n),
        force=np.zeros(n),
        mass=np.zeros((n, n)),
    )
    return Struct(own)


@kernel
def inverse(model, own, q, v, a, wrench, tau):
    """Compute forces tau (n,) that produce the accelerations a: (22)-(27), less what joints do by themselves."""
    for k in range(tau.shape[0]):
        own.x[0, k] = q[k]
        own.xd[0, k] = v[k]
        own.xdd[0, k] = a[k]
        own.tau[0, k] = own.armature[k] * a[k]
        tau[k] = 0.0
    for i in range(own.parent.shape[0]):
        for r in range(6):
            own.F[0, i, r] = 0.0  # what a node gives its parent is added to it
    own.newton_euler(
        own.parent, own.M, own.S, own.column, own.J, own.base, own.x, own.xd, own.xdd, own.V, own.Vdot, own.F, own.tau
    )
    passive_forces(model, q, v, tau)
    for k in range(tau.shape[0]):
        tau[k] = own.tau[0, k] - tau[k]


@kernel
def forward(model, own, q, v, tau, wrench, a):
    """Accelerations a (n,) under the forces tau: M a = tau - bias with M = sum of B^T J B, (51)."""
    n = a.shape[0]
    inverse(model, own, q, v, own.still, wrench, own.force)
    own.outward(own.parent, own.M, own.S, own.column, own.x, own.f, own.B)
    for j in range(n):
        own.force[j] = tau[j] - own.force[j]
        for k in range(j + 1):
            own.mass[j, k] = own.armature[j] if j == k else 0.0
    for i in range(own.parent.shape[0]):
        for j in range(n):
            for r in range(6):
                momentum = 0.0
                for c in range(6):
                    momentum += own.J[i, r, c] * own.B[0, i, c, j]
                for k in range(j + 1):
                    own.mass[j, k] += momentum * own.B[0, i, r, k]
    solve_positive(own.mass, own.force, a)
