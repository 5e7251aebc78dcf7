"""Kernels behind pointers: a caller then does not compile them again.

Numba optimises everything a function calls along with it. The integrators call the dynamics from many places; through a
pointer (some 30 ns per call) they compile in seconds.
"""

from __future__ import annotations

import warnings
from typing import Any

from numba import typeof
from numba.core import types
from numba.core.errors import NumbaExperimentalFeatureWarning

warnings.filterwarnings("ignore", message="First-class function type", category=NumbaExperimentalFeatureWarning)


class Hidden:
    """A Struct as those see it who only hand it on: without its fields, so that they compile once for all Structs."""

    __slots__ = ("address", "struct")
    _numba_type_ = types.Opaque("Hidden")

    def __init__(self, struct: Any) -> None:
        self.struct, self.address = struct, struct.address


class Pointer(types.WrapperAddressProtocol):
    """A compiled kernel as a value that other kernels can call."""

    def __init__(self, kernel: Any, *arguments: Any) -> None:
        """`arguments`: examples, whose types choose the compiled version.

        The kernel itself sees what is `Hidden` from its callers.
        """
        own = tuple(typeof(x.struct if isinstance(x, Hidden) else x) for x in arguments)
        kernel.compile(own)
        self._compiled = kernel.overloads[own]
        self._signature = types.void(*map(typeof, arguments))

    def __wrapper_address__(self) -> int:
        name = self._compiled.fndesc.llvm_cfunc_wrapper_name
        return self._compiled.library.get_pointer_to_function(name)

    def signature(self) -> Any:
        return self._signature
