"""Twists and wrenches as pairs of three-vectors, for the compiled equations.

Twists are pairs (omega, v), wrenches pairs (torque, force). A pose (R, p) leads from frame a to frame b.
"""

from __future__ import annotations

from lissom.kernel.algebra import add, cross, rotate_back, store_vector
from lissom.kernel.machine import inline


@inline
def load_pair(a):
    return (a[0], a[1], a[2]), (a[3], a[4], a[5])


@inline
def store_pair(out, a, b):
    store_vector(out, a)
    store_vector(out[3:], b)


@inline
def twist_at(R, p, w, v):
    """Ad(g^-1) (w, v): a twist given in frame a, as frame b sees it."""
    return rotate_back(R, w), rotate_back(R, add(v, cross(w, p)))


@inline
def bracket(w, v, a, b):
    """ad(w, v) (a, b)."""
    return cross(w, a), add(cross(v, a), cross(w, b))
