"""The closed loop as integrators see it: r(t, q, v, a) = inverse dynamics - applied forces = 0, and a(t, q, v).

Positions are stepped in a chart: q = base (+) u with u = 0 at the start of a step, so that every integrator works on
plain vectors (u, v) of size nv while quaternions stay on their group.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import arctan2, sqrt

from lissom.control.kernel import control_forces, evaluate
from lissom.kernel.algebra import quaternion_matrix, rotate, rotate_back
from lissom.kernel.derivatives import STEP, make_real, tangent_step
from lissom.kernel.forward import forward_dynamics
from lissom.kernel.inverse import inverse_dynamics
from lissom.kernel.jit import inline, kernel
from lissom.kernel.mass_matrix import mass_matrix
from lissom.kernel.pointer import Pointer
from lissom.kernel.struct import Struct
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
    inverse: Any  # Pointer to inverse_dynamics
    work: Any  # WorkspaceStruct of the model
    q: np.ndarray  # (nq,)
    v: np.ndarray  # (nv,)
    a: np.ndarray  # (nv,)
    force: np.ndarray  # (nv,) applied forces
    residual: np.ndarray  # (nv,)
    wrench: np.ndarray  # (n, 6) external wrenches: none
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


KERNEL = Dynamics(inverse_dynamics, forward_dynamics)


def make_scratch(model: Model, twin: Model, number: type, dynamics: Dynamics = KERNEL) -> Any:
    """Scratch for a model and its twin in the number type; `dynamics` are the model's equations of motion."""

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, number)

    work, wrench, q, v = (
        model.workspace(number),
        zeros(len(model.bodies) + 1, 6),
        zeros(model.nq),
        zeros(model.nv),
    )
    scratch = Scratch(
        zero=number(0),
        inverse=Pointer(dynamics.inverse, model.struct, work, q, v, v, wrench, v),
        work=work,
        q=q,
        v=v,
        a=zeros(model.nv),
        force=zeros(model.nv),
        residual=zeros(model.nv),
        wrench=wrench,
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
    wrench = np.zeros((len(model.bodies) + 1, 6))
    return {
        "forward": Pointer(dynamics.forward, model.struct, work, q, v, v, wrench, v),
        "mass": Pointer(mass_matrix, model.struct, work, q, v, M),
    }


@inline
def half_turn(z):
    """cos(x/2) and sin(x/2)/x of z = x^2, by their series: exact to rounding for steps below two radians."""
    c = 1.0 + z * (-1 / 8 + z * (1 / 384 + z * (-1 / 46080 + z * (1 / 10321920 - z / 3715891200))))
    s = 0.5 + z * (-1 / 48 + z * (1 / 3840 + z * (-1 / 645120 + z * (1 / 185794560 - z / 81749606400))))
    return c, s


@kernel
def move(model, base, u, q):
    """q = base (+) u: plain coordinates add, quaternions turn about body axes, floating bodies glide along them."""
    for k in range(u.shape[0]):
        axis = model.tangent_axis[k]
        at = model.tangent_q[k]
        if axis < 0:
            q[at] = base[at] + u[k]
        elif axis == 0:
            x = u[k]
            y = u[k + 1]
            z = u[k + 2]
            c, s = half_turn(x * x + y * y + z * z)
            w0 = base[at]
            x0 = base[at + 1]
            y0 = base[at + 2]
            z0 = base[at + 3]
            q[at] = c * w0 - s * (x0 * x + y0 * y + z0 * z)
            q[at + 1] = c * x0 + s * (w0 * x + y0 * z - z0 * y)
            q[at + 2] = c * y0 + s * (w0 * y + z0 * x - x0 * z)
            q[at + 3] = c * z0 + s * (w0 * z + x0 * y - y0 * x)
        elif axis == 3:
            R = quaternion_matrix(base[at], base[at + 1], base[at + 2], base[at + 3])
            glide = rotate(R, (u[k], u[k + 1], u[k + 2]))
            for c in range(3):
                q[at + 4 + c] = base[at + 4 + c] + glide[c]


@kernel
def chart_rate(model, u, v, rate):
    """du/dt at chart position u: v itself but for group joints, where turns do not commute."""
    for k in range(u.shape[0]):
        axis = model.tangent_axis[k]
        if axis < 0:
            rate[k] = v[k]
        elif axis == 0:
            # inverse of the right Jacobian: w + u x w / 2 + c u x (u x w), c = 1/12 + |u|^2 / 720 + ...
            x = u[k]
            y = u[k + 1]
            z = u[k + 2]
            z2 = x * x + y * y + z * z
            c = 1 / 12 + z2 * (1 / 720 + z2 * (1 / 30240 + z2 / 1209600))
            a = y * v[k + 2] - z * v[k + 1]
            b = z * v[k] - x * v[k + 2]
            d = x * v[k + 1] - y * v[k]
            rate[k] = v[k] + 0.5 * a + c * (y * d - z * b)
            rate[k + 1] = v[k + 1] + 0.5 * b + c * (z * a - x * d)
            rate[k + 2] = v[k + 2] + 0.5 * d + c * (x * b - y * a)
        elif axis == 3:
            # the glide is written in the axes at the start of the step: exp(turn) v
            x = u[k - 3]
            y = u[k - 2]
            z = u[k - 1]
            c, s = half_turn(x * x + y * y + z * z)
            a = y * v[k + 2] - z * v[k + 1]
            b = z * v[k] - x * v[k + 2]
            d = x * v[k + 1] - y * v[k]
            rate[k] = v[k] + 2.0 * s * (c * a + s * (y * d - z * b))
            rate[k + 1] = v[k + 1] + 2.0 * s * (c * b + s * (z * a - x * d))
            rate[k + 2] = v[k + 2] + 2.0 * s * (c * d + s * (x * b - y * a))


@kernel
def chart_velocity(model, u, rate, v):
    """The velocity whose chart rate at position u is `rate`: the inverse of `chart_rate`."""
    for k in range(u.shape[0]):
        axis = model.tangent_axis[k]
        if axis < 0:
            v[k] = rate[k]
        elif axis == 0:
            # the right Jacobian: w - b u x w + c u x (u x w), b = (1 - cos x)/x^2, c = (x - sin x)/x^3
            x = u[k]
            y = u[k + 1]
            z = u[k + 2]
            z2 = x * x + y * y + z * z
            s = half_turn(z2)[1]
            c = 1 / 6 + z2 * (-1 / 120 + z2 * (1 / 5040 + z2 * (-1 / 362880 + z2 * (1 / 39916800 - z2 / 6227020800))))
            a = y * rate[k + 2] - z * rate[k + 1]
            b = z * rate[k] - x * rate[k + 2]
            d = x * rate[k + 1] - y * rate[k]
            v[k] = rate[k] - 2.0 * s * s * a + c * (y * d - z * b)
            v[k + 1] = rate[k + 1] - 2.0 * s * s * b + c * (z * a - x * d)
            v[k + 2] = rate[k + 2] - 2.0 * s * s * d + c * (x * b - y * a)
        elif axis == 3:
            x = -u[k - 3]
            y = -u[k - 2]
            z = -u[k - 1]
            c, s = half_turn(x * x + y * y + z * z)
            a = y * rate[k + 2] - z * rate[k + 1]
            b = z * rate[k] - x * rate[k + 2]
            d = x * rate[k + 1] - y * rate[k]
            v[k] = rate[k] + 2.0 * s * (c * a + s * (y * d - z * b))
            v[k + 1] = rate[k + 1] + 2.0 * s * (c * b + s * (z * a - x * d))
            v[k + 2] = rate[k + 2] + 2.0 * s * (c * d + s * (x * b - y * a))


@kernel
def configuration_rate(model, q, v, rate):
    """dq/dt: plain coordinates follow v, quaternions q (0, omega) / 2, floating bodies R v."""
    for k in range(v.shape[0]):
        axis = model.tangent_axis[k]
        at = model.tangent_q[k]
        if axis < 0:
            rate[at] = v[k]
        elif axis == 0:
            w = q[at]
            x = q[at + 1]
            y = q[at + 2]
            z = q[at + 3]
            rate[at] = -0.5 * (x * v[k] + y * v[k + 1] + z * v[k + 2])
            rate[at + 1] = 0.5 * (w * v[k] + y * v[k + 2] - z * v[k + 1])
            rate[at + 2] = 0.5 * (w * v[k + 1] + z * v[k] - x * v[k + 2])
            rate[at + 3] = 0.5 * (w * v[k + 2] + x * v[k + 1] - y * v[k])
        elif axis == 3:
            R = quaternion_matrix(q[at], q[at + 1], q[at + 2], q[at + 3])
            velocity = rotate(R, (v[k], v[k + 1], v[k + 2]))
            for c in range(3):
                rate[at + 4 + c] = velocity[c]


@kernel
def difference(model, base, q, u):
    """The chart position u of `q`: base (+) u = q, for turns below half a revolution."""
    for k in range(u.shape[0]):
        axis = model.tangent_axis[k]
        at = model.tangent_q[k]
        if axis < 0:
            u[k] = q[at] - base[at]
        elif axis == 0:
            w0 = base[at]
            x0 = base[at + 1]
            y0 = base[at + 2]
            z0 = base[at + 3]
            w = w0 * q[at] + x0 * q[at + 1] + y0 * q[at + 2] + z0 * q[at + 3]
            x = w0 * q[at + 1] - x0 * q[at] - y0 * q[at + 3] + z0 * q[at + 2]
            y = w0 * q[at + 2] - y0 * q[at] - z0 * q[at + 1] + x0 * q[at + 3]
            z = w0 * q[at + 3] - z0 * q[at] - x0 * q[at + 2] + y0 * q[at + 1]
            sine = sqrt(x * x + y * y + z * z)
            f = 2.0 * arctan2(sine, w) / sine if sine > 1e-12 else 2.0
            u[k] = f * x
            u[k + 1] = f * y
            u[k + 2] = f * z
        elif axis == 3:
            R = quaternion_matrix(base[at], base[at + 1], base[at + 2], base[at + 3])
            moved = (q[at + 4] - base[at + 4], q[at + 5] - base[at + 5], q[at + 6] - base[at + 6])
            glide = rotate_back(R, moved)
            for c in range(3):
                u[k + c] = glide[c]


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
    scratch.inverse(system.model, scratch.work, q, v, a, scratch.wrench, out)
    for k in range(out.shape[0]):
        out[k] -= scratch.force[k]
    for k in range(system.motion_v.shape[0]):
        out[system.motion_v[k]] = scratch.zero


@kernel
def acceleration(system, scratch, t, q, v, a):
    """a(t, q, v) by forward dynamics; prescribed entries of q and v are overwritten with their motion."""
    prescribe(system, t, q, v, a)
    applied_forces(system, scratch, t, q, v, scratch.force)
    system.forward(system.model, scratch.work, q, v, scratch.force, scratch.wrench, a)


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
