"""Models of friction and of gears that give way, fitted alike; one is chosen by records that none has seen.

The records that choose are not those that judge: a choice among several fits the records by which it was made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import lissom
from lissom.identify import Fit, Validation, validate
from lissom.identify.residuals import OutputBlock
from lissom.reproductions.two_link_rig.fitting import (
    COMPARED,
    FITTED,
    FOUND,
    HELD,
    KNOWN,
    MOST,
    RUNS,
    STEEL,
    Found,
)
from lissom.reproductions.two_link_rig.records import EFFICIENCY, GAUGES, Columns, record

HUBS = ("hub1", "hub2")
STICK = (0.3, 0.02)  # N m to begin with: what sticks at rest, beyond Coulomb's
GEARS = ((90.0, 0.2), (15.0, 0.02))  # N m/rad and N m to begin with: stiffness and hysteresis
WORTH = 1.05  # times the error of the best that a model with fewer unknowns may have


class Variant(NamedTuple):
    """A model: where its search starts, what is found, and what the encoders on the motors see."""

    robot: lissom.Robot
    found: tuple[str, ...]
    hub: str = "position"


def variants(coulomb: lissom.Robot) -> dict[str, Variant]:
    """From the arm with Coulomb friction as it was fitted: less, more, or gears that give way instead of the links."""
    nominal = lissom.load("two-link-rig")
    wet: dict[str, float] = {}
    sticking: dict[str, float] = {}
    steel: dict[str, float] = {}
    soft: dict[str, float] = {}
    for k, hub in enumerate(HUBS):
        friction, gear, stiffness = f"links.{hub}.joint.friction", f"links.{hub}.joint.transmission", STEEL[k]
        wet[f"{friction}.coulomb"] = 0.0
        sticking[f"{friction}.stick"] = STICK[k]
        steel[stiffness] = nominal.value(stiffness)
        soft[f"{gear}.stiffness"], soft[f"{gear}.hysteresis"] = GEARS[k]
    return {
        "viscous": Variant(coulomb.with_values(wet.items()), tuple(path for path in FOUND if path not in wet)),
        "Coulomb": Variant(coulomb, FOUND),
        "Stribeck": Variant(coulomb.with_values(sticking.items()), (*FOUND, *sticking)),
        "soft gears": Variant(
            coulomb.with_values((steel | soft).items()),
            (*(path for path in FOUND if path not in steel), *soft),
            "rotor_position",
        ),
    }


class Comparison(NamedTuple):
    """Models of friction."""

    fits: dict[str, Found]
    compared: Validation  # on the records that choose
    held: Validation  # on those that judge

    @property
    def errors(self) -> dict[str, float]:
        """By model, the geometric mean of its errors: a hub that is meant to stand counts as much as one that moves."""
        return {
            name: float(np.exp(np.mean([np.log(block.normalised) for block in blocks])))
            for name, blocks in self.compared.blocks.items()
        }

    @property
    def chosen(self) -> str:
        """The model with the fewest unknowns of those that are as good as the best."""
        errors = self.errors
        good = [name for name, error in errors.items() if error <= WORTH * min(errors.values())]
        return min(good, key=lambda name: (len(self.fits[name].fit.values), errors[name]))


def compared(data: Columns, coulomb: Fit) -> Comparison:
    """All variants, fitted and beside each other; that with Coulomb friction is fitted already."""
    fits: dict[str, Found] = {}
    choosing: dict[str, list[OutputBlock]] = {}
    judging: dict[str, list[OutputBlock]] = {}
    for name, variant in variants(coulomb.robot).items():
        seen = record(data, "square", FITTED, more=[*EFFICIENCY, *GAUGES], hub=variant.hub)
        found = coulomb
        if name != "Coulomb":
            known = [each | ({"locked": "motors"} if variant.hub != "position" else {}) for each in KNOWN]
            found = lissom.fit(variant.robot, variant.found, seen, frequencies=known, most=MOST, **RUNS)
        fits[name] = Found(found, variant.hub)
        for windows, blocks in ((COMPARED, choosing), (HELD, judging)):
            records = [record(data, run, at, fits[name].scales, hub=variant.hub) for run, at in windows.items()]
            blocks |= validate({name: found.robot}, records, **RUNS).blocks
    return Comparison(fits, Validation(choosing), Validation(judging))
