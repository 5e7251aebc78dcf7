"""The memory of a run as one block that may lie anywhere.

Kernels take pointers to tables of addresses (`kernel.compile.Struct`). From the tables that a run works on, all memory
they lead to is gathered into one block, in which an address is a distance from the begin of the block, and a pointer to
machine code the name of a function. Whoever copies the block and writes the addresses of the copy into it has a run of
its own, whose state is the block's content.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

import numpy as np

from lissom.export.fmu.kernel_closure import KernelCode
from lissom.kernel.compile import Hidden, Pointer, Struct
from lissom.kernel.compile.indirect_calls import INDIRECT
from lissom.kernel.compile.struct import WORD
from lissom.kernel.data.workspace import Workspace

ALIGNED = 64  # bytes: pieces begin where vector registers like to read


class Image:
    """All memory that some Structs and arrays lead to.

    `links` are (place, target), both offsets into the block: the word at `place` is to hold the address of `target`.
    `calls` are (place, Code): the word is to hold the address of machine code.
    """

    def __init__(self, roots: Iterable[Any]) -> None:
        self._kept = list(roots)
        self._intervals: list[tuple[int, int]] = []  # in the order of their first sight, the same for alike runs
        self._addresses: list[tuple[int, int | None]] = []  # place and target, None for memory of no size
        self._code: list[tuple[int, KernelCode]] = []
        self._blank: list[int] = []  # words whose content means nothing elsewhere
        self._seen: set[int] = set()
        for root in self._kept:
            self._walk(root)
        self._lay_out()
        self.links = [(self.place(at), 0 if to is None else self.place(to)) for at, to in self._addresses]
        self.calls = [(self.place(at), code) for at, code in self._code]

    def offset(self, value: Any) -> int:
        """Return where a Struct or an array of the run lies in the block."""
        if isinstance(value, np.ndarray):
            return self.place(value.ctypes.data) if value.size else 0
        return self.place(value.address)

    def entries(self, array: np.ndarray) -> np.ndarray:
        """Return where each entry of an array lies, in the shape of the array."""
        steps = sum(stride * along for stride, along in zip(array.strides, np.indices(array.shape), strict=True))
        return self.offset(array) + np.broadcast_to(steps, array.shape)

    def content(self) -> bytes:
        """Return the block as the run's memory is now, zero where addresses will be."""
        block = bytearray(self.size)
        for (begin, end), at in zip(self._merged, self._offsets, strict=True):
            block[at : at + end - begin] = ctypes.string_at(begin, end - begin)
        for at in self._blank:
            block[self.place(at) : self.place(at) + WORD] = bytes(WORD)
        return bytes(block)

    def place(self, address: int) -> int:
        """Return the offset of an address."""
        k = bisect_right(self._begins, address) - 1
        begin, end = self._merged[k]
        assert begin <= address < end, "an address outside of the run's memory"
        return self._offsets[k] + address - begin

    def _walk(self, value: Any) -> None:
        """Take in a Struct and all it leads to, or an array."""
        if isinstance(value, np.ndarray):
            self._add(*np.lib.array_utils.byte_bounds(value))
            return
        struct = value.struct if isinstance(value, Hidden) else value
        if struct.address not in self._seen:
            self._seen.add(struct.address)
            self._add(struct.address, struct.address + struct.table.nbytes)
            self._words(struct.fields, struct.address)

    def _words(self, value: Any, at: int) -> int:
        """Take in a field whose entry in a table begins at the address `at`; where the next begins."""
        match value:
            case tuple():
                if isinstance(value, Workspace):
                    self._indirect(value.indirect)
                for part in value:
                    at = self._words(part, at)
                return at
            case np.ndarray():
                self._link(at, value.ctypes.data if value.size else None)
                if value.size:
                    self._walk(value)
                return at + WORD * (1 + 2 * value.ndim)
            case Struct() | Hidden():
                self._link(at, value.address)
                self._walk(value)
                return at + WORD
            case Pointer():
                self._call(at, value.kernel, value.address)
                return at + WORD
            case _:
                return at + np.asarray(value).nbytes

    def _indirect(self, addresses: np.ndarray) -> None:
        """Take in kernels that are called by an address in an array."""
        for k, address in enumerate(addresses.tolist()):
            owner = next(
                (indirect.kernel for indirect in INDIRECT if address in indirect.kernel.addresses.values()), None
            )
            if address:
                self._call(addresses.ctypes.data + k * WORD, owner, address)

    def _call(self, at: int, kernel: Any, address: int) -> None:
        self._blank.append(at)
        if address:
            kinds = next(kinds for kinds, where in kernel.addresses.items() if where == address)
            self._code.append((at, KernelCode(kernel, kinds)))

    def _link(self, at: int, to: int | None) -> None:
        self._blank.append(at)
        self._addresses.append((at, to))

    def _add(self, begin: int, end: int) -> None:
        if end > begin:
            self._intervals.append((begin, end))

    def _lay_out(self) -> None:
        """Join what overlaps, and give each piece its place in the block."""
        merged: list[tuple[int, int, int]] = []
        for order, (begin, end) in sorted(enumerate(self._intervals), key=lambda each: each[1]):
            if merged and begin < merged[-1][1]:
                first, last, before = merged[-1]
                merged[-1] = first, max(last, end), min(before, order)
            else:
                merged.append((begin, end, order))
        offsets, self.size = {}, 0
        for begin, end, _ in sorted(merged, key=lambda piece: piece[2]):
            offsets[begin] = self.size
            self.size += -(-(end - begin) // ALIGNED) * ALIGNED
        self._merged = [(begin, end) for begin, end, _ in merged]
        self._begins = [begin for begin, _ in self._merged]
        self._offsets = [offsets[begin] for begin in self._begins]
