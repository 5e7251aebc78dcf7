"""One side of `trees.py`: cases of the checkout that PYTHONPATH names, timed when their names come in, one per line.

Of names that are not public only those of the module of `lissom.forward_dynamics_batch` are used, wherever it stands,
so that checkouts of different age answer alike.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from chain import chain, random_states

import lissom

forward_batch = sys.modules[lissom.forward_dynamics_batch.__module__]
CHAINS = ((4, 8), (7, 12), (20, 8))  # links, modes of each
MANY = 64  # states, one after the other or in packs
NUMBERS = {"float": float, "complex": complex, "packs": None}
RUNS = {  # seconds of each scenario
    "ella": 0.3,
    "canadarm2": 0.5,
    "dual-screw-arm": 2.0,
    "spinup-beam": 10.0,
    "slider-crank": 0.02,
    "satellite-two-arm": 3.0,
}
TURN = 0.05  # seconds that one measurement should take at least
REPEATS = 3  # measurements of a turn, of which the least disturbed counts


class Case(NamedTuple):
    """Something to time: a function that does it so many times, and what came out."""

    run: Callable[[int], object]
    result: Callable[[], np.ndarray]
    parts: int = 1  # in one time


def dynamics(links: int, modes: int, number: type | None) -> Case:
    """Forward dynamics of many states by one call of machine code; of packs without filling and emptying them."""
    model = chain(links, modes).compile()
    states, still = random_states(model, MANY), np.zeros((MANY, model.nv))
    if number is None:
        work, packs, unpacked = forward_batch._memory(model, *states, still)
        memory, result = (work, packs), partial(unpacked, MANY)
    else:
        q, v, tau, a = (array.astype(number) for array in (*states, still))
        given = forward_batch.States(q, v, tau, np.zeros((model.rows, 6), number), a)
        memory, result = (model.workspace(number), forward_batch.Struct(given)), a.real.copy

    def run(count: int) -> None:
        for _ in range(count):
            forward_batch._forward_in_lanes(model.struct, *memory)

    return Case(run, result, MANY)


def call() -> Case:
    """One forward dynamics of ella, called from Python."""
    model = lissom.load("ella").compile()
    q, v = model.neutral(), np.full(model.nv, 0.1)

    def run(count: int) -> None:
        for _ in range(count):
            lissom.forward_dynamics(model, q, v)

    return Case(run, lambda: lissom.forward_dynamics(model, q, v))


def radau(scenario: str) -> Case:
    """A scenario with all that drives it, by Radau."""
    prepared, out = lissom.scenario.load(scenario).prepare(), np.zeros(0)

    def run(count: int) -> None:
        nonlocal out
        for _ in range(count):
            out = prepared.simulate(duration=RUNS[scenario], method="radau", progress=False).q[-1]

    return Case(run, lambda: out)


def cases() -> dict[str, Callable[[], Case]]:
    """How each case is made, by its name."""
    arms = {
        f"forward dynamics {links} x {modes}, {name}": partial(dynamics, links, modes, number)
        for links, modes in CHAINS
        for name, number in NUMBERS.items()
    }
    return arms | {"call from Python": call} | {f"radau {name}": partial(radau, name) for name in RUNS}


def clock(run: Callable[[int], object], count: int) -> float:
    """Seconds of processor time."""
    began = time.process_time()
    run(count)
    return time.process_time() - began


def calibrated(case: Case) -> int:
    """How often to run a case; the first time is for compilers and caches."""
    case.run(1)
    count = 1
    while clock(case.run, count) < TURN:
        count *= 2
    return count


def main() -> None:
    made: dict[str, tuple[Case, int]] = {}
    known = cases()
    for line in sys.stdin:
        name = line.strip()
        if name not in made:
            case = known[name]()
            made[name] = case, calibrated(case)
        case, count = made[name]
        seconds = min(clock(case.run, count) for _ in range(REPEATS)) / (count * case.parts)
        print(json.dumps([seconds, case.result().tolist()]), flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
