"""Time series from CSV files."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lissom.errors import LissomError
from lissom.files import check_file
from lissom.messages import brief, did_you_mean, listed
from lissom.model.schema.number_fields import kind_of
from lissom.model.schema.units import UNITS, heading

MAX_BYTES = 200_000_000
HOLES = ("", "nan", "na", "n/a", "none", "null")  # what stands in a cell without a measurement


def read(
    path: str | os.PathLike[str], columns: Sequence[str | int] | str | int | None, time: str | int, holes: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Read times (k,) and values (k, n) from a file with one row per time; a first row of text names the columns.

    Numbers under a name with a unit, as `elbow [deg]`, become SI. Measured data may have `holes`: empty cells become
    NaN, and numbers are taken as they are.
    """
    file = str(path)
    text = _text(Path(path))
    lines = [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip() and line[0] != "#"]
    if not lines:
        raise LissomError("has no rows; give one row per time: time, value, ...", source=file)
    first = lines[0][1]
    delimiter = next((d for d in (";", "\t", ",") if d in first), None)

    def cells(n: int, line: str) -> list[str]:
        if delimiter is None:
            return line.split()
        try:
            return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter))]
        except csv.Error as error:  # a cell of a hundred thousand characters
            raise LissomError(
                f"cannot be read as CSV ({error}); give one number per cell", source=file, line=n
            ) from None

    head = cells(*lines[0])
    names = head if any(_number(c) is None for c in head) else None
    rows = lines[1:] if names else lines
    wanted = [_column(names, len(head), time, file)]
    others = [k for k in range(len(head)) if k != wanted[0]]
    wanted += others if columns is None else [_column(names, len(head), c, file) for c in _check_columns(columns)]
    if len(wanted) < 2:
        raise LissomError("has only a time column; give one more column per channel", source=file)
    sizes = [1.0] * len(wanted) if holes or names is None else _sizes([names[k] for k in wanted], file)
    table = np.empty((len(rows), len(wanted)))
    for i, (n, line) in enumerate(rows):
        entries = cells(n, line)
        if len(entries) != len(head):
            text = f"has {len(entries)} columns, the first row has {len(head)}"
            raise LissomError(text, source=file, line=n)
        for j, column in enumerate(wanted):
            value = np.nan if holes and entries[column].lower() in HOLES else _number(entries[column])
            if value is None or not (holes or np.isfinite(value)):
                text = (
                    f"column {names[column] if names else column} = {brief(entries[column])}: must be a finite number"
                )
                raise LissomError(text, source=file, line=n)
            table[i, j] = value * sizes[j]
    late = np.flatnonzero(np.diff(table[:, 0]) <= 0)
    if len(late) and not holes:
        n, t = rows[late[0] + 1][0], table[late[0] + 1, 0]
        raise LissomError(f"time {t:g} is not later than the one before; give rising times", source=file, line=n)
    if len(table) < 2:
        raise LissomError("has one row of numbers; at least two are needed", source=file)
    return table[:, 0], table[:, 1:]


def _text(file: Path) -> str:
    source = str(file)
    try:
        check_file(file, "CSV file")
        if file.stat().st_size > MAX_BYTES:
            raise LissomError(f"larger than {MAX_BYTES / 1e6:g} MB; give fewer samples", source=source)
        return file.read_text(encoding="utf-8-sig")
    except LissomError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise LissomError(f"cannot be read ({reason}); check the path", source=source) from None
    except UnicodeDecodeError:
        raise LissomError("is not UTF-8 text; save it as a CSV file in UTF-8", source=source) from None
    except ValueError as error:  # a path that no file system takes
        raise LissomError(f"cannot be read ({error}); check the path", source=source) from None


def _check_columns(columns: Any) -> Sequence[Any]:
    if isinstance(columns, str | int | np.integer):
        return [columns]
    if not isinstance(columns, Sequence):
        text = f"must be a list of names or numbers, not {kind_of(columns)}; give one column per channel"
        raise LissomError(text, ("columns",), columns)
    return columns


def _column(names: list[str] | None, count: int, wanted: Any, file: str) -> int:
    """Return the number of a column, given by its name or its number."""
    if isinstance(wanted, str):
        if names is None:
            text = f"column {wanted!r}: the first row has no names; give column numbers from 0"
            raise LissomError(text, source=file)
        if wanted not in names:
            bare = [heading(name)[0] for name in names]
            names = bare if wanted in bare else names
        if names.count(wanted) > 1:
            text = f"column {brief(wanted)}: stands over {names.count(wanted)} columns; give its number, from 0"
            raise LissomError(text, source=file)
        if wanted not in names:
            text = f"column {brief(wanted)}: is not there{did_you_mean(wanted, names)}"
            raise LissomError(f"{text}; the columns are {listed(names, 'and')}", source=file)
        return names.index(wanted)
    if isinstance(wanted, bool) or not isinstance(wanted, int | np.integer) or wanted < 0:
        raise LissomError(f"column {brief(wanted)}: must be a name, or a number from 0", source=file)
    if wanted >= count:
        raise LissomError(f"column {wanted}: is not there; the columns are 0 to {count - 1}", source=file)
    return int(wanted)


def _sizes(names: Sequence[str], file: str) -> list[float]:
    """How many of SI's one of each column is, by the unit in its name; the first is the time."""
    found = [heading(name)[1] for name in names]
    if found[0] is not None and found[0].kind != UNITS["s"].kind:
        raise LissomError(f"column {brief(names[0])}: is no time; give times in s or ms", source=file)
    return [1.0 if unit is None else unit.size for unit in found]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
