"""What all integrators share: the state they advance, error scales, step ends, status codes."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy import isfinite, sqrt

from lissom.kernel.compile import Hidden, Pointer, inline, kernel
from lissom.kernel.data.arrays import FIRST_ORDER

TIME, NEXT_STEP, LAST_STEP, LEAST_STEP = range(4)  # entries of State.clock
STEPS, REJECTED, EVALUATIONS, JACOBIANS = range(4)  # entries of State.counts
ENDLESS = 1e150  # size of a position that does not exist: no error of it counts, nor does its square overflow
CONTINUED = 0  # entry of State.flags


class Status(IntEnum):
    """Why a march stopped."""

    REACHED = 0  # the end time
    PAUSED = 1  # the allowed number of steps; call again
    FAILED = 2  # the smallest step did not converge
    NOT_FINITE = 3  # NaN or infinity in the state


class State(NamedTuple):
    """Where a run stands."""

    clock: np.ndarray  # (4,) s: time, step to try next, last step taken, least step allowed
    q: np.ndarray  # (nq,)
    v: np.ndarray  # (nv,)
    a: np.ndarray  # (nv,)
    u1: np.ndarray  # (nv,) chart position at the end of the step
    rate1: np.ndarray  # (nv,) its rate
    v1: np.ndarray  # (nv,)
    a1: np.ndarray  # (nv,)
    q1: np.ndarray  # (nq,)
    counts: np.ndarray  # (4,) steps, rejected steps, evaluations, Jacobians
    flags: np.ndarray  # (1,) 1: the step continues the last (stages may be extrapolated)
    rtol: np.ndarray  # (1,)
    atol: np.ndarray  # (1,) of positions
    atol_rate: np.ndarray  # (nv,) of velocities


def make_state(model: Any, q: np.ndarray, v: np.ndarray, rtol: float, atol: float, pace: np.ndarray) -> State:
    """Return the state at time 0 at (q, v); `pace` (nv,) 1/s: error of velocities per error of positions."""
    zeros = [np.zeros(model.nv) for _ in range(5)]
    return State(
        clock=np.zeros(4),
        q=q.copy(),
        v=v.copy(),
        a=zeros[0],
        u1=zeros[1],
        rate1=zeros[2],
        v1=zeros[3],
        a1=zeros[4],
        q1=q.copy(),
        counts=np.zeros(4, np.int64),
        flags=np.zeros(1, np.int64),
        rtol=np.array([rtol]),
        atol=np.array([atol]),
        atol_rate=atol * pace,
    )


def first_step(duration: float) -> float:
    """Return a step to begin a run with, s, short enough for whatever it begins with."""
    return min(1e-4, duration / 100)


def set_out(state: Any, duration: float, step: float | None = None) -> None:
    """Note the first step to try in a run, the given one if any, and the least one."""
    state.clock[NEXT_STEP] = step or first_step(duration)
    state.clock[LEAST_STEP] = 1e-12 * max(duration, 1e-3)


def not_derived(system: Any) -> dict[str, Any]:
    """Return what an implicit method calls after its steps where nobody wants their derivatives."""
    nothing = Hidden(system)
    return {"variation": nothing, "derive": Pointer(no_derivatives, nothing, 0.0, 0.0, 0)}


@kernel
def no_derivatives(variation, t, h, form):
    """Derive nothing."""


@inline
def position_size(system, state, k):
    """Return the size of position k that a relative error is relative to; 1 on a group, endless where there is none."""
    if system.model.velocities.group_axis[k] == FIRST_ORDER:
        return ENDLESS + 0.0 * abs(state.v[k])
    if system.model.velocities.group_axis[k] >= 0:
        return 1.0 + 0.0 * abs(state.v[k])  # a pack where the state is one, real where it is complex
    return abs(state.q[system.model.velocities.coordinate[k]])


@inline
def position_scale(system, state, k):
    """Return the error allowed in position k."""
    return state.atol[0] + state.rtol[0] * position_size(system, state, k)


@inline
def velocity_scale(state, k):
    """Return the error allowed in velocity k."""
    return state.atol_rate[k] + state.rtol[0] * abs(state.v[k])


@inline
def next_step(state, t_end, h_max, fixed):
    """Return the step to take: as planned, not beyond `t_end`; a free one leaves room for a sensible last one."""
    # A remainder of up to two steps is halved, so that the last step is none of rounding.
    h = min(state.clock[NEXT_STEP], h_max)
    left = t_end - state.clock[TIME]
    if fixed:
        return min(h, left)
    if h >= left * (1.0 - 1e-10):
        return left
    if h > 0.5 * left:
        return 0.5 * left
    return h


@inline
def is_finite(x):
    """Return whether no entry is NaN or infinite."""
    finite = True
    for k in range(x.shape[0]):
        finite = finite and isfinite(x[k])
    return finite


@kernel
def accept(system, state, h):
    """Make the end of the step the state; quaternions are brought back to unit length."""
    model = system.model
    for k in range(state.q.shape[0]):
        state.q[k] = state.q1[k]
    for k in range(state.v.shape[0]):
        state.v[k] = state.v1[k]
        state.a[k] = state.a1[k]
        if model.velocities.group_axis[k] == 0:
            at = model.velocities.coordinate[k]
            norm = 0.0
            for c in range(at, at + 4):
                norm += state.q[c] * state.q[c]
            for c in range(at, at + 4):
                state.q[c] /= sqrt(norm)
    state.clock[TIME] += h
    state.clock[LAST_STEP] = h
    state.counts[STEPS] += 1
