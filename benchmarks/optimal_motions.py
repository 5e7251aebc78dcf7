"""How long the best motions of flexible arms take to find, and how fine a grid the least time needs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import lissom
from lissom.optimise import Motion

TARGET = 60.0  # s
FINER = 0.05  # of the least time, that a grid twice as fine may differ
STILL = 50.0  # times less vibration than the smooth motion
GEAR = {"stiffness": 4000.0, "rotor_inertia": 1e-4, "gear": 60, "damping": 2.0}
ELLA = {"shoulder-yaw": -0.4928, "shoulder": 0.6922, "elbow": 0.4270}
DUAL = {"joint1": 0.8, "joint2": 0.5, "joint3": 0.4, "joint4": 0.3}
SEVEN = {"joint1": 0.7, "joint2": 0.9, "joint4": -0.7, "joint6": 0.5, "joint7": 1.0}


class Case(NamedTuple):
    """A task and what it is about."""

    name: str
    motion: Motion
    checked: bool = True  # by simulation


def geared_arm() -> lissom.Robot:
    """The arm of seven joints with an elastic gear in each of them."""
    robot = lissom.load("rigid-7-axis")
    return robot.with_values([(f"links.link{k}.joint.transmission", GEAR) for k in range(1, 8)])


def cases() -> Iterator[Case]:
    """Least vibration of three arms, and least time of one on two grids."""
    lift = {"shoulder-yaw": 60.0, "shoulder": 120.0, "elbow": 40.0}
    yield Case("ella", Motion(scenario="ella", to=ELLA, duration=1.5, limits={"torque": lift}))
    limits = {"torque": {"joint1": 150.0, "joint2": 200.0, "joint3": 80.0, "joint4": 30.0}}
    yield Case("dual-screw-arm", Motion(scenario="dual-screw-arm", to=DUAL, duration=2.0, limits=limits))
    start = {"joint2": 0.4, "joint4": -1.2, "joint6": 0.8}
    seven = {"robot": geared_arm(), "duration": 1.0, "start": start}
    yield Case("seven elastic joints", Motion(scenario=seven, to=SEVEN, duration=1.0, limits={"torque": 150.0}))
    strong = {"torque": {"shoulder-yaw": 60.0, "shoulder": 150.0, "elbow": 60.0}}
    for intervals in (20, 40):
        motion = Motion(scenario="ella", to=ELLA, least="time", limits=strong, intervals=intervals)
        yield Case(f"ella, least time, {intervals} intervals", motion, checked=False)


def measure() -> dict[str, Any]:
    """Seconds of processor time of `solve`, warm, and the vibration that is left."""
    Motion(scenario="ella", to=ELLA, duration=1.5, intervals=4).solve(progress=False)  # all is loaded and compiled
    found = []
    for case in cases():
        began = time.process_time()
        best = case.motion.solve(progress=False)
        seconds = time.process_time() - began
        ratio = best.verify().ratio if case.checked else None
        found.append(
            {"name": case.name, "seconds": seconds, "iterations": best.iterations, "duration": best.duration}
            | {"coordinates": best.task.model.nv, "ratio": ratio}
        )
    return {"cases": found}
