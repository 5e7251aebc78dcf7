"""Whether functions did not follow loads inside spans, or the second-order field how far links were bent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.analysis.field_validity import field_doubts
from lissom.simulation.raw_run import Event, RawRun

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory

LOOKS = 50  # samples at which links are looked at


def check_span_loads(run: Trajectory | RawRun) -> list[Event]:
    """Return an event for every place inside a span at which a beam deflects too little, from the start on."""
    return [Event(0.0, link, "functions", text, share) for link, text, share in run.model.function_doubts()]


def check_fields(run: Trajectory | RawRun) -> list[Event]:
    """Return an event for every link whose torsion, or bending about forces in its span, is off, when it is most so."""
    looks = np.unique(np.linspace(0, len(run.time) - 1, LOOKS).astype(int))
    return [
        Event(float(run.time[looks[place]]), link, kind, text, value)
        for link, kind, text, value, place in field_doubts(run.model, run.q[looks])
    ]
