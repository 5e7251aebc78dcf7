"""All checks of a finished run."""

from __future__ import annotations

from lissom.results.trajectory import Trajectory
from lissom.results.validity.axial_force_check import check_axial_forces
from lissom.results.validity.energy_check import check_energy
from lissom.results.validity.gear_check import check_gears
from lissom.results.validity.rotary_inertia_check import check_rotary_inertia
from lissom.results.validity.span_load_check import bent_doubts, check_span_loads

CHECKS = (check_span_loads, bent_doubts, check_axial_forces, check_rotary_inertia, check_energy, check_gears)


def check_run(run: Trajectory) -> None:
    """Add to the warnings of a run what its numbers say against its model and its steps."""
    run.warnings += [event for check in CHECKS for event in check(run)]
