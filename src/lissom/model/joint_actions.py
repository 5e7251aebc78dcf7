"""What acts in a joint by itself: friction, springs, soft stops, transmissions."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.polynomial import Polynomial
from pydantic import Field, field_validator, model_validator

from lissom.errors import RobotError
from lissom.kernel.arrays import POWERS
from lissom.model.part import Part, refusals
from lissom.model.values import Number, PerCoordinate, refusal

FAR = 1e30  # no stretch comes that far


class Friction(Part):
    """Friction torque or force: viscous, plus Coulomb friction smoothed over `velocity`, plus what sticks near rest.

    Against the speed v acts viscous v + (coulomb + stick / (1 + (v / stribeck)^2)) tanh(v / velocity): with `stick` the
    friction falls from its peak near rest to Coulomb's (Stribeck's curve in the form of Hess and Soom 1990).
    """

    what: ClassVar[str] = "friction"

    coulomb: Annotated[PerCoordinate, Number("the Coulomb friction", "N m (N when sliding)", at_least=0, each=True)] = (
        0.0
    )
    velocity: Annotated[
        PerCoordinate,
        Number(
            "the speed over which Coulomb friction is smoothed",
            "rad/s (m/s when sliding)",
            above=0,
            each=True,
        ),
    ] = 0.01
    stick: Annotated[
        PerCoordinate, Number("the friction at rest beyond Coulomb's", "N m (N when sliding)", at_least=0, each=True)
    ] = 0.0
    stribeck: Annotated[
        PerCoordinate,
        Number("the speed at which half of `stick` is left", "rad/s (m/s when sliding)", above=0, each=True),
    ] = 0.1
    viscous: Annotated[
        PerCoordinate, Number("the viscous friction", "N m s/rad (N s/m when sliding)", at_least=0, each=True)
    ] = 0.0


class Piece(NamedTuple):
    """A stretch of a curve: force = value + sum_j slopes[j] c^(j + 1), c = x - at from `lower` to `upper`."""

    at: float
    lower: float
    upper: float
    value: float
    slopes: np.ndarray  # (POWERS,)


class Curve(Part):
    """Force over stretch beyond a constant stiffness: one of a table, a polynomial and play."""

    what: ClassVar[str] = "curve"

    table: tuple[tuple[float, float], ...] = ()
    polynomial: Annotated[PerCoordinate, Number("the coefficients of x, x^2, ...", "N m/rad^k", each=True)] = 0.0
    backlash: Annotated[float, Number("the whole play", "rad (metres when sliding)", at_least=0)] = 0.0
    width: Annotated[
        float | None, Number("the width over which contact sets in", "rad (metres when sliding)", above=0)
    ] = None

    @field_validator("table", mode="before")
    @classmethod
    def _rising_rows(cls, rows: Any) -> Any:
        number = Number("rows [stretch, force]", "rad and N m (metres and N when sliding)")
        if not isinstance(rows, list | tuple) or any(not isinstance(r, list | tuple) or len(r) != 2 for r in rows):
            raise refusal(f"must be a list of pairs; {number.remedy}")
        pairs = tuple((number.check_one(x), number.check_one(y)) for x, y in rows)
        if len(pairs) == 1 or any(a[0] >= b[0] for a, b in pairwise(pairs)):
            raise refusal("needs two rows or more with rising stretch; sort or complete them")
        return pairs

    @model_validator(mode="after")
    def _one_of_three(self) -> Curve:
        given = [name for name in ("table", "polynomial", "backlash") if np.any(getattr(self, name))]
        if len(given) != 1:
            has = "it has " + (" and ".join(given) or "none")
            raise refusals(("table", None, f"give one of table, polynomial and backlash; {has}"))
        if isinstance(self.polynomial, tuple) and len(self.polynomial) > POWERS:
            raise refusals(("polynomial", self.polynomial, f"has more than {POWERS} coefficients; take a table"))
        if self.width is not None and not 0 < self.width <= self.backlash / 2:
            raise refusals(("width", self.width, "goes with backlash and is at most half of it; correct or remove it"))
        return self

    def pieces(self, stiffness: float) -> list[Piece]:
        """The curve, that around zero stretch first; `stiffness` is the constant one, which play takes back."""
        around: list[Piece] = []
        others: list[Piece] = []
        if np.iscomplexobj(self.table) or isinstance(self.backlash, complex) or isinstance(self.width, complex):
            raise RobotError("a spring's table and play have no derivatives; take those by stiffness or polynomial")
        for low, high, cubic in self._intervals(stiffness):
            at = low if low > 0 else high if high < 0 else 0.0
            moved = cubic(Polynomial([at, 1.0])).coef if len(cubic.coef) > 1 else cubic.coef
            slopes = np.zeros(POWERS, moved.dtype)
            slopes[: len(moved) - 1] = moved[1:]
            piece = Piece(at, max(low - at, -FAR), min(high - at, FAR), moved[0], slopes)
            (around if low <= 0 <= high else others).append(piece)
        return around + others

    def _intervals(self, stiffness: float) -> list[tuple[float, float, Polynomial]]:
        """Begin, end and polynomial of the stretch, interval by interval."""
        if np.any(self.polynomial):
            return [(-np.inf, np.inf, Polynomial([0.0, *np.atleast_1d(self.polynomial)]))]
        if self.table:
            return _through(self.table)
        b, w = self.backlash / 2, self.backlash / 20 if self.width is None else self.width / 2
        gone, k = Polynomial([0.0, -stiffness]), stiffness
        return [
            (-np.inf, -b - w, Polynomial([k * b, 0.0])),
            (-b - w, w - b, Polynomial([b - w, 1.0]) ** 2 * (-k / (4 * w)) + gone),
            (w - b, b - w, gone),
            (b - w, b + w, Polynomial([w - b, 1.0]) ** 2 * (k / (4 * w)) + gone),
            (b + w, np.inf, Polynomial([-k * b, 0.0])),
        ]

    def __str__(self) -> str:
        if self.backlash:
            return f"play {self.backlash:g}"
        return f"table of {len(self.table)}" if self.table else "polynomial"


class Spring(Part):
    """A spring in the joint, relaxed at `rest`: linear, or along a curve of the stretch."""

    what: ClassVar[str] = "spring"

    stiffness: Annotated[
        PerCoordinate, Number("the stiffness", "N m/rad (N/m when sliding)", at_least=0, each=True)
    ] = 0.0
    curve: Curve | None = None
    rest: Annotated[
        PerCoordinate, Number("the coordinate at which the spring is relaxed", "rad or metres", each=True)
    ] = 0.0


class Limits(Part):
    """Soft stops at `lower` and `upper`: beyond them a stiff spring and a damper, blended in over `width`."""

    what: ClassVar[str] = "limits block"

    lower: Annotated[PerCoordinate, Number("the lower limit", "rad or metres", each=True)]
    upper: Annotated[PerCoordinate, Number("the upper limit", "rad or metres", each=True)]
    stiffness: Annotated[
        PerCoordinate, Number("the stiffness of the stop", "N m/rad (N/m when sliding)", above=0, each=True)
    ]
    damping: Annotated[
        PerCoordinate,
        Number("the damping of the stop", "N m s/rad (N s/m when sliding)", at_least=0, each=True),
    ] = 0.0
    width: Annotated[
        PerCoordinate | None,
        Number("the width over which the stop sets in", "rad or metres", above=0, each=True),
    ] = Field(default=None, validate_default=True)

    @field_validator("upper")
    @classmethod
    def _above_lower(cls, upper: PerCoordinate, info: Any) -> PerCoordinate:
        lower = info.data.get("lower")
        if lower is not None and _same_size(lower, upper) and np.any(np.subtract(upper, lower) <= 0):
            raise refusal(f"must be greater than lower = {_brief(lower)}; swap or correct the two limits")
        return upper

    @field_validator("width")
    @classmethod
    def _default_width(cls, width: PerCoordinate | None, info: Any) -> PerCoordinate | None:
        """One percent of the range, unless given."""
        lower, upper = info.data.get("lower"), info.data.get("upper")
        if width is not None or lower is None or upper is None or not _same_size(lower, upper):
            return width
        if isinstance(lower, tuple) or isinstance(upper, tuple):
            return tuple(float(w) for w in 0.01 * np.subtract(upper, lower))
        return 0.01 * (upper - lower)


class Transmission(Part):
    """A motor's rotor behind a gear.

    With `stiffness` the gear is elastic and the rotor has a coordinate of its own (its angle referred to the
    joint); without it the gear is rigid and the reflected inertia gear^2 rotor_inertia joins the joint.
    """

    what: ClassVar[str] = "transmission"

    stiffness: Annotated[float | None, Number("the stiffness of the gear", "N m/rad (N/m when sliding)", above=0)] = (
        None
    )
    curve: Curve | None = None
    rotor_inertia: Annotated[float, Number("the rotor's inertia", "kg m2 (kg when sliding)", at_least=0)]
    gear: Annotated[float, Number("the gear ratio (motor turns per joint turn)", above=0)] = 1.0
    damping: Annotated[float, Number("the damping of the gear", "N m s/rad (N s/m when sliding)", at_least=0)] = 0.0
    hysteresis: Annotated[
        float, Number("the friction inside the gear, half the height of its loop", "N m (N when sliding)", at_least=0)
    ] = 0.0
    hysteresis_velocity: Annotated[
        float, Number("the speed of winding over which that is smoothed", "rad/s (m/s when sliding)", above=0)
    ] = 0.01

    @property
    def elastic(self) -> bool:
        """Whether the gear gives way, so that the rotor has a coordinate of its own."""
        return self.stiffness is not None or self.curve is not None

    def rigid(self) -> Transmission:
        """The same rotor behind a rigid gear."""
        return self.model_copy(update={"stiffness": None, "curve": None, "damping": 0.0, "hysteresis": 0.0})

    @model_validator(mode="after")
    def _rotor_can_move(self) -> Transmission:
        if self.elastic and self.rotor_inertia == 0:
            text = "must be positive behind an elastic gear; give the rotor's inertia in kg m2"
            raise refusals(("rotor_inertia", 0.0, text))
        for field, other in (("damping", "damping"), ("hysteresis", "friction")):
            if not self.elastic and np.real(getattr(self, field)) > 0:
                text = f"acts across a stiffness, which is missing; give the stiffness, or use the joint's {other}"
                raise refusals((field, getattr(self, field), text))
        return self


def _through(table: tuple[tuple[float, float], ...]) -> list[tuple[float, float, Polynomial]]:
    """Cubics through the rows of a table that rise and fall as they do, straight lines beyond its ends."""
    from scipy.interpolate import PchipInterpolator

    x, y = np.array(table).T
    cubics = PchipInterpolator(x, y)
    slope = cubics.derivative()
    inner = [
        (low, high, Polynomial(rows[::-1])(Polynomial([-low, 1.0])))
        for low, high, rows in zip(x[:-1], x[1:], cubics.c.T, strict=True)
    ]
    ends = [Polynomial([y[k] - float(slope(x[k])) * x[k], float(slope(x[k]))]) for k in (0, -1)]
    return [(-np.inf, float(x[0]), ends[0]), *inner, (float(x[-1]), np.inf, ends[1])]


def _same_size(a: PerCoordinate, b: PerCoordinate) -> bool:
    return not (isinstance(a, tuple) and isinstance(b, tuple)) or len(a) == len(b)


def _brief(value: PerCoordinate) -> str:
    return f"{value:g}" if isinstance(value, float) else "[" + ", ".join(f"{v:g}" for v in value) + "]"


def appended(pieces: list[Piece], spring: Any, stiffness: Any = None) -> tuple[int, int]:
    """Append the pieces of a spring's curve, if it has one, and tell where they begin and end."""
    start = len(pieces)
    if spring is not None and spring.curve is not None:
        pieces += spring.curve.pieces(spring.stiffness or 0.0 if stiffness is None else stiffness)
    return start, len(pieces)
