"""Whether loads acted inside spans where the functions of a beam do not follow them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom.simulation.raw import Event

if TYPE_CHECKING:
    from lissom.simulation.trajectory import Trajectory


def span_doubts(run: Trajectory) -> list[Event]:
    """An event for every place inside a span at which a beam deflects too little, from the start on."""
    return [Event(0.0, link, "functions", text, share) for link, text, share in run.model.function_doubts()]
