"""Elements between two frames: springs, dampers, ropes, cylinders, bushings.

In a file: `elements: [{name: hoist, type: rope, between: [{link: boom}, {link: hook}], stiffness: 2e6, length: 4}]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from lissom.kernel.data.arrays import Element as Kind
from lissom.model.description.force_curve import Curve
from lissom.model.description.frame import Frame, Problem, frame_problems
from lissom.model.description.joint_actions import unit_problems
from lissom.model.description.kinematic_loop import Loop
from lissom.model.schema.base_model import FORM, Description, refusals
from lissom.model.schema.forms import Forms
from lissom.model.schema.name_fields import Choice, Name
from lissom.model.schema.number_fields import Number, kind_of, refusal
from lissom.model.schema.written_forms import NUMBER, QUANTITY, AlsoWritten, several, union

if TYPE_CHECKING:
    from lissom.model.description.robot import Robot

DRIVES = ("force", "length")
TAUT = 1e-5  # of its length: stretch over which a rope becomes taut, unless given


class Element(Description):
    """Base of all elements: what acts between two frames."""

    what: ClassVar[str] = "element"
    chosen_by: ClassVar[str] = "type"
    kind: ClassVar[Kind] = Kind.LINE  # what the kernel computes
    drawn: ClassVar[str] = "rod"  # as one of the solids of `view.drawing.external_solids`
    if TYPE_CHECKING:
        type: str  # by which files name it

    name: Annotated[str, Name("the name of the element")]
    between: tuple[Frame, Frame] = Field(description="two frames, such as [{link: boom, at: 3.2}, {link: world}]")

    @field_validator("between", mode="before")
    @classmethod
    def _two(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple) or len(value) != 2:
            got = f"{len(value)} of them" if isinstance(value, list | tuple) else kind_of(value)
            raise refusal(f"must be a list of two frames, not {got}; write [{{link: boom, at: 3.2}}, {{link: world}}]")
        return value

    def frames(self) -> list[tuple[tuple[str | int, ...], Frame]]:
        """Return its two frames, each with its place below the element."""
        return [(("between", k), frame) for k, frame in enumerate(self.between)]

    def held(self) -> Loop | None:
        """Return the loop that holds its length, where it does not act by a force."""
        return None

    def table(self) -> dict[str, Any]:
        """Return the entries of its row in the tables of the kernel."""
        numbers = ("stiffness", "damping", "length", "width")
        return {name: value for name in numbers if (value := getattr(self, name, None)) is not None}


class SpringElement(Element):
    """A spring along the line between two points, with a damper beside it."""

    drawn: ClassVar[str] = "coil"
    form: ClassVar[str] = FORM + "spring"
    type: Literal["spring"] = "spring"
    stiffness: Annotated[float, Number("the stiffness", "N/m", at_least=0)] = 0.0
    length: Annotated[float, Number("the length without force", "metres", at_least=0)]
    damping: Annotated[float, Number("the damping", "N s/m", at_least=0)] = 0.0
    curve: Curve | None = None

    @field_validator("curve")
    @classmethod
    def _in_metres(cls, curve: Curve | None) -> Curve | None:
        wrong = [] if curve is None else unit_problems(curve, ("m",))
        if wrong:
            raise refusals(*wrong)
        return curve


class Damper(Element):
    """A damper along the line between two points."""

    form: ClassVar[str] = FORM + "damper"
    type: Literal["damper"] = "damper"
    damping: Annotated[float, Number("the damping", "N s/m", above=0)]


class Rope(Element):
    """A rope that only pulls; it becomes taut over the stretch `width`, about its length."""

    kind: ClassVar[Kind] = Kind.ROPE
    drawn: ClassVar[str] = "rope"
    form: ClassVar[str] = FORM + "rope"
    type: Literal["rope"] = "rope"
    stiffness: Annotated[float, Number("the stiffness of the whole rope, EA over its length,", "N/m", above=0)]
    length: Annotated[float, Number("the length without force", "metres", above=0)]
    damping: Annotated[float, Number("the damping", "N s/m", at_least=0)] = 0.0
    width: Annotated[float | None, Number("the stretch over which the rope becomes taut", "metres", above=0)] = None

    def table(self) -> dict[str, Any]:
        """Return the entries of its row in the tables of the kernel."""
        # taut over half a width on both sides of its length, so that it is as long as it should be beyond
        width = TAUT * self.length if self.width is None else self.width
        return super().table() | {"width": width, "length": self.length - width / 2}


class Cylinder(Element):
    """A cylinder between two points, driven by force or by length.

    By force it pushes the points apart with `force`, or with what a load of its name says over time. By length it
    holds them `length` apart, or as far as a prescribed motion of its name says over time; its force is a result.
    """

    drawn: ClassVar[str] = "cylinder"
    form: ClassVar[str] = FORM + "cylinder"
    type: Literal["cylinder"] = "cylinder"
    drive: Annotated[str, Choice("what drives the cylinder", DRIVES)] = "force"
    force: Annotated[float, Number("the constant force that pushes the two points apart", "N")] = 0.0
    length: Annotated[float | None, Number("the length that the cylinder holds", "metres", above=0)] = None
    damping: Annotated[float, Number("the damping", "N s/m", at_least=0)] = 0.0

    @model_validator(mode="after")
    def _one_drive(self) -> Self:
        if self.drive == "force" and self.length is not None:
            text = "does not belong to a cylinder driven by force, which takes any length; write drive: length"
            raise refusals(("length", self.length, text))
        if self.drive == "length":
            if self.length is None:
                raise refusals(("length", None, "missing; give the length that the cylinder holds, in metres"))
            for name in ("force", "damping"):
                if getattr(self, name):
                    text = "does not belong to a cylinder driven by length, whose force is a result; remove it"
                    raise refusals((name, getattr(self, name), text))
        return self

    def held(self) -> Loop | None:
        """Return the loop that holds its length, where that is given."""
        return None if self.length is None else Loop(name=self.name, distance=self.length, between=self.between)

    def table(self) -> dict[str, Any]:
        """Return the entries of its row in the tables of the kernel."""
        return {"damping": self.damping, "thrust": self.force, "driven": 1} if self.drive == "force" else {}


_ROW = several(union(NUMBER, QUANTITY), 6, 6)
Matrix6 = Annotated[tuple[tuple[float, ...], ...], AlsoWritten(_ROW), AlsoWritten(several(_ROW, 6, 6))]


class Bushing(Element):
    """Springs and dampers that hold the second frame at the first, in all six directions.

    `stiffness` and `damping` are matrices (6, 6) or their diagonals, turns before shifts, in the axes of the first.
    """

    kind: ClassVar[Kind] = Kind.BUSHING
    drawn: ClassVar[str] = "block"
    form: ClassVar[str] = FORM + "bushing"
    type: Literal["bushing"] = "bushing"
    stiffness: Matrix6 = Field(description="six numbers (turns in N m/rad, shifts in N/m), or a matrix (6, 6)")
    damping: Matrix6 = ((0.0,) * 6,) * 6

    @field_validator("stiffness", "damping", mode="before")
    @classmethod
    def _six(cls, value: Any) -> Any:
        what = "six numbers, turns in N m/rad and shifts in N/m, or a symmetric matrix (6, 6)"
        number = Number(what)
        rows = value.tolist() if isinstance(value, np.ndarray) else value
        if not isinstance(rows, list | tuple) or len(rows) != 6:
            got = f"a list of {len(rows)}" if isinstance(rows, list | tuple) else kind_of(rows)
            raise refusal(f"must be a list of six, not {got}; give {what}")
        if not any(isinstance(row, list | tuple) for row in rows):
            diagonal = [number.check_one(x) for x in rows]
            rows = [[x if k == j else 0.0 for j in range(6)] for k, x in enumerate(diagonal)]
        if any(not isinstance(row, list | tuple) or len(row) != 6 for row in rows):
            raise refusal(f"must be a list of six rows of six numbers; give {what}")
        matrix = np.array([[number.check_one(x) for x in row] for row in rows])
        if np.abs(matrix - matrix.T).max() > 1e-12 * max(1.0, np.abs(matrix).max()):
            raise refusal(f"is not symmetric; give {what}")
        if np.linalg.eigvalsh(matrix)[0] < -1e-9 * np.abs(matrix).max():
            raise refusal("would give energy back without end (it has a negative eigenvalue); give a positive matrix")
        return tuple(tuple(row) for row in matrix.tolist())

    def table(self) -> dict[str, Any]:
        """Return the entries of its row in the tables of the kernel."""
        return {"springs": self.stiffness, "dampers": self.damping}


ELEMENTS = Forms(SpringElement, Damper, Rope, Cylinder, Bushing)


def register_element(kind: type[Element]) -> type[Element]:
    """Let robot files hold elements of a new type; also as a decorator.

    Parameters
    ----------
    kind : type
        A class derived from `Element` with a field `type: Literal["word"] = "word"`, by which files name it. What it
        does is one of the kernel's kinds (`kind`), with the numbers of `table` and, along a line, the `curve`.

    Returns
    -------
    type
        The class.

    Raises
    ------
    RobotError
        Where the kernel has no such kind, or no word chooses the class.

    Examples
    --------
    >>> from typing import Annotated, Literal
    >>> from lissom.model.description.force_elements import Element, register_element
    >>> from lissom.model.description.force_curve import Curve
    >>> from lissom.model.schema.number_fields import Number
    >>> @register_element
    ... class Bumper(Element):
    ...     type: Literal["bumper"] = "bumper"
    ...     length: Annotated[float, Number("the length without force", "metres", above=0)]
    ...     cubic: Annotated[float, Number("the force per stretch^3, in N/m3,", above=0)]
    ...
    ...     @property
    ...     def curve(self):
    ...         return Curve(polynomial=(0.0, 0.0, self.cubic))
    """
    known = isinstance(kind.kind, Kind)
    ELEMENTS.register(kind, "" if known else f"has the kind {kind.kind!r}, which the kernel has not; take one of Kind")
    return kind


def element_problems(robot: Robot) -> list[Problem]:
    """Return what keeps elements and contacts from being on the robot: (path, value, what to do)."""
    found: list[Problem] = []
    names: dict[str, str] = {}
    parts: list[tuple[str, int, Any]] = [("elements", i, part) for i, part in enumerate(robot.elements)]
    parts += [("contacts", i, part) for i, part in enumerate(robot.contacts)]
    moved = {link.joint.name: "joints" for link in robot.links} | {loop.name: "loops" for loop in robot.loops}
    for kind, i, part in parts:
        if part.name in names:
            text = f"is the name of one of the {names[part.name]} too; give each its own"
            found.append(((kind, i, "name"), part.name, text))
        elif part.name in moved and isinstance(part, Element) and part.held() is not None:
            text = f"is the name of one of the {moved[part.name]} too; a motion could mean both: give each its own"
            found.append(((kind, i, "name"), part.name, text))
        names.setdefault(part.name, kind)
        frames = part.frames()
        lost = [problem for path, frame in frames for problem in frame_problems(robot, frame, (kind, i, *path))]
        found += lost
        (_, first), (path, second) = frames
        if lost or first.link != second.link:
            continue
        if first.link == "world" or robot.link(first.link).body is not None:
            where = "the world" if first.link == "world" else "a rigid link"
            text = f"has both ends on {where}, where it does nothing; put one on another link"
            found.append(((kind, i, *path, "link"), second.link, text))
    return found
