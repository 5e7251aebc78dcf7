"""Exact derivatives by the complex step: a state moved by i h, h = 1e-40, shows its derivative in the imaginary part.

No subtraction takes place, so the derivative is as accurate as the function itself.
"""

from __future__ import annotations

from lissom.kernel.forward import forward_dynamics
from lissom.kernel.inverse import inverse_dynamics
from lissom.kernel.machine import inline, kernel
from lissom.kernel.mass_matrix import factorise, mass_matrix, solve_factorised

STEP = 1e-40


@inline
def quaternion_step(q, at, axis, h):
    """q <- q * (1, h/2 e_axis): a small turn about a body axis."""
    w = q[at]
    x = q[at + 1]
    y = q[at + 2]
    z = q[at + 3]
    h = 0.5 * h
    if axis == 0:
        q[at] -= h * x
        q[at + 1] += h * w
        q[at + 2] += h * z
        q[at + 3] -= h * y
    elif axis == 1:
        q[at] -= h * y
        q[at + 1] -= h * z
        q[at + 2] += h * w
        q[at + 3] += h * x
    else:
        q[at] -= h * z
        q[at + 1] += h * y
        q[at + 2] -= h * x
        q[at + 3] += h * w


@inline
def glide_step(q, at, axis, h):
    """Move a floating body along its own axis: position += R(q) h e_axis."""
    w = q[at].real
    x = q[at + 1].real
    y = q[at + 2].real
    z = q[at + 3].real
    if axis == 0:
        column = (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y))
    elif axis == 1:
        column = (2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x))
    else:
        column = (2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y))
    for k in range(3):
        q[at + 4 + k] += h * column[k]


@kernel
def tangent_step(model, k, q, h):
    """Move `q` by `h` along velocity coordinate k."""
    at = model.velocities.coordinate[k]
    axis = model.velocities.group_axis[k]
    if axis < 0:
        q[at] += h
    elif axis < 3:
        quaternion_step(q, at, axis, h)
    else:
        glide_step(q, at, axis - 3, h)


@inline
def make_real(model, k, q):
    """Take back a complex step along velocity coordinate k."""
    at = model.velocities.coordinate[k]
    axis = model.velocities.group_axis[k]
    first = at if axis < 3 else at + 4
    last = at + 1 if axis < 0 else at + 4 if axis < 3 else at + 7
    for c in range(first, last):
        q[c] = q[c].real


@kernel
def inverse_derivatives(model, work, q, v, qdd, wrench, tau, dq, dv):
    """Rows k of `dq`, `dv` (nv, nv): derivative of the inverse dynamics along configuration and velocity k.

    All arrays but dq and dv are complex; q, v, qdd hold real values on entry and on return.
    """
    h = STEP * 1j
    n = v.shape[0]
    for k in range(n):
        tangent_step(model, k, q, h)
        inverse_dynamics(model, work, q, v, qdd, wrench, tau)
        make_real(model, k, q)
        for j in range(n):
            dq[k, j] = tau[j].imag / STEP
    for k in range(n):
        v[k] += h
        inverse_dynamics(model, work, q, v, qdd, wrench, tau)
        v[k] = v[k].real
        for j in range(n):
            dv[k, j] = tau[j].imag / STEP


@kernel
def forward_derivatives(model, work, work_c, q, v, tau, wrench, q_c, v_c, a_c, wrench_c, tau_c, qdd, L, dq, dv, dtau):
    """Accelerations `qdd` and their derivatives; row k of dq, dv, dtau belongs to coordinate k.

    d qdd = M^-1 (d tau - d ID(q, v, qdd)): the complex step runs on the cheaper inverse dynamics.
    """
    n = v.shape[0]
    forward_dynamics(model, work, q, v, tau, wrench, qdd)
    mass_matrix(model, work, q, v, L)
    factorise(L, model.velocities.prescribed, n)
    for k in range(q.shape[0]):
        q_c[k] = q[k]
    for k in range(n):
        v_c[k] = v[k]
        a_c[k] = qdd[k]
    for i in range(wrench.shape[0]):
        for k in range(6):
            wrench_c[i, k] = wrench[i, k]
    inverse_derivatives(model, work_c, q_c, v_c, a_c, wrench_c, tau_c, dq, dv)
    for row in range(n):
        for column in range(n):
            free = 0.0 if model.velocities.prescribed[column] == 1 else 1.0
            dq[row, column] = -dq[row, column] * free
            dv[row, column] = -dv[row, column] * free
            dtau[row, column] = free if row == column else 0.0
    solve_factorised(L, dq, n)
    solve_factorised(L, dv, n)
    solve_factorised(L, dtau, n)
