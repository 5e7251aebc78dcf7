"""What derivatives of a motion by p parameters cost, in plain runs of the same motion."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from falling_arms import robot

import lissom
from lissom.control import Reference, pd
from lissom.simulation.sensitivity.sensitivity_loop import VariationLoop
from lissom.simulation.settings import RunSettings
from lissom.simulation.stepping.run_memory import RunMemory
from lissom.simulation.stepping.time_loop import TimeLoop

TURNS = 7
TARGET = 1.0  # plain runs that one parameter may cost, beside the run itself


class Case(NamedTuple):
    """A motion and its parameters."""

    name: str
    robot: lissom.Robot
    parameters: list[str]
    duration: float
    options: dict[str, Any]


def cases() -> Iterator[Case]:
    """A controlled arm from rest, one that falls with gears, a spatial chain, an arm on spherical joints."""
    ella = lissom.load("ella")
    model = ella.compile()
    gains = {"shoulder-yaw": {"p": 900, "d": 157}, "shoulder": {"p": 2000, "d": 200}, "elbow": {"p": 600, "d": 40}}
    law = pd(model, gains, Reference.quintic([0.0, 0.0, 0.0], [-0.5, 0.7, 0.4], 0.4))
    paths = ["links.upper.beam.section.EIz", "links.forearm.beam.length"]
    rest = lissom.static_equilibrium(model).q
    yield Case("ella, PD", ella, paths, 0.5, {"controller": law, "start": rest})
    more = [
        "links.upper.beam.section.EIy",
        "gains.elbow.p",
        "gains.elbow.d",
        "start.elbow",
        "start.shoulder",
        "gravity.2",
    ]
    yield Case("ella, PD", ella, [*paths, *more], 0.5, {"controller": law, "start": rest})
    gear = "links.boom1.joint.transmission"
    fall = [f"{gear}.stiffness", f"{gear}.rotor_inertia"]
    yield Case("canadarm2", lissom.load("canadarm2"), fall, 1.0, {})
    lengths = [f"links.link0-{k}.beam.length" for k in (0, 3, 7)]
    yield Case("spatial chain of 8", robot("spatial", 8), lengths, 0.3, {})
    yield Case("spherical chain of 8", robot("spherical", 8), lengths, 0.3, {})


def measure() -> dict[str, Any]:
    """Processor time of time loops and of whole calls, robots compiled anew; ratios over calls that take turns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"cases": [_measured(case) for case in cases()]}


def _measured(case: Case) -> dict[str, Any]:
    options = {"rtol": 1e-7, "atol": 1e-10, "rate": 200, "method": "radau", "audit": False, **case.options}
    plain = case.robot.compile()
    law, start = case.options.get("controller"), case.options.get("start")
    shared = {key: value for key, value in options.items() if key not in case.options}
    settings = RunSettings(duration=case.duration, **shared)

    def derive(robot: Any) -> Any:
        return lissom.sensitivity(robot, case.parameters, case.duration, progress=False, **options)

    def run(robot: Any) -> Any:
        return lissom.simulate(robot, case.duration, progress=False, **options)

    found = derive(plain)
    seconds: dict[str, list[float]] = {"run": [], "derived": [], "run compiled": [], "derived compiled": []}
    value = case.robot.value(case.parameters[0])
    for _ in range(TURNS):
        loop = TimeLoop(RunMemory(plain, settings, law, start))
        seconds["run"].append(_clock(lambda loop=loop: loop.run(None)))
        loop = VariationLoop(plain, settings, law, start, None, case.parameters)
        seconds["derived"].append(_clock(lambda loop=loop: loop.run(None)))
        other = case.robot.with_value(case.parameters[0], value)
        seconds["run compiled"].append(_clock(lambda robot=other: run(robot).tip()))
        seconds["derived compiled"].append(_clock(lambda robot=other: derive(robot).output))
    count = len(case.parameters)
    ratio, whole = (
        np.array(seconds[f"derived{which}"]) / np.array(seconds[f"run{which}"]) for which in ("", " compiled")
    )
    return {
        "name": case.name,
        "coordinates": plain.nv,
        "parameters": count,
        "steps": found.run.info.steps,
        "ms": {key: 1e3 * min(values) for key, values in seconds.items()},
        "ratio": float(np.median(ratio)),
        "whole": float(np.median(whole)),
    }


def _clock(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began


if __name__ == "__main__":
    for one in measure()["cases"]:
        print(one)
