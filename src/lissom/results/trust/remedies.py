"""What to change first to make numbers more certain, in the words of robot and scenario files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from lissom.messages import listed
from lissom.model.description.robot import Robot
from lissom.results.error_bars import ErrorBar
from lissom.results.trust.refined_robots import Counts, as_many_more

TRUSTED = 1e-4  # relative errors below this need no remedy
FREE = 1.1  # times the computing that nobody notices


def remedy(
    robot: Robot,
    counts: Mapping[str, Counts],
    bars: Mapping[str, ErrorBar],
    costs: Mapping[str, float],
    words: Mapping[str, str],
) -> str:
    """Return what to change first, and what that costs; empty where nothing needs it.

    Parameters
    ----------
    costs : mapping
        Computing time with a kind of error refined, over the plain one.
    words : mapping
        What to change where the sampling or the time steps decide.
    """
    sized = [bar for bar in bars.values() if bar.sources and bar.value and bar.unit != "s"]
    relevant = [bar for bar in sized if TRUSTED < bar.relative < 1.0]
    if not relevant:
        return ""
    weight: dict[str, float] = {}
    for bar in relevant:
        for source in bar.sources:
            weight[source.kind] = weight.get(source.kind, 0.0) + source.error / abs(bar.value)
    kind = max(weight, key=lambda one: weight[one])
    worst = max(relevant, key=lambda bar: bar.relative)
    advice = words[kind] if kind in words else _of_robot(robot, counts, kind, relevant)
    cost = costs.get(kind, 1.0)
    price = "at no cost" if cost < FREE else f"{cost:.2g} times the computing"
    return f"To be better: {advice} ({price}); least certain is {worst.name}, by {100 * worst.relative:.1g} %"


def _of_robot(robot: Robot, counts: Mapping[str, Counts], kind: str, bars: Iterable[ErrorBar]) -> str:
    if kind == "data":
        text = max((one for bar in bars for one in bar.sources if one.kind == "data"), key=lambda one: one.error).text
        return f"measure {text} more closely"
    if kind == "shear":
        return "leave out shear: none"
    if kind == "field":
        linear = [link.name for link in robot.links if link.beam and link.beam.stiffening != "exact"]
        return f"stiffening: exact in {listed(linear, 'and')}"
    most: dict[tuple[str, str], float] = {}
    for bar in bars:
        for one in bar.sources:
            if one.kind == "functions":
                place = one.link, one.direction
                most[place] = max(most.get(place, 0.0), one.error / abs(bar.value))
    link, way = max(most, key=lambda place: most[place])
    if not link:
        return "more functions, such as modes: {more: {y: 2, z: 2}}"
    ways = [way] if way else [each for each, n in counts[link].items() if n]
    beam = robot.link(link).beam
    if beam is not None and not isinstance(beam.modes, str):
        total = {each: n + (as_many_more(n) if each in ways else 0) for each, n in counts[link].items() if n}
        return f"modes: {{{_name_counts(total)}}} in {link}"
    return f"modes: {{more: {{{_name_counts({each: as_many_more(counts[link][each]) for each in ways})}}}}} in {link}"


def _name_counts(counts: Counts) -> str:
    return ", ".join(f"{name}: {np.asarray(n)}" for name, n in counts.items())
