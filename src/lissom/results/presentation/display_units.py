"""Units that results are shown in: chosen once, by a few names such as kN, mm and deg."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lissom.errors import LissomError
from lissom.messages import brief, did_you_mean
from lissom.model.schema.number_fields import Checked, kind_of, refusal
from lissom.model.schema.units import UNITS, Dimension, parse
from lissom.model.schema.written_forms import TEXT, Schema, SchemaOf, several, union

EXAMPLE = "[kN, mm, deg, MPa]"
CHOOSABLE = ("m", "rad", "N", "N m", "Pa", "kg")  # quantities whose units can be chosen, by their SI unit
DERIVED = {  # what follows from another choice unless it is chosen itself: of what, and what is written behind it
    "N m": ("N", " m"),
    "m/s": ("m", "/s"),
    "m/s2": ("m", "/s2"),
    "rad/s": ("rad", "/s"),
    "rad/s2": ("rad", "/s2"),
    "kg m/s": ("kg", " m/s"),
}
ENERGIES = {"J": 1.0, "kJ": 1e3, "MJ": 1e6}  # told apart from torques by their names alone
SPELT = {"m²": "m2", "m³": "m3", "s²": "s2"}
EXACT = 12  # digits: 1 / 0.001 is a thousand, not 1000.0000000000001


@dataclass(frozen=True)
class DisplayUnits:
    """Units by the kind of quantity; those that nobody chose stay as they are.

    Parameters
    ----------
    names : tuple of str
        Such as ("kN", "mm", "deg", "MPa"). Torques follow from the force, in kN m here, and speeds from lengths and
        angles, unless they are named themselves: "N mm". Energies take "kJ".

    Examples
    --------
    >>> from lissom.results.presentation.display_units import DisplayUnits
    >>> DisplayUnits.of("kN, mm, deg").convert("N m")
    ('kN m', 0.001)
    """

    names: tuple[str, ...] = ()
    _by_kind: dict[Dimension, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_kind", _byunit_kind(self.names))

    @classmethod
    def of(cls, given: Any) -> DisplayUnits:
        """Return units from their names, as a list or with commas between them; refuse what is no unit of results."""
        if isinstance(given, DisplayUnits):
            return given
        try:
            return cls(check_names(given))
        except ValueError as error:
            raise LissomError(str(error), ("units",), given) from None

    def convert(self, unit: str, usual: str | None = None) -> tuple[str, float]:
        """Return the name of the unit to show and the number that values in `unit` are to be multiplied by.

        Where nobody chose one it is the `usual` unit, or that of the values.
        """
        if unit in ENERGIES:
            name = next((name for name in self.names if name in ENERGIES), unit)
            return name, _round(ENERGIES[unit] / ENERGIES[name])
        known = parse(_plain(unit))
        name = usual or unit if known is None else self._by_kind.get(known.kind, usual or unit)
        return (unit, 1.0) if known is None or name == unit else (name, _round(known.size / _size(name)))


@dataclass(frozen=True)
class UnitNames(Checked):
    """The field of a file that chooses units for what is shown."""

    def check(self, value: Any) -> tuple[str, ...]:
        """Return the names, or refuse what is no unit of results."""
        try:
            return check_names(value)
        except ValueError as error:
            raise refusal(str(error)) from None

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return union(TEXT, several(TEXT))


def check_names(given: Any) -> tuple[str, ...]:
    """Return names of units to show; ValueError says what is wrong with one."""
    if isinstance(given, str):
        given = [part.strip() for part in given.split(",")]
    if not isinstance(given, Iterable) or isinstance(given, dict):
        raise ValueError(f"must be a list of units, not {kind_of(given)}; write such as {EXAMPLE}")
    names = tuple(given)
    taken: dict[Any, str] = {}
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"must hold names of units, not {kind_of(name)}; write such as {EXAMPLE}")
        known = parse(_plain(name))
        allowed = {unit_kind(unit) for unit in (*CHOOSABLE, *DERIVED)}
        if name not in ENERGIES and (known is None or known.kind not in allowed):
            hint = did_you_mean(name, [*UNITS, "kN m", "N mm", *ENERGIES]) if known is None else ""
            raise ValueError(f"{brief(name)} is no unit of results{hint}; write such as {EXAMPLE}")
        kind = "energy" if name in ENERGIES else known and known.kind
        if kind in taken:
            raise ValueError(f"{taken[kind]} and {name} are of one kind; keep one of them")
        taken[kind] = name
    return names


def _byunit_kind(names: tuple[str, ...]) -> dict[Dimension, str]:
    chosen = {unit_kind(name): name for name in names if name not in ENERGIES}
    for unit, (base, behind) in DERIVED.items():
        if unit_kind(base) in chosen:
            chosen.setdefault(unit_kind(unit), chosen[unit_kind(base)] + behind)
    return {kind: name for kind, name in chosen.items() if kind is not None}


def _plain(unit: str) -> str:
    for letters, ascii_letters in SPELT.items():
        unit = unit.replace(letters, ascii_letters)
    return unit


def unit_kind(unit: str) -> Dimension | None:
    """Return the kind of quantity that a unit measures; None of one that is not known."""
    found = parse(_plain(unit))
    return None if found is None else found.kind


def _size(unit: str) -> float:
    found = parse(_plain(unit))
    assert found is not None, unit
    return found.size


def _round(factor: float) -> float:
    return float(f"{factor:.{EXACT}g}") if abs(round(factor * 1e9) - factor * 1e9) < 1e-3 else factor
