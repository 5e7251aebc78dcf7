"""What the functions of beams follow: loads inside their spans, in words, and frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.beam import BeamLink
from lissom.beam.functions.attachment_functions import Place, inside
from lissom.model.compilation.attachment_points import acting_places
from lissom.model.compilation.end_conditions import end_conditions, links_on_loops

if TYPE_CHECKING:
    from lissom.model.description.frame import Frame
    from lissom.model.description.robot import Link, Robot

MISSED = 0.01  # of the deflection under a load at a place, that is told of
FORCE, COUPLE = "deflection under a force", "turn under a couple"


def check_shape_functions(
    robot: Robot, flexible: dict[str, Any], loads: Sequence[Frame] = ()
) -> list[tuple[str, str, float]]:
    """Return link, sentence and share for every place at which functions leave out too much of the compliance.

    flexible: the mechanics of the robot's links. loads: frames on which loads act, besides what the robot shows.
    """
    found = []
    for link in robot.links:
        beam = flexible.get(link.name)
        if not isinstance(beam, BeamLink):
            continue
        own = acting_places(robot, link)
        known = {place.x for place in own}
        length = float(np.real(beam.length))
        more = [Place(frame.at) for frame in loads if frame.link == link.name and isinstance(frame.at, float | int)]
        places = inside([*own, *more], length)
        for place, shares in zip(places, _shares(beam.basis, _lengthwise(beam), places) if places else ()):
            worst = {what: share for what, share in shares if share > MISSED}
            if worst:
                text = " and ".join(f"{share:.2g} % of the {what}" for what, share in _percent(worst))
                remedy = _remedy(link, place, place.x in known)
                told = f"{link.name}: its functions leave out {text} at {place.x:g} m; {remedy}"
                found.append((link.name, told, max(worst.values())))
    return found


def resolved_frequencies(robot: Robot, flexible: dict[str, Any]) -> dict[tuple[str, str], float]:
    """Return the frequency in Hz up to which the functions of each beam follow its vibration, by link and direction.

    Of n functions of `auto` all but one give a natural frequency of the clamped link, of others about half.
    """
    found = {}
    for link in robot.links:
        beam = flexible.get(link.name)
        if not isinstance(beam, BeamLink):
            continue
        assert link.beam is not None
        how = end_conditions(robot, link, links_on_loops(robot))
        ends = dict(how.ends)
        counts = link.beam.mode_counts(robot.materials, how)
        own = beam.natural_modes()
        for direction, n in counts.items():
            right = n - 1 if link.beam.ends == "auto" and direction not in ends else n // 2
            every = [f for f, label in zip(own.frequencies, own.labels) if label.startswith(direction)]
            if every:
                found[link.name, direction] = float(every[min(max(right, 1), len(every)) - 1])
    return found


def _percent(worst: dict[str, float]) -> list[tuple[str, float]]:
    return [(what, 100 * share) for what, share in worst.items()]


def _remedy(link: Link, place: Place, shown: bool) -> str:
    """Return what makes the functions follow a load at the place."""
    assert link.beam is not None
    if not link.beam.chooses_functions:
        more = "" if shown else f" and attachments: [{place.x:g}]"
        ends = "" if link.beam.ends == "auto" else " and leave out ends"
        return f"write modes: auto{more} in its beam{ends}"
    return f"write attachments: [{place.x:g}] in its beam, or hand over the Robot rather than its Model"


def _lengthwise(beam: BeamLink) -> tuple[float, float]:
    """Return length of a beam, and how much it gives way to a force along it compared with one across it."""
    length = float(np.real(beam.length))
    C = np.mean(np.real(beam.profile.tables(beam.basis.rule.nodes)[0]), axis=0)
    return length, float(C[0, 0] / min(C[4, 4], C[5, 5]))


@lru_cache(maxsize=256)
def _shares(basis: Any, lengthwise: tuple[float, float], places: tuple[Place, ...]) -> list[list[tuple[str, float]]]:
    """Return by place which share is left out of deflections under a force and of turns under a couple."""
    length, stretch = lengthwise
    found: list[dict[str, float]] = [{FORCE: 0.0, COUPLE: 0.0} for _ in places]
    for direction, count in basis.counts.items():
        if count == 0:  # rigid by choice
            continue
        shares = basis.missed_shares(direction, places, length)
        for k, (place, part) in enumerate(zip(places, shares, strict=True)):
            if direction == "axial":  # where it is small beside what bending gives
                part = part * min(1.0, stretch * place.x / (place.x**3 / 3))
            named = (COUPLE,) if direction == "torsion" else (FORCE, COUPLE)
            for what, share in zip(named, part):
                found[k][what] = max(found[k][what], float(share))
    return [list(each.items()) for each in found]
