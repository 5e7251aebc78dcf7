"""Closed loops: forward dynamics with loops beside those of the open tree, and growth with the number of loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
from timing import Race

import lissom
from lissom.dynamics.kinematic_loops.loop_kinematics import closure_of
from lissom.kernel.algorithms.articulated_body import forward_dynamics
from lissom.kernel.compile import kernel
from lissom.kernel.constraints.constrained_dynamics import closed_dynamics

TARGET = 2.5  # times the open tree, one loop
COUNTS = (1, 2, 4, 8)
TURNS = 100


def arms(loops: int, functions: int = 4) -> lissom.Robot:
    """Pairs of two-link arms on one rail, each pair pinned at its tips: one loop for every four flexible links."""
    beam = {
        "length": 0.4,
        "section": {"rhoA": 0.3, "EA": 4e6, "EIy": 5.0, "EIz": 5.0, "GJ": 5.0},
        "modes": {"y": functions, "axial": 1},
        "stiffening": "first",
        "ends": "legendre",
    }
    hinge = {"type": "revolute", "axis": [0, 0, 1]}
    links: list[dict[str, Any]] = []
    closed = []
    for k in range(loops):
        for side, x in (("left", -0.15), ("right", 0.15)):
            near, far = f"{side}-near{k}", f"{side}-far{k}"
            links.append({"name": near, "parent": "world", "origin": {"xyz": [x + 2.0 * k, 0, 0]}, "joint": hinge})
            links.append({"name": far, "parent": near, "joint": hinge})
        closed.append(
            {"name": f"pin{k}", "joint": hinge, "between": [{"link": f"left-far{k}"}, {"link": f"right-far{k}"}]}
        )
    links = [link | {"beam": beam} for link in links]
    return lissom.Robot.from_dict({"name": "arms", "gravity": [0, -9.81, 0], "links": links, "loops": closed})


def competitors(robot: lissom.Robot) -> dict[str, Callable[[int], object]]:
    """The closed mechanism, and the tree that is left without its loops."""
    guess = {}
    for link in robot.links:
        guess[link.name] = {"left-near": 2.1, "right-near": 1.0, "left-far": -1.3, "right-far": 1.3}[
            link.name.rstrip("0123456789")
        ]
    model = robot.compile()
    tree = lissom.Robot.from_dict({**robot.to_dict(), "loops": []}).compile()
    q = lissom.close_loops(model, guess, keep=())
    v, tau, a = np.zeros((3, model.nv))
    work, closure, wrench = model.workspace(), closure_of(model, np.float64), np.zeros((model.rows, 6))
    tree_work, tree_wrench = tree.workspace(), np.zeros((tree.rows, 6))

    def closed(count: int) -> None:
        _repeat_closed(model.struct, work, closure, count, q, v, tau, wrench, a)

    def opened(count: int) -> None:
        _repeat_open(tree.struct, tree_work, count, q, v, tau, tree_wrench, a)

    return {"closed": closed, "open": opened}


@kernel
def _repeat_closed(model, work, closure, rounds, q, v, tau, wrench, a):
    for _ in range(rounds):
        closed_dynamics(model, work, closure, q, v, tau, wrench, a)


@kernel
def _repeat_open(model, work, rounds, q, v, tau, wrench, a):
    for _ in range(rounds):
        forward_dynamics(model, work, q, v, tau, wrench, a)


def measure() -> dict[str, Any]:
    """Microseconds and ratios by number of loops."""
    rows = []
    for count in COUNTS:
        race = Race(competitors(arms(count)), TURNS)
        us = {name: 1e6 * race.timing(name).best for name in ("closed", "open")}
        rows.append({"loops": count, "us": us, "ratio": asdict(race.ratio("closed", "open"))})
    return {"loops": rows}
