"""A frame fixed on a link or on the world: where loads act, elements and loops are joined, bodies touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from lissom.messages import did_you_mean
from lissom.model.names import Name
from lissom.model.origin import Origin
from lissom.model.part import Part
from lissom.model.place import AnyPlace, place_problem

if TYPE_CHECKING:
    from lissom.model.robot import Robot

Problem = tuple[tuple[str | int, ...], object, str]
WORLD = "world"


class Frame(Part):
    """A frame on `link`, placed as a joint's is.

    It is the frame of a rigid link or of the world, the section of a beam at x = `at` (its tip unless given) or the
    interface `at` of a link of finite elements, shifted and turned by `origin`.
    """

    what: ClassVar[str] = "frame"

    link: Annotated[str, Name("the link on which the frame is fixed, or world")]
    at: AnyPlace | None = None
    origin: Origin = Origin()


def frame_problems(robot: Robot, frame: Frame, path: tuple[str | int, ...]) -> list[Problem]:
    """What keeps a frame from being on the robot: (path, value, what to do)."""
    links = {link.name: link for link in robot.bodies}
    link = links.get(frame.link)
    if link is None and frame.link != WORLD:
        text = f"is not a link{did_you_mean(frame.link, list(links))}; name a link, or world"
        return [((*path, "link"), frame.link, text)]
    text = place_problem(link, frame.at, "link")
    return [((*path, "at"), frame.at, text)] if text else []
