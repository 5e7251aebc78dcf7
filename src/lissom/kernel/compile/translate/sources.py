"""Which modules a kernel's C was made of: those of its functions and those its constants are written in."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = "lissom."


class Sources:
    """Names of modules of this package, and of whoever else writes kernels."""

    def __init__(self) -> None:
        self.modules: set[str] = set()

    def add(self, module: str) -> None:
        """Add the module of a function."""
        self.modules.add(module)

    def add_name(self, module: str, name: str) -> None:
        """Return the modules that a global name of a module leads through, down to the one that defines it."""
        seen: set[tuple[str, str]] = set()
        while (module, name) not in seen:
            seen.add((module, name))
            self.modules.add(module)
            found = imported_names(module).get(name)
            if found is None or not found[0].startswith(PACKAGE):
                return
            module, name = found

    def add_attribute(self, thing: Any, name: str) -> None:
        """Return the module of an attribute of a module or of a class, such as the members of an enumeration."""
        if isinstance(thing, ModuleType) and thing.__name__.startswith(PACKAGE):
            self.add_name(thing.__name__, name)
        elif isinstance(thing, type) and thing.__module__.startswith(PACKAGE):
            self.add(thing.__module__)


@cache
def imported_names(module: str) -> dict[str, tuple[str, str]]:
    """Return where the names come from that a module imports from others: (module, name there)."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return {}
    out: dict[str, tuple[str, str]] = {}
    for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            out |= {each.asname or each.name: (node.module, each.name) for each in node.names}
    return out
