"""Statements other than loops, as lines of C. Each tells whether nothing behind it in its block is reached."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from lissom.kernel.compile.translate.expressions import Expressions
from lissom.kernel.compile.translate.refused import Refused
from lissom.kernel.compile.translate.scope import Env, Restart
from lissom.kernel.compile.translate.types import unify
from lissom.kernel.compile.translate.values import CONSTANTS, Value, constant, describe, is_array

TEXT = 200  # characters of a statement in a message


def same(a: Value | None, b: Value | None) -> bool:
    """Return whether a name is the same thing on two ways."""
    if a is b or a is None or b is None:
        return a is b
    return a.kind == b.kind and a.text == b.text and (a.kind is not None or a.thing is b.thing)


def join_names(one: Env, other: Env) -> Env:
    """Return what names are behind two ways: None where that depends on the one taken."""
    out: Env = {}
    for name in (*one, *(name for name in other if name not in one)):
        if name in one and name in other:
            out[name] = one[name] if same(one[name], other[name]) else None
        else:
            out[name] = one[name] if name in one else other[name]
    return out


class Statements(Expressions):
    """A function's statements.

    result: the kind of what it returns; returns_nothing: whether it returns nothing somewhere.
    jumps: of each loop around, what names are where a turn is broken off.
    """

    result: Any
    returns_nothing = False

    def __init__(self, hints: dict[str, Any]) -> None:
        super().__init__(hints)
        self.jumps: list[list[Env]] = []

    def block(self, statements: list[ast.stmt]) -> bool:
        """Translate statements; return whether what follows them is never reached."""
        for statement in statements:
            line, self.reads, self.named = statement.lineno, 0, set()
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
        """Translate a statement of the kind Pass."""
        pass

    def do_Expr(self, node: ast.Expr) -> None:
        """Translate a statement of the kind Expr."""
        if isinstance(node.value, ast.Constant):  # a docstring
            return
        made = self.value(node.value)
        if made.text and not made.is_static:
            self.emit(f"(void)({self.pack(made)});")

    def do_Return(self, node: ast.Return) -> bool:
        """Translate a statement of the kind Return."""
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            self.returns_nothing = True
            self.emit("return;")
            return True
        value = self.value(node.value)
        if value.thing == () and not value.text:  # of a call that returns nothing
            self.returns_nothing = True
            self.emit("return;")
            return True
        kind = value.kind if self.result is None else unify(self.result, value.kind)
        if kind is None:
            raise Refused(f"returns {describe(value)} here and something else elsewhere")
        if kind != self.result:
            first, self.result, self.hints["return"] = self.result is None, kind, kind
            if not first:
                raise Restart("return")
        self.emit(f"return {self.pack(self.fit(value, kind))};")
        return True

    def do_Assign(self, node: ast.Assign) -> None:
        """Translate a statement of the kind Assign."""
        if len(node.targets) == 1 and isinstance(node.value, ast.Tuple) and isinstance(node.targets[0], ast.Tuple):
            self._store_items(node.targets[0], [self.now(each) for each in map(self.value, node.value.elts)])
            return
        value = self.value(node.value)
        if len(node.targets) > 1 and not value.is_static:
            value = self.keep(value)
        for target in node.targets:
            self.store(target, value)

    def do_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Translate a statement of the kind AnnAssign."""
        if node.value is not None:
            self.store(node.target, self.value(node.value))

    def store(self, target: ast.expr, value: Value) -> None:
        """Assign a value to a name, an entry or the names of a tuple."""
        if isinstance(target, ast.Name):
            self.assign(target.id, value)
        elif isinstance(target, ast.Tuple):
            self._unpack(target, value)
        elif isinstance(target, ast.Subscript):
            self._assign_entry(self._place(target), value)
        else:
            raise Refused("only variables and entries of arrays can be assigned")

    def _place(self, target: ast.Subscript) -> Value:
        """Return an entry or a part of an array, to be written."""
        of = self.value(target.value)
        if not is_array(of):
            raise Refused("only entries of arrays can be assigned")
        if CONSTANTS in of.text:
            raise Refused("an array of a module is written")
        return self.part_of(of, target.slice)

    def _assign_entry(self, place: Value, value: Value) -> None:
        self.writes = True
        if is_array(place):
            self.fill(place, value)
        elif is_array(value):
            raise Refused("an array where one number is stored")
        else:
            self.emit(f"{place.text} = {self.fit(value, place.kind).text};")
            self.check_finite(place)

    def _unpack(self, target: ast.Tuple, value: Value) -> None:
        """Store the items of a value, all of which are computed before."""
        if is_array(value):
            length = constant(len(target.elts))
            self.same_shape(Value(value.kind, n=value.n[:1]), Value(value.kind, n=[length]))
            items = [self.subscript(value, [constant(k)]) for k in range(len(target.elts))]
            if any(not isinstance(each, ast.Name) for each in target.elts):
                items = [self.keep(each) for each in items]
        elif value.items is not None:
            items = [self.now(each) for each in value.items]
        else:
            items = self.items(self.keep(value))
        self._store_items(target, items)

    def _store_items(self, target: ast.Tuple, items: list[Value]) -> None:
        if any(isinstance(each, ast.Starred) for each in target.elts):
            raise Refused("a name with a star")
        if len(items) != len(target.elts):
            raise Refused(f"{len(items)} values for {len(target.elts)} names")
        for one, item in zip(target.elts, items, strict=True):
            self.store(one, item)

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        """Translate `place op= value`: what is left of the sign is computed once, and arrays change where they are."""
        target = node.target
        if isinstance(target, ast.Attribute):
            raise Refused("only variables and entries of arrays can be assigned")
        place = self._place(target) if isinstance(target, ast.Subscript) else self.value(target)
        by = self.value(node.value)
        if is_array(place):
            self.fill(place, self.each_entry(lambda x, y: self.binary(node.op, x, y), place, by))
        elif is_array(by):
            raise Refused("an array beside a number that it is to change")
        elif isinstance(target, ast.Name):
            self.assign(target.id, self.binary(node.op, place, by))
        else:
            self._assign_entry(place, self.binary(node.op, place, by))

    def do_If(self, node: ast.If) -> bool:
        """Translate a statement of the kind If."""
        test = self.condition(node.test)
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
            self.env = after if other else join_names(after, self.env)
        return left and other
