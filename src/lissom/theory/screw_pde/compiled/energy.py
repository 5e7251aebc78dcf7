"""Energies summed over particles, and wrenches that go with given accelerations."""

from __future__ import annotations

from lissom.kernel.compile import kernel
from lissom.kernel.forces.passive_joint_forces import passive_energy
from lissom.kernel.maths.algebra import add, cross, dot, matrix, rotate, rotate_back, scale, vector
from lissom.theory.screw_pairs import load_pair, store_pair
from lissom.theory.screw_pde.compiled.link import move_particles, place_particles
from lissom.theory.screw_pde.compiled.section import from_base


@kernel
def energies(table, work, q, v):
    """(kinetic, gravity, strain, joints) for the frames in place.

    Equations: 003 (77).
    """
    n = table.parent.shape[0]
    kinetic = 0.0
    gravity = 0.0
    strain = 0.0
    g = vector(table.gravity)
    for i in range(n):
        if table.given[i] == 1:
            continue
        place_particles(table, work, i, q, v)
        if table.moved[i] == 1:
            move_particles(table, work, i, n)
        w, u = load_pair(work.V[i])
        R = matrix(work.world_R[i])
        p = vector(work.world_p[i])
        # particles: 1/2 |c u + w x s + s'|^2 and - g . (c p + R s), signed, as quadrature weights may be negative
        first = table.start[i]
        for k in range(table.start[i + 1] - first):
            c = table.carried[first + k]
            s = (work.s[0, k], work.s[1, k], work.s[2, k])
            speed = add(add(scale(c, u), cross(w, s)), (work.ds[0, k], work.ds[1, k], work.ds[2, k]))
            kinetic += 0.5 * table.sign[first + k] * dot(speed, speed)
            gravity -= table.sign[first + k] * c * dot(g, add(scale(c, p), rotate(R, s)))
        # strain: preload, quadratic and cubic terms of the deformation
        eta = table.modes_q[i]
        for j in range(table.modes[i]):
            strain += table.preload[i, j] * q[eta + j]
            for k in range(table.modes[i]):
                strain += 0.5 * q[eta + j] * table.stiffness[i, j, k] * q[eta + k]
        for term in range(table.cubic_start[i], table.cubic_start[i + 1]):
            value = table.cubic[term]
            for k in range(3):
                value *= q[eta + table.cubic_modes[term, k]]
            strain += value
    # rotors: armatures of joints, and motors behind gears
    for k in range(v.shape[0]):
        kinetic += 0.5 * table.armature[k] * v[k] * v[k]
    for r in range(table.gears.rotor_v.shape[0]):
        kinetic += 0.5 * table.gears.inertia[r] * v[table.gears.rotor_v[r]] ** 2
    return kinetic, gravity, strain, passive_energy(table, q, 0.0)


@kernel
def link_accelerations(table, work, a):
    """Fill zdot for accelerations a (nv,): constraint rows, base to tip."""
    n = table.parent.shape[0]
    for i in range(n):
        up = table.parent[i]
        # base to tip: z' = gamma + X z'_parent + S a, and the modes' own accelerations
        zdot = work.zdot[i]
        at = table.modes_v[i]
        for j in range(table.modes[i]):
            zdot[6 + j] = a[at + j]
        for r in range(6):
            total = work.gamma[i, r]
            if up >= 0:
                for c in range(6 + table.modes[up]):
                    total += work.reach[i, r, c] * work.zdot[up, c]
            for k in range(table.dofs[i]):
                total += work.S[i, k, r] * a[table.joint_v[i] + k]
            zdot[r] = total
        if table.moved[i] == 1:
            from_base(work, i, table.modes[i])


@kernel
def reactions(table, work, a):
    """Fill zdot and wrench for accelerations a (nv,): constraint rows base to tip, twist rows tip to base."""
    n = table.parent.shape[0]
    link_accelerations(table, work, a)
    # what each link needs for its own motion, M z' + bias
    for i in range(n):
        s = 6 + table.modes[i]
        for r in range(6):
            total = work.bias[i, r]
            for c in range(s):
                total += (work.mass[i, r, c] if c <= r else work.mass[i, c, r]) * work.zdot[i, c]
            work.wrench[i, r] = total
    # tip to base: W_parent += X^T W
    for back in range(n):
        i = n - 1 - back
        if table.moved[i] == 1:  # B_V^T W = rows: W as the base sees it
            t, f = load_pair(work.wrench[i])
            R = matrix(work.base_R[i])
            p = vector(work.base_p[i])
            t = add(t, cross(f, p))
            store_pair(work.wrench[i], rotate_back(R, t), rotate_back(R, f))
        up = table.parent[i]
        if up >= 0:
            for c in range(6):
                total = 0.0
                for r in range(6):
                    total += work.reach[i, r, c] * work.wrench[i, r]
                work.wrench[up, c] += total
