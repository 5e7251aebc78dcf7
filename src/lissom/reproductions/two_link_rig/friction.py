"""Models of friction and of gears that give way, fitted alike and compared by records that none has seen."""

from __future__ import annotations

from typing import Any, NamedTuple

import lissom
from lissom.identify import Fit, Validation, validate
from lissom.reproductions.two_link_rig.fitting import FITTED, FOUND, HELD, KNOWN, MOST, RUNS, STEEL
from lissom.reproductions.two_link_rig.records import EFFICIENCY, GAUGES, Columns, Scales, record

HUBS = ("hub1", "hub2")
STICK = (0.3, 0.02)  # N m to begin with: what sticks at rest, beyond Coulomb's
GEARS = ((90.0, 0.2), (15.0, 0.02))  # N m/rad and N m to begin with: stiffness and hysteresis


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


def compared(data: Columns, coulomb: Fit) -> Validation:
    """Errors of all variants on what was held back; that with Coulomb friction is fitted already."""
    blocks: dict[str, Any] = {}
    for name, variant in variants(coulomb.robot).items():
        seen = record(data, "square", FITTED, more=[*EFFICIENCY, *GAUGES], hub=variant.hub)
        found = coulomb
        if name != "Coulomb":
            known = [each | ({"locked": "motors"} if variant.hub != "position" else {}) for each in KNOWN]
            found = lissom.fit(variant.robot, variant.found, seen, frequencies=known, most=MOST, **RUNS)
        held = [record(data, run, at, Scales.of(found), hub=variant.hub) for run, at in HELD.items()]
        blocks[name] = validate({name: found.robot}, held, **RUNS).blocks[name]
    return Validation(blocks)
