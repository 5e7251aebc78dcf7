"""Files of programs that analyse sections: 6 x 6 stiffness and mass matrices of BECAS, VABS, ANBA and BeamDyn.

All come out in lissom's order (along x, y, z, about x, y, z), x along the beam. VABS has it already; the others count
the beam's axis as their z, with their x and y as lissom's y and z.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lissom.messages import listed
from lissom.model.values import kind_of, refusal

FORMATS = ("vabs", "becas", "anba", "beamdyn")
AXIS_LAST = [2, 0, 1, 5, 3, 4]  # where lissom's rows stand in matrices whose beam runs along z
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?"


class SectionMatrices(NamedTuple):
    """One section of a file; `at`: its place as a fraction of the length, where the file has several."""

    at: float
    stiffness: np.ndarray  # (6, 6)
    mass: np.ndarray  # (6, 6)


def read(data: dict[str, Any], folder: Any) -> list[SectionMatrices]:
    """The sections of `{file: ..., format: ...}`; a refusal in words where they cannot be read."""
    name, form = data.get("file"), data.get("format")
    stray = sorted(set(data) - {"file", "format"})
    if stray:
        raise refusal(f"unknown field {stray[0]!r} beside file; with a file there is only format: {listed(FORMATS)}")
    if not isinstance(name, str):
        raise refusal(f"file must be the name of a file, not {kind_of(name)}; write it relative to the robot file")
    if form not in FORMATS:
        raise refusal(f"format {form!r} of {name} is unknown; choose {listed(FORMATS)}")
    path = Path(folder or "", name).absolute()
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise refusal(f"there is no file {path} that can be read ({error.strerror})") from None
    readers = {"vabs": _vabs, "becas": _becas, "anba": _anba, "beamdyn": _beamdyn}
    try:
        return readers[form](text)
    except _Unreadable as error:
        raise refusal(f"{path.name} cannot be read as {form}: {error}") from None


class _Unreadable(Exception):
    """What a file lacks."""


def _vabs(text: str) -> list[SectionMatrices]:
    stiffness = _block(
        text, r"Timoshenko Stiffness Matrix", "Timoshenko stiffness matrix (run VABS with Timoshenko on)"
    )
    mass = _block(text, r"6\s*[xX]\s*6 Mass Matrix(?! at)", "6 x 6 mass matrix")
    return [SectionMatrices(0.0, stiffness, mass)]


def _becas(text: str) -> list[SectionMatrices]:
    stiffness = _block(text, r"^\s*K\s*=", "stiffness matrix after K=")
    mass = _block(text, r"^\s*M\s*=", "mass matrix after M=")
    return [_turned(0.0, stiffness, mass)]


def _anba(text: str) -> list[SectionMatrices]:
    """Two matrices as PETSc views them (row 0: (0, 1.) (1, 0.) ...) or as plain rows: stiffness first, then mass."""
    rows = []
    for line in text.splitlines():
        pairs = re.findall(rf"\(\s*(\d+)\s*,\s*({NUMBER})\s*\)", line)
        if pairs:
            row = np.zeros(6)
            for column, value in pairs:
                if int(column) > 5:
                    raise _Unreadable("a matrix with more than six columns")
                row[int(column)] = _number(value)
            rows.append(row)
        else:
            plain = _row(line)
            if plain is not None:
                rows.append(plain)
    if len(rows) != 12:
        raise _Unreadable(
            f"it holds {len(rows)} rows of six numbers, not 12: the stiffness matrix, then the mass matrix"
        )
    return [_turned(0.0, np.array(rows[:6]), np.array(rows[6:]))]


def _beamdyn(text: str) -> list[SectionMatrices]:
    start = re.search(r"DISTRIBUTED PROPERTIES.*", text, re.IGNORECASE)
    if start is None:
        raise _Unreadable("it has no heading DISTRIBUTED PROPERTIES")
    numbers = re.findall(NUMBER, text[start.end() :])
    if not numbers or len(numbers) % 73:
        raise _Unreadable(
            f"after its heading DISTRIBUTED PROPERTIES stand {len(numbers)} numbers; every station has 73: its place "
            "from 0 to 1 and two matrices of six rows"
        )
    table = np.array([_number(n) for n in numbers]).reshape(-1, 73)
    return [_turned(row[0], row[1:37].reshape(6, 6), row[37:].reshape(6, 6)) for row in table]


def _turned(at: float, stiffness: np.ndarray, mass: np.ndarray) -> SectionMatrices:
    """From matrices whose beam runs along z."""
    order = np.ix_(AXIS_LAST, AXIS_LAST)
    return SectionMatrices(float(at), stiffness[order], mass[order])


def _block(text: str, heading: str, what: str) -> np.ndarray:
    """The six rows of six numbers that follow a heading."""
    found = re.search(heading, text, re.MULTILINE)
    if found is None:
        raise _Unreadable(f"it has no {what}")
    rows: list[np.ndarray] = []
    for line in text[found.end() :].splitlines()[1:]:
        row = _row(line)
        if row is not None:
            rows.append(row)
        elif rows and line.strip():
            break
        if len(rows) == 6:
            return np.array(rows)
    raise _Unreadable(f"its {what} has {len(rows)} rows of six numbers")


def _row(line: str) -> np.ndarray | None:
    """Six numbers, if that is all there is on a line."""
    parts = line.replace(",", " ").replace("[", " ").replace("]", " ").split()
    if len(parts) != 6 or not all(re.fullmatch(NUMBER, part) for part in parts):
        return None
    return np.array([_number(part) for part in parts])


def _number(text: str) -> float:
    return float(re.sub("[dD]", "e", text))
