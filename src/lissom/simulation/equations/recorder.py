"""Output at the asked times, whatever the steps, and the energy that flows in between.

Within a step the motion follows the polynomials of `dense_output`. They miss the motion by what the step may err, which
stiffness and loops would multiply in accelerations and multipliers; so samples with loops are brought onto the
equations of motion (`settle`), and the accelerations of trees with joints on a group are those of the sample's state.
Other trees stay on the polynomials, whose derivatives by parameters are those of the samples. Work and dissipation are
integrated along the polynomials by Gauss points, so that the energy balance is as accurate as the steps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import inline, kernel
from lissom.kernel.constraints.constrained_dynamics import set_columns
from lissom.kernel.forces.actuator_forces import POWER, has_actuators, sum_over_actuators
from lissom.kernel.forces.external_forces import external_dissipation, has_elements_or_contacts, sum_external_forces
from lissom.kernel.forces.passive_joint_forces import dissipation
from lissom.kernel.kinematics.forward_kinematics import forward_kinematics
from lissom.kernel.maths.chart import move
from lissom.simulation.equations.dense_output import TERMS
from lissom.simulation.equations.loop_projection import copy_rows, correct_rows, project, subtract_reactions
from lissom.simulation.equations.system import acceleration, applied_forces, prescribe, residual

_RULES = [np.polynomial.legendre.leggauss(points) for points in (2, 4)]
FEW_NODES, GAUSS_NODES = (0.5 + 0.5 * nodes for nodes, _ in _RULES)  # on [0, 1]
FEW_WEIGHTS, GAUSS_WEIGHTS = (0.5 * weights for _, weights in _RULES)
SHORT = 0.25  # of a step: over less, two Gauss points are as precise as four over the whole of it

WORK, DISSIPATED, LOAD_WORK = range(3)  # entries of Record.flow


class Record(NamedTuple):
    """Output arrays and the step that is being recorded."""

    times: np.ndarray  # (N,) asked for
    q: np.ndarray  # (N, nq)
    v: np.ndarray  # (N, nv)
    a: np.ndarray  # (N, nv)
    tau: np.ndarray  # (N, nv)
    work: np.ndarray  # (N,)
    dissipated: np.ndarray  # (N,)
    load_work: np.ndarray  # (N,)
    load: np.ndarray  # (N, nl)
    next: np.ndarray  # (1,) first time not yet written
    flow: np.ndarray  # (3,) work, dissipation and work of loads so far
    audit: np.ndarray  # (1,) 1 where energy flow is wanted
    path: np.ndarray  # (3, nv, TERMS) the motion within the step, see `dense_output`
    u: np.ndarray  # (nv,) scratch: chart positions
    rate: np.ndarray  # (nv,) scratch: their rates
    bend: np.ndarray  # (nv,) scratch: other such rates
    v_mid: np.ndarray  # (nv,) scratch: velocities
    drive: np.ndarray  # (nv,) scratch: driving forces
    lam: np.ndarray  # (N, rows) multipliers of loops
    given: np.ndarray  # (N, rows) values that they are to have
    projector: Any  # Closure by which samples are brought to closed loops, over factors of M + c D + d K
    reach: np.ndarray  # (2,) c, d: what velocities and positions move by per acceleration; 0 where they do not
    allowed: np.ndarray  # (1,) error of positions beyond which it is worth it
    on_group: np.ndarray  # (1,) 1 where the robot has joints on a group


def make_record(
    model: Any, times: np.ndarray, audit: bool, loads: int, projector: Any, number: type = np.float64
) -> Record:
    """Return empty outputs for a Model at `times`, in the number type; `projector` is a Closure as kernels take it."""
    n, nq, nv, arrays = len(times), model.nq, model.nv, model.arrays

    def unwritten(*shape: int) -> np.ndarray:
        return np.full(shape, np.nan, number)

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, number)

    return Record(
        times=times,
        q=unwritten(n, nq),
        v=unwritten(n, nv),
        a=unwritten(n, nv),
        tau=unwritten(n, nv),
        work=unwritten(n),
        dissipated=unwritten(n),
        load_work=unwritten(n),
        load=unwritten(n, loads),
        next=np.zeros(1, np.int64),
        flow=zeros(3),
        audit=np.array([int(audit)]),
        path=zeros(3, nv, TERMS),
        u=zeros(nv),
        rate=zeros(nv),
        bend=zeros(nv),
        v_mid=zeros(nv),
        drive=zeros(nv),
        lam=unwritten(n, len(arrays.loops.hold)),
        given=np.zeros((n, len(arrays.loops.hold))),
        projector=projector,
        reach=np.zeros(2),
        allowed=np.zeros(1),
        on_group=np.array([int(np.any(arrays.velocities.group_axis >= 0))]),
    )


@kernel
def state_within(system, scratch, record, t, h, s, base):
    """Compute the state at t + s h into scratch.q, v, a."""
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
    """Compute the applied forces, those that drive the prescribed joints included."""
    applied_forces(system, scratch, t, q, v, force)
    if system.motion_v.shape[0] > 0:
        scratch.inverse(system.model, scratch.own, q, v, a, scratch.wrench, scratch.residual)
        if scratch.lam.shape[0] > 0:
            for row in range(scratch.lam.shape[0]):
                scratch.lam[row] = scratch.closure.lam[row]
            subtract_reactions(system, scratch, t, v, scratch.residual)
        for k in range(system.motion_v.shape[0]):
            p = system.motion_v[k]
            force[p] = scratch.residual[p]


@kernel
def settle(system, scratch, record, t):
    """Bring the state of `scratch` to closed loops, with the accelerations and multipliers that keep them closed.

    And onto the equations of motion where they ask for accelerations far from what the polynomials expect. A tree with
    joints on a group gets the accelerations of its state: nothing holds a free base only where these are exact.
    """
    if scratch.lam.shape[0] == 0:
        if record.on_group[0] == 1:
            acceleration(system, scratch, t, scratch.q, scratch.v, scratch.a)
        return
    expected = record.bend
    for k in range(scratch.a.shape[0]):
        expected[k] = scratch.a[k]
    project(system, scratch, record.projector, t, scratch.q, scratch.v)
    acceleration(system, scratch, t, scratch.q, scratch.v, scratch.a)
    off = 0.0
    for k in range(scratch.a.shape[0]):
        off = max(off, abs(scratch.a[k] - expected[k]))
    if off * record.reach[1] > record.allowed[0]:
        relax(system, scratch, record, t)
        project(system, scratch, record.projector, t, scratch.q, scratch.v)
        acceleration(system, scratch, t, scratch.q, scratch.v, scratch.a)


@inline
def relax(system, scratch, record, t):
    """Take a Newton step of r(q + d x, v + c x, a + x) = 0 by factors of the implicit step; loops stay closed: G x = 0.

    The accelerations a are those that the polynomials expect. What is slow hardly moves, by what its acceleration
    misses times the square of the step. What is stiff comes to where its forces balance: an error of its position that
    is nothing to the step would be one of forces.
    """
    closure = record.projector
    x = record.u
    n = x.shape[0]
    for row in range(scratch.lam.shape[0]):
        scratch.lam[row] = scratch.closure.lam[row]
    residual(system, scratch, t, scratch.q, scratch.v, record.bend, scratch.residual)
    if scratch.lam.shape[0] > 0:
        copy_rows(system.model, scratch.G, closure)
        set_columns(system.model, closure)
    for k in range(n):
        closure.factors.x[k] = -scratch.residual[k]
    closure.solve(system.model, closure.local, closure.factors)
    for k in range(n):
        x[k] = closure.factors.x[k]
    if scratch.lam.shape[0] > 0:
        for row in range(closure.miss.shape[0]):
            closure.miss[row] = 0.0
        correct_rows(closure, x, closure.miss)
    for k in range(n):
        scratch.v[k] += record.reach[0] * x[k]
        x[k] = record.reach[1] * x[k]
    move(system.model, scratch.q, x, scratch.q1)
    for k in range(scratch.q.shape[0]):
        scratch.q[k] = scratch.q1[k]


@inline
def wanted(record, t, h):
    """Return whether anything is to be recorded of the step [t, t + h]: the energy flow over it, or an output in it."""
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
            integrate_flow(system, scratch, record, t, h, base, begin, end)
        if not inside:
            return
        state_within(system, scratch, record, t, h, end, base)
        settle(system, scratch, record, t + end * h)
        write_sample(system, scratch, record, t + end * h, scratch.q, scratch.v, scratch.a)
        begin = end


@inline
def integrate_flow(system, scratch, record, t, h, base, begin, end):
    """Add the energy that flows between two fractions of the step [t, t + h]."""
    few = end - begin < SHORT
    for node in range(2 if few else 4):
        s = begin + (end - begin) * (FEW_NODES[node] if few else GAUSS_NODES[node])
        weight = (FEW_WEIGHTS[node] if few else GAUSS_WEIGHTS[node]) * (end - begin) * h
        state_within(system, scratch, record, t, h, s, base)
        if system.motion_v.shape[0] + system.driven.shape[0] > 0:
            settle(system, scratch, record, t + s * h)
        driving_forces(system, scratch, t + s * h, scratch.q, scratch.v, scratch.a, record.drive)
        power = 0.0
        for j in range(scratch.v.shape[0]):
            power += record.drive[j] * scratch.v[j]
        for j in range(system.driven.shape[0]):
            row = system.driven[j]
            power += scratch.closure.lam[row] * scratch.closure.given[row, 1]
        record.flow[WORK] += weight * power
        if has_elements_or_contacts(system.model) or has_actuators(system.model):
            record_outside(system, scratch, record, weight)
        lost = dissipation(system.model, scratch.q, scratch.v, scratch.zero)
        record.flow[DISSIPATED] += weight * lost


@inline
def record_outside(system, scratch, record, weight):
    """Add what loads and actuators put in, and what actuators, elements and contacts lose, at the state of scratch."""
    model = system.model
    work = scratch.work
    forward_kinematics(model, work, scratch.q, scratch.v)
    sum_external_forces(model, work, scratch.q, scratch.v, scratch.wrench)
    given = sum_over_actuators(model, work, POWER)
    for k in range(model.actuators.state_v.shape[0]):  # of commands to states that no power belongs to
        at = model.actuators.state_v[k]
        if model.actuators.powered[k] == 0:
            given -= record.drive[at] * scratch.v[at]
    record.flow[WORK] += weight * given
    record.flow[DISSIPATED] += weight * external_dissipation(model, work)
    if has_elements_or_contacts(model):
        record.flow[LOAD_WORK] += weight * work.power[0]


@kernel
def write_sample(system, scratch, record, t, q, v, a):
    """Write the state (q, v, a) as the next output; the multipliers are those that went with its accelerations."""
    k = record.next[0]
    driving_forces(system, scratch, t, q, v, a, record.tau[k])
    for j in range(q.shape[0]):
        record.q[k, j] = q[j]
    for j in range(v.shape[0]):
        record.v[k, j] = v[j]
        record.a[k, j] = a[j]
    for row in range(record.lam.shape[1]):
        record.lam[k, row] = scratch.closure.lam[row]
        record.given[k, row] = scratch.closure.given[row, 0]
    record.work[k] = record.flow[WORK]
    record.dissipated[k] = record.flow[DISSIPATED]
    record.load_work[k] = record.flow[LOAD_WORK]
    for j in range(system.load_row.shape[0]):
        record.load[k, j] = scratch.wrench[system.load_row[j], system.load_entry[j]]
    record.next[0] = k + 1
