"""Closed loops in the race against Exudyn: the published five-bar arm and luffing crane (tests/data/loops)."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import exudyn_mechanisms
import numpy as np
from exudyn_common import Theirs
from exudyn_problems import Entry, Ours, Outcome, Problem

import lissom
from lissom.model import Model
from lissom.results.trajectory import Trajectory, from_run

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))
import loop_problems

RULE = 1e-3  # of the largest value of a column
ENDS = "legendre"


class Mechanism(Problem):
    """A published mechanism with a closed loop: every column of the figures that both sides tell."""

    figures: str  # file of tests/data/loops
    built: Callable[[Mapping[str, Any], int], exudyn_mechanisms.Mechanism]  # by Exudyn, of so many elements per beam
    names: tuple[str, ...]  # columns that are compared
    target = 10.0

    def __init__(self, ours: Ours, theirs: Theirs) -> None:
        self.ours, self.theirs = ours, theirs
        self.data = loop_problems.published(self.figures)
        self.reference = self.published()
        self.allowed = {f"columns, of {RULE:g} of the largest": 1.0}

    @abstractmethod
    def published(self) -> Mapping[str, Any]:
        """Times and values."""

    @abstractmethod
    def ready(self, settings: Ours) -> tuple[Model, dict[str, Any]]:
        """The model, and how its run begins and is driven."""

    @abstractmethod
    def ours_columns(self, run: Trajectory) -> Mapping[str, Any]:
        """What a run of lissom tells."""

    @abstractmethod
    def theirs_columns(self, seen: exudyn_mechanisms.Samples) -> Mapping[str, Any]:
        """What a run of Exudyn tells."""

    def _errors(self, columns: Mapping[str, Any]) -> dict[str, float]:
        rule, _ = loop_problems.worst(self.reference, {name: columns[name] for name in self.names})
        return {next(iter(self.allowed)): max(rule.values())}

    def lissom(self, settings: Ours) -> Entry:
        model, drive = self.ready(settings)

        def entry() -> Outcome:
            raw, seconds = self._loop(model, settings, **drive)
            return Outcome(self._errors(self.ours_columns(from_run(raw))), seconds)

        return entry

    def exudyn(self, settings: Theirs) -> Entry:
        def entry() -> Outcome:
            made = type(self).built(self.data, settings.elements)
            seen = made.run(self.duration, self.rate, settings)
            return Outcome(self._errors(self.theirs_columns(seen)), seen.seconds)

        return entry


class FiveBar(Mechanism):
    """The parallel arm: where its tip is, how its far links bow, the force in the pin that closes the loop."""

    title, figures, duration, rate = "five-bar arm, 0.4 s", "fivebar_planar_flexible", 0.4, 25.0
    built = exudyn_mechanisms.five_bar
    names = ("tip_x", "tip_y", "defl_distal1_mid", "defl_distal2_mid", "F_tip_x", "F_tip_y")

    def published(self) -> Mapping[str, Any]:
        return self.data["cases"]["A"]["reference"]["eb"]

    def ready(self, settings: Ours) -> tuple[Model, dict[str, Any]]:
        robot, start, motion, _ = loop_problems.five_bar(**settings.modes, stiffening=settings.stiffening, ends=ENDS)
        return robot.compile(prescribed=list(motion)), {"start": start, "motion": motion}

    def ours_columns(self, run: Trajectory) -> Mapping[str, Any]:
        return loop_problems.five_bar_columns(run, self.reference["t"])

    def theirs_columns(self, seen: exudyn_mechanisms.Samples) -> Mapping[str, Any]:
        at = [int(np.argmin(abs(seen.time - t))) for t in self.reference["t"]]
        tip, pin = seen.columns["tip"][at], seen.columns["pin"][at]
        columns = {"tip_x": tip[:, 0], "tip_y": tip[:, 1], "F_tip_x": pin[:, 0], "F_tip_y": pin[:, 1]}
        for k in (0, 1):
            elbow, middle = (seen.columns[f"{name}{k}"][at, :2] for name in ("elbow", "middle"))
            chord = tip[:, :2] - elbow
            across = np.stack([-chord[:, 1], chord[:, 0]], axis=1) / np.linalg.norm(chord, axis=1)[:, None]
            columns[f"defl_distal{k + 1}_mid"] = np.sum(across * (middle - (elbow + tip[:, :2]) / 2), axis=1)
        return columns

    def candidates(self) -> tuple[Iterable[Ours], Iterable[Theirs]]:
        ours = [
            Ours({"y": y, "axial": 1}, rtol=rtol, atol=1e-2 * rtol, stiffening=stiffening)
            for stiffening in ("first", "exact")
            for y in (3, 4, 5)
            for rtol in (1e-4, 1e-5, 1e-6, 1e-7)
        ]
        theirs = [
            Theirs(n, step, radius)
            for n in (2, 4, 6)
            for step in (1e-3, 5e-4, 4e-4, 2.5e-4, 2e-4, 1.25e-4)
            for radius in (0.95, 0.9, 0.8)
        ]
        return ours, theirs


class Crane(Mechanism):
    """The luffing crane, from its static rest: its tip, the forces in its cylinder and in its pin."""

    title, figures, duration, rate = "luffing crane, 5 s", "luffing_crane", 5.0, 1.0
    built = exudyn_mechanisms.crane
    names = ("tip_x", "tip_y", "cyl_force", "F_P_x", "F_P_y")

    def published(self) -> Mapping[str, Any]:
        return self.data["cases"]["length"]["reference"]["eb"]

    def ready(self, settings: Ours) -> tuple[Model, dict[str, Any]]:
        robot, start, motion, _ = loop_problems.crane(**settings.modes, stiffening=settings.stiffening, ends=ENDS)
        model = robot.compile(prescribed=["rod"])
        rest = lissom.static_equilibrium(model, start, hold=())
        return model, {"start": rest, "motion": motion}

    def ours_columns(self, run: Trajectory) -> Mapping[str, Any]:
        return loop_problems.crane_columns(run, self.reference["t"])

    def theirs_columns(self, seen: exudyn_mechanisms.Samples) -> Mapping[str, Any]:
        at = [int(np.argmin(abs(seen.time - t))) for t in self.reference["t"]]
        tip, foot = seen.columns["tip"][at], -seen.columns["foot"][at]
        return {
            "tip_x": tip[:, 0],
            "tip_y": tip[:, 1],
            "cyl_force": -seen.columns["cylinder"][at, 0],
            "F_P_x": foot[:, 0],
            "F_P_y": foot[:, 1],
        }

    def candidates(self) -> tuple[Iterable[Ours], Iterable[Theirs]]:
        ours = [
            Ours({"y": y, "axial": 1}, rtol=rtol, atol=1e-2 * rtol, stiffening=stiffening)
            for stiffening in ("first", "exact")
            for y in (1, 2, 3)
            for rtol in (1e-3, 1e-4, 1e-5, 1e-6)
        ]
        theirs = [
            Theirs(n, step, radius)
            for n in (2, 4, 6)
            for step in (2e-2, 1e-2, 8e-3, 6.25e-3, 5e-3, 4e-3, 2.5e-3)
            for radius in (0.95, 0.9, 0.8)
        ]
        return ours, theirs
