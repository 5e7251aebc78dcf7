"""Forward dynamics and its exact derivatives: times per call, as ratios to the C yardstick of the same run."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any, NamedTuple

import compiler
import forward_parts
import numpy as np
from chain import States, chain, random_states
from timing import Race
from yardstick import Yardstick

import lissom
from lissom.dynamics import operation_counts
from lissom.dynamics.forward_batch import _forward_in_lanes, _memory
from lissom.kernel.algorithms.articulated_body import forward_dynamics
from lissom.kernel.compile import Struct, kernel
from lissom.kernel.compile.argument_kinds import kinds
from lissom.kernel.compile.libraries import library, toolchain
from lissom.model import Model

CHAINS = ((2, 8), (4, 8), (7, 12), (20, 8))  # links, modes of each
MANY = 512  # states in lanes
GROWTH = (10, 20, 50, 100, 200)  # links with 8 modes each
AGREEMENT = 1e-9

RATIO_TARGET = 0.8  # lissom over C
LANES_TARGET = 3.0  # states in lanes over single ones, per core
JACOBIAN_TARGET = 140  # exact Jacobian over forward dynamics, 2 x 8


class Memory(NamedTuple):
    """What a loop of simulations has in its tables: rows of arrays that nobody counts."""

    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    wrench: np.ndarray
    a: np.ndarray


@kernel
def _repeat(model, work, rounds, at):
    for _ in range(rounds):
        for k in range(at.q.shape[0]):
            forward_dynamics(model, work, at.q[k], at.v[k], at.tau[k], at.wrench, at.a[k])


class Kernel:
    """lissom's forward dynamics inside a compiled loop, as the yardstick has it."""

    def __init__(self, model: Model) -> None:
        self._model, self._work = model.struct, model.workspace()
        self._no_wrench = np.zeros((len(model.bodies) + 1, 6))
        self._memory: Struct | None = None

    def repeat(self, rounds: int, states: States, a: np.ndarray) -> None:
        memory = Memory(*states, self._no_wrench, a)
        if self._memory is None or any(new is not old for new, old in zip(memory, self._memory.fields, strict=True)):
            self._memory = Struct(memory)
        _repeat(self._model, self._work, rounds, self._memory)


def disagreement(model: Model) -> float:
    """Largest difference between the accelerations of C and lissom, relative to the largest acceleration."""
    states = random_states(model)
    ours = np.array([lissom.forward_dynamics(model, *state) for state in zip(*states, strict=True)])
    theirs = np.empty_like(ours)
    Yardstick(model).repeat(1, states, theirs)
    return float(np.abs(ours - theirs).max() / np.abs(ours).max())


def compare(links: int, modes: int) -> dict[str, Any]:
    """lissom and C on one chain; beside them lissom with `stiffening: first`."""
    linear, stiffened = (chain(links, modes, stiffening).compile() for stiffening in ("none", "first"))
    states = random_states(linear)
    out, count = np.empty_like(states.v), len(states.q)
    error = disagreement(linear)
    if error > AGREEMENT:
        raise AssertionError(f"{links} x {modes}: C and lissom differ by {error:.1e}, more than {AGREEMENT:g}")
    c, none, first = Yardstick(linear), Kernel(linear), Kernel(stiffened)
    race = Race(
        {
            "c": lambda n: c.repeat(n, states, out),
            "none": lambda n: none.repeat(n, states, out),
            "first": lambda n: first.repeat(n, states, out),
        }
    )
    us = {name: 1e6 / count * race.timing(name).best for name in ("c", "none", "first")}
    total = operation_counts.count(linear).total
    return {
        "links": links,
        "modes": modes,
        "disagreement": error,
        "us": us,
        "us_median": {name: 1e6 / count * race.timing(name).median for name in us},
        "ratio": asdict(race.ratio("none", "c")),
        "stiffening": asdict(race.ratio("first", "none")),
        "operations": total,
        "operations_stiffened": operation_counts.count(stiffened).total,
        "gflops": 1e-3 * total / us["none"],
    }


class InLanes:
    """Forward dynamics of states in the lanes of packs, on one core."""

    def __init__(self, model: Model, states: States) -> None:
        still = np.zeros_like(states.v)
        *memory, self.result = _memory(model, *states, still)
        self._memory = (model.struct, *memory)

    def repeat(self, rounds: int) -> None:
        for _ in range(rounds):
            _forward_in_lanes(*self._memory)

    def in_two_registers(self) -> dict[str, Callable[[int], object]]:
        """The same by code for processors whose registers hold half a pack, by `lissom build --level x86-64-v3`.

        Nothing without that, and where this is such a processor.
        """
        own = kinds(self._memory)
        name = library.key(_forward_in_lanes, own)
        holding = [made for made in library.libraries() if name in made.entries]
        if toolchain.WIDE not in toolchain.levels() or len(holding) < 2:
            return {}
        code = holding[1].function(name, own)
        return {"narrow": lambda rounds: [code(*self._memory) for _ in range(rounds)]}


def lanes() -> list[dict[str, Any]]:
    """States in lanes against one after the other, on one core."""
    rows = []
    for links, modes in CHAINS:
        for stiffening in ("none", "first"):
            model = chain(links, modes, stiffening).compile()
            states = random_states(model, MANY)
            one, packs, out = Kernel(model), InLanes(model, states), np.empty_like(states.v)
            one.repeat(1, states, out)
            packs.repeat(1)
            off = float(np.abs(packs.result(MANY) - out).max() / np.abs(out).max())
            sides = {"one": partial(one.repeat, states=states, a=out), "lanes": packs.repeat}
            sides |= packs.in_two_registers()
            race = Race(sides, turns=100)
            us = {name: 1e6 / len(out) * race.timing(name).best for name in sides}
            total = operation_counts.count(model).total
            rows.append(
                {
                    "links": links,
                    "modes": modes,
                    "stiffening": stiffening,
                    "us": us,
                    "ratio": asdict(race.ratio("one", "lanes")),
                    "narrow": asdict(race.ratio("one", "narrow")) if "narrow" in sides else None,
                    "gflops": 1e-3 * total / us["lanes"],
                    "disagreement": off,
                }
            )
    return rows


def growth() -> dict[str, Any]:
    """Time per link of long chains, and the exponent p of time ~ links^p."""
    race = Race({str(links): _long_chain(links) for links in GROWTH}, turns=100)
    seconds = np.array([race.timing(str(links)).best for links in GROWTH])
    exponent, _ = np.polyfit(np.log(GROWTH), np.log(seconds), 1)
    return {"links": list(GROWTH), "us_per_link": (1e6 * seconds / GROWTH).tolist(), "exponent": float(exponent)}


def _long_chain(links: int) -> Callable[[int], None]:
    """A competitor: forward dynamics of one state of a chain."""
    model = chain(links, 8).compile()
    kernel, states = Kernel(model), random_states(model, 1)
    out = np.empty_like(states.v)
    return lambda n: kernel.repeat(n, states, out)


def jacobian() -> dict[str, Any]:
    """`lissom.derivatives` of the 2 x 8 chain, called from Python, over forward dynamics in a compiled loop."""
    model = chain(2, 8).compile()
    states = random_states(model)
    q, v, tau = (array[0] for array in states)
    kernel, out = Kernel(model), np.empty_like(states.v)

    def derivatives(n: int) -> None:
        for _ in range(n):
            lissom.derivatives(model, q, v, tau)

    race = Race({"forward": lambda n: kernel.repeat(n, states, out), "jacobian": derivatives})
    ratio = race.ratio("jacobian", "forward")
    return {
        "us": 1e6 * race.timing("jacobian").best,
        "ratio": {name: len(out) * value for name, value in asdict(ratio).items()},
    }


def peak_gflops() -> float:
    """What one core can do at most, in 1e9 operations per second."""
    library = compiler.load("peak.c")
    library.peak.argtypes, library.peak.restype = [ctypes.c_long, ctypes.c_double, ctypes.c_double], ctypes.c_double
    library.operations_per_round.restype = ctypes.c_long
    race = Race({"peak": lambda n: library.peak(1000 * n, 0.5, 1.0)})
    return 1e-6 * library.operations_per_round() / race.timing("peak").best


def measure() -> dict[str, Any]:
    """Everything this file measures."""
    return {
        "chains": [compare(links, modes) for links, modes in CHAINS],
        "growth": growth(),
        "jacobian": jacobian(),
        "peak_gflops": peak_gflops(),
        "parts": forward_parts.measure(),
    }
