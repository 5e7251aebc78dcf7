"""The kernel's own source in extended precision (64 bits of mantissa): the true values of a model's tables.

Kernels are plain Python for any number type; here they run on `numpy.longdouble`, or on doubles without the liberties
that compilers take, as exported C does.
"""

import numpy as np

from lissom.kernel.algorithms.articulated_body import forward_dynamics
from lissom.kernel.constraints.constrained_dynamics import Closure, closed_dynamics
from lissom.kernel.constraints.constraint_solve import make_schur
from lissom.kernel.data.arrays import Arrays
from lissom.kernel.data.table_operations import mapped
from lissom.kernel.data.workspace import workspace
from lissom.kernel.implicit.articulated_newton import make_factors, solve
from lissom.kernel.numbers.rebind import retarget

LONG = np.longdouble
SOURCE = {name: getattr(np, name) for name in ("sin", "cos", "sqrt", "tanh")}
HALF_ULP = 2.0**-53


def motion(model, q, v, tau, number=LONG, arrays: Arrays | None = None):
    """Accelerations (nv,) and multipliers of loops (rows,), in that number type; `arrays` stand for the model's own."""
    tables = mapped(lambda table: table.astype(number) if table.dtype.kind == "f" else table, arrays or model.arrays)
    work, (q, v, tau) = workspace(tables, number), (np.asarray(each, number) for each in (q, v, tau))
    wrench, a = np.zeros((len(tables.tree.parent), 6), number), np.zeros(len(v), number)
    if not model.loops:
        retarget(forward_dynamics, SOURCE)(tables, work, q, v, tau, wrench, a)
        return a, np.zeros(0, number)
    closure = _closure(tables, work, number)
    retarget(closed_dynamics, SOURCE)(tables, work, closure, q, v, tau, wrench, a)
    return a, closure.lam


def _closure(tables, work, number):
    lent = {name: getattr(work, name) for name in ("modal_inverse", "U", "D_inverse")}
    factors = make_factors(tables, number)._replace(block=work.inertia, **lent)
    free = tables.velocities.prescribed[tables.gears.rotor_v] == 0
    factors.gear[:, 0] = np.where(free, 1 / tables.gears.inertia, 0)
    rows, nv = len(tables.loops.hold), len(tables.velocities.prescribed)
    schur = make_schur(rows, nv, number)
    memory = {"G": np.zeros((rows, nv), number), "lam": np.zeros(rows, number), "miss": np.zeros(rows, number)}
    pointer = retarget(solve, SOURCE)
    return Closure(schur=schur, factors=factors, local=work, solve=pointer, given=np.zeros((rows, 3)), **memory)


def last_bits(model, q, v, tau, rng):
    """Tables, q, v and tau (extended) with every number moved by half a unit of its last bit, up or down."""

    def moved(values):
        if values.dtype.kind != "f":
            return values
        signs = rng.choice([-1.0, 1.0], values.shape).astype(LONG)
        return values.astype(LONG) * (1 + LONG(HALF_ULP) * signs)

    return mapped(moved, model.arrays), *(moved(np.asarray(each)) for each in (q, v, tau))


def apart(found, wanted) -> float:
    """Largest difference, relative to the largest number."""
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())
