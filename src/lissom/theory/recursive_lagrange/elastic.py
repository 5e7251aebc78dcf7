"""Strain energy of the links and the modal forces of elasticity and damping.

Zero and first order take the link's own stiffness, with the cubic term of first order. At high order the strains of a
section are a', t' and the curvatures of R^T R', with p = v' v'' + w' w'', h = 1/(c (1 + c)), c = sqrt(1 - v'^2 - w'^2):

    kz = v'' + h p v',  ky = -(w'' + h p w'),  both turned back by the roll angle phi

and damping in proportion to stiffness is that of Kelvin and Voigt, beta times the rates of the strains.
"""

from __future__ import annotations

import numpy as np

from lissom.kernel.compile import kernel
from lissom.theory.recursive_lagrange.sections import HIGH, rates


@kernel
def section_strains(tables, work, i, k, q, v, out):
    """Strains a', t', ky, kz at node k of link i and their rates, out (2, 4); derivatives go to work.strain (4, m)."""
    m, at_q, at_v = tables.modes[i], tables.modes_q[i], tables.modes_v[i]
    slope, strain, by_mode = tables.slope[k], tables.strain[k], work.strain
    for c in range(2):
        out[0, c], out[1, c], _ = rates(strain[c], q, v, v, at_q, at_v, m)
    s, sd, _ = rates(slope[0], q, v, v, at_q, at_v, m)
    w, wd, _ = rates(slope[1], q, v, v, at_q, at_v, m)
    y1, y1d, _ = rates(strain[2], q, v, v, at_q, at_v, m)  # -w''
    z1, z1d, _ = rates(strain[3], q, v, v, at_q, at_v, m)  # v''
    station = tables.first_station[i] + k - tables.first_node[i]
    phi, phid = work.roll[station, 0], work.roll[station, 1]
    cos, sin = np.cos(phi), np.sin(phi)
    c = np.sqrt(1.0 - s * s - w * w)
    h = 1.0 / (c * (1.0 + c))
    h_c = -(1.0 + 2.0 * c) * h * h  # dh/dc
    cd = -(s * sd + w * wd) / c
    p, pd = s * z1 - w * y1, sd * z1 + s * z1d - wd * y1 - w * y1d
    hp, hpd = h * p, h_c * cd * p + h * pd
    z, zd = z1 + hp * s, z1d + hpd * s + hp * sd
    y, yd = y1 - hp * w, y1d - hpd * w - hp * wd
    ky, kz = cos * y + sin * z, cos * z - sin * y
    out[0, 2], out[0, 3] = ky, kz
    out[1, 2], out[1, 3] = cos * yd + sin * zd + phid * kz, cos * zd - sin * yd - phid * ky
    for j in range(m):
        by_mode[0, j], by_mode[1, j] = strain[0, j], strain[1, j]
        c_j = -(s * slope[0, j] + w * slope[1, j]) / c
        p_j = slope[0, j] * z1 + s * strain[3, j] - slope[1, j] * y1 - w * strain[2, j]
        hp_j = h_c * c_j * p + h * p_j
        z_j = strain[3, j] + hp_j * s + hp * slope[0, j]
        y_j = strain[2, j] - hp_j * w - hp * slope[1, j]
        phi_j = work.roll_modes[station, j]
        by_mode[2, j] = cos * y_j + sin * z_j + phi_j * kz
        by_mode[3, j] = cos * z_j - sin * y_j - phi_j * ky


@kernel
def add_elastic_forces(tables, work, q, v, force):
    """Add to `force` (nv,) what holds the modes at their deflection and rate; after the outward pass."""
    for i in range(1, tables.parent.shape[0]):
        m, at_q, at_v = tables.modes[i], tables.modes_q[i], tables.modes_v[i]
        for j in range(m):
            for k in range(m):
                force[at_v + j] += tables.stiffness[i, j, k] * q[at_q + k] + tables.damping[i, j, k] * v[at_v + k]
        if tables.order[i] == HIGH:
            add_section_stresses(tables, work, i, q, v, force)
        for term in range(tables.cubic_start[i], tables.cubic_start[i + 1]):
            for turn in range(3):
                a = tables.cubic_modes[term, turn]
                b = tables.cubic_modes[term, (turn + 1) % 3]
                c = tables.cubic_modes[term, (turn + 2) % 3]
                rate = v[at_v + b] * q[at_q + c] + q[at_q + b] * v[at_v + c]
                force[at_v + a] += tables.cubic[term] * q[at_q + b] * q[at_q + c] + tables.cubic_damping[term] * rate


@kernel
def add_section_stresses(tables, work, i, q, v, force):
    """Stresses at the nodes of link i times the derivatives of the strains they work on."""
    strains = work.strains
    for k in range(tables.first_node[i], tables.first_node[i + 1]):
        section_strains(tables, work, i, k, q, v, strains)
        for c in range(4):
            stress = tables.weight[k] * tables.rigidity[i, c] * (strains[0, c] + tables.viscosity[i] * strains[1, c])
            for j in range(tables.modes[i]):
                force[tables.modes_v[i] + j] += stress * work.strain[c, j]


@kernel
def strain_energy(tables, work, q, v):
    """Strain energy of all links; after the outward pass.

    Equations: 004 (33)-(36).
    """
    energy, strains = 0.0 * tables.gravity[0], work.strains
    for i in range(1, tables.parent.shape[0]):
        m, at = tables.modes[i], tables.modes_q[i]
        if tables.order[i] == HIGH:
            for k in range(tables.first_node[i], tables.first_node[i + 1]):
                section_strains(tables, work, i, k, q, v, strains)
                for c in range(4):
                    energy += 0.5 * tables.weight[k] * tables.rigidity[i, c] * strains[0, c] * strains[0, c]
        for j in range(m):
            for k in range(m):
                energy += 0.5 * q[at + j] * tables.stiffness[i, j, k] * q[at + k]
        for term in range(tables.cubic_start[i], tables.cubic_start[i + 1]):
            modes = tables.cubic_modes[term]
            energy += tables.cubic[term] * q[at + modes[0]] * q[at + modes[1]] * q[at + modes[2]]
    return energy
