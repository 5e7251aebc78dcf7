"""Kernels that compile only for the models that need them.

Compiling a kernel compiles all it calls. What only some models use, and takes long to compile, is called by an address
that the workspace holds: for all other models it costs nothing, and the callers need no second version.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

from lissom.kernel.jit import kernel
from lissom.kernel.pointer import Pointer


def late(slot: int) -> Callable[[Callable], Any]:
    """Let callers reach a kernel with the arguments (model, work, body, q, v) by the address work.late[slot]."""

    def reached_by_address(function: Callable) -> Any:
        def by_address(model, work, i, q, v):
            function(model, work, i, q, v)

        @overload(by_address)
        def call(model, work, i, q, v):
            return lambda model, work, i, q, v: _at(work.late[slot], model, work, i, q, v)(model, work, i, q, v)

        by_address.kernel, by_address.py_func = kernel(function), function  # type: ignore[attr-defined]
        return by_address

    return reached_by_address


def address(by_address: Any, model: Any, work: Any, number: type) -> int:
    """Where the compiled version of a late kernel lies, for a packed model and workspace of one number type."""
    state: np.ndarray = np.zeros(0, number)
    return Pointer(by_address.kernel, model, work, 0, state, state).__wrapper_address__()


@intrinsic
def _at(context: Any, address: Any, model: Any, work: Any, i: Any, q: Any, v: Any) -> Any:
    """The compiled function at `address`, which takes the arguments that follow."""
    if any(array.layout != "C" or array.dtype != work.fields["inertia"].dtype for array in (q, v)):
        raise TypingError("q and v must be contiguous, in the number type of the workspace")
    function = types.FunctionType(types.void(model, work, i, q, v))

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = cgutils.create_struct_proxy(function)(context, builder)
        value.c_addr = builder.inttoptr(arguments[0], cgutils.voidptr_t)
        value.py_addr = value.jit_addr = cgutils.get_null_value(cgutils.voidptr_t)
        return value._getvalue()

    return function(address, model, work, i, q, v), emit
