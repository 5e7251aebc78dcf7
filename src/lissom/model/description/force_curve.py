"""Force over stretch: tables, polynomials and play of springs and gears."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.polynomial import Polynomial
from pydantic import field_validator, model_validator

from lissom.errors import RobotError
from lissom.kernel.data.arrays import POWERS
from lissom.model.schema.base_model import Description, refusals
from lissom.model.schema.number_fields import Number, PerCoordinate, refusal
from lissom.model.schema.units import FORCE, POSITION
from lissom.model.schema.written_forms import NUMBER, QUANTITY, AlsoWritten, several, union

FAR = 1e30  # no stretch comes that far


class CurvePiece(NamedTuple):
    """A stretch of a curve: force = value + sum_j slopes[j] c^(j + 1), c = x - at from `lower` to `upper`."""

    at: float
    lower: float
    upper: float
    value: float
    slopes: np.ndarray  # (POWERS,)


class Curve(Description):
    """Force over stretch beyond a constant stiffness: one of a table, a polynomial and play."""

    what: ClassVar[str] = "curve"

    table: Annotated[tuple[tuple[float, float], ...], AlsoWritten(several(several(union(NUMBER, QUANTITY), 2, 2)))] = ()
    polynomial: Annotated[PerCoordinate, Number("the coefficients of x, x^2, ... in SI units", each=True)] = 0.0
    backlash: Annotated[float, Number("the whole play", POSITION, at_least=0)] = 0.0
    width: Annotated[float | None, Number("the width over which contact sets in", POSITION, above=0)] = None

    @field_validator("table", mode="before")
    @classmethod
    def _rising_rows(cls, rows: Any) -> Any:
        remedy = "give rows [stretch, force] in rad and N m (metres and N when sliding)"
        stretch, force = Number("the stretch", POSITION), Number("the force", FORCE)
        if not isinstance(rows, list | tuple) or any(not isinstance(r, list | tuple) or len(r) != 2 for r in rows):
            raise refusal(f"must be a list of pairs; {remedy}")
        pairs = tuple((stretch.check_one(x), force.check_one(y)) for x, y in rows)
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

    def pieces(self, stiffness: float) -> list[CurvePiece]:
        """Return the curve, that around zero stretch first; `stiffness` is the constant one, which play takes back."""
        around: list[CurvePiece] = []
        others: list[CurvePiece] = []
        if np.iscomplexobj(self.table) or isinstance(self.backlash, complex) or isinstance(self.width, complex):
            raise RobotError("a spring's table and play have no derivatives; take those by stiffness or polynomial")
        for low, high, cubic in self._intervals(stiffness):
            at = low if low > 0 else high if high < 0 else 0.0
            moved = cubic(Polynomial([at, 1.0])).coef if len(cubic.coef) > 1 else cubic.coef
            slopes = np.zeros(POWERS, moved.dtype)
            slopes[: len(moved) - 1] = moved[1:]
            piece = CurvePiece(at, max(low - at, -FAR), min(high - at, FAR), moved[0], slopes)
            (around if low <= 0 <= high else others).append(piece)
        return around + others

    def _intervals(self, stiffness: float) -> list[tuple[float, float, Polynomial]]:
        """Return begin, end and polynomial of the stretch, interval by interval."""
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


def _through(table: tuple[tuple[float, float], ...]) -> list[tuple[float, float, Polynomial]]:
    """Return cubics through the rows of a table that rise and fall as they do, straight lines beyond its ends."""
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
