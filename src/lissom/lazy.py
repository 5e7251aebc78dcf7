"""Public names of a package, from the one list of them: the stub file `__init__.pyi` beside its `__init__.py`.

Type checkers and editors read the stub as it is. At run time each name loads when it is first used, so that importing
a package stays light. The lines of a stub read `from MODULE import NAME as NAME`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose public names stand in its stub.

    `__all__` leaves out modules, which `import *` would load.
    """
    this = sys.modules[package]
    sources = read(f"{this.__path__[0]}/__init__.pyi")

    def get(name: str) -> Any:
        if name not in sources:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, inner = sources[name]
        if module == package:
            value: Any = import_module(f"{package}.{inner}")
        else:
            value = getattr(__import__(module, fromlist=[inner]), inner)
        setattr(this, name, value)
        return value

    named = sorted(name for name, (module, _) in sources.items() if module != package)
    return get, lambda: sorted(sources), named


def read(stub: str) -> dict[str, tuple[str, str]]:
    """Return {public name: (module, name there)} of a stub file."""
    with open(stub, encoding="utf-8") as lines:
        words = [line.split() for line in lines if line.startswith("from ")]
    return {public: (module, name) for _, module, _, name, _, public in words}
