"""Files of programs that analyse sections: 6 x 6 stiffness and mass matrices of BECAS, VABS, ANBA and BeamDyn.

All come out in lissom's order (along x, y, z, about x, y, z), x along the beam. VABS has it already; the others count
the beam's axis as their z, with their x and y as lissom's y and z.

BeamDyn keeps its blade in two files: the blade file has matrices in the axes of each section, the main input file names
it and has the key points with the twist of the sections, in degrees about the negative z axis.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import LissomError
from lissom.files import check_file
from lissom.messages import listed
from lissom.model.schema.number_fields import kind_of, refusal

FORMATS = ("vabs", "becas", "anba", "beamdyn")
AXIS_LAST = [2, 0, 1, 5, 3, 4]  # where lissom's rows stand in matrices whose beam runs along z
SAME_LENGTH = 1e-2  # relative difference of the lengths in two files
STRAIGHT = 0.02  # of the length: how far the key points of a blade may lie beside its axis
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?"


class SectionMatrices(NamedTuple):
    """One section of a file; `at`: its place as a fraction of the length, where the file has several."""

    at: float
    stiffness: np.ndarray  # (6, 6)
    mass: np.ndarray  # (6, 6)
    turn: float = 0.0  # rad about x
    offset: tuple[float, float] = (0.0, 0.0)  # off the axis, along y and z

    @property
    def section(self) -> dict[str, Any]:
        """The section as a robot file has it."""
        placed = {"turn": self.turn, "offset": list(self.offset)} if self.turn or any(self.offset) else {}
        return {"stiffness": self.stiffness.tolist(), "mass": self.mass.tolist(), **placed}


def read(data: dict[str, Any], folder: Any, length: float | None = None) -> list[SectionMatrices]:
    """Return the sections of `{file: ..., format: ...}` of a beam so long, or refuse what cannot be read."""
    name, form = data.get("file"), data.get("format")
    stray = sorted(set(data) - {"file", "format"})
    if stray:
        raise refusal(f"unknown field {stray[0]!r} beside file; with a file there is only format: {listed(FORMATS)}")
    if not isinstance(name, str):
        raise refusal(f"file must be the name of a file, not {kind_of(name)}; write it relative to the robot file")
    if form not in FORMATS:
        raise refusal(f"format {form!r} of {name} is unknown; choose {listed(FORMATS)}")
    path = Path(folder or "", name).absolute()
    text = _text(path)
    readers = {"vabs": _vabs, "becas": _becas, "anba": _anba}
    try:
        return _beamdyn(text, path, length) if form == "beamdyn" else readers[form](text)
    except _Unreadable as error:
        raise refusal(f"{path.name} cannot be read as {form}: {error}") from None


def _text(path: Path) -> str:
    try:
        if path.exists():
            check_file(path)  # a pipe would keep its reader waiting for ever
        return path.read_text(encoding="utf-8", errors="replace")
    except LissomError as error:
        raise refusal(str(error)) from None
    except OSError as error:
        raise refusal(f"there is no file {path} that can be read ({error.strerror})") from None


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
    return [_beam_along_x(0.0, stiffness, mass)]


def _anba(text: str) -> list[SectionMatrices]:
    """Read two matrices, stiffness and mass, as PETSc views them (row 0: (0, 1.) (1, 0.) ...) or as plain rows."""
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
    return [_beam_along_x(0.0, np.array(rows[:6]), np.array(rows[6:]))]


def _beamdyn(text: str, path: Path, length: float | None) -> list[SectionMatrices]:
    """Return the sections of a main input file, twisted by its key points; or of a blade file, without twist."""
    if re.search(r"kp_total", text, re.IGNORECASE) is None:
        found = _blade(text)
        if length is not None:
            warnings.warn(
                f"{path.name}: its sections are not twisted, as a blade file of BeamDyn does not say how; the main "
                "input file does, by its key points: name that one as file",
                UserWarning,
                stacklevel=2,
            )
        return found
    points = _key_points(text)
    named = re.search(r"[\"']([^\"'\n]+)[\"']\s+BldFile", text, re.IGNORECASE)
    if named is None:
        raise _Unreadable("it names no blade file (BldFile)")
    places = points[:, 2] - points[0, 2]
    span = float(places[-1])
    if length is not None and abs(span - length) > SAME_LENGTH * length:
        raise _Unreadable(f"its key points reach over {span:g} m, and the beam is {length:g} m long; give one length")
    bent = float(np.abs(points[:, :2] - points[0, :2]).max())
    if bent > STRAIGHT * span:
        raise _Unreadable(
            f"its key points lie up to {bent:g} m beside a straight axis; a beam is straight: split the blade into "
            "links, or straighten its key points"
        )
    return _twist_sections(_blade(_text(path.parent / named.group(1))), places / span, points)


def _key_points(text: str) -> np.ndarray:
    """Return rows (kp_xr, kp_yr, kp_zr, initial_twist in degrees) of a main input file, from root to tip."""
    count = re.search(r"(\d+)\s+kp_total", text, re.IGNORECASE)
    head = re.search(r"^.*initial_twist.*$", text, re.IGNORECASE | re.MULTILINE)
    if count is None or head is None:
        raise _Unreadable("it has no table of key points with their initial_twist")
    wanted, rows = int(count.group(1)), []
    for line in text[head.end() :].splitlines():
        parts = line.replace(",", " ").split()[:4]
        if len(parts) == 4 and all(re.fullmatch(NUMBER, part) for part in parts):
            rows.append([_number(part) for part in parts])
        elif rows:
            break
        if len(rows) == wanted:
            break
    points = np.array(rows).reshape(-1, 4)
    if len(points) != wanted or len(points) < 2 or np.any(np.diff(points[:, 2]) <= 0):
        raise _Unreadable(f"it has {len(rows)} key points from root to tip, not the {wanted} of kp_total")
    return points


def _twist_sections(found: list[SectionMatrices], places: np.ndarray, points: np.ndarray) -> list[SectionMatrices]:
    """Return sections at stations and key points, turned and shifted as these say, linear in between."""
    at = np.array([part.at for part in found])
    stiffness, mass = (np.array([getattr(part, name).ravel() for part in found]) for name in ("stiffness", "mass"))
    made = list(found)
    for place in places[~np.any(np.isclose(places[:, None], at, atol=1e-9), axis=1)]:
        K, M = (
            np.array([np.interp(place, at, column) for column in table.T]).reshape(6, 6) for table in (stiffness, mass)
        )
        made.append(SectionMatrices(float(place), K, M))
    made.sort(key=lambda part: part.at)  # two at one place, a jump, stay in order
    twist, y, z = points[:, 3], points[:, 0] - points[0, 0], points[:, 1] - points[0, 1]

    def at_place(part: SectionMatrices, values: np.ndarray) -> float:
        return float(np.interp(part.at, places, values))

    return [
        part._replace(turn=-float(np.radians(at_place(part, twist))), offset=(at_place(part, y), at_place(part, z)))
        for part in made
    ]


def _blade(text: str) -> list[SectionMatrices]:
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
    return [_beam_along_x(row[0], row[1:37].reshape(6, 6), row[37:].reshape(6, 6)) for row in table]


def _beam_along_x(at: float, stiffness: np.ndarray, mass: np.ndarray) -> SectionMatrices:
    """Return the section of matrices whose beam runs along z."""
    order = np.ix_(AXIS_LAST, AXIS_LAST)
    return SectionMatrices(float(at), stiffness[order], mass[order])


def _block(text: str, heading: str, what: str) -> np.ndarray:
    """Return the six rows of six numbers that follow a heading."""
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
    """Return six numbers, if that is all there is on a line."""
    parts = line.replace(",", " ").replace("[", " ").replace("]", " ").split()
    if len(parts) != 6 or not all(re.fullmatch(NUMBER, part) for part in parts):
        return None
    return np.array([_number(part) for part in parts])


def _number(text: str) -> float:
    return float(re.sub("[dD]", "e", text))
