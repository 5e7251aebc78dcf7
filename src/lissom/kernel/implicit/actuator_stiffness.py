"""Actuators in the Newton matrix: how efforts and states change with states and ports, eliminated one by one.

The states z of an actuator meet nothing but each other and the coordinate x that they work on. With c and d of
J = M + c D + d K their rows and columns are

    Z = m + c zz,    row to x: r = c zv + d zq,    column from x: k = c ez,

so that eliminating them leaves -k Z^-1 r on the pivot of x. Ports that are no coordinate couple frames of the tree;
their states are eliminated by themselves, and Newton's iteration makes good what that leaves out.
"""

from __future__ import annotations

import numpy as np

from lissom.kernel.algorithms.complex_step import STEP
from lissom.kernel.compile import indirect, inline, kernel
from lissom.kernel.data.arrays import STATES_MOST, Arrays, Port
from lissom.kernel.forces.actuator_forces import PLACE, RATE, state_of
from lissom.kernel.forces.actuator_laws import actuator_law


def make_slopes(model: Arrays) -> dict[str, np.ndarray]:
    """Make memory for derivatives of minus the laws, as fields of `Local`."""
    a, z = len(model.actuators.kind), STATES_MOST
    shapes = {"state_zz": (a, z, z), "state_zq": (a, z), "state_zv": (a, z), "state_ez": (a, z)}
    return {name: np.zeros(shape) for name, shape in shapes.items()}


def make_state_factors(model: Arrays, number: type) -> dict[str, np.ndarray]:
    """Make memory for the eliminated states, as fields of `Factors`: those of the masses alone, M."""
    acts, z = model.actuators, STATES_MOST
    a = len(acts.kind)
    inverse: np.ndarray = np.zeros((a, z, z), number)
    for k, (first, end) in enumerate(acts.states):
        inverse[k] = np.eye(z)
        inverse[k, range(end - first), range(end - first)] = 1.0 / acts.inertia[first:end]
    both: np.ndarray = np.zeros((2, a, z), number)
    pivot: np.ndarray = np.zeros(len(model.velocities.prescribed), number)
    return {"state_inverse": inverse, "state_row": both[0], "state_column": both[1], "state_pivot": pivot}


@inline
def law_at(model, a, s, rate, z0, z1, z2):
    """Return the effort of actuator a and what its law adds to the rates of its states."""
    effort, f0, f1, f2, _, _, _ = actuator_law(model.actuators.kind[a], model.actuators.numbers[a], s, rate, z0, z1, z2)
    return effort, f0, f1, f2


@indirect(6)
def law_slopes(model, work, i, q, v):
    """Fill work.slope with derivatives of all laws, by complex steps, after `actuate` at the state (q, v)."""
    h = STEP * 1j
    for a in range(model.actuators.kind.shape[0]):
        s = work.actuator[a, PLACE] + 0.0 * h
        rate = work.actuator[a, RATE] + 0.0 * h
        z0 = state_of(model, v, a, 0) + 0.0 * h
        z1 = state_of(model, v, a, 1) + 0.0 * h
        z2 = state_of(model, v, a, 2) + 0.0 * h
        out = work.slope[a]
        e, f0, f1, f2 = law_at(model, a, s + h, rate, z0, z1, z2)
        store_slopes(out[0], e, f0, f1, f2)
        e, f0, f1, f2 = law_at(model, a, s, rate + h, z0, z1, z2)
        store_slopes(out[1], e, f0, f1, f2)
        e, f0, f1, f2 = law_at(model, a, s, rate, z0 + h, z1, z2)
        store_slopes(out[2], e, f0, f1, f2)
        e, f0, f1, f2 = law_at(model, a, s, rate, z0, z1 + h, z2)
        store_slopes(out[3], e, f0, f1, f2)
        e, f0, f1, f2 = law_at(model, a, s, rate, z0, z1, z2 + h)
        store_slopes(out[4], e, f0, f1, f2)


@inline
def store_slopes(out, e, f0, f1, f2):
    """Store derivatives of an effort and of what is added to the rates of states."""
    out[0] = e.imag / STEP
    out[1] = f0.imag / STEP
    out[2] = f1.imag / STEP
    out[3] = f2.imag / STEP


@inline
def actuator_slopes(model, local):
    """Fill the slopes of all laws, after the forces of the state of `local`.

    Adds to stiffness and damping of the coordinates what efforts do by place and rate of their own.
    """
    work = local.work
    stiffness, damping = local.stiffness, local.damping
    law_slopes(model, work, 0, local.q, local.v)
    for a in range(model.actuators.kind.shape[0]):
        at = model.actuators.port_v[a]
        of = work.slope[a]
        ratio = model.actuators.ratio[a]
        if model.actuators.port[a] != Port.JOINT:
            ratio = 0.0 * ratio
        stiffness[at] -= ratio * ratio * of[0, 0]
        damping[at] -= ratio * ratio * of[1, 0]
        for k in range(STATES_MOST):
            local.state_zq[a, k] = -ratio * of[0, k + 1]
            local.state_zv[a, k] = -ratio * of[1, k + 1]
            local.state_ez[a, k] = -ratio * of[k + 2, 0]
            for row in range(STATES_MOST):
                local.state_zz[a, row, k] = -of[k + 2, row + 1]


@inline
def mass_of(model, a, k):
    """Return m of state k of actuator a, 1 beyond its last."""
    first = model.actuators.states[a, 0]
    return model.actuators.inertia[first + k] if first + k < model.actuators.states[a, 1] else 1.0


@kernel
def eliminate_states(model, local, factors, c, d):
    """Eliminate the states of all actuators from M + c D + d K."""
    for k in range(factors.state_pivot.shape[0]):
        factors.state_pivot[k] = 0.0 * c
    for a in range(model.actuators.kind.shape[0]):
        zz = local.state_zz[a]
        A00, A01, A02 = mass_of(model, a, 0) + c * zz[0, 0], c * zz[0, 1], c * zz[0, 2]
        A10, A11, A12 = c * zz[1, 0], mass_of(model, a, 1) + c * zz[1, 1], c * zz[1, 2]
        A20, A21, A22 = c * zz[2, 0], c * zz[2, 1], mass_of(model, a, 2) + c * zz[2, 2]
        # the inverse by its adjugate
        B00, B10, B20 = A11 * A22 - A12 * A21, A12 * A20 - A10 * A22, A10 * A21 - A11 * A20
        scale = 1.0 / (A00 * B00 + A01 * B10 + A02 * B20)
        B = factors.state_inverse[a]
        B[0, 0], B[1, 0], B[2, 0] = scale * B00, scale * B10, scale * B20
        B[0, 1] = scale * (A02 * A21 - A01 * A22)
        B[1, 1] = scale * (A00 * A22 - A02 * A20)
        B[2, 1] = scale * (A01 * A20 - A00 * A21)
        B[0, 2] = scale * (A01 * A12 - A02 * A11)
        B[1, 2] = scale * (A02 * A10 - A00 * A12)
        B[2, 2] = scale * (A00 * A11 - A01 * A10)
        at = model.actuators.port_v[a]
        for row in range(STATES_MOST):
            down = 0.0 * c
            across = 0.0 * c
            for k in range(STATES_MOST):
                down += B[row, k] * (c * local.state_zv[a, k] + d * local.state_zq[a, k])
                across += c * local.state_ez[a, k] * B[k, row]
            factors.state_row[a, row] = down
            factors.state_column[a, row] = across
        for k in range(STATES_MOST):
            factors.state_pivot[at] -= factors.state_column[a, k] * (
                c * local.state_zv[a, k] + d * local.state_zq[a, k]
            )


@inline
def reduce_states(model, factors, x):
    """Take what the right-hand sides of the states do to the coordinates that they work on."""
    for a in range(model.actuators.kind.shape[0]):
        first = model.actuators.states[a, 0]
        for k in range(model.actuators.states[a, 1] - first):
            x[model.actuators.port_v[a]] -= factors.state_column[a, k] * x[model.actuators.state_v[first + k]]


@inline
def solve_states(model, factors, x):
    """Compute the states' part of a solution, the coordinates' part being known."""
    for a in range(model.actuators.kind.shape[0]):
        first = model.actuators.states[a, 0]
        count = model.actuators.states[a, 1] - first
        at = model.actuators.port_v[a]
        B = factors.state_inverse[a]
        y0 = -factors.state_row[a, 0] * x[at]
        y1 = -factors.state_row[a, 1] * x[at]
        y2 = -factors.state_row[a, 2] * x[at]
        for k in range(count):
            b = x[model.actuators.state_v[first + k]]
            y0 += B[0, k] * b
            y1 += B[1, k] * b
            y2 += B[2, k] * b
        if count > 0:
            x[model.actuators.state_v[first]] = y0
        if count > 1:
            x[model.actuators.state_v[first + 1]] = y1
        if count > 2:
            x[model.actuators.state_v[first + 2]] = y2


@inline
def add_state_product(model, local, c, d, rate, place, out):
    """Add c D rate + d K place of the actuators' states to out, all (nv,)."""
    acts = model.actuators
    for a in range(acts.kind.shape[0]):
        at = acts.port_v[a]
        first = acts.states[a, 0]
        count = acts.states[a, 1] - first
        for row in range(count):
            own = acts.state_v[first + row]
            out[own] += c * local.state_zv[a, row] * rate[at] + d * local.state_zq[a, row] * place[at]
            for k in range(count):
                out[own] += c * local.state_zz[a, row, k] * rate[acts.state_v[first + k]]
            out[at] += c * local.state_ez[a, row] * rate[own]
