"""A frame fixed on a link or on the world: where loads act, elements and loops are joined, bodies touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from lissom.messages import did_you_mean
from lissom.model.description.location import AnyPlace, place_problem
from lissom.model.description.origin import Origin
from lissom.model.schema.base_model import Description
from lissom.model.schema.name_fields import Name

if TYPE_CHECKING:
    from lissom.model.description.robot import Link, Robot

Problem = tuple[tuple[str | int, ...], object, str]
WORLD = "world"


class Frame(Description):
    """A frame on `link`, placed as a joint's is.

    On a beam it is the section at x = `at`, on finite elements the interface `at`, the tip of either unless given,
    shifted and turned by `origin`. On a rigid link `origin` is counted from the link's own frame; where its `xyz` is
    not given, the frame sits at the link's `tip`, if it has one. On the world it is `origin`.
    """

    what: ClassVar[str] = "frame"

    link: Annotated[str, Name("the link on which the frame is fixed, or world")]
    at: AnyPlace | None = None
    origin: Origin = Origin()


def placed(link: Link | None, origin: Origin) -> Origin:
    """Return where something on `link` sits: `origin`, at the tip of a rigid link where `origin` gives no place."""
    tip = None if link is None else getattr(link.body, "tip", None)
    if tip is None or "xyz" in origin.model_fields_set:
        return origin
    return origin.model_copy(update={"xyz": tip})


def frame_problems(robot: Robot, frame: Frame, path: tuple[str | int, ...]) -> list[Problem]:
    """Return what keeps a frame from being on the robot: (path, value, what to do)."""
    links = {link.name: link for link in robot.bodies}
    link = links.get(frame.link)
    if link is None and frame.link != WORLD:
        text = f"is not a link{did_you_mean(frame.link, list(links))}; name a link, or world"
        return [((*path, "link"), frame.link, text)]
    text = place_problem(link, frame.at, "link")
    return [((*path, "at"), frame.at, text)] if text else []
