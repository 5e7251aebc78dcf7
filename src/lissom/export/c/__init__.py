"""C code of a robot's dynamics, for controllers and for other programs.

`to_c` is public.
"""

from lissom.export.c.c_export import CExport, to_c

__all__ = ["CExport", "to_c"]
