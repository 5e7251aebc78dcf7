"""What an optimal motion is: references for any controller, torques to feed forward, and a check by simulation."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import printing
from lissom.analysis.equilibrium.deflection import tip_deflections
from lissom.analysis.modes.natural_modes import natural_modes
from lissom.control.choices import Side
from lissom.control.laws.continuous_laws import pd
from lissom.control.laws.control_law import ControlLaw
from lissom.control.laws.rigid_model import rigid_twin
from lissom.control.references.reference import Reference
from lissom.control.schema.control_schema import Pd
from lissom.dynamics.coordinates import configuration
from lissom.dynamics.inverse import joint_wrenches
from lissom.dynamics.joint_space_inertia import mass_matrix
from lissom.files import make_folder, write_whole
from lissom.model.model import Model
from lissom.optimise.motion_schema import Motion
from lissom.optimise.motion_task import MotionTask
from lissom.optimise.time_grid import STAGES
from lissom.scenario.scenario_schema import Scenario
from lissom.simulation.integrators.radau.radau_tableau import NODES
from lissom.simulation.run_simulation import simulate

if TYPE_CHECKING:
    from rich.table import Table

    from lissom.results.trajectory import Trajectory

AFTER = 2.0  # s after the motion, in which vibrations are looked at
RATE = 1000.0  # samples per second of tables and of checks
NOTHING = 1e-4  # energy left, in units of the kinetic energy on the way, that counts as none
STIFFEST = 5.0  # Hz, of gains where a scenario has none


@dataclass(frozen=True, eq=False)
class Candidate:
    """A motion on the grid: driven coordinates as polynomials, everything at the points."""

    model: Model
    breaks: np.ndarray  # (intervals + 1,) s
    polynomials: np.ndarray  # (intervals, driven, 6)
    t: np.ndarray  # (points,) s
    q: np.ndarray  # (points, nv)
    v: np.ndarray
    a: np.ndarray
    torque: np.ndarray  # (points, driven) N m or N
    residual: float  # J, energy of vibration at the end

    @property
    def duration(self) -> float:
        """The time that the motion takes, s."""
        return float(self.breaks[-1])

    @cached_property
    def deflections(self) -> dict[str, np.ndarray]:
        """(points,) by flexible link: how far its tip is from its place while unbent, m."""
        each = [tip_deflections(self.model, q) for q in self.q]
        return {
            link: np.array([np.linalg.norm(one[link].displacement) for one in each]) for link in self.model.flexible
        }

    @cached_property
    def wrenches(self) -> np.ndarray:
        """(points, joints, 6)."""
        states = zip(self.q, self.v, self.a, strict=True)
        return np.array([joint_wrenches(self.model, *state) for state in states])


@dataclass(frozen=True, eq=False)
class OptimalMotion(printing.Printed):
    """The best motion that was found, and the smooth one of a rigid arm that it began with."""

    asked: Motion
    task: MotionTask
    best: Candidate
    before: Candidate
    iterations: int
    seconds: float  # of computing

    @property
    def left(self) -> str:
        """In words, that the arm still swings at the end, where it does."""
        best = self.best
        moving = max(float(v @ mass_matrix(best.model, q) @ v) / 2 for q, v in zip(best.q, best.v, strict=True))
        if self.asked.ends == "free" or best.residual <= NOTHING * moving:
            return ""
        return (
            f"At the end {best.residual:.3g} J of vibration are left: within its limits the arm cannot come to rest in "
            f"{self.duration:.4g} s. Give more time, or wider limits."
        )

    @property
    def duration(self) -> float:
        """s, of the motion."""
        return self.best.duration

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the channels of reference and torque."""
        return tuple(channel.name for channel in self.task.channels)

    @cached_property
    def reference(self) -> Reference:
        """The joints over time, one channel each."""
        motors, task, best = self.motors, self.task, self.best
        channels = []
        for k, channel in enumerate(task.channels):
            if channel.force == channel.joint_v:
                channels.append(motors.select(k))
            else:  # the joint behind an elastic gear follows its motor
                t, q = np.append(0.0, best.t), np.append(task.start.q[channel.joint_q], best.q[:, channel.joint_v])
                channels.append(Reference.from_samples(t, q))
        return Reference.stack(channels)

    @cached_property
    def motors(self) -> Reference:
        """The motors over time, referred to their joints: other than the joints behind elastic gears."""
        return Reference(self.best.breaks, self.best.polynomials)

    @cached_property
    def torque(self) -> Reference:
        """Torques to feed forward, one channel per joint."""
        return Reference(self.best.breaks, _cubics(self.best, self.task.start.tau[self.task.driven]))

    # use -----------------------------------------------------------------------------------------------------

    def controller(self, gains: Any = None, side: Side | None = None) -> ControlLaw:
        """Return PD about the motion with its torques fed forward; gains as in `lissom.control.pd`.

        Those of the scenario unless given; where it has none, some that make the joints slower than the links.
        """
        return self._law(self.reference, self.motors, self.torque, gains, side)

    def _law(
        self, joints: Reference, motors: Reference, torque: Reference, gains: Any, side: Side | None
    ) -> ControlLaw:
        own, own_side = self._own_gains()
        gains, side = own if gains is None else gains, own_side if side is None else side
        task = self.task
        limits = {c.name: [float(low), float(high)] for c, low, high in zip(task.channels, *task.torque, strict=True)}
        bounded = {name: pair for name, pair in limits.items() if np.isfinite(pair).all()}
        follows = joints if side == "joint" else motors
        return pd(task.model, gains, follows, side, False, bounded or None, _by_name(self.joints, torque))

    def _own_gains(self) -> tuple[dict[str, dict[str, Any]], Side]:
        control = self.asked.scenario.control
        for block in control if isinstance(control, tuple) else (control,):
            if isinstance(block, Pd):
                gains: dict[str, dict[str, Any]] = {name: {"p": g.p, "d": g.d} for name, g in block.gains.items()}
                spare = {name: gain for name, gain in self._slow_gains().items() if not _covers(gains, name)}
                return gains | spare, block.side
        elastic = any(channel.force != channel.joint_v for channel in self.task.channels)
        return self._slow_gains(), "motor" if elastic else "joint"

    def _slow_gains(self) -> dict[str, dict[str, float]]:
        """Return gains that turn each joint of the rigid arm slower than the links swing."""
        task = self.task
        twin = rigid_twin(task.model.robot, rotors=True).compile()
        pose = configuration(twin, {c.name: float(x) for c, x in zip(task.channels, task.joints[-1], strict=True)})
        inertia = np.diag(mass_matrix(twin, pose))
        slowest = STIFFEST
        if task.model.flexible:
            slowest = min(slowest, 0.5 * natural_modes(task.model, task.end.q, number=1).frequencies[0] or slowest)
        omega = 2 * np.pi * slowest
        each = {c.name: float(inertia[twin.coordinates.index(c.name)]) for c in task.channels}
        return {name: {"p": m * omega**2, "d": 1.4 * m * omega} for name, m in each.items()}

    def simulate(self, after: float = AFTER, **options: Any) -> Trajectory:
        """Simulate the whole robot under `controller()`, and `after` seconds more at the end of the motion."""
        return self._run(self.controller(), after, options)

    def simulate_before(self, after: float = AFTER, **options: Any) -> Trajectory:
        """Simulate the smooth motion, with the torques of the rigid arm fed forward."""
        task = self.task
        way = task.smooth(self.before_times)
        return self._run(self._law(way, way, task.rigid_torque(way), None, None), after, options)

    @property
    def before_times(self) -> np.ndarray:
        """When the smooth motion of the rigid arm passes its points, s: as long as the best one, unless time counts."""
        times = self.task.times
        return times if self.asked.least == "time" else times * self.duration / times[-1]

    def _run(self, law: ControlLaw, after: float, options: dict[str, Any]) -> Trajectory:
        given = {"rate": RATE, "progress": False} | options
        start = self.task.start.q, np.zeros(self.task.model.nv)
        return simulate(self.task.model, law.parts[0].reference.end + after, start=start, controller=law, **given)

    def verify(self, after: float = AFTER) -> Verification:
        """Simulate both motions on the whole robot."""
        ends = (float(self.before_times[-1]), self.duration)
        return Verification(self, self.simulate_before(after), self.simulate(after), ends)

    # files ---------------------------------------------------------------------------------------------------

    def to_scenario(self, table: str | os.PathLike[str], after: float = AFTER) -> Scenario:
        """Return a scenario that makes the motion from the table that `save` writes."""
        gains, side = self._own_gains()
        columns = {name: f"{'motor.' if side == 'motor' else ''}{name}" for name in self.joints}
        path = os.fspath(table)
        control: dict[str, Any] = {
            "type": "pd",
            "gains": gains,
            "side": side,
            "reference": {"type": "csv", "path": path, "columns": columns},
            "feedforward": {name: {"type": "csv", "path": path, "columns": f"torque.{name}"} for name in self.joints},
        }
        low, high = self.task.torque
        bounded = {n: [float(a), float(b)] for n, a, b in zip(self.joints, low, high) if np.isfinite([a, b]).all()}
        if bounded:
            control["saturation"] = bounded
        scenario = self.asked.scenario
        names = {name: value for name, value in zip(self.task.model.q_names, self.task.start.q.tolist())}
        plain = scenario.to_dict()
        kept = {key: plain[key] for key in ("lissom", "robot", "output") if key in plain}
        start = {name: names[name] for name in (*self.joints, *self.asked.passive) if name in names}
        data = {
            "name": self.asked.name,
            "duration": round(self.duration + after, 9),
            "start": start,
            "hold": list(self.joints),
        }
        return Scenario.from_dict(kept | data | {"control": control})

    def samples(self, rate: float = RATE) -> tuple[list[str], np.ndarray]:
        """Return names and values (times, columns) of time, joints, motors and torques."""
        count = max(2, int(np.ceil(self.duration * rate)) + 1)
        t = np.linspace(0.0, self.duration, count)
        names = ["time", *self.joints, *[f"motor.{n}" for n in self.joints], *[f"torque.{n}" for n in self.joints]]
        return names, np.column_stack([t, self.reference(t)[0], self.motors(t)[0], self.torque(t)[0]])

    def save(self, folder: str | os.PathLike[str], rate: float = RATE) -> Path:
        """Write motion.csv and scenario.yaml, which `lissom run` takes, and return the scenario's path."""
        place = Path(folder)
        make_folder(place)
        names, rows = self.samples(rate)
        lines = StringIO()
        writer = csv.writer(lines)
        writer.writerow(names)
        writer.writerows([f"{x:.12g}" for x in row] for row in rows)
        table, scenario = place / "motion.csv", place / "scenario.yaml"
        write_whole(table, lines.getvalue())
        write_whole(scenario, self.to_scenario(table).to_yaml().replace(os.fspath(table.absolute()), table.name))
        return scenario

    # form ----------------------------------------------------------------------------------------------------

    def table(self) -> Table:
        """Return time, energy left and the largest of everything limited: of the smooth motion, of the best."""
        title = f"{self.asked.name}: least {self.asked.least}, {self.task.model.robot.name}"
        note = f"{self.iterations} iterations, {self.seconds:.1f} s; {sum(self.task.intervals)} intervals"
        note += f"\n{self.left}" if self.left else ""
        table = printing.table("", "smooth", "best", "limit", "unit", title=title, caption=note)
        for name, before, best, limit, unit in self.rows():
            table.add_row(name, f"{before:.4g}", f"{best:.4g}", "" if limit is None else f"{limit:.4g}", unit)
        return table

    def rows(self) -> list[tuple[str, float, float, float | None, str]]:
        """Return (what, smooth, best, limit, unit)."""
        task, limits = self.task, self.asked.limits
        out: list[tuple[str, float, float, float | None, str]] = []

        def add(what: str, values: list[Any], limit: float | None, unit: str) -> None:
            before, best = (float(np.max(np.abs(each))) for each in values)
            out.append((what, before, best, limit, unit))

        both = (self.before, self.best)
        add("time", [one.duration for one in both], None, "s")
        if len(task.following):
            add("energy of vibration at the end", [one.residual for one in both], None, "J")
        for k, name in enumerate(self.joints):
            bound = max((abs(b[k]) for b in task.torque if np.isfinite(b[k])), default=None)
            what, unit = ("force", "N") if task.slides[k] else ("torque", "N m")
            add(f"{what} of {name}", [one.torque[:, k] for one in both], bound, unit)
        for channel, most, slides in zip(task.channels, task.speed, task.slides, strict=True):
            if np.isfinite(most):
                speeds = [one.v[:, channel.joint_v] for one in both]
                add(f"speed of {channel.name}", speeds, float(most), "m/s" if slides else "rad/s")
        for link in task.model.flexible:
            add(f"deflection of {link}", [one.deflections[link] for one in both], limits.deflection.get(link), "m")
        for joint, limit in limits.wrench.items():
            rows = [one.wrenches[:, task.model.joints.index(joint)] for one in both]
            if limit.torque is not None:
                add(f"torque in {joint}", [_length(row[:, :3]) for row in rows], limit.torque, "N m")
            if limit.force is not None:
                add(f"force in {joint}", [_length(row[:, 3:]) for row in rows], limit.force, "N")
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of the table as plain data."""
        rows = {name: {"smooth": a, "best": b, "limit": c, "unit": unit} for name, a, b, c, unit in self.rows()}
        said = {"left": self.left} if self.left else {}
        return {"name": self.asked.name, "least": self.asked.least, "iterations": self.iterations, **rows, **said}

    def plot(self) -> Any:
        """Draw joints, torques and deflections of both motions as a matplotlib figure."""
        from lissom.view.figures.motion_figures import plot_motion

        return plot_motion(self)


@dataclass(frozen=True, eq=False)
class Verification(printing.Printed):
    """The smooth and the best motion, simulated."""

    motion: OptimalMotion
    before: Trajectory
    after: Trajectory
    ends: tuple[float, float]  # s, of the motions

    @property
    def residuals(self) -> tuple[float, float]:
        """m: largest distance of any tip from its mean place after the motion, smooth and best."""
        return _swing(self.before, self.ends[0]), _swing(self.after, self.ends[1])

    @property
    def ratio(self) -> float:
        """How many times smaller the vibration became."""
        before, after = self.residuals
        return before / max(after, np.finfo(float).tiny)

    def table(self) -> Table:
        """Return a table of both motions on the whole robot."""
        table = printing.table("simulated", "smooth", "best", "unit", title=self.motion.asked.name)
        table.add_row("time of the motion", *(f"{end:.4g}" for end in self.ends), "s")
        table.add_row("vibration of the tip afterwards", *(f"{1e3 * r:.4g}" for r in self.residuals), "mm")
        for name, slides in zip(self.motion.joints, self.motion.task.slides, strict=True):
            peaks = (float(np.abs(run.torque(name)).max()) for run in (self.before, self.after))
            what, unit = ("force", "N") if slides else ("torque", "N m")
            table.add_row(f"{what} of {name}", *(f"{peak:.4g}" for peak in peaks), unit)
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return the vibrations as plain data."""
        before, after = self.residuals
        return {"vibration": {"smooth": before, "best": after, "unit": "m"}, "ratio": self.ratio}

    def plot(self) -> Any:
        """Draw both runs as a matplotlib figure."""
        from lissom.view.figures.motion_figures import plot_verification

        return plot_verification(self)


def _swing(run: Trajectory, begin: float) -> float:
    """Return largest distance of a tip from its mean place from `begin` on, m."""
    tips = run.dataset["tip_position"].sel(time=slice(begin, None))
    off = tips - tips.mean("time")
    return float(np.sqrt((off**2).sum("axis")).max())


def _length(vectors: np.ndarray) -> np.ndarray:
    return np.linalg.norm(vectors, axis=-1)


def _cubics(motion: Candidate, first: np.ndarray) -> np.ndarray:
    """Return coefficients (intervals, driven, 6) of cubics through the torques at begin and points of every interval.

    Each interval by itself: where a limit lets go, a smooth curve through all points would overshoot.
    """
    count = len(motion.breaks) - 1
    stages = motion.torque.reshape(count, STAGES, -1)
    begins = np.concatenate([first[None], stages[:-1, -1]])
    through = np.concatenate([begins[:, None], stages], axis=1)  # (intervals, 4, driven)
    powers = np.linalg.inv(np.vander(np.append(0.0, NODES), STAGES + 1, increasing=True))
    out = np.zeros((count, through.shape[2], 6))
    out[:, :, : STAGES + 1] = np.einsum("kn,inj->ijk", powers, through)
    return out / np.diff(motion.breaks)[:, None, None] ** np.arange(6)


def _by_name(names: tuple[str, ...], reference: Reference) -> dict[str, Reference]:
    return {name: reference.select(k) for k, name in enumerate(names)}


def _covers(gains: dict[str, Any], name: str) -> bool:
    """Return whether gains are given for a coordinate, by its own name or its joint's."""
    return name in gains or name.rpartition(".")[0] in gains
