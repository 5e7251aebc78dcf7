"""A run in a few numbers: peak wrenches and deflections, settling, energy balance, speed, events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.lie import quaternion, so3
from lissom.results.error_bars import Reached
from lissom.results.presentation.presentation import Presentation
from lissom.results.registry.stress_peaks import StressPeak
from lissom.results.summaries.summary_tables import BAND, Rows, all_rows, number
from lissom.simulation.raw_run import Event
from lissom.simulation.status.run_ending import Ending

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table

    from lissom.model.description.kinematic_loop import Loop
    from lissom.results.error_bars import Trust
    from lissom.results.trajectory import Trajectory

LAST = 0.05  # part of the run whose mean is the final value
TRAVEL = 0.05  # a way shorter than this part of the range is a hold, not a move
WIDTH = 100
ERROR_FROM = "error mostly from"


class Peak(NamedTuple):
    """A largest magnitude and when it occurred."""

    value: float
    time: float  # s


@dataclass(frozen=True)
class JointPeak:
    """The largest torque and force that a joint transmits, as norms."""

    joint: str
    torque: Peak  # N m
    force: Peak  # N


@dataclass(frozen=True)
class LinkPeak:
    """The largest deflection of a flexible link: of its tip, and of its span from the line through both ends."""

    link: str
    deflection: Peak  # m, of the tip
    percent: float  # the larger of tip and bow, of the link's length
    rotation: Peak  # rad
    bow: Peak  # m


@dataclass(frozen=True)
class ElementPeak:
    """The largest pull and push of an element, and how long it is at the most and at the least."""

    element: str
    pull: Peak  # N; of a bushing the size of its force
    push: Peak  # N
    shortest: float  # m
    longest: float  # m
    work: float = 0.0  # J, that it put into the arm
    led: bool = False  # a cylinder whose length is given: its work counts as that of the applied forces


@dataclass(frozen=True)
class LoopPeak:
    """The largest force and torque in the joint that closes a loop; of a rod its pull and push."""

    loop: str
    force: Peak  # N
    torque: Peak  # N m
    pull: Peak | None = None  # N
    push: Peak | None = None  # N


@dataclass(frozen=True)
class Settling:
    """When a coordinate or the tip arrived for good."""

    name: str
    final: tuple[float, ...]
    unit: str
    time: float | None  # s; None where it did not settle, or never went anywhere
    moved: bool  # whether it went anywhere
    tip_of: str | None = None  # the link, where it is a tip


@dataclass(frozen=True)
class Balance:
    """Energy balance at the end of a run, in J; None where the run kept no accounts."""

    stored: float  # change of kinetic and potential energy since the start
    work: float | None = None
    dissipated: float | None = None
    residual: float | None = None  # largest |stored - work - load_work + dissipated| at any time
    relative: float | None = None  # residual over the largest energy that was exchanged
    load_work: float | None = None  # put in by loads and cylinders driven by force, where there are any


@dataclass(frozen=True)
class Summary:
    """Data of the summary tables. `print` it, hand it to rich, or take `to_dict()`."""

    robot: str
    status: Ending
    message: str
    duration: float  # s of motion
    samples: int
    method: str
    reason: str
    steps: int
    wall: float  # s of computing
    speed: float | None  # times faster than real time
    joints: tuple[JointPeak, ...]
    links: tuple[LinkPeak, ...]
    settling: tuple[Settling, ...]
    energy: Balance
    events: tuple[Event, ...]
    elements: tuple[ElementPeak, ...] = ()
    loops: tuple[LoopPeak, ...] = ()
    trust: Trust | None = None  # error bars of these numbers, where they were measured
    accuracy: str = ""  # one that was asked for, and what was chosen for it
    stresses: tuple[StressPeak, ...] = ()
    shown: Presentation = field(default_factory=Presentation)  # units of the tables; data is SI

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; what is not a finite number is None."""
        data = _plain(asdict(replace(self, trust=None, shown=Presentation())))
        del data["shown"]
        return data | {"trust": None if self.trust is None else self.trust.to_dict()}

    def rows(self) -> dict[str, Rows]:
        """Return what the tables say, by subject; subjects of which there is nothing are left out."""
        return all_rows(self)

    def tables(self, more: Mapping[str, Sequence[str]] | None = None) -> dict[str, Table]:
        """Return the tables by subject, for a rich console; `more` has a last column for some, "over time"."""
        return {subject: rows.table((more or {}).get(subject)) for subject, rows in self.rows().items()}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        yield Text.assemble((self.robot, "bold"), f": {self._headline()}")
        if self.message:
            yield Text(self.message, style="yellow")
        yield Text()
        yield from self.tables().values()
        if self.trust is not None:
            yield from map(Text, self.trust.lines)
        if self.accuracy:
            yield Text(self.accuracy)

    def __str__(self) -> str:
        from rich.console import Console

        out = StringIO()
        Console(file=out, width=WIDTH, color_system=None, legacy_windows=False).print(self)
        return "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines()) + "\n"

    def _headline(self) -> str:
        how = f" by {self.method} in {self.steps} steps" if self.method else ""
        fast = f", {number(self.wall)} s of computing" if self.wall else ""
        fast += f" ({number(self.speed)} times real time)" if self.speed else ""
        return f"{self.status.word}, {self.duration:g} s of motion{how}{fast}"


def summarise(run: Trajectory) -> Summary:
    """Return the summary of a run."""
    info = run.info
    duration = float(run.time[-1] - run.time[0])
    return Summary(
        robot=run.model.robot.name,
        status=info.status,
        message=info.message,
        duration=duration,
        samples=len(run.time),
        method=info.method,
        reason=info.reason,
        steps=info.steps,
        wall=info.wall,
        speed=duration / info.wall if info.wall > 0 and duration > 0 else None,
        joints=tuple(_joint_peak(run, joint) for joint in run.model.joints),
        links=tuple(_link_peak(run, link) for link in run.model.links if link in run.model.flexible),
        settling=tuple(_all_settling(run)),
        energy=balance(run),
        events=tuple(run.warnings),
        elements=tuple(_element_peak(run, k) for k in range(len(run.model.robot.elements))),
        loops=tuple(_loop_peak(run, loop) for loop in run.model.robot.loops),  # cylinders are among the elements
        trust=run.trust,
        accuracy=str(Reached(**run.info.accuracy)) if run.info.accuracy else "",
        stresses=run.stress_peaks(),
        shown=run.shown,
    )


def balance(run: Trajectory) -> Balance:
    """Return the energy balance of a run; without accounts where it kept none or diverged."""
    stored = run.numbers["stored_energy"]
    change = float(stored[-1] - stored[0])
    if "work" not in run.quantities or not np.all(np.isfinite(stored)):
        return Balance(change)
    audit = run.energy_audit()
    residual = float(np.abs(audit.residual).max())
    given = float(audit.load_work[-1]) if "load_work" in run.quantities else None
    return Balance(change, float(audit.work[-1]), float(audit.dissipated[-1]), residual, audit.relative, given)


def settling_time(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, float | None, bool]:
    """Return the final value of a signal (N,) or (N, k), when it came within 2 % of it for good, whether it moved.

    The final value is the mean over the last 5 % of the run; 2 % are counted on the way to it from the first
    value. A signal that leaves the band in the last 5 % has not settled; one that ends where it began has not
    moved.
    """
    signal = values.reshape(len(time), -1)
    last = time >= time[-1] - LAST * (time[-1] - time[0])
    final = signal[last].mean(axis=0)
    distance = np.linalg.norm(signal - final, axis=1)
    way = distance[0]
    moved = bool(way > TRAVEL * _largest(distance) and way > 1e-9 * max(1.0, _largest(signal)))
    outside = np.flatnonzero(~(distance <= BAND * way))
    if not moved or (len(outside) and last[outside[-1]]):
        return final, None, moved
    return final, float(time[outside[-1] + 1] - time[0]) if len(outside) else 0.0, moved


def _all_settling(run: Trajectory) -> Iterator[Settling]:
    for name in run.quantities.labels("q"):
        found = run.numbers.position(name)
        if found.units != ["1"]:
            final, when, moved = settling_time(run.time, found.values)
            yield Settling(name, tuple(final.tolist()), found.units[0], when, moved)
    for end in run.model.ends:
        final, when, moved = settling_time(run.time, run.numbers.tip(end))
        yield Settling(f"tip of {end}", tuple(final.tolist()), "m", when, moved, end)


def _joint_peak(run: Trajectory, joint: str) -> JointPeak:
    wrench = run.numbers.wrench(joint)
    return JointPeak(joint, _peak(run.time, wrench[:, :3]), _peak(run.time, wrench[:, 3:]))


def _element_peak(run: Trajectory, k: int) -> ElementPeak:
    force, length = run.numbers["element_force"][:, k], run.numbers["element_length"][:, k]
    pull, push = (_peak(run.time, np.maximum(sign * force, 0.0)[:, None]) for sign in (1, -1))
    work = -float(np.sum((force[1:] + force[:-1]) / 2 * np.diff(length)))
    element = run.model.robot.elements[k]
    return ElementPeak(
        element.name, pull, push, float(length.min()), float(length.max()), work, element.held() is not None
    )


def _loop_peak(run: Trajectory, loop: Loop) -> LoopPeak:
    wrench = run.numbers["loop_wrench"][:, run.quantities.labels("loop").index(loop.name)]
    force, torque = (_peak(run.time, part) for part in (wrench[:, 3:], wrench[:, :3]))
    if loop.distance is None:
        return LoopPeak(loop.name, force, torque)
    push = rod_push(run, loop)
    return LoopPeak(
        loop.name, force, torque, *(_peak(run.time, np.maximum(side * push, 0.0)[:, None]) for side in (-1, 1))
    )


def rod_push(run: Trajectory, loop: Loop) -> np.ndarray:
    """Return by how much a loop that holds a distance pushes its ends apart, (N,) N; where it pulls, less than zero."""
    k = run.quantities.labels("loop").index(loop.name)
    ends = [run.model.frames.index(run.model.robot.placed(frame)) for frame in loop.between]
    first, second = (run.seen.frame_position[:, end] for end in ends)
    force = so3.act(quaternion.to_matrix(run.numbers["loop_orientation"][:, k]), run.numbers["loop_wrench"][:, k, 3:])
    way = second - first
    return np.einsum("ni,ni->n", force, way) / np.linalg.norm(way, axis=1)


def _link_peak(run: Trajectory, link: str) -> LinkPeak:
    deflection = _peak(run.time, run.numbers.deflection(link))
    bow = _peak(run.time, run.numbers.bow(link)[:, None])
    percent = 100 * max(deflection.value, bow.value) / float(run.model.flexible[link].length)
    return LinkPeak(link, deflection, percent, _peak(run.time, run.numbers.rotation(link)), bow)


def _peak(time: np.ndarray, vectors: np.ndarray) -> Peak:
    sizes = np.linalg.norm(vectors, axis=1)
    k = int(np.nanargmax(sizes)) if np.any(np.isfinite(sizes)) else 0
    return Peak(float(sizes[k]), float(time[k]))


def _largest(values: np.ndarray) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size else float("nan")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, Peak):
        return {"value": _plain(value.value), "time": _plain(value.time)}
    if isinstance(value, StressPeak):
        return {key: _plain(inner) for key, inner in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value
