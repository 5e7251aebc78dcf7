"""The C of kernels and of all kernels that they call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, get_args

from lissom.kernel.compile.argument_kinds import Kind
from lissom.kernel.compile.translate import Catalogue, Unit
from lissom.kernel.compile.translate.types import without_sizes
from lissom.kernel.compile.translate.unit import RESULTS


class KernelCode(NamedTuple):
    """A kernel for arguments of these kinds."""

    kernel: Any
    kinds: tuple[Kind, ...]


class KernelClosure(Catalogue):
    """Kernels as units of C, which grow by those that are called as they are translated."""

    def __init__(self, codes: Iterable[KernelCode]) -> None:
        super().__init__({})
        self._made: dict[KernelCode, Unit | None] = {}  # None: left to its callers, as it takes or returns tuples
        for code in codes:
            self.unit(code)

    @property
    def units(self) -> list[Unit]:
        """All of them, by name."""
        return sorted(filter(None, self._made.values()), key=lambda unit: unit.pointer)

    def unit(self, code: KernelCode) -> Unit:
        """Return the C of a kernel; all that it calls is then among `units`."""
        code = KernelCode(code.kernel, tuple(map(without_sizes, code.kinds)))
        self.find(*code)
        found = self._made[code]
        assert found is not None, f"{code.kernel.__name__}: only other kernels can call it"
        return found

    def find(self, kernel: Any, kinds: tuple[Any, ...]) -> tuple[str, Any] | None:
        """Return the name of a kernel and the kind of its result; None where its callers are to hold it."""
        code = KernelCode(kernel, kinds)
        if code not in self._made:
            self._made[code] = None  # as long as it is being translated
            if all(isinstance(kind, get_args(Kind)) for kind in kinds):
                made = Unit(kernel, kinds, self)
                self._made[code] = made if made.result in RESULTS.values() else None
        found = self._made[code]
        return None if found is None else (found.pointer, found.result)
