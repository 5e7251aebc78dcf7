"""Elements between two frames: springs, dampers, ropes, cylinders along a line, and bushings on the relative pose.

Along the line from the first frame's origin to the second's, of length l, the tension is

    k (l - l0) + curve(l - l0) + c dl/dt - thrust,

of a rope never less than zero. A bushing has the energy 1/2 x K x in x = (2 vec q, p): torque, as twice the vector part
of the unit quaternion of the relative rotation, and shift of the second frame, in the axes of the first.
"""

from __future__ import annotations

from lissom.kernel.compile import inline
from lissom.kernel.data.arrays import Element
from lissom.kernel.forces.passive_joint_forces import curve_energy, curve_force
from lissom.kernel.maths.algebra import (
    add,
    compose,
    cross,
    dot,
    matrix,
    rotate,
    rotate_back,
    scale,
    subtract,
    transpose,
    vector,
)
from lissom.kernel.maths.elementary_functions import above, clamp, sqrt

LENGTH, RATE, TENSION, ENERGY, LOST = range(5)  # columns of work.element
TINY = 1e-30  # m2: keeps the direction of a line of no length finite


@inline
def add_wrench(work, i, torque, force):
    """Add a wrench at the origin of frame i, given in world axes."""
    R = matrix(work.world_rotation[i])
    torque_i = rotate_back(R, torque)
    force_i = rotate_back(R, force)
    for k in range(3):
        work.load[i, k] += torque_i[k]
        work.load[i, 3 + k] += force_i[k]


@inline
def velocity_of(work, i):
    """Return the velocity of the origin of frame i, world axes."""
    return rotate(matrix(work.world_rotation[i]), vector(work.velocity[i]))


@inline
def angular_velocity_of(work, i):
    """Return the angular velocity of frame i, world axes."""
    return rotate(matrix(work.world_rotation[i]), vector(work.omega[i]))


@inline
def smooth_positive_part(x, width):
    """Return the stretch of a rope that becomes taut over `width`, and its integral: 0 below 0, x - width/2 beyond."""
    c = clamp(x, 0.0 * width, width)
    beyond = above(x - width, 0.0)
    half = 0.5 * c * c / width
    return half + beyond, half * c / 3.0 + beyond * (0.5 * width + 0.5 * beyond)


@inline
def along_line(model, work, e):
    """Add the force of element e along the line between its frames."""
    elements = model.elements
    i = elements.first[e]
    j = elements.second[e]
    # unit vector e along the line, its length l and l' = e . (v_j - v_i)
    d = subtract(vector(work.world_position[j]), vector(work.world_position[i]))
    length = sqrt(dot(d, d) + TINY)
    line = scale(1.0 / length, d)
    rate = dot(line, subtract(velocity_of(work, j), velocity_of(work, i)))
    x = length - elements.length[e]
    k = elements.stiffness[e]
    # a rope pulls alone: k and d set in smoothly over its width, and their sum is never below zero
    if elements.kind[e] == Element.ROPE:
        pull, stored = smooth_positive_part(x, elements.width[e])
        spring = k * pull
        energy = k * stored
        taut = clamp(x / elements.width[e], 0.0, 1.0)
        tension = above(spring + elements.damping[e] * rate * taut, 0.0)
        lost = (tension - spring) * rate
    else:
        # T = k x + curve(x) + d l' - thrust; the thrust of a driven cylinder comes in entry 3 of the load
        spring = k * x + curve_force(model.passive, elements.pieces[e], x)
        energy = 0.5 * k * x * x + curve_energy(model.passive, elements.pieces[e], x)
        drag = elements.damping[e] * rate
        thrust = work.zero + elements.thrust[e]
        if elements.driven[e] == 1:
            thrust += work.load[i, 3]
            work.load[i, 3] = work.zero
        work.power[0] += thrust * rate
        tension = spring + drag - thrust
        lost = drag * rate
    # equal and opposite: T e on the first frame, - T e on the second
    none = (work.zero, work.zero, work.zero)
    add_wrench(work, i, none, scale(tension, line))
    add_wrench(work, j, none, scale(-tension, line))
    store(work.element[e], length, rate, tension, energy, lost)


@inline
def store(row, length, rate, tension, energy, lost):
    """Store what results show of an element."""
    row[LENGTH] = length
    row[RATE] = rate
    row[TENSION] = tension
    row[ENERGY] = energy
    row[LOST] = lost


@inline
def product(A, row, x):
    """Return entries row to row + 2 of A x, x = (x[0], x[1]) of two vectors."""
    return add(
        rotate(matrix(A[row : row + 3, 0:3]), x[0]),
        rotate(matrix(A[row : row + 3, 3:6]), x[1]),
    )


@inline
def bushing(model, work, e):
    """Add the wrenches of bushing e: springs and dampers in all six directions between its frames."""
    elements = model.elements
    i = elements.first[e]
    j = elements.second[e]
    R1 = matrix(work.world_rotation[i])
    R2 = matrix(work.world_rotation[j])
    R = compose(transpose(R1), R2)
    # relative pose: quaternion (w, vec) and place p in the axes of the first frame
    d = subtract(vector(work.world_position[j]), vector(work.world_position[i]))
    p = rotate_back(R1, d)
    w = 0.5 * sqrt(1.0 + R[0][0] + R[1][1] + R[2][2])
    vec = scale(0.25 / w, (R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]))
    # rates of x = (2 vec, p)
    spin = subtract(vector(work.omega[j]), rotate_back(R, vector(work.omega[i])))  # axes of the second
    x = (scale(2.0, vec), p)
    drift = subtract(rotate_back(R1, velocity_of(work, j)), vector(work.velocity[i]))
    rate = (add(scale(w, spin), cross(vec, spin)), subtract(drift, cross(vector(work.omega[i]), p)))
    # generalised forces K x + D x', turned into a torque by the transpose of what turns spin into 2 vec'
    K = elements.springs[e]
    D = elements.dampers[e]
    spring = (product(K, 0, x), product(K, 3, x))
    drag = (product(D, 0, rate), product(D, 3, rate))
    turn = add(spring[0], drag[0])
    force = rotate(R1, add(spring[1], drag[1]))
    torque = rotate(R2, add(scale(w, turn), cross(turn, vec)))
    add_wrench(work, j, scale(-1.0, torque), scale(-1.0, force))
    add_wrench(work, i, add(torque, cross(d, force)), force)
    length = sqrt(dot(d, d) + TINY)
    energy = 0.5 * (dot(x[0], spring[0]) + dot(x[1], spring[1]))
    lost = dot(rate[0], drag[0]) + dot(rate[1], drag[1])
    store(work.element[e], length, dot(p, rate[1]) / length, sqrt(dot(force, force) + TINY), energy, lost)
