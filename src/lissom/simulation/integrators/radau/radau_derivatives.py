"""Derivatives of Radau's steps by parameters; see `step_derivatives`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.algorithms.complex_step import STEP
from lissom.kernel.compile import Struct, inline, kernel
from lissom.kernel.maths.chart import move
from lissom.simulation.equations import newton
from lissom.simulation.equations.system import prescribe, residual
from lissom.simulation.integrators.integrator_state import CONTINUED, LAST_STEP
from lissom.simulation.integrators.radau import radau_steps
from lissom.simulation.integrators.radau.radau_matrix import renew
from lissom.simulation.integrators.radau.radau_solve import correct
from lissom.simulation.integrators.radau.radau_tableau import NODES
from lissom.simulation.integrators.step_derivatives import (
    ITERATIONS,
    end_step,
    lay_start,
    refine,
    set_parameter,
    weigh,
)

STAGES, ORDER = 3, 5
PATIENCE = 12  # iterations before every stage gets its own configuration


class Stages(NamedTuple):
    """Complex stages of a step, (3, n) each, as `radau.motion` takes them."""

    A: np.ndarray
    V: np.ndarray
    U: np.ndarray
    rate: np.ndarray


def make_own(n: int) -> Any:
    """Return memory for the complex stages of a step of n coordinates."""
    return Struct(Stages(*np.zeros((4, 3, n), complex)))


@inline
def predict(variation, j, h):
    """Compute stages of the step, with derivatives extrapolated from the step before."""
    before, own, work = variation.before, variation.own, variation.work
    last = variation.stages[j]
    continued = before.flags[CONTINUED] == 1
    for i in range(3):
        s = 1.0 + NODES[i] * h / before.clock[LAST_STEP] if continued else 1.0
        w0, w1, w2, w3 = extrapolation(s)
        for k in range(own.A.shape[1]):
            x = (
                w0 * last[0, k] + w1 * last[1, k] + w2 * last[2, k] + w3 * last[3, k]
                if continued
                else variation.a[j, k]
            )
            own.A[i, k] = complex(work.A[i, k], STEP * x)
            own.U[i, k] = work.U[i, k]


@inline
def extrapolation(s):
    """Return weights of start and stages of a step in the cubic through them, at the fraction s of that step."""
    w1, w2, w3 = radau_steps.extrapolation(s)
    start = (s - NODES[0]) * (s - NODES[1]) * (s - NODES[2]) / (-NODES[0] * NODES[1] * NODES[2])
    return start, w1 * s / NODES[0], w2 * s / NODES[1], w3 * s / NODES[2]


@inline
def evaluate(variation, t, h):
    """Compute what the derivatives of the stages leave of the linear system, into R of the method's work."""
    system, scratch, own = variation.system, variation.scratch, variation.own
    radau_steps.motion(system, variation.state, own, h)
    for i in range(3):
        at = t + NODES[i] * h
        move(system.model, variation.state.q, own.U[i], scratch.q)
        prescribe(system, at, scratch.q, own.V[i], own.A[i])
        residual(system, scratch, at, scratch.q, own.V[i], own.A[i], variation.residual)
        for k in range(variation.residual.shape[0]):
            variation.work.R[i, k] = variation.residual[k].imag / STEP


@inline
def solve(variation, form, j, t, h):
    """Solve for the derivatives of the stages by parameter j. Returns the form of the matrix that served, or -1."""
    own, work = variation.own, variation.work
    predict(variation, j, h)
    radau_steps.motion(variation.system, variation.state, own, h)  # a first look at the charts of group joints
    begun = 0
    for iteration in range(ITERATIONS):
        evaluate(variation, t, h)
        correct(variation.plain, work, form)
        if iteration == 0:
            weigh(variation, j, h, work.step)
        done = refine(variation.search, iteration - begun, work.step)
        for i in range(3):
            for k in range(own.A.shape[1]):
                own.A[i, k] += complex(0.0, STEP * work.step[i, k])
        if done:
            radau_steps.motion(variation.system, variation.state, own, h)
            return form
        if iteration == PATIENCE and form == newton.SHARED:
            form = newton.STAGES
            plain, scratch, scratch_c = variation.plain, variation.plain_scratch, variation.complex_scratch
            renew(plain, scratch, scratch_c, variation.before, work, form, t, h)
            work.newton.factored[0] = 0.0  # the form that the run has is to be made anew
            begun = iteration + 1
    return -1


@kernel
def derive(variation, t, h, form):
    """Compute the derivatives at the end of the step of length h that begins at t and was just found."""
    own, state = variation.own, variation.state
    variation.record.next[0] = variation.outputs.next[0]
    for j in range(variation.u.shape[0]):
        set_parameter(variation, j, STEP)
        lay_start(variation, j)
        form = solve(variation, form, j, t, h)
        if form < 0:
            variation.failed[0] = 1
            return
        for k in range(state.v.shape[0]):
            variation.stages[j, 0, k] = variation.a[j, k]
            for i in range(3):
                variation.stages[j, 1 + i, k] = own.A[i, k].imag / STEP
            state.v1[k] = own.V[2, k]
            state.a1[k] = own.A[2, k]
            state.u1[k] = own.U[2, k]
        move(variation.system.model, state.q, state.u1, state.q1)
        prescribe(variation.system, t + h, state.q1, state.v1, state.a1)
        end_step(variation, j, ORDER, t, h)
        set_parameter(variation, j, 0.0)
