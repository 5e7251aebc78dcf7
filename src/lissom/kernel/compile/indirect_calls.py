"""Kernels that compile only for the models that need them.

Compiling a kernel compiles all it calls. What only some models use, and takes long to compile, is called by an address
that the workspace holds: for all other models it costs nothing, and the callers need no second version.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lissom.kernel.compile.decorators import kernel
from lissom.kernel.compile.pointer import Pointer

INDIRECT: list[Any] = []  # functions reached by address


def indirect(slot: int) -> Callable[[Callable[..., Any]], Any]:
    """Let callers reach a kernel with the arguments (model, work, body, q, v) by the address work.indirect[slot]."""

    def reached_by_address(function: Callable[..., Any]) -> Any:
        def by_address(model: Any, work: Any, i: int, q: Any, v: Any) -> None:
            function(model, work, i, q, v)

        by_address.slot, by_address.py_func = slot, function  # type: ignore[attr-defined]
        by_address.kernel = kernel(function)  # type: ignore[attr-defined]
        INDIRECT.append(by_address)
        return by_address

    return reached_by_address


def address(by_address: Any, model: Any, work: Any, number: type) -> int:
    """Return where the machine code of an indirect kernel lies, for a packed model and workspace of one number type."""
    state: np.ndarray = np.zeros(0, number)
    return Pointer(by_address.kernel, model, work, 0, state, state).address
