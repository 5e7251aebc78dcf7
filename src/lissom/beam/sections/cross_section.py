"""Cross sections of a beam: what a section weighs and how it resists, per unit length."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lissom.beam.number_types import Array, Number, positive
from lissom.beam.sections import shear_factors as shear
from lissom.beam.sections import torsion_constants
from lissom.errors import LissomError


@dataclass(frozen=True)
class Material:
    """An isotropic elastic material: Young's modulus E, Poisson's ratio nu, density rho, shear modulus G."""

    E: Number
    nu: Number
    rho: Number
    G: Number = None

    def __post_init__(self) -> None:
        positive("material E", self.E)
        positive("material rho", self.rho)
        if not -1 < np.real(self.nu) <= 0.5:
            raise LissomError("must lie in (-1, 0.5], as every Poisson's ratio does", ("material", "nu"), self.nu)
        if self.G is None:
            object.__setattr__(self, "G", self.E / 2 / (1 + self.nu))
        positive("material G", self.G)


@dataclass(frozen=True)
class Section:
    """Stiffnesses and inertias of a section: x along the beam, y and z its principal axes at the centroid.

    Bending in the x-y plane (deflection v) turns about z and is resisted by EIz; deflection w by EIy.
    """

    rhoA: Number  # mass per length
    EA: Number  # extension
    EIy: Number  # bending about y, deflection along z
    EIz: Number  # bending about z, deflection along y
    GJ: Number  # torsion
    Jx: Number  # rotary inertia per length about x, y, z: independent data, Jx need not be Jy + Jz
    Jy: Number
    Jz: Number
    kGAy: Number = None  # shear along y and z; None: unknown, taken as rigid
    kGAz: Number = None
    outline: Array | None = field(default=None, compare=False, repr=False)  # (k, 2) polygon (y, z)
    holes: tuple[Array, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("rhoA", "EA", "EIy", "EIz", "GJ"):
            positive(f"section {name}", getattr(self, name))
        for name in ("Jx", "Jy", "Jz"):
            positive(f"section {name}", getattr(self, name), zero_allowed=True)
        if (self.kGAy is None) != (self.kGAz is None):
            missing = "kGAy" if self.kGAy is None else "kGAz"
            raise LissomError("is missing; give both shear stiffnesses or neither", ("section", missing))
        if self.kGAy is not None:
            positive("section kGAy", self.kGAy)
            positive("section kGAz", self.kGAz)

    @property
    def rigidity(self) -> Array:
        """Forces per strain of a section that does not shear, shape (6,), order as in `general_section`."""
        return np.array([self.EA, 0.0, 0.0, self.GJ, self.EIy, self.EIz])

    @property
    def moments(self) -> Array:
        """Moments int (1, d)(1, d)^T dm per length of the mass at offsets d, shape (4, 4)."""
        return moments_per_length(self.rhoA, self.Jx, self.Jy, self.Jz)

    @property
    def second_moments(self) -> Array:
        """Moments int d d^T rho dA of the offsets d = (dx, y, z) that give the rotary inertias, shape (3, 3).

        The first one is negative where a boom is given more inertia about its axis than Jy + Jz: its kinetic
        energy is 1/2 (Jx wx^2 + Jy wy^2 + Jz wz^2) all the same.
        """
        return self.moments[1:, 1:]

    @classmethod
    def from_geometry(
        cls,
        material: Material,
        area: Number,
        Iy: Number,
        Iz: Number,
        torsion_constant: Number,
        outline: Array | None = None,
        shear_factors: tuple[Number, Number] | None = None,
        holes: tuple[Array, ...] = (),
    ) -> Section:
        """Make a section of one material: area, second moments about y and z, torsion constant, shear along y, z."""
        E, G, rho = material.E, material.G, material.rho
        ky, kz = (None, None) if shear_factors is None else (k * G * area for k in shear_factors)
        return cls(
            rhoA=rho * area, EA=E * area, EIy=E * Iy, EIz=E * Iz, GJ=G * torsion_constant,
            Jx=rho * (Iy + Iz), Jy=rho * Iy, Jz=rho * Iz, kGAy=ky, kGAz=kz, outline=outline, holes=holes,
        )  # fmt: skip

    @classmethod
    def rectangle(cls, material: Material, width: Number, height: Number) -> Section:
        """Make a solid rectangle, `width` along y and `height` along z."""
        b, h = positive("width", width), positive("height", height)
        J = torsion_constants.rectangle(b, h)
        k = shear.rectangle(material.nu)
        return cls.from_geometry(material, b * h, b * h**3 / 12, h * b**3 / 12, J, _rectangle_outline(b, h), (k, k))

    @classmethod
    def box(cls, material: Material, width: Number, height: Number, thickness: Number) -> Section:
        """Make a closed box of uniform wall `thickness`; outer `width` along y, outer `height` along z."""
        b, h, t = positive("width", width), positive("height", height), positive("thickness", thickness)
        if 2 * np.real(t) >= min(np.real(b), np.real(h)):
            text = f"the walls of a {width!r} x {height!r} box meet; take less than half the side, or a rectangle"
            raise LissomError(text, ("thickness",), thickness)
        bi, hi = b - 2 * t, h - 2 * t
        Iy, Iz = (b * h**3 - bi * hi**3) / 12, (h * b**3 - hi * bi**3) / 12
        J, factors = torsion_constants.box(b, h, t), (shear.box(material.nu, h, b, t), shear.box(material.nu, b, h, t))
        outer, hole = _rectangle_outline(b, h), _rectangle_outline(bi, hi)
        return cls.from_geometry(material, b * h - bi * hi, Iy, Iz, J, outer, factors, (hole,))

    @classmethod
    def circle(cls, material: Material, radius: Number = None, diameter: Number = None) -> Section:
        """Make a solid round bar, by its `radius` or its `diameter`."""
        if (radius is None) == (diameter is None):
            raise LissomError("give either radius or diameter", ("circle",))
        r = positive("radius", radius) if diameter is None else positive("diameter", diameter) / 2
        I = np.pi * r**4 / 4
        k = shear.tube(material.nu, 0.0)
        return cls.from_geometry(material, np.pi * r**2, I, I, 2 * I, _circle_outline(r), (k, k))

    @classmethod
    def tube(cls, material: Material, outer: Number, inner: Number = None, thickness: Number = None) -> Section:
        """Make a round tube by its `outer` diameter and either its `inner` diameter or its wall `thickness`."""
        if (inner is None) == (thickness is None):
            raise LissomError("give either inner (diameter) or thickness", ("tube",))
        R = positive("outer", outer) / 2
        r = positive("inner", inner) / 2 if thickness is None else R - positive("thickness", thickness)
        if not 0 <= np.real(r) < np.real(R):
            raise LissomError(f"leaves no wall or no hole: the inner radius would be {r!r}", ("tube", "outer"), outer)
        I = np.pi * (R**4 - r**4) / 4
        k, hole = shear.tube(material.nu, r / R), (_circle_outline(r),) if np.real(r) > 0 else ()
        return cls.from_geometry(material, np.pi * (R**2 - r**2), I, I, 2 * I, _circle_outline(R), (k, k), hole)

    @classmethod
    def from_stiffness(
        cls,
        material: Material | None = None,
        *,
        EIy: Number,
        EIz: Number,
        GJ: Number,
        EA: Number = None,
        area: Number = None,
        rhoA: Number = None,
        Jx: Number = None,
        Jy: Number = None,
        Jz: Number = None,
        kGAy: Number = None,
        kGAz: Number = None,
        outline: Array | None = None,
    ) -> Section:
        """Return section from known stiffnesses.

        Mass per length: `rhoA`, or the material's density times `area`. `EA`: given, or the material's E
        times `area`. Rotary inertias not given are those of the second moments of area, rho EI/E (rhoA EI/EA
        without a material), and Jx = Jy + Jz.
        """
        if rhoA is None:
            if material is None or area is None:
                raise LissomError("is missing; give the mass per length, or area and a material", ("section", "rhoA"))
            rhoA = material.rho * positive("area", area)
        if EA is None:
            if material is None or area is None:
                raise LissomError("is missing; give the axial stiffness, or area and a material", ("section", "EA"))
            EA = material.E * positive("area", area)
        inertia_per_stiffness = rhoA / EA if material is None else material.rho / material.E
        Jy = inertia_per_stiffness * EIy if Jy is None else Jy
        Jz = inertia_per_stiffness * EIz if Jz is None else Jz
        Jx = Jy + Jz if Jx is None else Jx
        return cls(rhoA, EA, EIy, EIz, GJ, Jx, Jy, Jz, kGAy, kGAz, outline)


def moments_per_length(rhoA: Any, Jx: Any, Jy: Any, Jz: Any) -> Array:
    """Return moments (..., 4, 4) of the mass of sections, see `Section.moments`; numbers of one or several (...)."""
    out = np.zeros((*np.shape(rhoA), 4, 4), np.result_type(rhoA, Jx, Jy, Jz))
    out[..., 0, 0] = rhoA
    out[..., 1, 1], out[..., 2, 2], out[..., 3, 3] = (Jy + Jz - Jx) / 2, (Jx + Jz - Jy) / 2, (Jx + Jy - Jz) / 2
    return out


def _rectangle_outline(width: Number, height: Number) -> Array:
    return np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * np.array([width, height]) / 2


def _circle_outline(radius: Number, corners: int = 24) -> Array:
    angle = 2 * np.pi * np.arange(corners) / corners
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
