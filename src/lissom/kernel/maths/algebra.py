"""Three-vectors and rotation matrices as tuples: registers for the compiler, symbols for CasADi.

A vector is any indexable of three, a matrix any indexable of three rows; results are tuples.
"""

from __future__ import annotations

from numpy import cos, sin, sqrt

from lissom.kernel.compile import inline


@inline
def vector(a):
    """Return the first three entries of an array."""
    return (a[0], a[1], a[2])


@inline
def matrix(A):
    """Return the 3 x 3 entries of an array, row by row."""
    return ((A[0, 0], A[0, 1], A[0, 2]), (A[1, 0], A[1, 1], A[1, 2]), (A[2, 0], A[2, 1], A[2, 2]))


@inline
def store_vector(array, a):
    """Write a vector into an array."""
    array[0] = a[0]
    array[1] = a[1]
    array[2] = a[2]


@inline
def store_matrix(array, A):
    """Write a matrix into an array."""
    store_vector(array[0], A[0])
    store_vector(array[1], A[1])
    store_vector(array[2], A[2])


@inline
def add(a, b):
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inline
def subtract(a, b):
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inline
def scale(s, a):
    """Return s a."""
    return (s * a[0], s * a[1], s * a[2])


@inline
def dot(a, b):
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def cross(a, b):
    """Return a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inline
def rotate(R, a):
    """Return R a."""
    return (dot(R[0], a), dot(R[1], a), dot(R[2], a))


@inline
def rotate_back(R, a):
    """Return R^T a."""
    return (
        R[0][0] * a[0] + R[1][0] * a[1] + R[2][0] * a[2],
        R[0][1] * a[0] + R[1][1] * a[1] + R[2][1] * a[2],
        R[0][2] * a[0] + R[1][2] * a[1] + R[2][2] * a[2],
    )


@inline
def compose(A, B):
    """Return A B."""
    return (rotate_back(B, A[0]), rotate_back(B, A[1]), rotate_back(B, A[2]))


@inline
def transpose(A):
    """Return A^T."""
    return (
        (A[0][0], A[1][0], A[2][0]),
        (A[0][1], A[1][1], A[2][1]),
        (A[0][2], A[1][2], A[2][2]),
    )


@inline
def identity(zero):
    """Return the unit matrix in the number type of `zero`."""
    one = zero + 1.0
    return ((one, zero, zero), (zero, one, zero), (zero, zero, one))


@inline
def turn_matrix(a, angle):
    """Return the rotation by `angle` about the unit axis `a` (Rodrigues)."""
    c = cos(angle)
    s = sin(angle)
    k = 1.0 - c
    return (
        (c + k * a[0] * a[0], k * a[0] * a[1] - s * a[2], k * a[0] * a[2] + s * a[1]),
        (k * a[1] * a[0] + s * a[2], c + k * a[1] * a[1], k * a[1] * a[2] - s * a[0]),
        (k * a[2] * a[0] - s * a[1], k * a[2] * a[1] + s * a[0], c + k * a[2] * a[2]),
    )


@inline
def gibbs_matrix(g):
    """Return the rotation with Gibbs vector `g` (axis times the tangent of half the angle), by the Cayley map."""
    f = 2.0 / (1.0 + dot(g, g))
    return (
        (1.0 - f * (g[1] * g[1] + g[2] * g[2]), f * (g[0] * g[1] - g[2]), f * (g[0] * g[2] + g[1])),
        (f * (g[0] * g[1] + g[2]), 1.0 - f * (g[0] * g[0] + g[2] * g[2]), f * (g[1] * g[2] - g[0])),
        (f * (g[0] * g[2] - g[1]), f * (g[1] * g[2] + g[0]), 1.0 - f * (g[0] * g[0] + g[1] * g[1])),
    )


@inline
def quaternion_matrix(w, x, y, z):
    """Return the rotation of the unit quaternion (w, x, y, z)."""
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )


@inline
def quaternion_of(R):
    """Return the unit quaternion (w, x, y, z) of a rotation, from the largest of its entries (Shepperd 1978)."""
    trace = R[0][0] + R[1][1] + R[2][2]
    x, y, z = R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]
    xy, xz, yz = R[0][1] + R[1][0], R[0][2] + R[2][0], R[1][2] + R[2][1]
    largest = max(trace, R[0][0], R[1][1], R[2][2])
    if largest == trace:
        q = (1.0 + trace, x, y, z)
    elif largest == R[0][0]:
        q = (x, 1.0 + 2.0 * R[0][0] - trace, xy, xz)
    elif largest == R[1][1]:
        q = (y, xy, 1.0 + 2.0 * R[1][1] - trace, yz)
    else:
        q = (z, xz, yz, 1.0 + 2.0 * R[2][2] - trace)
    s = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (s * q[0], s * q[1], s * q[2], s * q[3])
