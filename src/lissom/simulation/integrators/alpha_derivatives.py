"""Derivatives of the steps of generalised-alpha by parameters; see `step_derivatives`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.algorithms.complex_step import STEP
from lissom.kernel.algorithms.complex_tangent import read
from lissom.kernel.compile import Struct, inline, kernel
from lissom.simulation.equations.system import residual
from lissom.simulation.integrators import generalised_alpha, one_stage_matrix
from lissom.simulation.integrators.integrator_state import LAST_STEP, TIME
from lissom.simulation.integrators.step_derivatives import (
    ITERATIONS,
    end_step,
    lay_start,
    refine,
    set_parameter,
    weigh,
)

STAGES, ORDER = 1, 3
LAST, JERK = range(2)  # the method's own accelerations, in Variation.stages


class AlphaDerivatives(NamedTuple):
    """The method's own accelerations: complex ones as `generalised_alpha.advance` takes them, and a correction."""

    a: np.ndarray  # (n,)
    a_new: np.ndarray  # (n,)
    step: np.ndarray  # (1, n) real


def make_own(n: int) -> Any:
    """Return memory for complex accelerations within a step of n coordinates."""
    return Struct(AlphaDerivatives(np.zeros(n, complex), np.zeros(n, complex), np.zeros((1, n))))


@inline
def predict(variation, j, h, alpha_m, alpha_f):
    """Compute accelerations of the step, with derivatives that go on as they did."""
    before, own, work = variation.before, variation.own, variation.work
    stages = variation.stages[j]
    change = (alpha_m - alpha_f) * (h - before.clock[LAST_STEP])
    variation.state.clock[TIME] = before.clock[TIME]
    for k in range(own.a.shape[0]):
        own.a[k] = complex(work.a[k], STEP * (stages[LAST, k] + change * stages[JERK, k]))
        guess = variation.a[j, k] + h * stages[JERK, k]
        variation.state.a1[k] = complex(before.a1[k], STEP * guess)


@inline
def solve(variation, form, j, t, h, alpha_m, alpha_f, beta, gamma):
    """Solve for the derivative of the acceleration at the step's end by parameter j. Returns whether it was found."""
    state, own, work = variation.state, variation.own, variation.work
    for iteration in range(ITERATIONS):
        generalised_alpha.advance(variation.system, state, own, h, alpha_m, alpha_f, beta, gamma)
        residual(variation.system, variation.scratch, t + h, state.q1, state.v1, state.a1, variation.residual)
        for k in range(work.r.shape[0]):
            work.r[k] = -variation.residual[k].imag / STEP
        one_stage_matrix.solve(variation.plain, work.matrix, form, work.r)
        for k in range(work.r.shape[0]):
            own.step[0, k] = work.r[k]
        if iteration == 0:
            weigh(variation, j, h, own.step)
        done = refine(variation.search, iteration, own.step)
        for k in range(work.r.shape[0]):
            state.a1[k] += complex(0.0, STEP * own.step[0, k])
        if done:
            generalised_alpha.advance(variation.system, state, own, h, alpha_m, alpha_f, beta, gamma)
            return True
    return False


@kernel
def derive(variation, t, h, form):
    """Compute the derivatives at the end of the step of length h that begins at t and was just found."""
    alpha_m, alpha_f, beta, gamma = generalised_alpha.parameters(variation.work.radius[0])
    state = variation.state
    variation.record.next[0] = variation.outputs.next[0]
    for j in range(variation.u.shape[0]):
        set_parameter(variation, j, STEP)
        lay_start(variation, j)
        predict(variation, j, h, alpha_m, alpha_f)
        if not solve(variation, form, j, t, h, alpha_m, alpha_f, beta, gamma):
            variation.failed[0] = 1
            return
        read(variation.own.a_new, variation.stages[j, LAST])
        for k in range(state.v.shape[0]):
            variation.stages[j, JERK, k] = (state.a1[k].imag - state.a[k].imag) / (h * STEP)
        end_step(variation, j, ORDER, t, h)
        set_parameter(variation, j, 0.0)
