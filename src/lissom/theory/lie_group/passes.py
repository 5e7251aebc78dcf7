"""The two passes over an arm, compiled: frames and Jacobians outwards, the Newton-Euler recursion out and back.

Plain loops over states and nodes, for real and complex numbers. Rotations and positions of a node on its parent are
M exp(S x), with the exponential of (15)-(17).
"""

import numpy as np

from lissom.kernel.compile import kernel
from lissom.theory.screw_algebra import add_to_parent, bracket, gyroscopic, relative_pose, to_child


@kernel
def outward(parent, M, S, column, x, f, B):
    """Frames f (b, N, 4, 4) in the world and Jacobians B (b, N, 6, n) in node frames, at the states x (b, n).

    Equations: 002 (23).
    """
    R, p = np.empty((3, 3), x.dtype), np.empty(3, x.dtype)
    for b in range(x.shape[0]):
        for i in range(parent.shape[0]):
            moved = x[b, column[i]] if column[i] >= 0 else 0.0 * x[b, 0]
            relative_pose(M[i], S[i], moved, R, p)
            up = parent[i]
            for r in range(3):
                for c in range(3):
                    f[b, i, r, c] = R[r, c]
                f[b, i, r, 3] = p[r]
            f[b, i, 3, 3] = 1.0
            if up >= 0:
                G = f[b, up]
                for r in range(3):
                    for c in range(3):
                        f[b, i, r, c] = G[r, 0] * R[0, c] + G[r, 1] * R[1, c] + G[r, 2] * R[2, c]
                    f[b, i, r, 3] = G[r, 3] + G[r, 0] * p[0] + G[r, 1] * p[1] + G[r, 2] * p[2]
                for k in range(x.shape[1]):
                    to_child(R, p, B[b, up, :, k], B[b, i, :, k])
            if column[i] >= 0:
                for r in range(6):
                    B[b, i, r, column[i]] = S[i, r]


@kernel
def newton_euler(parent, M, S, column, J, base, x, xd, xdd, V, Vdot, F, tau):
    """Twists, their rates, transmitted wrenches (b, N, 6) and joint forces (b, n); (22)-(27) with the right inverses.

    `base` (6,) is the acceleration given to the world: gravity with its sign turned.

    Equations: 002 (22)-(27).
    """
    nodes = parent.shape[0]
    R, p = np.empty((nodes, 3, 3), x.dtype), np.empty((nodes, 3), x.dtype)
    momentum = np.empty(6, x.dtype)
    still, rate = np.zeros(6, x.dtype), np.empty(6, x.dtype)
    for b in range(x.shape[0]):
        for i in range(nodes):
            k, up = column[i], parent[i]
            moved = x[b, k] if k >= 0 else 0.0 * x[b, 0]
            relative_pose(M[i], S[i], moved, R[i], p[i])
            to_child(R[i], p[i], V[b, up] if up >= 0 else still, V[b, i])
            to_child(R[i], p[i], Vdot[b, up] if up >= 0 else base, Vdot[b, i])
            if k >= 0:
                for r in range(6):
                    rate[r] = S[i, r] * xd[b, k]
                bracket(V[b, i], rate, Vdot[b, i])
                for r in range(6):
                    V[b, i, r] += rate[r]
                    Vdot[b, i, r] += S[i, r] * xdd[b, k]
        for i in range(nodes - 1, -1, -1):
            for r in range(6):
                momentum[r] = 0.0
                for c in range(6):
                    momentum[r] += J[i, r, c] * V[b, i, c]
                    F[b, i, r] += J[i, r, c] * Vdot[b, i, c]
            gyroscopic(V[b, i], momentum, F[b, i])
            if column[i] >= 0:
                for r in range(6):
                    tau[b, column[i]] += S[i, r] * F[b, i, r]
            if parent[i] >= 0:
                add_to_parent(R[i], p[i], F[b, i], F[b, parent[i]])
