"""Variables of Python that hold one thing here and another there become two of C.

Assignments that reach a common use belong together (reaching definitions, over the statements that kernels have); each
such group gets a name of its own. On the way is found what C would do differently: the counter of a loop is one further
after it than in Python, and a counter that the loop itself changes would change the loop.
"""

from __future__ import annotations

import ast
from typing import Any

from lissom.kernel.compile.translate.refused import Refused

Reaching = dict[str, frozenset[Any]]  # by variable: the definitions that may have given it its value


def separate(function: ast.FunctionDef) -> None:
    """Rename the variables of a function's tree, so that each name holds one thing."""
    Webs(function).rename()


class Webs:
    """Groups of definitions and uses."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.leader: dict[Any, Any] = {}
        self.uses: list[tuple[ast.Name, frozenset[Any]]] = []
        self.definitions: list[ast.Name] = []
        self.counters: dict[int, ast.For] = {}  # by the definition of each loop's counter
        self.running: list[str] = []  # counters of the loops around
        self.parameters = [each.arg for each in function.args.args]
        state: Reaching = {name: frozenset([("parameter", name)]) for name in self.parameters}
        self._block(function.body, state, [], [])

    def rename(self) -> None:
        """Give each group of definitions and uses but the first of a name a name of its own."""
        groups: dict[str, list[Any]] = {name: [self._find(("parameter", name))] for name in self.parameters}
        for node in self.definitions:
            own = groups.setdefault(node.id, [])
            if (root := self._find(id(node))) not in own:
                own.append(root)
        names = {root: f"{name}__{k + 1}" for name, roots in groups.items() for k, root in enumerate(roots) if k}
        for node in {id(each): each for each in self.definitions}.values():
            node.id = names.get(self._find(id(node)), node.id)
        for node, reaching in self.uses:
            node.id = names.get(self._find(next(iter(reaching))), node.id)

    def _find(self, one: Any) -> Any:
        while self.leader.get(one, one) != one:
            one = self.leader[one]
        return one

    def _join(self, several: frozenset[Any]) -> None:
        first, *others = several
        for other in others:
            self.leader[self._find(other)] = self._find(first)

    def _reads(self, node: ast.AST | None, state: Reaching) -> None:
        """Note what an expression reads, in the order in which Python does."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and state.get(node.id):
            for one in state[node.id]:
                if one in self.counters and node.id not in self.running:
                    raise Refused(f"the counter {node.id} of a loop is read after the loop").at_line(node.lineno)
            self._join(state[node.id])
            self.uses.append((node, state[node.id]))
        elif isinstance(node, ast.NamedExpr):
            self._reads(node.value, state)
            self._writes(node.target, state)
        elif isinstance(node, ast.IfExp):
            for part in (node.test, node.body, node.orelse):
                self._reads(part, state)
        elif node is not None:
            for inner in ast.iter_child_nodes(node):
                self._reads(inner, state)

    def _writes(self, target: ast.expr, state: Reaching) -> None:
        if isinstance(target, ast.Name):
            if target.id in self.running:
                raise Refused(f"the counter {target.id} of a loop is changed inside it").at_line(target.lineno)
            self.definitions.append(target)
            state[target.id] = frozenset([id(target)])
        elif isinstance(target, ast.Tuple):
            for each in target.elts:
                self._writes(each, state)
        else:  # an entry, whose indices are found when its turn comes
            self._reads(target, state)

    def _block(
        self, statements: list[ast.stmt], state: Reaching, breaks: list[Reaching], continues: list[Reaching]
    ) -> Reaching | None:
        """Return what reaches the end of the statements; None if that is never reached."""
        for node in statements:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                self._reads(node.value, state)
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    self._writes(target, state)
            elif isinstance(node, ast.AugAssign):
                self._augment(node, state)
            elif isinstance(node, ast.If):
                self._reads(node.test, state)
                ends = [self._block(part, dict(state), breaks, continues) for part in (node.body, node.orelse)]
                if ends == [None, None]:
                    return None
                state = _merge(*ends)
            elif isinstance(node, ast.For | ast.While):
                state = self._loop(node, state)
            elif isinstance(node, ast.Break):
                breaks.append(state)
                return None
            elif isinstance(node, ast.Continue):
                continues.append(state)
                return None
            else:
                self._reads(node, state)
                if isinstance(node, ast.Return):
                    return None
        return state

    def _augment(self, node: ast.AugAssign, state: Reaching) -> None:
        self._reads(node.value, state)
        self._reads(node.target, state)
        if isinstance(node.target, ast.Name):
            name = node.target.id
            before = state.get(name, frozenset())
            self._writes(node.target, state)
            self._join(before | state[name])

    def _loop(self, node: Any, state: Reaching) -> Reaching:
        counts = isinstance(node, ast.For) and isinstance(node.iter, ast.Call)
        if isinstance(node, ast.For):
            self._reads(node.iter, state)
        for _ in range(2):  # what one turn leaves reaches the next
            breaks: list[Reaching] = []
            continues: list[Reaching] = []
            inside = dict(state)
            if isinstance(node, ast.For):
                self._writes(node.target, inside)
                if counts and isinstance(node.target, ast.Name):
                    self.counters[id(node.target)] = node
                    self.running.append(node.target.id)
            else:
                self._reads(node.test, inside)
            end = self._block(node.body, inside, breaks, continues)
            if counts and isinstance(node.target, ast.Name):
                self.running.pop()
            state = _merge(state, end, *continues)
        if isinstance(node, ast.While):
            self._reads(node.test, state)
        return _merge(state, *breaks)


def _merge(*states: Reaching | None) -> Reaching:
    out: Reaching = {}
    for state in states:
        for name, reaching in (state or {}).items():
            out[name] = out.get(name, frozenset()) | reaching
    return out
