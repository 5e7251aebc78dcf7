"""How kernels become machine code: marks, kinds of arguments, Structs, Pointers, and running kernels as Python.

Kernels are marked by `kernel`, `inline` and `shared`; what they take are arrays, numbers and `Struct`s. All layers may
use the names of this package; `kinds`, `trace` and `libraries` serve the exports too.
"""

from lissom.kernel.compile.decorators import called_back, inline, kernel, shared
from lissom.kernel.compile.indirect_calls import address, indirect
from lissom.kernel.compile.pointer import Hidden, Pointer
from lissom.kernel.compile.struct import Struct

__all__ = ["Hidden", "Pointer", "Struct", "address", "called_back", "inline", "kernel", "indirect", "shared"]
