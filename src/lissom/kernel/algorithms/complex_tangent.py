"""Directions in which a configuration changes, as imaginary parts: q + i h s, h the complex step.

s (nv,) is written along velocity coordinates, so quaternions change on their group.
"""

from __future__ import annotations

from lissom.kernel.algorithms.complex_step import STEP
from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.arrays import FIRST_ORDER
from lissom.kernel.maths.algebra import cross, quaternion_matrix, rotate_back, scale, store_vector, subtract, vector
from lissom.kernel.maths.chart import move, quaternion


@inline
def lay(x, s, out):
    """Set out = x + i h s, of plain vectors."""
    for k in range(x.shape[0]):
        out[k] = complex(x[k], STEP * s[k])


@inline
def read(x, s):
    """Read s of x = ... + i h s, of plain vectors."""
    for k in range(x.shape[0]):
        s[k] = x[k].imag / STEP


@kernel
def lay_tangent(model, q, s, u, out):
    """Set out = q (+) i h s; `u` (nv,) is complex scratch memory."""
    for k in range(s.shape[0]):
        u[k] = complex(0.0, STEP * s[k])
    move(model, q, u, out)


@inline
def imaginary(a):
    """Return the imaginary parts of three numbers, in units of the complex step."""
    return (a[0].imag / STEP, a[1].imag / STEP, a[2].imag / STEP)


@inline
def real(a):
    """Return the real parts of three numbers."""
    return (a[0].real, a[1].real, a[2].real)


@kernel
def read_tangent(model, q, s):
    """Read s (nv,) of a configuration q (+) i h s."""
    for k in range(s.shape[0]):
        axis = model.velocities.group_axis[k]
        at = model.velocities.coordinate[k]
        if axis == -1:
            s[k] = q[at].imag / STEP
        elif axis == FIRST_ORDER:
            s[k] = 0.0
        elif axis == 0:  # twice the vector part of (conjugate of q) times its change
            w, p = quaternion(q[at:])
            dw, dp = w.imag / STEP, imaginary(p)
            turned = subtract(scale(w.real, dp), scale(dw, real(p)))
            store_vector(s[k:], scale(2.0, subtract(turned, cross(real(p), dp))))
        elif axis == 3:
            R = quaternion_matrix(q[at].real, q[at + 1].real, q[at + 2].real, q[at + 3].real)
            store_vector(s[k:], rotate_back(R, imaginary(vector(q[at + 4 :]))))
