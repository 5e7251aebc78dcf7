"""A plane shape that changes along a link: its torsion and shear problems are solved at a few places only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.chebyshev import chebpts1, chebval, chebvander

from lissom.beam.constants import constant_property
from lissom.beam.number_types import Array
from lissom.beam.sections.plane_shape import PlaneShape, geometry

# An I beam that halves its size is met to 2e-4 with 4 places, to 1e-4 with 6 or 8, by as much as the meshes scatter.
PLACES = 6


@dataclass(frozen=True, eq=False)
class Tapering:
    """Shapes on the way from one to another; `solve(s)` is the whole solution at the fraction s of the way.

    Torsion constant, shear stiffnesses and shear centre are interpolated, as they change like polynomials of the sizes;
    area, centroid and second moments are exact everywhere.
    """

    solve: Callable[[float], PlaneShape]

    @constant_property
    def _coefficients(self) -> Array:
        """(PLACES, 7) of Chebyshev polynomials."""
        points = chebpts1(PLACES)
        shapes = [self.solve(float(s)) for s in (points + 1) / 2]
        numbers = [[shape.torsion, *np.linalg.inv(shape.shear).ravel(), *shape.shear_centre] for shape in shapes]
        return np.linalg.solve(chebvander(points, PLACES - 1), np.array(numbers))

    def at(self, s: float, outline: Array, holes: Sequence[Array]) -> PlaneShape:
        """Return the shape at the fraction s, whose outline and holes are given."""
        torsion, *shear, y, z = chebval(2 * s - 1, self._coefficients)
        compliance = np.linalg.inv(np.array(shear).reshape(2, 2))
        return PlaneShape(*geometry(outline, holes), torsion, compliance, np.array([y, z]), None)
