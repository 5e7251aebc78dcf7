"""Tasks from files: a motion, or the sizes of sections."""

from __future__ import annotations

import os
from typing import Any

from lissom.errors import OptimiseError
from lissom.optimise.motion_schema import Motion
from lissom.optimise.sizing_schema import Sizing
from lissom.scenario.tasks import load_task

START = "start with scenario: and to: (a motion), or with scenario: and sizes: (sections)"


def load(path: str | os.PathLike[str]) -> Motion | Sizing:
    """Read a task from its file: a sizing if it has `sizes`, else a motion.

    Relative paths in it begin in the folder of the file.
    """
    return load_task(path, _kind, OptimiseError, START)


def _kind(data: dict[str, Any]) -> type[Motion | Sizing]:
    return Sizing if "sizes" in data else Motion
