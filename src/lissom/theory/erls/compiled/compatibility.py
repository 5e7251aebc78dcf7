"""Compatibility of displacements at the joints, C(theta) q = 0, and the rigid coordinates that follow from it.

The gap at a joint is the displacement of the child's origin less that of the place which carries it, as the child sees
both. A joint closes it in the directions B that it holds; what is left along its own coordinate is its slip:

    gap_i = q_r,i + proximal_i q_d,i - T_i (A_i q_r,up + shapes_i q_d,up),    C q = B gap,    slip = a . gap

T_i takes displacements of the joint's place into the child's frame, T_i A_i those of the parent's origin. The rigid
coordinates are the smallest that close all gaps, q_r = C_r^T lambda, (C_r C_r^T) lambda = -B gap(q_d): (6)-(11).
Only T depends on theta, dT/dtheta = -ad(S) T. Velocities and accelerations are the exact derivatives of that solution;
the change of the pseudoinverse, which (14) and (22) leave out, is what `turned` brings in.
"""

from __future__ import annotations

import numpy as np

from lissom.kernel.compile import inline, kernel
from lissom.kernel.maths.algebra import add, matrix, scale, subtract, vector
from lissom.theory.erls.compiled.frames import from_parent
from lissom.theory.screw_pairs import (
    add_pair,
    bracket,
    dual_bracket,
    load_pair,
    store_pair,
    twist_at,
    work_pair,
    wrench_from,
)


@inline
def clear(x):
    """Clear x, an array with two axes."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] = 0.0


@inline
def to_parent(work, i, t, f):
    """Return a wrench on node i as the parent's frame feels it: the transpose of `from_parent`."""
    return wrench_from(matrix(work.R[i]), vector(work.reach[i]), t, f)


@inline
def bent_place(table, work, i, q):
    """T_i shapes_i q_d,up: what the parent's elastic coordinates (in q, (N, k)) do to the joint of node i."""
    up = table.parent[i]
    a, b = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for j in range(table.modes[up]):
        w, v = load_pair(table.shapes[i, j])
        a, b = add(a, scale(q[up, 6 + j], w)), add(b, scale(q[up, 6 + j], v))
    return twist_at(matrix(work.R[i]), vector(work.p[i]), a, b)


@inline
def bent_origin(table, i, q):
    """proximal_i q_d,i."""
    a, b = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for j in range(table.modes[i]):
        w, v = load_pair(table.proximal[i, j])
        a, b = add(a, scale(q[i, 6 + j], w)), add(b, scale(q[i, 6 + j], v))
    return a, b


@inline
def seen_place(table, work, i, q):
    """T_i (A_i q_r,up + shapes_i q_d,up): displacement of the joint's place, as node i sees it."""
    a, b = from_parent(work, i, q[table.parent[i]])
    c, d = bent_place(table, work, i, q)
    return add(a, c), add(b, d)


@inline
def bent_gap(table, work, i, q):
    """Gap at node i by the elastic coordinates in q alone."""
    a, b = bent_origin(table, i, q)
    if table.parent[i] >= 0:
        c, d = bent_place(table, work, i, q)
        a, b = subtract(a, c), subtract(b, d)
    return a, b


@kernel
def factorise(table, work):
    """Cholesky factor of C_r C_r^T, within its envelope; row by row the parent's columns of C_r are -pull."""
    for i in range(table.parent.shape[0]):
        for h in range(table.held[i]):
            t, f = load_pair(table.basis[i, h])
            t, f = to_parent(work, i, t, f)
            store_pair(work.pull[i, h], t, f)
    L = work.factor
    for i in range(table.parent.shape[0]):
        up = table.parent[i]
        for h in range(table.held[i]):
            r = table.row[i] + h
            for c in range(table.envelope[r], r):
                L[r, c] = 0.0
            L[r, r] = 1.0
            if up >= 0:
                for c in range(table.held[up]):
                    L[r, table.row[up] + c] = -dot6(work.pull[i, h], table.basis[up, c])
                for j in range(i + 1):
                    if table.parent[j] == up:
                        for c in range(h + 1 if j == i else table.held[j]):
                            L[r, table.row[j] + c] += dot6(work.pull[i, h], work.pull[j, c])
    for r in range(L.shape[0]):
        begin = table.envelope[r]
        for c in range(begin, r + 1):
            total = L[r, c]
            for k in range(max(begin, table.envelope[c]), c):
                total -= L[r, k] * L[c, k]
            L[r, c] = np.sqrt(total) if c == r else total / L[c, c]


@inline
def dot6(a, b):
    """Return the scalar product of two vectors of six."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@kernel
def close(table, work, shift, gap, hold, out):
    """Set out = shift + the smallest rigid displacements that close `gap` and the gaps of `shift`; all (N, 6).

    `hold` is B^T lambda of the multipliers lambda; `out` may be `shift`.

    Equations: 001 (11).
    """
    x, L, N = work.multiplier, work.factor, table.parent.shape[0]
    for i in range(N):
        up = table.parent[i]
        # B (gap + shift - X shift_parent), with its sign turned: what the displacements must close
        a, b = load_pair(gap[i])
        c, d = load_pair(shift[i])
        a, b = add(a, c), add(b, d)
        if up >= 0:
            c, d = from_parent(work, i, shift[up])
            a, b = subtract(a, c), subtract(b, d)
        for h in range(table.held[i]):
            x[table.row[i] + h] = -work_pair(table.basis[i, h], a, b)
    # B B^T lambda = x by the factors L L^T, within their envelope
    for r in range(L.shape[0]):
        total = x[r]
        for c in range(table.envelope[r], r):
            total -= L[r, c] * x[c]
        x[r] = total / L[r, r]
    for back in range(L.shape[0]):
        r = L.shape[0] - 1 - back
        x[r] /= L[r, r]
        for c in range(table.envelope[r], r):
            x[c] -= L[r, c] * x[r]
    for i in range(N):
        # smallest displacements: B^T lambda, and less of it on the parent, whose end the gap is at
        for r in range(6):
            total = 0.0
            for h in range(table.held[i]):
                total += table.basis[i, h, r] * x[table.row[i] + h]
            hold[i, r] = total
            out[i, r] = shift[i, r] + total
    for i in range(N):
        if table.parent[i] >= 0:
            t, f = load_pair(hold[i])
            t, f = to_parent(work, i, t, f)
            add_pair(out[table.parent[i]], scale(-1.0, t), scale(-1.0, f))


@kernel
def place(table, work):
    """Modal coordinates at theta and the elastic coordinates in work.q: (11); slip and what turning a joint changes.

    Equations: 001 (11).
    """
    factorise(table, work)
    clear(work.shift)
    for i in range(table.parent.shape[0]):
        a, b = bent_gap(table, work, i, work.q)
        store_pair(work.gap[i], a, b)
    close(table, work, work.shift, work.gap, work.hold, work.q)
    for i in range(table.parent.shape[0]):
        k, up = table.coordinate[i], table.parent[i]
        if up >= 0:
            w, v = load_pair(table.screw[i])
            a, b = seen_place(table, work, i, work.q)
            store_pair(work.seen[i], a, b)
            a, b = bracket(w, v, a, b)
            store_pair(work.swing[i], a, b)
            t, f = load_pair(work.hold[i])
            t, f = dual_bracket(w, v, t, f)
            t, f = to_parent(work, i, t, f)
            store_pair(work.turned[i], t, f)
        if k >= 0:
            a, b = bent_origin(table, i, work.q)
            c, d = load_pair(work.q[i])
            a, b = add(a, c), add(b, d)
            c, d = load_pair(work.seen[i])
            work.slip[k] = work_pair(table.basis[i, 5], subtract(a, c), subtract(b, d))


@kernel
def turn_column(table, work, i, out):
    """G of (14), with the change of the pseudoinverse: d q_r / d theta (N, 6) of the joint of node i.

    Equations: 001 (13)-(14).
    """
    up = table.parent[i]
    clear(work.gap)
    clear(out)
    if up >= 0:
        a, b = load_pair(work.swing[i])
        store_pair(work.gap[i], a, b)
        a, b = load_pair(work.turned[i])
        store_pair(out[up], a, b)
    close(table, work, out, work.gap, work.strain, out)


@inline
def slip_of(table, work, i, change, gap):
    """Change of the slip at node i by rigid displacements and by a gap that they leave as it is; both (N, 6)."""
    a, b = load_pair(change[i])
    c, d = load_pair(gap[i])
    a, b = add(a, c), add(b, d)
    if table.parent[i] >= 0:
        c, d = from_parent(work, i, change[table.parent[i]])
        a, b = subtract(a, c), subtract(b, d)
    return work_pair(table.basis[i, 5], a, b)


@kernel
def joint_slopes(table, work):
    """slope: derivatives of the joint displacements theta + slip by theta."""
    for i in range(table.parent.shape[0]):
        k = table.coordinate[i]
        if k >= 0:
            turn_column(table, work, i, work.column)
            for j in range(table.parent.shape[0]):
                if table.coordinate[j] >= 0:
                    work.slope[table.coordinate[j], k] = slip_of(table, work, j, work.column, work.gap)
            work.slope[k, k] += 1.0


@inline
def change_of(table, work, rate, q, gap, shift):
    """Compute gap and shift of first derivatives: theta changes by rate (n,), elastic coordinates by q (N, k).

    Equations: 001 (12).
    """
    clear(shift)
    for i in range(table.parent.shape[0]):
        k, up = table.coordinate[i], table.parent[i]
        a, b = bent_gap(table, work, i, q)
        if k >= 0:
            c, d = load_pair(work.swing[i])
            a, b = add(a, scale(rate[k], c)), add(b, scale(rate[k], d))
            if up >= 0:
                c, d = load_pair(work.turned[i])
                add_pair(shift[up], scale(rate[k], c), scale(rate[k], d))
        store_pair(gap[i], a, b)


@kernel
def move(table, work):
    """Velocities of the modal coordinates, and the terms (23) of their accelerations, at the rates in `work`.

    Equations: 001 (14), (18)-(19), (22)-(24).
    """
    change_of(table, work, work.theta_rate, work.q_rate, work.gap, work.shift)
    close(table, work, work.shift, work.gap, work.hold_rate, work.q_rate)
    clear(work.shift)
    clear(work.gap)
    for i in range(table.parent.shape[0]):
        k, up = table.coordinate[i], table.parent[i]
        if up >= 0 and k >= 0:
            a, b = seen_place(table, work, i, work.q_rate)
            w, v = load_pair(table.screw[i])
            rate = work.theta_rate[k]
            # gap'' = 2 rate ad(S) seen' - rate^2 ad(S)^2 seen, and its transpose on lambda
            c, d = load_pair(work.swing[i])
            a, b = subtract(scale(2.0 * rate, a), scale(rate**2, c)), subtract(scale(2.0 * rate, b), scale(rate**2, d))
            a, b = bracket(w, v, a, b)
            store_pair(work.gap[i], a, b)
            t, f = load_pair(work.hold[i])
            t, f = dual_bracket(w, v, t, f)
            c, d = load_pair(work.hold_rate[i])
            t, f = subtract(scale(2.0 * rate, c), scale(rate**2, t)), subtract(scale(2.0 * rate, d), scale(rate**2, f))
            t, f = dual_bracket(w, v, t, f)
            t, f = to_parent(work, i, t, f)
            add_pair(work.shift[up], t, f)
    close(table, work, work.shift, work.gap, work.strain, work.bias)
    for i in range(table.parent.shape[0]):
        k = table.coordinate[i]
        if k >= 0:
            work.slip_bias[k] = slip_of(table, work, i, work.bias, work.gap)


@kernel
def accelerate(table, work):
    """Accelerations of the rigid coordinates at the second rates in `work`, by (24).

    Equations: 001 (22)-(24), (70).
    """
    change_of(table, work, work.theta_second, work.q_second, work.gap, work.shift)
    close(table, work, work.shift, work.gap, work.strain, work.shift)
    for i in range(table.parent.shape[0]):
        for r in range(6):
            work.q_second[i, r] = work.shift[i, r] + work.bias[i, r]


@kernel
def elastic_slips(table, work, q, out):
    """Change (n,) of the slips by the elastic coordinates in q (N, k), theta held."""
    clear(work.column)
    for i in range(table.parent.shape[0]):
        a, b = bent_gap(table, work, i, q)
        store_pair(work.gap[i], a, b)
    close(table, work, work.column, work.gap, work.strain, work.column)
    for i in range(table.parent.shape[0]):
        if table.coordinate[i] >= 0:
            out[table.coordinate[i]] = slip_of(table, work, i, work.column, work.gap)
