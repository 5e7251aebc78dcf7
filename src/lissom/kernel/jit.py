"""How a kernel is compiled: Numba, cached on disk, refreshed when any kernel source changes.

Kernels are plain Python on scalars and arrays. `kernel` marks an entry point, `inline` a small helper that vanishes into
its callers. Both keep the Python function as `.py_func`, from which `kernel.retarget` builds the versions for other
number types.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

# Reassociation and contraction let loops vectorise; NaN and infinity keep their meaning, so failures stay visible.
FASTMATH = {"reassoc", "contract", "nsz", "arcp"}


@functools.cache
def _source_stamp() -> str:
    """Fingerprint of every kernel source: Numba's own stamp sees only the file of the function itself."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.parent.glob("**/*.py")):
        if "kernel" in path.parts or "simulate" in path.parts or "control" in path.parts:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def kernel(function: Callable) -> Any:
    """Compile `function` for the number types it is called with, and cache the machine code on disk."""
    compiled = numba.njit(cache=True, fastmath=FASTMATH, error_model="numpy", nogil=True)(function)
    compiled._cache._cache_file._source_stamp = _source_stamp()
    return compiled


def inline(function: Callable) -> Any:
    """Compile `function` into its callers."""
    return numba.njit(fastmath=FASTMATH, error_model="numpy", forceinline=True)(function)
