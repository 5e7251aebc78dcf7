"""The stacked screw system: one evaluation and O(n) solution against the kernel, and growth with the number of links.

Run alone: python benchmarks/screw_pde.py
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from chain import States, chain, random_states
from forward_dynamics import Kernel
from timing import Race

import lissom
from lissom.kernel.compile import kernel
from lissom.theory.screw_pde import ScrewPDE
from lissom.theory.screw_pde.compiled.eliminate import eliminate
from lissom.theory.screw_pde.compiled.evaluate import evaluate

LINKS = (8, 16, 32, 64, 128)  # with 8 modes each
RATIO_TARGET = 6.0  # stacked system over kernel on the 4-link chain
DOUBLING = (1.8, 2.3)  # time for twice the links
AGREEMENT = 1e-9


@kernel
def _repeat(table, work, rounds, q, v, tau, a):
    for _ in range(rounds):
        for k in range(q.shape[0]):
            evaluate(table, work, q[k], v[k], tau[k])
            eliminate(table, work, a[k])


class Stacked:
    """Evaluation of all blocks and their elimination inside a compiled loop."""

    def __init__(self, model: lissom.Model) -> None:
        self.formulation = ScrewPDE(model)

    def repeat(self, rounds: int, states: States, a: np.ndarray) -> None:
        _repeat(*self.formulation.structs, rounds, *states, a)


def compare(links: int, modes: int, stiffening: str) -> dict[str, Any]:
    """Both on one chain; they must agree first."""
    model = chain(links, modes, stiffening).compile()
    states = random_states(model)
    out, count = np.empty_like(states.v), len(states.q)
    stacked, kernel = Stacked(model), Kernel(model)
    stacked.repeat(1, states, out)
    expected = np.array([lissom.forward_dynamics(model, *state) for state in zip(*states, strict=True)])
    error = float(np.abs(out - expected).max() / np.abs(expected).max())
    if error > AGREEMENT:
        raise AssertionError(f"{links} x {modes}: stacked system and kernel differ by {error:.1e}")
    race = Race(
        {"stacked": lambda n: stacked.repeat(n, states, out), "kernel": lambda n: kernel.repeat(n, states, out)}
    )
    ratio = race.ratio("stacked", "kernel")
    return {
        "links": links,
        "modes": modes,
        "stiffening": stiffening,
        "disagreement": error,
        "us": {name: 1e6 / count * race.timing(name).best for name in ("stacked", "kernel")},
        "ratio": {"median": ratio.median, "low": ratio.low, "high": ratio.high},
    }


def growth() -> dict[str, Any]:
    """Time per solution from 8 to 128 links, all taking turns, and the ratios of neighbours."""
    competitors, count = {}, 1
    for links in LINKS:
        model = chain(links, 8, "first").compile()
        states, stacked = random_states(model), Stacked(model)
        out, count = np.empty_like(states.v), len(states.q)
        competitors[str(links)] = lambda n, run=stacked, s=states, o=out: run.repeat(n, s, o)
    race = Race(competitors, turns=100)
    pairs = list(pairwise(LINKS))
    return {
        "links": list(LINKS),
        "us": [1e6 / count * race.timing(str(links)).best for links in LINKS],
        "doubling": [race.ratio(str(b), str(a)).median for a, b in pairs],
        "doubling_of_best": [race.timing(str(b)).best / race.timing(str(a)).best for a, b in pairs],
    }


def measure() -> dict[str, Any]:
    return {"chains": [compare(4, 8, kind) for kind in ("none", "first")], "growth": growth()}


if __name__ == "__main__":
    results = measure()
    for row in results["chains"]:
        times = f"stacked {row['us']['stacked']:.1f} us, kernel {row['us']['kernel']:.1f} us"
        print(f"{row['links']} x {row['modes']} {row['stiffening']:>5}: {times}, ratio {row['ratio']['median']:.2f}")
    for links, us in zip(results["growth"]["links"], results["growth"]["us"]):
        print(f"{links:4d} links: {us:8.1f} us")
    print("doubling:", ", ".join(f"{x:.2f}" for x in results["growth"]["doubling"]))
