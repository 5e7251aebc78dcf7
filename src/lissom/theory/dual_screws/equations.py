"""Kane's equations of a tree of rigid and elastic links, by projection matrices: forces, mass matrix, wrenches.

Inertia and applied wrenches of the links, projected on the columns of P_i, are the equations of motion, (109)-(112):

    sum_i P_i^T (D_i (P_i du/dt + dP_i/dt u) + b_i) = tau

`forces` and `mass` come for numbers of one kind, real or dual (see `orders`); `compiled` hands them to integrators.
"""

from __future__ import annotations

import numpy as np

from lissom.kernel.compile import inline, kernel
from lissom.kernel.maths.algebra import add, cross, matrix, rotate, store_vector, vector
from lissom.theory.dual_screws.inertia import link_inertia


@inline
def link_memory(model, q):
    """D, bias, coupling, pulls, moments that `link_inertia` fills."""
    m = model.inertia.modal_mass.shape[1]
    D = np.empty((m + 6, m + 6), q.dtype)
    bias = np.empty(m + 6, q.dtype)
    coupling = np.empty((m + model.foreshortening.weight.shape[0], 12), q.dtype)
    pulls = np.empty(m, q.dtype)
    moments = np.empty((2, 12), q.dtype)
    return D, bias, coupling, pulls, moments


@inline
def response(D, bias, z, size, out):
    """D z + bias of a link: forces of its modes, wrench on it."""
    for row in range(size):
        total = bias[row]
        for k in range(size):
            total += D[row, k] * z[k]
        out[row] = total


@inline
def project(model, i, P, f, tau):
    """Add P_i^T f to tau: forces f of the modes of link i, and the wrench on it, through all that move it."""
    count = model.tree.modes[i]
    for j in range(count):
        tau[model.tree.modes_v[i] + j] += f[j]
    for k in range(model.tree.joint_v[i] + model.joints.dofs[i]):
        for row in range(6):
            tau[k] += P[i, row, k] * f[count + row]


@kernel
def forces(model, q, v, a, wrench, moving, printed, turning, tau, W):
    """Generalised inertia and elastic forces less gravity, tau (nv,), at accelerations a, less the external wrenches.

    W (n, 6): wrench of the parent on every body, at its origin in its axes.
    """
    n = model.tree.parent.shape[0]
    P = moving.P
    D, bias, coupling, pulls, moments = link_memory(model, q)
    z = np.empty(bias.shape[0], q.dtype)
    f = np.empty(bias.shape[0], q.dtype)
    tau[:] = 0.0
    for i in range(1, n):
        link_inertia(model, i, q, v, moving.omega[i], printed, turning, D, bias, coupling, pulls, moments)
        count = model.tree.modes[i]
        modes = model.tree.modes_v[i]
        last = model.tree.joint_v[i] + model.joints.dofs[i]
        # link accelerations z = (modes, P a + gamma), and D z + bias less the load on the body
        for j in range(count):
            z[j] = a[modes + j]
        for row in range(6):
            total = moving.gamma[i, row]
            for k in range(last):
                total += P[i, row, k] * a[k]
            z[count + row] = total
        response(D, bias, z, count + 6, f)
        for row in range(6):
            f[count + row] -= wrench[i, row]
            W[i, row] = f[count + row]
        project(model, i, P, f, tau)
    # tip to base: wrenches of the children, moved to the parent's origin and axes
    W[0, :] = 0.0
    for back in range(1, n):
        i = n - back
        up = model.tree.parent[i]
        R = matrix(moving.R[i])
        push = rotate(R, vector(W[i, 3:6]))
        torque = add(rotate(R, vector(W[i, 0:3])), cross(vector(moving.p[i]), push))
        store_vector(W[up, 0:3], add(vector(W[up, 0:3]), torque))
        store_vector(W[up, 3:6], add(vector(W[up, 3:6]), push))


@kernel
def mass(model, q, v, moving, printed, turning, M, c):
    """Mass matrix M (nv, nv), (112), and the other forces c (nv,): M du/dt + c = tau."""
    n = model.tree.parent.shape[0]
    P = moving.P
    D, bias, coupling, pulls, moments = link_memory(model, q)
    z = np.empty(bias.shape[0], q.dtype)
    DP = np.empty(bias.shape[0], q.dtype)
    c[:] = 0.0
    M[:] = 0.0
    for i in range(1, n):
        link_inertia(model, i, q, v, moving.omega[i], printed, turning, D, bias, coupling, pulls, moments)
        count = model.tree.modes[i]
        modes = model.tree.modes_v[i]
        last = model.tree.joint_v[i] + model.joints.dofs[i]
        # c: the link's forces at accelerations zero, projected
        for j in range(count):
            z[j] = 0.0
        for row in range(6):
            z[count + row] = moving.gamma[i, row]
        response(D, bias, z, count + 6, DP)
        project(model, i, P, DP, c)
        # M = sum P^T D P: columns of D P, then their products with P
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
