"""The kernels' Python as C: generic, so that a Struct is a C struct over the same memory and no model is known.

`Unit` is the C of one kernel for arguments of given kinds. What C would do otherwise is `Refused`, by file and line.
"""

from lissom.kernel.compile.translate.refused import Refused
from lissom.kernel.compile.translate.unit import Catalogue, Unit, find

__all__ = ["Catalogue", "Refused", "Unit", "find"]
