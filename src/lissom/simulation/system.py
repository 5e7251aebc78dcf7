"""The closed loop as integrators see it: r(t, q, v, a) = inverse dynamics - applied forces = 0, and a(t, q, v)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.control.kernel import control_forces, evaluate
from lissom.kernel.derivatives import STEP, make_real, tangent_step
from lissom.kernel.forward import forward_dynamics
from lissom.kernel.inverse import inverse_dynamics
from lissom.kernel.machine import Hidden, Pointer, Struct, inline, kernel
from lissom.kernel.mass_matrix import mass_matrix
from lissom.model.compiled import Model


class System(NamedTuple):
    """A model under control; all parts but the last are structs."""

    model: Any  # ModelStruct
    twin: Any  # ModelStruct of the rigid twin (the model itself where the law needs none)
    law: Any  # LawStruct
    motion_q: np.ndarray  # (np,) prescribed coordinates in q
    motion_v: np.ndarray  # (np,) and in v
    motion_breaks: np.ndarray  # (p + 1,) their motion, a piecewise polynomial
    motion_coefficients: np.ndarray  # (p, np, 6)
    held: np.ndarray  # (nv,) forces of a sampled controller, held between its samples
    forward: Any  # Pointer to forward_dynamics
    mass: Any  # Pointer to mass_matrix
    latest: np.ndarray  # (1,) references are read up to this time: just before the jump that ends a segment


class Scratch(NamedTuple):
    """Working vectors of one number type."""

    zero: Any
    inverse: Any  # Pointer to the inverse dynamics
    own: Any  # Hidden: memory of the inverse and forward dynamics, the workspace of the model for the kernel's
    work: Any  # WorkspaceStruct of the model
    q: np.ndarray  # (nq,)
    v: np.ndarray  # (nv,)
    a: np.ndarray  # (nv,)
    force: np.ndarray  # (nv,) applied forces
    residual: np.ndarray  # (nv,)
    wrench: np.ndarray  # (n, 6) external wrenches: none
    twin_inverse: Any  # Pointer to inverse_dynamics of the kernel, which a controller computes with
    twin_work: Any
    twin_q: np.ndarray
    twin_v: np.ndarray
    twin_a: np.ndarray
    twin_tau: np.ndarray
    twin_wrench: np.ndarray


class Dynamics(NamedTuple):
    """Compiled equations of motion, with the arguments of the kernel's own."""

    inverse: Any
    forward: Any
    own: Struct | None = None  # what they take as their second argument, in place of the model's workspace
    force: np.ndarray | None = None  # (nv,) where they read the forces applied, if they do


KERNEL = Dynamics(inverse_dynamics, forward_dynamics)


def make_scratch(model: Model, twin: Model, number: type, dynamics: Dynamics = KERNEL) -> Any:
    """Scratch for a model and its twin in the number type; `dynamics` are the model's equations of motion."""
    if twin is model and dynamics is KERNEL:
        return model.kept(("scratch", number), lambda: _new_scratch(model, twin, number, dynamics))
    return _new_scratch(model, twin, number, dynamics)


def _new_scratch(model: Model, twin: Model, number: type, dynamics: Dynamics) -> Any:
    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, number)

    work, wrench, q, v = model.workspace(number), zeros(len(model.bodies) + 1, 6), zeros(model.nq), zeros(model.nv)
    # `own` is `work` itself where the kernel's inverse dynamics fill it: the Newton matrix may then read it
    own = Hidden(dynamics.own or (work if dynamics.inverse is inverse_dynamics else Struct(work.fields)))
    scratch = Scratch(
        zero=number(0),
        inverse=Pointer(dynamics.inverse, model.struct, own, q, v, v, wrench, v),
        own=own,
        work=work,
        q=q,
        v=v,
        a=zeros(model.nv),
        force=zeros(model.nv) if dynamics.force is None else dynamics.force,
        residual=zeros(model.nv),
        wrench=wrench,
        twin_inverse=Pointer(inverse_dynamics, model.struct, work, q, v, v, wrench, v),
        twin_work=twin.workspace(number),
        twin_q=twin.neutral().astype(number),
        twin_v=zeros(twin.nv),
        twin_a=zeros(twin.nv),
        twin_tau=zeros(twin.nv),
        twin_wrench=zeros(len(twin.bodies) + 1, 6),
    )
    return Struct(scratch)


def dynamics_pointers(model: Model, dynamics: Dynamics = KERNEL) -> dict[str, Pointer]:
    """Pointers to the kernels that a System calls."""
    work, q, v, M = model.workspace(), np.zeros(model.nq), np.zeros(model.nv), np.zeros((model.nv, model.nv))
    own, wrench = Hidden(dynamics.own or work), np.zeros((len(model.bodies) + 1, 6))
    return {
        "forward": Pointer(dynamics.forward, model.struct, own, q, v, v, wrench, v),
        "mass": Pointer(mass_matrix, model.struct, work, q, v, M),
    }


@inline
def prescribe(system, t, q, v, a):
    """Put the prescribed motion at time t into q, v, a."""
    t = min(t, system.latest[0])
    for k in range(system.motion_v.shape[0]):
        r, rd, rdd = evaluate(system.motion_breaks, system.motion_coefficients, k, t)
        q[system.motion_q[k]] = r
        v[system.motion_v[k]] = rd
        a[system.motion_v[k]] = rdd


@kernel
def applied_forces(system, scratch, t, q, v, force):
    """Forces of the controller, continuous and sampled, at the state (q, v)."""
    t = min(t, system.latest[0])
    for k in range(force.shape[0]):
        force[k] = scratch.zero + system.held[k]
    control_forces(system.law, system.twin, scratch, t, q, v, force)


@kernel
def residual(system, scratch, t, q, v, a, out):
    """out = inverse dynamics - applied forces; zero where (q, v, a) obeys the equations of motion.

    Rows of prescribed coordinates are zero.
    """
    applied_forces(system, scratch, t, q, v, scratch.force)
    scratch.inverse(system.model, scratch.own, q, v, a, scratch.wrench, out)
    for k in range(out.shape[0]):
        out[k] -= scratch.force[k]
    for k in range(system.motion_v.shape[0]):
        out[system.motion_v[k]] = scratch.zero


@kernel
def acceleration(system, scratch, t, q, v, a):
    """a(t, q, v) by forward dynamics; prescribed entries of q and v are overwritten with their motion."""
    prescribe(system, t, q, v, a)
    applied_forces(system, scratch, t, q, v, scratch.force)
    system.forward(system.model, scratch.own, q, v, scratch.force, scratch.wrench, a)


@kernel
def mass_part(system, scratch, q, v, M):
    """Mass matrix at the configuration q; rows and columns of prescribed coordinates are those of the unit matrix."""
    n = v.shape[0]
    system.mass(system.model, scratch.work, q, v, M)
    for k in range(system.motion_v.shape[0]):
        p = system.motion_v[k]
        for j in range(n):
            M[j, p] = 0.0
            M[p, j] = 0.0
        M[p, p] = 1.0


@kernel
def linear_parts(system, scratch, scratch_c, t, q, v, a, M, C, K):
    """Mass matrix and exact derivatives C = dr/dv, K = dr/du of the residual at (q, v, a), entry [row, coordinate]."""
    n = v.shape[0]
    mass_part(system, scratch, q, v, M)
    for k in range(q.shape[0]):
        scratch_c.q[k] = q[k]
    for k in range(n):
        scratch_c.v[k] = v[k]
        scratch_c.a[k] = a[k]
    h = STEP * 1j
    for k in range(n):
        tangent_step(system.model, k, scratch_c.q, h)
        residual(system, scratch_c, t, scratch_c.q, scratch_c.v, scratch_c.a, scratch_c.residual)
        make_real(system.model, k, scratch_c.q)
        for j in range(n):
            K[j, k] = scratch_c.residual[j].imag / STEP
    for k in range(n):
        scratch_c.v[k] += h
        residual(system, scratch_c, t, scratch_c.q, scratch_c.v, scratch_c.a, scratch_c.residual)
        scratch_c.v[k] = scratch_c.v[k].real
        for j in range(n):
            C[j, k] = scratch_c.residual[j].imag / STEP
    for k in range(system.motion_v.shape[0]):
        p = system.motion_v[k]
        for j in range(n):
            C[j, p] = 0.0
            K[j, p] = 0.0
