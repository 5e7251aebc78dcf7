"""A state of rest: configuration, forces that hold it, deflections, and what acts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lissom import printing
from lissom.analysis.equilibrium.actuators_at_rest import resting_states
from lissom.analysis.equilibrium.deflection import Deflection
from lissom.analysis.equilibrium.tangent_matrices import Loads
from lissom.dynamics.inverse import bias
from lissom.dynamics.kinematic_loops.loop_kinematics import reactions
from lissom.dynamics.state_checks import Vector, Wrenches
from lissom.kernel.forces.element_forces import TENSION
from lissom.model.model import Model
from lissom.printing import Printed

if TYPE_CHECKING:
    from rich.table import Table

NOISE = 1e-12  # of the largest force: rounding, printed as zero


@dataclass(frozen=True, eq=False)
class Equilibrium(Printed):
    """A state of rest."""

    q: Vector  # (nq,) configuration
    tau: Vector  # (nv,) forces: those given, and on held coordinates those that hold
    deflections: dict[str, Deflection]  # of each flexible link
    residual: Vector  # (nv,) forces left unbalanced
    stable: bool  # whether it comes back after a small push, held coordinates staying
    iterations: int
    warnings: tuple[str, ...] = ()
    multipliers: Vector = field(default_factory=lambda: np.zeros(0))  # (rows,) of the loops, the least that balance
    growth: float = 0.0  # 1/s, of the fastest small motion that leaves it; zero where it is stable
    flutter: float = 0.0  # Hz, of that motion; zero where it topples or buckles
    model: Model = field(repr=False, kw_only=True)
    wrenches: Wrenches | None = field(repr=False, kw_only=True)
    loads: Loads = field(repr=False, kw_only=True)
    lengths: Mapping[str, float] = field(default_factory=dict, repr=False, kw_only=True)  # of loops, if not their own

    @property
    def v(self) -> Vector:
        """Velocities (nv,): zero, but for the states of actuators under their commands."""
        return resting_states(self.model, self.tau)

    @property
    def torques(self) -> dict[str, float]:
        """Force or torque of every motor, by coordinate."""
        return {self.model.coordinates[k]: float(self.tau[k]) for k in self.model.actuated}

    @property
    def loop_wrenches(self) -> dict[str, np.ndarray]:
        """Torque and force (6,) of each loop's first frame on its second, at its origin in its axes."""
        rows, second = reactions(self.model, self.q, self.multipliers), self.model.arrays.loops.second
        return {loop.name: rows[at] for loop, at in zip(self.model.loops, second, strict=True)}

    @property
    def element_forces(self) -> dict[str, float]:
        """Pull in N of every spring, rope and cylinder, by name; a push is negative."""
        if not self.model.robot.elements:
            return {}
        bias(self.model, self.q, self.v)
        pulls = np.real(self.model.scratch().element[:, TENSION]).copy()
        driven = self.model.held_elements
        pulls[driven] = -np.real(self.multipliers[len(self.multipliers) - len(driven) :])
        return {part.name: float(pull) for part, pull in zip(self.model.robot.elements, pulls, strict=True)}

    def main_numbers(self) -> dict[str, tuple[float, str]]:
        """Return deflections and motor torques by name, with their units: what `lissom.trust` gives error bars."""
        found: dict[str, tuple[float, str]] = {}
        for link, tip in self.deflections.items():
            found[f"|deflection.{link}|"] = float(np.linalg.norm(tip.displacement)), "m"
            found[f"|rotation.{link}|"] = float(np.linalg.norm(tip.rotation)), "rad"
        for described, body in zip(self.model.robot.bodies, self.model.bodies, strict=True):
            for k, unit in zip(range(body.joint_v.start, body.joint_v.stop), described.joint.kind.force_units):
                found[f"torque.{self.model.coordinates[k]}"] = float(self.tau[k]), unit
        for loop, wrench in self.loop_wrenches.items():
            found[f"|loop_wrench.{loop}.force|"] = float(np.linalg.norm(wrench[3:])), "N"
        return found

    def table(self) -> Table:
        """Return a rich table of deflections, motor torques, forces in elements and loops."""
        how = "stable"
        if not self.stable:
            flutters = f", fluttering at {self.flutter:.4g} Hz" if self.flutter else ""
            how = f"unstable: a small push makes it leave by {self.growth:.3g} 1/s{flutters}"
        title = f"{self.model.robot.name} at rest"
        table = printing.table("part", "value", title=title, caption="\n".join([how, *self.warnings]))
        for link, tip in self.deflections.items():
            shift, turn = np.linalg.norm(tip.displacement), np.degrees(np.linalg.norm(tip.rotation))
            table.add_row(f"{link} deflection", f"{1e3 * shift:.4g} mm, {turn:.4g} deg")
        pulls = self.element_forces
        largest = max((abs(x) for x in (*self.tau, *self.multipliers, *pulls.values())), default=0.0)
        for described, body in zip(self.model.robot.bodies, self.model.bodies, strict=True):
            motors = range(body.joint_v.start, body.joint_v.stop) if body.rotor_v is None else [body.rotor_v]
            for k, unit in zip(motors, described.joint.kind.force_units):
                if k in self.model.actuated and self.tau[k]:  # motors that are asked for nothing are left out
                    force = self.tau[k] if abs(self.tau[k]) > NOISE * largest else 0.0
                    table.add_row(f"{self.model.coordinates[k]} motor", f"{force:.5g} {unit}")
        for name, pull in pulls.items():
            table.add_row(f"{name} {'push' if pull < 0 else 'pull'}", f"{abs(pull):.5g} N")
        for loop in self.model.robot.loops:  # cylinders, which close loops too, are among the elements
            torque, force = np.split(self.loop_wrenches[loop.name], 2)
            if loop.distance is None:
                table.add_row(f"{loop.name} loop", f"{np.linalg.norm(force):.5g} N, {np.linalg.norm(torque):.5g} N m")
            else:
                push = float(self.multipliers[self.model.arrays.loops.rows[self.model.loops.index(loop), 0]])
                table.add_row(f"{loop.name} {'push' if push > 0 else 'pull'}", f"{abs(push):.5g} N")
        return table
