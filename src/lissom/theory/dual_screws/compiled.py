"""The forms of the theory as lissom's integrators call its own dynamics, to run in the same compiled loop.

inverse(model, work, q, v, a, wrench, tau) and forward(model, work, q, v, tau, wrench, a); the workspace is the kernel's
own and stays unused. Each form compiles only what it needs.
"""

from __future__ import annotations

import numpy as np

from lissom.kernel.compile import inline, kernel
from lissom.theory.dual_screws.equations import forces, mass
from lissom.theory.dual_screws.joints import add_joint_forces, add_joint_inertia, add_joint_momenta
from lissom.theory.dual_screws.motion import motion
from lissom.theory.dual_screws.orders import (
    FIRST_ORDER,
    LINEAR,
    PRINTED,
    TRUNCATED,
    dual_state,
    summed,
    summed_motion,
)
from lissom.theory.linear import solve_positive


@inline
def add_joints(model, q, v, a, tau):
    """Add forces and momenta of what sits in the joints."""
    add_joint_forces(model, q, v, tau)
    add_joint_momenta(model, a, tau)


@inline
def solve(model, q, v, tau, M, c, a):
    """Accelerations of (M + joints) a + c + joints = tau."""
    add_joint_forces(model, q, v, c)
    add_joint_inertia(model, M)
    solve_positive(M, tau - c, a)


@inline
def inverse_of(model, q, v, a, wrench, moving, tau):
    """Inverse dynamics of the forms whose forces are plain numbers, of a motion that may have been dual."""
    forces(model, q, v, a, wrench, moving, False, np.zeros(model.inertia.coupling.shape), tau, np.empty(wrench.shape))
    add_joints(model, q, v, a, tau)


@inline
def forward_of(model, q, v, tau, moving, a):
    """Forward dynamics of the same."""
    M = np.empty((v.shape[0], v.shape[0]))
    c = np.empty(v.shape[0])
    mass(model, q, v, moving, False, np.zeros(model.inertia.coupling.shape), M, c)
    solve(model, q, v, tau, M, c, a)


@inline
def linear_motion(model, q, v):
    """Return the motion without what is of second order in the deflection."""
    qh, vh = dual_state(model, q, v, LINEAR)
    return summed_motion(motion(model, qh, vh, False))


@kernel
def nonlinear_inverse(model, work, q, v, a, wrench, tau):
    """Compute inverse dynamics with the whole motion of the sections."""
    inverse_of(model, q, v, a, wrench, motion(model, q, v, False), tau)


@kernel
def nonlinear_forward(model, work, q, v, tau, wrench, a):
    """Compute forward dynamics with the whole motion of the sections."""
    forward_of(model, q, v, tau, motion(model, q, v, False), a)


@kernel
def linear_inverse(model, work, q, v, a, wrench, tau):
    """Compute inverse dynamics with the motion to first order of the deflection."""
    inverse_of(model, q, v, a, wrench, linear_motion(model, q, v), tau)


@kernel
def linear_forward(model, work, q, v, tau, wrench, a):
    """Compute forward dynamics with the motion to first order of the deflection."""
    forward_of(model, q, v, tau, linear_motion(model, q, v), a)


@kernel
def cut_inverse(model, q, v, a, wrench, form, turning, tau):
    """Compute inverse dynamics of the forms whose forces are dual."""
    printed = form == PRINTED
    qh, vh = dual_state(model, q, v, form)
    tauh = np.empty(tau.shape, np.complex128)
    W = np.empty(wrench.shape, np.complex128)
    forces(model, qh, vh, a, wrench, motion(model, qh, vh, printed), printed, turning, tauh, W)
    total = summed(tauh)
    for k in range(tau.shape[0]):
        tau[k] = total[k]
    add_joints(model, q, v, a, tau)


@kernel
def cut_forward(model, q, v, tau, form, turning, a):
    """Compute forward dynamics of the forms whose mass matrix is dual."""
    printed = form == PRINTED
    qh, vh = dual_state(model, q, v, form)
    Mh = np.empty((v.shape[0], v.shape[0]), np.complex128)
    ch = np.empty(v.shape, np.complex128)
    mass(model, qh, vh, motion(model, qh, vh, printed), printed, turning, Mh, ch)
    solve(model, q, v, tau, summed(Mh), summed(ch), a)


@kernel
def first_order_inverse(model, work, q, v, a, wrench, tau):
    """Compute inverse dynamics with forces and masses cut at first order."""
    cut_inverse(model, q, v, a, wrench, FIRST_ORDER, np.zeros(model.inertia.coupling.shape), tau)


@kernel
def first_order_forward(model, work, q, v, tau, wrench, a):
    """Compute forward dynamics with forces and masses cut at first order."""
    cut_forward(model, q, v, tau, FIRST_ORDER, np.zeros(model.inertia.coupling.shape), a)


@kernel
def truncated_inverse(model, work, q, v, a, wrench, tau):
    """Compute inverse dynamics with the truncated form."""
    cut_inverse(model, q, v, a, wrench, TRUNCATED, np.zeros(model.inertia.coupling.shape), tau)


@kernel
def truncated_forward(model, work, q, v, tau, wrench, a):
    """Compute forward dynamics with the truncated form."""
    cut_forward(model, q, v, tau, TRUNCATED, np.zeros(model.inertia.coupling.shape), a)


@kernel
def printed_inverse(model, own, q, v, a, wrench, tau):
    """Compute inverse dynamics with the equations as printed."""
    cut_inverse(own.model, q, v, a, wrench, PRINTED, own.turning, tau)


@kernel
def printed_forward(model, own, q, v, tau, wrench, a):
    """Compute forward dynamics with the equations as printed."""
    cut_forward(own.model, q, v, tau, PRINTED, own.turning, a)


FORMS = {
    "linear": (linear_inverse, linear_forward),
    "first-order": (first_order_inverse, first_order_forward),
    "truncated": (truncated_inverse, truncated_forward),
    "printed": (printed_inverse, printed_forward),
    "nonlinear": (nonlinear_inverse, nonlinear_forward),
}
