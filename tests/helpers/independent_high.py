"""The foreshortened field with all its terms, for the independent derivation: slopes are direction cosines of the axis.

The axis has the tangent (1 + a') (sqrt(1 - v'^2 - w'^2), v', w'); a section stands across it and turns least on the way
there, but for a roll that makes its twist rate t'. Strains are a', t' and the curvatures of R^T R', found by
differentiating R along the axis; nothing here repeats the library's formulas for rotations and curvatures.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca
import numpy as np
from casadi import MX
from independent_beam import BeamField, Pose, gauss


def least_turn(y: MX, z: MX) -> MX:
    """The rotation of e_x to the unit vector (sqrt(1 - y^2 - z^2), y, z) about an axis across both."""
    K = ca.skew(ca.vertcat(0, -z, y))
    return MX.eye(3) + K + K @ K / (1 + ca.sqrt(1 - y * y - z * z))


def roll(angle: MX) -> MX:
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.vertcat(ca.horzcat(1, 0, 0), ca.horzcat(0, c, -s), ca.horzcat(0, s, c))


class HighField(BeamField):
    """The displacement field of high order as CasADi expressions."""

    def along(self, xi: np.ndarray, eta: MX) -> tuple[list[MX], MX]:
        """Centre line (three columns) and roll angle at the stations xi."""
        stations, which = np.unique(xi, return_inverse=True)
        ends = np.concatenate([[0.0], stations])
        pieces = [gauss(a, b, self.breaks, self.order) if b > a else (np.zeros(0),) * 2 for a, b in zip(ends, stations)]
        inner, first = np.concatenate([p for p, _ in pieces]), 0
        upto = np.zeros((len(stations), len(inner)))
        for k, (_, w) in enumerate(pieces):
            upto[k:, first : first + len(w)] = w * self.beam.length
            first += len(w)
        f, integral = self.fields(inner, eta), ca.DM(upto[which])
        cosine = ca.sqrt(1 - f["v1"] ** 2 - f["w1"] ** 2)
        stretch = 1 + f["a1"]
        axis = [integral @ (stretch * part) for part in (cosine, f["v1"], f["w1"])]
        lag = integral @ ((f["v1"] * f["w2"] - f["w1"] * f["v2"]) / (1 + cosine))
        return axis, self.fields(xi, eta)["t"] + lag

    def frames(self, xi: np.ndarray, eta: MX) -> list[Pose]:
        axis, angle = self.along(xi, eta)
        f = self.fields(xi, eta)
        return [
            (least_turn(f["v1"][k], f["w1"][k]) @ roll(angle[k]), ca.vertcat(*(part[k] for part in axis)))
            for k in range(len(xi))
        ]

    def section(self, x: float, eta: MX) -> Pose:
        return self.frames(np.array([x / self.beam.length]), eta)[0]

    def points(self, eta: MX) -> tuple[MX, MX, MX]:
        stations, which = np.unique(self.point_xi, return_inverse=True)
        frames = self.frames(stations, eta)
        s = ca.horzcat(*[frames[k][1] + frames[k][0] @ ca.DM(d) for k, d in zip(which, self.offsets)])
        return s[0, :].T, s[1, :].T, s[2, :].T

    def strains(self, eta: MX) -> MX:
        """a', t', ky, kz at the Gauss points, one column each; R' by the chain rule from v'', w'', phi'."""
        f = self.fields(self.xi, eta)
        _, angle = self.along(self.xi, eta)
        y, z, phi = MX.sym("y"), MX.sym("z"), MX.sym("phi")
        R = least_turn(y, z) @ roll(phi)
        rates = MX.sym("rates", 3)
        spin = R.T @ ca.reshape(ca.jtimes(ca.vec(R), ca.vertcat(y, z, phi), rates), 3, 3)
        curvature = ca.Function("k", [y, z, phi, rates], [ca.vertcat(spin[2, 1], spin[0, 2], spin[1, 0])])
        columns = []
        for k in range(len(self.xi)):
            v1, w1, v2, w2 = (f[name][k] for name in ("v1", "w1", "v2", "w2"))
            angle_rate = f["t1"][k] + (v1 * w2 - w1 * v2) / (1 + ca.sqrt(1 - v1 * v1 - w1 * w1))
            bent = curvature(v1, w1, angle[k], ca.vertcat(v2, w2, angle_rate))
            columns.append(ca.vertcat(f["a1"][k], bent))
        return ca.horzcat(*columns)

    def _stiffness(self) -> ca.DM:
        c = self.beam.section
        return ca.DM(np.outer([c.EA, c.GJ, c.EIy, c.EIz], self.weights * self.beam.length))

    def strain(self, eta: MX) -> MX:
        return ca.sum1(ca.sum2(self._stiffness() * self.strains(eta) ** 2)) / 2

    @cached_property
    def damping_force(self) -> ca.Function:
        damping = self.beam.damping
        if not isinstance(damping, dict):
            return super().damping_force
        eta, rate = MX.sym("eta", self.count), MX.sym("etad", self.count)
        strains = ca.vec(self.strains(eta))
        stress_rates = ca.vec(self._stiffness()) * ca.jtimes(strains, eta, rate)
        at_rest = self.kinetic.call([MX.zeros(6), MX.zeros(self.count), rate], True, False)[0]
        mass = ca.evalf(ca.hessian(at_rest, rate)[0])
        force = -damping["stiffness"] * ca.jtimes(strains, eta, stress_rates, True) - damping["mass"] * mass @ rate
        return ca.Function("damping", [eta, rate], [force])
