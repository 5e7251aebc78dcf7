"""The recursions: frames from base to tip, inertia coefficients and remainders from tip to base.

    W_j = W_i S A_j          i the parent, S the section of it that carries j (the paper's E), A_j the joint

A point of link j is W_j S_k (d, 1): station k of the link, at the offset d. With the pseudo-inertias of the link

    B3 = sum_k S_k m_k S_k^T,    B2 = sum_k S_k m_k Sd_k^T,    B1 = sum_k Sd_k m_k Sd_k^T,    m_k = int (d,1)(d,1)^T dm

its kinetic energy is 1/2 Tr(Wd B3 Wd^T + 2 Wd B2 W^T + W B1 W^T). Lagrange's equations need, for every coordinate,
the trace of dW_j/dq with the second moments of mass times acceleration of all that moves with it:

    D_j = B3 Wdd^T + 2 B2 Wd^T + (sum_k S_k m_k Sdd_k^T) W^T + sum over children (S A D)_child
    F_j = B3 + sum over children of S A F A^T S^T

so a child enters its parent as one more mass on the section it sits on: m_k + A F A^T.
"""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.theory.recursive_lagrange.joints import joint_matrices
from lissom.theory.recursive_lagrange.matrices import (
    add_product,
    add_product_transposed,
    clear,
    copy,
    multiply,
    trace_product,
    trace_product_transposed,
)
from lissom.theory.recursive_lagrange.sections import station_poses


@kernel
def outward(tables, work, q, v, a):
    """W, Wd, Wdd of all bodies at the accelerations a, gravity as an acceleration of the base; columns X = dW/dv.

    Equations: 004 (7)-(9), (11)-(14).
    """
    hat, hat_d, hat_dd = work.scratch[4], work.scratch[5], work.scratch[6]
    for i in range(1, tables.parent.shape[0]):
        up, s = tables.parent[i], tables.attached[i]
        joint_matrices(tables, work, i, q, v, a)
        multiply(work.W[up], work.S[s], hat)
        multiply(work.Wd[up], work.S[s], hat_d)
        add_product(work.W[up], work.Sd[s], 1.0, hat_d)
        multiply(work.Wdd[up], work.S[s], hat_dd)
        add_product(work.Wd[up], work.Sd[s], 2.0, hat_dd)
        add_product(work.W[up], work.Sdd[s], 1.0, hat_dd)
        multiply(hat, work.A[i], work.W[i])
        multiply(hat_d, work.A[i], work.Wd[i])
        add_product(hat, work.Ad[i], 1.0, work.Wd[i])
        multiply(hat_dd, work.A[i], work.Wdd[i])
        add_product(hat_d, work.Ad[i], 2.0, work.Wdd[i])
        add_product(hat, work.Add[i], 1.0, work.Wdd[i])
        for c in range(tables.dofs[i]):
            multiply(hat, work.U[i, c], work.X[i, c])
        station_poses(tables, work, i, q, v, a)


@kernel
def remainders(tables, work, force):
    """Add to `force` (nv,) the inertia forces at the accelerations of the outward pass; D stays in `work`.

    Equations: 004 (43)-(45), (52)-(55).
    """
    load, moment = work.scratch[0], work.scratch[1]
    n = tables.parent.shape[0]
    for i in range(n):
        clear(work.D[i])
    for i in range(n - 1, 0, -1):
        W, D, m, at = work.W[i], work.D[i], tables.modes[i], tables.modes_v[i]
        for s in range(tables.first_station[i], tables.first_station[i + 1]):
            # acceleration of the section, Wdd S + 2 Wd Sd + W Sdd, weighted with its mass
            multiply(work.Wdd[i], work.S[s], moment)
            add_product(work.Wd[i], work.Sd[s], 2.0, moment)
            add_product(W, work.Sdd[s], 1.0, moment)
            multiply(moment, tables.moments[s], load)
            add_product_transposed(work.S[s], load, 1.0, D)
            modal_traces(W, work.dS[s], load, m, force, at)
        for c in range(tables.dofs[i]):
            force[tables.joint_v[i] + c] += trace_product(work.X[i, c], D)
        # hand over to the parent: D seen from the section the body sits on
        up, s = tables.parent[i], tables.attached[i]
        multiply(work.A[i], D, moment)
        add_product(work.S[s], moment, 1.0, work.D[up])
        for r in range(4):
            for c in range(4):
                load[r, c] = moment[c, r]
        modal_traces(work.W[up], work.dS[s], load, tables.modes[up], force, tables.modes_v[up])


@inline
def modal_traces(W, dS, load, m, force, at):
    """force_f += Tr(W dS_f load^T) for every mode f.

    Equations: 004 (43)-(45).
    """
    for r in range(3):
        for c in range(4):
            turned = W[0, r] * load[0, c] + W[1, r] * load[1, c] + W[2, r] * load[2, c]
            for f in range(m):
                force[at + f] += dS[4 * r + c, f] * turned


@kernel
def inertia_coefficients(tables, work, mass):
    """Add the mass matrix (nv, nv) without rotors to `mass`, tip to base, after the outward pass.

    Equations: 004 (48)-(49), (55).
    """
    n = tables.parent.shape[0]
    for s in range(tables.moments.shape[0]):
        copy(tables.moments[s], work.moments[s])
    half, scratch = work.scratch[0], work.scratch[1]
    for i in range(n - 1, 0, -1):
        F, m = work.F[i], tables.modes[i]
        clear(F)
        for f in range(m):
            clear(work.N[f])
            for g in range(m):
                mass[tables.modes_v[i] + f, tables.modes_v[i] + g] = 0.0
        for s in range(tables.first_station[i], tables.first_station[i + 1]):
            multiply(work.S[s], work.moments[s], half)
            add_product_transposed(half, work.S[s], 1.0, F)
            if m > 0:
                modal_coefficients(tables, work, i, s, mass)
        multiply(work.A[i], F, half)
        add_product_transposed(half, work.A[i], 1.0, work.moments[tables.attached[i]])
        # rows of this body: joint coordinates, then modes
        for c in range(tables.dofs[i]):
            multiply(work.X[i, c], F, scratch)
            row = tables.joint_v[i] + c
            for d in range(tables.dofs[i]):
                mass[row, tables.joint_v[i] + d] = trace_product_transposed(scratch, work.X[i, d])
            couple_inboard(tables, work, i, row, scratch, mass)
        for f in range(m):
            multiply(work.W[i], work.N[f], scratch)
            row = tables.modes_v[i] + f
            for d in range(tables.dofs[i]):
                column = tables.joint_v[i] + d
                mass[row, column] = mass[column, row] = trace_product_transposed(scratch, work.X[i, d])
            couple_inboard(tables, work, i, row, scratch, mass)


@inline
def modal_coefficients(tables, work, i, s, mass):
    """Add what station s brings to N_f = sum dS_f m S^T and to the coefficients Tr(W dS_f m dS_g^T W^T) of link i.

    Equations: 004 (50)-(51).
    """
    m, at, W, S, dS, moments = tables.modes[i], tables.modes_v[i], work.W[i], work.S[s], work.dS[s], work.moments[s]
    weighted, turned = work.weighted, work.turned  # (12, m): dS m, and the metric W^T W times it
    for r in range(3):
        for c in range(4):
            for f in range(m):
                weighted[4 * r + c, f] = (
                    dS[4 * r, f] * moments[0, c]
                    + dS[4 * r + 1, f] * moments[1, c]
                    + dS[4 * r + 2, f] * moments[2, c]
                    + dS[4 * r + 3, f] * moments[3, c]
                )
    for r in range(3):
        metric = (
            W[0, r] * W[0, 0] + W[1, r] * W[1, 0] + W[2, r] * W[2, 0],
            W[0, r] * W[0, 1] + W[1, r] * W[1, 1] + W[2, r] * W[2, 1],
            W[0, r] * W[0, 2] + W[1, r] * W[1, 2] + W[2, r] * W[2, 2],
        )
        for c in range(4):
            for f in range(m):
                turned[4 * r + c, f] = (
                    metric[0] * weighted[c, f] + metric[1] * weighted[4 + c, f] + metric[2] * weighted[8 + c, f]
                )
    for entry in range(12):
        for f in range(m):
            left, row = turned[entry, f], mass[at + f]
            for g in range(m):
                row[at + g] += left * dS[entry, g]
    for f in range(m):
        N = work.N[f]
        for r in range(3):
            for c in range(4):
                N[r, c] += (
                    weighted[4 * r, f] * S[c, 0]
                    + weighted[4 * r + 1, f] * S[c, 1]
                    + weighted[4 * r + 2, f] * S[c, 2]
                    + weighted[4 * r + 3, f] * S[c, 3]
                )


@inline
def couple_inboard(tables, work, i, row, Y, mass):
    """Coefficients of one row with every coordinate nearer to the base: Tr(Y dW^T), Y carried inboard.

    Equations: 004 (48)-(51).
    """
    here, there = work.scratch[2], work.scratch[3]
    copy(Y, here)
    j = i
    while tables.parent[j] > 0:
        up, s = tables.parent[j], tables.attached[j]
        clear(there)
        add_product_transposed(here, work.A[j], 1.0, there)  # on the parent's section
        at, m, W = tables.modes_v[up], tables.modes[up], work.W[up]
        for f in range(m):
            mass[row, at + f] = 0.0
        for r in range(3):
            for c in range(4):
                turned = W[0, r] * there[0, c] + W[1, r] * there[1, c] + W[2, r] * there[2, c]
                for f in range(m):
                    mass[row, at + f] += turned * work.dS[s, 4 * r + c, f]
        for f in range(m):
            mass[at + f, row] = mass[row, at + f]
        clear(here)
        add_product_transposed(there, work.S[s], 1.0, here)  # in the parent's frame
        for d in range(tables.dofs[up]):
            column = tables.joint_v[up] + d
            mass[row, column] = mass[column, row] = trace_product_transposed(here, work.X[up, d])
        j = up


@kernel
def link_energies(tables, work, out):
    """Set out = (kinetic, gravity) energy of the links, by the traces with B1, B2, B3; after the outward pass.

    Equations: 004 (15)-(16), (18)-(23), (37)-(39).
    """
    B1, B2, B3, half = work.scratch[0], work.scratch[1], work.scratch[2], work.scratch[3]
    out[0] = out[1] = 0.0
    for i in range(1, tables.parent.shape[0]):
        W, Wd = work.W[i], work.Wd[i]
        clear(B1)
        clear(B2)
        clear(B3)
        for s in range(tables.first_station[i], tables.first_station[i + 1]):
            multiply(work.S[s], tables.moments[s], half)
            add_product_transposed(half, work.S[s], 1.0, B3)
            add_product_transposed(half, work.Sd[s], 1.0, B2)
            multiply(work.Sd[s], tables.moments[s], half)
            add_product_transposed(half, work.Sd[s], 1.0, B1)
        multiply(Wd, B3, half)
        out[0] += 0.5 * trace_product_transposed(half, Wd)
        multiply(Wd, B2, half)
        out[0] += trace_product_transposed(half, W)
        multiply(W, B1, half)
        out[0] += 0.5 * trace_product_transposed(half, W)
        for r in range(3):
            for c in range(4):
                out[1] -= tables.gravity[r] * W[r, c] * B3[c, 3]
