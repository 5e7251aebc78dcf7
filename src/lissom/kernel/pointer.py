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


class Pointer(types.WrapperAddressProtocol):
    """A compiled kernel as a value that other kernels can call."""

    def __init__(self, kernel: Any, *arguments: Any) -> None:
        """`arguments`: examples, whose types choose the compiled version."""
        self._signature = types.void(*(typeof(argument) for argument in arguments))
        kernel.compile(self._signature.args)
        self._compiled = kernel.overloads[self._signature.args]

    def __wrapper_address__(self) -> int:
        name = self._compiled.fndesc.llvm_cfunc_wrapper_name
        return self._compiled.library.get_pointer_to_function(name)

    def signature(self) -> Any:
        return self._signature
