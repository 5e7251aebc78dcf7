"""The numbers of a run that its tables show, by name."""

from __future__ import annotations

from typing import NamedTuple

from lissom.results.summaries import summary_names as names
from lissom.results.summaries.summary import Peak, Summary


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


def group(name: str, unit: str) -> str:
    """Return what numbers are of one kind, so that the largest of them says how small is nothing."""
    head = name.partition(".")[0]
    return f"{head if head.startswith('peak') else name.rpartition('.')[0] or name} {unit}"
