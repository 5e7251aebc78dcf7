"""Exact derivatives by the complex step: a state moved by i h, h = 1e-40, shows its derivative in the imaginary part.

No subtraction takes place, so the derivative is as accurate as the function itself.
"""

from __future__ import annotations

from lissom.kernel.algorithms.articulated_body import forward_dynamics
from lissom.kernel.algorithms.composite_body import factorise, mass_matrix, solve_factorised
from lissom.kernel.algorithms.newton_euler import inverse_dynamics
from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.arrays import FIRST_ORDER
from lissom.kernel.maths.algebra import add, quaternion_matrix, rotate, store_vector, vector
from lissom.kernel.maths.chart import product, quaternion, store_quaternion

STEP = 1e-40  # nothing is subtracted, so no digits are lost; its square vanishes beside every real part


@inline
def along(axis, h):
    """Return h e_axis."""
    zero = 0.0 * h
    return (h if axis == 0 else zero, h if axis == 1 else zero, h if axis == 2 else zero)


@kernel
def tangent_step(model, k, q, h):
    """Move `q` by `h` along velocity coordinate k."""
    at = model.velocities.coordinate[k]
    axis = model.velocities.group_axis[k]
    if axis == -1:
        q[at] += h
    elif axis < 0:
        return
    elif axis < 3:
        w, p = quaternion(q[at:])
        dw, dp = product(w, p, 0.0, along(axis, 0.5 * h))
        store_quaternion(q[at:], w + dw, add(p, dp))
    else:
        R = quaternion_matrix(q[at].real, q[at + 1].real, q[at + 2].real, q[at + 3].real)
        store_vector(q[at + 4 :], add(vector(q[at + 4 :]), rotate(R, along(axis - 3, h))))


@inline
def make_real(model, k, q):
    """Take back a complex step along velocity coordinate k."""
    at = model.velocities.coordinate[k]
    axis = model.velocities.group_axis[k]
    if axis == FIRST_ORDER:
        return
    first = at if axis < 3 else at + 4
    last = at + 1 if axis < 0 else at + 4 if axis < 3 else at + 7
    for c in range(first, last):
        q[c] = q[c].real


@kernel
def inverse_derivatives(model, work, q, v, qdd, wrench, tau, dq, dv):
    """Compute rows k of `dq`, `dv` (nv, nv): derivative of the inverse dynamics along configuration and velocity k.

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
    """Compute the accelerations `qdd` and their derivatives; row k of dq, dv, dtau belongs to coordinate k.

    d qdd = M^-1 (d tau - d ID(q, v, qdd)): the complex step runs on the cheaper inverse dynamics.
    """
    n = v.shape[0]
    forward_dynamics(model, work, q, v, tau, wrench, qdd)
    mass_matrix(model, work, q, v, L)
    factorise(L, model.velocities.prescribed, n)
    # the state as complex numbers
    for k in range(q.shape[0]):
        q_c[k] = q[k]
    for k in range(n):
        v_c[k] = v[k]
        a_c[k] = qdd[k]
    for i in range(wrench.shape[0]):
        for k in range(6):
            wrench_c[i, k] = wrench[i, k]
    inverse_derivatives(model, work_c, q_c, v_c, a_c, wrench_c, tau_c, dq, dv)
    # right-hand sides; a prescribed coordinate does not accelerate
    for row in range(n):
        for column in range(n):
            free = 0.0 if model.velocities.prescribed[column] == 1 else 1.0
            dq[row, column] = -dq[row, column] * free
            dv[row, column] = -dv[row, column] * free
            dtau[row, column] = free if row == column else 0.0
    solve_factorised(L, dq, n)
    solve_factorised(L, dv, n)
    solve_factorised(L, dtau, n)
