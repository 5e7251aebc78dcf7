"""Small compiled operations on screws, for formulations that loop over frames; angular part first.

They write into arrays they are given, for real and complex numbers.
"""

import numpy as np
from numpy import cos, sin

from lissom.kernel.compile import inline


@inline
def cross(a, b, out):
    """Set out = a x b."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@inline
def relative_pose(M, S, x, R, p):
    """R, p of M exp(S x) for a screw whose angular part has unit length or none, (15)-(17)."""
    s, c = sin(x), cos(x)
    w = S[:3]
    square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    for i in range(3):
        for j in range(3):
            R[i, j] = (1.0 - c) * w[i] * w[j]
        R[i, i] += 1.0 - (1.0 - c) * square
    R[2, 1] += s * w[0]
    R[1, 2] -= s * w[0]
    R[0, 2] += s * w[1]
    R[2, 0] -= s * w[1]
    R[1, 0] += s * w[2]
    R[0, 1] -= s * w[2]
    v = S[3:]
    along = w[0] * v[0] + w[1] * v[1] + w[2] * v[2]
    turn = np.empty(3)
    cross(w, v, turn)
    shift = np.empty_like(p)
    for i in range(3):
        shift[i] = x * v[i] + (1.0 - c) * turn[i] + (x - s) * (w[i] * along - square * v[i])
    turned = R.copy()
    for i in range(3):
        p[i] = M[i, 3]
        for j in range(3):
            p[i] += M[i, j] * shift[j]
            R[i, j] = M[i, 0] * turned[0, j] + M[i, 1] * turned[1, j] + M[i, 2] * turned[2, j]


@inline
def to_child(R, p, V, out):
    """Set out = Ad^-1 V: a twist of the parent's frame as seen in the child's."""
    a = np.empty_like(out)
    cross(p, V, a)
    for i in range(3):
        a[3 + i] = V[3 + i] - a[i]
        a[i] = V[i]
    for i in range(3):
        out[i] = R[0, i] * a[0] + R[1, i] * a[1] + R[2, i] * a[2]
        out[3 + i] = R[0, i] * a[3] + R[1, i] * a[4] + R[2, i] * a[5]


@inline
def add_to_parent(R, p, F, out):
    """Add Ad^-T F to out: a wrench of the child's frame in the parent's."""
    force = np.empty_like(p)
    moment = np.empty_like(p)
    for i in range(3):
        force[i] = R[i, 0] * F[3] + R[i, 1] * F[4] + R[i, 2] * F[5]
    cross(p, force, moment)
    for i in range(3):
        out[i] += R[i, 0] * F[0] + R[i, 1] * F[1] + R[i, 2] * F[2] + moment[i]
        out[3 + i] += force[i]


@inline
def bracket(a, b, out):
    """Add [a, b], (5), to out."""
    out[0] += a[1] * b[2] - a[2] * b[1]
    out[1] += a[2] * b[0] - a[0] * b[2]
    out[2] += a[0] * b[1] - a[1] * b[0]
    out[3] += a[1] * b[5] - a[2] * b[4] + a[4] * b[2] - a[5] * b[1]
    out[4] += a[2] * b[3] - a[0] * b[5] + a[5] * b[0] - a[3] * b[2]
    out[5] += a[0] * b[4] - a[1] * b[3] + a[3] * b[1] - a[4] * b[0]


@inline
def gyroscopic(V, H, out):
    """Subtract ad(V)^T H, (7), from out."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] += V[j] * H[k] - V[k] * H[j] + V[3 + j] * H[3 + k] - V[3 + k] * H[3 + j]
        out[3 + i] += V[j] * H[3 + k] - V[k] * H[3 + j]
