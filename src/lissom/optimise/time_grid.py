"""Time on a grid: which unknowns there are, and how coordinates at the grid's points follow from them linearly.

A motion has legs, from one given point to the next, each of equal intervals of h seconds. On an interval a driven
coordinate is a quintic between nodes that hold value, rate and acceleration; a following coordinate takes the three
stages of Radau IIA (Hairer and Wanner 1996, section IV.8), the method that `simulate` steps with. All derivatives
are by t/h, so that they are linear in the unknowns though h is one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import factorial

import numpy as np
from scipy import sparse

from lissom.simulation.integrators.radau.radau_tableau import NODES, TABLEAU

STAGES = len(NODES)
WEIGHTS = TABLEAU[-1]  # of an integral over an interval
ORDERS = 3  # value, rate, acceleration


@dataclass(frozen=True)
class Leg:
    """Unknowns of a leg, by their index."""

    nodes: np.ndarray  # (intervals + 1, 3, driven): value, rate and acceleration of the driven coordinates
    entry: np.ndarray  # (2, following): value and rate of the following coordinates at the begin
    stages: np.ndarray  # (intervals, 3, following): values of the following coordinates
    step: int  # h in seconds


@dataclass(frozen=True)
class Grid:
    """The unknowns w and the points, three in each interval.

    Parameters
    ----------
    legs
        Intervals of each leg.
    driven
        Coordinates whose motion is chosen, as indices of v.
    following
        Those that follow by the dynamics.
    """

    intervals: tuple[int, ...]
    driven: np.ndarray
    following: np.ndarray

    @property
    def coordinates(self) -> int:
        """The number of coordinates."""
        return len(self.driven) + len(self.following)

    @property
    def points(self) -> int:
        """The number of collocation points."""
        return STAGES * sum(self.intervals)

    @cached_property
    def legs(self) -> tuple[Leg, ...]:
        """The legs between via points."""
        legs, begin = [], 0
        nd, nf = len(self.driven), len(self.following)
        for n in self.intervals:
            parts = []
            for shape in ((n + 1, ORDERS, nd), (2, nf), (n, STAGES, nf)):
                size = int(np.prod(shape))
                parts.append(np.arange(begin, begin + size).reshape(shape))
                begin += size
            nodes, entry, stages = parts
            legs.append(Leg(nodes, entry, stages, begin))
            begin += 1
        return tuple(legs)

    @property
    def size(self) -> int:
        """How many unknowns there are."""
        return self.legs[-1].step + 1

    @property
    def steps(self) -> np.ndarray:
        """(legs,) indices of h."""
        return np.array([leg.step for leg in self.legs])

    def motion(self, places: np.ndarray = NODES) -> sparse.csr_matrix:
        """Return rows (points, 3 nv + 1): coordinates, their first and second derivative by t/h, and h.

        The points lie at `places` of every interval, shares of it: those where the dynamics hold unless given.
        """
        n, width, each = self.coordinates, ORDERS * self.coordinates + 1, len(places)
        rows, columns, values, first = [], [], [], 0
        for leg, count in zip(self.legs, self.intervals, strict=True):
            at = width * (first + np.arange(each * count))[:, None]
            follow = _collocate(count, places)
            for order in range(ORDERS):
                for table, unknowns, where in (
                    (_hermite(count, order, places), leg.nodes.reshape(ORDERS * (count + 1), -1), self.driven),
                    (follow[order], np.concatenate([leg.entry, *leg.stages]), self.following),
                ):
                    point, column = np.nonzero(table)
                    rows.append((at[point] + order * n + where).ravel())
                    columns.append(unknowns[column].ravel())
                    values.append(np.repeat(table[point, column], len(where)))
            rows.append(at.ravel() + width - 1)
            columns.append(np.full(len(at), leg.step))
            values.append(np.ones(len(at)))
            first += len(at)
        entries = (np.concatenate(rows), np.concatenate(columns))
        return sparse.csr_matrix((np.concatenate(values), entries), (width * first, self.size))

    def jerks(self) -> sparse.csr_matrix:
        """Return rows (points, driven): third derivatives of the driven coordinates by t/h."""
        nd, blocks = len(self.driven), []
        for leg, count in zip(self.legs, self.intervals, strict=True):
            local = sparse.coo_matrix(sparse.kron(_hermite(count, 3, NODES), np.eye(nd)))
            shape = (local.shape[0], self.size)
            blocks.append(sparse.csr_matrix((local.data, (local.row, leg.nodes.ravel()[local.col])), shape))
        return sparse.vstack(blocks).tocsr()

    def selection(self, unknowns: np.ndarray) -> sparse.csr_matrix:
        """Return the matrix that picks these unknowns."""
        count = len(unknowns)
        return sparse.csr_matrix((np.ones(count), (np.arange(count), unknowns)), (count, self.size))

    def end(self, motion: sparse.csr_matrix) -> sparse.csr_matrix:
        """Return rows (3 nv + 1) of the last point."""
        return motion[-(ORDERS * self.coordinates + 1) :]

    def times(self, w: np.ndarray) -> np.ndarray:
        """Return times of the points (points,)."""
        begin, out = 0.0, []
        for leg, count in zip(self.legs, self.intervals, strict=True):
            out.append(begin + w[leg.step] * (np.arange(count)[:, None] + NODES).ravel())
            begin += count * w[leg.step]
        return np.concatenate(out)

    def breaks(self, w: np.ndarray) -> np.ndarray:
        """Return times where intervals begin, and the end."""
        widths = np.concatenate([np.full(n, w[leg.step]) for leg, n in zip(self.legs, self.intervals, strict=True)])
        return np.concatenate([[0.0], np.cumsum(widths)])

    def polynomials(self, w: np.ndarray) -> np.ndarray:
        """Return coefficients (intervals, driven, 6) of the driven coordinates in time, rising powers."""
        pieces = []
        for leg in self.legs:
            ends = np.concatenate([w[leg.nodes][:-1], w[leg.nodes][1:]], axis=1)  # (intervals, 6, driven)
            scaled = np.einsum("kn,inj->ijk", _HERMITE, ends)
            pieces.append(scaled / w[leg.step] ** np.arange(6))
        return np.concatenate(pieces)


def _hermite_coefficients() -> np.ndarray:
    """Return the matrix (6, 6) from (value, rate, acceleration) at 0 and at 1 to the powers of a quintic."""
    at_0 = [[factorial(k) if k == order else 0 for k in range(6)] for order in range(3)]
    at_1 = [[factorial(k) / factorial(k - order) if k >= order else 0 for k in range(6)] for order in range(3)]
    return np.linalg.inv(np.array([*at_0, *at_1], float))


_HERMITE = _hermite_coefficients()


def _hermite(count: int, order: int, places: np.ndarray) -> np.ndarray:
    """Return the derivative of a driven coordinate at the points from its nodes (3 (count + 1),)."""
    powers = np.arange(6)
    factor = np.array([factorial(k) / factorial(k - order) if k >= order else 0.0 for k in powers])
    one = factor * places[:, None] ** np.maximum(powers - order, 0) @ _HERMITE  # (places, 6)
    each = len(places)
    table = np.zeros((each * count, ORDERS * (count + 1)))
    for k in range(count):
        table[each * k : each * (k + 1), ORDERS * k : ORDERS * (k + 2)] = one
    return table


def _collocate(count: int, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return value, rate and acceleration of a following coordinate at the points from (entry, rate, stages)."""
    size = 2 + STAGES * count
    value = np.eye(size)[2:].reshape(count, STAGES, size)
    begins = np.concatenate([np.eye(1, size), value[:-1, -1]])
    rate = _derivative(value, begins)
    rate_begins = np.concatenate([np.eye(1, size, 1), rate[:-1, -1]])
    acceleration = _derivative(rate, rate_begins)
    whole, inner = _lagrange(np.append(0.0, NODES), places), _lagrange(NODES, places)
    tables = (
        whole @ np.concatenate([begins[:, None], value], axis=1),
        whole @ np.concatenate([rate_begins[:, None], rate], axis=1),
        inner @ acceleration,
    )
    value, rate, acceleration = (table.reshape(-1, size) for table in tables)
    return value, rate, acceleration


def _derivative(stages: np.ndarray, begins: np.ndarray) -> np.ndarray:
    """Return values at stages (intervals, 3, unknowns) of what is `stages` there, `begins` where intervals begin."""
    return np.linalg.inv(TABLEAU) @ (stages - begins[:, None])


def _lagrange(nodes: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the matrix (places, nodes) from values at nodes to those of their polynomial at places."""
    return np.array([[np.prod([(x - b) / (a - b) for b in nodes if b != a]) for a in nodes] for x in places])
