"""Random arms and mechanisms in motion, as users describe them, and what converged runs give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from general_arms import mass_matrix, stiffness_matrix
from random_loops import KINDS, random_loop

import lissom
from lissom.control import Reference
from lissom.model import as_model
from lissom.results.trajectory import from_run
from lissom.results.trust.headline import headline
from lissom.results.trust.refined_robots import enriched, shearing, with_exact_field
from lissom.simulation.status.run_ending import Ending

MATERIALS = {
    "steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850.0},
    "aluminium": {"E": 7.0e10, "nu": 0.33, "rho": 2700.0},
    "plastic": {"E": 2.5e9, "nu": 0.38, "rho": 1150.0},
}
MOTIONS = ("falls", "smooth", "step", "push", "prescribed")
FINER = 3e-9  # rtol of converged runs


@dataclass
class RandomMotion:
    """A robot and what `lissom.simulate` takes to move it."""

    kind: str
    robot: Any
    duration: float
    drive: dict[str, Any]

    def run(self):
        """The run with default settings."""
        return lissom.simulate(self.robot, self.duration, progress=False, **self.drive)


def random_motion(seed: int) -> RandomMotion:
    """One of many kinds of machines and motions, by its number."""
    rng = np.random.default_rng(seed)
    if seed % 6 == 5:
        kind = KINDS[int(rng.integers(len(KINDS)))]
        model, start = random_loop(seed, kind, True)
        return RandomMotion(kind, model.robot, float(rng.uniform(0.03, 0.1)), {"start": start})
    floats = seed % 6 == 4
    robot, actuated = _arm(rng, floats)
    motion = str(rng.choice(("smooth", "push") if floats else MOTIONS))
    duration = float(rng.uniform(0.04, 0.12))
    goal = rng.uniform(-0.6, 0.6, len(actuated))
    drive: dict[str, Any] = {}
    if motion in ("smooth", "step"):
        inertia = np.array([_seen_inertia(robot, name) for name in actuated])
        omega = float(rng.uniform(10.0, 30.0))
        gains = {n: {"p": J * omega**2, "d": 1.4 * J * omega} for n, J in zip(actuated, inertia.tolist())}
        reference = Reference.quintic(0 * goal, goal, 0.6 * duration)
        if motion == "step":
            reference = Reference.step(0 * goal, 0.3 * goal, at=0.3 * duration)
        drive["controller"] = lissom.control.pd(robot, gains, reference)
    elif motion == "push":
        force = rng.normal(size=3) * 2.0
        history = Reference.quintic(np.zeros(3), force, 0.3 * duration)
        drive["loads"] = [
            lissom.Load(link=robot.links[-1].name, force=history if rng.random() < 0.5 else force.tolist())
        ]
    elif motion == "prescribed":
        drive["motion"] = {actuated[0]: Reference.quintic(0.0, goal[0], 0.7 * duration)}
    return RandomMotion(("free base " if floats else "") + motion, robot, duration, drive)


def _arm(rng: np.random.Generator, floats: bool) -> tuple[Any, list[str]]:
    """An arm of one to three links that bend, and the names of its actuated joints."""
    links: list[dict[str, Any]] = []
    if floats:
        inertia = [0.3, 0.4, 0.5]
        links.append({"name": "base", "joint": {"type": "free"}, "body": {"mass": 8.0, "inertia": inertia}})
    count = int(rng.choice((1, 1, 2, 2, 3)))
    field = str(rng.choice(["first", "first", "exact", "none"]))
    names = []
    for k in range(count):
        joint: dict[str, Any] = {"name": f"j{k}", "type": "revolute", "axis": rng.choice(["y", "z"])}
        joint["axis"] = {"y": [0, 1, 0], "z": [0, 0, 1]}[str(joint["axis"])]
        if rng.random() < 0.5:
            joint["damping"] = float(rng.uniform(0.05, 0.5))
        if rng.random() < 0.3:
            joint["transmission"] = {"rotor_inertia": 0.002, "gear": 10.0, "stiffness": 400.0, "damping": 1.0}
        names.append(joint["name"])
        links.append({"name": f"link{k}", "joint": joint, "beam": _beam(rng, field)})
    if rng.random() < 0.7:
        size = float(rng.uniform(0.1, 1.0))
        inertia = [1e-3 * size] * 3
        links.append({"name": "hand", "joint": {"type": "fixed"}, "body": {"mass": size, "inertia": inertia}})
    gravity = [0, 0, 0] if floats else [0, -9.81 * float(rng.random() < 0.6), -9.81 * float(rng.random() < 0.3)]
    data = {"lissom": 1, "name": "random", "gravity": gravity, "materials": MATERIALS, "links": links}
    return lissom.Robot.from_dict(data), names


def _beam(rng: np.random.Generator, field: str) -> dict[str, Any]:
    length = float(rng.uniform(0.4, 1.2))
    beam: dict[str, Any] = {"length": length, "stiffening": field, "damping": float(rng.uniform(0.005, 0.03))}
    kind = rng.integers(5)
    if kind < 4:
        beam["material"] = str(rng.choice(list(MATERIALS)))
    soft = 2.0 if beam.get("material") == "plastic" else 1.0
    width, height = (rng.uniform(0.006, 0.02, 2) * soft).tolist()
    if kind <= 1:
        beam["section"] = {"shape": "tube", "outer": 2 * width, "thickness": width * float(rng.uniform(0.1, 0.4))}
    elif kind == 2:
        beam["section"] = {"shape": "rectangle", "width": width, "height": height}
    elif kind == 3:
        ends = [{"shape": "rectangle", "width": s * width, "height": s * height} for s in (1.4, 0.7)]
        beam["stations"] = [{"x": x, "section": one} for x, one in zip((0.0, length), ends)]
    else:
        scale = float(rng.uniform(0.5, 2.0))
        beam["section"] = {"stiffness": (scale * np.array(stiffness_matrix())).tolist(), "mass": mass_matrix()}
    if rng.random() < 0.4 and kind < 3:
        beam["shear"] = "none"
    if rng.random() < 0.5:
        y, z = rng.integers(1, 5, 2).tolist()
        beam["modes"] = {"y": y, "z": z, "torsion": int(rng.integers(0, 3)), "axial": int(rng.integers(0, 2))}
    if rng.random() < 0.3:
        beam["masses"] = [{"mass": float(rng.uniform(0.05, 0.4)), "at": float(rng.uniform(0.3, 0.9)) * length}]
    return beam


def _seen_inertia(robot: Any, name: str) -> float:
    """What a motor moves, its links being straight."""
    model = as_model(robot)
    return float(lissom.mass_matrix(model, model.neutral())[model.joint(name).joint_v, model.joint(name).joint_v][0, 0])


def converged(run: Any) -> dict[str, float] | None:
    """The numbers of a run with 2.5 times the functions and more, the exact field, shear and tight tolerances."""
    again, settings = run.repeat, run.info.settings
    robot = shearing(with_exact_field(again.robot))
    robot = enriched(robot, as_model(again.robot), lambda count: count + count // 2 + 4)
    outputs = settings.duration * settings.rate
    rate = settings.rate * max(1.0, np.ceil(min(20_000, max(4 * outputs, 16 * run.info.steps)) / outputs))
    change = {"rtol": FINER, "atol": FINER / 100, "rate": rate, "audit": False}
    raw = again.make(robot, settings.model_copy(update=change))
    if raw.status is not Ending.FINISHED:
        return None
    return {name: one.value for name, one in headline(from_run(raw).summary()).items()}
