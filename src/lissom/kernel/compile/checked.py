"""What a checked build has seen.

LISSOM_KERNELS=checked builds kernels that look before they leap: an index or a slice out of bounds, unequal shapes, a
whole number divided by zero and a real one that no whole number holds end the process, with file, line and numbers. The
first number that is stored and not finite is only noted, as some kernels tell failure by it. LISSOM_KERNELS=sanitized
builds them with AddressSanitizer and UBSan of gcc, which find what no check names; the process must be started with
`preload()` in its environment, as Python itself was built without.
"""

from __future__ import annotations

import ctypes
import subprocess

from lissom.kernel.compile.libraries import library, toolchain


def first_not_finite() -> str | None:
    """Return file and line of the first number that kernels of this thread have stored and that is not finite."""
    for held in library.opened:
        buffer = _buffer(held)
        if buffer is not None and buffer.value:
            return str(buffer.value.decode())
    return None


def forget() -> None:
    """Look for the first number that is not finite from now on."""
    for held in library.opened:
        buffer = _buffer(held)
        if buffer is not None:
            buffer.value = b""


def _buffer(held: library.Library) -> ctypes.Array[ctypes.c_char] | None:
    if toolchain.mode() != "checked":
        return None
    found = held.code.lissom_first_not_finite
    found.restype = ctypes.POINTER(ctypes.c_char * 256)
    return found().contents


def preload() -> dict[str, str]:
    """Return the environment that a process with a sanitized build needs; nothing where the compiler has none."""
    command = toolchain.compiler()
    if command is None or not toolchain.is_gcc(command):  # where its libraries are is known
        return {}
    found = [
        subprocess.run((*command, f"-print-file-name={name}"), capture_output=True, text=True).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    if not all("/" in each for each in found):
        return {}
    return {
        "LISSOM_KERNELS": "sanitized",
        "LD_PRELOAD": " ".join(found),
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
