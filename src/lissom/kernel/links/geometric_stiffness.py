"""Stiffness of bodies against turns: a force that pulls along a body keeps its direction while the body turns.

As in a hanging chain, whose links swing back the faster the more they carry: by forces of what a body carries, and of
its own mass, which is accelerated. Of each the part along the line from the joint to where it acts counts: tension.
Local, one symmetric block per body in its modes and its turn. Part of the Newton matrix of implicit steps; without it a
long chain, whose first links pull all others, converges slowly.
"""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.maths.algebra import add, cross, dot, matrix, rotate, scale, vector

TINY = 1e-30  # kg, m^2: a body without mass, or a force at the joint itself, has no tension


@kernel
def turn_stiffness(model, work):
    """Add to work.turn_stiffness, after `inverse_dynamics` with accelerations that obey the equations of motion.

    Forces of loops are not among its wrenches: where there are loops, nothing is added.
    """
    n = model.tree.parent.shape[0] if model.loops.hold.shape[0] == 0 else 0
    for i in range(1, n):
        if model.tree.frame[i] == 0:
            add_axial_force_of_mass(model, work, i)
    for i in range(1, n):
        if model.tree.parent[i] > 0:
            add_axial_force_of_child(model, work, i)


@kernel
def clear_turns(model, work):
    """Clear work.turn_stiffness."""
    for i in range(1, model.tree.parent.shape[0]):
        for row in range(model.tree.modes[i] + 3):
            for c in range(3):
                work.turn_stiffness[i, row, c] = work.zero


@inline
def add_axial_force_of_mass(model, work, i):
    """Add what the accelerated mass of body i does at its centre."""
    m = model.tree.modes[i]
    A = work.inertia[i]
    mass = A[m + 3, m + 3] + TINY
    place = scale(1.0 / mass, (-A[m + 1, m + 5], A[m, m + 5], -A[m, m + 4]))
    w = vector(work.omega[i])
    turned = add(cross(vector(work.acceleration[i, 0:3]), place), cross(w, cross(w, place)))
    tension = tension_along(place, scale(-mass, add(vector(work.acceleration[i, 3:6]), turned)))
    resist_turn(work.turn_stiffness[i], m, place, tension)
    for j in range(m):
        projected_force(work.turn_stiffness[i, j], (A[j, m + 3], A[j, m + 4], A[j, m + 5]), place, tension / mass)


@inline
def add_axial_force_of_child(model, work, i):
    """Add what body i, by the force it takes, does to the body that carries it."""
    up = model.tree.parent[i]
    place = vector(work.position[i])
    reach = work.reach[i]
    pull = rotate(matrix(work.rotation[i]), vector(work.wrench[i, 3:6]))
    tension = tension_along(place, scale(-1.0, pull))
    resist_turn(work.turn_stiffness[up], model.tree.modes[up], place, tension)
    for j in range(model.tree.modes[up]):
        projected_force(work.turn_stiffness[up, j], (reach[3, j], reach[4, j], reach[5, j]), place, tension)


@inline
def tension_along(place, force):
    """Return how much of a force pulls along the line to where it acts, per length of that line; zero where it pushes.

    So the matrix stays definite, whatever noise forces have where tolerances are loose.
    """
    pull = dot(place, force) / (dot(place, place) + TINY)
    return 0.5 * (pull + abs(pull))


@inline
def resist_turn(stiffness, m, place, tension):
    """Add to a body's rows the torque of tension per turn: tension (r^2 1 - r r^T)."""
    square = dot(place, place)
    for row in range(3):
        for c in range(3):
            stiffness[m + row, c] -= tension * place[row] * place[c]
        stiffness[m + row, row] += tension * square


@inline
def projected_force(row, moved, place, tension):
    """Add to a mode's row its force per turn of the body, tension r x moved, where the mode moves what pulls."""
    force = cross(place, moved)
    for c in range(3):
        row[c] += tension * force[c]
