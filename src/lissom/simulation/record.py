"""Output at the asked times, whatever the steps, and the energy that flows in between.

Within a step the motion is interpolated from its ends: by quintic polynomials through u, v, a for methods of high
order, by cubic ones for methods of order two. Work and dissipation are integrated along the same polynomials (three
Gauss points), so that the energy balance is as accurate as the steps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.jit import inline, kernel
from lissom.kernel.passive import dissipation
from lissom.simulation.system import applied_forces, move, prescribe


class Record(NamedTuple):
    """Output arrays and the step that is being recorded."""

    times: np.ndarray  # (N,) asked for
    q: np.ndarray  # (N, nq)
    v: np.ndarray  # (N, nv)
    a: np.ndarray  # (N, nv)
    tau: np.ndarray  # (N, nv)
    work: np.ndarray  # (N,)
    dissipated: np.ndarray  # (N,)
    next: np.ndarray  # (1,) first time not yet written
    flow: np.ndarray  # (2,) work and dissipation so far
    audit: np.ndarray  # (1,) 1 where energy flow is wanted
    u: np.ndarray  # (nv,) scratch
    drive: np.ndarray  # (nv,) scratch: driving forces


def make_record(model: Any, times: np.ndarray, audit: bool) -> Record:
    """Empty output arrays for a Model at `times`."""
    n, nq, nv = len(times), model.nq, model.nv
    return Record(
        times=times,
        q=np.full((n, nq), np.nan),
        v=np.full((n, nv), np.nan),
        a=np.full((n, nv), np.nan),
        tau=np.full((n, nv), np.nan),
        work=np.full(n, np.nan),
        dissipated=np.full(n, np.nan),
        next=np.zeros(1, np.int64),
        flow=np.zeros(2),
        audit=np.array([int(audit)]),
        u=np.zeros(nv),
        drive=np.zeros(nv),
    )


@inline
def hermite(order, s, h, u1, v0, a0, v1, a1):
    """Position, velocity and acceleration at fraction s of a step from 0 to u1."""
    if order == 5:
        d = u1 - h * (v0 + 0.5 * h * a0)
        dv = h * (v1 - v0 - h * a0)
        da = 0.5 * h * h * (a1 - a0)
        c3 = 10.0 * d - 4.0 * dv + da
        c4 = -15.0 * d + 7.0 * dv - 2.0 * da
        c5 = 6.0 * d - 3.0 * dv + da
        u = s * (h * v0 + s * (0.5 * h * h * a0 + s * (c3 + s * (c4 + s * c5))))
        v = v0 + s * (h * a0 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)) / h)
        a = a0 + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5)) / (h * h)
    else:
        d = u1 - h * v0
        dv = h * (v1 - v0)
        c2 = 3.0 * d - dv
        c3 = dv - 2.0 * d
        u = s * (h * v0 + s * (c2 + s * c3))
        v = v0 + s * (2.0 * c2 + s * 3.0 * c3) / h
        a = a0 + s * (a1 - a0)
    return u, v, a


@inline
def hermite_rate(s, h, v0, a0, v1, a1):
    """Velocity at fraction s of a step, by the cubic through the velocities and accelerations at its ends."""
    d = v1 - v0 - h * a0
    dv = h * (a1 - a0)
    return v0 + s * (h * a0 + s * (3.0 * d - dv + s * (dv - 2.0 * d)))


@kernel
def state_within(system, scratch, record, order, t, h, s, base, u1, rate1, v0, a0, v1, a1):
    """State at t + s h into scratch.q, v, a."""
    model = system.model
    for k in range(v0.shape[0]):
        if model.tangent_axis[k] < 0:
            u, v, a = hermite(order, s, h, u1[k], v0[k], a0[k], v1[k], a1[k])
        else:
            u, _, a = hermite(3, s, h, u1[k], v0[k], a0[k], rate1[k], a1[k])
            v = hermite_rate(s, h, v0[k], a0[k], v1[k], a1[k])
        record.u[k] = u
        scratch.v[k] = v
        scratch.a[k] = a
    move(model, base, record.u, scratch.q)
    prescribe(system, t + s * h, scratch.q, scratch.v, scratch.a)


@kernel
def driving_forces(system, scratch, t, q, v, a, force):
    """Applied forces, those that drive the prescribed joints included."""
    applied_forces(system, scratch, t, q, v, force)
    if system.motion_v.shape[0] > 0:
        scratch.inverse(system.model, scratch.work, q, v, a, scratch.wrench, scratch.residual)
        for k in range(system.motion_v.shape[0]):
            p = system.motion_v[k]
            force[p] = scratch.residual[p]


@kernel
def record_step(system, scratch, record, order, t, h, base, u1, rate1, v0, a0, v1, a1):
    """Write all outputs that fall into the step [t, t + h] and integrate the energy flow over it."""
    root = 0.7745966692414834  # sqrt(3/5), Gauss
    begin = 0.0
    last = record.times.shape[0]
    while True:
        k = record.next[0]
        inside = k < last and record.times[k] <= t + h * (1.0 + 1e-9)
        end = min(max((record.times[k] - t) / h, 0.0), 1.0) if inside else 1.0
        if record.audit[0] == 1 and end > begin:
            half = 0.5 * (end - begin)
            for node in range(3):
                s = begin + half * (1.0 + (node - 1) * root)
                weight = (8.0 if node == 1 else 5.0) / 9.0 * half * h
                state_within(system, scratch, record, order, t, h, s, base, u1, rate1, v0, a0, v1, a1)
                driving_forces(system, scratch, t + s * h, scratch.q, scratch.v, scratch.a, record.drive)
                power = 0.0
                for j in range(v0.shape[0]):
                    power += record.drive[j] * scratch.v[j]
                record.flow[0] += weight * power
                record.flow[1] += weight * dissipation(system.model, scratch.q, scratch.v, scratch.zero)
        if not inside:
            return
        state_within(system, scratch, record, order, t, h, end, base, u1, rate1, v0, a0, v1, a1)
        write_sample(system, scratch, record, t + end * h, scratch.q, scratch.v, scratch.a)
        begin = end


@kernel
def write_sample(system, scratch, record, t, q, v, a):
    """Write the state (q, v, a) as the next output."""
    k = record.next[0]
    driving_forces(system, scratch, t, q, v, a, record.tau[k])
    for j in range(q.shape[0]):
        record.q[k, j] = q[j]
    for j in range(v.shape[0]):
        record.v[k, j] = v[j]
        record.a[k, j] = a[j]
    record.work[k] = record.flow[0]
    record.dissipated[k] = record.flow[1]
    record.next[0] = k + 1
