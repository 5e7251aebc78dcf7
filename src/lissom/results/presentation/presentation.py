"""How a run is shown: its units, and below which size numbers are rounding errors of larger ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lissom.model.schema.units import parse
from lissom.results.lookup import Lookup
from lissom.results.presentation.display_units import DisplayUnits, unit_kind

# Of the largest force, torque or energy in a run: what is smaller is left of numbers that cancel. Constraint forces of
# closed loops cancel to 1e-13 of them at the tolerances of a default run, applied torques to 1e-16.
NOISE = 1e-9
LEAST = 1e-3  # m/s2: what forces a mass is taken to feel at least, where all of them cancel
SHORTEST = 1e-10  # of the size of the robot, and radians


@dataclass(frozen=True)
class Presentation:
    """Units of what is shown, and the sizes below which numbers are shown as zero, by SI unit."""

    units: DisplayUnits = field(default_factory=DisplayUnits)
    floors: Mapping[str, float] = field(default_factory=dict)

    def unit(self, si: str, usual: str | None = None) -> str:
        """Return the name of the unit in which numbers of this one are shown: the `usual` one, or that chosen."""
        return self.units.convert(si, usual)[0]

    def factor(self, si: str, usual: str | None = None) -> float:
        """Return what numbers in this unit are multiplied by."""
        return self.units.convert(si, usual)[1]

    def value(self, value: float, si: str, usual: str | None = None) -> float:
        """Return a number as it is shown: converted, zero where it is nothing but noise."""
        return 0.0 if abs(value) < self.floors.get(si, 0.0) else value * self.factor(si, usual)

    def curves(self, curves: Sequence[np.ndarray], unit: str) -> tuple[list[np.ndarray], str]:
        """Return curves of one chart and their unit as they are shown; what is nothing but noise is zero."""
        parsed = parse(unit)
        si = next((si for si in self.floors if parsed is not None and parsed.kind == unit_kind(si)), unit)
        floor = self.floors.get(si, 0.0) / (1.0 if parsed is None else parsed.size)
        name, factor = self.units.convert(unit)

        def show(curve: np.ndarray) -> np.ndarray:
            if np.nanmax(np.abs(curve), initial=0.0) < floor:
                return np.zeros_like(curve)
            return curve if factor == 1.0 else factor * curve

        return [show(curve) for curve in curves], name


def noise_floors(run: Lookup) -> dict[str, float]:
    """Return the size, by SI unit, below which numbers of a run are what rounding leaves of larger ones."""
    wrench, tips = run["wrench"], run["tip_position"]
    size = _most(tips - run["link_position"]) + float(np.ptp(_finite(tips), axis=(0, 1)).max(initial=0.0))
    weighty = sum(float(np.real(body.mass)) for body in run.model.flexible.values())
    weighty += sum(float(np.real(link.body.mass)) for link in run.model.robot.bodies if link.body is not None)
    force = max(_most(wrench[..., 3:]), LEAST * weighty)
    for name in ("element_force", "loop_wrench"):
        force = max(force, _most(run[name]) if name in run.quantities else 0.0)
    torque = max(_most(wrench[..., :3]), force * size)
    energies = [run[f"{form}_energy"] for form in ("kinetic", "gravity", "strain")]
    exchanged = max(float(np.ptp(_finite(each)[..., None], axis=0).max(initial=0.0)) for each in energies)
    return {
        "N": NOISE * force,
        "N m": NOISE * torque,
        "J": NOISE * exchanged,
        "m": SHORTEST * size,
        "rad": SHORTEST,
        "m/s": SHORTEST * size,
        "rad/s": SHORTEST,
    }


def _finite(values: np.ndarray) -> np.ndarray:
    return np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)


def _most(values: np.ndarray) -> float:
    return float(np.abs(_finite(values)).max(initial=0.0))
