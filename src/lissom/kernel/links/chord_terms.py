"""Terms of fourth order of links held at both ends, node by node; see `beam.displacement_fields.chord_field`."""

from __future__ import annotations

from lissom.kernel.compile import inline

# Columns of work.bow, two numbers each (about y and z). Those up to SHEAR are the rows of model.bow.nodes.
TURN, CURVATURE, MOMENT, LEAN, SHEAR, TURN_RATE, LEAN_RATE = 0, 2, 4, 6, 8, 10, 12
ROWS = 5


@inline
def chord_node_terms(model, work, q, v):
    """Fill work.bow: rotations, curvatures, moments, lean and shear forces at the nodes of links that bow; rates."""
    bow = model.bow
    bodies = model.tree.parent.shape[0] if bow.nodes.shape[0] > 0 else 0
    for i in range(1, bodies):
        eta = model.tree.modes_q[i]
        rate = model.tree.modes_v[i]
        for k in range(bow.start[i], bow.start[i + 1]):
            for axis in range(2):
                for row in range(ROWS):
                    value = work.zero
                    for j in range(model.tree.bending[i]):
                        value += bow.nodes[k, row, axis, j] * q[eta + j]
                    work.bow[k, 2 * row + axis] = value
                turning = work.zero
                leaning = work.zero
                for j in range(model.tree.bending[i]):
                    turning += bow.nodes[k, 0, axis, j] * v[rate + j]
                    leaning += bow.nodes[k, 3, axis, j] * v[rate + j]
                work.bow[k, TURN_RATE + axis] = turning
                work.bow[k, LEAN_RATE + axis] = leaning


@inline
def node_product(node, a, b):
    """Return the product of two vectors of a node."""
    return node[a] * node[b] + node[a + 1] * node[b + 1]


@inline
def chord_shortening(model, work, i, weights, by_mode, zero):
    """Return sum weights (1/8 th^4 + 1/2 th^2 th.l) over the nodes of link i: value, rate, drift.

    by_mode += its derivatives. th: slopes, l: lean of the sections by shear.
    """
    value = zero
    first = zero
    second = zero
    start = model.bow.start[i]
    for k in range(start, model.bow.start[i + 1]):
        node = work.bow[k]
        half = 0.5 * weights[k - start]
        square = node_product(node, TURN, TURN)
        leaning = node_product(node, TURN, LEAN)
        growth = node_product(node, TURN, TURN_RATE)
        leaning_rate = node_product(node, TURN_RATE, LEAN) + node_product(node, TURN, LEAN_RATE)
        whole = square + 2.0 * leaning
        value += half * square * (0.25 * square + leaning)
        first += half * (growth * whole + square * leaning_rate)
        second += half * (
            2.0 * growth * (growth + 2.0 * leaning_rate)
            + whole * node_product(node, TURN_RATE, TURN_RATE)
            + 2.0 * square * node_product(node, TURN_RATE, LEAN_RATE)
        )
        for axis in range(2):
            by_turn = half * (whole * node[TURN + axis] + square * node[LEAN + axis])
            by_lean = half * square * node[TURN + axis]
            turns = model.bow.nodes[k, 0, axis]
            leans = model.bow.nodes[k, 3, axis]
            for j in range(model.tree.bending[i]):
                by_mode[j] += by_turn * turns[j] + by_lean * leans[j]
    return value, first, second


@inline
def chord_forces(model, work, i, force):
    """Add the gradient of the fourth-order strain energy of link i to `force` (m,)."""
    for k in range(model.bow.start[i], model.bow.start[i + 1]):
        node = work.bow[k]
        bent = 0.5 * node_product(node, TURN, CURVATURE)
        moment = 0.5 * node_product(node, TURN, MOMENT)
        sheared = 0.5 * node_product(node, TURN, LEAN)
        shear = 0.5 * node_product(node, TURN, SHEAR)
        for axis in range(2):
            th = node[TURN + axis]
            by_turn = (
                moment * node[CURVATURE + axis]
                + bent * node[MOMENT + axis]
                + shear * node[LEAN + axis]
                + sheared * node[SHEAR + axis]
            )
            rows = model.bow.nodes[k]
            for j in range(model.tree.bending[i]):
                force[j] += by_turn * rows[0, axis, j] + th * (
                    moment * rows[1, axis, j]
                    + bent * rows[2, axis, j]
                    + shear * rows[3, axis, j]
                    + sheared * rows[4, axis, j]
                )


@inline
def chord_energy(model, work, i):
    """Return the fourth-order strain energy of link i."""
    energy = work.zero
    for k in range(model.bow.start[i], model.bow.start[i + 1]):
        node = work.bow[k]
        energy += 0.5 * node_product(node, TURN, CURVATURE) * node_product(node, TURN, MOMENT)
        energy += 0.5 * node_product(node, TURN, LEAN) * node_product(node, TURN, SHEAR)
    return energy
