"""Energies: kinetic, gravity, strain, what joints store, what elements and contacts store."""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.forces.external_forces import act_unloaded, external_energy
from lissom.kernel.forces.passive_joint_forces import passive_energy
from lissom.kernel.kinematics.forward_kinematics import forward_kinematics, world_frames
from lissom.kernel.links.body_inertia import body_inertias
from lissom.kernel.links.chord_terms import chord_energy
from lissom.kernel.links.exact_link import exact_strain_energy
from lissom.kernel.maths.algebra import add, dot, matrix, rotate, scale, vector


@inline
def strain_energy(model, i, q, v, zero):
    """Return the strain energy of link i: 1/2 eta^T K eta + preload . eta + cubic terms, or that of the exact field."""
    if model.tree.nodes[i] > 0:
        return exact_strain_energy(model, i, q, v, zero)
    m = model.tree.modes[i]
    eta = model.tree.modes_q[i]
    energy = zero
    for j in range(m):
        energy += model.strain.preload[i, j] * q[eta + j]
        for k in range(m):
            energy += 0.5 * q[eta + j] * model.strain.stiffness[i, j, k] * q[eta + k]
    # terms of third order: bending coupled to torsion by slopes
    for term in range(model.strain.cubic_start[i], model.strain.cubic_start[i + 1]):
        a = model.strain.cubic_modes[term, 0]
        b = model.strain.cubic_modes[term, 1]
        c = model.strain.cubic_modes[term, 2]
        energy += model.strain.cubic[term] * q[eta + a] * q[eta + b] * q[eta + c]
    return energy


@inline
def kinetic_energy(model, work, i, v):
    """Return 1/2 z^T M z with z = (etadot, omega, velocity), from the upper triangle of the body's inertia."""
    m = model.tree.modes[i]
    A = work.inertia[i]
    z = work.transformed_rows[0]
    for j in range(m):
        z[j] = v[model.tree.modes_v[i] + j] + work.zero
    for k in range(3):
        z[m + k] = work.omega[i, k]
        z[m + 3 + k] = work.velocity[i, k]
    energy = work.zero
    for row in range(m + 6):
        energy += 0.5 * A[row, row] * z[row] * z[row]
        for column in range(row + 1, m + 6):
            energy += A[row, column] * z[row] * z[column]
    return energy


@kernel
def energies(model, work, q, v, out):
    """Compute out = (kinetic, gravity, strain, joints, elements and contacts).

    Gravity is zero where the centre of mass is at the world's origin.
    """
    forward_kinematics(model, work, q, v)
    body_inertias(model, work, q, v)
    energies_of_bodies(model, work, q, v, out)


@kernel
def energies_of_bodies(model, work, q, v, out):
    """Compute `energies` after the outward pass, with the inertia of every body at hand."""
    world_frames(model, work)
    kinetic = work.zero
    gravity = work.zero
    strain = work.zero
    g = vector(model.gravity)
    for i in range(1, model.tree.parent.shape[0]):
        kinetic += kinetic_energy(model, work, i, v)
        strain += strain_energy(model, i, q, v, work.zero) + chord_energy(model, work, i)
        m = model.tree.modes[i]
        A = work.inertia[i]
        # first moment of mass, read from the coupling block of the inertia
        mc = (A[m + 2, m + 4], A[m, m + 5], A[m + 1, m + 3])
        origin = scale(model.inertia.mass[i], vector(work.world_position[i]))
        weight = add(origin, rotate(matrix(work.world_rotation[i]), mc))
        gravity -= dot(g, weight)
    # rotors
    for k in range(v.shape[0]):
        kinetic += 0.5 * model.velocities.armature[k] * v[k] * v[k]
    for k in range(model.gears.rotor_v.shape[0]):
        rate = v[model.gears.rotor_v[k]]
        kinetic += 0.5 * model.gears.inertia[k] * rate * rate
    out[0] = kinetic
    out[1] = gravity
    out[2] = strain
    out[3] = passive_energy(model, q, work.zero)
    act_unloaded(model, work, q, v)
    out[4] = external_energy(model, work)
