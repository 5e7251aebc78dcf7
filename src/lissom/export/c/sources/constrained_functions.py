"""Forward dynamics of robots with loops, and their wrenches: the kernel's own, on memory that C lays out."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from lissom.export.c.translation.value_kinds import Lent, Record
from lissom.kernel.compile import kernel
from lissom.kernel.constraints.constrained_dynamics import Closure, closed_dynamics
from lissom.kernel.constraints.constraint_solve import make_schur
from lissom.kernel.constraints.loop_constraints import loop_wrenches
from lissom.kernel.implicit.articulated_newton import make_factors, solve
from lissom.kernel.kinematics.forward_kinematics import forward_kinematics
from lissom.model.model import Model

LENT = {"block": "inertia", "modal_inverse": "modal_inverse", "U": "U", "D_inverse": "D_inverse"}


@kernel
def closed_motion(model, work, closure, q, v, tau, wrench, a, lam):
    """Fill the accelerations that keep loops closed, and the multipliers of the directions that these hold."""
    for k in range(model.gears.rotor_v.shape[0]):
        if model.velocities.prescribed[model.gears.rotor_v[k]] == 0:
            closure.factors.gear[k, 0] = work.zero + 1.0 / model.gears.inertia[k]
    closed_dynamics(model, work, closure, q, v, tau, wrench, a)
    for row in range(closure.lam.shape[0]):
        lam[row] = closure.lam[row]


@kernel
def add_reactions(model, work, q, still, lam, on, wrench):
    """Add the wrenches of multipliers to those on the rows `wrench` (n, 6); on (loops, 6): those in the loops."""
    forward_kinematics(model, work, q, still)
    loop_wrenches(model, work, lam, on, wrench)


def closure_records(model: Model, work: Record, prefix: str, number: type) -> dict[str, Record]:
    """Return the memory for the loops of a model as C structs, by the name of the variable that holds each."""
    factors = make_factors(model.arrays, number)._asdict()
    lent = {name: Lent("work", field) for name, field in LENT.items()}
    own = namedtuple("own", ["work", *factors])(**{"work": work} | factors | lent)
    rows = len(model.arrays.loops.hold)
    schur = Record(f"{prefix}schur", make_schur(rows, model.nv, number), counts=("order", "rank"))
    records = {"schur": schur, "factors": Record(f"{prefix}closing_factors", own)}

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, number)

    fields: Any = Closure(
        **records, local=work, solve=solve, G=zeros(rows, model.nv), given=np.zeros((rows, 3)),
        lam=zeros(rows), miss=zeros(rows),
    )  # fmt: skip
    return records | {"closure": Record(f"{prefix}closure", fields)}


def closure_lines(records: dict[str, Record]) -> list[str]:
    """Return declarations of this memory in a public function, and its pointers."""
    lines = [f"struct {record.name} {name};" for name, record in records.items()]
    lines += [f"begin_{record.name}(&{name});" for name, record in records.items()]
    return [*lines, "factors.work = closure.local = &work;", "closure.schur = &schur;", "closure.factors = &factors;"]
