"""Which coordinates, links and directions take part in a mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lissom.dynamics.coordinates import indices
from lissom.model.model import Model

SAME = 1e-9  # relative distance of eigenvalues that count as one


@dataclass(frozen=True)
class ModeShare:
    """What a velocity coordinate belongs to."""

    coordinate: str
    link: str
    joint: str
    direction: str  # "joint", "rotor", or of a mode: "y", "z", "torsion", "axial"

    @property
    def label(self) -> str:
        """The elastic part in words; a joint and its rotor are one."""
        if self.direction in ("joint", "rotor"):
            return f"{self.joint} joint"
        return f"{self.link} bending {self.direction}" if self.direction in "yz" else f"{self.link} {self.direction}"


def parts(model: Model) -> tuple[ModeShare, ...]:
    """Return the part of each velocity coordinate, in the order of `model.coordinates`."""
    out: list[ModeShare | None] = [None] * model.nv
    for body in model.bodies:
        names = model.coordinates
        directions = ["joint"] * len(indices(body.joint_v))
        if body.link in model.flexible:
            directions += model.flexible[body.link].directions
        places = [*indices(body.joint_v), *indices(body.modes_v)]
        if body.rotor_v is not None:
            directions.append("rotor")
            places.append(body.rotor_v)
        for k, direction in zip(places, directions, strict=True):
            out[k] = ModeShare(names[k], body.link, body.joint, direction)
    return tuple(part for part in out if part is not None)


@dataclass(frozen=True, eq=False)
class Participation:
    """Shares of a mode's kinetic energy: x_i (M x)_i of coordinate i, mode by mode a sum of one.

    A share may be negative where two coordinates move against each other. A link's share is that of its
    joint, its modes and its rotor together; directions are joint, y, z, torsion, axial and rotor.
    """

    coordinates: tuple[str, ...]
    shares: np.ndarray  # (nv, modes) of each coordinate
    links: dict[str, np.ndarray]  # (modes,) of each link
    directions: dict[str, np.ndarray]  # (modes,) of each direction

    def of(self, coordinate: str) -> np.ndarray:
        """Return the share of one coordinate in every mode, (modes,)."""
        return self.shares[self.coordinates.index(coordinate)]

    def strongest(self, mode: int, number: int = 3, least: float = 0.01) -> list[tuple[str, float]]:
        """Return the coordinates with most of the energy of a mode, and their shares."""
        order = np.argsort(-np.abs(self.shares[:, mode]))[:number]
        shares = [(self.coordinates[k], float(self.shares[k, mode])) for k in order]
        return [(name, share) for name, share in shares if abs(share) >= least]


def kinetic(parts: Sequence[ModeShare], mass: np.ndarray, shapes: np.ndarray) -> Participation:
    """Return the participation in the kinetic energy of modes `shapes` (nv, modes) of unit modal mass."""
    shares = shapes * (mass @ shapes)
    return Participation(
        tuple(part.coordinate for part in parts),
        shares,
        sum_over_groups(parts, shares, lambda part: part.link),
        sum_over_groups(parts, shares, lambda part: part.direction),
    )


def sum_over_groups(
    parts: Sequence[ModeShare], shares: np.ndarray, group: Callable[[ModeShare], str]
) -> dict[str, np.ndarray]:
    """Return sums of the rows of `shares` (nv, modes) over the groups of coordinates."""
    out: dict[str, np.ndarray] = {}
    for part, row in zip(parts, shares, strict=True):
        out[group(part)] = out.get(group(part), 0.0) + row
    return out


def labels(parts: Sequence[ModeShare], stored: np.ndarray, moving: np.ndarray, rigid: np.ndarray) -> tuple[str, ...]:
    """Return name each mode by the part that stores most of its energy, counted: "upper bending y 1".

    Parameters
    ----------
    stored, moving : array
        Shares of potential and kinetic energy by coordinate, (nv, modes).
    rigid : array
        (modes,) whether a mode stores no energy; it is then named by what moves most.
    """
    by_strain, by_motion = (sum_over_groups(parts, shares, lambda part: part.label) for shares in (stored, moving))
    counted: dict[str, int] = {}
    out = []
    for k, is_rigid in enumerate(rigid):
        groups = by_motion if is_rigid else by_strain
        name = max(groups, key=lambda group: abs(groups[group][k]))
        name = f"{name} rigid" if is_rigid else name
        counted[name] = counted.get(name, 0) + 1
        out.append(f"{name} {counted[name]}")
    return tuple(out)


def separate_modes(
    X: np.ndarray, mass: np.ndarray, squares: np.ndarray, noise: float, parts: Sequence[ModeShare]
) -> np.ndarray:
    """Return modes of one frequency, turned among themselves so that each belongs to one part as far as possible."""
    names = list(dict.fromkeys(part.label for part in parts))
    weight = np.array([1.0 + names.index(part.label) for part in parts])
    X, start = X.copy(), 0
    for stop in range(1, len(squares) + 1):
        together = stop < len(squares) and (
            squares[stop] - squares[start] <= SAME * abs(squares[stop])
            or np.abs(squares[start : stop + 1]).max() <= noise
        )
        if together:
            continue
        if stop - start > 1:
            cluster = X[:, start:stop]
            weighed = cluster.T @ (weight[:, None] * mass + mass * weight) @ cluster
            X[:, start:stop] = cluster @ np.linalg.eigh(weighed)[1]
        start = stop
    return X
