"""How kernels become machine code.

Kernels are plain Python on scalars, arrays and Structs. This folder turns them into machine code and calls it; `bridge`
is all of it that knows Numba, and is imported when something has to be compiled.
"""

from lissom.kernel.machine.jit import FASTMATH, called_back, inline, kernel, shared
from lissom.kernel.machine.late import address, late
from lissom.kernel.machine.pointer import Hidden, Pointer
from lissom.kernel.machine.struct import Struct

__all__ = ["FASTMATH", "Hidden", "Pointer", "Struct", "address", "called_back", "inline", "kernel", "late", "shared"]
