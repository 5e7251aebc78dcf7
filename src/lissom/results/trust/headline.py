"""The numbers of a run that its tables show, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lissom.results.summaries import summary_names as names
from lissom.results.summaries.summary import Peak, Summary

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory

AT_JUMPS = "at jumps: "  # begins the names of what is not shown
AFTER = 0.01  # of the run, after a jump


class Headline(NamedTuple):
    """A number of a run, when it occurred where it is a peak, and how fine it is known at all."""

    value: float
    unit: str
    time: float | None = None
    resolution: float = 0.0


Numbers = dict[str, Headline]


def headline(summary: Summary) -> Numbers:
    """Return the numbers of the summary tables, in their order."""
    found: Numbers = {}

    def peak(name: str, value: Peak, unit: str) -> None:
        found[name] = Headline(value.value, unit, value.time)

    for joint in summary.joints:
        peak(names.torque_name(joint.joint), joint.torque, "N m")
        peak(names.force_name(joint.joint), joint.force, "N")
    for element in summary.elements:
        peak(names.pull_name(element.element), element.pull, "N")
        peak(names.push_name(element.element), element.push, "N")
    for link in summary.links:
        peak(names.deflection_name(link.link), link.deflection, "m")
        peak(names.rotation_name(link.link), link.rotation, "rad")
        peak(names.bow_name(link.link), link.bow, "m")
    for entry in summary.settling:
        for k, value in enumerate(entry.final):
            found[names.final_name(entry.name, k if len(entry.final) > 1 else None)] = Headline(value, entry.unit)
        if entry.time is not None:
            found[names.settled_name(entry.name)] = Headline(entry.time, "s")
    return found


def at_jumps(run: Trajectory, jumps: np.ndarray) -> Numbers:
    """Return the largest wrenches shortly after jumps, where they grow with every function though others are larger."""
    span = AFTER * (run.time[-1] - run.time[0])
    here = np.any([(run.time >= t - 1e-9) & (run.time <= t + span) for t in jumps], axis=0)
    if not np.any(here):
        return {}
    found: Numbers = {}
    for joint in run.model.joints:
        wrench = run.numbers.wrench(joint)[here]
        for name, part in ((names.torque_name(joint), slice(0, 3)), (names.force_name(joint), slice(3, 6))):
            sizes = np.linalg.norm(wrench[:, part], axis=1)
            k = int(np.argmax(sizes))
            unit = "N m" if part.start == 0 else "N"
            found[AT_JUMPS + name] = Headline(float(sizes[k]), unit, float(run.time[here][k]))
    return found


def group(name: str, unit: str) -> str:
    """Return what numbers are of one kind, so that the largest of them says how small is nothing."""
    head = name.partition(".")[0]
    return f"{head if head.startswith('peak') else name.rpartition('.')[0] or name} {unit}"
