"""From a marked function to Numba's dispatcher, and from that to addresses."""

from __future__ import annotations

import warnings
from typing import Any

import numba
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.core.event import Event, Listener, register

from lissom.kernel.machine import events
from lissom.kernel.machine.bridge.cache import DiskCache
from lissom.kernel.machine.bridge.tables import numba_type
from lissom.kernel.machine.kinds import Kind

warnings.filterwarnings("ignore", message="First-class function type", category=NumbaExperimentalFeatureWarning)


class _Compiling(Listener):
    """Passes on what Numba compiles."""

    def on_start(self, event: Event) -> None:
        events.announce(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Event) -> None:
        events.announce("")


register("numba:compile", _Compiling())


def make_dispatcher(part: Any, **more: Any) -> Any:
    """Numba's dispatcher of a marked function, with `more` options; a kernel's keeps its machine code on disk."""
    dispatcher: Any = numba.njit(**part.options, **more)(part.py_func)
    if getattr(part, "kept", False):
        dispatcher._cache = DiskCache(part, more)
    return dispatcher


def compiled_address(dispatcher: Any, kinds: tuple[Kind, ...]) -> int:
    """Where the machine code for arguments of these kinds lies: a C function that takes arrays by value."""
    types = tuple(map(numba_type, kinds))
    dispatcher.compile(types)
    compiled = dispatcher.overloads[types]
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)
