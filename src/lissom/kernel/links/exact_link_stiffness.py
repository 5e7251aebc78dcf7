"""Stiffness and damping of a link with the exact field, at its current shape."""

from __future__ import annotations

from lissom.kernel.compile import indirect, inline, shared
from lissom.kernel.data.arrays import ROW_WIDTH
from lissom.kernel.links.exact_link import integrate, station_velocity, stresses, turn_at
from lissom.kernel.maths.algebra import add, cross, dot, scale, vector
from lissom.kernel.maths.rotation_vector import lever_slope
from lissom.kernel.maths.row_sums import section_sums
from lissom.kernel.maths.simd_rows import add_lanes, set_lanes


@indirect(3)
def exact_stiffness(model, work, i, q, v):
    """Add to work.link_stiffness and work.link_damping of link i: strains, and tension along the bent axis.

    work.station_pull holds what the carried bodies pull at the nodes. Strain energy sum w e^T S e with strains e(eta):
    the part w B^T S B, B = de/deta, is kept; that of d2e/deta2 is as small as the strains.
    """
    m = model.tree.modes[i]
    first = model.exact.start[i]
    K = work.link_stiffness[i]
    D = work.link_damping[i]
    beta = model.exact.retardation[i]
    own_mass(model, work, i)
    for p in range(first, first + model.tree.nodes[i]):
        strain_rows(model, work, i, p, q)
        rows = work.motion
        bend = work.station_bend[p]
        turn = work.station_turn[p]
        psi = model.exact.psi[p]
        S = model.exact.stiffness[p]
        tension = -(1.0 + bend[12]) * dot(vector(work.station_pull[p]), (turn[0, 0], turn[1, 0], turn[2, 0]))
        strains = (psi[3], psi[4], psi[5], rows[0], rows[1], rows[2])
        # w B^T S B row by row; and tension times the slopes
        for j in range(m):
            force, moment = stresses(S, (psi[3, j], psi[4, j], psi[5, j]), (rows[0, j], rows[1, j], rows[2, j]))
            by = (force[0], force[1], force[2], moment[0], moment[1], moment[2])
            lag = (beta * by[0], beta * by[1], beta * by[2], beta * by[3], beta * by[4], beta * by[5])
            for k in range(0, m, ROW_WIDTH):
                add_lanes(K[j], k, by, strains)
                add_lanes(D[j], k, lag, strains)
                add_lanes(K[j], k, (tension * psi[1, j], tension * psi[2, j]), (psi[1], psi[2]))


@inline
def own_mass(model, work, i):
    """Add what the accelerated mass of the stations pulls at the nodes, and its centrifugal stiffness."""
    m = model.tree.modes[i]
    first = model.exact.start[i]
    w = vector(work.omega[i])
    angular = vector(work.acceleration[i, 0:3])
    linear = vector(work.acceleration[i, 3:6])
    for s in range(first, model.exact.start[i + 1]):
        running = model.exact.running[s]
        r, dr, ddr = integrate(model, work, i, running)
        swing = add(cross(w, add(cross(w, r), scale(2.0, dr))), ddr)
        mass = model.exact.mass[s]
        force = scale(mass, add(linear, add(cross(angular, r), swing)))
        for p in range(model.tree.nodes[i]):
            for c in range(3):
                work.station_pull[first + p, c] += running[p] * force[c]
        for j in range(m):
            outwards = scale(mass, cross(w, cross(w, station_velocity(work.motion, j))))
            for k in range(0, m, ROW_WIDTH):
                add_lanes(work.link_stiffness[i, j], k, outwards, (work.motion[0], work.motion[1], work.motion[2]))


@shared
def strain_rows(model, work, i, p, q):
    """Set rows 0 to 2 of work.motion to the curvature H theta' of station p per mode."""
    m = model.tree.modes[i]
    psi = model.exact.psi[p]
    psi_x = model.exact.psi_x[p]
    k, th, H = turn_at(work, p)
    th_x = section_sums(psi_x, q, model.tree.modes_q[i], m, work.zero)
    zero = work.zero
    one = zero + 1.0
    for c in range(3):
        unit = (one if c == 0 else zero, one if c == 1 else zero, one if c == 2 else zero)
        a = lever_slope(k, th, th_x, unit)
        for j in range(0, m, ROW_WIDTH):
            by = (a[0], a[1], a[2], H[c][0], H[c][1], H[c][2])
            set_lanes(work.motion[c], j, by, (psi[0], psi[1], psi[2], psi_x[0], psi_x[1], psi_x[2]))
