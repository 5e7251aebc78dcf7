"""CasADi functions as C statements that read: temporaries where a value serves twice, expressions where it serves once.

CasADi holds a function of scalars as a list of instructions on registers. Here that list becomes `const double t7 =
q[0] * t3 + t5;`, in the same order of operations, so that the numbers are those of the instructions to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

import casadi

from lissom.errors import LissomError

WIDTH = 112  # of a line
LONGEST = 12  # operations in one expression
PART = 300  # statements in one part: what compilers do to a block grows with its square

SUM, PRODUCT, PREFIX, ATOM = range(4)  # how tightly the outermost operation of an expression binds

BINARY = {
    casadi.OP_ADD: ("+", SUM),
    casadi.OP_SUB: ("-", SUM),
    casadi.OP_MUL: ("*", PRODUCT),
    casadi.OP_DIV: ("/", PRODUCT),
}
CALLS = {
    casadi.OP_SIN: "sin({})",
    casadi.OP_COS: "cos({})",
    casadi.OP_TAN: "tan({})",
    casadi.OP_ASIN: "asin({})",
    casadi.OP_ACOS: "acos({})",
    casadi.OP_ATAN: "atan({})",
    casadi.OP_ATAN2: "atan2({}, {})",
    casadi.OP_SINH: "sinh({})",
    casadi.OP_COSH: "cosh({})",
    casadi.OP_TANH: "tanh({})",
    casadi.OP_EXP: "exp({})",
    casadi.OP_LOG: "log({})",
    casadi.OP_SQRT: "sqrt({})",
    casadi.OP_POW: "pow({}, {})",
    casadi.OP_CONSTPOW: "pow({}, {})",
    casadi.OP_FABS: "fabs({})",
    casadi.OP_FMIN: "fmin({}, {})",
    casadi.OP_FMAX: "fmax({}, {})",
    casadi.OP_SIGN: "sign_of({})",
    casadi.OP_LT: "({} < {} ? 1.0 : 0.0)",
    casadi.OP_LE: "({} <= {} ? 1.0 : 0.0)",
    casadi.OP_EQ: "({} == {} ? 1.0 : 0.0)",
    casadi.OP_NE: "({} != {} ? 1.0 : 0.0)",
    casadi.OP_NOT: "({} == 0.0 ? 1.0 : 0.0)",
    casadi.OP_AND: "({} != 0.0 && {} != 0.0 ? 1.0 : 0.0)",
    casadi.OP_OR: "({} != 0.0 || {} != 0.0 ? 1.0 : 0.0)",
    casadi.OP_IF_ELSE_ZERO: "({} != 0.0 ? {} : 0.0)",
}
SIMPLE: dict[int, Callable[[StatementNode], Any]] = {  # operations that others say as well
    casadi.OP_SQ: lambda x: ("*", PRODUCT, (x, x)),
    casadi.OP_TWICE: lambda x: ("*", PRODUCT, (StatementNode.constant(2.0), x)),
    casadi.OP_INV: lambda x: ("/", PRODUCT, (StatementNode.constant(1.0), x)),
}


class StatementNode:
    """One value: what makes it, how often it is used, and in which statements; once it is printed, as what."""

    __slots__ = ("binds", "first", "form", "last", "named", "of", "reads", "text", "uses", "weight")

    def __init__(self, form: str, binds: int, of: tuple[StatementNode, ...] = ()) -> None:
        self.form, self.binds, self.of = form, binds, of
        self.uses, self.weight, self.text = 0, 0, form
        self.named = False  # whether it has a statement of its own
        self.reads: frozenset[StatementNode] = frozenset()  # the named values that its expression reads
        self.first = self.last = 0  # part of the code in which it is made, and the last that reads it
        for each in of:
            each.uses += 1

    @classmethod
    def constant(cls, value: float) -> StatementNode:
        """Return a number as an operand."""
        return cls(repr(float(value)), ATOM)

    def settle(self) -> None:
        """Decide whether it gets a name."""
        self.weight = 1 + sum(each.weight for each in self.of) if self.of else 0
        self.named = bool(self.of) and (self.uses > 1 or self.weight > LONGEST)
        self.reads = frozenset().union(*({each} if each.named else each.reads for each in self.of))
        if self.named:
            self.weight = 0

    def expression(self) -> str:
        """Return the expression in terms of what its operands are called."""
        if not self.of:
            return self.form
        if self.binds == PREFIX:
            return f"-{self.of[0].bracket(PREFIX)}"
        if self.binds == ATOM:
            return self.form.format(*(each.text for each in self.of))
        left, right = self.of
        return f"{left.bracket(self.binds)} {self.form} {right.bracket(self.binds + 1)}"

    def bracket(self, least: int) -> str:
        """Return its text, in brackets where an operand has to bind as tightly as `least`."""
        return self.text if self.named or self.binds >= least else f"({self.text})"


class Statements(NamedTuple):
    """The code of a function, in parts that a compiler takes in its stride."""

    parts: list[list[str]]
    shared: int  # numbers that one part leaves for later ones, in the array `w`


def statements(function: Any, inputs: Sequence[str], outputs: Sequence[str]) -> Statements:
    """Return lines of C that compute the outputs (arrays, column by column) from the inputs, by their C names."""
    nodes = _nodes(function, inputs, outputs)
    part = count = 0
    for place, node in nodes:
        if not place:
            node.settle()
        if place or node.named:
            part, count = count // PART, count + 1
            node.first = part if node.named and not place else node.first
            for read in {node} if place and node.named else node.reads:
                read.last = part
    lines: list[list[str]] = [[] for _ in range(part + 1)]
    free: list[int] = []
    held: list[tuple[int, int]] = []  # (last part that reads it, place in w)
    shared = count = 0
    for place, node in nodes:
        if not place and not node.named:
            node.text = node.expression()
            continue
        part, count = count // PART, count + 1
        if place:
            lines[part].append(_wrap(f"{place} = {node.text};"))
            continue
        value = node.expression()
        if node.last > node.first:
            free += [at for last, at in held if last < part]
            held = [each for each in held if each[0] >= part]
            if not free:
                free, shared = [shared], shared + 1
            at = free.pop()
            held.append((node.last, at))
            node.text = f"w[{at}]"
            lines[part].append(_wrap(f"{node.text} = {value};"))
        else:
            node.text = f"t{count}"
            lines[part].append(_wrap(f"const double {node.text} = {value};"))
    return Statements(lines, shared)


def operations(function: Any) -> int:
    """Return floating-point operations and calls of elementary functions in one evaluation."""
    silent = {casadi.OP_CONST, casadi.OP_INPUT, casadi.OP_OUTPUT}
    return sum(function.instruction_id(k) not in silent for k in range(function.n_instructions()))


def _nodes(function: Any, inputs: Sequence[str], outputs: Sequence[str]) -> list[tuple[str, StatementNode]]:
    """Return the values in order, each with an empty string; between them what goes to an output, by its place."""
    registers: dict[int, StatementNode] = {}
    found: list[tuple[str, StatementNode]] = []
    for k in range(function.n_instructions()):
        operation, into, of = function.instruction_id(k), function.instruction_output(k), function.instruction_input(k)
        if operation == casadi.OP_OUTPUT:
            value = registers[of[0]]
            value.uses += 1
            found.append((f"{outputs[into[0]]}[{into[1]}]", value))
            continue
        if operation == casadi.OP_CONST:
            node = StatementNode.constant(function.instruction_constant(k))
        elif operation == casadi.OP_INPUT:
            node = StatementNode(f"{inputs[of[0]]}[{of[1]}]", ATOM)
        else:
            node = _operation(operation, tuple(registers[each] for each in of))
        registers[into[0]] = node
        found.append(("", node))
    return found


def _operation(operation: int, of: tuple[StatementNode, ...]) -> StatementNode:
    if operation in BINARY:
        return StatementNode(*BINARY[operation], of)
    if operation == casadi.OP_NEG:
        return StatementNode("-", PREFIX, of)
    if operation in SIMPLE:
        return StatementNode(*SIMPLE[operation](of[0]))
    if operation in CALLS:
        return StatementNode(CALLS[operation], ATOM, of)
    raise LissomError(f"C code has no operation {operation} of CasADi yet; export other functions")


def _wrap(statement: str) -> str:
    return "\n        ".join(wrap(statement, WIDTH, break_long_words=False, break_on_hyphens=False))
