"""Object files without a linker: LLVM loads them into this process."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def content_digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Objects:
    """Machine code of object files that call each other.

    Args:
        files: their paths, with the digest that each must have.
        runtime: names that nobody defines, of functions that are never reached.
    """

    def __init__(self, files: dict[Path, str], runtime: Iterable[str]) -> None:
        import llvmlite.binding as llvm

        for path, digest in files.items():
            if content_digest(path.read_bytes()) != digest:  # LLVM would end the process
                raise ValueError(f"{path} is damaged")
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        for name in runtime:
            llvm.add_symbol(name, ctypes.cast(ctypes.CDLL(None).abort, ctypes.c_void_p).value)
        machine = llvm.Target.from_default_triple().create_target_machine(reloc="pic", codemodel="small", jit=True)
        self._engine: Any = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        for path in files:
            self._engine.add_object_file(str(path))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        found: int = self._engine.get_function_address(name)
        return found
