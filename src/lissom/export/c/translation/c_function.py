"""One kernel as a C function: its statements."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.export.c.translation.declarations import Blocks, give_own_names
from lissom.export.c.translation.kernel_expressions import Expressions
from lissom.export.c.translation.operators import Value, combine, constant, lift, mix, wider
from lissom.export.c.translation.value_kinds import DUAL, INT, Kind, Record, Tuple, declare

if TYPE_CHECKING:
    from lissom.export.c.translation.c_file import Unit


class Restart(Exception):
    """A variable turned out to hold more than its first value said."""


@cache
def source_of(function: Callable[..., Any]) -> tuple[str, Any]:
    """Return the text and tree of a Python function."""
    text = textwrap.dedent(inspect.getsource(function))
    tree: Any = ast.parse(text).body[0]
    give_own_names(tree)
    return text, tree


@cache
def asks_for_lengths(function: Callable[..., Any]) -> bool:
    """Return whether a Python function, or one that it calls, reads the shape of an array."""
    text, tree = source_of(function)
    if ".shape" in text or "len(" in text:
        return True
    names = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    called = (getattr(thing, "py_func", thing) for thing in map(function.__globals__.get, names))
    return any(asks_for_lengths(each) for each in called if inspect.isfunction(each))


class Function(Expressions, ast.NodeVisitor):
    """One kernel for one set of kinds."""

    def __init__(self, unit: Unit, source: Callable[..., Any], arguments: list[Value], hints: dict[str, Kind]) -> None:
        self.unit, self.source, self.hints = unit, source, hints
        self.tree: Any = source_of(source)[1]
        self.result: Kind = hints.get("return")
        self.lines: list[Any] = []
        self.idle: list[tuple[int, str]] = []  # (line, variable) of declarations
        self.depth = 1
        self.spare = 0
        self.blocks = Blocks(self.tree)
        self.env: dict[str, Value] = {}
        self.parameters: list[tuple[str, Kind]] = []
        for parameter, given in zip(self.tree.args.args, arguments, strict=True):
            name = parameter.arg
            self.env[name] = given if given.is_static else Value(given.kind, name)
            if not given.is_silent:
                self.parameters.append((name, given.kind))
        self.block(self.tree.body)

    def text(self, name: str) -> str:
        """Return the whole function."""
        lines = [line() if callable(line) else line for line in self.lines]
        for at, variable in reversed(self.idle):  # what only a branch that is left out would have read
            if sum(_mentions(line, variable) for line in lines) == 1:
                calls = "(" in lines[at].partition(" = ")[2].removeprefix("(")
                lines[at] = f"{lines[at]}\n    (void){variable};" if calls else ""
        body = "\n".join(line for line in lines if line.strip())
        unused = [f"    (void){p};" for p, _ in self.parameters if not _mentions(body, p)]
        takes = ", ".join(declare(kind, p) for p, kind in self.parameters) or "void"
        head = declare(self.result, f"{name}({takes})") if self.result else f"void {name}({takes})"
        about = (ast.get_docstring(self.tree) or "").split("\n\n")[0].replace("\n", " ").replace("*/", "* /")
        lines = textwrap.wrap(f"/* {about} */", 112, subsequent_indent="   ") if about else []
        head = "\n    ".join(textwrap.wrap(f"static {head}", 112, break_on_hyphens=False))
        return "\n".join([*lines, head, "{", *unused, body, "}", ""])

    def emit(self, line: Any) -> None:
        """Append a line at the present depth."""
        indent = "    " * self.depth
        if callable(line):
            self.lines.append(lambda: indent + line())
            return
        wrapped = textwrap.wrap(line, 116 - len(indent), break_long_words=False, break_on_hyphens=False)
        self.lines.append(f"\n{indent}    ".join([indent + wrapped[0], *wrapped[1:]]))

    def block(self, statements: list[ast.stmt]) -> bool:
        """Emit the statements; returns whether the last one leaves the block."""
        for statement in statements:
            for name in self.blocks.declared_before(statement):
                self.emit(lambda name=name: self.declaration(name))
            if self.visit(statement):
                return True
        return False

    def declaration(self, name: str) -> str:
        """Return the declaration of a variable that gets its value in a block further in; empty where it never does."""
        known = self.env.get(name)
        return f"{declare(known.kind, known.text)};" if known is not None and not known.is_static else ""

    def visit_Expr(self, node: ast.Expr) -> None:
        """Translate a call that stands alone; docstrings vanish."""
        if not isinstance(node.value, ast.Constant):
            self.emit(f"{self.value(node.value).text};")

    def visit_Continue(self, node: ast.Continue) -> bool:
        """Translate `continue`; what follows is not reached."""
        self.emit("continue;")
        return True

    def visit_Break(self, node: ast.Break) -> bool:
        """Translate `break`; what follows is not reached."""
        self.emit("break;")
        return True

    def visit_Return(self, node: ast.Return) -> bool:
        """Translate `return`; what follows is not reached."""
        if node.value is None:
            self.emit("return;")
            return True
        value = self.value(node.value)
        if self.result is None:
            self.result = self.hints["return"] = value.kind
        elif self.result != value.kind:
            self.result = wider(self.result, value.kind)
            if self.hints["return"] != self.result:
                self.hints["return"] = self.result
                raise Restart("return")
            value = lift(value, self.result)
        self.emit(f"return {value.text};")
        return True

    def visit_Assign(self, node: ast.Assign) -> None:
        """Translate an assignment to a variable, an entry, a slice or a tuple."""
        target = node.targets[0]
        if isinstance(target, ast.Tuple):
            self.unpack(node, target)
        elif isinstance(target, ast.Name):
            self.assign(node, target.id, self.value(node.value))
        else:
            place = self.value(target)
            self.emit(f"{place.text} = {lift(self.value(node.value), place.kind).text};")

    def unpack(self, node: ast.Assign, target: ast.Tuple) -> None:
        """Translate an assignment to several variables."""
        value = self.value(node.value)
        assert isinstance(value.kind, Tuple)
        self.spare += 1
        whole = f"all{self.spare if self.spare > 1 else ''}"
        self.unit.made(value.kind)
        self.emit(f"const {declare(value.kind, whole)} = {value.text};")
        for k, (name, kind) in enumerate(zip(target.elts, value.kind.items, strict=True)):
            if not isinstance(name, ast.Name):
                raise TypeError(f"{self.source.__name__}: unpacking into {ast.unparse(name)}")
            if name.id != "_":
                self.assign(node, name.id, Value(kind, f"{whole}.at[{k}]" if value.kind.alike else f"{whole}.f{k}"))

    def assign(self, node: ast.stmt, name: str, value: Value) -> None:
        """Give a variable a value; it is declared where it first gets one."""
        if value.is_static or isinstance(value.kind, Record) or isinstance(value.thing, np.ndarray):
            self.env[name] = value  # another name for what C knows already
            return
        wanted = self.hints.get(name, value.kind)
        known = self.env.get(name)
        if known is not None and mix(known.kind, value.kind):
            wanted = wider(known.kind, wanted)
            if wanted != known.kind:
                self.hints[name] = wanted
                raise Restart(name)
        value = lift(value, wanted)
        first = self.blocks.declares(node, name)
        if known is not None and not first and known.kind != wanted and not known.is_static:
            self.spare += 1  # the name now stands for something else
            self.env[name] = Value(wanted, f"{name}_{self.spare}")
            self.emit(f"{declare(wanted, self.env[name].text)} = {value.text};")
            return
        if known is None or known.is_static or first:
            self.env[name] = Value(wanted, c_variable(name))
        text = self.env[name].text
        if first:
            self.idle.append((len(self.lines), text))
        self.emit(f"{declare(wanted, text)} = {value.text};" if first else f"{text} = {value.text};")

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Translate `+=` and its like."""
        target, value = self.value(node.target), self.value(node.value)
        made = combine(node.op, target, value)
        if made.kind != target.kind:
            if isinstance(node.target, ast.Name):
                self.hints[node.target.id] = made.kind
                raise Restart(node.target.id)
            raise TypeError(f"{self.source.__name__}: {ast.unparse(node)} does not fit")
        if target.kind == DUAL:
            self.emit(f"{target.text} = {made.text};")
        else:
            sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}[type(node.op)]
            self.emit(f"{target.text} {sign}= {value.text};")

    def visit_If(self, node: ast.If) -> bool:
        """Translate a branch, or the one side of it that can be taken."""
        test = self.value(node.test)
        if test.value is not None:
            return self.block(node.body if test.value else node.orelse)
        self.emit(f"if ({test.text}) {{")
        leaves = self.translate_block(node.body)
        if node.orelse:
            self.emit("} else {")
            leaves = self.translate_block(node.orelse) and leaves
        self.emit("}")
        return leaves and bool(node.orelse)

    def translate_block(self, statements: list[ast.stmt]) -> bool:
        """Translate statements one block further in; return whether they leave."""
        self.depth += 1
        leaves = self.block(statements)
        self.depth -= 1
        return leaves

    def visit_While(self, node: ast.While) -> None:
        """Translate a loop on a condition."""
        self.emit(f"while ({self.value(node.test).text}) {{")
        self.translate_block(node.body)
        self.emit("}")

    def visit_For(self, node: ast.For) -> None:
        """Translate a loop over a range; one over nothing vanishes."""
        assert isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call)
        bounds = [self.value(each) for each in node.iter.args]
        low, high = (constant(0), bounds[0]) if len(bounds) == 1 else bounds[:2]
        by = bounds[2].value if len(bounds) == 3 else 1
        assert by is not None
        if low.value is not None and high.value is not None and not range(int(low.value), int(high.value), int(by)):
            return
        name = c_variable(node.target.id)
        self.env[node.target.id] = Value(INT, name)
        step = {1: f"{name}++", -1: f"{name}--"}.get(int(by), f"{name} += {by}")
        self.emit(f"for (int {name} = {low.text}; {name} {'<' if by > 0 else '>'} {high.text}; {step}) {{")
        self.translate_block(node.body)
        self.emit("}")

    def generic_visit(self, node: ast.AST) -> None:
        """Refuse every other statement."""
        self.refuse(node)


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", text) is not None


def c_variable(name: str) -> str:
    """Return A Python name as one of C."""
    return f"{name}_" if name in ("double", "int", "short", "long", "signed", "auto", "register") else name
