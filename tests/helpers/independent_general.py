"""A flexible link of any profile for the independent derivation: shear, steps, tapers, coupled sections, prestress.

Of the library's link it uses what a user gives or chooses: the distributions of internal forces that are its functions,
compliance and mass of the sections, the data. Strains, displacements, the second-order field, energies and poses are
written out here from their definitions; the strain energy of the second-order field is the whole energy of its
true strains, cut after the third order by CasADi.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from casadi import MX
from independent_beam import BeamField, Lump, Pose, curvature, gauss, point_masses, rotation_columns, second_moments

ELASTIC = [0, 3, 4, 5]  # strains that are resisted where shear is not


def rolled(angle: MX) -> MX:
    """Rotation about x."""
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.vertcat(ca.horzcat(1, 0, 0), ca.horzcat(0, c, -s), ca.horzcat(0, s, c))


@dataclass(frozen=True)
class GeneralBeam:
    """Data of a flexible link; `forces` maps fractions of the length to (k, 6, m)."""

    length: float
    profile: Any
    forces: Any
    count: int
    stiffening: str = "first"
    damping: Any = 0.0
    masses: tuple[Lump, ...] = ()
    prestrain: Any = None  # (6,)
    tendons: tuple[tuple[float, float, float], ...] = ()  # tension, y, z


class GeneralBeamField(BeamField):
    """The displacement field, energies and section poses of one such link as CasADi expressions."""

    def __init__(self, beam: GeneralBeam, order: int) -> None:
        self.beam, self.order = beam, order
        self._made: dict[tuple[str, bytes], np.ndarray] = {}
        self.second_order = beam.stiffening == "first"
        self.exact = beam.stiffening == "exact"
        self.count = beam.count
        self.breaks = list(beam.profile.edges[1:-1])
        self.xi, self.weights = gauss(0.0, 1.0, self.breaks, order)
        stations, masses, offsets = [], [], []
        moments = beam.profile.tables(self.xi)[1]
        for xi, weight, W in zip(self.xi, self.weights, moments, strict=True):
            m = W[0, 0] * weight * beam.length
            centre = W[0, 1:] / W[0, 0]
            second = W[1:, 1:] - W[0, 0] * np.outer(centre, centre)
            parts = point_masses(m, centre, second * weight * beam.length)
            stations += [xi] * len(parts[0])
            masses, offsets = [*masses, *parts[0]], [*offsets, *parts[1]]
        for lump in beam.masses:
            parts = point_masses(lump.mass, lump.com, second_moments(lump.inertia))
            stations += [lump.x / beam.length] * len(parts[0])
            masses, offsets = [*masses, *parts[0]], [*offsets, *parts[1]]
        keep = np.array(masses) != 0
        self.point_xi, self.masses = np.array(stations)[keep], np.array(masses)[keep]
        self.offsets = np.array(offsets)[keep]

    def kept(self, name: str, xi: np.ndarray, make: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """What was made at the same stations before: sections between stations take long to make."""
        key = name, np.asarray(xi, float).tobytes()
        if key not in self._made:
            self._made[key] = make(np.asarray(xi, float))
            self._made[key].flags.writeable = False
        return self._made[key]

    def strains(self, xi: np.ndarray) -> np.ndarray:
        """(k, 6, m)."""
        return self.kept("strains", xi, lambda xi: self.beam.profile.tables(xi)[0] @ self.beam.forces(xi))

    def integrals(self, values: Callable[[np.ndarray], np.ndarray], xi: np.ndarray) -> np.ndarray:
        """Integrals over x of `values`, (k, 3, m) at k places, from the base to each of the stations."""
        which, pieces = self.pieces(xi)
        inner, weights = (np.concatenate(parts) for parts in zip(*pieces))
        summed = np.cumsum(values(inner) * (weights * self.beam.length)[:, None, None], axis=0)
        upto = np.cumsum([len(w) for _, w in pieces])
        return np.concatenate([np.zeros_like(summed[:1]), summed])[upto[which]]

    def rotation(self, xi: np.ndarray) -> np.ndarray:
        """(k, 3, m)."""
        return self.kept("rotation", xi, lambda xi: self.integrals(lambda inner: self.strains(inner)[:, 3:], xi))

    def linear(self, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Displacement and rotation (k, 3, m) by two integrations along the link."""

        def slope(inner: np.ndarray) -> np.ndarray:
            out, turned = self.strains(inner)[:, :3].copy(), self.rotation(inner)
            out[:, 1] += turned[:, 2]
            out[:, 2] -= turned[:, 1]
            return out

        return self.integrals(slope, xi), self.rotation(xi)

    def columns(self, table: np.ndarray, eta: MX) -> list[MX]:
        return [ca.DM(table[:, a]) @ eta for a in range(table.shape[1])]

    def second_order_terms(self, xi: np.ndarray, eta: MX) -> tuple[MX, MX]:
        """What the section is drawn back along x, and what it turns about its axis, beyond first order."""
        if not self.second_order:
            return MX.zeros(len(xi)), MX.zeros(len(xi))
        inner, upto = self.running(xi)
        _, thy, thz = self.columns(self.rotation(inner), eta)
        _, gy, gz, _, ky, kz = self.columns(self.strains(inner), eta)
        # the projection of a tangent that slips past the normal by gy, gz; the normal turns by thy, thz
        drawn = (thz + gy) ** 2 + (gz - thy) ** 2 - gy**2 - gz**2
        return ca.DM(upto) @ drawn / 2, ca.DM(upto) @ (thy * kz - thz * ky) / 2

    def exact_axis(self, xi: np.ndarray, eta: MX) -> list[MX]:
        inner, upto = self.running(xi)
        R = rotation_columns(self.columns(self.rotation(inner), eta))
        g = self.columns(self.strains(inner), eta)[:3]
        return [ca.DM(upto) @ (R[k][0] * (1 + g[0]) + R[k][1] * g[1] + R[k][2] * g[2]) for k in range(3)]

    def points(self, eta: MX) -> tuple[MX, MX, MX]:
        d = [ca.DM(self.offsets[:, k]) for k in range(3)]
        u, th = (self.columns(part, eta) for part in self.linear(self.point_xi))
        if self.exact:
            axis, R = self.exact_axis(self.point_xi, eta), rotation_columns(th)
            x, y, z = (axis[k] + R[k][0] * d[0] + R[k][1] * d[1] + R[k][2] * d[2] for k in range(3))
            return x, y, z
        short, _ = self.second_order_terms(self.point_xi, eta)
        return (
            ca.DM(self.point_xi * self.beam.length) + u[0] - short + d[0] + th[1] * d[2] - th[2] * d[1],
            u[1] + d[1] + th[2] * d[0] - th[0] * d[2],
            u[2] + d[2] + th[0] * d[1] - th[1] * d[0],
        )

    @cached_property
    def stiffness(self) -> np.ndarray:
        """(k, 6, 6) of the sections at the quadrature points."""
        C = self.beam.profile.tables(self.xi)[0]
        if self.beam.profile.shear:
            return np.linalg.inv(C)
        out = np.zeros_like(C)
        for k in range(len(C)):
            out[k][np.ix_(ELASTIC, ELASTIC)] = np.linalg.inv(C[k][np.ix_(ELASTIC, ELASTIC)])
        return out

    def before(self) -> np.ndarray:
        """Forces (k, 6) in the sections without strain."""
        out = np.zeros((len(self.xi), 6))
        for tension, y, z in self.beam.tendons:
            out += tension * np.array([1, 0, 0, 0, z, -y])
        if self.beam.prestrain is not None:
            C = self.beam.profile.tables(self.xi)[0]
            strain = np.tile(np.array(self.beam.prestrain, float), (len(self.xi), 1))
            strain[:, 1:3] += strain[:, 3:4] * C[:, 1:3, 3] / C[:, 3:4, 3]  # shear that a torque brings with the twist
            out -= (self.stiffness @ strain[..., None])[..., 0]
        return out

    def energy_of(self, strains: list[MX]) -> MX:
        """Strain energy of six columns of strains over the quadrature points."""
        w, S, F0 = self.weights * self.beam.length, self.stiffness, self.before()
        total = sum(ca.dot(ca.DM(w * F0[:, a]), strains[a]) for a in range(6))
        for a in range(6):
            for b in range(6):
                if np.any(S[:, a, b] != 0):
                    total += ca.dot(ca.DM(w * S[:, a, b]), strains[a] * strains[b]) / 2
        return total

    def exact_strains(self, eta: MX) -> tuple[list[MX], None]:  # type: ignore[override]
        th = self.columns(self.linear(self.xi)[1], eta)
        e = self.columns(self.strains(self.xi), eta)
        return [*e[:3], *curvature(th, e[3:])], None

    def strain(self, eta: MX) -> MX:
        if self.exact:
            return self.energy_of(self.exact_strains(eta)[0])
        e = self.columns(self.strains(self.xi), eta)
        if not self.second_order:
            return self.energy_of(e)
        th = self.columns(self.linear(self.xi)[1], eta)
        _, twist = self.second_order_terms(self.xi, eta)
        w, S, F0 = self.weights * self.beam.length, self.stiffness, self.before()
        numbers = np.concatenate([S.reshape(len(S), 36), F0], axis=1)
        fields = ca.horzcat(*th, *e, twist).T
        return ca.dot(ca.DM(w), self.third_order_density.map(len(w))(fields, ca.DM(numbers.T)).T)

    @cached_property
    def third_order_density(self) -> ca.Function:
        """Strain energy per length of true strains R^T r' - e_x and R^T R', cut after its third order.

        Of rotations (3), strains (6) and second-order twist at a point, and its stiffness (36) and prestress (6).
        """
        fields, numbers, size = MX.sym("fields", 10), MX.sym("numbers", 42), MX.sym("size")
        th, e = [size * fields[k] for k in range(3)], [size * fields[3 + k] for k in range(6)]
        drawn = (th[2] + e[1]) ** 2 + (e[2] - th[1]) ** 2 - e[1] ** 2 - e[2] ** 2
        twisting = th[1] * e[5] - th[2] * e[4]
        tangent = ca.vertcat(1 + e[0] - drawn / 2, th[2] + e[1], e[2] - th[1])
        turn = MX.sym("turn", 3)
        bend = ca.vertcat(*[ca.horzcat(*row) for row in rotation_columns([MX.zeros(1), turn[1], turn[2]])])
        R = bend @ rolled(turn[0])
        rate = ca.vertcat(e[3] + twisting / 2, e[4], e[5])
        along = sum((ca.jacobian(ca.vec(R), turn)[:, k].reshape((3, 3)) * rate[k] for k in range(3)), MX.zeros(3, 3))
        spin = R.T @ along
        strains = ca.vertcat(R.T @ tangent - ca.DM([1, 0, 0]), spin[2, 1], spin[0, 2], spin[1, 0])
        angles = ca.vertcat(th[0] + size**2 * fields[9], th[1], th[2])
        strains = ca.substitute(strains, turn, angles)
        S = numbers[:36].reshape((6, 6))
        elastic, before = ca.dot(strains, S @ strains) / 2, ca.dot(numbers[36:], strains)
        total, factor = MX.zeros(1), 1.0
        for k in range(1, 4):  # of the prestress, what is linear and quadratic in the deflection
            elastic, before = ca.jacobian(elastic, size), ca.jacobian(before, size)
            factor *= k
            total += ca.substitute(elastic if k == 3 else elastic + before, size, MX.zeros(1)) / factor
        return ca.Function("density", [fields, numbers], [total]).expand()

    @cached_property
    def damping_force(self) -> ca.Function:
        damping = self.beam.damping
        if self.exact and isinstance(damping, dict):
            eta, rate = MX.sym("eta", self.count), MX.sym("etad", self.count)
            at_rest = self.kinetic.call([MX.zeros(6), MX.zeros(self.count), rate], True, False)[0]
            mass = ca.evalf(ca.hessian(at_rest, rate)[0]).full()
            strains = self.exact_strains(eta)[0]
            rates = [ca.jtimes(e, eta, rate) for e in strains]
            w = self.weights * self.beam.length
            stress = [sum(ca.DM(w * self.stiffness[:, a, b]) * rates[b] for b in range(6)) for a in range(6)]
            along = ca.jtimes(ca.vertcat(*strains), eta, ca.vertcat(*stress), True)
            force = -damping["stiffness"] * along - ca.DM(damping["mass"] * mass) @ rate
            return ca.Function("damping", [eta, rate], [force])
        return super().damping_force

    def section(self, x: float, eta: MX) -> Pose:
        xi = np.array([x / self.beam.length])
        u, th = (self.columns(part, eta) for part in self.linear(xi))
        if self.exact:
            R = rotation_columns(th)
            return ca.vertcat(*[ca.horzcat(*row) for row in R]), ca.vertcat(*self.exact_axis(xi, eta))
        short, twist = self.second_order_terms(xi, eta)
        slope = ca.vertcat(0, th[1], th[2])
        g = ca.skew(slope / 2 * (1 + ca.sumsqr(slope) / 12))
        bend = ca.solve(MX.eye(3) - g, MX.eye(3) + g)
        return bend @ rolled(th[0] + twist), ca.vertcat(x + u[0] - short, u[1], u[2])
