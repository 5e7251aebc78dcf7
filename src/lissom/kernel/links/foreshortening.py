"""Foreshortening: a bent link draws its points back along x by 1/2 eta B(x) eta.

B(x) = sum_p psi_p(x) A_p in a few functions orthonormal over the link's mass leaves P quadratic forms
sigma_p = 1/2 eta A_p eta, with terms of fourth order in links that bow between their ends (`chord_terms`). Each acts as
one more axial coordinate, slaved to the bending. All terms of the kinetic energy are kept: it stays a sum of squares,
whatever the deflection. Sections that turn draw their width in likewise, along y and z, where a link is given such
forms (`beam.displacement_fields.width_forms`): function p acts along the axis a, and (a, b, c) are x, y, z in cyclic
order.
"""

from __future__ import annotations

from lissom.kernel.compile import inline
from lissom.kernel.links.chord_terms import chord_shortening
from lissom.kernel.maths.row_sums import add_rows
from lissom.kernel.maths.simd_rows import add_scaled


@inline
def foreshorten(model, work, i, m, q, v):
    """Change the linear field's couplings, moments, modal mass and bias of body i for its foreshortening."""
    eta = model.tree.modes_q[i]
    rate = model.tree.modes_v[i]
    g = work.half_moment_change
    A = work.inertia[i]
    modal = work.modal_force
    pull = work.shortening[0]
    pull_rate = work.shortening[1]
    swing = work.foreshortening_force
    for k in range(6):
        swing[k] = work.zero
    for p in range(model.foreshortening.start[i], model.foreshortening.start[i + 1]):
        form = model.foreshortening.form[p]
        phi = model.foreshortening.phi[p]
        reach = model.foreshortening.reach[p]
        a = model.foreshortening.axis[p]
        b = (a + 1) % 3
        c = (a + 2) % 3
        # sigma, its rate and drift; X, Y, Z along a, b, c: first moments of the field weighted with psi_p
        sigma = work.zero
        sigma_rate = work.zero
        sigma_drift = work.zero
        for j in range(m):
            pull[j] = work.zero
            pull_rate[j] = work.zero
        # sigma = 1/2 eta A eta, sigma' = eta A etadot, drift etadot A etadot; bow terms beside them
        add_rows(pull, q, eta, form, reach, reach)
        add_rows(pull_rate, v, rate, form, reach, reach)
        for j in range(reach):
            sigma += 0.5 * pull[j] * q[eta + j]
            sigma_rate += pull[j] * v[rate + j]
            sigma_drift += pull_rate[j] * v[rate + j]
        more = chord_shortening(model, work, i, model.foreshortening.bow[p], pull, work.zero)
        sigma += more[0]
        sigma_rate += more[1]
        sigma_drift += more[2]
        X = model.foreshortening.s0[p, a] + work.zero
        Y = model.foreshortening.s0[p, b] + work.zero
        Z = model.foreshortening.s0[p, c] + work.zero
        dY = work.zero
        dZ = work.zero
        for j in range(m):
            e = q[eta + j]
            de = v[rate + j]
            X += phi[a, j] * e
            Y += phi[b, j] * e
            Z += phi[c, j] * e
            dY += phi[b, j] * de
            dZ += phi[c, j] * de
        # moments of mass: every point draws back by sigma psi_p
        g[4 * a] -= sigma * (X - 0.5 * sigma)
        X -= sigma
        weight = model.foreshortening.weight[p]
        g[3 * a + b] -= sigma * Y
        g[3 * a + c] -= sigma * Z
        g[9 + a] -= sigma * weight
        swing[b] -= sigma_drift * Z
        swing[c] += sigma_drift * Y
        swing[3 + a] -= sigma_drift * weight

        # Coriolis and drift forces; couplings and mass of sigma as a coordinate slaved to the bending
        wb = work.omega[i, b]
        wc = work.omega[i, c]
        across_b = 2.0 * sigma_rate * wc
        across_c = 2.0 * sigma_rate * wb
        along = sigma_drift + 2.0 * (wc * dY - wb * dZ)
        for j in range(m):
            row = work.coupling[12 * j :]
            for k in range(3):
                row[3 * a + k] -= sigma * phi[k, j]
            modal[j] += across_c * phi[c, j] - across_b * phi[b, j] - sigma_drift * phi[a, j]
        for j in range(reach):
            drawn = pull[j]
            row = work.coupling[12 * j :]
            row[4 * a] -= X * drawn
            row[3 * b + a] -= Y * drawn
            row[3 * c + a] -= Z * drawn
            row[9 + a] -= weight * drawn
            modal[j] += along * drawn
            add_scaled(A[j], j, m, (drawn - phi[a, j], -drawn), (pull, phi[a]))
