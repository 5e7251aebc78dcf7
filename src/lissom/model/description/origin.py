"""Where a joint sits on its parent."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np

from lissom.lie import so3
from lissom.model.schema.base_model import Description
from lissom.model.schema.vector_fields import Vec3, Vector


class Origin(Description):
    """A pose in the parent's attachment frame: shift `xyz`, turn R = Rz(yaw) Ry(pitch) Rx(roll) by `rpy`."""

    what: ClassVar[str] = "origin"

    xyz: Annotated[Vec3, Vector("the position", "metres")] = (0.0, 0.0, 0.0)
    rpy: Annotated[Vec3, Vector("roll, pitch and yaw", "rad")] = (0.0, 0.0, 0.0)

    def rotation(self) -> np.ndarray:
        """Return rotation matrix (3, 3); complex when an angle is."""
        return so3.from_rpy(self.rpy) if any(self.rpy) else np.eye(3)
