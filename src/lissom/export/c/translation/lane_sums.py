"""Sums of scaled rows, a few entries at a time: the kernel's `add_lanes` and `set_lanes`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from lissom.export.c.translation.kinds import any_length, declared
from lissom.export.c.translation.operators import Value, combined, lifted
from lissom.kernel.arrays import LANES

if TYPE_CHECKING:
    from lissom.export.c.translation.unit import Unit


def lane_sum(unit: Unit, verb: str, arguments: list[Value]) -> Value:
    """A call of add_lanes or set_lanes; the numbers of rows differ, so that each has a C function of its own."""
    out, at, scales, rows = arguments
    kinds = verb, any_length(out.kind), scales.kind, rows.kind
    if kinds not in unit.known:
        unit.known[kinds] = _function(unit, *kinds), None
    return Value(None, f"{unit.known[kinds][0]}({out.text}, {at.text}, {scales.text}, {rows.text})")


def _function(unit: Unit, verb: str, out: Any, scales: Any, rows: Any) -> str:
    """The C function for rows of these kinds."""
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
