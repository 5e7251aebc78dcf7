"""The lightest sections as a user asks for them: which sizes may change, in which cases which limits hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from lissom.model.schema.name_fields import Title
from lissom.model.schema.number_fields import Number
from lissom.model.schema.units import POSITION
from lissom.model.schema.vector_fields import Vector
from lissom.optimise.motion_schema import OptimisePart, OptimiseTask
from lissom.scenario.scenario_schema import Scenario
from lissom.study.plan.study_schema import ScenarioSource

if TYPE_CHECKING:
    from lissom.optimise.sizing_result import Lightest

Size = Annotated[float, Number("[least, largest]", "metres", above=0)]


class CaseLoad(OptimisePart):
    """A load that stays."""

    what: ClassVar[str] = "load of a case"

    link: Annotated[str, Title("the link on which the load acts")]
    at: Annotated[float | None, Number("the place along the link, its tip unless given,", "metres", at_least=0)] = None
    force: Annotated[tuple[float, float, float], Vector("the force in world axes", "N")] = (0.0, 0.0, 0.0)
    torque: Annotated[tuple[float, float, float], Vector("the torque in world axes", "N m")] = (0.0, 0.0, 0.0)


class CaseSpec(OptimisePart):
    """A pose in which the limits hold, with the loads on it."""

    what: ClassVar[str] = "case"

    pose: dict[str, Annotated[float, Number("the coordinate", POSITION)]] = Field(
        default={}, description="{joint: value}, zero for those not named"
    )
    loads: tuple[CaseLoad, ...] = Field(default=(), description="a list of {link: boom, force: [0, 0, -3000]}")
    factor: Annotated[float, Number("the factor of weight and loads, for what motion adds", above=0)] = 1.0


class SizingLimits(OptimisePart):
    """What the robot shall keep in every case."""

    what: ClassVar[str] = "limits block"

    frequency: Annotated[float | None, Number("the lowest natural frequency, joints locked,", "Hz", above=0)] = None
    deflection: dict[str, Annotated[float, Number("the largest deflection of the tip", "metres", above=0)]] = Field(
        default={}, description="{link: metres}, of its tip from its place while unbent"
    )
    sag: dict[str, Annotated[float, Number("the largest way of the tip", "metres", above=0)]] = Field(
        default={}, description="{link: metres}, of its tip from its place in a rigid arm"
    )
    stress: dict[str, Annotated[float, Number("the largest equivalent stress", "Pa", above=0)]] = Field(
        default={}, description="{link: Pa}, von Mises"
    )
    slenderness: Annotated[float | None, Number("the largest ratio of outer diameter (or side) to wall", above=2)] = (
        None
    )


class Sizing(OptimiseTask):
    """The lightest robot whose sizes lie within bounds.

    >>> sizing = Sizing(
    ...     scenario="boom.yaml",
    ...     sizes={"links.boom.beam.section.outer": (0.1, 0.3), "links.boom.beam.section.thickness": (0.003, 0.012)},
    ...     limits={"frequency": 2.0, "deflection": {"boom": 0.05}, "stress": {"boom": 160e6}},
    ... )
    >>> lightest = sizing.solve()
    >>> lightest.robot, lightest.mass, lightest.save("lightest.yaml")

    Parameters
    ----------
    scenario
        Gives the robot, and the motion that `verify` simulates; its name, its file, or a robot's.
    sizes
        {path of a number of the robot: (least, largest)}.
    cases
        Poses and loads in which the limits hold; the neutral pose under the robot's weight unless given.
    limits
        What must hold.
    """

    what: ClassVar[str] = "sizing"
    whole: ClassVar[str] = "sizing"

    name: Annotated[str, Title("the name of the sizing")] = "sizing"
    scenario: Annotated[Scenario, ScenarioSource()]
    sizes: dict[str, tuple[Size, Size]] = Field(min_length=1, description="{path of a size: [least, largest]}")
    cases: tuple[CaseSpec, ...] = Field(default=(CaseSpec(),), min_length=1, description="a list of {pose: , loads: }")
    limits: SizingLimits

    def solve(self, *, progress: bool = True) -> Lightest:
        """Find the sizes."""
        from lissom.optimise.sizing_search import solve

        return solve(self, progress=progress)
