"""Contact of spheres with planes, balls, boxes and cylinders: Hunt and Crossley's force and regularised friction.

With the depth d = max(-gap, 0), the normal force is k d^n (1 + c d'), never less than zero: a spring whose damping
grows with the depth, so that force begins and ends at zero (Hunt and Crossley 1975). Friction opposes sliding at speed
s with mu N tanh(s / s0): below the friction angle a body creeps at s0 artanh(tangent force / mu N).
"""

from __future__ import annotations

from lissom.kernel.compile import inline
from lissom.kernel.data.arrays import Surface
from lissom.kernel.forces.element_forces import TINY, add_wrench, angular_velocity_of, velocity_of
from lissom.kernel.maths.algebra import add, cross, dot, matrix, rotate, rotate_back, scale, subtract, vector
from lissom.kernel.maths.elementary_functions import above, sqrt, step, tanh

# columns of work.touch; FORCE and the next two: world axes
GAP, GAP_RATE, NORMAL, STORED, LOST, SLIDING, FORCE = range(7)
SMOOTH = 1e-6  # of the friction speed: keeps the direction of sliding at rest finite


@inline
def sign(x):
    """Return 1 where x is positive, else -1."""
    return 2.0 * step(x) - 1.0


@inline
def outside(a, b):
    """Return the signed distance from a corner of a convex body and the normal's components.

    a and b: distances along its two faces. Outside it is the distance from the nearest point of the corner, inside that
    from the nearest face.
    """
    p = above(a, 0.0)
    q = above(b, 0.0)
    far = sqrt(p * p + q * q + TINY)
    nearest = step(a - b)  # 1: the first face is nearer from within
    depth = b + nearest * (a - b)
    out = step(depth)
    return (
        out * far + (1.0 - out) * depth,
        out * p / far + (1.0 - out) * nearest,
        out * q / far + (1.0 - out) * (1.0 - nearest),
    )


@inline
def distance(contacts, c, x):
    """Return the distance of the point x from surface c and its gradient, both in the surface's frame."""
    zero = 0.0 * x[0]
    shape = contacts.shape[c]
    size = contacts.size[c]
    if shape == Surface.PLANE:
        return x[2], (zero, zero, zero + 1.0)
    if shape == Surface.BALL:
        far = sqrt(dot(x, x) + TINY)
        return far - size[0], scale(1.0 / far, x)
    if shape == Surface.CYLINDER:
        rho = sqrt(x[0] * x[0] + x[1] * x[1] + TINY)
        s = sign(x[2])
        gap, radial, axial = outside(rho - size[0], s * x[2] - size[1])
        return gap, (radial * x[0] / rho, radial * x[1] / rho, s * axial)
    s = (sign(x[0]), sign(x[1]), sign(x[2]))
    gap, across, along = outside(s[1] * x[1] - size[1], s[2] * x[2] - size[2])
    first = s[0] * x[0] - size[0]
    gap, by_x, rest = outside(first, gap)
    return gap, (s[0] * by_x, s[1] * across * rest, s[2] * along * rest)


@inline
def power_of_root(depth, roots):
    """Return depth^(1 + roots/2)."""
    if roots == 0:
        return depth
    if roots == 2:
        return depth * depth
    return depth * sqrt(depth + TINY)


@inline
def contact_force(model, work, c):
    """Add the force of contact c on the sphere, at the point where it touches, and back on the surface."""
    contacts = model.contacts
    i = contacts.sphere[c]
    j = contacts.surface[c]
    # where the sphere touches: the foot of its centre on the surface
    centre = vector(work.world_position[i])
    R = matrix(work.world_rotation[j])
    x = rotate_back(R, subtract(centre, vector(work.world_position[j])))
    far, normal = distance(contacts, c, x)
    gap = far - contacts.radius[c]
    normal = rotate(R, normal)
    arm = scale(0.0 - contacts.radius[c], normal)  # from the sphere's centre to where it touches
    lever = add(subtract(centre, vector(work.world_position[j])), arm)
    # relative velocity there, along the normal and across it
    there = add(velocity_of(work, i), cross(angular_velocity_of(work, i), arm))
    slip = subtract(there, add(velocity_of(work, j), cross(angular_velocity_of(work, j), lever)))
    rate = dot(slip, normal)
    slip = subtract(slip, scale(rate, normal))

    depth = above(0.0 - gap, 0.0)
    # Hunt and Crossley's normal force, friction smoothed by tanh
    spring = contacts.stiffness[c] * power_of_root(depth, contacts.roots[c])
    press = spring * above(1.0 - contacts.damping[c] * rate, 0.0)
    smooth = SMOOTH * contacts.friction_speed[c]
    speed = sqrt(dot(slip, slip) + smooth * smooth)
    grip = contacts.friction[c] * press * tanh(speed / contacts.friction_speed[c]) / speed
    force = subtract(scale(press, normal), scale(grip, slip))
    add_wrench(work, i, cross(arm, force), force)
    add_wrench(work, j, scale(-1.0, cross(lever, force)), scale(-1.0, force))

    # what results show
    row = work.touch[c]
    row[GAP] = gap
    row[GAP_RATE] = rate
    row[NORMAL] = press
    row[STORED] = spring * depth / (2.0 + 0.5 * contacts.roots[c])
    row[LOST] = (spring - press) * rate + grip * dot(slip, slip)
    row[SLIDING] = sqrt(dot(slip, slip) + TINY)
    for k in range(3):
        row[FORCE + k] = force[k]
