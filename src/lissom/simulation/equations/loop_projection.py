"""Loops within a run: rows that are given in time, multipliers in residuals, states brought back to closed loops."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.control.laws.control_kernel import evaluate
from lissom.kernel.compile import Hidden, Pointer, Struct, inline, kernel
from lissom.kernel.compile.pointer import Unused
from lissom.kernel.constraints.constrained_dynamics import Closure, close, make_closure, set_columns
from lissom.kernel.constraints.constraint_solve import add_columns, factorise_rows, make_schur, solve_rows
from lissom.kernel.constraints.loop_constraints import loop_rates, loop_rows, loop_values
from lissom.kernel.implicit import articulated_newton
from lissom.kernel.kinematics.forward_kinematics import forward_kinematics
from lissom.kernel.maths.chart import move
from lissom.model.model import Model
from lissom.simulation.equations import dense_lu
from lissom.simulation.equations.newton import EXACT, FORM

CLOSED = 1e-13  # m or rad
ROUNDS = 12  # of a projection
SLOW = 0.1  # contraction of a projection above which its matrix is renewed


def row_memory(model: Model, number: Any, given: np.ndarray | None = None) -> dict[str, Any]:
    """Return arrays of a Scratch over the rows of all loops; `given` (rows, 3) is memory that others read as well."""
    rows = len(model.arrays.loops.hold)
    return {
        "G": np.zeros((rows, model.nv), number),
        "lam": np.zeros(rows, number),
        "row_rate": np.zeros(rows, number),
        "given": np.zeros((rows, 3)) if given is None else given,
    }


def loop_pointers(model: Model, frames: Hidden, closure: Any, number: Any) -> dict[str, Any]:
    """Return pointers of a Scratch to the kernels of loops."""
    memory, struct = row_memory(model, number), model.struct
    q, v = np.zeros(model.nq, number), np.zeros(model.nv, number)
    point = Pointer if model.loops else Unused
    return {
        "loop_rows": point(loop_rows, struct, frames, memory["G"]),
        "constraint_violation": (point if number is np.float64 else Unused)(  # states are brought back as they are
            constraint_violation, struct, frames, q, v, memory["given"], memory["G"], memory["lam"]
        ),
        "close": point(close, struct, frames, closure, v),
    }


def run_closure(model: Model, number: type) -> Any:
    """Return memory of the loops of a run."""
    return model.cached(("run closure", number), lambda: make_closure(model, number))


@kernel
def constraint_violation(model, work, q, v, given, G, out):
    """Compute frames, rows and values of all loops at the state (q, v)."""
    forward_kinematics(model, work, q, v)
    loop_rows(model, work, G)
    loop_values(model, work, q, given, out)


@inline
def set_driven_rows(system, t, given):
    """Compute values, rates and accelerations that rows are to have at time t; zero but for those that are driven."""
    t = min(t, system.latest[0])
    for k in range(system.driven.shape[0]):
        r, rd, rdd = evaluate(system.driven_breaks, system.driven_coefficients, k, t)
        row = system.driven[k]
        given[row, 0] = r
        given[row, 1] = rd
        given[row, 2] = rdd


@inline
def subtract_reactions(system, scratch, t, v, out):
    """Subtract the reactions: out -= G^T lam after the inverse dynamics of a state; row rates to scratch.row_rate."""
    G = scratch.G
    scratch.loop_rows(system.model, scratch.frames, G)
    set_driven_rows(system, t, scratch.given)
    loop_rates(G, scratch.given, v, scratch.row_rate)
    for row in range(G.shape[0]):
        for k in range(out.shape[0]):
            out[k] -= G[row, k] * scratch.lam[row]


@inline
def correct_rows(closure, x, wanted):
    """Add to `x` the multiples of the columns that give G x = wanted; the multipliers stay in closure.schur.x."""
    schur = closure.schur
    for row in range(wanted.shape[0]):
        total = schur.zero + wanted[row]
        for k in range(x.shape[0]):
            total -= closure.G[row, k] * x[k]
        schur.x[row] = total
    solve_rows(schur)
    add_columns(schur, x)


@inline
def copy_rows(model, G, closure):
    """Copy G to closure.G but for prescribed joints, which do not move."""
    for row in range(G.shape[0]):
        for k in range(G.shape[1]):
            closure.G[row, k] = (1.0 - model.velocities.prescribed[k]) * G[row, k]


@inline
def dense_columns(closure, factors, pivots):
    """Compute columns J^-1 G^T of dense factors, and the small system."""
    for row in range(closure.G.shape[0]):
        x = closure.schur.columns[row]
        for k in range(x.shape[0]):
            x[k] = closure.G[row, k]
        dense_lu.solve(factors, pivots, x)
    factorise_rows(closure.schur, closure.G)


@kernel
def project(system, scratch, closure, t, q, v):
    """Bring the state (q, v) to where loops are closed and stay so, along the columns of the factors at hand.

    Any factors do: those of an implicit step keep the correction away from what is stiff. Returns how far the loops
    gaped.
    """
    gap = 0.0
    if closure.G.shape[0] == 0:
        return gap
    model = system.model
    set_driven_rows(system, t, closure.given)
    # Positions, by Newton: u = -J^-1 G^T (G J^-1 G^T)^-1 c(q), with the columns kept while they contract well.
    before = 0.0
    fresh = False
    for iteration in range(ROUNDS):
        scratch.constraint_violation(model, scratch.frames, q, v, closure.given, closure.G, closure.miss)
        size = dense_lu.largest(closure.miss)
        if iteration == 0:
            gap = size
        if not size > CLOSED or (iteration > 1 and size > 0.5 * before):
            break
        if iteration == 0 or size > SLOW * before:
            set_columns(model, closure)
            fresh = True
        u = closure.factors.x
        for k in range(u.shape[0]):
            u[k] = 0.0
        for row in range(closure.miss.shape[0]):
            closure.schur.x[row] = -closure.miss[row]
        solve_rows(closure.schur)
        add_columns(closure.schur, u)
        move(model, q, u, scratch.q1)
        for k in range(q.shape[0]):
            q[k] = scratch.q1[k]
        before = size
    # Velocities, where the rows are linear: once, and again for what rounding leaves.
    for iteration in range(3):
        loop_rates(closure.G, closure.given, v, closure.miss)
        if not dense_lu.largest(closure.miss) > CLOSED:
            break
        if iteration == 0 and not fresh:
            set_columns(model, closure)
        for row in range(closure.miss.shape[0]):
            closure.schur.x[row] = -closure.miss[row]
        solve_rows(closure.schur)
        add_columns(closure.schur, v)
    return gap


class AtHand(NamedTuple):
    """The real matrix of the last implicit step in whichever form it has."""

    plan: np.ndarray  # of Newton
    local: Any  # Local of its articulated factors
    dense: np.ndarray  # (n, n) factors of the exact form
    pivots: np.ndarray


@kernel
def solve_at_hand(model, at_hand, factors):
    """Overwrite factors.x by the real matrix of the last step; entries of prescribed coordinates become zero."""
    if at_hand.plan[FORM] == EXACT:
        x = factors.x
        for k in range(x.shape[0]):
            x[k] *= 1.0 - model.velocities.prescribed[k]
        dense_lu.solve(at_hand.dense, at_hand.pivots, x)
    else:
        articulated_newton.solve(model, at_hand.local, factors)


def projector_at_hand(model: Model, at_hand: AtHand, factors: Any) -> Any:
    """Return a Closure over the matrix that the last step has left; `factors` are its articulated ones."""
    return projector(model, Struct(at_hand), factors, solve_at_hand)


def projector(model: Model, local: Any, factors: Any, solve: Any, number: type = np.float64) -> Any:
    """Return a Closure over the factors of an implicit step; `local`, `factors` as kernels take them."""
    rows = len(model.arrays.loops.hold)
    hidden = Hidden(local)
    return Struct(
        Closure(
            schur=Struct(make_schur(rows, model.nv, number)),
            factors=factors,
            local=hidden,
            solve=Pointer(solve, model.struct, hidden, factors),
            G=np.zeros((rows, model.nv), number),
            given=np.zeros((rows, 3)),
            lam=np.zeros(rows, number),
            miss=np.zeros(rows, number),
        )
    )
