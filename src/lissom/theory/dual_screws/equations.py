"""The equations of motion, assembled from projection matrices and link inertias: forces, mass matrix, wrenches.

Each function comes for numbers of one kind, real or dual (see `recursion`), and is wrapped once per form of the
theory. The wrappers take what lissom's integrators hand to its own inverse and forward dynamics, so that a formulation
runs in the same compiled loop.
"""

from __future__ import annotations

import numpy as np

from lissom.kernel.algebra import add, compose, cross, matrix, rotate, store_matrix, store_vector, vector
from lissom.kernel.jit import kernel
from lissom.kernel.mass_matrix import factorise, solve_factorised
from lissom.kernel.passive import passive_forces
from lissom.theory.dual_screws.recursion import EPS, LINEAR, NONLINEAR, PRINTED, link_inertia, project


@kernel
def dual_state(model, q, v, qh, vh):
    """Complex copies of a state whose elastic parts are dual."""
    for k in range(q.shape[0]):
        qh[k] = q[k]
    for k in range(v.shape[0]):
        vh[k] = v[k]
    for i in range(1, model.parent.shape[0]):
        for k in range(model.modes[i]):
            at = model.modes_q[i] + k
            qh[at] = EPS * 1j * q[at]
            at = model.modes_v[i] + k
            vh[at] = EPS * 1j * v[at]


@kernel
def forces(model, q, v, a, wrench, form, tau, W):
    """Generalised inertia and elastic forces less gravity, tau (nv,), at accelerations a, less the external wrenches.

    W (n, 6): wrench of the parent on every body, at its origin in its axes.
    """
    n = model.parent.shape[0]
    nv = v.shape[0]
    m = model.modal_mass.shape[1]
    R = np.zeros((n, 3, 3), q.dtype)
    p = np.zeros((n, 3), q.dtype)
    omega = np.zeros((n, 3), q.dtype)
    gamma = np.zeros((n, 6), q.dtype)
    P = np.zeros((n, 6, nv), q.dtype)
    S = np.zeros((6, m), q.dtype)
    extra = model.short_weight.shape[0]
    D = np.empty((m + 6, m + 6), q.dtype)
    bias = np.empty(m + 6, q.dtype)
    c = np.empty((m + extra, 12), q.dtype)
    pulls = np.empty(m, q.dtype)
    moments = np.empty((2, 12), q.dtype)
    z = np.empty(m + 6, q.dtype)
    project(model, q, v, form, R, p, omega, gamma, P, S)
    for k in range(nv):
        tau[k] = 0.0
    for i in range(1, n):
        link_inertia(model, i, q, v, omega[i], form, D, bias, c, pulls, moments)
        count = model.modes[i]
        modes = model.modes_v[i]
        last = model.joint_v[i] + model.dofs[i]
        for j in range(count):
            z[j] = a[modes + j]
        for row in range(6):
            total = gamma[i, row]
            for k in range(last):
                total += P[i, row, k] * a[k]
            z[count + row] = total
        for row in range(count + 6):
            total = bias[row]
            for k in range(count + 6):
                total += D[row, k] * z[k]
            if row < count:
                tau[modes + row] += total
            else:
                W[i, row - count] = total - wrench[i, row - count]
        for k in range(last):
            for row in range(6):
                tau[k] += P[i, row, k] * W[i, row]
    for k in range(6):
        W[0, k] = 0.0
    for back in range(1, n):
        i = n - back
        up = model.parent[i]
        push = rotate(matrix(R[i]), vector(W[i, 3:6]))
        torque = add(rotate(matrix(R[i]), vector(W[i, 0:3])), cross(vector(p[i]), push))
        store_vector(W[up, 0:3], add(vector(W[up, 0:3]), torque))
        store_vector(W[up, 3:6], add(vector(W[up, 3:6]), push))


@kernel
def mass(model, q, v, form, M, c):
    """Mass matrix M (nv, nv), (112), and the other forces c (nv,): M du/dt + c = tau."""
    n = model.parent.shape[0]
    nv = v.shape[0]
    m = model.modal_mass.shape[1]
    R = np.zeros((n, 3, 3), q.dtype)
    p = np.zeros((n, 3), q.dtype)
    omega = np.zeros((n, 3), q.dtype)
    gamma = np.zeros((n, 6), q.dtype)
    P = np.zeros((n, 6, nv), q.dtype)
    S = np.zeros((6, m), q.dtype)
    extra = model.short_weight.shape[0]
    D = np.empty((m + 6, m + 6), q.dtype)
    bias = np.empty(m + 6, q.dtype)
    coupling = np.empty((m + extra, 12), q.dtype)
    pulls = np.empty(m, q.dtype)
    moments = np.empty((2, 12), q.dtype)
    DP = np.empty(m + 6, q.dtype)
    project(model, q, v, form, R, p, omega, gamma, P, S)
    for row in range(nv):
        c[row] = 0.0
        for k in range(nv):
            M[row, k] = 0.0
    for i in range(1, n):
        link_inertia(model, i, q, v, omega[i], form, D, bias, coupling, pulls, moments)
        count = model.modes[i]
        modes = model.modes_v[i]
        last = model.joint_v[i] + model.dofs[i]
        for row in range(count + 6):
            total = bias[row]
            for k in range(6):
                total += D[row, count + k] * gamma[i, k]
            DP[row] = total
        for j in range(count):
            c[modes + j] += DP[j]
        for k in range(last):
            for row in range(6):
                c[k] += P[i, row, k] * DP[count + row]
        for k in range(last):
            for row in range(count + 6):
                total = DP[row] * 0.0
                for s in range(6):
                    total += D[row, count + s] * P[i, s, k]
                DP[row] = total
            for j in range(count):
                M[modes + j, k] += DP[j]
                M[k, modes + j] += DP[j]
            for other in range(k + 1):
                total = DP[0] * 0.0
                for s in range(6):
                    total += P[i, s, other] * DP[count + s]
                M[k, other] += total
                if other < k:
                    M[other, k] += total
        for j in range(count):
            for k in range(count):
                M[modes + j, modes + k] += D[j, k]


@kernel
def joint_forces(model, q, v, a, tau):
    """Add what joints and rotors themselves resist with: passive forces, armatures, rotors."""
    force = np.zeros(v.shape[0])
    passive_forces(model, q, v, force)
    for k in range(v.shape[0]):
        tau[k] += model.armature[k] * a[k] - force[k]
    for k in range(model.rotor_v.shape[0]):
        tau[model.rotor_v[k]] += model.rotor_inertia[k] * a[model.rotor_v[k]]


@kernel
def dual_inverse(model, q, v, a, wrench, form, tau, W):
    """`forces` of the linear model, real and dual part together."""
    qh = np.empty(q.shape[0], np.complex128)
    vh = np.empty(v.shape[0], np.complex128)
    tauh = np.empty(v.shape[0], np.complex128)
    Wh = np.empty(W.shape, np.complex128)
    dual_state(model, q, v, qh, vh)
    forces(model, qh, vh, a, wrench, form, tauh, Wh)
    for k in range(v.shape[0]):
        tau[k] = tauh[k].real + tauh[k].imag / EPS
    for i in range(W.shape[0]):
        for k in range(6):
            W[i, k] = Wh[i, k].real + Wh[i, k].imag / EPS
    joint_forces(model, q, v, a, tau)


@kernel
def real_inverse(model, q, v, a, wrench, tau, W):
    """`forces` of the nonlinear model."""
    forces(model, q, v, a, wrench, NONLINEAR, tau, W)
    joint_forces(model, q, v, a, tau)


@kernel
def dual_mass(model, q, v, form, M, c):
    """`mass` of the linear model: M = M_0 + M_1(eta), real and dual part together."""
    n = v.shape[0]
    qh = np.empty(q.shape[0], np.complex128)
    vh = np.empty(n, np.complex128)
    Mh = np.empty((n, n), np.complex128)
    ch = np.empty(n, np.complex128)
    dual_state(model, q, v, qh, vh)
    mass(model, qh, vh, form, Mh, ch)
    for row in range(n):
        c[row] = ch[row].real + ch[row].imag / EPS
        for k in range(n):
            M[row, k] = Mh[row, k].real + Mh[row, k].imag / EPS
    add_joints(model, q, v, M, c)


@kernel
def real_mass(model, q, v, M, c):
    """`mass` of the nonlinear model."""
    mass(model, q, v, NONLINEAR, M, c)
    add_joints(model, q, v, M, c)


@kernel
def add_joints(model, q, v, M, c):
    joint_forces(model, q, v, np.zeros(v.shape[0]), c)
    for k in range(v.shape[0]):
        M[k, k] += model.armature[k]
    for k in range(model.rotor_v.shape[0]):
        M[model.rotor_v[k], model.rotor_v[k]] += model.rotor_inertia[k]


@kernel
def solve(model, M, c, tau, a):
    """a = M^-1 (tau - c); not a number where M is not positive definite."""
    n = c.shape[0]
    right = np.empty((1, n))
    for k in range(n):
        right[0, k] = tau[k] - c[k]
    factorise(M, model.prescribed, n)
    solve_factorised(M, right, n)
    for k in range(n):
        a[k] = right[0, k]


@kernel
def frames(model, q, v, form, R, p, P):
    """World poses (n, 3, 3), (n, 3) of all bodies, and their projection matrices (n, 6, nv), in numbers of one kind."""
    n = model.parent.shape[0]
    omega = np.zeros((n, 3), q.dtype)
    gamma = np.zeros((n, 6), q.dtype)
    S = np.zeros((6, model.modal_mass.shape[1]), q.dtype)
    project(model, q, v, form, R, p, omega, gamma, P, S)
    for k in range(3):
        R[0, k, k] = 1.0
    for i in range(1, n):
        up = matrix(R[model.parent[i]])
        store_vector(p[i], add(vector(p[model.parent[i]]), rotate(up, vector(p[i]))))
        store_matrix(R[i], compose(up, matrix(R[i])))


# As lissom's integrators call them: inverse(model, work, q, v, a, wrench, tau), forward(model, work, q, v, tau,
# wrench, a). The workspace is the kernel's own and stays unused.


@kernel
def linear_inverse(model, work, q, v, a, wrench, tau):
    dual_inverse(model, q, v, a, wrench, LINEAR, tau, np.empty((model.parent.shape[0], 6)))


@kernel
def printed_inverse(model, work, q, v, a, wrench, tau):
    dual_inverse(model, q, v, a, wrench, PRINTED, tau, np.empty((model.parent.shape[0], 6)))


@kernel
def nonlinear_inverse(model, work, q, v, a, wrench, tau):
    real_inverse(model, q, v, a, wrench, tau, np.empty((model.parent.shape[0], 6)))


@kernel
def linear_forward(model, work, q, v, tau, wrench, a):
    M = np.empty((v.shape[0], v.shape[0]))
    c = np.empty(v.shape[0])
    dual_mass(model, q, v, LINEAR, M, c)
    solve(model, M, c, tau, a)


@kernel
def printed_forward(model, work, q, v, tau, wrench, a):
    M = np.empty((v.shape[0], v.shape[0]))
    c = np.empty(v.shape[0])
    dual_mass(model, q, v, PRINTED, M, c)
    solve(model, M, c, tau, a)


@kernel
def nonlinear_forward(model, work, q, v, tau, wrench, a):
    M = np.empty((v.shape[0], v.shape[0]))
    c = np.empty(v.shape[0])
    real_mass(model, q, v, M, c)
    solve(model, M, c, tau, a)
