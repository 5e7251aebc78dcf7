"""Loops."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from lissom.kernel.compile.translate.names import c_name
from lissom.kernel.compile.translate.refused import Refused
from lissom.kernel.compile.translate.statements import Statements, join_names, same
from lissom.kernel.compile.translate.types import INT, Tuple
from lissom.kernel.compile.translate.values import Value, constant

UNROLLED = 8  # turns of a loop that is written out where it chooses items of a tuple


class Loops(Statements):
    """`for` and `while`, and the jumps out of them."""

    def do_While(self, node: ast.While) -> bool:
        """Translate a statement of the kind While."""
        if node.orelse:
            raise Refused("an else of a loop")
        self.emit("while (1) {")
        with self._turns(node):
            test = self.condition(node.test)
            if not test.thing:
                self.emit(f"if (!({test.text})) break;")
            self.block(node.body)
        self.emit("}")
        return bool(test.thing) and not any(isinstance(each, ast.Break) for each in ast.walk(node))

    def do_For(self, node: ast.For) -> None:
        """Translate a statement of the kind For."""
        if node.orelse or not isinstance(node.target, ast.Name):
            raise Refused("a loop with an else or with several counters")
        name, over = node.target.id, node.iter
        if not (isinstance(over, ast.Call) and self.value(over.func).thing is range):
            value = self.value(over)
            items = self.items(value if value.items is not None else self.keep(value))
            for item in [self.now(each) for each in items]:  # a turn may change what the items were made of
                self.assign(name, item)
                self._turn(node)
            return
        if over.keywords or not 1 <= len(over.args) <= 3 or any(isinstance(each, ast.Starred) for each in over.args):
            raise Refused("a range with other arguments than its ends and its step")
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
        self._counted_turns(node, low, high, step)

    def _turn(self, node: ast.For) -> None:
        """Translate a turn of a loop that is written out."""
        if any(isinstance(inner, ast.Break | ast.Continue) for inner in ast.walk(node)):
            raise Refused("a jump out of a loop over the items of a tuple")
        self.block(node.body)

    def _counted_turns(self, node: ast.For, low: Value, high: Value, step: int) -> None:
        end, opened = high.text, high.number is None
        if opened:
            end = f"end{self.number()}__"
            self.emit(f"{{ const int64_t {end} = {self.whole(high)};")
        assert isinstance(node.target, ast.Name)
        at = c_name(node.target.id)
        while self.variables.setdefault(at, INT) != INT:
            at = f"{at}__i"
        turn = {1: f"{at}++", -1: f"{at}--"}.get(step, f"{at} += {step}")
        self.emit(f"for ({at} = {self.whole(low)}; {at} {'<' if step > 0 else '>'} {end}; {turn}) {{")
        self.env.pop(node.target.id, None)
        with self._turns(node):
            self.env[node.target.id] = Value(INT, at)
            self.block(node.body)
        self.emit("} }" if opened else "}")

    @contextmanager
    def _turns(self, node: ast.For | ast.While) -> Iterator[None]:
        """Translate what is done again and again: what a name is must not depend on the turn where it is read."""
        before = dict(self.env)
        self.jumps.append([])
        yield
        for after in (*self.jumps.pop(), self.env):
            changed = {name for name in before if name in after and not same(before[name], after[name])}
            for inner in ast.walk(node):
                if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load) and inner.id in changed:
                    raise Refused(f"what {inner.id} is changes from turn to turn of a loop")
            before = join_names(before, after)
        self.env = before

    def do_Continue(self, node: ast.Continue) -> bool:
        """Translate a statement of the kind Continue."""
        self.emit("continue;")
        self.jumps[-1].append(dict(self.env))
        return True

    def do_Break(self, node: ast.Break) -> bool:
        """Translate a statement of the kind Break."""
        self.emit("break;")
        self.jumps[-1].append(dict(self.env))
        return True

    def _chooses_items(self, node: ast.For, name: str) -> bool:
        """Return whether the body chooses items of a tuple by the counter; never with jumps out of it."""
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
