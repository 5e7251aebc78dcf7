"""Where C declares the variables of a Python function: in the innermost block that holds all their uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple


class Occurrence(NamedTuple):
    """A name in a statement, with the blocks around it and the statement of each that holds it."""

    name: str
    blocks: tuple[int, ...]
    statements: tuple[ast.stmt, ...]


class Blocks:
    """The home of every variable of a function.

    A variable is declared by the assignment that first gives it a value, where that stands in its home; otherwise
    before the statement of its home in which it first occurs. Loops declare their counters.
    """

    def __init__(self, function: ast.FunctionDef) -> None:
        self._found: list[Occurrence] = []
        self._walk(function.body, (id(function),), ())
        stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        stored -= {each.arg for each in function.args.args}
        self._found = [each for each in self._found if each.name in stored and not _counts(each)]
        self._home = {name: self._first(name) for name in sorted({each.name for each in self._found})}

    def declares(self, statement: ast.stmt, name: str) -> bool:
        """Return whether this statement is to declare the variable with its value."""
        return self._home.get(name) is statement and name in _targets(statement)

    def declared_before(self, statement: ast.stmt) -> list[str]:
        """Return variables to declare before the statement, without a value."""
        return [name for name, at in self._home.items() if at is statement and name not in _targets(statement)]

    def _first(self, name: str) -> ast.stmt:
        found = [each for each in self._found if each.name == name]
        depth, shortest = 0, min(len(each.blocks) for each in found)
        while depth < shortest and len({each.blocks[depth] for each in found}) == 1:
            depth += 1
        return found[0].statements[depth - 1]

    def _walk(self, body: list[ast.stmt], blocks: tuple[int, ...], around: tuple[ast.stmt, ...]) -> None:
        for statement in body:
            here = (*around, statement)
            inner = [statement.body, getattr(statement, "orelse", [])] if hasattr(statement, "body") else []
            self._found += [Occurrence(name, blocks, here) for name in _names(statement, inner)]
            for k, block in enumerate(inner):
                self._walk(block, (*blocks, id(statement) + k), here)


def _counts(occurrence: Occurrence) -> bool:
    """Return whether the name is the counter of a loop around it, or that of the statement itself."""
    return any(isinstance(each, ast.For) and occurrence.name in _counter(each) for each in occurrence.statements)


def _counter(loop: ast.For) -> set[str]:
    return {loop.target.id} if isinstance(loop.target, ast.Name) else set()


def _targets(statement: ast.stmt) -> set[str]:
    if not isinstance(statement, ast.Assign):
        return set()
    nodes = ast.walk(statement.targets[0])
    return {each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def _names(statement: ast.stmt, inner: list[list[ast.stmt]]) -> Iterator[str]:
    """Yield names in a statement itself, not in the blocks within it."""
    within = {id(node) for block in inner for part in block for node in ast.walk(part)}
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and id(node) not in within:
            yield node.id


def give_own_names(function: ast.FunctionDef) -> None:
    """Rename what a branch that returns sets for itself, where the rest of the function has a variable of that name.

    In Python both may hold different kinds of things, in C one variable cannot.
    """
    count = 0
    for branch in [node for node in ast.walk(function) if isinstance(node, ast.If)]:
        if not isinstance(branch.body[-1], ast.Return):
            continue
        inside = {id(node) for part in branch.body for node in ast.walk(part)}
        stored = (n for n in ast.walk(function) if isinstance(n, ast.Name) and _is_stored(n))
        outside = {name.id for name in stored if id(name) not in inside}
        own = _set_first(branch.body) & outside
        count += bool(own)
        for part in branch.body if own else ():
            for node in ast.walk(part):
                if isinstance(node, ast.Name) and node.id in own:
                    node.id = f"{node.id}_{count}"


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _set_first(body: list[ast.stmt]) -> set[str]:
    """Return names that the statements set before they read them."""
    read: set[str] = set()
    found: set[str] = set()
    for statement in body:
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        read |= {n.id for n in names if not _is_stored(n) or isinstance(statement, ast.AugAssign)} - found
        found |= {n.id for n in names if _is_stored(n)} - read
    return found
