"""Jacobian of a body frame: its twist in its own axes per unit of every velocity."""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.maths.algebra import add, compose, cross, matrix, rotate, rotate_back, vector


@inline
def set_column(J, column, R, p, angular, linear):
    """Set a column to the twist (angular, linear) of an inner frame, seen at the frame (R, p) fixed to it."""
    a = rotate_back(R, angular)
    b = rotate_back(R, add(linear, cross(angular, p)))
    for k in range(3):
        J[k, column] = a[k]
        J[3 + k, column] = b[k]


@kernel
def frame_jacobian(model, work, i, J):
    """Compute J (6, nv) of body frame i, after the outward pass: twist (omega, v) in the frame's axes."""
    zero = work.zero
    for row in range(6):
        for column in range(J.shape[1]):
            J[row, column] = zero
    R = matrix(work.rotation[0])
    p = (zero, zero, zero)
    while i > 0:
        for k in range(model.joints.dofs[i]):
            s = work.subspace[i, k]
            set_column(J, model.tree.joint_v[i] + k, R, p, vector(s[0:3]), vector(s[3:6]))
        up = model.tree.parent[i]
        out = matrix(work.rotation[i])
        p = rotate(out, p)
        R = compose(out, R)
        reach = work.reach[i]
        for j in range(model.tree.modes[up]):
            angular = (reach[0, j], reach[1, j], reach[2, j])
            linear = (reach[3, j], reach[4, j], reach[5, j])
            set_column(J, model.tree.modes_v[up] + j, R, p, angular, linear)
        p = add(p, vector(work.position[i]))
        i = up
