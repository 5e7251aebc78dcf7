"""Derivatives of a run by parameters, step by step along its own steps: what Radau and generalised-alpha share.

A step maps a state, and parameters, to the next state. Its derivative by a parameter follows from a linear system for
the derivatives x of the step's unknown accelerations, J x = b. Newton's iteration of the step has left factors of an
approximation P of J. The residual in complex numbers, whose imaginary parts hold x and the parameter, is J x - b
without error. So y = P^-1 (b - J x) is added to x until it is small. Each time one learns what P^-1 J does to one
direction. The latest are kept, for all parameters and for the next step, where J differs little: what they can take
out of y needs no evaluation (GCR with recycled directions).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import isfinite

from lissom.kernel.algorithms.complex_step import STEP
from lissom.kernel.algorithms.complex_tangent import lay, lay_tangent, read, read_tangent
from lissom.kernel.compile import inline, kernel
from lissom.kernel.maths.chart import chart_rate
from lissom.simulation.equations.dense_output import fit_ends
from lissom.simulation.equations.recorder import record_step, wanted, write_sample
from lissom.simulation.equations.system import acceleration

TOLERANCE = 1.0  # what may be left of y, in units of the error allowed
FLOOR = 1e-3  # of the largest coordinate's derivative: below this size the others need no digits
# Kept: each saves an evaluation where J differs little from the step before, and costs 2 m n products per iteration.
DIRECTIONS = 8
ALIKE = 0.3  # length that a direction must have beside the others: shorter ones are mostly rounding
ITERATIONS = 40  # beyond them the run is refused, as its tolerance leaves P too far from J
FORGET = 0.7  # per iteration, of the contraction seen


class Search(NamedTuple):
    """Memory to solve the linear system of a step with `m` stages."""

    x: np.ndarray  # (DIRECTIONS, m, n) directions that were added lately
    y: np.ndarray  # (DIRECTIONS, m, n) P^-1 J times each of them, orthonormal
    oldest: np.ndarray  # (1,) of them
    iterations: np.ndarray  # (1,) in all
    raw: np.ndarray  # (m, n) y as it came
    left: np.ndarray  # (m, n) what known directions leave of it
    added: np.ndarray  # (m, n) what was added to x
    metric: np.ndarray  # (n,) weights of accelerations, the same in all steps
    weight: np.ndarray  # (n,) weights by what the derivatives by one parameter may be wrong by
    contraction: np.ndarray  # (1,) factor by which an iteration reduces y, as seen lately


class Variation(NamedTuple):
    """Derivatives by p parameters and memory to advance them; complex arrays hold one of them as imaginary parts."""

    u: np.ndarray  # (p, n) of the configuration, along velocity coordinates
    v: np.ndarray  # (p, n) of the velocity
    a: np.ndarray  # (p, n) of the acceleration
    stages: np.ndarray  # (p, 4, n) of the method's own accelerations, for the next step
    largest: np.ndarray  # (p, n) largest value so far, of u or of v over the coordinate's pace
    out_u: np.ndarray  # (p, N, n) u at the outputs
    out_v: np.ndarray  # (p, N, n)
    out_a: np.ndarray  # (p, N, n)
    out_tau: np.ndarray  # (p, N, n) of the forces that drive
    numbers: np.ndarray  # (entries,) complex: all numbers of the model and the law
    start: np.ndarray  # (p + 1,) where the entries of a parameter begin in `place` and `value`
    place: np.ndarray  # entry of `numbers` that depends on a parameter
    value: np.ndarray  # its derivative
    before: Any  # State of the run, at the start of the step
    work: Any  # of the method, without derivatives
    outputs: Any  # Record of the run
    plain: Any  # System of the run
    plain_scratch: Any  # Scratch of its real numbers
    complex_scratch: Any  # and of complex ones
    search: Any  # Search
    system: Any  # System of complex numbers
    scratch: Any  # Scratch
    record: Any  # Record
    state: Any  # State
    own: Any  # of the method: complex accelerations within the step
    residual: np.ndarray  # (n,)
    failed: np.ndarray  # (1,) 1 where derivatives were not found


def make_search(stages: int, pace: np.ndarray) -> Search:
    """Return memory for a method with so many stages; pace (n,) 1/s: of the coordinates."""
    n = len(pace)
    x, y = np.zeros((2, DIRECTIONS, stages, n))
    raw, left, added = np.zeros((3, stages, n))
    oldest, iterations = np.zeros((2, 1), np.int64)
    weight, contraction = np.zeros(n), np.array([0.1])
    return Search(x, y, oldest, iterations, raw, left, added, pace**-2.0, weight, contraction)


@inline
def set_parameter(variation, j, size):
    """Set the imaginary parts of all numbers that depend on parameter j: `size` times their derivatives."""
    for k in range(variation.start[j], variation.start[j + 1]):
        at = variation.place[k]
        variation.numbers[at] = complex(variation.numbers[at].real, size * variation.value[k])


@inline
def lay_start(variation, j):
    """Lay out the start of the step, with the derivatives by parameter j."""
    before, state = variation.before, variation.state
    lay_tangent(variation.system.model, before.q, variation.u[j], state.u1, state.q)
    lay(before.v, variation.v[j], state.v)
    lay(before.a, variation.a[j], state.a)


@inline
def weigh(variation, j, h, y):
    """Compute weights of accelerations, in which a change of the size 1 is the error allowed in the derivatives by j.

    Every coordinate has `rtol` of its own largest derivative, or of a part of the largest of all. `y` (m, n): the first
    correction of the step. Steps from rest begin without derivatives of place and speed, and may be foreseen to the
    last digit: what the acceleration moves within the step counts, too.
    """
    state = variation.before
    n = state.v.shape[0]
    largest = variation.largest[j]
    most = 0.0
    for k in range(n):
        speed = state.atol_rate[k] / state.atol[0]
        size = max(abs(variation.u[j, k]), abs(variation.v[j, k]) / speed)
        size = max(size, h * (h + 1.0 / speed) * abs(variation.a[j, k]))
        for i in range(y.shape[0]):
            size = max(size, h * (h + 1.0 / speed) * abs(y[i, k]))
        largest[k] = max(largest[k], size)
        most = max(most, largest[k])
    for k in range(n):
        speed = state.atol_rate[k] / state.atol[0]
        allowed = state.rtol[0] * max(largest[k], FLOOR * most)
        variation.search.weight[k] = h * (h + 1.0 / speed) / allowed if allowed > 0.0 else 0.0


@inline
def product(weight, x, y):
    """Return the mean product of two (m, n) accelerations."""
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            total += weight[k] * weight[k] * x[i, k] * y[i, k]
    return total / (x.shape[0] * x.shape[1])


@kernel
def refine(search, iteration, y):
    """Turn the correction y = P^-1 (b - J x), (m, n), into a better one, by what is known of P^-1 J.

    Returns whether x is good enough once it is added.
    """
    raw, added, left = search.raw, search.added, search.left
    if iteration > 0:
        size, now = product(search.weight, left, left), product(search.weight, y, y)
        if size > 0.0:
            search.contraction[0] = min(1.0, max(FORGET * search.contraction[0], (now / size) ** 0.5))
        learn(search, y)
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            raw[i, k] = left[i, k] = y[i, k]
            added[i, k] = 0.0
    for c in range(DIRECTIONS):
        part = product(search.metric, search.y[c], left)
        combine(added, part, search.x[c])
        combine(left, -part, search.y[c])
    combine(added, 1.0, left)
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            y[i, k] = added[i, k]
    search.iterations[0] += 1
    return product(search.weight, left, left) ** 0.5 * search.contraction[0] < TOLERANCE


@inline
def combine(x, part, y):
    """Add x += part y, of (m, n) accelerations."""
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            x[i, k] += part * y[i, k]


@inline
def learn(search, y):
    """Keep the direction that was added, in place of the oldest: P^-1 J has made `raw` of it less `y`.

    The others become orthogonal to it, and those that were much like it go.
    """
    newest = search.oldest[0]
    search.oldest[0] = (newest + 1) % DIRECTIONS
    x1, y1 = search.x[newest], search.y[newest]
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            x1[i, k] = search.added[i, k]
            y1[i, k] = search.raw[i, k] - y[i, k]
    unit(search, newest, 0.0)
    for c in range(DIRECTIONS):
        if c != newest:
            part = product(search.metric, y1, search.y[c])
            combine(search.x[c], -part, x1)
            combine(search.y[c], -part, y1)
            unit(search, c, ALIKE)


@inline
def unit(search, c, least):
    """Give the image of direction c the length 1; one that is not longer than `least` is forgotten."""
    size = product(search.metric, search.y[c], search.y[c]) ** 0.5
    by = 1.0 / size if size > least else 0.0
    for i in range(search.x.shape[1]):
        for k in range(search.x.shape[2]):
            search.x[c, i, k] *= by
            search.y[c, i, k] *= by


@kernel
def write_outputs(variation, j, first):
    """Read outputs of the complex record from `first` on as derivatives by parameter j; the record goes back there."""
    record = variation.record
    for k in range(first, record.next[0]):
        read_tangent(variation.system.model, record.q[k], variation.out_u[j, k])
        read(record.v[k], variation.out_v[j, k])
        read(record.a[k], variation.out_a[j, k])
        read(record.tau[k], variation.out_tau[j, k])
    record.next[0] = first


@kernel
def start_variation(variation, t, first):
    """Derive the acceleration at the present state, and an output there if there is one, number `first`.

    At the start of a run and after forces have jumped.
    """
    state = variation.state
    for j in range(variation.u.shape[0]):
        set_parameter(variation, j, STEP)
        lay_start(variation, j)
        acceleration(variation.system, variation.scratch, t, state.q, state.v, state.a)
        read(state.a, variation.a[j])
        for k in range(state.v.shape[0]):
            variation.stages[j, 0, k] = variation.a[j, k]
            for i in range(1, 4):
                variation.stages[j, i, k] = 0.0
        if first >= 0:
            variation.record.next[0] = first
            write_sample(variation.system, variation.scratch, variation.record, t, state.q, state.v, state.a)
            write_outputs(variation, j, first)
        set_parameter(variation, j, 0.0)


@kernel
def end_step(variation, j, order, t, h):
    """Write outputs within the step, derived by parameter j, by interpolation of an order; make its end the state."""
    state, record, model = variation.state, variation.record, variation.system.model
    if wanted(record, t, h):
        first = record.next[0]
        chart_rate(model, state.u1, state.v1, state.rate1)
        fit_ends(model, record, order, h, state.u1, state.rate1, state.v, state.a, state.v1, state.a1)
        record_step(variation.system, variation.scratch, record, t, h, state.q)
        write_outputs(variation, j, first)
    read_tangent(model, state.q1, variation.u[j])
    read(state.v1, variation.v[j])
    read(state.a1, variation.a[j])
    for k in range(state.v1.shape[0]):
        if not (isfinite(variation.u[j, k]) and isfinite(variation.v[j, k])):
            variation.failed[0] = 1
