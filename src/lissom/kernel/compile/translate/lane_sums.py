"""Sums of rows in vector registers: the functions of `kernel.maths.simd_rows` as loops over registers of four
doubles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom.kernel.compile.kinds import Number
from lissom.kernel.compile.translate.refused import Refused
from lissom.kernel.compile.translate.types import REAL, is_whole, letter
from lissom.kernel.compile.translate.values import Value, converted
from lissom.kernel.data.arrays import ROW_WIDTH

if TYPE_CHECKING:
    from lissom.kernel.compile.translate.scope import Scope

# By the letter of the result: C type of a register, entries in it, entries to whose multiple rows are padded.
REGISTERS = {"d": ("v4", 4, ROW_WIDTH), "c": ("v4", 2, ROW_WIDTH), "p": ("pack", 1, 1), "q": ("cpack", 1, 1)}


def lane_sum(within: Scope, verb: str, arguments: list[Value]) -> Value:
    """out (+)= sum scales[i] rows[i]; `_scaled` over the registers from `first` to `last`, `_lanes` one step."""
    out, *span, scales, rows = arguments
    factors = within.items(scales if scales.items is not None else within.kept(scales))
    sources = within.items(rows if rows.items is not None else within.kept(rows))
    if any(x.kind.layout != "C" for x in (out, *sources)):
        raise Refused("the entries of a row must lie side by side")
    kind = letter(Number(out.kind.dtype))
    register, step, padded = REGISTERS[kind]
    k, emit, types = f"k{within.number()}__", within.emit, within.types
    emit("{")
    emit(f"{types.name(Number(out.kind.dtype))} *o__ = {out.text};")
    terms = []
    for j, (factor, source) in enumerate(zip(factors, sources, strict=True)):
        factor, number = converted(factor, REAL) if is_whole(factor.kind) else factor, Number(source.kind.dtype)
        emit(f"const {types.name(factor.kind)} f{j}__ = {factor.text};")
        emit(f"const {types.name(number)} *r{j}__ = {source.text};")
        terms.append(f"term_{kind}_{letter(factor.kind)}{letter(number)}(f{j}__, r{j}__ + {k})")
    low, high = span[0].text, f"({span[0].text}) + {ROW_WIDTH}" if verb.endswith("lanes") else span[1].text
    if verb.endswith("scaled") and padded > 1:  # from the begin of the first register to the end of the last
        high = f"({high}) > ({low}) ? (({high}) + {padded - 1}) & -{padded} : ({low}) & -{padded}"
        low = f"({low}) & -{padded}"
    emit(f"const int64_t e__ = {high};")
    emit("SHORT_LOOP")
    emit(f"for (int64_t {k} = {low}; {k} < e__; {k} += {step}) {{")
    if verb.startswith("add"):
        total, terms = f"load_{kind}(o__ + {k})", terms
    else:
        total, *terms = terms
    emit(f"{register} s__ = {total};")
    for term in terms:
        emit(f"s__ = plus_{kind}(s__, {term});")
    emit(f"store_{kind}(o__ + {k}, s__); }} }}")
    return Value(None, thing=())
