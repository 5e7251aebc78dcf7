"""Sums of scaled rows: the functions of `kernel.maths.simd_rows`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from lissom.export.c.translation.operators import Value, combine, lift
from lissom.export.c.translation.value_kinds import any_length, declare
from lissom.kernel.data.arrays import ROW_WIDTH

if TYPE_CHECKING:
    from lissom.export.c.translation.c_file import Unit


def lane_sum(unit: Unit, verb: str, arguments: list[Value]) -> Value:
    """Return a call of one of them; the numbers of rows differ, so that each has a C function of its own."""
    out, *span, scales, rows = arguments
    kinds = verb, any_length(out.kind), scales.kind, rows.kind
    if kinds not in unit.known:
        unit.known[kinds] = _function(unit, *kinds), None
    handed = ", ".join(each.text for each in (out, *span, scales, rows))
    return Value(None, f"{unit.known[kinds][0]}({handed})")


def _function(unit: Unit, verb: str, out: Any, scales: Any, rows: Any) -> str:
    """Return the C function for rows of these kinds."""
    terms = [combine(ast.Mult(), _scale(scales, j), _row(rows, j)) for j in range(len(scales.items))]
    adds, one_step = verb.startswith("add"), verb.endswith("lanes")
    total = Value(out.item, "out[k]") if adds else terms.pop(0)
    for term in terms:
        total = combine(ast.Add(), total, term)
    name = unit.free_name(f"{verb}_{len(scales.items)}")
    for kind in (scales, rows):
        unit.made(kind)
    span, end = ("int first", f"first + {ROW_WIDTH}") if one_step else ("int first, int last", "last")
    takes = f"{declare(out, 'out')}, {span}, {declare(scales, 's')}, {declare(rows, 'rows')}"
    unit.functions[name] = (
        f"/* out {'+=' if adds else '='} sum of scaled rows, from entry `first` to before {end}. */\n"
        f"static inline void {name}({takes})\n{{\n"
        f"    for (int k = first; k < {end}; k++) {{\n        out[k] = {lift(total, out.item).text};\n    }}\n"
        "}\n"
    )
    return name


def _scale(scales: Any, j: int) -> Value:
    return Value(scales.items[j], f"s.{f'at[{j}]' if scales.alike else f'f{j}'}")


def _row(rows: Any, j: int) -> Value:
    return Value(rows.items[j].item, f"rows.{f'at[{j}]' if rows.alike else f'f{j}'}[k]")
