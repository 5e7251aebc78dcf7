"""What a link looks like: for pictures only, without any part in the dynamics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import ValidationInfo, field_validator, model_validator

from lissom.model.description.origin import Origin
from lissom.model.schema.base_model import Description, refusals
from lissom.model.schema.name_fields import LONGEST_PATH, Choice, Title
from lissom.model.schema.vector_fields import Vec3, Vector


class Visual(Description):
    """A shape in the link's frame: a box (edges), a cylinder (diameter, length along z), a sphere, or a mesh file.

    On a beam the shape bends with it.
    """

    what: ClassVar[str] = "visual"

    shape: Annotated[str, Choice("the shape", ("box", "cylinder", "sphere", "mesh"))]
    size: Annotated[Vec3, Vector("edges of a box, extents of a cylinder or ball; scale of a mesh")] = (1.0, 1.0, 1.0)
    file: Annotated[str | None, Title("the path of the mesh file", LONGEST_PATH)] = None
    origin: Origin = Origin()

    @field_validator("file")
    @classmethod
    def _beside_the_robot_file(cls, file: str | None, info: ValidationInfo) -> str | None:
        """Return a relative path starts at the folder of the file that names it."""
        path = Path((info.context or {}).get("folder", ""), file or "")
        return str(path.absolute()) if file is not None and path.is_file() else file

    @model_validator(mode="after")
    def _mesh_has_a_file(self) -> Visual:
        if (self.shape == "mesh") != (self.file is not None):
            text = "missing; give the mesh file" if self.file is None else f"a {self.shape} has no file; remove this"
            raise refusals(("file", self.file, text))
        return self
