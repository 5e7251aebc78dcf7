"""Optimal motions as a user writes them: from where to where, what shall be least, and which limits hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from lissom.control.schema.joint_values import ByJoint, One, Values
from lissom.control.schema.reference_schema import COORDINATE
from lissom.errors import LissomError, OptimiseError
from lissom.model.description.robot import FORMAT, FormatVersion
from lissom.model.schema.base_model import Description, refusals
from lissom.model.schema.name_fields import Choice, Title
from lissom.model.schema.number_fields import Count, Number
from lissom.model.schema.units import FORCE, POSITION, RATE
from lissom.scenario.scenario_schema import Scenario
from lissom.study.plan.study_schema import ScenarioSource

if TYPE_CHECKING:
    from lissom.optimise.motion_result import OptimalMotion

Least = Literal["vibration", "time", "effort", "energy"]
LEAST = ("vibration", "time", "effort", "energy")
Ends = Literal["rest", "free"]
ENDS = ("rest", "free")
INTERVALS = 40  # unless given
MOST_INTERVALS = 2000
FEWEST_INTERVALS = 4  # of a leg


class OptimisePart(Description):
    """A piece of a task; a wrong value raises `OptimiseError`."""

    whole: ClassVar[str] = "task"
    error: ClassVar[type[LissomError]] = OptimiseError


class OptimiseTask(OptimisePart):
    """What a file asks for."""

    lissom: FormatVersion = FORMAT


class WrenchLimit(OptimisePart):
    """How much a joint may carry, besides its own motion."""

    what: ClassVar[str] = "limit of a wrench"

    force: Annotated[float | None, Number("the largest force", "N", above=0)] = None
    torque: Annotated[float | None, Number("the largest torque, that of the motor included,", "N m", above=0)] = None


class MotionLimits(OptimisePart):
    """Bounds that hold all along the motion."""

    what: ClassVar[str] = "limits block"

    torque: Annotated[Values | None, ByJoint(Number("the largest torque", FORCE))] = None
    speed: Annotated[Values | None, ByJoint(Number("the largest speed", RATE, above=0))] = None
    position: dict[str, Annotated[One, Number("[lower, upper]", POSITION, each=True)]] = Field(
        default={}, description="{joint: [lower, upper]}; soft stops of the robot count as well"
    )
    deflection: dict[str, Annotated[float, Number("the largest deflection of the tip", "metres", above=0)]] = Field(
        default={}, description="{link: metres}"
    )
    wrench: dict[str, WrenchLimit] = Field(default={}, description="{joint: {force: N, torque: N m}}")


class ViaPoint(OptimisePart):
    """Where the motion passes on its way."""

    what: ClassVar[str] = "via point"

    to: Annotated[Values, COORDINATE]
    time: Annotated[float | None, Number("the time of passing", "seconds", above=0)] = None


class Motion(OptimiseTask):
    """The best motion of a robot from rest to rest.

    >>> motion = Motion(scenario="ella", to={"shoulder": 0.7, "elbow": 0.4}, duration=1.5, limits={"torque": 120})
    >>> best = motion.solve()
    >>> best.reference, best.torque, best.verify()

    Parameters
    ----------
    scenario
        Gives robot, start and the gains of its controller; its name, its file, or a robot's.
    to
        Where the joints end, {joint: value}; those not named end where they start.
    via
        Points on the way, {to: {joint: value}, time: seconds}; the time of passing is chosen unless given.
    duration
        Seconds; for the least time a first guess, found from the rigid arm unless given.
    least
        "vibration" (what is left when the joints stand, on the smoothest way), "time", "effort" (integral of the
        motors' torques squared) or "energy" (integral of twice the kinetic energy).
    limits
        What must hold all along.
    passive
        Joints without a motor, such as a hook.
    ends
        "rest", or "free" where the joints may start and end with any speed.
    intervals
        Of the grid of time.
    """

    what: ClassVar[str] = "motion"
    whole: ClassVar[str] = "motion"

    name: Annotated[str, Title("the name of the motion")] = "motion"
    scenario: Annotated[Scenario, ScenarioSource()]
    to: Annotated[Values, COORDINATE]
    via: tuple[ViaPoint, ...] = Field(default=(), description="a list of {to: {joint: value}, time: seconds}")
    duration: Annotated[float | None, Number("the time of the motion", "seconds", above=0)] = None
    least: Annotated[Least, Choice("what shall be least", LEAST)] = "vibration"
    limits: MotionLimits = MotionLimits()
    passive: tuple[Annotated[str, Title("the name of a joint")], ...] = Field(
        default=(), description="a list of joints without a motor"
    )
    ends: Annotated[Ends, Choice("how the motion begins and ends", ENDS)] = "rest"
    intervals: Annotated[int, Count("how many intervals the grid of time has", MOST_INTERVALS)] = INTERVALS

    @model_validator(mode="after")
    def _times_fit(self) -> Self:
        if self.duration is None and self.least != "time":
            raise refusals(("duration", None, "missing; give the time of the motion in seconds, or least: time"))
        fewest = FEWEST_INTERVALS * (len(self.via) + 1)
        if self.intervals < fewest:
            raise refusals(("intervals", self.intervals, f"is too few; {fewest} is the least here, {INTERVALS} usual"))
        given = [(k, via.time) for k, via in enumerate(self.via) if via.time is not None]
        if given and (len(given) < len(self.via) or self.least == "time"):
            text = "give the times of all via points or of none, and none for the least time"
            raise refusals((("via", given[0][0], "time"), given[0][1], text))
        times = [time for _, time in given] + ([self.duration] if given and self.duration is not None else [])
        for k in range(1, len(times)):
            if times[k] <= times[k - 1]:
                raise refusals((("via", k - 1, "time"), times[k - 1], "must be earlier than what comes after it"))
        return self

    def solve(self, *, progress: bool = True) -> OptimalMotion:
        """Find the motion."""
        from lissom.optimise.motion_search import solve

        return solve(self, progress=progress)
