"""C code of a robot's dynamics, for controllers and for other programs."""

from lissom.export.c.write import Exported, to_c

__all__ = ["Exported", "to_c"]
