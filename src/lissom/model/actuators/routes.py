"""Where tendons, ropes and pressure chambers run: through points, or along links at an offset of their sections."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from lissom.kernel.data.arrays import Port
from lissom.model.actuators.actuator import Actuator
from lissom.model.description.frame import WORLD, Frame, Problem
from lissom.model.description.origin import Origin
from lissom.model.schema.base_model import Description, refusals
from lissom.model.schema.name_fields import Name
from lissom.model.schema.number_fields import Count, Number
from lissom.model.schema.vector_fields import Pair, Vec2

if TYPE_CHECKING:
    from lissom.model.description.robot import Robot

FrameAt = tuple[tuple[str | int, ...], Frame]


class Route(Description):
    """A curve along a beam, at an offset in its sections: straight, converging, or a spiral.

    The offset goes evenly from `offset` at `begin` to `end_offset` at `end`, and turns about the axis `turns` times on
    the way. The curve is followed from point to point.
    """

    what: ClassVar[str] = "route"

    link: Annotated[str, Name("the beam along which it runs")]
    offset: Annotated[Vec2, Pair("the place in the section where it begins")]
    end_offset: Annotated[Vec2 | None, Pair("the place in the section where it ends")] = None
    turns: Annotated[float, Number("the turns about the axis of the beam, as a number,", at_most=100)] = 0.0
    begin: Annotated[float, Number("where along the beam it begins", "metres", at_least=0)] = 0.0
    end: Annotated[float | None, Number("where along the beam it ends", "metres", above=0)] = None
    points: Annotated[int, Count("the number of points that follow the curve", at_most=200, at_least=2)] = 25

    def frames(self, robot: Robot) -> list[Frame]:
        """Return its points; none where the link is no beam."""
        link = next((link for link in robot.links if link.name == self.link), None)
        if link is None or link.beam is None:
            return []
        end = link.beam.length if self.end is None else self.end
        last = self.offset if self.end_offset is None else self.end_offset
        found = []
        for k in range(self.points):
            share = k / (self.points - 1)
            y, z = (a + share * (b - a) for a, b in zip(self.offset, last, strict=True))
            turn = 2.0 * math.pi * self.turns * share
            c, s = math.cos(turn), math.sin(turn)
            x = self.begin + share * (end - self.begin)
            found.append(Frame(link=self.link, at=x, origin=Origin(xyz=(0.0, c * y - s * z, s * y + c * z))))
        return found

    def problems(self, robot: Robot, path: tuple[str | int, ...]) -> list[Problem]:
        """Return what keeps it from running along its link."""
        link = next((link for link in robot.links if link.name == self.link), None)
        if link is None or link.beam is None:
            beams = [one.name for one in robot.links if one.beam is not None]
            what = "is not a link" if link is None else "is not a beam"
            remedy = f"choose {', '.join(beams)}" if beams else "give points on links by `through`"
            return [((*path, "link"), self.link, f"{what}, along whose sections it could run; {remedy}")]
        length = float(np.real(link.beam.length))
        if self.end is not None and self.end > length * (1 + 1e-12):
            return [((*path, "end"), self.end, f"lies beyond the end of {self.link!r} (length {length:g})")]
        if self.begin >= (length if self.end is None else self.end):
            return [((*path, "begin"), self.begin, "must lie before its end; correct one of them")]
        return []


class Routed(Actuator):
    """Base of what runs along a path: through points, or along beams at an offset; one after the other."""

    port: ClassVar[Port] = Port.PATH
    through: Annotated[
        tuple[Frame, ...], Field(description="points it runs through, such as [{link: boom, at: 3}, {link: world}]")
    ] = ()
    along: Annotated[
        tuple[Route, ...], Field(description="beams it runs along, such as [{link: arm, offset: [0.02, 0]}]")
    ] = ()

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.through and self.along:
            raise refusals(("along", None, "does not go together with `through`; give the one or the other"))
        if not self.through and not self.along:
            raise refusals(("through", None, "missing; give points it runs through, or `along` beams at an offset"))
        if len(self.through) == 1:
            raise refusals(("through", None, "has one point, so that it has no length; give two or more"))
        return self

    def frames(self, robot: Robot) -> list[FrameAt]:
        """Return the points of its path, each with its place below the actuator."""
        if self.through:
            return [(("through", k), frame) for k, frame in enumerate(self.through)]
        return [(("along", k), frame) for k, route in enumerate(self.along) for frame in route.frames(robot)]

    def points_of_force(self, robot: Robot) -> list[Frame]:
        """Return the points that it runs through, if those are given one by one."""
        return list(self.through)

    def problems(self, robot: Robot, path: tuple[str | int, ...]) -> list[Problem]:
        """Return what keeps it from being on the robot."""
        found = [each for k, route in enumerate(self.along) for each in route.problems(robot, (*path, "along", k))]
        if found:
            return found
        found = super().problems(robot, path)
        links = {frame.link for _, frame in self.frames(robot)}
        if not found and len(links) == 1:
            (only,) = links
            if only == WORLD or robot.link(only).body is not None:
                where = "the world" if only == WORLD else "a rigid link"
                text = f"has all its points on {where}, where its length never changes; put one on another link"
                found.append(((*path, "through"), None, text))
        return found
