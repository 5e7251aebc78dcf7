"""What a Trajectory gives by name, as plain arrays: for tables and figures, which use no labels."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from lissom.lie import so3
from lissom.results.lookup import POSITION, VELOCITY, Lookup, NamedColumns


class Numbers:
    """Arrays of a run with `N` samples; names are those that the Trajectory takes."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup, self.quantities = lookup, lookup.quantities

    def __getitem__(self, variable: str) -> np.ndarray:
        """Return a variable of the dataset."""
        return self.quantities[variable]

    def position(self, name: str) -> NamedColumns:
        """Return a joint or a coordinate; where a joint has more velocities than positions, also one of the former."""
        found = self.lookup.coordinate(name, POSITION, "q") or self.lookup.coordinate(name, VELOCITY, "v")
        return found or self._unknown(name)

    def velocity(self, name: str) -> NamedColumns:
        """Velocity of a joint or coordinate."""
        return self.lookup.coordinate(name, VELOCITY, "v") or self._unknown(name)

    def torque(self, name: str) -> NamedColumns:
        """Force on a joint by its motor, or by what drives a prescribed joint."""
        return self.lookup.force(name) or self._unknown(name)

    def reading(self, sensor: str, ideal: bool = False) -> NamedColumns:
        """Return what a sensor tells, or an ideal one would."""
        return self.lookup.reading(sensor, ideal)

    def wrench(self, joint: str) -> np.ndarray:
        """Wrench of the parent on the child at a joint, in the child's axes, (N, 6)."""
        return self.quantities.select("wrench", "joint", self.lookup.joint(joint).joint)

    def tip(self, link: str, what: str = "position") -> np.ndarray:
        """Position (N, 3), orientation (N, 4) or twist (N, 6) of a link's tip in the world."""
        return self.quantities.select(f"tip_{what}", "link", link)

    def deflection(self, link: str) -> np.ndarray:
        """Elastic displacement of the tip of a flexible link, link axes, (N, 3) m."""
        self.lookup.flexible(link)
        return self.quantities.select("deflection", "flexible", link)

    def rotation(self, link: str) -> np.ndarray:
        """Elastic rotation vector of the tip of a flexible link, link axes, (N, 3) rad."""
        self.lookup.flexible(link)
        return self.quantities.select("rotation", "flexible", link)

    def bow(self, link: str) -> np.ndarray:
        """Largest distance of the bent axis of a flexible link from the line through both its ends, (N,) m."""
        self.lookup.flexible(link)
        return self.quantities.select("bow", "flexible", link)

    def shape(self, link: str, x: ArrayLike) -> np.ndarray:
        """Displacement of the axis of a flexible link at places x (k,), link axes, (N, k, 3) m."""
        body = self.lookup.model.bodies[self.lookup.model.row(link) - 1]
        return self.lookup.flexible(link).displacement(x, self.lookup.whole("q", POSITION)[:, body.modes_q])

    def centre_line(self, link: str, stations: int | ArrayLike = 21) -> np.ndarray:
        """Return the bent axis of a flexible link in the world, (N, k, 3) m."""
        x = self.lookup.stations(link, stations)
        local = self.shape(link, x) + self.lookup.flexible(link).position(x)
        origin = self.quantities.select("link_position", "link", link)[:, None, :]
        return origin + so3.act(self.lookup.axes(link)[:, None], local)

    def _unknown(self, name: str) -> NoReturn:
        raise self.lookup.unknown(name)
