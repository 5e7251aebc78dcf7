"""Foreshortening: a bent link draws its points back along x by 1/2 eta B(x) eta.

B(x) = sum_p psi_p(x) A_p in a few functions orthonormal over the link's mass leaves P quadratic forms
sigma_p = 1/2 eta A_p eta, with terms of fourth order in links that bow between their ends (`chord_terms`). Each acts as
one more axial coordinate, slaved to the bending. All terms of the kinetic energy are kept: it stays a sum of squares,
whatever the deflection.
"""

from __future__ import annotations

from lissom.kernel.compile import inline
from lissom.kernel.links.chord_terms import chord_shortening
from lissom.kernel.maths.row_sums import add_rows
from lissom.kernel.maths.simd_rows import add_scaled


@inline
def foreshorten(model, work, i, m, q, v, w):
    """Change the linear field's couplings, moments, modal mass and bias of body i for its foreshortening."""
    eta = model.tree.modes_q[i]
    rate = model.tree.modes_v[i]
    bending = model.tree.bending[i]
    c = work.coupling
    g = work.half_moment_change
    A = work.inertia[i]
    modal = work.modal_force
    pull = work.shortening[0]
    pull_rate = work.shortening[1]
    swing = work.foreshortening_force
    swing[0] = work.zero
    swing[1] = work.zero
    swing[2] = work.zero
    for p in range(model.foreshortening.start[i], model.foreshortening.start[i + 1]):
        form = model.foreshortening.form[p]
        phi = model.foreshortening.phi[p]
        # sigma, its rate and drift; X, Y, Z: first moments of the field weighted with psi_p
        sigma = work.zero
        sigma_rate = work.zero
        sigma_drift = work.zero
        for j in range(m):
            pull[j] = work.zero
            pull_rate[j] = work.zero
        # sigma = 1/2 eta A eta, sigma' = eta A etadot, drift etadot A etadot; bow terms beside them
        add_rows(pull, q, eta, form, bending, bending)
        add_rows(pull_rate, v, rate, form, bending, bending)
        for j in range(bending):
            sigma += 0.5 * pull[j] * q[eta + j]
            sigma_rate += pull[j] * v[rate + j]
            sigma_drift += pull_rate[j] * v[rate + j]
        more = chord_shortening(model, work, i, model.foreshortening.bow[p], pull, work.zero)
        sigma += more[0]
        sigma_rate += more[1]
        sigma_drift += more[2]
        X = model.foreshortening.s0[p, 0] + work.zero
        Y = model.foreshortening.s0[p, 1] + work.zero
        Z = model.foreshortening.s0[p, 2] + work.zero
        dY = work.zero
        dZ = work.zero
        for j in range(m):
            e = q[eta + j]
            de = v[rate + j]
            X += phi[0, j] * e
            Y += phi[1, j] * e
            Z += phi[2, j] * e
            dY += phi[1, j] * de
            dZ += phi[2, j] * de
        # moments of mass: every point draws back by sigma psi_p
        g[0] -= sigma * (X - 0.5 * sigma)
        X -= sigma
        weight = model.foreshortening.weight[p]
        g[1] -= sigma * Y
        g[2] -= sigma * Z
        g[9] -= sigma * weight
        swing[0] -= sigma_drift * weight
        swing[1] -= sigma_drift * Z
        swing[2] += sigma_drift * Y

        # Coriolis and drift forces; couplings and mass of sigma as a coordinate slaved to the bending
        across_y = 2.0 * sigma_rate * w[2]
        across_z = 2.0 * sigma_rate * w[1]
        along = sigma_drift + 2.0 * (w[2] * dY - w[1] * dZ)
        for j in range(m):
            at = 12 * j
            c[at] -= sigma * phi[0, j]
            c[at + 1] -= sigma * phi[1, j]
            c[at + 2] -= sigma * phi[2, j]
            modal[j] += across_z * phi[2, j] - across_y * phi[1, j] - sigma_drift * phi[0, j]
        for j in range(bending):
            b = pull[j]
            at = 12 * j
            c[at] -= X * b
            c[at + 3] -= Y * b
            c[at + 6] -= Z * b
            c[at + 9] -= weight * b
            modal[j] += along * b
            add_scaled(A[j], j, m, (b - phi[0, j], -b), (pull, phi[0]))
