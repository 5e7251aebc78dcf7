"""The kernels' Python as C.

A kernel is translated for arguments of given kinds; those of all its variables follow from them. The C is generic: a
Struct is a C struct over the same memory, sizes are read from it, no model is known. `Unit` is one C file. What C would
do differently from Python is `Refused`, by file and line.
"""

from lissom.kernel.compile.translate.refused import Refused
from lissom.kernel.compile.translate.unit import Catalogue, Unit, find

__all__ = ["Catalogue", "Refused", "Unit", "find"]
