"""What a beam is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from lissom.model.schema.base_model import Description
from lissom.model.schema.number_fields import Number

if TYPE_CHECKING:
    from lissom import beam


class Material(Description):
    """An isotropic linear-elastic material; the shear modulus follows from `nu` unless `G` is given."""

    what: ClassVar[str] = "material"

    E: Annotated[float, Number("Young's modulus (2.1e11 for steel)", "Pa", at_least=1e3, at_most=1e13)]
    nu: Annotated[float, Number("Poisson's ratio", above=-1, below=0.5)] = 0.3
    rho: Annotated[float, Number("the density (7800 for steel)", "kg/m3", at_least=1, at_most=1e5)]
    yield_stress: Annotated[float | None, Number("the stress at which it yields (355 MPa)", "Pa", above=0)] = None
    G: Annotated[float | None, Number("the shear modulus", "Pa", above=0, at_most=1e13)] = None

    def build(self) -> beam.Material:
        """Return the counterpart in `lissom.beam`."""
        from lissom import beam

        return beam.Material(E=self.E, nu=self.nu, rho=self.rho, G=self.G)
