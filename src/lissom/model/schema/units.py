"""Quantities with units, as people write them: "45 deg", "500 mm", "210 GPa", "2 kN m/rad"; SI without one."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import NamedTuple

Dimension = tuple[int, int, int, int, int, int]  # powers of m, kg, s, rad, turns and A


class Unit(NamedTuple):
    """How many of SI's make one, and of what kind."""

    size: float
    kind: Dimension


def _unit(size: float, m: int = 0, kg: int = 0, s: int = 0, rad: int = 0, turn: int = 0, A: int = 0) -> Unit:
    return Unit(size, (m, kg, s, rad, turn, A))


_N, _PA = {"m": 1, "kg": 1, "s": -2}, {"m": -1, "kg": 1, "s": -2}
_VOLT, _OHM = {"m": 2, "kg": 1, "s": -3, "A": -1}, {"m": 2, "kg": 1, "s": -3, "A": -2}
UNITS = {
    **{name: _unit(1.0, m=1) for name in ("m", "metre", "metres", "meter", "meters")},
    **{name: _unit(size, m=1) for name, size in {"mm": 1e-3, "cm": 1e-2, "km": 1e3, "um": 1e-6, "µm": 1e-6}.items()},
    **{name: _unit(size, m=1) for name, size in {"in": 0.0254, "inch": 0.0254, "ft": 0.3048}.items()},
    **{name: _unit(size, kg=1) for name, size in {"kg": 1.0, "g": 1e-3, "t": 1e3, "lb": 0.45359237}.items()},
    **{name: _unit(1.0, s=1) for name in ("s", "second", "seconds")},
    **{name: _unit(size, s=1) for name, size in {"ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0}.items()},
    **{name: _unit(1.0, rad=1) for name in ("rad", "radians")},
    **{name: _unit(math.pi / 180, rad=1) for name in ("deg", "degree", "degrees", "°")},
    "mrad": _unit(1e-3, rad=1),
    "rpm": _unit(math.pi / 30, rad=1, s=-1),
    **{name: _unit(size, s=-1, turn=1) for name, size in {"Hz": 1.0, "kHz": 1e3}.items()},
    **{
        name: _unit(size, **_N)
        for name, size in {"N": 1.0, "mN": 1e-3, "kN": 1e3, "MN": 1e6, "lbf": 4.4482216152605}.items()
    },
    **{name: _unit(size, **_PA) for name, size in {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9, "bar": 1e5}.items()},
    **{name: _unit(size, m=3) for name, size in {"l": 1e-3, "litre": 1e-3, "litres": 1e-3, "ml": 1e-6}.items()},
    **{name: _unit(size, m=2, kg=1, s=-3) for name, size in {"W": 1.0, "kW": 1e3}.items()},
    **{name: _unit(size, A=1) for name, size in {"A": 1.0, "mA": 1e-3}.items()},
    **{name: _unit(size, **_VOLT) for name, size in {"V": 1.0, "mV": 1e-3, "kV": 1e3}.items()},
    **{name: _unit(size, **_OHM) for name, size in {"ohm": 1.0, "mohm": 1e-3, "Ω": 1.0}.items()},
    **{name: _unit(size, m=2, kg=1, s=-2, A=-2) for name, size in {"H": 1.0, "mH": 1e-3, "uH": 1e-6}.items()},
}
_QUANTITY = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([^\d\s.+-].*?)\s*")
_HEADING = re.compile(r"(.*\S)\s*[\[(]([^\[\]()]+)[\])]\s*")
_FACTOR = re.compile(r"([^\d\s*/^·]+)\^?(-?\d)?")


def quantity(text: str) -> tuple[float, Unit] | None:
    """Return the number and the unit of "45 deg"; None where the text is not a number with a unit that is known."""
    found = _QUANTITY.fullmatch(text)
    unit = parse(found.group(2)) if found else None
    return None if found is None or unit is None else (float(found.group(1)), unit)


def heading(text: str) -> tuple[str, Unit | None]:
    """Split what stands over a column into its name and its unit: "elbow [deg]", "time (ms)"; None without one."""
    found = _HEADING.fullmatch(text)
    unit = parse(found.group(2)) if found else None
    return (text, None) if found is None or unit is None else (found.group(1), unit)


@lru_cache(maxsize=512)
def parse(text: str) -> Unit | None:
    """Return a unit such as "kg/m3" or "N m s/rad": what follows a slash divides; None where a part is unknown."""
    from fractions import Fraction  # so that g/cm3 are a thousand, not 999.9999999999998

    size, kind = Fraction(1), (0, 0, 0, 0, 0, 0)
    for k, part in enumerate(text.split("/")):
        factors = [
            _FACTOR.fullmatch(factor) for factor in re.split(r"[\s*·]+", part.strip()) if factor not in ("", "1")
        ]
        for found in factors:
            if found is None or found.group(1) not in UNITS:
                return None
            power = int(found.group(2) or 1) * (-1 if k else 1)
            unit = UNITS[found.group(1)]
            size *= Fraction(repr(unit.size)) ** power
            kind = tuple(a + power * b for a, b in zip(kind, unit.kind))  # type: ignore[assignment]
    return Unit(float(size), kind)


class JointUnit(NamedTuple):
    """SI units of a number about a joint: where its coordinate turns, and where it slides.

    Fields that take numbers of several joints do not know which it is, and what they are about may depend on names:
    they allow `others` too, and who knows the joint checks (`lissom.model.schema.number_fields.wrong_kind`).
    """

    turning: str
    sliding: str
    others: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.turning} ({self.sliding} when sliding)"

    def of(self, moved: str) -> str:
        """Return the one for a coordinate in rad or in m; none for others, as those of quaternions."""
        return {"rad": self.turning, "m": self.sliding}.get(moved, "")


POSITION, RATE = JointUnit("rad", "metres"), JointUnit("rad/s", "m/s")
ACCELERATION = JointUnit("rad/s2", "m/s2")
FORCE = JointUnit("N m", "N")
STIFFNESS, DAMPING = JointUnit("N m/rad", "N/m"), JointUnit("N m s/rad", "N s/m")
INERTIA = JointUnit("kg m2", "kg")
STATE = JointUnit("rad", "metres", ("rad/s", "m/s"))  # of a coordinate, or of its rate
SIGNAL = JointUnit("rad", "metres", ("N m", "N"))  # of a coordinate, or of the force on it


@lru_cache(maxsize=256)
def kinds(wanted: str | JointUnit) -> frozenset[Dimension]:
    """Return the kinds of units that a field allows."""
    names = (wanted,) if isinstance(wanted, str) else (wanted.turning, wanted.sliding, *wanted.others)
    return frozenset(unit.kind for name in names if name and (unit := parse(name)) is not None)


def fits(unit: Unit, wanted: str | JointUnit) -> bool:
    """Return whether a unit is of a kind that a field allows; radians may be left out or added, turns may not."""
    without = {(*kind[:3], *kind[4:]) for kind in kinds(wanted)}
    if (*unit.kind[:3], *unit.kind[4:]) not in without:
        return False
    return any(unit.kind[:3]) or any(unit.kind[4:]) or unit.kind in kinds(wanted)
