"""All checks of a finished run, and those of them that its samples alone allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom.results.validity.axial_force_check import check_axial_forces
from lissom.results.validity.current_check import check_currents
from lissom.results.validity.energy_check import check_energy
from lissom.results.validity.gear_check import check_gears
from lissom.results.validity.range_check import check_ranges
from lissom.results.validity.rotary_inertia_check import check_rotary_inertia
from lissom.results.validity.span_load_check import check_fields, check_span_loads
from lissom.simulation.raw_run import Event, RawRun

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory

OF_SAMPLES = (check_span_loads, check_fields, check_rotary_inertia)
CHECKS = (*OF_SAMPLES, check_axial_forces, check_currents, check_energy, check_gears, check_ranges)
OF_LOOP = ("deflection", "branch")  # kinds of events of the time loop that put numbers in doubt


def check_run(run: Trajectory) -> None:
    """Add to the warnings of a run what its numbers say against its model and its steps."""
    run.warnings += [event for check in CHECKS for event in check(run)]


def check_samples(raw: RawRun) -> list[Event]:
    """Return what the samples of a run, without forces and energies, say against its model: for batches."""
    of_loop = [event for event in raw.warnings if event.kind in OF_LOOP]
    return [*of_loop, *(event for check in OF_SAMPLES for event in check(raw))]
