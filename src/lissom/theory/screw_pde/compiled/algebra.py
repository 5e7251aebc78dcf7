"""Vectors, rotations, twists and wrenches of three or six scalars, for the compiled equations.

A pose g = (R, p) leads from frame a to frame b. Twists are pairs (omega, v), wrenches pairs (torque, force).
"""

from __future__ import annotations

from math import cos, sin

from lissom.kernel.jit import inline


@inline
def load(a):
    return (a[0], a[1], a[2])


@inline
def store(out, a):
    out[0] = a[0]
    out[1] = a[1]
    out[2] = a[2]


@inline
def load_pair(a):
    return (a[0], a[1], a[2]), (a[3], a[4], a[5])


@inline
def store_pair(out, a, b):
    out[0] = a[0]
    out[1] = a[1]
    out[2] = a[2]
    out[3] = b[0]
    out[4] = b[1]
    out[5] = b[2]


@inline
def load_matrix(A):
    return ((A[0, 0], A[0, 1], A[0, 2]), (A[1, 0], A[1, 1], A[1, 2]), (A[2, 0], A[2, 1], A[2, 2]))


@inline
def store_matrix(out, A):
    for i in range(3):
        out[i, 0] = A[i][0]
        out[i, 1] = A[i][1]
        out[i, 2] = A[i][2]


@inline
def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inline
def minus(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inline
def times(s, a):
    return (s * a[0], s * a[1], s * a[2])


@inline
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inline
def turn(R, a):
    """R a."""
    return (dot(R[0], a), dot(R[1], a), dot(R[2], a))


@inline
def turn_back(R, a):
    """R^T a."""
    return (
        R[0][0] * a[0] + R[1][0] * a[1] + R[2][0] * a[2],
        R[0][1] * a[0] + R[1][1] * a[1] + R[2][1] * a[2],
        R[0][2] * a[0] + R[1][2] * a[1] + R[2][2] * a[2],
    )


@inline
def transposed(R):
    return ((R[0][0], R[1][0], R[2][0]), (R[0][1], R[1][1], R[2][1]), (R[0][2], R[1][2], R[2][2]))


@inline
def compose(A, B):
    """A B."""
    C = transposed(B)
    return (
        (dot(A[0], C[0]), dot(A[0], C[1]), dot(A[0], C[2])),
        (dot(A[1], C[0]), dot(A[1], C[1]), dot(A[1], C[2])),
        (dot(A[2], C[0]), dot(A[2], C[1]), dot(A[2], C[2])),
    )


@inline
def rotation(axis, angle):
    """Rotation by `angle` about a unit vector."""
    c = cos(angle)
    s = sin(angle)
    x, y, z = axis
    u = 1.0 - c
    return (
        (c + u * x * x, u * x * y - s * z, u * x * z + s * y),
        (u * x * y + s * z, c + u * y * y, u * y * z - s * x),
        (u * x * z - s * y, u * y * z + s * x, c + u * z * z),
    )


@inline
def quaternion_rotation(w, x, y, z):
    """Rotation of the quaternion (w, x, y, z), whatever its length."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        (1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
        (s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)),
        (s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)),
    )


@inline
def gibbs_rotation(g):
    """Rotation of the Gibbs vector g = (0, gy, gz)."""
    _, y, z = g
    s = 2.0 / (1.0 + y * y + z * z)
    return (
        (1.0 - s * (y * y + z * z), -s * z, s * y),
        (s * z, 1.0 - s * z * z, s * y * z),
        (-s * y, s * y * z, 1.0 - s * y * y),
    )


@inline
def twist_at(R, p, w, v):
    """Ad(g^-1) (w, v): a twist given in frame a, as frame b sees it."""
    return turn_back(R, w), turn_back(R, add(v, cross(w, p)))


@inline
def wrench_from(R, p, t, f):
    """Ad(g^-1)^T (t, f): a wrench given in frame b, as frame a sees it."""
    f = turn(R, f)
    return add(turn(R, t), cross(p, f)), f


@inline
def bracket(w, v, a, b):
    """ad(w, v) (a, b)."""
    return cross(w, a), add(cross(v, a), cross(w, b))
