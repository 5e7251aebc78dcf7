"""Which products of elastic quantities the equations of motion keep: dual numbers, and the forms of the theory.

The compiled sources run on two kinds of numbers. On real ones they are the nonlinear model. On dual numbers, where
elastic coordinates are dual, every product drops its terms of second order. The dual unit is represented by
eps = 2^-70 i: eps^2 is lost in rounding, as in a derivative by the complex step.

| form | motion of the links | forces and mass matrix | elastic speeds |
|---|---|---|---|
| linear | first order in the deflection | whole: a sum of squares | whole |
| first-order | first order | first order: M_0 + M_1(eta) | whole |
| truncated | first order | first order | first order |
| printed | first order, constant screws | first order | first order |
| nonlinear | whole | whole | whole |
"""

from __future__ import annotations

import numpy as np

from lissom.kernel.compile import kernel
from lissom.theory.dual_screws.motion import TreeMotion

EPS = 2.0**-70  # size of the dual unit
LINEAR, FIRST_ORDER, TRUNCATED, PRINTED, NONLINEAR = range(5)  # in the order of `formulation.FORMS`


@kernel
def dual_state(model, q, v, form):
    """Complex copies of a state whose elastic coordinates are dual; so are elastic speeds where the form cuts them."""
    qh = q.astype(np.complex128)
    vh = v.astype(np.complex128)
    speed = 1j * EPS if form in (TRUNCATED, PRINTED) else 1.0 + 0.0j
    for i in range(1, model.tree.parent.shape[0]):
        for k in range(model.tree.modes[i]):
            qh[model.tree.modes_q[i] + k] *= 1j * EPS
            vh[model.tree.modes_v[i] + k] *= speed
    return qh, vh


@kernel
def summed(x):
    """Real plus dual part of an array of dual numbers."""
    return x.real + x.imag / EPS


@kernel
def summed_motion(motion):
    """Return a dual motion as real numbers: of first order, and free to be multiplied."""
    return TreeMotion(summed(motion.R), summed(motion.p), summed(motion.omega), summed(motion.gamma), summed(motion.P))
