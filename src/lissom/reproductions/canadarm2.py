"""A space-station arm falls: elastic booms on elastic joints with rotors, high-order field.

Section 4.2 of Qian, Zhang and Liu (2013), figures 8 to 18: the fall as an overlay of poses; the torsion of the first
joint and the deflection and twist of the first boom for four rotor inertias; the joint angles for four stiffnesses, by
both readings of their unit, which is printed as N/mm. Those are drawn of the arm in the paper's words: twelve functions
of a clamped-free beam per boom, no damping anywhere.
Beyond the paper: the exact sensitivity of the tip to joint stiffness, rotor inertia and section.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import lissom
from lissom import theory
from lissom.identify import Explanations, explain
from lissom.simulation.sensitivity.motion_sensitivity import Sensitivity
from lissom.theory.recursive_lagrange import RecursiveLagrange

START = {"shoulder": 0.4 * np.pi, "elbow": -0.4 * np.pi}
INERTIAS = (2.0, 5.0, 10.0, 15.0)  # kg m2, reflected to the joint
STIFFNESSES = (0.60e6, 1.33e6, 2.66e6, 5.00e6)  # printed in N/mm, which is no unit of a torsional spring
READINGS = {"N m/rad": 1.0, "N mm/rad": 1e-3}  # N m/rad
APART = "> 0.02"  # rad: 1 % of what joints 3 and 5 turn, about the least that curves of a figure are told apart by
PARAMETERS = (
    "links.boom1.joint.transmission.stiffness",
    "links.boom1.joint.transmission.rotor_inertia",
    "links.boom1.beam.section.EIz",
)


class Fall(NamedTuple):
    """One run: the arm, its motion, and the tip of boom 1 in its own frame."""

    value: float  # what was varied
    arm: RecursiveLagrange
    time: np.ndarray  # (N,)
    q: np.ndarray  # (N, nq)
    boom1: np.ndarray  # (N, 4, 4)

    @property
    def deflection(self) -> np.ndarray:
        """Displacement (N, 3) of the tip of boom 1 in m."""
        return self.boom1[:, :3, 3] - [7.11, 0, 0]

    @property
    def twist(self) -> np.ndarray:
        """Rotation (N,) of that section about its axis in rad."""
        R = self.boom1
        return np.arctan2(R[:, 2, 1] - R[:, 1, 2], R[:, 1, 1] + R[:, 2, 2])

    @property
    def angles(self) -> np.ndarray:
        """Joint angles (N, 5) in rad."""
        return self.q[:, self.arm.model.arrays.gears.joint_q]

    @property
    def torsion(self) -> np.ndarray:
        """Torsion (N, 5) of the joints, link angle less rotor angle, in rad."""
        return self.angles - self.q[:, self.arm.model.arrays.gears.rotor_q]


def arm(**transmission: float) -> lissom.Robot:
    """Return the arm with other values in the transmissions of all its joints."""
    robot = lissom.load("canadarm2")
    for link in robot.bodies:
        for field, value in transmission.items():
            robot = robot.with_value(f"links.{link.name}.joint.transmission.{field}", value)
    return robot


def arm_as_printed(**transmission: float) -> lissom.Robot:
    """Return the arm in the paper's words: three clamped-free functions per direction of a boom, and no damping."""
    robot = arm(damping=0.0, **transmission)
    for boom in ("boom1", "boom2"):
        for field, value in (
            ("modes", {"y": 3, "z": 3, "torsion": 3, "axial": 3}),
            ("ends", "clamped-free"),
            ("damping", 0.0),
        ):
            robot = robot.with_value(f"links.{boom}.beam.{field}", value)
    return robot


def fall(duration: float, value: float = 0.0, robot: lissom.Robot | None = None, **transmission: float) -> Fall:
    """Simulate the fall from rest by recursive Lagrange at high order; of a robot, or with other transmissions."""
    high = RecursiveLagrange((robot or arm(**transmission)).compile(), order="high")
    run = theory.simulate(high, duration, start=START)
    return Fall(value, high, run.time, run.q, np.array([high.tip_in_link(q, "boom1") for q in run.q]))


def apart(runs: Sequence[Fall]) -> np.ndarray:
    """Return how far each joint's angles of the softest and of the stiffest arm come apart, (5,) rad."""
    return np.asarray(np.abs(runs[0].angles - runs[-1].angles).max(axis=0))


def weigh_readings(falls: dict[str, list[Fall]]) -> Explanations:
    """Weigh the readings of the unit by whether figures 16 and 18 can tell the stiffnesses of joints 3 and 5 apart."""
    units = {READINGS[unit]: apart(runs) for unit, runs in falls.items()}

    def predict(reading: dict[str, float]) -> np.ndarray:
        return units[reading.get("unit", 1.0)][[2, 4]]

    others = {f"stiffness in {unit}": {"unit": READINGS[unit]} for unit in falls if READINGS[unit] != 1.0}
    return explain(predict, {"joint 3 [rad]": APART, "joint 5 [rad]": APART}, others, progress=False)  # type: ignore[arg-type]


class Shown(NamedTuple):
    """What the example computes."""

    by_inertia: list[Fall]
    by_stiffness: dict[str, list[Fall]]  # by the reading of the unit, softest first
    exact: Sensitivity
    readings: Explanations


def main(
    out: Path,
    duration: float = 2.0,
    inertias: Sequence[float] = INERTIAS,
    stiffnesses: Sequence[float] = STIFFNESSES,
) -> Shown:
    """Run the sweeps and the sensitivities; tables on the screen, figures in `out`."""
    from rich.console import Console
    from rich.progress import track
    from rich.table import Table

    console = Console()
    cases = [(x, arm(rotor_inertia=x)) for x in inertias]
    cases += [(x, arm_as_printed(stiffness=x * size)) for size in READINGS.values() for x in stiffnesses]
    falls = [fall(duration, *case) for case in track(cases, "falling", console=console, transient=True)]
    by_inertia, rest = falls[: len(inertias)], falls[len(inertias) :]
    by_stiffness = {unit: rest[k * len(stiffnesses) :][: len(stiffnesses)] for k, unit in enumerate(READINGS)}
    _poses(by_inertia[len(inertias) // 2], out / "poses.png")
    _boom(by_inertia, out / "boom1.png")
    for unit, runs in by_stiffness.items():
        _angles(runs, unit, out / f"joint-angles-{unit.partition('/')[0].replace(' ', '-').lower()}.png")
        told = ", ".join(f"{1e3 * x:.2g}" for x in apart(runs))
        console.print(f"stiffnesses in {unit}: angles of the five joints come apart by {told} mrad")
    readings = weigh_readings(by_stiffness)
    console.print(readings.table())
    exact = lissom.sensitivity("canadarm2", PARAMETERS, duration, start=START, rtol=1e-8, atol=1e-11)
    table = Table("parameter", "x in m", "y in m", "z in m", title="Tip at the end, per 1 % of a value of boom 1")
    for name, row in zip(exact.parameters, 0.01 * exact.relative()[:, -1], strict=True):
        table.add_row(name.rpartition(".")[2], *(f"{x:.3e}" for x in row))
    console.print(table)
    return Shown(by_inertia, by_stiffness, exact, readings)


def _poses(run: Fall, path: Path) -> None:
    """Figure 8: the arm at eleven instants."""
    import matplotlib.pyplot as plt

    from lissom.view.figures.figure_style import style

    model = run.arm.model
    with style():
        figure, ax = plt.subplots(figsize=(6, 5.4), layout="constrained")
        instants = np.linspace(0, len(run.time) - 1, 11).astype(int)
        for colour, k in zip(plt.get_cmap("viridis")(np.linspace(0, 0.9, 11)), instants, strict=True):
            points = _axis_points(model, run.q[k])
            ax.plot(points[:, 0], points[:, 1], color=colour, label=f"{run.time[k]:.1f} s")
        ax.set(xlabel="x [m]", ylabel="y [m]", title="Falling arm", aspect="equal")
        ax.margins(0.05)
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        figure.savefig(path)
        plt.close(figure)


def _axis_points(model: lissom.Model, q: np.ndarray) -> np.ndarray:
    """Points along the arm, booms bent, in world coordinates."""
    points = []
    for link in model.links:
        stations = np.linspace(0, model.flexible[link].length, 15) if link in model.flexible else [None]
        points += [lissom.point_pose(model, q, link, x)[:3, 3] for x in stations]
    return np.array(points)


def _boom(runs: list[Fall], path: Path) -> None:
    """Figures 9 to 13: torsion of joint 1, tip of boom 1, for each rotor inertia."""
    import matplotlib.pyplot as plt

    from lissom.view.figures.figure_style import COLOURS, style

    def curves(run: Fall) -> list[np.ndarray]:
        return [1e3 * run.torsion[:, 0], *(1e3 * run.deflection.T), 1e3 * run.twist]

    titles = ("Torsion of joint 1", *(f"Boom 1: tip displacement along {axis}" for axis in "xyz"), "Boom 1: tip twist")
    labels = ("torsion [mrad]", "u [mm]", "v [mm]", "w [mm]", "twist [mrad]")
    with style():
        figure, axes = plt.subplots(5, 1, figsize=(7.5, 9.5), sharex=True, layout="constrained")
        for colour, run in zip(COLOURS, runs):
            for ax, curve in zip(axes, curves(run), strict=True):
                ax.plot(run.time, curve, color=colour, label=f"{run.value:g} kg m²")
        for ax, title, label in zip(axes, titles, labels, strict=True):
            ax.set(title=title, ylabel=label)
        figure.align_ylabels(axes)
        axes[0].legend(title="rotor inertia", ncols=4)
        axes[-1].set_xlabel("time [s]")
        figure.savefig(path)
        plt.close(figure)


def _angles(runs: list[Fall], unit: str, path: Path) -> None:
    """Figures 14 to 18: the five joint angles, and what each joint stiffness changes in them."""
    import matplotlib.pyplot as plt

    from lissom.view.figures.figure_style import COLOURS, style

    stiffest = runs[-1]
    with style():
        figure, axes = plt.subplots(5, 2, figsize=(10, 9.5), sharex=True, layout="constrained")
        for colour, run in zip(COLOURS, runs):
            label = f"{run.value / 1e6:.2f} x 10$^6$ {unit}"
            for row, angle, rigid in zip(axes, run.angles.T, stiffest.angles.T, strict=True):
                row[0].plot(run.time, angle, color=colour, label=label)
                row[1].plot(run.time, 1e3 * (angle - rigid), color=colour, label=label)
        for row, joint in zip(axes, stiffest.arm.model.joints, strict=True):
            row[0].set(title=f"Angle of {joint}", ylabel="angle [rad]")
            row[1].set(title="Difference from the stiffest joints", ylabel="difference [mrad]")
        figure.align_ylabels(axes)
        axes[0, 1].legend(title="joint stiffness", ncols=2)
        for ax in axes[-1]:
            ax.set_xlabel("time [s]")
        figure.savefig(path)
        plt.close(figure)
