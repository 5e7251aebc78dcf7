"""The kernel's Python as C: every function becomes one C function for each set of kinds of its arguments.

Kernels are plain Python on numbers, arrays and tuples without a branch on the kind of anything, so that the kinds of
all values follow from those of the arguments. The model's tables are constants: shapes are numbers, loops over nothing
and branches that no body takes are left out.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import textwrap
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from lissom.export.c.blocks import Blocks
from lissom.export.c.kinds import DUAL, INT, REAL, Array, Kind, Record, Tuple, declared, tuple_name
from lissom.export.c.operators import ATOM, Value, combined, compared, constant, joined, lifted, mix, negated, wider
from lissom.kernel import elementary, lanes
from lissom.kernel.arrays import LANES

CALLS: dict[Any, str] = {
    elementary.tanh: "tanh",
    np.tanh: "tanh",
    np.sin: "sin",
    np.cos: "cos",
    np.sqrt: "sqrt",
    np.abs: "fabs",
    abs: "fabs",
}


RESTARTS = 20


class Restart(Exception):
    """A variable turned out to hold more than its first value said."""


class Unit:
    """All C functions of one file, in an order in which each is known before it is called."""

    def __init__(self) -> None:
        self.functions: dict[str, str] = {}
        self.tuples: dict[str, Tuple] = {}
        self.tables: dict[str, np.ndarray] = {}  # constant tables read, by C name
        self.memory: dict[str, tuple[Record, dict[str, None]]] = {}  # records in memory with the fields used
        self.known: dict[Any, tuple[str, Kind]] = {}
        self._names: dict[str, int] = {}

    def function(self, kernel: Any, arguments: list[Value]) -> tuple[str, Kind]:
        """C name and kind of the result of a kernel for these arguments."""
        source = getattr(kernel, "py_func", kernel)
        if ".shape" not in source_of(source)[0] and "len(" not in source_of(source)[0]:
            arguments = [Value(_any_length(each.kind), each.text, thing=each.thing) for each in arguments]
        key = source, tuple(_key(each) for each in arguments)
        if key not in self.known:
            hints: dict[str, Kind] = {}
            for _ in range(RESTARTS):
                try:
                    made = Function(self, source, arguments, hints)
                    break
                except Restart as widened:
                    last = widened
            else:
                raise TypeError(f"{source.__name__}: {last} has no kind that holds all its values")
            name = self._name(source.__name__, arguments)
            self.functions[name] = made.text(name)
            self.known[key] = name, made.result
        return self.known[key]

    def _name(self, name: str, arguments: list[Value]) -> str:
        if any(_is_dual(each.kind) for each in arguments):
            name = f"{name}_dual"
        return self.free_name(name)

    def free_name(self, name: str) -> str:
        """`name`, or that with a number if it is taken."""
        count = self._names[name] = self._names.get(name, 0) + 1
        return name if count == 1 else f"{name}_{count}"

    def called(self, roots: Sequence[str]) -> list[str]:
        """The functions that the code in `roots` needs; attempts that led nowhere leave some that nobody does."""
        wanted: set[str] = set()
        open_ = list(roots)
        while open_:
            for name in set(re.findall(r"\b(\w+)\(", open_.pop())) & self.functions.keys() - wanted:
                wanted.add(name)
                open_.append(self.functions[name])
        return [text for name, text in self.functions.items() if name in wanted]

    def made(self, kind: Tuple) -> str:
        """The C name of a tuple, whose struct will be defined."""
        name = tuple_name(kind)
        if name not in self.tuples:
            for item in kind.items:
                if isinstance(item, Tuple):
                    self.made(item)
            self.tuples[name] = kind
        return name


@cache
def source_of(function: Callable) -> tuple[str, Any]:
    """Text and tree of a Python function."""
    text = textwrap.dedent(inspect.getsource(function))
    return text, ast.parse(text).body[0]


def _is_dual(kind: Kind) -> bool:
    if isinstance(kind, Tuple):
        return any(map(_is_dual, kind.items))
    return (kind.item if isinstance(kind, Array | Record) else kind) == DUAL


def _key(value: Value) -> Any:
    if isinstance(value.kind, Record):
        return "record", value.kind.name, id(type(value.kind.fields)), value.kind.item
    if value.is_static:
        return "static", id(value.thing)
    return value.kind


class Function(ast.NodeVisitor):
    """One kernel for one set of kinds."""

    def __init__(self, unit: Unit, source: Callable, arguments: list[Value], hints: dict[str, Kind]) -> None:
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
            if isinstance(given.kind, Record) and not given.kind.const:
                self.env[name] = Value(given.kind, name)
            if not given.is_static and not (isinstance(given.kind, Record) and given.kind.const):
                self.parameters.append((name, given.kind))
        self.block(self.tree.body)

    def text(self, name: str) -> str:
        """The whole function."""
        lines = [line() if callable(line) else line for line in self.lines]
        for at, variable in reversed(self.idle):  # what only a branch that is left out would have read
            if sum(_mentions(line, variable) for line in lines) == 1:
                calls = "(" in lines[at].partition(" = ")[2].removeprefix("(")
                lines[at] = f"{lines[at]}\n    (void){variable};" if calls else ""
        body = "\n".join(line for line in lines if line.strip())
        unused = [f"    (void){p};" for p, _ in self.parameters if not _mentions(body, p)]
        takes = ", ".join(declared(kind, p) for p, kind in self.parameters) or "void"
        head = declared(self.result, f"{name}({takes})") if self.result else f"void {name}({takes})"
        about = (ast.get_docstring(self.tree) or "").split("\n\n")[0].replace("\n", " ").replace("*/", "* /")
        lines = textwrap.wrap(f"/* {about} */", 112, subsequent_indent="   ") if about else []
        head = "\n    ".join(textwrap.wrap(f"static {head}", 112, break_on_hyphens=False))
        return "\n".join([*lines, head, "{", *unused, body, "}", ""])

    # statements

    def emit(self, line: Any) -> None:
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
        """Of a variable that gets its value in a block further in; empty where it never does."""
        known = self.env.get(name)
        return f"{declared(known.kind, known.text)};" if known is not None and not known.is_static else ""

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.emit(f"{self.value(node.value).text};")

    def visit_Continue(self, node: ast.Continue) -> bool:
        self.emit("continue;")
        return True

    def visit_Break(self, node: ast.Break) -> bool:
        self.emit("break;")
        return True

    def visit_Return(self, node: ast.Return) -> bool:
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
            value = lifted(value, self.result)
        self.emit(f"return {value.text};")
        return True

    def visit_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if isinstance(target, ast.Tuple):
            self.unpack(node, target)
        elif isinstance(target, ast.Name):
            self.assign(node, target.id, self.value(node.value))
        else:
            place = self.value(target)
            self.emit(f"{place.text} = {lifted(self.value(node.value), place.kind).text};")

    def unpack(self, node: ast.Assign, target: ast.Tuple) -> None:
        value = self.value(node.value)
        assert isinstance(value.kind, Tuple)
        self.spare += 1
        whole = f"all{self.spare if self.spare > 1 else ''}"
        self.unit.made(value.kind)
        self.emit(f"const {declared(value.kind, whole)} = {value.text};")
        for k, (name, kind) in enumerate(zip(target.elts, value.kind.items, strict=True)):
            if not isinstance(name, ast.Name):
                raise TypeError(f"{self.source.__name__}: unpacking into {ast.unparse(name)}")
            if name.id != "_":
                self.assign(node, name.id, Value(kind, f"{whole}.at[{k}]" if value.kind.alike else f"{whole}.f{k}"))

    def assign(self, node: ast.stmt, name: str, value: Value) -> None:
        """A variable gets a value; it is declared where it first does."""
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
        value = lifted(value, wanted)
        first = self.blocks.declares(node, name)
        if known is not None and not first and known.kind != wanted and not known.is_static:
            self.spare += 1  # the name now stands for something else
            self.env[name] = Value(wanted, f"{name}_{self.spare}")
            self.emit(f"{declared(wanted, self.env[name].text)} = {value.text};")
            return
        if known is None or known.is_static or first:
            self.env[name] = Value(wanted, c_variable(name))
        text = self.env[name].text
        if first:
            self.idle.append((len(self.lines), text))
        self.emit(f"{declared(wanted, text)} = {value.text};" if first else f"{text} = {value.text};")

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        target, value = self.value(node.target), self.value(node.value)
        made = combined(node.op, target, value)
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
        test = self.value(node.test)
        if test.value is not None:
            return self.block(node.body if test.value else node.orelse)
        self.emit(f"if ({test.text}) {{")
        leaves = self.nested(node.body)
        if node.orelse:
            self.emit("} else {")
            leaves = self.nested(node.orelse) and leaves
        self.emit("}")
        return leaves and bool(node.orelse)

    def nested(self, statements: list[ast.stmt]) -> bool:
        self.depth += 1
        leaves = self.block(statements)
        self.depth -= 1
        return leaves

    def visit_While(self, node: ast.While) -> None:
        self.emit(f"while ({self.value(node.test).text}) {{")
        self.nested(node.body)
        self.emit("}")

    def visit_For(self, node: ast.For) -> None:
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
        self.nested(node.body)
        self.emit("}")

    def generic_visit(self, node: ast.AST) -> None:
        raise TypeError(f"{self.source.__name__}: no C for {type(node).__name__}: {ast.unparse(node)}")

    # expressions

    def value(self, node: ast.expr) -> Value:
        found: Any = getattr(self, f"of_{type(node).__name__}", self.generic_visit)(node)
        assert isinstance(found, Value)
        return found

    def of_Constant(self, node: ast.Constant) -> Value:
        assert isinstance(node.value, int | float)
        return constant(node.value)

    def of_Name(self, node: ast.Name) -> Value:
        if node.id in self.env:
            return self.env[node.id]
        thing = self.source.__globals__.get(node.id, getattr(builtins, node.id, None))
        if isinstance(thing, int | float) and not isinstance(thing, bool):
            return constant(thing)
        if isinstance(thing, tuple) and all(isinstance(each, float) for each in thing):
            self.unit.tables[node.id] = np.array(thing)
            return Value(Array(REAL, (len(thing),), True), node.id)
        if thing is None:
            raise TypeError(f"{self.source.__name__}: {node.id} has no value here")
        return Value(None, node.id, thing=thing)

    def of_Attribute(self, node: ast.Attribute) -> Value:
        of = self.value(node.value)
        if isinstance(of.kind, Record):
            return self.field(of, node.attr)
        if of.is_static:
            return constant(int(getattr(of.thing, node.attr)))
        if node.attr == "shape":
            return Value(None, "", thing=of.kind.shape)  # type: ignore[union-attr]
        if node.attr == "real":
            return Value(REAL, f"{of.bracketed(ATOM)}.x") if of.kind == DUAL else of
        raise TypeError(f"{self.source.__name__}: no C for {ast.unparse(node)}")

    def field(self, of: Value, name: str) -> Value:
        record: Any = of.kind
        thing: Any = getattr(record.fields, name)
        if record.const:
            if name == "gravity":  # lies in the workspace, so that it can be switched off
                return Value(Array(REAL, (3,), True), f"{self.env['work'].text}->gravity")
            if isinstance(thing, tuple):
                return Value(Record(f"{record.name}{name}_", thing, const=True), "")
            table = f"{record.name}{name}"
            return Value(Array(INT if thing.dtype.kind == "i" else REAL, thing.shape, True), table, thing=thing)
        if not isinstance(thing, np.ndarray | Record):
            return constant(0.0) if record.item == REAL else Value(DUAL, "lift(0.0)")
        _, used = self.unit.memory.setdefault(record.name, (record, {}))
        if isinstance(thing, Record):
            used[name] = None
            return Value(thing, f"{of.text}->{name}")
        if thing.dtype.kind == "i":  # indices do not change
            return Value(Array(INT, thing.shape, True), f"{record.name}_{name}", thing=thing)
        kind = Array(record.item, thing.shape, False)
        if shared := record.shared_with(name):
            used[shared] = None
            return Value(kind, f"({declared(kind, '')})({of.text}->{shared})")
        used[name] = None
        return Value(kind, f"{of.text}->{name}")

    def of_Subscript(self, node: ast.Subscript) -> Value:
        of = self.value(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if of.is_static and isinstance(of.thing, tuple):
            return constant(of.thing[int(self.value(parts[0]).value or 0)])
        if isinstance(of.kind, Tuple):
            at = self.value(parts[0])
            if of.kind.alike:
                return Value(of.kind.items[0], f"{of.bracketed(ATOM)}.at[{at.text}]")
            assert at.value is not None
            return Value(of.kind.items[int(at.value)], f"{of.bracketed(ATOM)}.f{int(at.value)}")
        kind = of.kind
        assert isinstance(kind, Array), ast.unparse(node)
        if isinstance(of.thing, np.ndarray):
            if kind.item == INT and len(parts) == of.thing.ndim and of.thing.size and np.ptp(of.thing) == 0:
                return constant(int(of.thing.flat[0]))
            self.unit.tables[of.text] = of.thing
        text, shape = of.bracketed(ATOM), list(kind.shape)
        for part in parts:
            if isinstance(part, ast.Slice):
                start = constant(0) if part.lower is None else self.value(part.lower)
                text = text if start.value == 0 else f"({text} + {start.text})"
                return Value(Array(kind.item, (None, *shape[1:]), kind.const), text)
            text = f"{text}[{self.value(part).text}]"
            shape.pop(0)
        return Value(Array(kind.item, tuple(shape), kind.const) if shape else kind.item, text)

    def of_Tuple(self, node: ast.Tuple) -> Value:
        entries = [self.value(each) for each in node.elts]
        numbers = [each.kind for each in entries if isinstance(each.kind, str)]
        if len(numbers) == len(entries):
            widest = max(numbers, key=(INT, REAL, DUAL).index)
            widest = REAL if widest == INT and any("." in each.text for each in entries) else widest
            entries = [lifted(each, widest) for each in entries]
        kind = Tuple(tuple(_any_length(each.kind) for each in entries))
        name = self.unit.made(kind)
        inner = ", ".join(each.text for each in entries)
        return Value(kind, f"({name}){{{{{inner}}}}}" if kind.alike else f"({name}){{{inner}}}")

    def of_BinOp(self, node: ast.BinOp) -> Value:
        return combined(node.op, self.value(node.left), self.value(node.right))

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        of = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return constant(not of.value) if of.value is not None else Value(INT, f"!{of.bracketed(ATOM)}")
        return negated(of)

    def of_Compare(self, node: ast.Compare) -> Value:
        values = [self.value(each) for each in (node.left, *node.comparators)]
        return joined("&&", [compared(op, a, b) for op, a, b in zip(node.ops, values, values[1:], strict=False)])

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        return joined("&&" if isinstance(node.op, ast.And) else "||", [self.value(each) for each in node.values])

    def of_IfExp(self, node: ast.IfExp) -> Value:
        test = self.value(node.test)
        if test.value is not None:
            return self.value(node.body if test.value else node.orelse)
        yes, no = self.value(node.body), self.value(node.orelse)
        kind = yes.kind if yes.kind == no.kind else wider(yes.kind, no.kind)
        return Value(kind, f"({test.text} ? {lifted(yes, kind).text} : {lifted(no, kind).text})")

    def of_Call(self, node: ast.Call) -> Value:
        function = self.value(node.func).thing
        arguments = [self.value(each) for each in node.args]
        if function is len:
            kind: Any = arguments[0].kind
            return constant(len(kind.items) if isinstance(kind, Tuple) else kind.shape[0])
        if function in (min, max):
            return self.least(arguments, "<" if function is min else ">")
        if function in (lanes.add_lanes, lanes.set_lanes):
            return self.lanes(function.__name__, arguments)
        for known, name in CALLS.items():
            if function is known:
                dual = arguments[0].kind == DUAL
                return Value(arguments[0].kind, f"{name}{'_dual' if dual else ''}({arguments[0].text})")
        for each in arguments:  # tables handed on whole
            if isinstance(each.thing, np.ndarray) and isinstance(each.kind, Array):
                self.unit.tables[each.text] = each.thing
        name, result = self.unit.function(function, [_argument(each) for each in arguments])
        handed = [each.text for each in arguments if not each.is_static and not _is_table(each)]
        return Value(result, f"{name}({', '.join(handed)})")

    def least(self, arguments: list[Value], sign: str) -> Value:
        a, b = arguments
        if a.value is not None and b.value is not None:
            return constant(min(a.value, b.value) if sign == "<" else max(a.value, b.value))
        return Value(wider(a.kind, b.kind), f"({a.text} {sign} {b.text} ? {a.text} : {b.text})")

    def lanes(self, verb: str, arguments: list[Value]) -> Value:
        """A sum of rows, a few entries at a time; the numbers of rows differ, so that each has its own function."""
        out, at, scales, rows = arguments
        kinds = verb, _any_length(out.kind), scales.kind, rows.kind
        if kinds not in self.unit.known:
            self.unit.known[kinds] = _lanes(self.unit, *kinds), None
        return Value(None, f"{self.unit.known[kinds][0]}({out.text}, {at.text}, {scales.text}, {rows.text})")


def _lanes(unit: Unit, verb: str, out: Any, scales: Any, rows: Any) -> str:
    """A C function for add_lanes or set_lanes with rows of these kinds."""
    terms = [
        combined(ast.Mult(), Value(scales.items[j], f"s.at[{j}]"), _row(rows, j)) for j in range(len(scales.items))
    ]
    total = Value(out.item, "out[k]") if verb == "add_lanes" else terms.pop(0)
    for term in terms:
        total = combined(ast.Add(), total, term)
    name = unit.free_name(f"{verb}_{len(scales.items)}")
    for kind in (scales, rows):
        unit.made(kind)
    takes = f"{declared(out, 'out')}, int at, {declared(scales, 's')}, {declared(rows, 'rows')}"
    sign = "+=" if verb == "add_lanes" else "="
    unit.functions[name] = (
        f"/* out {sign} sum of scaled rows, four entries from `at` on. */\nstatic inline void {name}({takes})\n{{\n"
        f"    for (int k = at; k < at + {LANES}; k++) {{\n        out[k] = {lifted(total, out.item).text};\n    }}\n"
        "}\n"
    )
    return name


def _row(rows: Any, j: int) -> Value:
    return Value(rows.items[j].item, f"rows.{f'at[{j}]' if rows.alike else f'f{j}'}[k]")


def _any_length(kind: Kind) -> Kind:
    """An array without the length of its first axis, which is not asked for."""
    return kind._replace(shape=(None, *kind.shape[1:])) if isinstance(kind, Array) else kind


def _argument(value: Value) -> Value:
    return Value(value.kind, value.text, thing=None if isinstance(value.kind, Array) else value.thing)


def _is_table(value: Value) -> bool:
    return isinstance(value.kind, Record) and value.kind.const


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", text) is not None


def c_variable(name: str) -> str:
    """A Python name as one of C."""
    return f"{name}_" if name in ("double", "int", "short", "long", "signed", "auto", "register") else name
