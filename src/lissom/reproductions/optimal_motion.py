"""Motion of least energy between two poses, by closed-form gradients on SE(3).

Minimises J = int xd^T M(x) xd dt (Park, Bobrow and Ploen 1995) for an arm of three joints, with the gradient and
without it; then for the seven-axis arm with the gradient alone. The minimum is a geodesic of the inertia matrix:
its kinetic energy is constant along the way, which no line of the program asks for.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import lissom
from lissom.progress import Progress
from lissom.theory import lie_group as lg

DURATION = 1.0
POSES = {  # start and end of each arm's motion, rad
    "three joints": ((-0.4, 0.6, 0.2), (0.6, 1.2, -0.5)),
    "seven joints": ((0.0, 0.5, 0.0, -1.2, 0.0, 0.4, 0.0), (0.6, 0.1, 0.4, -0.6, 0.5, -0.2, 0.3)),
}


class Result(NamedTuple):
    """One minimisation."""

    title: str
    unknowns: int
    evaluations: int
    seconds: float
    straight: float  # J of the straight line in joint space
    best: float  # J found
    spread: float  # variation of the kinetic energy along the way, relative
    objective: lg.MinimumEnergy
    coefficients: np.ndarray


def three_joint_arm() -> lissom.Robot:
    """Shoulder, elbow and wrist turning about parallel axes; a heavy forearm makes the straight line costly."""
    sizes = [(0.5, 6.0), (0.4, 5.0), (0.2, 2.0)]
    links = [
        {
            "name": name,
            "origin": {"xyz": [0.0 if k == 0 else sizes[k - 1][0], 0, 0]},
            "joint": {"type": "revolute", "axis": [0, 0, 1]},
            "body": {"shape": "box", "size": [length, 0.06, 0.06], "com": [length / 2, 0, 0]}
            | {"density": mass / (length * 0.06**2)}
            | {"tip": [length, 0, 0]},
        }
        for k, (name, (length, mass)) in enumerate(zip(("upper", "forearm", "hand"), sizes))
    ]
    return lissom.Robot.from_dict({"lissom": 1, "name": "three-joint", "gravity": [0, 0, -9.81], "links": links})


def minimise(title: str, robot: lissom.Robot, poses: tuple[Any, ...], count: int, gradient: bool = True) -> Result:
    """Find the motion with `count` functions per joint: BFGS with the gradient, or Powell's method without."""
    from scipy.optimize import minimize

    path = lg.Path(np.array(poses[0]), np.array(poses[1]), DURATION, count)
    objective = lg.MinimumEnergy(lg.arm(robot.compile()), path)
    start = np.zeros(count * len(poses[0]))
    objective(start)  # compiled before the clock starts
    began = perf_counter()
    options: dict[str, Any] = {"gtol": 1e-8} if gradient else {"xtol": 1e-6, "ftol": 1e-12}
    found = minimize(
        objective if gradient else objective.value,
        start,
        jac=gradient or None,
        method="BFGS" if gradient else "Powell",
        options=options,
    )
    seconds = perf_counter() - began
    x, xd = path.at(found.x, np.linspace(0, DURATION, 101))
    kinetic = lg.kinetic_energy(objective.arm, x, xd)
    spread = float(np.ptp(kinetic) / kinetic.mean())
    straight = objective.value(start)
    return Result(title, start.size, found.nfev, seconds, straight, float(found.fun), spread, objective, found.x)


def results() -> list[Result]:
    """Return the four minimisations of the table."""
    arm, three = three_joint_arm(), POSES["three joints"]
    return [
        minimise("3 joints, gradient", arm, three, 2),
        minimise("3 joints, no gradient", arm, three, 2, gradient=False),
        minimise("3 joints, finer path", arm, three, 10),
        minimise("7 joints, fine path", lissom.load("rigid-7-axis"), POSES["seven joints"], 8),
    ]


def main(out: Path) -> list[Result]:
    """Print the table and draw the motion; returns what was found."""
    from rich import box
    from rich.table import Table

    from lissom.terminal import screen

    console = screen()
    with Progress("searching"):
        found = results()
    table = Table(box=box.SIMPLE_HEAD, title="Motion of least energy, 1 s from pose to pose")
    for column in ("", "unknowns", "calls", "ms", "J straight", "J least, J s", "energy varies by"):
        table.add_column(column, justify="left" if not column else "right", no_wrap=True)
    for r in found:
        table.add_row(
            r.title, str(r.unknowns), str(r.evaluations), f"{1e3 * r.seconds:.0f}", f"{r.straight:.4f}",
            f"{r.best:.8f}", f"{r.spread:.1e}",
        )  # fmt: skip
    console.print(table)
    _draw(found[2], out / "optimal_motion.png")
    return found


def _draw(result: Result, file: Path) -> None:
    from lissom.view.figures.figure_style import grid, headline, save, style

    with style():
        figure, axes = grid(3, 3, width=4.0, height=3.4)
        _fill(result, *axes)
        headline(figure, "Motion of least energy", "dotted: the straight line in joint angles")
        save(figure, file)


def _fill(result: Result, arm_axes: Any, angle_axes: Any, energy_axes: Any) -> None:
    from lissom.view.figures.figure_style import COLOURS, INK

    objective = result.objective
    t = np.linspace(0, DURATION, 121)
    for c, label, look in (
        (0 * result.coefficients, "straight line", ":"),
        (result.coefficients, "least energy", "-"),
    ):
        x, xd = objective.path.at(c, t)
        frames, _ = lg.frames(objective.arm, x)
        tip = lg.tip_pose(objective.arm, x)[:, :2, 3]
        arm_axes.plot(*tip.T, look, color=COLOURS[0], label=f"tip, {label}")
        if look == "-":
            shown = np.concatenate([frames[::20, :, :2, 3], tip[::20, None]], axis=1)
            for k, joints in enumerate(shown):
                arm_axes.plot(*joints.T, "o-", color=INK, alpha=0.25 + 0.1 * k, ms=3, lw=2)
        for k in range(objective.arm.n):
            name = f"{objective.arm.names[k]}" if look == "-" else None
            angle_axes.plot(t, np.degrees(x[:, k]), look, color=COLOURS[k], label=name)
        energy_axes.plot(t, lg.kinetic_energy(objective.arm, x, xd), look, color=COLOURS[0], label=label)
    arm_axes.set(title="The arm from above", xlabel="x [m]", ylabel="y [m]", aspect="equal")
    arm_axes.margins(0.06, 0.06)
    arm_axes.set_ylim(top=1.2)
    angle_axes.set(title="Joint angles", xlabel="time [s]", ylabel="angle [deg]")
    energy_axes.set(title="Kinetic energy", xlabel="time [s]", ylabel="energy [J]", ylim=(0, None))
    for axes, place in ((arm_axes, "upper left"), (angle_axes, "best"), (energy_axes, "lower left")):
        axes.legend(loc=place)
