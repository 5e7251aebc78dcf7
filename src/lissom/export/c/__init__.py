"""C code of a robot's dynamics, for controllers and for other programs.

`to_c` is public.
"""

from lissom.export.c.c_export import Exported, to_c

__all__ = ["Exported", "to_c"]
