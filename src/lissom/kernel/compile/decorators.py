"""What marks a function as a kernel or as a part of kernels.

`kernel` marks an entry point, `inline` a small helper that vanishes into its callers, `shared` one with loops. All keep
the Python function as `.py_func`, which `translate` turns into C and `kernel.numbers.rebind` into versions for other
number types. Nothing is compiled before something is called that no library holds.

LISSOM_KERNELS=python runs every kernel as the Python it is written in, so that a debugger stops inside.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from lissom.kernel.compile import trace
from lissom.kernel.compile.argument_kinds import Kind, kinds
from lissom.kernel.compile.pointer import Hidden

AS_PYTHON = os.environ.get("LISSOM_KERNELS") == "python"


def run_as_python() -> bool:
    """Return whether kernels run as Python: as asked, or as there is neither a library nor a compiler."""
    from lissom.kernel.compile.libraries import library, toolchain

    return trace.active is None and (AS_PYTHON or (toolchain.compiler() is None and not any(library.libraries())))


class Part:
    """A function that other machine code calls."""

    def __init__(self, function: Callable[..., Any], inlined: bool = False) -> None:
        self.py_func = function
        self.inlined = inlined
        self.__name__, self.__qualname__, self.__module__ = (
            function.__name__,
            function.__qualname__,
            function.__module__,
        )
        self.__doc__ = function.__doc__

    def __call__(self, *arguments: Any) -> Any:
        """Run the function as Python."""
        return self.py_func(*arguments)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__module__}.{self.__qualname__}>"

    def decorate(self, function: Callable[..., Any]) -> Part:
        """Return another function with the same mark."""
        return Part(function, self.inlined)


class Kernel(Part):
    """A function that Python calls, compiled for the kinds of arguments it is called with."""

    def __init__(self, function: Callable[..., Any], compiled: bool = True) -> None:
        super().__init__(function)
        self.compiled = compiled
        self.returns = ""  # kind of its result, of one for numbers that Python does not have: packs
        self._code: dict[tuple[Kind, ...], Callable[..., Any]] = {}  # by the kinds of arguments met so far
        self.addresses: dict[tuple[Kind, ...], int] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Run the machine code for arguments of such kinds."""
        if trace.active is not None:
            return trace.active.call(self, arguments)
        if AS_PYTHON or not self.compiled:
            return self.as_python(*arguments)
        try:
            key = kinds(arguments)
        except TypeError:  # tuples, which kernels running as Python pass on
            return self.py_func(*arguments)
        code = self._code.get(key)
        if code is None:
            found = self._machine_code(key)
            code = self._code[key] = found[0].function(found[1], key) if found else self.as_python
        return code(*arguments)

    def as_python(self, *arguments: Any) -> Any:
        """Run the Python that the kernel is written in, by the arithmetic of machine code: 1 / 0 is infinite."""
        with np.errstate(all="ignore"):
            return self.py_func(*(x.struct if isinstance(x, Hidden) else x for x in arguments))

    def decorate(self, function: Callable[..., Any]) -> Part:
        """Return another function as a kernel."""
        return Kernel(function, self.compiled)

    def address(self, key: tuple[Kind, ...], examples: tuple[Any, ...]) -> int:
        """Return where machine code for arguments of these kinds lies, to be called from other machine code.

        A kernel that stays Python is called back; it then sees the Structs among `examples`.
        """
        if trace.active is not None:
            return trace.active.point(self, key)
        if AS_PYTHON:
            return 0
        if key in self.addresses:
            return self.addresses[key]
        found = self._machine_code(key) if self.compiled else None
        if found is None:
            from lissom.kernel.compile import callback

            return callback.address(self, key, examples)
        self.addresses[key] = found[0].address(found[1])
        return self.addresses[key]

    def _machine_code(self, key: tuple[Kind, ...]) -> Any:
        """Return the library with code for arguments of these kinds, and its name there; None without a compiler."""
        from lissom.kernel.compile.libraries import library, on_demand

        return library.find_holder(self, key) or on_demand.compiled(self, key)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` for the number types it is called with, and keep the machine code on disk."""
    return Kernel(function)


def called_back(function: Callable[..., Any]) -> Any:
    """Let machine code call `function`, which stays Python."""
    return Kernel(function, compiled=False)


def shared(function: Callable[..., Any]) -> Any:
    """Compile `function` as a function of its own: for helpers with loops, whose copies would take long to compile."""
    return Part(function)


def inline(function: Callable[..., Any]) -> Any:
    """Compile `function` into its callers."""
    return Part(function, inlined=True)
