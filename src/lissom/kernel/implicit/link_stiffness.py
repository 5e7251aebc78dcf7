"""Stiffness and damping of links and joints by themselves: how their own forces change with their own coordinates.

Elastic forces, and what the motion adds: a link that is pulled along its axis, by its own mass or by what it carries,
resists bending more (tension), one that turns is driven outwards (centrifugal). All of it is local: one symmetric
block per link, one number per joint. With the mass matrix it makes up the Newton matrix of implicit steps.
"""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.arrays import ROW_WIDTH
from lissom.kernel.forces.passive_joint_forces import contact, curve_slope, dry_slope, gear_slope
from lissom.kernel.links.body_inertia import centrifugal_force, spin_squared
from lissom.kernel.links.exact_link_stiffness import exact_stiffness
from lissom.kernel.maths.algebra import matrix, rotate, vector
from lissom.kernel.maths.simd_rows import add_lanes, set_lanes


@kernel
def link_stiffness(model, work, q, v):
    """Fill work.link_stiffness and work.link_damping at the state (q, v), after `inverse_dynamics` with it."""
    n = model.tree.parent.shape[0]
    one = work.zero + 1.0
    # elastic parts; tension and centrifugal parts are added to them
    for i in range(1, n):
        linear = work.zero if model.tree.nodes[i] > 0 else one
        for j in range(model.tree.modes[i]):
            for k in range(0, model.tree.modes[i], ROW_WIDTH):
                set_lanes(work.link_stiffness[i, j], k, (linear,), (model.strain.stiffness[i, j],))
                set_lanes(work.link_damping[i, j], k, (one,), (model.strain.damping[i, j],))
        for p in range(model.exact.start[i], model.exact.start[i + 1]):
            for c in range(3):
                work.station_pull[p, c] = work.zero
    for i in range(1, n):
        axial_force_on_parent(model, work, i)
    for i in range(1, n):
        if model.tree.nodes[i] > 0:
            exact_stiffness(model, work, i, q, v)
        elif model.tree.modes[i] > 0:
            centrifugal_stiffness(model, work, i)
            cubic_stiffness(model, work, i, q)
            if model.tree.second_order[i] == 1:
                tension_stiffness(model, work, i, q)


@inline
def axial_force_on_parent(model, work, i):
    """Add the tension that body i brings into the link which carries it."""
    up = model.tree.parent[i]
    pull = rotate(matrix(work.rotation[i]), vector(work.wrench[i, 3:6]))
    if model.tree.nodes[up] > 0:
        first = model.exact.start[up]
        for p in range(model.tree.nodes[up]):
            for c in range(3):
                work.station_pull[first + p, c] += model.sections.running[i, p] * pull[c]
    elif model.tree.second_order[up] == 1:
        for j in range(model.tree.modes[up]):
            for k in range(0, model.tree.modes[up], ROW_WIDTH):
                add_lanes(work.link_stiffness[up, j], k, (-pull[0],), (model.sections.shortening[i, j],))


@inline
def centrifugal_stiffness(model, work, i):
    """Add -(omega^2 1 - omega omega^T) : d c_j / d eta_l, see `body_inertia`."""
    m = model.tree.modes[i]
    spin = spin_squared(vector(work.omega[i]))
    for row in range(m):
        by_eta = model.inertia.coupling_eta[i, row]
        for j in range(m):
            work.link_stiffness[i, row, j] += centrifugal_force(spin, by_eta[12 * j : 12 * j + 9])


@inline
def cubic_stiffness(model, work, i, q):
    """Add the derivatives of the forces of the cubic strain energy, and of their damping."""
    eta = model.tree.modes_q[i]
    for term in range(model.strain.cubic_start[i], model.strain.cubic_start[i + 1]):
        for turn in range(3):  # each pair of the three modes; the third one's amplitude is the factor
            a = model.strain.cubic_modes[term, turn]
            b = model.strain.cubic_modes[term, (turn + 1) % 3]
            amplitude = q[eta + model.strain.cubic_modes[term, (turn + 2) % 3]]
            work.link_stiffness[i, a, b] += model.strain.cubic[term] * amplitude
            work.link_stiffness[i, b, a] += model.strain.cubic[term] * amplitude
            work.link_damping[i, a, b] += model.strain.cubic_damping[term] * amplitude
            work.link_damping[i, b, a] += model.strain.cubic_damping[term] * amplitude


@inline
def tension_stiffness(model, work, i, q):
    """Add sum_p f_p A_p: the force f_p = -int psi_p a dm of the link's own mass on each form of foreshortening."""
    m = model.tree.modes[i]
    eta = model.tree.modes_q[i]
    for p in range(model.foreshortening.start[i], model.foreshortening.start[i + 1]):
        phi = model.foreshortening.phi[p]
        a = model.foreshortening.axis[p]
        b = (a + 1) % 3
        c = (a + 2) % 3
        X = model.foreshortening.s0[p, a]
        Y = model.foreshortening.s0[p, b]
        Z = model.foreshortening.s0[p, c]
        for j in range(m):
            X += phi[a, j] * q[eta + j]
            Y += phi[b, j] * q[eta + j]
            Z += phi[c, j] * q[eta + j]
        wa = work.omega[i, a]
        wb = work.omega[i, b]
        wc = work.omega[i, c]
        turned = work.acceleration[i, b] * Z - work.acceleration[i, c] * Y
        turned += wa * (wb * Y + wc * Z) - (wb * wb + wc * wc) * X
        tension = -(model.foreshortening.weight[p] * work.acceleration[i, 3 + a] + turned)
        reach = model.foreshortening.reach[p]
        for j in range(reach):
            for k in range(0, reach, ROW_WIDTH):
                add_lanes(work.link_stiffness[i, j], k, (tension,), (model.foreshortening.form[p, j],))


@inline
def stop_stiffness(x, stiffness, width):
    """Return the derivative of `stop_force`: stiffness (rho rho')' of rho = x contact(x)."""
    on = contact(x, width)
    slope = 2.0 * on * (1.0 - on) / width
    rho = x * on
    first = on + x * slope
    second = 2.0 * slope * (1.0 + x * (1.0 - 2.0 * on) / width)
    return stiffness * (first * first + rho * second)


@kernel
def joint_stiffness(model, q, v, stiffness, damping, winding, slipping):
    """Compute derivatives of the passive forces of joints by their own coordinate and rate, gears apart, (nv,) each.

    `winding` and `slipping` (nr,): derivatives of each gear's torque by its stretch and by the rate of it. What a
    stop's damping adds to its stiffness is left out.
    """
    for k in range(v.shape[0]):
        stiffness[k] = 0.0
        damping[k] = 0.0
    for k in range(model.passive.v.shape[0]):
        at_v = model.passive.v[k]
        at_q = model.passive.q[k]
        damping[at_v] += model.passive.viscous[k] + dry_slope(model.passive, k, v[at_v])
        if at_q >= 0:
            stretch = q[at_q] - model.passive.spring_rest[k]
            stiffness[at_v] += model.passive.spring[k] + curve_slope(model.passive, model.passive.pieces[k], stretch)
            if model.passive.has_stop[k] == 1:
                above = q[at_q] - model.passive.upper[k]
                below = model.passive.lower[k] - q[at_q]
                width = model.passive.stop_width[k]
                stiffness[at_v] += stop_stiffness(above, model.passive.stop_stiffness[k], width)
                stiffness[at_v] += stop_stiffness(below, model.passive.stop_stiffness[k], width)
                damping[at_v] += model.passive.stop_damping[k] * (contact(above, width) + contact(below, width))
    for k in range(winding.shape[0]):
        stretch = q[model.gears.rotor_q[k]] - q[model.gears.joint_q[k]]
        winding[k] = model.gears.stiffness[k] + curve_slope(model.passive, model.gears.pieces[k], stretch)
        slipping[k] = gear_slope(model.gears, k, v[model.gears.rotor_v[k]] - v[model.gears.joint_v[k]])
