"""How kernels become machine code.

Kernels are plain Python on scalars, arrays and Structs. `translate` turns them into C, `build` and `on_demand` have it
compiled, `library` calls it. What others may use is named here; `kinds`, `trace`, `build` and `library` serve the
export of FMUs too.
"""

from lissom.kernel.compile.late import address, late
from lissom.kernel.compile.marks import called_back, inline, kernel, shared
from lissom.kernel.compile.pointer import Hidden, Pointer
from lissom.kernel.compile.struct import Struct

__all__ = ["Hidden", "Pointer", "Struct", "address", "called_back", "inline", "kernel", "late", "shared"]
