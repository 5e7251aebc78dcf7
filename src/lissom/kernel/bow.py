"""Terms of fourth order of links that bow between their ends, node by node; see `lissom.beam.bow`."""

from __future__ import annotations

from lissom.kernel.machine import inline

SLOPE, RATE, CURVATURE = 0, 2, 4  # columns of work.bow: two numbers each, about y and z


@inline
def bow_nodes(model, work, q, v):
    """Fill work.bow: slopes, their rates and curvatures at the nodes of every link that bows."""
    bow = model.bow
    bodies = model.tree.parent.shape[0] if bow.rigidity.shape[0] > 0 else 0
    for i in range(1, bodies):
        eta = model.tree.modes_q[i]
        rate = model.tree.modes_v[i]
        for k in range(bow.start[i], bow.start[i + 1]):
            for axis in range(2):
                slope = work.zero
                speed = work.zero
                curvature = work.zero
                for j in range(model.tree.bending[i]):
                    slope += bow.slope[k, axis, j] * q[eta + j]
                    speed += bow.slope[k, axis, j] * v[rate + j]
                    curvature += bow.slope_x[k, axis, j] * q[eta + j]
                work.bow[k, SLOPE + axis] = slope
                work.bow[k, RATE + axis] = speed
                work.bow[k, CURVATURE + axis] = curvature


@inline
def drawn_back(model, work, i, weights, by_mode, zero):
    """Sum 1/8 weights (th . th)^2 over the nodes of link i: its value, rate and drift; by_mode += derivatives."""
    value = zero
    first = zero
    second = zero
    start = model.bow.start[i]
    for k in range(start, model.bow.start[i + 1]):
        y = work.bow[k, SLOPE]
        z = work.bow[k, SLOPE + 1]
        dy = work.bow[k, RATE]
        dz = work.bow[k, RATE + 1]
        square = y * y + z * z
        growth = y * dy + z * dz
        half = 0.5 * weights[k - start]
        value += 0.25 * half * square * square
        first += half * square * growth
        second += half * (2.0 * growth * growth + square * (dy * dy + dz * dz))
        for j in range(model.tree.bending[i]):
            by_mode[j] += half * square * (model.bow.slope[k, 0, j] * y + model.bow.slope[k, 1, j] * z)
    return value, first, second


@inline
def bow_forces(model, work, i, force):
    """Add the forces of the fourth-order strain energy of link i to `force` (m,)."""
    for k in range(model.bow.start[i], model.bow.start[i + 1]):
        y = work.bow[k, SLOPE]
        z = work.bow[k, SLOPE + 1]
        cy = work.bow[k, CURVATURE]
        cz = work.bow[k, CURVATURE + 1]
        rigidity = model.bow.rigidity[k]
        fy = rigidity[0] * y * cy + rigidity[2] * z * cz
        fz = rigidity[1] * z * cz + rigidity[2] * y * cy
        slope = model.bow.slope[k]
        slope_x = model.bow.slope_x[k]
        for j in range(model.tree.bending[i]):
            force[j] += fy * (slope[0, j] * cy + slope_x[0, j] * y) + fz * (slope[1, j] * cz + slope_x[1, j] * z)


@inline
def bow_energy(model, work, i):
    """The fourth-order strain energy of link i."""
    energy = work.zero
    for k in range(model.bow.start[i], model.bow.start[i + 1]):
        y = work.bow[k, SLOPE] * work.bow[k, CURVATURE]
        z = work.bow[k, SLOPE + 1] * work.bow[k, CURVATURE + 1]
        rigidity = model.bow.rigidity[k]
        energy += 0.5 * (rigidity[0] * y * y + rigidity[1] * z * z) + rigidity[2] * y * z
    return energy
