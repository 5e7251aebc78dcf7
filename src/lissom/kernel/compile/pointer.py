"""Kernels behind pointers: a caller then does not compile them again.

The integrators call the dynamics from many places, and do not know which: through a pointer (a few ns per call) they
compile in a second, for all dynamics.
"""

from __future__ import annotations

from typing import Any

from lissom.kernel.compile import argument_kinds


class Hidden:
    """A Struct as those see it who only hand it on: without its fields, so that they compile once for all Structs."""

    __slots__ = ("address", "struct")
    kind = argument_kinds.Unseen()

    def __init__(self, struct: Any) -> None:
        self.struct, self.address = struct, struct.address

    def __getattr__(self, name: str) -> Any:
        """Return a field, for kernels that run as Python."""
        return getattr(self.struct, name)


class Pointer:
    """A compiled kernel as a value that other kernels can call."""

    def __init__(self, kernel: Any, *arguments: Any) -> None:
        """Point to the machine code for arguments of the kinds of these examples.

        The kernel itself sees what is `Hidden` from its callers.
        """
        self.kind = argument_kinds.function(argument_kinds.kinds(arguments))
        seen = tuple(x.struct if isinstance(x, Hidden) else x for x in arguments)
        self.kernel, self.arguments = kernel, arguments
        self.address: int = kernel.address(argument_kinds.kinds(seen), seen)

    def __call__(self, *arguments: Any) -> Any:
        """Run the kernel as Python, for kernels that do."""
        return self.kernel.as_python(*arguments)


class Unused(Pointer):
    """A pointer that nobody follows: nothing is compiled for it."""

    def __init__(self, kernel: Any, *arguments: Any) -> None:
        self.kind = argument_kinds.function(argument_kinds.kinds(arguments))
        self.kernel, self.arguments, self.address = kernel, arguments, 0
