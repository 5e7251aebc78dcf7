"""Where the time of one forward dynamics goes: its passes, one more at a time."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numba
import numpy as np
from chain import chain, random_states
from sheet import Sheet
from timing import Race

from lissom.kernel.forward import accelerate, clear_world, copy_articulated, eliminate_joint, hand_to_parent, take_loads
from lissom.kernel.inertia import body_inertias
from lissom.kernel.kinematics import outward
from lissom.kernel.machine import FASTMATH
from lissom.kernel.outside import gather
from lissom.kernel.passive import passive_forces
from lissom.kernel.rows import eliminate

CHAINS = ((4, 8), (7, 12))  # links, modes of each
PASSES = ("frames", "own inertia", "modes", "joints", "to the parent", "accelerations")


@numba.njit(fastmath=FASTMATH, error_model="numpy")
def _run(model, work, rounds, q, v, tau, wrench, a, last):
    """`forward_dynamics` of a chain up to the pass `last`."""
    n = model.tree.parent.shape[0]
    for at in range(rounds * q.shape[0]):
        s = at % q.shape[0]
        passive_forces(model, q[s], v[s], work.force)
        outward(model, work, q[s], v[s])
        gather(model, work, q[s], v[s], wrench)
        clear_world(model, work)
        if last > 0:
            body_inertias(model, work, q[s], v[s])
            for i in range(1, n):
                take_loads(model, work, i, tau[s])
        if last > 1:
            for back in range(1, n):
                i = n - back
                m = model.tree.modes[i]
                eliminate(work.inertia[i], work.modal_inverse[i], m, m + 6, m + 7)
                if last > 2:
                    copy_articulated(work.inertia[i], m, work.articulated)
                    eliminate_joint(model, work, i, a[s])
                if last > 3 and i > 1:
                    hand_to_parent(model, work, i)
        if last > 4:
            for i in range(1, n):
                accelerate(model, work, i, a[s])


def measure() -> list[dict[str, Any]]:
    """Nanoseconds per link of every pass."""
    rows = []
    for links, modes in CHAINS:
        model = chain(links, modes).compile()
        states, none = random_states(model), np.zeros((links + 1, 6))
        out, work = np.zeros_like(states.v), model.workspace()

        def run(rounds: int, last: int, own: Any = (model, work, states, none, out)) -> None:
            arm, memory, at, wrench, a = own
            _run(arm.struct, memory, rounds, *at, wrench, a, last)

        race = Race({name: partial(run, last=k) for k, name in enumerate(PASSES)}, turns=100)
        until = [0.0, *(1e9 * race.timing(name).best / len(out) / links for name in PASSES)]
        rows.append({"links": links, "modes": modes, "ns": dict(zip(PASSES, (b - a for a, b in pairwise(until))))})
    return rows


def sheets(results: dict[str, Any]) -> list[Sheet]:
    """The table of the passes, where they were measured."""
    rows = []
    for row in results.get("parts", ()):
        ns, total = row["ns"], sum(row["ns"].values())
        shares = [f"{value:.0f} ({100 * value / total:.0f} %)" for value in ns.values()]
        rows.append([f"{row['links']} x {row['modes']}", *shares, f"{total:.0f}"])
    text = (
        "Nanoseconds per link of each pass of lissom's forward dynamics, as what it adds to those before it. `own "
        "inertia` is where the zeros of beams are. It sums whole rows of the invariants: with two or three modes in "
        "each direction the blocks that are not zero are shorter than a vector register; lists of them were slower. "
        "What costs is the rest: places in tables, loops of two to four turns, numbers between registers and memory. "
        "So the compiler is told the sizes that are the same for all robots and that no index is negative, sums of "
        "rows are loops that it may not unroll, and modes are eliminated four at a time."
    )
    title = "Where forward dynamics spends its time"
    return [Sheet(title, text, ("chain", *PASSES, "all"), rows)] if rows else []
