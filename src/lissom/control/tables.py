"""Time series from CSV files."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lissom.control import checks
from lissom.errors import LissomError
from lissom.messages import did_you_mean, listed

MAX_BYTES = 200_000_000
LONGEST = 1000  # characters of a cell


def read(
    path: str | os.PathLike[str], columns: Sequence[str | int] | None, time: str | int
) -> tuple[np.ndarray, np.ndarray]:
    """Times (k,) and values (k, n) of a file with one row per time; a first row of text names the columns."""
    if columns is not None and (isinstance(columns, str) or not isinstance(columns, Sequence)):
        raise LissomError(f"columns = {columns!r}: must be a list of names or numbers, such as [elbow] or [1, 2]")
    file = Path(path)
    text = _text(file)
    lines = [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip() and line[0] != "#"]
    if not lines:
        raise LissomError(f"{file}: has no rows; give one row per time: time, value, ...")
    first = lines[0][1]
    delimiter = next((d for d in (";", "\t", ",") if d in first), None)

    def cells(line: str) -> list[str]:
        if max(map(len, line.split(delimiter)), default=0) > LONGEST:
            raise LissomError(f"{file}: has a cell of more than {LONGEST} characters; give numbers")
        return [c.strip() for c in next(csv.reader([line], delimiter=delimiter))] if delimiter else line.split()

    head = cells(first)
    names = head if any(_number(c) is None for c in head) else None
    rows = lines[1:] if names else lines
    wanted = [_column(file, names, len(head), time)]
    others = [k for k in range(len(head)) if k != wanted[0]]
    wanted += others if columns is None else [_column(file, names, len(head), c) for c in columns]
    if len(wanted) < 2:
        raise LissomError(f"{file}: has a time column alone; give one more column per channel")
    table = np.empty((len(rows), len(wanted)))
    for i, (n, line) in enumerate(rows):
        entries = cells(line)
        if len(entries) != len(head):
            raise LissomError(f"{file}:{n}: has {len(entries)} columns, the first row has {len(head)}")
        for j, column in enumerate(wanted):
            value = _number(entries[column])
            if value is None or not np.isfinite(value):
                name = names[column] if names else column
                raise LissomError(f"{file}:{n}: column {name} = {entries[column]!r}: must be a finite number")
            table[i, j] = value
    late = np.flatnonzero(np.diff(table[:, 0]) <= 0)
    if len(late):
        n, t = rows[late[0] + 1][0], table[late[0] + 1, 0]
        raise LissomError(f"{file}:{n}: time {t:g} is not later than the one before; give rising times")
    if len(table) < 2:
        raise LissomError(f"{file}: has one row of numbers; two at least are needed")
    return table[:, 0], table[:, 1:]


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise LissomError(f"{file}: larger than {MAX_BYTES / 1e6:g} MB; give fewer samples")
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = error.strerror or str(error)
        raise LissomError(f"{file}: cannot be read ({reason}); check the path") from None
    except UnicodeDecodeError:
        raise LissomError(f"{file}: is not UTF-8 text; save it as a CSV file in UTF-8") from None


def _column(file: Path, names: list[str] | None, count: int, wanted: str | int) -> int:
    if isinstance(wanted, str):
        if names is None:
            raise LissomError(f"{file}: column {wanted!r}: the first row has no names; give column numbers from 0")
        if wanted not in names:
            hint = did_you_mean(wanted, names)
            raise LissomError(f"{file}: column {wanted!r}: is not there{hint}; the columns are {listed(names, 'and')}")
        return names.index(wanted)
    k = int(checks.number(wanted, f"{file}: column", "give a column number from 0", at_least=0))
    if k >= count:
        raise LissomError(f"{file}: column {k}: is not there; the columns are 0 to {count - 1}")
    return k


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
