"""The equivalent rigid-link system: rigid frames that turn and slide with the joint coordinates theta."""

from __future__ import annotations

import numpy as np

from lissom.kernel.compile import inline, kernel
from lissom.kernel.maths.algebra import (
    add,
    compose,
    cross,
    dot,
    identity,
    matrix,
    rotate,
    scale,
    store_matrix,
    store_vector,
    subtract,
    turn_matrix,
    vector,
)
from lissom.theory.screw_pairs import bracket, load_pair, store_pair, twist_at


@inline
def exponential(w, v, x):
    """exp(S x) of a screw (w, v) whose angular part has unit length or none: rotation and translation."""
    if dot(w, w) == 0.0:
        return identity(0.0), scale(x, v)
    along = subtract(scale(dot(w, v), w), v)  # w x (w x v)
    bent = add(scale(1.0 - np.cos(x), cross(w, v)), scale(x - np.sin(x), along))
    return turn_matrix(w, x), add(scale(x, v), bent)


@kernel
def relate(table, work):
    """Every node's frame as its parent sees it, at work.theta."""
    for i in range(table.parent.shape[0]):
        k = table.coordinate[i]
        w, v = load_pair(table.screw[i])
        R, p = exponential(w, v, work.theta[k] if k >= 0 else 0.0)
        origin = matrix(table.origin_R[i])
        p = add(vector(table.origin_p[i]), rotate(origin, p))
        store_matrix(work.R[i], compose(origin, R))
        store_vector(work.p[i], p)
        store_vector(work.reach[i], add(vector(table.place[i]), p))


@inline
def from_parent(work, i, x):
    """Return a displacement or twist of the parent's frame, as node i sees it at its own origin."""
    a, b = load_pair(x)
    return twist_at(matrix(work.R[i]), vector(work.reach[i]), a, b)


@kernel
def outward(table, work):
    """Poses, twists and accelerations of all frames at the rates and second rates of theta in `work`.

    Equations: 001 (29)-(30), (39)-(40), (70).
    """
    for i in range(table.parent.shape[0]):
        k, up = table.coordinate[i], table.parent[i]
        R, p = matrix(work.R[i]), vector(work.reach[i])
        w, u = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        dw, du = w, u
        if up >= 0:
            turn = matrix(work.world_R[up])
            p = add(vector(work.world_p[up]), rotate(turn, p))
            R = compose(turn, R)
            w, u = from_parent(work, i, work.V[up])
            # rate of the twist: that of the point, in the moving frame's axes
            a, b = load_pair(work.V[up])
            dw, du = load_pair(work.A[up])
            dw, du = twist_at(matrix(work.R[i]), vector(work.reach[i]), dw, subtract(du, cross(a, b)))
        store_matrix(work.world_R[i], R)
        store_vector(work.world_p[i], p)
        if k >= 0:
            a, b = load_pair(table.screw[i])
            rate, second = work.theta_rate[k], work.theta_second[k]
            a, b = scale(rate, a), scale(rate, b)
            w, u = add(w, a), add(u, b)
            c, d = bracket(w, u, a, b)
            dw, du = add(dw, c), add(du, d)
            a, b = load_pair(table.screw[i])
            dw, du = add(dw, scale(second, a)), add(du, scale(second, b))
        store_pair(work.V[i], w, u)
        store_pair(work.A[i], dw, add(du, cross(w, u)))


@kernel
def jacobians(table, work):
    """J of every node: twist = J thetadot.

    Equations: 001 (41).
    """
    for i in range(table.parent.shape[0]):
        k, up = table.coordinate[i], table.parent[i]
        for c in range(work.J.shape[2]):
            a, b = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            if up >= 0:
                a, b = from_parent(work, i, work.J[up, :, c])
            for r in range(3):
                work.J[i, r, c] = a[r]
                work.J[i, 3 + r, c] = b[r]
        if k >= 0:
            for r in range(6):
                work.J[i, r, k] = table.screw[i, r]
