"""Error bars from repeated computations: what each refinement changes alone and all of them together.

The space of shape functions is enriched twice, so that the second change tells how fast the first converges. What is
left after the second follows from the power of the number of functions that fits both; where that is hardly above
zero, nothing says that there is a limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

KINDS = {  # of errors, by what is refined
    "data": "data",
    "sampling": "outputs",
    "time": "steps",
    "functions": "functions",
    "field": "field",
    "shear": "no shear",
}
SAFETY = 1.5  # times the measured change: with it error bars cover the true error in 95 % of cases
LEAST_ORDER = 0.3  # of convergence in the number of functions: below it nothing tells a limit from slow growth
JUMP_ORDER = 0.7  # below it where the number is one of a jump, whose wrenches grow with every function
MOST_ORDER = 12.0  # beyond it the rest is nothing to the last change
TAIL = 0.3  # least share of the last change that may be left: changes are small by chance, too
SIZEABLE = 0.01  # of the number, from which on changes that do not shrink are worth a word
NOTHING = 1e-3  # share of the largest number of a kind below which a number counts as zero
FLOOR = 1e-10  # relative: what rounding does in a run


@dataclass(frozen=True)
class Measured:
    """A number in a run, in those with one thing refined, and in the one with all of them."""

    plain: float
    dense: float  # found between outputs too
    finer_steps: float
    half_more: float
    twice: float
    better: Mapping[str, float]  # by what of the theory is better: "field", "shear"
    together: float
    sizes: tuple[int, int, int] = (1, 2, 3)  # functions of the dense run and of the two enriched ones
    outputs: float = 2.0  # times more in the dense run
    resolution: float = 0.0  # how fine the number is known at all
    scale: float = 0.0  # the size of numbers of its kind, to which this one may be nothing

    @property
    def finite(self) -> bool:
        """Whether the number is there in every run."""
        return bool(np.all(np.isfinite([*self.changes.values(), self.together, self.plain])))

    @property
    def changes(self) -> dict[str, float]:
        """By how much the number moves when one thing is refined, what is left after it included."""
        parts = {
            "sampling": self._sampling,
            "time": abs(self.finer_steps - self.dense),
            "functions": abs(self.twice - self.dense) + self.tail,
        }
        return parts | {kind: abs(value - self.dense) for kind, value in self.better.items()}

    @property
    def _sampling(self) -> float:
        """What more outputs change, to the limit: means over samples are off by one over their number."""
        return abs(self.dense - self.plain) * (self.outputs / (self.outputs - 1) if self.outputs > 1 else 1.0)

    @property
    def order(self) -> float:
        """The power of the number of functions with which the number converges, by both enrichments; 0 at the least."""
        return convergence_order(abs(self.half_more - self.dense), abs(self.twice - self.half_more), self.sizes)

    @property
    def tail(self) -> float:
        """What functions beyond the second enrichment may still change."""
        second = abs(self.twice - self.half_more)
        _, middle, most = self.sizes
        power = max(LEAST_ORDER, self.order)
        return second * max(TAIL, 1 / ((most / middle) ** power - 1))

    def limitless(self, at_jump: bool) -> bool:
        """Whether the number grows with the number of functions: its changes are large and hardly shrink."""
        second = abs(self.twice - self.half_more)
        large = second > SIZEABLE * max(abs(self.twice), NOTHING * self.scale)
        return large and self.order < (JUMP_ORDER if at_jump else LEAST_ORDER)

    @property
    def error(self) -> float:
        """The estimate: all refinements together, or the largest alone, and the tail; times a factor of safety."""
        whole = max(abs(self.together - self.plain) + self.tail, *self.changes.values())
        return SAFETY * whole + self.resolution + FLOOR * abs(self.plain)


def convergence_order(first: float, second: float, sizes: tuple[int, int, int]) -> float:
    """Return the power of the number of functions by which two changes in a row, between three sizes, are explained."""
    if not first > 0:
        return MOST_ORDER if second == 0 else 0.0
    return _order(second / first, sizes)


@lru_cache(maxsize=4096)
def _order(ratio: float, sizes: tuple[int, int, int]) -> float:
    """Return p for which n^-p changes by this ratio between the second and third size, over the first and second."""
    few, middle, most = (np.log(size) for size in sizes)

    def expected(p: float) -> float:
        if p == 0:
            return (most - middle) / (middle - few)
        return (np.exp(-p * (middle - few)) * -np.expm1(-p * (most - middle))) / -np.expm1(-p * (middle - few))

    if ratio >= expected(0.0):
        return 0.0
    low, high = 0.0, MOST_ORDER
    for _ in range(40):
        half = (low + high) / 2
        low, high = (half, high) if expected(half) > ratio else (low, half)
    return low
