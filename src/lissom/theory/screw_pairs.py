"""Twists and wrenches as pairs of three-vectors, for compiled equations; angular part first.

Twists are pairs (omega, v), wrenches pairs (torque, force). A pose (R, p) leads from frame a to frame b.
"""

from __future__ import annotations

from lissom.kernel.compile import inline
from lissom.kernel.maths.algebra import add, cross, dot, rotate, rotate_back, store_vector, subtract


@inline
def load_pair(a):
    """Return the two halves of a vector of six."""
    return (a[0], a[1], a[2]), (a[3], a[4], a[5])


@inline
def store_pair(out, a, b):
    """Write a pair to a vector of six."""
    store_vector(out, a)
    store_vector(out[3:], b)


@inline
def add_pair(out, a, b):
    """Add a pair to a vector of six."""
    for r in range(3):
        out[r] += a[r]
        out[3 + r] += b[r]


@inline
def work_pair(row, a, b):
    """Product of a stored twist with a wrench, or of a stored wrench with a twist."""
    return dot(row, a) + row[3] * b[0] + row[4] * b[1] + row[5] * b[2]


@inline
def twist_at(R, p, w, v):
    """Ad(g^-1) (w, v): a twist given in frame a, as frame b sees it."""
    return rotate_back(R, w), rotate_back(R, add(v, cross(w, p)))


@inline
def wrench_from(R, p, t, f):
    """Ad(g^-1)^T (t, f): a wrench given in frame b, as frame a sees it."""
    f = rotate(R, f)
    return add(rotate(R, t), cross(p, f)), f


@inline
def bracket(w, v, a, b):
    """ad(w, v) (a, b)."""
    return cross(w, a), add(cross(v, a), cross(w, b))


@inline
def dual_bracket(w, v, t, f):
    """ad(w, v)^T (t, f)."""
    return subtract(cross(t, w), cross(v, f)), cross(f, w)
