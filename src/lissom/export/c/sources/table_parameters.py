"""Numbers of the robot as arguments of its functions: the tables as polynomials of these numbers.

Masses, inertias, stiffness, damping and gravity enter the tables as polynomials of low degree. These are found from the
tables of robots with other values and proved on further ones; what does not fit (a length, which changes the functions
that a beam bends in) is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from lissom.errors import LissomError
from lissom.kernel.data.arrays import Arrays
from lissom.kernel.data.table_operations import tables
from lissom.model.description.robot import Robot

DEGREE = 3  # mass times the square of a distance
PROOFS = 3  # points beyond those of a fit, where it must hold as well: else the table is no such polynomial
EXACT = 1e-11  # relative to the largest entry of a table

Tabulate = Callable[[Robot], Arrays]


class Parameters:
    """Numbers of a robot by their paths, and the tables that depend on them."""

    def __init__(self, robot: Robot, paths: Sequence[str]) -> None:
        self.robot, self.paths = robot, tuple(paths)
        if len(set(paths)) < len(paths):
            raise LissomError("names a number twice", ("parameters",), ", ".join(paths))
        values = [robot.value(path) for path in paths]
        for path, value in zip(paths, values, strict=True):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise LissomError(f"{path} is not a number; give the path of one", ("parameters",), value)
        self.values = np.array(values, float)
        self.scale = np.where(self.values == 0, 1.0, self.values)
        of = range(len(paths))
        self.monomials = [m for d in range(DEGREE + 1) for m in combinations_with_replacement(of, d)]

    def at(self, values: Sequence[float]) -> Robot:
        """Return the robot with other values."""
        robot = self.robot
        for path, value in zip(self.paths, values, strict=True):
            robot = robot.with_value(path, float(value))
        return robot

    def terms(self, x: Any) -> list[Any]:
        """Return the monomials of x = values / scale, numbers or symbols."""
        found: list[Any] = []
        for monomial in self.monomials:
            term: Any = 1.0
            for k in monomial:
                term = term * x[k]
            found.append(term)
        return found

    def coefficients(self, tabulate: Tabulate) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Return by table which entries vary (flat indices), and their coefficients (entries, monomials)."""
        rng = np.random.default_rng(0)
        count = len(self.monomials) + PROOFS
        points = rng.uniform(0.6, 1.4, size=(count, len(self.paths)))
        seen = [dict(tables(tabulate(self.at(self.scale * each)))) for each in points]
        matrix = np.array([self.terms(each) for each in points])
        found = {}
        for name in seen[0]:
            values = np.array([each[name].ravel() for each in seen])
            vary = np.flatnonzero(np.ptp(values, axis=0))
            if not vary.size:
                continue
            own = values[:, vary]
            fit = np.linalg.lstsq(matrix[:-PROOFS], own[:-PROOFS], rcond=None)[0]
            if np.abs(matrix @ fit - own).max() > EXACT * np.abs(own).max():
                self._refuse(tabulate, name)
            kept = np.abs(fit) >= EXACT * np.abs(own).max()
            found[name] = vary, np.array([_refit(matrix, *each) for each in zip(kept.T, own.T, strict=True)])
        self._check_used([coefficients for _, coefficients in found.values()])
        return found

    def _check_used(self, found: Sequence[np.ndarray]) -> None:
        """Refuse a number that changes nothing; the length of an axis, for example, does not."""
        used = {k for each in found for j in np.flatnonzero(each.any(axis=0)) for k in self.monomials[j]}
        for k, path in enumerate(self.paths):
            if k not in used:
                raise LissomError(f"{path} changes nothing in the equations of motion; leave it out", ("parameters",))

    def _refuse(self, tabulate: Tabulate, table: str) -> None:
        for path in self.paths if len(self.paths) > 1 else ():
            Parameters(self.robot, [path]).coefficients(tabulate)
        verb = "do" if len(self.paths) > 1 else "does"
        raise LissomError(
            f"{' and '.join(self.paths)} {verb} not enter the equations of motion as a polynomial ({table}); "
            + _remedy(self.paths[0]),
            ("parameters",),
        )


def _remedy(path: str) -> str:
    link = path.split(".")
    if link[0] == "links" and link[2:4] == ["beam", "masses"]:
        return (
            "the mass at a beam's tip may be an argument where it is the payload of the link: write "
            f"payload: {{mass: ...}} beside beam, and export links.{link[1]}.payload.mass"
        )
    return "fix it with --set; arguments may be masses of bodies and payloads, springs, damping and gravity"


def _refit(matrix: np.ndarray, kept: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return coefficients by the monomials that are kept alone, which loses fewer digits."""
    out = np.zeros(len(kept))
    out[kept] = np.linalg.lstsq(matrix[:, kept], values, rcond=None)[0]
    return out
