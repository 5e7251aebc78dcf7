"""Motion of a section of a flexible link: pose, twist per coordinate, and rate of that twist.

    r = (x + a - 1/2 eta^T B eta, v, w),     R = bend(0, -w', v') Rx(t + 1/2 eta^T D eta)

The section's twist in its own axes is Ad(g^-1) V + U with U = J eta', and U' = J eta'' + dU. Between two frames a and b
on a link, or across a joint, twists and accelerations then obey one rule,

    V_b = Ad(g^-1) V_a + U,     V_b' = Ad(g^-1) V_a' + U' + ad(V_b) U.
"""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.kinematics.forward_kinematics import quadratic_sums
from lissom.kernel.maths.algebra import (
    add,
    compose,
    cross,
    dot,
    gibbs_matrix,
    matrix,
    rotate,
    rotate_back,
    scale,
    store_matrix,
    store_vector,
    subtract,
    transpose,
    turn_matrix,
    vector,
)
from lissom.theory.screw_pairs import bracket, load_pair, store_pair, twist_at


@kernel
def section_motion(table, work, row, owner, q, v):
    """Fill R, p, J, U, dU of section `row`, of the link `owner`, relative to that link's base."""
    m = table.modes[owner]
    at_q = table.modes_q[owner]
    at_v = table.modes_v[owner]
    phi = table.phi[row]
    psi = table.psi[row]
    u = (0.0, 0.0, 0.0)
    du = (0.0, 0.0, 0.0)
    th = (0.0, 0.0, 0.0)
    dth = (0.0, 0.0, 0.0)
    # displacement u and slopes th of the section, with their rates
    for j in range(m):
        u = add(u, scale(q[at_q + j], vector(phi[j])))
        du = add(du, scale(v[at_v + j], vector(phi[j])))
        th = add(th, scale(q[at_q + j], vector(psi[j])))
        dth = add(dth, scale(v[at_v + j], vector(psi[j])))
    short = (0.0, 0.0, 0.0)
    twist = (0.0, 0.0, 0.0)
    second_order = table.second_order[row] == 1
    if second_order:
        short = quadratic_sums(table.shortening[row], q, v, at_q, at_v, m, work.eta_B[0], 0.0)
        twist = quadratic_sums(table.twist[row], q, v, at_q, at_v, m, work.eta_B[1], 0.0)
    # place, drawn back by the foreshortening
    x = vector(table.position[row])
    r = (x[0] + u[0] - 0.5 * short[0], x[1] + u[1], x[2] + u[2])

    # bending: Gibbs vector g = a/2 (1 + |a|^2/12) of the slopes a = (0, -w', v'), with its rates
    a = (0.0, th[1], th[2])
    da = (0.0, dth[1], dth[2])
    z = dot(a, a)
    dz = 2.0 * dot(a, da)
    h = 0.5 + z / 24.0
    g = scale(h, a)
    dg = add(scale(h, da), scale(dz / 24.0, a))
    ddg = add(scale(dz / 12.0, da), scale(dot(da, da) / 12.0, a))
    f = 2.0 / (1.0 + dot(g, g))
    wb = scale(f, subtract(dg, cross(g, dg)))
    dwb = subtract(scale(f, subtract(ddg, cross(g, ddg))), scale(f * dot(g, dg), wb))

    # then twist about the bent axis
    ex = (1.0, 0.0, 0.0)
    Q = turn_matrix(ex, th[0] + 0.5 * twist[0])
    R = compose(gibbs_matrix(g), Q)
    roll = (dth[0] + twist[1], 0.0, 0.0)
    bent = rotate_back(Q, wb)
    w = add(bent, roll)
    dw = add(subtract(rotate_back(Q, dwb), cross(roll, bent)), (twist[2], 0.0, 0.0))
    speed = rotate_back(R, (du[0] - short[1], du[1], du[2]))
    drift = subtract(rotate_back(R, (-short[2], 0.0, 0.0)), cross(w, speed))

    # what is kept: pose, twist, drift, and twist J per modal velocity
    store_matrix(work.R[row], R)
    store_vector(work.p[row], r)
    store_pair(work.U[row], w, speed)
    store_pair(work.dU[row], dw, drift)
    for j in range(m):
        slope = psi[j, 1] * a[1] + psi[j, 2] * a[2]
        gj = (0.0, h * psi[j, 1] + slope / 12.0 * a[1], h * psi[j, 2] + slope / 12.0 * a[2])
        along = phi[j, 0]
        about = psi[j, 0]
        if second_order:
            along -= work.eta_B[0, j]
            about += work.eta_B[1, j]
        angular = add(rotate_back(Q, scale(f, subtract(gj, cross(g, gj)))), (about, 0.0, 0.0))
        store_pair(work.J[row, j], angular, rotate_back(R, (along, phi[j, 1], phi[j, 2])))


@kernel
def seen_from(R, p, J, U, dU, frame_R, frame_p, frame_J, frame_U, frame_dU, m):
    """Motion of a section relative to another one of its link, the body frame, instead of the base.

    g' = g_f^-1 g,  U' = U - Ad(g'^-1) U_f,  dU' = dU - Ad(g'^-1) dU_f + ad(U') Ad(g'^-1) U_f.
    """
    Rf = matrix(frame_R)
    Q = compose(transpose(Rf), matrix(R))
    d = rotate_back(Rf, subtract(vector(p), vector(frame_p)))
    w, v = load_pair(U)
    wf, vf = load_pair(frame_U)
    wf, vf = twist_at(Q, d, wf, vf)
    w, v = subtract(w, wf), subtract(v, vf)
    dw, dv = load_pair(dU)
    dwf, dvf = load_pair(frame_dU)
    dwf, dvf = twist_at(Q, d, dwf, dvf)
    bw, bv = bracket(w, v, wf, vf)
    store_matrix(R, Q)
    store_vector(p, d)
    store_pair(U, w, v)
    store_pair(dU, add(subtract(dw, dwf), bw), add(subtract(dv, dvf), bv))
    for j in range(m):
        a, b = load_pair(J[j])
        af, bf = load_pair(frame_J[j])
        af, bf = twist_at(Q, d, af, bf)
        store_pair(J[j], subtract(a, af), subtract(b, bf))


@kernel
def base_motion(work, i, n, m):
    """Motion of the base of link i relative to its body frame, the section in row n + i: the inverse motion."""
    f = n + i
    R = matrix(work.R[f])
    p = vector(work.p[f])
    Q = transpose(R)
    d = scale(-1.0, rotate_back(R, p))
    store_matrix(work.base_R[i], Q)
    store_vector(work.base_p[i], d)
    wf, vf = load_pair(work.U[f])
    wf, vf = twist_at(Q, d, wf, vf)
    dwf, dvf = load_pair(work.dU[f])
    dwf, dvf = twist_at(Q, d, dwf, dvf)
    store_pair(work.base_U[i], scale(-1.0, wf), scale(-1.0, vf))
    # ad(U') Ad(g'^-1) U_f vanishes: here U' = -Ad(g'^-1) U_f
    store_pair(work.base_dU[i], scale(-1.0, dwf), scale(-1.0, dvf))
    for j in range(m):
        a, b = load_pair(work.J[f, j])
        a, b = twist_at(Q, d, a, b)
        store_pair(work.base_J[i, j], scale(-1.0, a), scale(-1.0, b))


@kernel
def from_base(work, i, m):
    """Acceleration of the base in zdot replaced by that of the body frame: V' = B_V^-1 (V_base' - J eta'' - drift)."""
    zdot = work.zdot[i]
    w = (zdot[0] - work.base_gamma[i, 0], zdot[1] - work.base_gamma[i, 1], zdot[2] - work.base_gamma[i, 2])
    u = (zdot[3] - work.base_gamma[i, 3], zdot[4] - work.base_gamma[i, 4], zdot[5] - work.base_gamma[i, 5])
    for j in range(m):
        a, b = load_pair(work.base_J[i, j])
        w = add(w, scale(-zdot[6 + j], a))
        u = add(u, scale(-zdot[6 + j], b))
    R = matrix(work.base_R[i])
    w = rotate(R, w)
    store_pair(zdot, w, add(rotate(R, u), cross(vector(work.base_p[i]), w)))


@inline
def unmoved(work, row, position):
    """Write the section of a rigid link: a constant pose."""
    store_vector(work.p[row], rotate(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), position))
