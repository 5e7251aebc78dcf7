"""C text of memory: structs that functions work in, constant tables, and tables that parameters change."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lissom.export.c.translation.value_kinds import INT, ITEMS, REAL, Record, shape_in_c

UNIT = {REAL: "1.0", "dual": "lift(1.0)"}


def struct_text(record: Record, used: Iterable[str], gravity: np.ndarray) -> str:
    """Return the struct of a record with the fields that are used, and the function that clears it."""
    lines, fields = [], list(used)
    for name in fields:
        field = getattr(record.fields, name)
        if isinstance(field, Record):
            lines.append(f"    struct {field.name} *{name};")
        else:
            lines.append(f"    {ITEMS[field.dtype.kind]} {name}{_sizes(field.shape)};")
    is_workspace = record.name.endswith("workspace")
    frames = [name for name in ("rotation", "world_rotation") if name in fields and is_workspace]
    unit = UNIT["dual" if record.is_dual else REAL]
    begin = ["    memset(work, 0, sizeof *work);"]
    if is_workspace:
        lines.append("    double gravity[3];")
        begin = [
            f"    static const double gravity[3] = {{{', '.join(repr(float(g)) for g in gravity)}}};",
            *begin,
            "    for (int k = 0; k < 3; k++) {",
            "        work->gravity[k] = gravity[k];",
            *(f"        work->{name}[0][k][k] = {unit};" for name in frames),
            "    }",
        ]
    head = f"static void begin_{record.name}(struct {record.name} *work)"
    return "\n".join([f"struct {record.name} {{", *lines, "};", "", head, "{", *begin, "}", ""])


def table_text(name: str, values: np.ndarray) -> str:
    """Return a constant table; C has none without entries."""
    full = np.zeros(shape_in_c(values.shape), values.dtype)
    full[tuple(slice(0, size) for size in values.shape)] = values
    item = INT if values.dtype.kind == "i" else REAL
    return f"static const {item} {name}{_sizes(values.shape)} = {_nest(full)};\n"


def _sizes(shape: tuple[int, ...]) -> str:
    return "".join(f"[{size}]" for size in shape_in_c(shape))


def _nest(values: np.ndarray) -> str:
    if values.ndim == 1:
        texts = [repr(each) for each in values.tolist()]
        lines = [", ".join(texts[k : k + 8]) for k in range(0, len(texts), 8)]
        return "{" + ",\n     ".join(lines) + "}"
    return "{" + ",\n    ".join(map(_nest, values)) + "}"
