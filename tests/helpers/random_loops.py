"""Random four-bars, slider-cranks and spatial loops, rigid or with links that bend, and a start that closes them."""

from __future__ import annotations

from typing import Any

import numpy as np

import lissom

KINDS = ("four-bar", "slider-crank", "spatial with a rod", "spatial with a link")
TURN = [0, 0, 1]


def _link(rng: np.random.Generator, length: float, bends: bool) -> dict[str, Any]:
    if bends:
        EIy, EIz = rng.uniform(60, 300, 2).tolist()
        section = {"rhoA": 0.8, "EA": 3e6, "EIy": EIy, "EIz": EIz, "GJ": 50, "Jx": 1e-4}
        modes = {"y": 1, "z": 1, "axial": 1, "torsion": 1}
        return {"beam": {"length": length, "section": section, "modes": modes, "damping": 0.01}}
    m = float(rng.uniform(0.5, 2))
    inertia = [0.01 * m * length**2, m * length**2 / 12, m * length**2 / 12]
    return {"body": {"mass": m, "com": [length / 2, 0, 0], "inertia": inertia, "tip": [length, 0, 0]}}


def _hinge(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "revolute", "name": name, "axis": TURN, **more}


def random_loop(seed: int, kind: str, bends: bool) -> tuple[Any, dict[str, float]]:
    """A model with one loop, and where its joints begin."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.uniform([0.25, 1.1, 0.7], [0.35, 1.4, 1.0]).tolist()
    start = {"j1": 0.5, "j1.rate": float(rng.uniform(3, 9))}
    crank = {"name": "crank", "joint": _hinge("j1"), **_link(rng, a, False)}
    second = {"name": "coupler", "joint": _hinge("j2"), **_link(rng, b, bends)}
    third: dict[str, Any] = {"name": "last", "parent": "world", "joint": _hinge("j3"), "origin": {"xyz": [1, 0, 0]}}
    loop: dict[str, Any] = {"name": "pin", "joint": {"type": "revolute", "axis": TURN}}
    if kind == "four-bar":
        start |= {"j2.near": 0.3, "j3.near": 1.5}
        third |= _link(rng, c, bends)
    elif kind == "slider-crank":
        start |= {"j2.near": -0.7, "j3.near": 0.2}
        third |= {"joint": {"type": "prismatic", "name": "j3", "axis": [1, 0, 0]}}
        third |= {"body": {"mass": 1.0, "inertia": [0.01, 0.01, 0.01]}}
    else:
        start |= {"j3.near": 1.2}
        third |= {"origin": {"xyz": [1, 0, 0.1], "rpy": [float(rng.uniform(0.4, 1.2)), 0, 0]}, **_link(rng, c, bends)}
        second["joint"] = {"type": "universal", "name": "j2", "axes": [[0, 1, 0], TURN]}
        loop = {"name": "rod", "distance": b} if "rod" in kind else {"name": "ball", "joint": {"type": "spherical"}}
    links = [crank, third] if "distance" in loop else [crank, second, third]
    loop["between"] = [{"link": links[-2]["name"]}, {"link": "last"}]
    robot = {"lissom": 1, "name": "loop", "gravity": [0, -9.81, 0], "links": links, "loops": [loop]}
    return lissom.Robot.from_dict(robot).compile(), start
