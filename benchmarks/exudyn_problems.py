"""The problems of the race against Exudyn: for both sides how to compute them, and how far either is off."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import exudyn_arm
import exudyn_common
import exudyn_spinup
import numpy as np
from exudyn_common import Theirs

import lissom
from lissom.control import Reference, pd
from lissom.model import Model, Robot
from lissom.simulation.postprocess import observe
from lissom.simulation.raw_run import RawRun
from lissom.simulation.settings import RunSettings
from lissom.simulation.stepping.run_memory import RunMemory
from lissom.simulation.stepping.time_loop import TimeLoop

FIGURES = json.loads((Path(__file__).parents[1] / "tests" / "data" / "reference_figures.json").read_text())


@dataclass(frozen=True)
class Ours:
    """Settings of lissom: shape functions of each beam, parts that a beam is cut into, integrator."""

    modes: Mapping[str, int] = field(default_factory=dict)  # of the robot's file where empty
    parts: int = 1
    method: str = "radau"
    step: float | None = None
    rtol: float = 1e-4
    atol: float = 1e-6
    radius: float = 0.8
    stiffening: str = ""  # field of the beams, that of the robot's file where empty
    ends: str = ""  # family of their functions, likewise

    def __str__(self) -> str:
        beams = f"{self.stiffening}, " if self.stiffening else ""
        beams += f"{self.parts} parts of " if self.parts > 1 else ""
        kind = f"{self.ends} functions".strip()
        beams += "+".join(str(n) for n in self.modes.values()) + f" {kind}" if self.modes else "functions as in file"
        how = f"step {1e3 * self.step:g} ms" if self.step else f"rtol {self.rtol:.0e}"
        return f"{beams}, {self.method}, {how}, atol {self.atol:.0e}"


class Outcome(NamedTuple):
    """Errors of a run by quantity, and how long it took."""

    errors: dict[str, float]
    seconds: float


Entry = Callable[[], Outcome]  # prepared: every call is a run


class Problem(ABC):
    """A motion to compute, and the accuracy that is asked."""

    title: str
    duration: float
    rate: float
    allowed: dict[str, float]  # error by quantity
    ours: Ours
    theirs: Theirs
    target: float = 5.0  # times faster than Exudyn

    @abstractmethod
    def lissom(self, settings: Ours) -> Entry:
        """One side, ready to run."""

    @abstractmethod
    def exudyn(self, settings: Theirs) -> Entry:
        """The other."""

    @abstractmethod
    def candidates(self) -> tuple[Iterable[Ours], Iterable[Theirs]]:
        """Settings worth trying."""

    def share(self, outcome: Outcome) -> float:
        """The largest error, as a share of what is allowed."""
        return max(outcome.errors[name] / limit for name, limit in self.allowed.items())

    def _loop(self, model: Model, settings: Ours, **scenario: Any) -> tuple[RawRun, float]:
        """Run the time loop alone; everything around it is prepared before the clock starts."""
        asked = RunSettings(
            duration=self.duration,
            method=settings.method,
            step=settings.step,
            rtol=settings.rtol,
            atol=settings.atol,
            rate=self.rate,
            radius=settings.radius,
            audit=False,
        )
        loop = TimeLoop(RunMemory(model, asked, **scenario))
        return exudyn_common.clocked(lambda: loop.run(None))


class SpinUp(Problem):
    """The spin-up beam: deflection of its tip in the axes of the shaft, at eight instants and the largest of all."""

    duration, rate = 20.0, 100.0

    def __init__(self, speed: str, allowed: float, ours: Ours, theirs: Theirs) -> None:
        self.title = f"spin-up beam, {speed} rad/s, 20 s"
        self.speed, self.ramp = float(speed), FIGURES["spinup"]["ramp"]
        self.figures = FIGURES["spinup"]["cases"][speed]
        self.allowed, self.ours, self.theirs = {"tip, m": allowed}, ours, theirs

    def angle(self, t: float) -> float:
        """Of the shaft, written out, as Exudyn calls it in every step."""
        if t >= self.ramp:
            return self.speed * (t - self.ramp / 2)
        k = 2 * np.pi / self.ramp
        return self.speed / self.ramp * (t * t / 2 + (np.cos(k * t) - 1) / k**2)

    def _errors(self, t: np.ndarray, lag: np.ndarray) -> dict[str, float]:
        at = np.interp([float(x) for x in self.figures["tip"]], t, lag)
        errors = np.abs(at - list(self.figures["tip"].values()))
        return {"tip, m": float(max(errors.max(), abs(lag.min() - self.figures["minimum"])))}

    def lissom(self, settings: Ours) -> Entry:
        model = shaped(lissom.load("spinup-beam"), settings).compile(prescribed=["shaft"])
        motion = Reference.spin_up(self.speed, self.ramp, until=self.duration + 1)

        def entry() -> Outcome:
            run, seconds = self._loop(model, settings, motion={"shaft": motion})
            tip = observe(model, run.q, run.v, run.a).tip_position[:, -1]
            angle = run.q[:, 0]
            return Outcome(self._errors(run.time, np.cos(angle) * tip[:, 1] - np.sin(angle) * tip[:, 0]), seconds)

        return entry

    def exudyn(self, settings: Theirs) -> Entry:
        robot = lissom.load("spinup-beam")

        def entry() -> Outcome:
            model = exudyn_spinup.SpinUp(robot, self.angle, settings.elements)
            result = model.run(self.duration, self.rate, settings)
            return Outcome(self._errors(result.time, result.tip[:, 1]), result.seconds)

        return entry

    def candidates(self) -> tuple[Iterable[Ours], Iterable[Theirs]]:
        ours = [
            Ours({"y": y}, parts, rtol=rtol, atol=atol)
            for parts, y in ((1, 3), (2, 2), (2, 3), (3, 2), (4, 2), (6, 2), (8, 2), (10, 2), (12, 2))
            for rtol, atol in ((1e-3, 1e-5), (1e-4, 1e-6), (1e-5, 1e-7))
        ]
        ours += [
            Ours({"y": y, "axial": axial}, rtol=rtol, atol=1e-2 * rtol, stiffening="exact", ends="legendre")
            for y, axial in ((3, 0), (4, 0), (5, 1), (6, 1), (7, 1), (8, 1))
            for rtol in (1e-4, 1e-5)
        ]
        theirs = [
            Theirs(n, step, radius)
            for n in (6, 8, 12, 16)
            for step in (0.02, 0.01, 0.005, 0.004, 0.0025, 0.002)
            for radius in (0.9, 0.7)
        ]
        return ours, theirs


class Swing(Problem):
    """The L mechanism, released from level: where elbow and tip are after 0.5 s."""

    duration, rate = 0.5, 1000.0

    def __init__(self, allowed: float, ours: Ours, theirs: Theirs) -> None:
        self.title = "L mechanism, swing of 0.5 s"
        self.figures = FIGURES["l_mechanism"]["swing"]["tall"]
        self.allowed, self.ours, self.theirs = {"positions, m": allowed}, ours, theirs

    def _errors(self, elbow: np.ndarray, tip: np.ndarray) -> dict[str, float]:
        pairs = ((elbow, self.figures["elbow"]), (tip, self.figures["tip"]))
        return {"positions, m": max(float(np.max(np.abs(np.subtract(a, b)))) for a, b in pairs)}

    def lissom(self, settings: Ours) -> Entry:
        model = shaped(lissom.load("l-mechanism"), settings).compile()

        def entry() -> Outcome:
            run, seconds = self._loop(model, settings)
            elbow, tip = observe(model, run.q[-1:], run.v[-1:], run.a[-1:]).tip_position[0, [0, -1]]
            return Outcome(self._errors(elbow, tip), seconds)

        return entry

    def exudyn(self, settings: Theirs) -> Entry:
        robot = lissom.load("l-mechanism")

        def entry() -> Outcome:
            arm = exudyn_arm.Arm(robot, settings.elements, shear=5 / 6, own_mass=True)
            result = arm.run(self.duration, self.rate, settings)
            return Outcome(self._errors(result.ends["arm"][2][-1], result.tip[-1]), result.seconds)

        return entry

    def candidates(self) -> tuple[Iterable[Ours], Iterable[Theirs]]:
        modes = ((2, 2, 1, 0), (2, 2, 1, 1), (3, 3, 1, 1), (3, 3, 2, 1), (4, 4, 3, 2))
        ours = [
            Ours(dict(zip(("y", "z", "torsion", "axial"), count)), method=method, step=step)
            for count in modes
            for method, steps in (("generalised-alpha", (4e-3, 2e-3, 1e-3)), ("radau", (2e-2, 1e-2, 5e-3, 2e-3)))
            for step in steps
        ]
        theirs = [
            Theirs(n, step, radius)
            for n in (2, 3, 4)
            for step in (2.5e-3, 2e-3, 0.5 / 300, 1.25e-3, 1e-3)
            for radius in (0.9, 0.95)
        ]
        return ours, theirs


class Manoeuvre(Problem):
    """A whole manoeuvre of an arm: joint angles, tip and elastic displacements at four instants."""

    rate = 200.0

    def __init__(self, robot: str, ours: Ours, theirs: Theirs) -> None:
        self.robot, self.figures = robot, FIGURES["manoeuvres"][robot]
        self.duration = self.figures["duration"]
        self.title = f"{robot}, {self.duration:g} s"
        limits = self.figures["tolerances"]
        self.until = limits.get("until", self.duration)
        self.allowed = {
            "tip, m": limits["tip"], "angles, rad": limits["position"], "deflections, of peak": limits["deflection"],
        }  # fmt: skip
        self.ours, self.theirs = ours, theirs

    def _errors(
        self, t: np.ndarray, tip: np.ndarray, angles: np.ndarray, deflections: Mapping[str, np.ndarray]
    ) -> dict[str, float]:
        errors = dict.fromkeys([*self.allowed, "tip at the end, m"], 0.0)
        kept = t <= self.until + 1e-9
        for spot in self.figures["spots"]:
            at = int(np.argmin(np.abs(t - spot["t"])))
            assert abs(t[at] - spot["t"]) < 1e-6, "an output falls on every instant"
            errors["tip at the end, m"] = distance(tip[at], spot["tip"])
            if spot["t"] > self.until:
                continue
            new = [distance(tip[at], spot["tip"]), float(np.max(np.abs(angles[at] - spot["position"])))]
            new.append(
                max(
                    distance(values[at], spot["deflection"][beam]) / np.linalg.norm(values[kept], axis=1).max()
                    for beam, values in deflections.items()
                )
            )
            for name, error in zip(self.allowed, new, strict=True):
                errors[name] = max(errors[name], error)
        return errors

    def _reference(self) -> Reference | None:
        if "quintic" in self.figures:
            return Reference.quintic(**self.figures["quintic"])
        return Reference.steps(self.figures["steps"]) if "steps" in self.figures else None

    def lissom(self, settings: Ours) -> Entry:
        model = shaped(lissom.load(self.robot), settings).compile()
        reference = self._reference()
        law = pd(model, self.figures["gains"], reference) if reference is not None else None
        joints = [body.joint_q.start for body in model.bodies]
        beams = [name for name in model.links if name in model.flexible]

        def entry() -> Outcome:
            run, seconds = self._loop(model, settings, controller=law, start=self.figures["start"])
            seen = observe(model, run.q, run.v, run.a)
            bent = {beam: seen.deflection[:, k] for k, beam in enumerate(beams)}
            return Outcome(self._errors(run.time, seen.tip_position[:, -1], run.q[:, joints], bent), seconds)

        return entry

    def _drive(self) -> exudyn_common.Drive | None:
        gains = self.figures.get("gains", {}).values()
        if "quintic" in self.figures:
            setpoint = exudyn_common.quintic(**self.figures["quintic"])
        elif "steps" in self.figures:
            setpoint = exudyn_common.steps(self.figures["steps"])
        else:
            return None
        return exudyn_common.Drive([gain["p"] for gain in gains], [gain["d"] for gain in gains], setpoint)

    def exudyn(self, settings: Theirs) -> Entry:
        robot, start = lissom.load(self.robot), list(self.figures["start"].values())
        lengths = {link.name: link.beam.length for link in robot.links if link.beam is not None}

        def entry() -> Outcome:
            arm = exudyn_arm.Arm(robot, settings.elements, start, self._drive())
            result = arm.run(self.duration, self.rate, settings)
            bent = {beam: exudyn_arm.deflection(result, beam, length) for beam, length in lengths.items()}
            return Outcome(self._errors(result.time, result.tip, result.q, bent), result.seconds)

        return entry

    def candidates(self) -> tuple[Iterable[Ours], Iterable[Theirs]]:
        modes = ((2, 2, 1, 0), (2, 2, 1, 1), (3, 3, 1, 1), (3, 3, 2, 2), (4, 4, 3, 3))
        counts = [dict(zip(("y", "z", "torsion", "axial"), count)) for count in modes]
        ways: list[dict[str, Any]] = [
            {"rtol": rtol, "atol": atol} for rtol, atol in ((1e-3, 1e-5), (1e-4, 1e-6), (1e-5, 1e-7))
        ]
        ways += [{"method": "generalised-alpha", "step": step} for step in (1e-2, 5e-3, 2.5e-3, 1.25e-3)]
        if self.robot == "canadarm2":
            ways += [{"method": "dopri5"}, {"method": "dopri5", "rtol": 1e-3, "atol": 1e-5}]
        ours = [Ours(count, **way) for count in counts for way in ways]
        meshes, steps = ((8, 12, 16), (5e-3, 2.5e-3, 1.25e-3)) if self.robot == "canadarm2" else (
            (2, 3, 4, 6), (1e-2, 5e-3, 2.5e-3, 1.25e-3)
        )  # fmt: skip
        theirs = [Theirs(n, step, radius) for n in meshes for step in steps for radius in (0.9, 0.7)]
        return ours, theirs


def shaped(robot: Robot, settings: Ours) -> Robot:
    """The robot with the field, shape functions and parts that are asked for."""
    for link in robot.links:
        if link.beam is not None:
            for name, value in (("stiffening", settings.stiffening), ("ends", settings.ends)):
                if value:
                    robot = robot.with_value(f"links.{link.name}.beam.{name}", value)
            for direction, count in settings.modes.items():
                robot = robot.with_value(f"links.{link.name}.beam.modes.{direction}", count)
    return robot if settings.parts == 1 else cut(robot, settings.parts)


def cut(robot: Robot, parts: int) -> Robot:
    """The robot with every beam cut into equal parts, one fixed on the end of the other."""
    data = robot.to_dict()
    links = []
    for link in data["links"]:
        count = parts if "beam" in link else 1
        for k in range(count):
            piece = dict(link) if k == 0 else {"name": f"{link['name']}-{k + 1}", "joint": "fixed"}
            if "beam" in link:
                piece["beam"] = link["beam"] | {"length": link["beam"]["length"] / count}
            links.append(piece)
    return Robot.from_dict(data | {"links": links})


def distance(a: Sequence[float] | np.ndarray, b: Sequence[float] | np.ndarray) -> float:
    return float(np.linalg.norm(np.subtract(a, b)))
