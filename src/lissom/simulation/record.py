"""Output at the asked times, whatever the steps, and the energy that flows in between.

Within a step the motion follows the polynomials of `dense`. Work and dissipation are integrated along them (four Gauss
points), so that the energy balance is as accurate as the steps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.chart import move
from lissom.kernel.machine import inline, kernel
from lissom.kernel.passive import dissipation
from lissom.simulation.dense import TERMS
from lissom.simulation.system import applied_forces, prescribe

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)
GAUSS_NODES, GAUSS_WEIGHTS = 0.5 + 0.5 * _NODES, 0.5 * _WEIGHTS  # on [0, 1]


WORK, DISSIPATED = range(2)  # entries of Record.flow


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
    path: np.ndarray  # (3, nv, TERMS) the motion within the step, see `dense`
    u: np.ndarray  # (nv,) scratch: chart positions
    rate: np.ndarray  # (nv,) scratch: their rates
    bend: np.ndarray  # (nv,) scratch: other such rates
    v_mid: np.ndarray  # (nv,) scratch: velocities
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
        path=np.zeros((3, nv, TERMS)),
        u=np.zeros(nv),
        rate=np.zeros(nv),
        bend=np.zeros(nv),
        v_mid=np.zeros(nv),
        drive=np.zeros(nv),
    )


@kernel
def state_within(system, scratch, record, t, h, s, base):
    """State at t + s h into scratch.q, v, a."""
    for k in range(scratch.v.shape[0]):
        place = record.path[0, k]
        speed = record.path[1, k]
        push = record.path[2, k]
        u = 0.0
        v = 0.0
        a = 0.0
        for j in range(TERMS - 1, -1, -1):
            u = u * s + place[j]
            v = v * s + speed[j]
            a = a * s + push[j]
        record.u[k] = u
        scratch.v[k] = v
        scratch.a[k] = a
    move(system.model, base, record.u, scratch.q)
    prescribe(system, t + s * h, scratch.q, scratch.v, scratch.a)


@kernel
def driving_forces(system, scratch, t, q, v, a, force):
    """Applied forces, those that drive the prescribed joints included."""
    applied_forces(system, scratch, t, q, v, force)
    if system.motion_v.shape[0] > 0:
        scratch.inverse(system.model, scratch.own, q, v, a, scratch.wrench, scratch.residual)
        for k in range(system.motion_v.shape[0]):
            p = system.motion_v[k]
            force[p] = scratch.residual[p]


@inline
def wanted(record, t, h):
    """Whether anything is to be recorded of the step [t, t + h]: the energy flow over it, or an output in it."""
    k = record.next[0]
    return record.audit[0] == 1 or (k < record.times.shape[0] and record.times[k] <= t + h * (1.0 + 1e-9))


@kernel
def record_step(system, scratch, record, t, h, base):
    """Write all outputs that fall into the step [t, t + h] from `base` and integrate the energy flow over it."""
    begin = 0.0
    last = record.times.shape[0]
    while True:
        k = record.next[0]
        inside = k < last and record.times[k] <= t + h * (1.0 + 1e-9)
        end = min(max((record.times[k] - t) / h, 0.0), 1.0) if inside else 1.0
        if record.audit[0] == 1 and end > begin:
            for node in range(4):
                s = begin + (end - begin) * GAUSS_NODES[node]
                weight = GAUSS_WEIGHTS[node] * (end - begin) * h
                state_within(system, scratch, record, t, h, s, base)
                driving_forces(system, scratch, t + s * h, scratch.q, scratch.v, scratch.a, record.drive)
                power = 0.0
                for j in range(scratch.v.shape[0]):
                    power += record.drive[j] * scratch.v[j]
                record.flow[WORK] += weight * power
                record.flow[DISSIPATED] += weight * dissipation(system.model, scratch.q, scratch.v, scratch.zero)
        if not inside:
            return
        state_within(system, scratch, record, t, h, end, base)
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
    record.work[k] = record.flow[WORK]
    record.dissipated[k] = record.flow[DISSIPATED]
    record.next[0] = k + 1
