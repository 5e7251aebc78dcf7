"""What a sizing finds: the lightest robot, how near it comes to its limits, and how it does in motion."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom import printing
from lissom.files import make_folder, write_whole
from lissom.model.description.robot import Robot
from lissom.optimise.section_design import DualValue
from lissom.optimise.sizing_schema import CaseSpec, Sizing
from lissom.scenario.scenario_schema import Scenario
from lissom.version import __version__

if TYPE_CHECKING:
    from rich.table import Table

    from lissom.results.trajectory import Trajectory

MARGIN = 1e-6  # kept to every limit, relative
MISSED = 1e-5  # of a limit, that is none
HELD = 0.5  # s, that a case is simulated


class LimitedQuantity(NamedTuple):
    """A quantity and its limit."""

    name: str
    quantity: DualValue
    limit: float
    unit: str
    least: bool = False  # whether the limit is the least allowed

    @property
    def room(self) -> DualValue:
        """What is left to the limit, as a share of it: negative beyond."""
        value, slope = self.quantity.value / self.limit - 1, self.quantity.slope / self.limit
        return DualValue(value - MARGIN, slope) if self.least else DualValue(-value - MARGIN, -slope)


@dataclass(frozen=True, eq=False)
class Lightest(printing.Printed):
    """The lightest robot that was found."""

    asked: Sizing
    start_sizes: dict[str, float]
    sizes: dict[str, float]
    start_mass: float  # kg
    mass: float
    start_limited: list[LimitedQuantity]
    limited: list[LimitedQuantity]
    robot: Robot  # with these sizes
    designs: int  # that were looked at
    seconds: float

    @property
    def saved(self) -> float:
        """Share of the mass that is gone."""
        return 1 - self.mass / self.start_mass

    @property
    def change(self) -> str:
        """How much lighter it is, or heavier where the start does not keep the limits, in words."""
        return f"{abs(self.saved):.1%} {'lighter' if self.saved >= 0 else 'heavier, as its start misses limits'}"

    @cached_property
    def largest(self) -> list[tuple[LimitedQuantity, LimitedQuantity]]:
        """Of each kind of limit the one that is nearest to it, at the start and now."""
        kinds: dict[str, tuple[LimitedQuantity, LimitedQuantity]] = {}
        for before, after in zip(self.start_limited, self.limited, strict=True):
            kind = re.sub(r" (\d+|at \S+|in case \d+)(?= |$)", "", before.name)
            if kind not in kinds or after.room.value < kinds[kind][1].room.value:
                kinds[kind] = before, after
        return list(kinds.values())

    def table(self) -> Table:
        """Return a table of the sizes and of what limits them."""
        title = f"{self.asked.name}: {self.mass:.4g} kg, {self.change}"
        note = f"{self.designs} designs, {self.seconds:.1f} s; of each kind of limit the one that comes nearest"
        table = printing.table("", "start", "lightest", "limit", "unit", title=title, caption=note)
        table.add_row("mass", f"{self.start_mass:.5g}", f"{self.mass:.5g}", "", "kg")
        for path, size in self.sizes.items():
            low, high = self.asked.sizes[path]
            table.add_row(path, f"{self.start_sizes[path]:.4g}", f"{size:.4g}", f"{low:g} to {high:g}", "m")
        for before, after in self.largest:
            bound = f"{'at least' if after.least else 'at most'} {after.limit:.4g}"
            table.add_row(after.name, f"{before.quantity.value:.4g}", f"{after.quantity.value:.4g}", bound, after.unit)
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        limited = {
            each.name: {"value": each.quantity.value, "limit": each.limit, "unit": each.unit} for each in self.limited
        }
        return {"name": self.asked.name, "mass": self.mass, "saved": self.saved, "sizes": self.sizes, "limits": limited}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the robot file, with where it comes from at its head."""
        file = Path(path)
        make_folder(file.parent)
        kept = [
            f"{each.name} {each.quantity.value:.4g} of {each.limit:.4g} {each.unit}".strip() for _, each in self.largest
        ]
        head = [
            f"The lightest sections of {self.robot.name} by lissom {__version__}, sizing {self.asked.name!r}:",
            f"{self.mass:.5g} kg in place of {self.start_mass:.5g} kg. It keeps, in {len(self.asked.cases)} case(s):",
            *kept,
            *[f"{name}: {size:.6g} m, was {self.start_sizes[name]:.6g} m" for name, size in self.sizes.items()],
        ]
        write_whole(file, "".join(f"# {line}\n" for line in head) + self.robot.to_yaml())
        return file

    def verify(self, **options: Any) -> SizingCheck:
        """Simulate the lightest robot: in the motion of its scenario, or held in every case."""
        scenario = self.asked.scenario.model_copy(update={"robot": self.robot})
        if scenario.control is not None or scenario.motion:
            return SizingCheck(self, [scenario.run(**({"progress": False} | options))])
        return SizingCheck(self, [self._simulate_held(case, options) for case in self.asked.cases])

    def plot(self) -> Any:
        """Draw how much of every limit is used, at the start and now, as a matplotlib figure."""
        from lissom.view.figures.sizing_figures import plot_sizing

        return plot_sizing(self)

    def _simulate_held(self, case: CaseSpec, options: dict[str, Any]) -> Trajectory:
        joints = [body.joint for body in self.robot.compile().bodies if body.joint_v.stop > body.joint_v.start]
        data = {
            "robot": self.robot.with_value("gravity", tuple(case.factor * np.asarray(self.robot.gravity))),
            "duration": HELD,
            "start": dict(case.pose),
            "hold": "joints",
            "motion": {joint: {"type": "constant"} for joint in joints},
            "loads": [
                {"link": each.link, "at": each.at, "force": [case.factor * f for f in each.force]}
                | {"torque": [case.factor * t for t in each.torque]}
                for each in case.loads
            ],
        }
        return Scenario.from_dict(data).run(**({"progress": False} | options))


@dataclass(frozen=True, eq=False)
class SizingCheck(printing.Printed):
    """The lightest robot in motion: the largest deflections and stresses of its runs."""

    lightest: Lightest
    runs: list[Trajectory]

    @cached_property
    def rows(self) -> list[tuple[str, float, float, str]]:
        """(what, largest, limit, unit)."""
        limits = self.lightest.asked.limits
        out = []
        for link, most in limits.deflection.items():
            bent = max(float(np.linalg.norm(run.deflection(link).values, axis=-1).max()) for run in self.runs)
            out.append((f"deflection of {link}", bent, most, "m"))
        for link, most in limits.stress.items():
            pressed = max(float(run.stress(link).sel(stress="von_mises").max()) for run in self.runs)
            out.append((f"stress of {link}", pressed, most, "Pa"))
        return out

    @property
    def kept(self) -> bool:
        """Whether all of them are within their limits, but for rounding."""
        return all(value <= limit * (1 + MISSED) for _, value, limit, _ in self.rows)

    def table(self) -> Table:
        """Return a table of the simulated loads and their limits."""
        table = printing.table("simulated", "largest", "limit", "unit", title=self.lightest.asked.name)
        for name, value, limit, unit in self.rows:
            table.add_row(name, f"{value:.4g}", f"{limit:.4g}", unit)
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        rows = {name: {"largest": value, "limit": limit, "unit": unit} for name, value, limit, unit in self.rows}
        return {"kept": self.kept, **rows}
