"""Where the time of one forward dynamics goes: its passes, one more at a time, of numbers and of packs."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from chain import chain, random_states
from sheet import Sheet
from timing import Race

from lissom.dynamics.forward_batch import States, _memory
from lissom.kernel.algorithms.articulated_body import (
    add_to_parent,
    copy_articulated_inertia,
    eliminate_joint,
    set_base_acceleration,
    solve_accelerations,
    subtract_external_forces,
)
from lissom.kernel.compile import Struct, kernel
from lissom.kernel.forces.external_forces import sum_external_forces
from lissom.kernel.forces.passive_joint_forces import passive_forces
from lissom.kernel.kinematics.forward_kinematics import forward_kinematics
from lissom.kernel.links.body_inertia import body_inertias
from lissom.kernel.maths.row_sums import eliminate

CHAINS = ((4, 8), (7, 12))  # links, modes of each
MANY = 64  # states, one after the other or in packs
PASSES = ("frames", "own inertia", "modes and joints", "to the parent", "accelerations")


@kernel
def _run(model, work, rounds, states, last):
    """`forward_dynamics` of a chain up to the pass `last`."""
    n = model.tree.parent.shape[0]
    q, v, tau, wrench, a = states.q, states.v, states.tau, states.wrench, states.a
    for at in range(rounds * q.shape[0]):
        s = at % q.shape[0]
        passive_forces(model, q[s], v[s], work.force)
        forward_kinematics(model, work, q[s], v[s])
        sum_external_forces(model, work, q[s], v[s], wrench)
        set_base_acceleration(model, work)
        if last > 0:
            body_inertias(model, work, q[s], v[s])
            for i in range(1, n):
                subtract_external_forces(model, work, i, tau[s])
        if last > 1:
            for back in range(1, n):
                i = n - back
                m = model.tree.modes[i]
                eliminate(work.inertia[i], work.modal_inverse[i], m, m + 6, m + 7)
                copy_articulated_inertia(work.inertia[i], m, work.articulated)
                eliminate_joint(model, work, i, a[s])
                if last > 2 and i > 1:
                    add_to_parent(model, work, i)
        if last > 3:
            for i in range(1, n):
                solve_accelerations(model, work, i, a[s])


def measure() -> list[dict[str, Any]]:
    """Nanoseconds per link and state of every pass."""
    rows = []
    for links, modes in CHAINS:
        model = chain(links, modes).compile()
        states = random_states(model, MANY)
        still = np.zeros_like(states.v)
        in_packs, packs, _ = _memory(model, *states, still)
        single = Struct(States(*states, np.zeros((links + 1, 6)), still))
        kinds = {"ns": (model.workspace(), single), "lanes_ns": (in_packs, packs)}

        def run(rounds: int, of: str, last: int, arm: Any = model.struct, kinds: Any = kinds) -> None:
            work, at = kinds[of]
            _run(arm, work, rounds, at, last)

        race = Race(
            {f"{of} {name}": partial(run, of=of, last=k) for of in kinds for k, name in enumerate(PASSES)}, turns=100
        )
        row: dict[str, Any] = {"links": links, "modes": modes}
        for of in kinds:
            until = [0.0, *(1e9 * race.timing(f"{of} {name}").best / MANY / links for name in PASSES)]
            row[of] = dict(zip(PASSES, (b - a for a, b in pairwise(until))))
        rows.append(row)
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
        "So the compiler is told the sizes that are the same for all robots, no index is asked for its sign, sums of "
        "rows are loops that it may not unroll, and modes are eliminated four at a time."
    )
    title = "Where forward dynamics spends its time"
    made = [Sheet(title, text, ("chain", *PASSES, "all"), rows)] if rows else []
    return [*made, *_in_lanes(results)]


def _in_lanes(results: dict[str, Any]) -> list[Sheet]:
    """The same of packs, and how many times faster they are."""
    rows = []
    for row in (row for row in results.get("parts", ()) if "lanes_ns" in row):
        one, lanes = row["ns"], row["lanes_ns"]
        ratios = [f"{lanes[name]:.0f} ({one[name] / lanes[name]:.1f})" for name in PASSES]
        total = sum(lanes.values())
        rows.append([f"{row['links']} x {row['modes']}", *ratios, f"{total:.0f} ({sum(one.values()) / total:.1f})"])
    text = (
        "The same of eight states in lanes, nanoseconds per link and state, and in brackets how many times as fast as "
        "one by one. Least is gained where rows of numbers fill registers already: a pack takes as many "
        "multiplications there, and reads a number from memory for each; the longest loop of `to the parent` reads 14 "
        "registers for 12 multiplications. Couplings that are zero are left out of packs. Packs of four, and making "
        "the inertia of a body just before it is eliminated, were no faster."
    )
    title = "Where forward dynamics in lanes spends its time"
    return [Sheet(title, text, ("chain", *PASSES, "all"), rows)] if rows else []
