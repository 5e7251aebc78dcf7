"""How a kernel is compiled: Numba, cached on disk, refreshed when a source it may depend on changes.

Kernels are plain Python on scalars and arrays. `kernel` marks an entry point, `inline` a small helper that vanishes
into its callers. Both keep the Python function as `.py_func`, from which `kernel.retarget` builds the versions for
other number types.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import IndexDataCacheFile

# Reassociation and contraction let loops vectorise; NaN and infinity keep their meaning, so failures stay visible.
FASTMATH = {"reassoc", "contract", "nsz", "arcp"}
LAYERS = ("kernel", "control", "simulation")  # a layer calls kernels of its own and of those before it


@functools.cache
def _source_stamp(folder: Path) -> str:
    """Fingerprint of every source a kernel in `folder` may call: Numba's own stamp sees one file only.

    A package outside the layers, such as a theory's, calls its own kernels and those of the first layer.
    """
    root = Path(__file__).parent.parent
    layered = folder.name in LAYERS
    layers = [root / layer for layer in LAYERS[: LAYERS.index(folder.name) + 1 if layered else 1]]
    digest = hashlib.sha256()
    for layer in layers if layered else [*layers, folder]:
        for path in sorted(layer.glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def kernel(function: Callable) -> Any:
    """Compile `function` for the number types it is called with, and cache the machine code on disk."""
    compiled: Any = numba.njit(cache=True, fastmath=FASTMATH, error_model="numpy", nogil=True)(function)
    stamp = _source_stamp(Path(function.__code__.co_filename).parent)
    cache = compiled._cache  # files named after the stamp: what older sources left behind is never read
    cache._cache_file = IndexDataCacheFile(cache.cache_path, f"{cache._impl.filename_base}-{stamp[:16]}", stamp)
    return compiled


def shared(function: Callable) -> Any:
    """Compile `function` once for all its callers: for helpers with loops, whose copies would take long to compile."""
    options: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # never called from outside
    return numba.njit(fastmath=FASTMATH, error_model="numpy", **options)(function)


def inline(function: Callable) -> Any:
    """Compile `function` into its callers."""
    options: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # never called from outside
    return numba.njit(fastmath=FASTMATH, error_model="numpy", forceinline=True, **options)(function)
