"""The forms of the theory as lissom's integrators call its own dynamics, to run in the same compiled loop.

inverse(model, work, q, v, a, wrench, tau) and forward(model, work, q, v, tau, wrench, a); the workspace is the kernel's
own and stays unused. Each form compiles only what it needs.
"""

from __future__ import annotations

import numpy as np

from lissom.kernel.machine import kernel
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


@kernel
def nonlinear_inverse(model, work, q, v, a, wrench, tau):
    forces(model, q, v, a, wrench, motion(model, q, v, False), False, tau, np.empty(wrench.shape))
    add_joint_forces(model, q, v, tau)
    add_joint_momenta(model, a, tau)


@kernel
def nonlinear_forward(model, work, q, v, tau, wrench, a):
    M = np.empty((v.shape[0], v.shape[0]))
    c = np.empty(v.shape[0])
    mass(model, q, v, motion(model, q, v, False), False, M, c)
    add_joint_forces(model, q, v, c)
    add_joint_inertia(model, M)
    solve_positive(M, tau - c, a)


@kernel
def linear_inverse(model, work, q, v, a, wrench, tau):
    qh, vh = dual_state(model, q, v, LINEAR)
    moving = summed_motion(motion(model, qh, vh, False))
    forces(model, q, v, a, wrench, moving, False, tau, np.empty(wrench.shape))
    add_joint_forces(model, q, v, tau)
    add_joint_momenta(model, a, tau)


@kernel
def linear_forward(model, work, q, v, tau, wrench, a):
    M = np.empty((v.shape[0], v.shape[0]))
    c = np.empty(v.shape[0])
    qh, vh = dual_state(model, q, v, LINEAR)
    mass(model, q, v, summed_motion(motion(model, qh, vh, False)), False, M, c)
    add_joint_forces(model, q, v, c)
    add_joint_inertia(model, M)
    solve_positive(M, tau - c, a)


@kernel
def cut_inverse(model, q, v, a, wrench, form, tau):
    """Inverse dynamics of the forms whose forces are dual."""
    printed = form == PRINTED
    qh, vh = dual_state(model, q, v, form)
    tauh = np.empty(tau.shape, np.complex128)
    W = np.empty(wrench.shape, np.complex128)
    forces(model, qh, vh, a, wrench, motion(model, qh, vh, printed), printed, tauh, W)
    tau[:] = summed(tauh)
    add_joint_forces(model, q, v, tau)
    add_joint_momenta(model, a, tau)


@kernel
def cut_forward(model, q, v, tau, form, a):
    """Forward dynamics of the forms whose mass matrix is dual."""
    printed = form == PRINTED
    qh, vh = dual_state(model, q, v, form)
    Mh = np.empty((v.shape[0], v.shape[0]), np.complex128)
    ch = np.empty(v.shape, np.complex128)
    mass(model, qh, vh, motion(model, qh, vh, printed), printed, Mh, ch)
    M = summed(Mh)
    c = summed(ch)
    add_joint_forces(model, q, v, c)
    add_joint_inertia(model, M)
    solve_positive(M, tau - c, a)


@kernel
def first_order_inverse(model, work, q, v, a, wrench, tau):
    cut_inverse(model, q, v, a, wrench, FIRST_ORDER, tau)


@kernel
def first_order_forward(model, work, q, v, tau, wrench, a):
    cut_forward(model, q, v, tau, FIRST_ORDER, a)


@kernel
def truncated_inverse(model, work, q, v, a, wrench, tau):
    cut_inverse(model, q, v, a, wrench, TRUNCATED, tau)


@kernel
def truncated_forward(model, work, q, v, tau, wrench, a):
    cut_forward(model, q, v, tau, TRUNCATED, a)


@kernel
def printed_inverse(model, work, q, v, a, wrench, tau):
    cut_inverse(model, q, v, a, wrench, PRINTED, tau)


@kernel
def printed_forward(model, work, q, v, tau, wrench, a):
    cut_forward(model, q, v, tau, PRINTED, a)


FORMS = {
    "linear": (linear_inverse, linear_forward),
    "first-order": (first_order_inverse, first_order_forward),
    "truncated": (truncated_inverse, truncated_forward),
    "printed": (printed_inverse, printed_forward),
    "nonlinear": (nonlinear_inverse, nonlinear_forward),
}
