"""Robots whose links have more shape functions, a better field, or sections that shear."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from lissom.beam import BeamLink
from lissom.model.description.robot import Robot
from lissom.model.flexible.beam import Beam
from lissom.model.flexible.beam_parts import MOST_MODES, Modes, ModesTo
from lissom.model.model import Model

Counts = Mapping[str, int]


def half_more(count: int) -> int:
    """Return how many functions are added to `count` for a space half as large again."""
    return 1 + (count + 1) // 2


def as_many_more(count: int) -> int:
    """Return how many functions are added to `count` for a space of more than twice the size."""
    return count + 2


def enriched(
    robot: Robot, model: Model, added: Callable[[int], int], links: Collection[tuple[str, str]] | None = None
) -> Robot:
    """Return the robot whose beams have more functions; the space of those they had is part of the new one.

    Parameters
    ----------
    model : Model
        The robot, compiled.
    added : callable
        How many functions come to so many in one direction. Directions without any are rigid by choice.
    links : collection of (link, direction), optional
        Which directions of which links get more; all unless given.
    """
    changed = {}
    for name, counts in function_counts(robot, model).items():
        chosen = {way: n for way, n in counts.items() if n and (links is None or (name, way) in links)}
        beam = robot.link(name).beam
        if chosen and beam is not None:
            changed[name] = {"modes": _more(beam, {way: added(n) for way, n in chosen.items()})}
    return _with_beams(robot, changed)


def function_counts(robot: Robot, model: Model) -> dict[str, dict[str, int]]:
    """Return the number of functions by direction of every beam."""
    found = {link.name: model.flexible.get(link.name) for link in robot.links if link.beam is not None}
    return {name: dict(beam.basis.counts) for name, beam in found.items() if isinstance(beam, BeamLink)}


def with_exact_field(robot: Robot) -> Robot:
    """Return the robot whose beams have the exact field, which lies on their base."""
    beams = {link.name: link.beam for link in robot.links if link.beam is not None}
    linear = [name for name, beam in beams.items() if beam.stiffening != "exact"]
    return _with_beams(robot, {name: {"stiffening": "exact", "frame": "base"} for name in linear})


def shearing(robot: Robot) -> Robot:
    """Return the robot whose beams shear wherever their sections say how soft they are in shear."""
    beams = {link.name: link.beam for link in robot.links if link.beam is not None}
    stiff = {name: beam for name, beam in beams.items() if beam.shear == "none"}
    return _with_beams(robot, {name: {"shear": "auto"} for name in stiff})


def _more(beam: Beam, added: Counts) -> Modes | ModesTo:
    """Return the modes of a beam with functions added by direction."""
    if isinstance(beam.modes, Modes):
        family = beam.ends if isinstance(beam.ends, str) else beam.ends.family
        given = beam.modes.as_dict()
        if family == "hermite":  # elements halved: only so the finer space contains the coarse one
            return Modes(**{way: min(MOST_MODES, n * (2 if added.get(way) else 1)) for way, n in given.items()})
        return Modes(**{way: min(MOST_MODES, n + added.get(way, 0)) for way, n in given.items()})
    base = ModesTo.model_construct() if isinstance(beam.modes, str) else beam.modes
    return base.model_copy(
        update={"more": Modes(**{way: n + added.get(way, 0) for way, n in base.more.as_dict().items()})}
    )


def _with_beams(robot: Robot, changed: Mapping[str, Mapping[str, Any]]) -> Robot:
    """Return the robot with fields of its beams changed, by link; the robot itself where nothing is."""
    if not changed:
        return robot
    links = []
    for link in robot.links:
        if link.name in changed and link.beam is not None:
            beam = link.beam.model_copy(update=dict(changed[link.name]))
            link = link.model_copy(update={"beam": beam})
        links.append(link)
    return robot.model_copy(update={"links": tuple(links)})
