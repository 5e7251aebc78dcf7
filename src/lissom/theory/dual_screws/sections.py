"""The section of an elastic link that carries another link: its pose, its elastic screws, its drift."""

from __future__ import annotations

from numpy import cos, sin

from lissom.kernel.compile import inline, kernel
from lissom.kernel.maths.algebra import add, compose, cross, dot, gibbs_matrix, scale, store_vector, subtract, vector


@inline
def weighted(A, x, start, count, zero):
    """sum_j A[k, j] x[start + j] for k = 0, 1, 2."""
    s = (zero, zero, zero)
    for j in range(count):
        e = x[start + j]
        s = (s[0] + A[0, j] * e, s[1] + A[1, j] * e, s[2] + A[2, j] * e)
    return s


@inline
def bilinear(B, x, x_start, y, y_start, count, zero):
    """x^T B y."""
    total = zero
    for j in range(count):
        row = zero
        for k in range(count):
            row += B[j, k] * y[y_start + k]
        total += row * x[x_start + j]
    return total


@kernel
def section_screws(model, i, q, printed, S, zero):
    """Screws S (6, m) of the section that carries body i, per mode of its parent, at the section in the parent's axes.

    Returns the section's position, rotation, slopes a = (0, -w', v') and tangent. To first order a screw is
    (psi_j, phi_j), as (68), (71) have it. What a deflection adds to it, the turn of the screw's axis and the
    foreshortening, does first-order work on loads of order zero; the paper leaves it out (`printed`).
    """
    up = model.tree.parent[i]
    m = model.tree.modes[up]
    eta = model.tree.modes_q[up]
    phi = model.sections.phi[i]
    psi = model.sections.psi[i]
    # displacement u and small rotations th of the section; it is bent by the Gibbs vector g of its slopes a
    u = weighted(phi, q, eta, m, zero)
    th = weighted(psi, q, eta, m, zero)
    a = (zero, th[1], th[2])
    slope = 0.5 + dot(a, a) / 24.0
    g = scale(slope, a)
    f = 2.0 / (1.0 + dot(g, g))
    bend = gibbs_matrix(g)
    tangent = (bend[0][0], bend[1][0], bend[2][0])
    # screw of each mode, with the foreshortening and twist of second order unless the paper's is asked for
    short = zero
    twist = zero
    curved = model.tree.second_order[up] == 1 and not printed
    for j in range(m):
        along = phi[0, j] + zero
        about = psi[0, j] + zero
        if curved:
            for k in range(m):
                along -= model.sections.shortening[i, j, k] * q[eta + k]
                about += model.sections.twist[i, j, k] * q[eta + k]
            short += 0.5 * (phi[0, j] - along) * q[eta + j]
            twist += 0.5 * (about - psi[0, j]) * q[eta + j]
        if printed:
            angular = (about, psi[1, j] + zero, psi[2, j] + zero)
        else:
            # d g / d eta_j, and the angular velocity 2 / (1 + g^2) (g' + g x g') that goes with it
            lift = (psi[1, j] * a[1] + psi[2, j] * a[2]) / 12.0
            gj = (zero, slope * psi[1, j] + lift * a[1], slope * psi[2, j] + lift * a[2])
            angular = add(scale(f, add(gj, cross(g, gj))), scale(about, tangent))
        store_vector(S[0:3, j], angular)
        store_vector(S[3:6, j], (along, phi[1, j] + zero, phi[2, j] + zero))
    # position and rotation: first bent, then rolled about its axis
    angle = th[0] + twist
    c = cos(angle)
    s = sin(angle)
    one = zero + 1.0
    roll = ((one, zero, zero), (zero, c, -s), (zero, s, c))
    p = add(vector(model.sections.position[i]), (u[0] - short, u[1], u[2]))
    return p, compose(bend, roll), a, tangent


@inline
def section_drift(model, i, q, v, a, tangent, zero):
    """Return angular and linear acceleration of the section at zero modal acceleration, seen from the parent.

    Both are quadratic in elastic speeds.
    """
    up = model.tree.parent[i]
    m = model.tree.modes[up]
    rate = model.tree.modes_v[up]
    th = weighted(model.sections.psi[i], v, rate, m, zero)
    da = (zero, th[1], th[2])
    slope = 0.5 + dot(a, a) / 24.0
    slope_rate = dot(a, da) / 12.0
    g = scale(slope, a)
    dg = add(scale(slope, da), scale(slope_rate, a))
    ddg = add(scale(2.0 * slope_rate, da), scale(dot(da, da) / 12.0, a))
    f = 2.0 / (1.0 + dot(g, g))
    bend_rate = scale(f, add(dg, cross(g, dg)))
    turn = subtract(scale(f, add(ddg, cross(g, ddg))), scale(f * dot(g, dg), bend_rate))
    roll_rate = th[0]
    roll_drift = zero
    short = zero
    if model.tree.second_order[up] == 1:
        eta = model.tree.modes_q[up]
        short = bilinear(model.sections.shortening[i], v, rate, v, rate, m, zero)
        roll_drift = bilinear(model.sections.twist[i], v, rate, v, rate, m, zero)
        roll_rate += bilinear(model.sections.twist[i], v, rate, q, eta, m, zero)
    turn = add(turn, add(scale(roll_rate, cross(bend_rate, tangent)), scale(roll_drift, tangent)))
    return turn, (-short, zero, zero)
