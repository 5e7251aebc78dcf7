"""What marks a function as a kernel or as a part of kernels.

`kernel` marks an entry point, `inline` a small helper that vanishes into its callers, `shared` one with loops. All keep
the Python function as `.py_func`, from which `kernel.retarget` builds the versions for other number types. Nothing is
compiled, and Numba not imported, before something is called that no library holds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from lissom.kernel.machine import library, trace
from lissom.kernel.machine.kinds import Kind, kinds

# Reassociation and contraction let loops vectorise; NaN and infinity keep their meaning, so failures stay visible.
FASTMATH = {"reassoc", "contract", "nsz", "arcp"}
INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # never called from outside


class Part:
    """A function that other machine code calls."""

    def __init__(self, function: Callable, **options: Any) -> None:
        self.py_func = function
        self.options = {"fastmath": FASTMATH, "error_model": "numpy", **options}
        self.__name__, self.__qualname__, self.__module__ = (
            function.__name__,
            function.__qualname__,
            function.__module__,
        )
        self.__doc__ = function.__doc__

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__module__}.{self.__qualname__}>"

    def marks(self, function: Callable) -> Part:
        """Another function, marked likewise."""
        return Part(function, **self.options)

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's view of the function."""
        from lissom.kernel.machine.bridge import make_dispatcher

        return make_dispatcher(self)

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_


class Kernel(Part):
    """A function that Python calls, compiled for the kinds of arguments it is called with."""

    def __init__(self, function: Callable, kept: bool) -> None:
        super().__init__(function, nogil=True)
        self.kept = kept  # on disk
        self.returns = ""  # kind of its result, of one for numbers that Python does not have: packs
        self._code: dict[tuple[Kind, ...], Callable] = {}  # by the kinds of arguments met so far
        self._addresses: dict[tuple[Kind, ...], int] = {}

    def __call__(self, *arguments: Any) -> Any:
        if trace.active is not None:
            return trace.active.call(self, arguments)
        try:
            key = kinds(arguments)
        except TypeError:
            return self.dispatcher(*arguments)
        code = self._code.get(key)
        if code is None:
            held = library.holding(self, key) if self.kept else None
            code = self._code[key] = held[0].function(held[1], key) if held else self.dispatcher
        return code(*arguments)

    def marks(self, function: Callable) -> Part:
        return Kernel(function, self.kept)

    def address(self, key: tuple[Kind, ...]) -> int:
        """Where the machine code for arguments of these kinds lies, to be called from other machine code."""
        if trace.active is not None:
            return trace.active.point(self, key)
        if key not in self._addresses:
            self._addresses[key] = self._found_address(key)
        return self._addresses[key]

    def _found_address(self, key: tuple[Kind, ...]) -> int:
        held = library.holding(self, key) if self.kept else None
        if held:
            return held[0].address(held[1])
        from lissom.kernel.machine.bridge import compiled_address

        return compiled_address(self.dispatcher, key)


def kernel(function: Callable) -> Any:
    """Compile `function` for the number types it is called with, and keep the machine code on disk."""
    return Kernel(function, kept=True)


def called_back(function: Callable) -> Any:
    """Compile `function`, which goes back to Python, for this process only."""
    return Kernel(function, kept=False)


def shared(function: Callable) -> Any:
    """Compile `function` once for all its callers: for helpers with loops, whose copies would take long to compile."""
    return Part(function, **INNER)


def inline(function: Callable) -> Any:
    """Compile `function` into its callers."""
    return Part(function, forceinline=True, **INNER)
