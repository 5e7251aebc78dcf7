"""Tasks from files: a motion, the sizes of sections, or the design of a rigid arm."""

from __future__ import annotations

import os
from typing import Any

from lissom.errors import OptimiseError
from lissom.optimise.arm_design import ArmDesign
from lissom.optimise.motion_schema import Motion
from lissom.optimise.sizing_schema import Sizing
from lissom.scenario.tasks import load_task

START = "start with scenario: and to: (a motion), sizes: (sections) or parameters: (a rigid arm)"


def load(path: str | os.PathLike[str]) -> Motion | Sizing | ArmDesign:
    """Read a task from its file: a sizing if it has `sizes`, a design if it has `parameters`, else a motion.

    Relative paths in it begin in the folder of the file.
    """
    return load_task(path, _kind, OptimiseError, START)


def _kind(data: dict[str, Any]) -> type[Motion | Sizing | ArmDesign]:
    if "parameters" in data:
        return ArmDesign
    return Sizing if "sizes" in data else Motion
