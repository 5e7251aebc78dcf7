"""Sums of rows in registers: the functions of `kernel.maths.simd_rows` as loops over registers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom.kernel.compile.argument_kinds import Number
from lissom.kernel.compile.translate.refused import Refused
from lissom.kernel.compile.translate.types import REAL, is_whole, letter
from lissom.kernel.compile.translate.values import Value, convert
from lissom.kernel.data.arrays import ROW_WIDTH

if TYPE_CHECKING:
    from lissom.kernel.compile.translate.scope import Scope

# By the letter of the result: C type of a sum, entries of a step, which are those to whose multiple rows are padded.
STEPS = {"d": ("v4", ROW_WIDTH), "c": ("csum", ROW_WIDTH), "p": ("pack", 1), "q": ("cpack", 1)}
# What complex sums still need at the end, by the letters of their terms: of scales and rows.
ENDINGS = {"turned": {"cc"}, "paired": {"cd", "dd"}}


def lane_sum(within: Scope, verb: str, arguments: list[Value]) -> Value:
    """Write out (+)= sum scales[i] rows[i]: `_scaled` over the registers from `first` to `last`, `_lanes` one step."""
    out, *span, scales, rows = arguments
    factors = within.items(scales if scales.items is not None else within.keep(scales))
    sources = within.items(rows if rows.items is not None else within.keep(rows))
    if any(x.kind.layout != "C" for x in (out, *sources)):
        raise Refused("the entries of a row must lie side by side")
    kind = letter(Number(out.kind.dtype))
    register, step = STEPS[kind]
    k, emit, types = f"k{within.number()}__", within.emit, within.types
    emit("{")
    emit(f"{types.name(Number(out.kind.dtype))} *o__ = {out.text};")
    terms, letters = [], set()
    for j, (factor, source) in enumerate(zip(factors, sources, strict=True)):
        factor, number = convert(factor, REAL) if is_whole(factor.kind) else factor, Number(source.kind.dtype)
        emit(f"const {types.name(factor.kind)} f{j}__ = {factor.text};")
        emit(f"const {types.name(number)} *r{j}__ = {source.text};")
        letters.add(pair := letter(factor.kind) + letter(number))
        terms.append(f"term_{kind}_{pair}(s__, f{j}__, r{j}__ + {k})")
    low, high = span[0].text, f"({span[0].text}) + {ROW_WIDTH}" if verb.endswith("lanes") else span[1].text
    if verb.endswith("scaled") and step > 1:  # from the begin of the first register to the end of the last
        high = f"({high}) > ({low}) ? (({high}) + {step - 1}) & -{step} : ({low}) & -{step}"
        low = f"({low}) & -{step}"
    emit(f"const int64_t e__ = {high};")
    emit("SHORT_LOOP")
    emit(f"for (int64_t {k} = {low}; {k} < e__; {k} += {step}) {{")
    begin = f"load_{kind}(o__ + {k})" if verb.startswith("add") else f"nothing_{kind}()"
    emit(f"{register} s__ = {begin};")
    for term in terms:
        emit(f"s__ = {term};")
    for ending, of in ENDINGS.items() if kind == "c" else ():
        if letters & of:
            emit(f"s__ = {ending}(s__);")
    emit(f"store_{kind}(o__ + {k}, s__); }} }}")
    return Value(None, thing=())
