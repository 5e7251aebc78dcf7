"""Sections of any kind: how a section gives way to the six internal forces, and the moments of its mass.

Strains and forces of a section, in this order, at the link's axis and along its axes:

    strain = (stretch, shear along y, shear along z, twist rate, curvature about y, about z)
    force  = (axial force, shear forces Qy, Qz, torque, bending moments My, Mz)

strain = compliance force. A section whose centroid or shear centre lies off the axis, whose principal axes are turned,
or whose material couples bending and twist has a full compliance; nothing else changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from lissom.beam.number_types import Array, Number, symmetric
from lissom.beam.sections.cross_section import Section
from lissom.errors import LissomError

STRETCH, SHEAR_Y, SHEAR_Z, TWIST, BEND_Y, BEND_Z = range(6)
RIGID_IN_SHEAR = [STRETCH, TWIST, BEND_Y, BEND_Z]  # the forces that deform a section when shear does not

STIFF = 1e4  # shear stiffness over EA of a section that does not shear, where shear forces must be known


@dataclass(frozen=True, eq=False)
class GeneralSection:
    """A section by its compliance and the moments of its mass, both at the link's axis and along its axes."""

    compliance: Array  # (6, 6) from forces to strains
    moments: Array  # (4, 4) int (1, d)(1, d)^T dm per length over the mass at offsets d = (x, y, z)
    outline: Array | None = field(default=None, repr=False)  # (k, 2) polygon (y, z)
    holes: tuple[Array, ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls,
        section: Section,
        centroid: tuple[Number, Number] = (0.0, 0.0),
        shear_centre: tuple[Number, Number] | None = None,
    ) -> GeneralSection:
        """Make a section with principal axes y, z: bending about its centroid, twist about its shear centre (y, z)."""
        s, (yc, zc) = section, centroid
        ys, zs = centroid if shear_centre is None else shear_centre
        shear = [0.0 if k is None else 1 / k for k in (s.kGAy, s.kGAz)]
        own = np.diag(np.array([1 / s.EA, *shear, 1 / s.GJ, 1 / s.EIy, 1 / s.EIz]))
        # forces at the axis -> forces that load the section itself
        at = np.eye(6, dtype=np.result_type(float, yc, zc, ys, zs))
        at[TWIST, SHEAR_Y], at[TWIST, SHEAR_Z] = zs, -ys
        at[BEND_Y, STRETCH], at[BEND_Z, STRETCH] = -zc, yc
        return cls(at.T @ own @ at, _transform_moments(s.moments, np.eye(3), (yc, zc)), s.outline, s.holes)

    @classmethod
    def from_matrices(cls, stiffness: Array, mass: Array) -> GeneralSection:
        """Make a section of matrices (6, 6) of stiffness and of mass (velocities before angular ones), at the axis."""
        K, M = np.asarray(stiffness), np.asarray(mass)
        if np.linalg.eigvalsh(np.real(symmetric(K))).min() <= 0:
            text = "is not positive definite; check the signs of the 6 x 6 matrix and its order"
            raise LissomError(text, ("section", "stiffness"))
        m = M[0, 0]
        first = np.array([0 * m, M[2, 3], M[0, 4]])  # int d dm, which couples velocity and angular velocity
        J = M[3:, 3:]
        moments = np.zeros((4, 4), M.dtype)
        moments[0, 0] = m
        moments[0, 1:] = moments[1:, 0] = first
        moments[1:, 1:] = np.trace(J) / 2 * np.eye(3) - J
        return cls(symmetric(np.linalg.inv(K)), moments)

    def placed(self, turn: Number = 0.0, offset: tuple[Number, Number] = (0.0, 0.0)) -> GeneralSection:
        """Return the section turned by `turn` rad about x, then shifted by `offset` (y, z)."""
        R, to_own = to_own_axes(turn, offset)
        flat, shift = R[1:, 1:], np.array(offset)
        return GeneralSection(
            compliance=to_own.T @ self.compliance @ to_own,
            moments=_transform_moments(self.moments, R, offset),
            outline=None if self.outline is None else self.outline @ flat.T + shift,
            holes=tuple(hole @ flat.T + shift for hole in self.holes),
        )

    def carrying(self, mass: Number, place: tuple[Number, Number]) -> GeneralSection:
        """Return the section with mass per length at a place (y, z) from the axis, which does not stiffen it."""
        at = np.array([1.0, 0.0, *place])
        return replace(self, moments=self.moments + mass * np.outer(at, at))

    @property
    def size(self) -> float:
        """Root of bending over axial stiffness, the larger one: about a third of its height."""
        C = np.real(np.diag(self.compliance))
        return float(np.sqrt(C[STRETCH] / min(C[BEND_Y], C[BEND_Z])))

    @property
    def shear_centre(self) -> Array:
        """Where shear forces do not twist it (y, z), seen from the axis."""
        return shear_centres(self.compliance)

    def rigid_in_shear(self) -> GeneralSection:
        """Return the section that shear forces twist about its shear centre, but do not shear (next to nothing)."""
        C, (y, z) = self.compliance, self.shear_centre
        at = np.eye(6, dtype=C.dtype)
        at[TWIST, SHEAR_Y], at[TWIST, SHEAR_Z] = z, -y
        at[SHEAR_Y, SHEAR_Y] = at[SHEAR_Z, SHEAR_Z] = 0
        made = at.T @ C @ at
        made[SHEAR_Y, SHEAR_Y] += C[STRETCH, STRETCH] / STIFF
        made[SHEAR_Z, SHEAR_Z] += C[STRETCH, STRETCH] / STIFF
        return replace(self, compliance=made)

    @property
    def mass_per_length(self) -> Number:
        """kg/m."""
        return self.moments[0, 0]

    @property
    def centre(self) -> Array:
        """Centre of mass (y, z)."""
        return self.moments[0, 2:] / self.moments[0, 0]


def shear_centres(compliance: Array) -> Array:
    """Return shear centres (..., 2), as (y, z) seen from the axis, of sections with compliance (..., 6, 6)."""
    C = compliance
    return np.stack([-C[..., TWIST, SHEAR_Z], C[..., TWIST, SHEAR_Y]], axis=-1) / C[..., TWIST, TWIST, None]


def independent_forces(compliance: Array) -> tuple[Array, Array]:
    """Return six combinations of the forces, one a column of (..., 6, 6), and the strains that they bring, likewise.

    Axial and shear forces come with the torque and the moments that leave sections untwisted and unbent: shear forces
    act in the shear centre, axial forces in the centroid. Of sections with compliance (..., 6, 6).
    """
    C = compliance
    forces = np.zeros_like(C)
    forces[..., range(6), range(6)] = 1
    forces[..., TWIST:, :TWIST] = -np.linalg.solve(C[..., TWIST:, TWIST:], C[..., TWIST:, :TWIST])
    strains = C @ forces
    strains[..., TWIST:, :TWIST] = 0  # but for rounding it is
    return forces, strains


def to_own_axes(turn: Number, offset: tuple[Number, Number]) -> tuple[Array, Array]:
    """Return axes (3, 3) of a section turned about x, then shifted, and the matrix (6, 6) from forces to its own."""
    cos, sin = np.cos(turn), np.sin(turn)
    one, zero = 1 + 0 * cos, 0 * cos
    R = np.array([[one, zero, zero], [zero, cos, -sin], [zero, sin, cos]])
    y, z = offset
    lever = np.array([[0 * y, -z, y], [z, 0 * y, 0 * y], [-y, 0 * y, 0 * y]])  # offset x force
    return R, np.block([[R.T, np.zeros((3, 3))], [-R.T @ lever, R.T]])


def _transform_moments(moments: Array, R: Array, offset: tuple[Number, Number]) -> Array:
    """Return moments of a mass whose own axes are turned by R (3, 3) and whose origin is shifted by `offset` (y, z)."""
    A = np.zeros((4, 4), np.result_type(R, *offset, float))
    A[0, 0], A[2:, 0], A[1:, 1:] = 1, offset, R
    return A @ moments @ A.T
