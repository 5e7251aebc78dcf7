"""One Python function, for arguments of given kinds, as a C function: its statements."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom.kernel.compile.kinds import Array, Function
from lissom.kernel.compile.translate.expressions import Expressions
from lissom.kernel.compile.translate.refused import Refused
from lissom.kernel.compile.translate.types import INT, Tuple, is_number, unified
from lissom.kernel.compile.translate.values import (
    Value,
    combined,
    constant,
    converted,
    described,
    is_array,
    strides,
    tuple_kind,
)
from lissom.kernel.compile.translate.variables import separate

if TYPE_CHECKING:
    from lissom.kernel.compile.translate.unit import Unit

PRELUDE = Path(__file__).with_name("prelude.h")
C_WORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long
 register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true
 false abs acos asin atan cbrt ceil cos cosh div erf exp fabs floor fmod free frexp gamma hypot index j0 j1 jn ldexp log
 malloc near far pow rand random remainder rint round signal sin sinh sqrt tan tanh time y0 y1 yn I""".split()
UNROLLED = 8  # turns of a loop that is written out where it goes over the items of a tuple
TEXT = 200  # characters of a statement in a message


class Restart(Exception):
    """A variable turned out to hold more than its first value said: the function is translated again."""


@cache
def tree_of(function: Callable) -> Any:
    """The syntax tree of a function, each variable of which holds one thing."""
    tree: Any = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    try:
        separate(tree)
    except Refused as problem:
        raise problem.at(function, problem.line or 1, "") from None
    return tree


@cache
def taken_names() -> frozenset[str]:
    """Names that variables of C cannot have."""
    text = PRELUDE.read_text(encoding="utf-8")
    defined = re.findall(r"(?:INLINE \w+ \*?|BY_LANE\(|PACK[123]\(|#define )(\w+)", text)
    types = re.findall(r"(\w+)(?: __attribute__.*)?;$", "\n".join(re.findall(r"^typedef .*", text, re.M)), re.M)
    return frozenset((*C_WORDS, *defined, *types))


class Translation(Expressions):
    """A C function; `lines` are its statements, `result` the kind of what it returns.

    allocates: whether it makes arrays. writes: whether it changes memory, so that the order of calls matters.
    """

    def __init__(self, unit: Unit, function: Callable, arguments: list[Value], hints: dict[str, Any]) -> None:
        self.unit, self.function, self.hints, self.types = unit, function, hints, unit.types
        self.tree = tree_of(function)
        self.result: Any = hints.get("return")
        self.lines: list[str] = []
        self.variables: dict[str, Any] = {}  # C name: kind
        self.env: dict[str, Value | None] = {}  # Python name: what it is; None where two branches differ
        self.allocates = self.writes = False
        self.spare = self.reads = 0
        self.place = ""  # of the current statement
        self.parameters: list[tuple[str, Any]] = []
        stored = {n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for parameter, given in zip(self.tree.args.args, arguments, strict=True):
            self._take(parameter.arg, given, parameter.arg in stored)
        self.block(self.tree.body)

    def _take(self, name: str, given: Value, stored: bool) -> None:
        """A parameter; what the function assigns to gets a variable of its own."""
        if given.is_static:
            self.env[name] = given
            return
        at = self.c_name(name) + ("_in" if stored else "")
        self.parameters.append((at, given.kind))
        value = self.variable(at, given.kind)
        if stored:
            self.assign(name, value)
        else:
            self.env[name] = value

    # text

    def emit(self, line: str) -> None:
        self.lines.append(line)

    def text(self, head: str) -> str:
        declared = [f"    {self.types.name(kind)} {name};" for name, kind in self.variables.items()]
        return "\n".join([head + " {", *declared, *("    " + line for line in self.lines), "}"])

    @staticmethod
    def c_name(name: str) -> str:
        return f"{name}_" if name in taken_names() or name.startswith("_") else name

    def variable(self, name: str, kind: Any) -> Value:
        """A C variable as a value."""
        if isinstance(kind, Array):
            known = kind.sizes or (0,) * kind.ndim
            n = [constant(size) if size else Value(INT, f"{name}.n{k}") for k, size in enumerate(known)]
            s = [Value(INT, f"{name}.s{k}") for k in range(kind.ndim)] if kind.layout == "A" else None
            return Value(kind, f"{name}.at", n=n, s=s)
        return Value(kind, name)

    def temporary(self, kind: Any) -> str:
        self.spare += 1
        name = f"t{self.spare}_"
        self.variables[name] = kind
        return name

    def kept(self, value: Value) -> Value:
        """The value in a variable, computed here and once."""
        name = self.temporary(value.kind)
        self.emit(f"{name} = {self.packed(value)};")
        return self.variable(name, value.kind)

    def packed(self, value: Value) -> str:
        """The value as one C expression."""
        if value.kind is None:
            raise Refused(f"{described(value)} is no value of C")
        if is_array(value):
            steps = (value.s or strides(value)) if value.kind.layout == "A" else []
            return f"({self.types.name(value.kind)}){{{', '.join([value.text, *(x.text for x in (*value.n, *steps))])}}}"
        return value.text

    def fitted(self, value: Value, kind: Any) -> Value:
        """The value as one of a kind that holds it, tuples item by item."""
        if value.kind == kind:
            return value
        if isinstance(kind, Tuple):
            value = value if value.items is not None else self.kept(value)
            items = [self.fitted(x, k) for x, k in zip(self.items(value), kind.items, strict=True)]
            return self.tuple_of(items, kind)
        if isinstance(kind, Array):
            s = value.s or (strides(value) if kind.layout == "A" else None)
            return Value(kind, value.text, n=value.n, s=s)
        return converted(value, kind)

    def items(self, value: Value) -> list[Value]:
        if value.items is not None:
            return value.items
        if not isinstance(value.kind, Tuple):
            raise Refused(f"the items of {described(value)}, which is no tuple")
        return [self.item(value, k) for k in range(len(value.kind.items))]

    def item(self, value: Value, k: int) -> Value:
        if value.items is not None:
            return value.items[k]
        return self.variable(f"{value.text}{value.kind.field(k)}", value.kind.items[k])

    def tuple_of(self, items: list[Value], kind: Tuple | None = None) -> Value:
        kind = kind or tuple_kind(items)
        if kind is None:  # Python alone knows some of them
            made = Value(None, thing=tuple(x.thing for x in items))
            made.items = items
            return made
        items = [self.fitted(x, of) for x, of in zip(items, kind.items, strict=True)]
        inner = ", ".join(self.packed(x) for x in items)
        made = Value(kind, f"({self.types.name(kind)}){{{f'{{{inner}}}' if kind.alike else inner}}}")
        made.items = items
        return made

    # statements: each returns whether nothing behind it in its block is reached

    def block(self, statements: list[ast.stmt]) -> bool:
        for statement in statements:
            line, self.reads = statement.lineno, 0
            code = self.function.__code__
            self.place = f"{Path(code.co_filename).name}:{code.co_firstlineno + line - 1}"
            try:
                if getattr(self, f"do_{type(statement).__name__}", self._refuse)(statement):
                    return True
            except Refused as problem:
                if problem.located:
                    raise
                raise problem.at(self.function, line, ast.unparse(statement)[:TEXT]) from None
        return False

    def _refuse(self, node: ast.AST) -> Any:
        raise Refused(f"no C for a statement of this kind ({type(node).__name__})")

    def do_Pass(self, node: ast.Pass) -> None:
        pass

    def do_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):  # a docstring
            return
        made = self.value(node.value)
        if made.text and not made.is_static:
            self.emit(f"(void)({self.packed(made)});")

    def do_Continue(self, node: Any) -> bool:
        self.emit("continue;")
        return True

    def do_Break(self, node: Any) -> bool:
        self.emit("break;")
        return True

    def do_Return(self, node: ast.Return) -> bool:
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            self.emit("return;")
            return True
        value = self.value(node.value)
        kind = value.kind if self.result is None else unified(self.result, value.kind)
        if kind is None:
            raise Refused(f"returns {described(value)} here and something else elsewhere")
        if kind != self.result:
            first, self.result, self.hints["return"] = self.result is None, kind, kind
            if not first:
                raise Restart("return")
        self.emit(f"return {self.packed(self.fitted(value, kind))};")
        return True

    def do_Assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        if len(node.targets) > 1 and not value.is_static:
            value = self.kept(value)
        for target in node.targets:
            self.store(target, value)

    def do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.store(node.target, self.value(node.value))

    def store(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.assign(target.id, value)
        elif isinstance(target, ast.Tuple):
            self._unpack(target, value)
        elif isinstance(target, ast.Subscript):
            place = self.value(target)
            self.writes = True
            if is_array(place):
                self.fill(place, value)
            elif not is_number(place.kind):
                raise Refused("only entries of arrays can be assigned")
            else:
                self.emit(f"{place.text} = {self.fitted(value, place.kind).text};")
                self.check_finite(place)
        else:
            raise Refused("only variables and entries of arrays can be assigned")

    def _unpack(self, target: ast.Tuple, value: Value) -> None:
        if is_array(value):
            items = [self.indexed(value, [constant(k)]) for k in range(len(target.elts))]
        elif value.items is not None:  # all are computed before any is stored
            items = [x if x.is_static or x.number is not None else self.kept(x) for x in value.items]
        else:
            items = self.items(self.kept(value))
        if len(items) != len(target.elts):
            raise Refused(f"{len(items)} values for {len(target.elts)} names")
        for one, item in zip(target.elts, items, strict=True):
            self.store(one, item)

    def assign(self, name: str, value: Value) -> None:
        """Give a variable a value; where its kind turns out wider than it was, the function is translated again."""
        if value.is_static or isinstance(value.kind, Function):
            self.env[name] = value
            return
        if name == "_":
            return
        version = 0
        while True:  # a variable of its own for kinds that no C variable holds together
            at = self.c_name(name) + (f"_v{version}" if version else "")
            kind = self.variables.get(at) or self.hints.get(at)
            wider = value.kind if kind is None else unified(kind, value.kind)
            if wider is not None:
                break
            version += 1
        if kind is not None and wider != kind:
            self.hints[at] = wider
            raise Restart(at)
        self.variables[at] = wider
        self.hints.setdefault(at, wider)
        self.emit(f"{at} = {self.packed(self.fitted(value, wider))};")
        self.env[name] = self.variable(at, wider)

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        place = self.value(node.target)
        by = self.value(node.value)
        made = self.each_entry(lambda x, y: combined(node.op, x, y), place, by) if is_array(place) else None
        self.store(node.target, made or combined(node.op, place, by))

    def do_If(self, node: ast.If) -> bool:
        test = self.truth(self.value(node.test))
        if test.thing is not None:
            return self.block(node.body if test.thing else node.orelse)
        self.emit(f"if ({test.text}) {{")
        before = dict(self.env)
        left = self.block(node.body)
        after, self.env = self.env, before
        other = False
        if node.orelse:
            self.emit("} else {")
            other = self.block(node.orelse)
        self.emit("}")
        if not left:
            self.env = after if other else self._joined_branches(after, self.env)
        return left and other

    @staticmethod
    def _joined_branches(one: dict[str, Value | None], other: dict[str, Value | None]) -> dict[str, Value | None]:
        """What names are behind both branches: None where that depends on the one taken."""
        out: dict[str, Value | None] = {}
        for name in (*one, *(name for name in other if name not in one)):
            a, b = one.get(name), other.get(name)
            same = a is b or (a is not None and b is not None and _same(a, b))
            out[name] = a if same or name not in other else b if name not in one else None
        return out

    def do_While(self, node: ast.While) -> None:
        if node.orelse:
            raise Refused("an else of a loop")
        self.emit("while (1) {")
        test = self.truth(self.value(node.test))
        self.emit(f"if (!({test.text})) break;")
        self.block(node.body)
        self.emit("}")

    def do_For(self, node: ast.For) -> None:
        if node.orelse or not isinstance(node.target, ast.Name):
            raise Refused("a loop with an else or with several counters")
        name, over = node.target.id, node.iter
        if not (isinstance(over, ast.Call) and self.value(over.func).thing is range):
            for item in self.items(self._settled(self.value(over))):
                self.assign(name, item)
                self._turn(node)
            return
        bounds = [self.value(each) for each in over.args]
        low, high = (constant(0), bounds[0]) if len(bounds) == 1 else bounds[:2]
        step = bounds[2].number if len(bounds) == 3 else 1
        if not step:
            raise Refused("a step that is not known, or zero")
        if low.number is not None and high.number is not None and self._chooses_items(node, name):
            turns = range(low.number, high.number, step)
            if len(turns) <= UNROLLED:
                for k in turns:
                    self.env[name] = constant(k)
                    self._turn(node)
                self.env.pop(name, None)
                return
        self._count(node, low, high, step)

    def _settled(self, value: Value) -> Value:
        return value if value.items is not None else self.kept(value)

    def _turn(self, node: ast.For) -> None:
        """A turn of a loop that is written out."""
        if any(isinstance(inner, ast.Break | ast.Continue) for inner in ast.walk(node)):
            raise Refused("a jump out of a loop over the items of a tuple")
        self.block(node.body)

    def _count(self, node: ast.For, low: Value, high: Value, step: int) -> None:
        self.spare += 1
        end, opened = high.text, high.number is None
        if opened:
            end = f"end{self.spare}"
            self.emit(f"{{ const int64_t {end} = {self.whole(high)};")
        assert isinstance(node.target, ast.Name)
        at = self.c_name(node.target.id)
        while self.variables.setdefault(at, INT) != INT:
            at = f"{at}_i"
        self.env[node.target.id] = Value(INT, at)
        turn = {1: f"{at}++", -1: f"{at}--"}.get(step, f"{at} += {step}")
        self.emit(f"for ({at} = {self.whole(low)}; {at} {'<' if step > 0 else '>'} {end}; {turn}) {{")
        self.block(node.body)
        self.emit("} }" if opened else "}")

    def _chooses_items(self, node: ast.For, name: str) -> bool:
        """Whether the body chooses items of a tuple by the counter; never with jumps out of it."""
        inner = list(ast.walk(node))
        if any(isinstance(each, ast.Break | ast.Continue) for each in inner):
            return False
        for each in inner:
            if not isinstance(each, ast.Subscript):
                continue
            if not any(isinstance(x, ast.Name) and x.id == name for x in ast.walk(each.slice)):
                continue
            base = each.value
            while isinstance(base, ast.Subscript):
                base = base.value
            if isinstance(base, ast.Call | ast.Tuple):
                return True
            if isinstance(base, ast.Name):
                of = self.env.get(base.id)
                if (of is None and base is each.value) or (of is not None and self._is_tuple(of)):
                    return True
        return False

    @staticmethod
    def _is_tuple(value: Value) -> bool:
        return isinstance(value.kind, Tuple) or value.items is not None


def _same(a: Value, b: Value) -> bool:
    return a.kind == b.kind and a.text == b.text and (a.kind is not None or a.thing is b.thing)
