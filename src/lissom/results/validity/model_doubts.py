"""What a run's motion says about its model, without its forces and energies: for batches, which keep only samples."""

from __future__ import annotations

from lissom.results.validity.rotary_inertia_check import check_rotary_inertia
from lissom.results.validity.span_load_check import bent_doubts, check_span_loads
from lissom.simulation.raw_run import Event, RawRun

OF_FIELDS = ("deflection", "branch")  # kinds of events of the time loop that put numbers in doubt


def model_doubts(raw: RawRun) -> list[Event]:
    """Return an event for all that the functions and the field of a link leave out in a run."""
    noted = [event for event in raw.warnings if event.kind in OF_FIELDS]
    return [*noted, *(event for check in (check_span_loads, bent_doubts, check_rotary_inertia) for event in check(raw))]
