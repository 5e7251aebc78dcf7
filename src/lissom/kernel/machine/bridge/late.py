"""Calls by address, see `machine.late`."""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

from lissom.kernel.machine.late import LATE


@intrinsic
def _at(context: Any, address: Any, model: Any, work: Any, i: Any, q: Any, v: Any) -> Any:
    """The machine code at `address`, which takes the arguments that follow."""
    if any(array.layout != "C" or array.dtype != work.fields["inertia"].dtype for array in (q, v)):
        raise TypingError("q and v must be contiguous, in the number type of the workspace")
    function = types.FunctionType(types.void(model, work, i, q, v))

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = cgutils.create_struct_proxy(function)(context, builder)
        value.c_addr = builder.inttoptr(arguments[0], cgutils.voidptr_t)
        value.py_addr = value.jit_addr = cgutils.get_null_value(cgutils.voidptr_t)
        return value._getvalue()

    return function(address, model, work, i, q, v), emit


def teach(by_address: Any) -> None:
    """Let Numba compile calls of a late function as calls by address."""
    slot = by_address.slot

    @overload(by_address)
    def call(model, work, i, q, v):
        return lambda model, work, i, q, v: _at(work.late[slot], model, work, i, q, v)(model, work, i, q, v)


for function in LATE:
    teach(function)
