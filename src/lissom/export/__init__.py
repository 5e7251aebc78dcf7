"""Robots and scenarios for other programs: C code, FMUs.

`to_c` and `to_fmu` are public.
"""

from lissom.export.c import Exported, to_c
from lissom.export.fmu import to_fmu

__all__ = ["Exported", "to_c", "to_fmu"]
