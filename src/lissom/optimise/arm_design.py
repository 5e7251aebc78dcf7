"""Rigid arms of least curvature, or of least energy: masses and lengths within bounds, over a region of poses.

Spong (1992) and Park, Bobrow and Ploen (1995) take the curvature of the inertia matrix as a measure of an arm: where it
vanishes there are coordinates in which the arm moves like a free point. Both measures are told for every design.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from lissom import printing
from lissom.errors import LissomError, OptimiseError
from lissom.files import write_whole
from lissom.model.description.robot import Robot
from lissom.model.schema.name_fields import Choice, Title
from lissom.model.schema.number_fields import Count
from lissom.optimise.motion_schema import OptimiseTask
from lissom.progress import Progress
from lissom.scenario.scenario_schema import Scenario
from lissom.study.plan.study_schema import ScenarioSource
from lissom.theory import lie_group

MEASURES = ("curvature", "energy")
REGION = (-1.0, 1.0)  # rad or m, of joints that are not named
STEP = 1e-5  # of the way between bounds, over which measures are differenced: their errors are those of rounding


class ArmDesign(OptimiseTask):
    """The rigid arm of least curvature or energy whose numbers lie within bounds.

    >>> design = ArmDesign(
    ...     scenario="arm.yaml",
    ...     least="curvature",
    ...     parameters={"links.forearm.body.com.0": (-0.1, 0.3)},
    ...     region={"elbow": (-1.5, 1.5)},
    ... )
    >>> best = design.solve()
    >>> best.robot, best.measures

    Parameters
    ----------
    scenario
        Gives the robot, which must be rigid and without loops; its name, its file, or a robot's.
    least
        "curvature": the root mean square over the region of the scalar curvature, made free of units by the mean
        inertia det(M)^(1/n). "energy": the mean of xd^T M xd along straight motions in joint space between poses of
        the region, over the time of one second.
    parameters
        {path of a number of the robot: (least, largest)}.
    region
        {joint: (least, largest)} of the poses; 1 rad or m to both sides unless given.
    """

    what: ClassVar[str] = "design"
    whole: ClassVar[str] = "design"

    name: Annotated[str, Title("the name of the design")] = "design"
    scenario: Annotated[Scenario, ScenarioSource()]
    least: Annotated[str, Choice("what shall be least", MEASURES)] = "curvature"
    parameters: dict[str, tuple[float, float]] = Field(min_length=1, description="{path of a number: [least, largest]}")
    region: dict[str, tuple[float, float]] = Field(default={}, description="{joint: [least, largest]} of the poses")
    poses: Annotated[int, Count("the number of poses, from a Halton sequence", 10**5)] = 64

    def solve(self, *, progress: bool = True) -> BestArm:
        """Find the numbers."""
        from scipy.optimize import minimize

        robot = self.scenario.load_robot()
        x = self._poses(robot)
        low, high = np.array(list(self.parameters.values()), float).T
        for path, (least, largest) in self.parameters.items():
            if not least < largest:
                raise OptimiseError("must be the smaller number first", ("parameters", path), (least, largest))
        at = MEASURES.index(self.least)

        def robot_at(z: np.ndarray) -> Robot:
            return robot.with_values(zip(self.parameters, (low + z * (high - low)).tolist()))

        designs = 0

        def objective(z: np.ndarray) -> float:
            nonlocal designs
            designs += 1
            return float(np.log(max(measures(robot_at(z), x)[at], 1e-300)))

        start = np.array([float(robot.value(path)) for path in self.parameters])
        begin = np.clip((start - low) / (high - low), 0.0, 1.0)
        with Progress("designing", show=progress) as bar:
            begins = [begin, np.full(len(low), 0.5), *(np.full(len(low), share) for share in (0.15, 0.85))]
            found = []
            for one in begins:
                bar.say(f"designing, design {designs}")
                found.append(
                    minimize(objective, one, method="SLSQP", bounds=[(0, 1)] * len(low), options={"eps": STEP})
                )
        z = np.clip(min(found, key=lambda each: each.fun).x, 0.0, 1.0)
        values = dict(zip(self.parameters, (low + z * (high - low)).tolist()))
        before = dict(zip(self.parameters, start.tolist()))
        after = robot_at(z)
        return BestArm(self, before, values, measures(robot, x), measures(after, x), after, designs)

    def _poses(self, robot: Robot) -> np.ndarray:
        """Return the poses (poses, n) of the region."""
        from scipy.stats import qmc

        names = robot.compile().coordinates
        for joint in self.region:
            if joint not in names:
                raise OptimiseError(f"is no joint of the arm; there are {', '.join(names)}", ("region", joint))
        low, high = np.array([self.region.get(joint, REGION) for joint in names], float).T
        return np.asarray(low + qmc.Halton(len(names), scramble=False).random(self.poses) * (high - low))


@dataclass(frozen=True, eq=False)
class BestArm(printing.Printed):
    """The arm that was found; both measures are told before and after."""

    asked: ArmDesign
    start: dict[str, float]
    values: dict[str, float]
    start_measures: tuple[float, float]
    measures: tuple[float, float]  # curvature, without unit; energy, J s
    robot: Robot
    designs: int  # that were looked at

    def table(self) -> Any:
        """Return a table of the numbers and of both measures, before and after."""
        title = f"{self.asked.name}: least {self.asked.least}, {self.designs} designs"
        made = printing.table("", "before", "found", title=title)
        for path, value in self.values.items():
            made.add_row(path, f"{self.start[path]:.5g}", f"{value:.5g}")
        for name, before, after in zip(MEASURES, self.start_measures, self.measures):
            made.add_row(name, f"{before:.5g}", f"{after:.5g}")
        return made

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "name": self.asked.name,
            "least": self.asked.least,
            "before": self.start,
            "values": self.values,
            "measures_before": dict(zip(MEASURES, self.start_measures)),
            "measures": dict(zip(MEASURES, self.measures)),
            "designs": self.designs,
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file of the arm."""
        write_whole(Path(path), self.robot.to_yaml())


def measures(robot: Robot, x: np.ndarray) -> tuple[float, float]:
    """Return the curvature, free of units, and the energy of straight motions, over the poses x (k, n)."""
    arm = lie_group.arm(robot.compile())
    n = arm.n
    if n < 2:
        raise LissomError("has one joint, whose inertia matrix has no curvature; take an arm of two joints or more")
    size = np.linalg.det(lie_group.mass_matrix(arm, x)) ** (1 / n)
    curvature = np.sqrt(np.mean((lie_group.scalar_curvature(arm, x) * size) ** 2))
    node, weight = np.polynomial.legendre.leggauss(4)
    way = np.roll(x, -1, axis=0) - x
    along = x + 0.5 * (node[:, None, None] + 1) * way
    energy = np.einsum("t,kj,tkji,ki->", weight / 2, way, lie_group.mass_matrix(arm, along), way, optimize=True)
    return float(curvature), float(energy) / len(x)
