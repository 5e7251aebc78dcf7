"""One Python function, for arguments of given kinds, as a C function."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from lissom.kernel.compile.translate.loop_statements import Loops
from lissom.kernel.compile.translate.names import c_name, check
from lissom.kernel.compile.translate.refused import Refused
from lissom.kernel.compile.translate.values import Value
from lissom.kernel.compile.translate.variables import separate

if TYPE_CHECKING:
    from lissom.kernel.compile.translate.unit import Unit


@cache
def tree_of(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of a function, each variable of which holds one thing."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, SyntaxError):
        tree = ast.Pass()
    if not isinstance(tree, ast.FunctionDef) or tree.name != function.__name__:
        raise Refused("only a function with `def` in a file can be a kernel").at(function, 1, "")
    taken = tree.args
    try:
        if taken.posonlyargs or taken.kwonlyargs or taken.vararg or taken.kwarg:
            raise Refused("a kernel takes plain arguments alone")
        for name in {*(each.id for each in ast.walk(tree) if isinstance(each, ast.Name)), *(x.arg for x in taken.args)}:
            check(name)
        separate(tree)
    except Refused as problem:
        raise problem.at(function, problem.line or 1, "") from None
    return tree


class Translation(Loops):
    """A C function; `lines` are its statements, `result` the kind of what it returns.

    allocates: whether it makes arrays. writes: whether it changes memory, so that the order of calls matters.
    """

    def __init__(self, unit: Unit, function: Callable[..., Any], arguments: list[Value], hints: dict[str, Any]) -> None:
        super().__init__(hints)
        self.unit, self.function, self.types = unit, function, unit.types
        self.tree = tree_of(function)
        self.result: Any = hints.get("return")
        self.parameters: list[tuple[str, Any]] = []
        names = [each.arg for each in self.tree.args.args]
        if len(names) != len(arguments):
            raise Refused(f"{function.__name__} takes {len(names)} arguments, not {len(arguments)}")
        stored = {n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for name, given in zip(names, arguments, strict=True):
            self._take(name, given, name in stored)
        ended = self.block(self.tree.body)
        if self.result is not None and (self.returns_nothing or not ended):
            raise Refused("returns a value, but not on all ways to its end").at(function, 1, "")

    def _take(self, name: str, given: Value, stored: bool) -> None:
        """Declare a parameter; what the function assigns to gets a variable of its own."""
        if given.is_static:
            self.env[name] = given
            return
        at = c_name(name) + ("__in" if stored else "")
        self.parameters.append((at, given.kind))
        value = self.variable(at, given.kind)
        if stored:
            self.assign(name, value)
        else:
            self.env[name] = value

    def text(self, head: str) -> str:
        """Return the C function behind its head."""
        declared = [f"    {self.types.name(kind)} {name};" for name, kind in self.variables.items()]
        return "\n".join([head + " {", *declared, *("    " + line for line in self.lines), "}"])
