"""One manoeuvre by several formulations: what each of them makes of the same robot under the same control."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import printing, theory
from lissom.control.laws.control_law import ControlLaw, Together
from lissom.errors import LissomError
from lissom.messages import did_you_mean
from lissom.model.any_robot import AnyRobot, as_robot
from lissom.model.description.robot import Robot
from lissom.model.model import Model
from lissom.printing import Printed
from lissom.results.quantity_names import position_columns
from lissom.scenario import FREE_MOTION
from lissom.scenario.scenario_schema import Scenario
from lissom.simulation.status.run_ending import Ending

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from lissom.results.trajectory import Trajectory

KERNEL = "kernel"


@dataclass(frozen=True)
class Result:
    """The manoeuvre by one formulation, and how far it leaves the baseline at each of the N output times."""

    name: str
    title: str
    run: Trajectory
    tip: np.ndarray  # (N, 3) m, by the formulation's own kinematics
    angle: np.ndarray  # (N,) rad, largest difference of a joint angle
    slide: np.ndarray  # (N,) m, of a sliding joint
    distance: np.ndarray  # (N,) m, between the tips
    torque: np.ndarray  # (N,) N m, largest difference of a joint's torque vector
    force: np.ndarray  # (N,) N, of its force vector

    @property
    def seconds(self) -> float:
        """Time of the time loop."""
        return self.run.info.wall


@dataclass(frozen=True, repr=False)
class Comparison(Printed):
    """Results by formulation, the baseline first, and why the others are missing."""

    robot: str
    baseline: str
    results: dict[str, Result]
    missing: dict[str, str]  # reason by formulation
    smooth: np.ndarray  # (N,) False where the control jumps: forces are not compared there
    peak_torque: float  # N m, largest in a joint, of the baseline
    peak_force: float  # N

    def __repr__(self) -> str:
        return f"<Comparison of {self.robot}: {', '.join(self.results)}>"

    def __getitem__(self, name: str) -> Result:
        if name in self.results:
            return self.results[name]
        reason = self.missing.get(name, f"there are {', '.join(self.results)}")
        raise LissomError(f"no result of formulation {name!r}: {reason}")

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Largest differences from the baseline over the whole manoeuvre, and the time taken, by formulation."""
        return [
            {
                "formulation": result.name,
                "angle": float(result.angle.max()),
                "slide": float(result.slide.max()),
                "tip": float(result.distance.max()),
                "torque": float(result.torque[self.smooth].max()),
                "force": float(result.force[self.smooth].max()),
                "seconds": result.seconds,
                "steps": result.run.info.steps,
            }
            for result in self.results.values()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for machines."""
        return {
            "robot": self.robot,
            "baseline": self.baseline,
            "formulations": self.rows,
            "missing": self.missing,
            "peak_torque": self.peak_torque,
            "peak_force": self.peak_force,
        }

    def table(self) -> Table:
        """Return the rows as a table for a terminal."""
        from rich.markup import escape

        slides = any(row["slide"] > 0 for row in self.rows)
        table = printing.table(
            title=f"{self.robot}: largest differences from {self.baseline}",
            caption="\n".join([*self._stillness(), *(f"{name}: {reason}" for name, reason in self.missing.items())])
            or None,
        )
        heads = ["joint angle [rad]", *(["slide [m]"] if slides else []), "tip path [m]", "torque [N m]", "force [N]"]
        for head in ("formulation", *heads, "time [s]", "steps"):
            first = head == "formulation"
            table.add_column(escape(head), justify="left" if first else "right", no_wrap=first, min_width=7)
        for row in self.rows:
            keys = ["angle", *(["slide"] if slides else []), "tip", "torque", "force"]
            first = row["formulation"] == self.baseline
            values = ["" if first else f"{row[key]:.2g}" for key in keys]
            table.add_row(row["formulation"], *values, f"{row['seconds']:.3g}", str(row["steps"]))
        return table

    def _stillness(self) -> list[str]:
        """Return a line where nothing moves, so that no difference can show."""
        if np.any(self.results[self.baseline].run.v):
            return []
        return ["Nothing moves in this manoeuvre, so that no difference can show: give a start, control or motion."]

    def plot(self) -> Figure:
        """Draw differences over time, and the time that each formulation took."""
        from lissom.view.figures.comparison_figures import plot_comparison

        return plot_comparison(self)


def compare(
    what: Scenario | AnyRobot,
    formulations: Iterable[str] | None = None,
    *,
    baseline: str = KERNEL,
    duration: float | None = None,
    rtol: float = 1e-7,
    atol: float | None = None,
    progress: Callable[[str, float], object] | None = None,
) -> Comparison:
    """Run one manoeuvre by several formulations and measure how they differ.

    Parameters
    ----------
    what : Scenario, str, path, Robot or Model
        A scenario, the name of a built-in one or the path of its file; or any robot, which falls freely.
    formulations : iterable of str, optional
        Names as in `theory.names()`; all unless given.
    baseline : str
        The formulation that the others are measured against.
    duration : float, optional
        Seconds, in place of the scenario's.
    rtol, atol : float
        Error allowed per step of every run, small enough to leave only the physics; atol is rtol / 100 unless given.
    progress : callable, optional
        Called now and then with the name of the formulation that runs and the seconds it has simulated.

    Returns
    -------
    Comparison
        A formulation that does not cover the robot is listed with the reason, as is one that fails.

    Examples
    --------
    >>> print(lissom.compare("dual-screw-arm", ["dual_screw"], duration=0.1).rows)
    """
    prepared = _scenario(what).prepare()
    model = prepared.model
    if prepared.payloads:
        raise LissomError("formulations take motors and loads; remove payloads from the scenario", ("payloads",))
    known = theory.entries()
    check_names([baseline, *(formulations or ())])
    names = [baseline, *(name for name in (formulations or known) if name != baseline)]
    options: dict[str, Any] = {"controller": prepared.controller, "start": prepared.start, "rtol": rtol, "atol": atol}
    options["loads"] = prepared.loads
    options |= {
        "duration": prepared.settings.duration if duration is None else duration,
        "rate": prepared.settings.rate,
        "motion": prepared.motion or None,
    }
    runs: dict[str, tuple[Trajectory, np.ndarray]] = {}
    missing: dict[str, str] = {}
    tell = progress or (lambda name, time: None)
    for name in dict.fromkeys(names):
        tell(name, 0.0)
        try:
            formulation = theory.build(name, model)
            run = theory.simulate(formulation, **options, progress=partial(tell, name))
        except LissomError as error:
            if isinstance(error, theory.Stopped) and error.run.info.status is Ending.INTERRUPTED:
                raise KeyboardInterrupt from None
            if name == baseline:
                raise
            missing[name] = str(error)
            continue
        runs[name] = run, np.array([formulation.tip(q)[:3, 3] for q in run.q])
    return _measure(model, baseline, runs, missing, known, prepared.controller)


def check_names(names: Iterable[str]) -> None:
    """Refuse a name that is not a formulation's."""
    known = theory.entries()
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise LissomError(f"there is no formulation {name!r}{hint}; choose from {', '.join(known)}")


def _scenario(what: Any) -> Scenario:
    from lissom.scenario import load

    if isinstance(what, Robot | Model):
        return Scenario(robot=as_robot(what), duration=FREE_MOTION)
    return what if isinstance(what, Scenario) else load(what)


def _measure(
    model: Model,
    baseline: str,
    runs: dict[str, tuple[Trajectory, np.ndarray]],
    missing: dict[str, str],
    known: dict[str, theory.RegisteredFormulation],
    controller: Any,
) -> Comparison:
    base, base_tip = runs[baseline]
    columns = position_columns(model)
    units = np.array(columns.units)[columns.joints]
    wrench = base.numbers["wrench"]
    results = {}
    for name, (run, tip) in runs.items():
        moved = np.abs(run.q - base.q)[:, columns.joints]
        turned = np.where(units == "rad", moved, np.where(units == "1", 2 * moved, 0.0))  # |dq| is half an angle
        apart = np.linalg.norm((run.numbers["wrench"] - wrench).reshape(len(tip), -1, 2, 3), axis=3)
        results[name] = Result(
            name=name,
            title=known[name].title,
            run=run,
            tip=tip,
            angle=turned.max(axis=1, initial=0.0),
            slide=np.where(units == "m", moved, 0.0).max(axis=1, initial=0.0),
            distance=np.linalg.norm(tip - base_tip, axis=1),
            torque=apart[:, :, 0].max(axis=1),
            force=apart[:, :, 1].max(axis=1),
        )
    law = controller.law if isinstance(controller, Together) else controller
    jumps = law.jumps if isinstance(law, ControlLaw) else np.zeros(0)
    smooth = np.all(np.abs(base.time[:, None] - jumps) > 1e-9, axis=1)
    peaks = np.linalg.norm(wrench.reshape(len(wrench), -1, 2, 3), axis=3).max(axis=(0, 1))
    return Comparison(model.robot.name, baseline, results, missing, smooth, float(peaks[0]), float(peaks[1]))
