"""All that knows Numba: how it sees Structs and kernels, and where it keeps machine code.

Imported when something has to be compiled. Every name of Numba and llvmlite that is relied on here and is not public
stands in docs/numba.md, with what breaks if it moves; tests/kernel/test_bridge.py has a canary for each.
"""

from lissom.kernel.machine.bridge import division, elementary, lanes, late  # tell Numba how to compile them
from lissom.kernel.machine.bridge.dispatch import compiled_address, make_dispatcher
from lissom.kernel.machine.bridge.tables import numba_type
from lissom.kernel.packs import functions as packs  # likewise

__all__ = ["compiled_address", "division", "elementary", "lanes", "late", "make_dispatcher", "numba_type", "packs"]
