"""Hydraulic cylinders with their valves, by the values of data sheets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from lissom.kernel.data.arrays import Drive
from lissom.model.actuators.actuator import Actuator, ActuatorState, Commanded
from lissom.model.actuators.bristle_friction import BristleFriction, Bristles
from lissom.model.actuators.routes import Routed
from lissom.model.schema.base_model import FORM, Description, refusals
from lissom.model.schema.number_fields import Number

if TYPE_CHECKING:
    from lissom.model.description.robot import Robot

SPOOL_LAG = 0.01  # s: of a proportional valve, unless `response` says otherwise
DEAD_SHARE = 0.05  # of the stroke: oil in either chamber and its hose besides, unless given
ROUND_SHARE = 1e-3  # of the supply pressure: below it orifices are smooth
LOW_SHARE = 0.05  # of the supply pressure: in the chamber that carries nothing at the start
END_SHARE = 1e-3  # of the stroke: by which the thrust of the pump presses an end
MAKE_UP = 1e-5  # of the rated flow per pascal: how relief and check valves open


class Valve(Description):
    """A valve of four ways between pump, tank and the two chambers; the spool goes from -1 to 1."""

    what: ClassVar[str] = "valve"

    flow: Annotated[float, Number("the rated flow of the wholly open valve", "m3/s", above=0)]
    drop: Annotated[float, Number("the pressure drop over one edge at that flow", "Pa", above=0)]
    deadband: Annotated[float, Number("the part of the spool's way that opens nothing", at_least=0, below=1)] = 0.0


class HydraulicCylinder(Commanded, Routed):
    """A cylinder with rod between two points, fed by a valve: oil is compressible, and flows by the pressure drop.

    The command is the spool: 1 opens chamber A (the piston's side) to the pump, -1 to the tank. Pressures are gauge
    pressures. Where neither of the pressures at the start is given, a run starts with those that carry the weight.
    """

    form: ClassVar[str] = FORM + "hydraulic"
    kind: ClassVar[Drive] = Drive.HYDRAULIC
    type: Literal["hydraulic"] = "hydraulic"

    bore: Annotated[float, Number("the diameter of the piston", "metres", above=0)]
    rod: Annotated[float, Number("the diameter of the rod", "metres", at_least=0)] = 0.0
    retracted: Annotated[float, Number("the distance of the two points with the rod all in", "metres", at_least=0)]
    stroke: Annotated[float, Number("the stroke", "metres", above=0)]
    valve: Valve = Field(description="the valve: {flow: 60 l/min, drop: 5 bar}")
    supply: Annotated[float, Number("the pressure of the pump", "Pa", above=0)]
    tank: Annotated[float, Number("the pressure of the tank", "Pa", at_least=0)] = 0.0
    relief: Annotated[float | None, Number("the pressure at which relief valves open", "Pa", above=0)] = None
    bulk_modulus: Annotated[float, Number("the bulk modulus of the oil", "Pa", above=0)] = 1.4e9
    dead_volume: Annotated[
        float | None, Number("the volume of hose and chamber beyond the stroke, each side,", "m3", above=0)
    ] = None
    leakage: Annotated[float, Number("the leakage past the piston per pressure", "m3/s/Pa", at_least=0)] = 0.0
    friction: Annotated[float, Number("the dry friction of the seals", "N", at_least=0)] = 0.0
    friction_speed: Annotated[float, Number("the speed over which that is smoothed", "m/s", above=0)] = 0.01
    viscous: Annotated[float, Number("the viscous friction", "N s/m", at_least=0)] = 0.0
    pressure_a: Annotated[float | None, Number("the pressure on the piston's side at the start", "Pa", at_least=0)] = (
        None
    )
    pressure_b: Annotated[float | None, Number("the pressure on the rod's side at the start", "Pa", at_least=0)] = None
    bristles: Annotated[BristleFriction | None, Field(description="LuGre friction of the seals, in N")] = None
    response: Annotated[float, Number("the time constant of the spool", "seconds", above=0)] = SPOOL_LAG

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.rod >= self.bore:
            raise refusals(("rod", self.rod, f"must be thinner than the bore of {self.bore:g}; correct one of them"))
        if self.tank >= self.supply:
            raise refusals(("tank", self.tank, f"must be less than the supply of {self.supply:g}; correct one of them"))
        if self.relief is not None and self.relief <= self.tank:
            raise refusals(("relief", self.relief, f"must be more than the tank's {self.tank:g}; correct one of them"))
        if len(self.through) > 2 or self.along:
            raise refusals(("through", None, "must be two points, where the cylinder and its rod are pinned"))
        return self

    @property
    def areas(self) -> tuple[float, float]:
        """The areas of the piston and of the ring about the rod, m2."""
        return math.pi / 4 * self.bore**2, math.pi / 4 * (self.bore**2 - self.rod**2)

    def states(self, robot: Robot) -> tuple[ActuatorState, ...]:
        """Return the spool, and what the pressures have risen by since the start."""
        spool = self.commanded_state("spool", "1", 1.0)
        lower, upper = max(-1.0, np.real(spool.lower)), min(1.0, np.real(spool.upper))
        size = float(np.real(self.supply))
        return (
            spool._replace(lower=lower, upper=upper),
            ActuatorState("pressure_a", "Pa", typical=size),
            ActuatorState("pressure_b", "Pa", typical=size),
        )

    def numbers(self, robot: Robot) -> Sequence[float]:
        """Return the numbers of its law."""
        piston, ring = self.areas
        dead = DEAD_SHARE * self.stroke * piston if self.dead_volume is None else self.dead_volume
        low = self.tank + LOW_SHARE * self.supply
        start_b = low if self.pressure_b is None else self.pressure_b
        start_a = start_b * ring / piston if self.pressure_a is None else self.pressure_a
        return (
            piston,
            ring,
            dead,
            dead + ring * self.stroke,
            self.retracted,
            self.bulk_modulus,
            self.valve.flow / self.valve.drop**0.5,
            self.valve.deadband,
            self.supply,
            self.tank,
            1e3 * self.supply if self.relief is None else self.relief,
            MAKE_UP * self.valve.flow,
            self.leakage,
            ROUND_SHARE * self.supply,
            start_a,
            start_b,
            self.friction,
            self.friction_speed,
            self.viscous,
            self.stroke,
            self.supply * piston / (END_SHARE * self.stroke),
        )

    def companions(self) -> tuple[Actuator, ...]:
        """Return the friction of its seals, where that has bristles."""
        if self.bristles is None:
            return ()
        return (Bristles.between(f"{self.name}-friction", self.bristles, self.through),)
