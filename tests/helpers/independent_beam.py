"""The flexible link of the independent derivation: its material points, energies, damping and section poses.

Everything is written out from the definition of the field; of the library's link it uses only the functions
of the basis, the section's constants and the user's data. CasADi differentiates.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from casadi import MX
from numpy.polynomial.legendre import leggauss

Pose = tuple[MX, MX]


@dataclass(frozen=True)
class Lump:
    """A rigid mass with centre `com` (3,) and `inertia` (3, 3) about it; on a beam, at the station `x`."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray
    x: float = 0.0


@dataclass(frozen=True)
class Beam:
    """Data of a flexible link; `shapes` are the functions in the four directions y, z, torsion, axial."""

    length: float
    section: Any
    shapes: tuple[Any, Any, Any, Any]
    stiffening: str = "first"
    damping: Any = 0.0
    masses: tuple[Lump, ...] = ()


def point_masses(mass: float, com: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights (7,) and points (7, 3) that carry exactly `mass`, its centre and its second moments.

    Pairs on the principal axes carry the second moments about the centre; a negative one, negative weights.
    """
    moments, axes = np.linalg.eigh(second)
    arm = np.sqrt(max(np.max(np.abs(moments)) / max(abs(mass), 1e-300), 1e-12))
    pair = np.repeat(moments / (2 * arm**2), 2)
    points = np.concatenate([axes.T * arm, -axes.T * arm]).reshape(2, 3, 3).swapaxes(0, 1).reshape(6, 3)
    return np.concatenate([[mass - pair.sum()], pair]), np.concatenate([np.zeros((1, 3)), points]) + com


def second_moments(inertia: np.ndarray) -> np.ndarray:
    """Second moments int d d^T of a mass from its inertia int (|d|^2 - d d^T)."""
    return np.trace(inertia) / 2 * np.eye(3) - inertia


def gauss(start: float, end: float, breaks: Sequence[float], order: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss points and weights on [start, end], panel by panel between the break points."""
    knots = [start, *(b for b in sorted(set(breaks)) if start < b < end), end]
    nodes, weights = leggauss(order)
    panels = list(itertools.pairwise(knots))
    points = np.concatenate([a + (b - a) * (nodes + 1) / 2 for a, b in panels])
    return points, np.concatenate([weights * (b - a) / 2 for a, b in panels])


def columns_cross(a: Sequence[MX], b: Sequence[MX]) -> tuple[MX, MX, MX]:
    """Cross product of two fields given by their three component columns."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def rotation_columns(theta: Sequence[MX]) -> list[list[MX]]:
    """Entries of exp(theta~) = 1 + s theta~ + f theta~^2 for fields of rotation vectors, by their power series."""
    z = theta[0] ** 2 + theta[1] ** 2 + theta[2] ** 2
    s = f = 0.0
    for n in reversed(range(20)):
        s = (-1) ** n / math.factorial(2 * n + 1) + z * s
        f = (-1) ** n / math.factorial(2 * n + 2) + z * f
    x, y, w = theta
    return [
        [1 - f * (y * y + w * w), f * x * y - s * w, f * x * w + s * y],
        [f * x * y + s * w, 1 - f * (x * x + w * w), f * y * w - s * x],
        [f * x * w - s * y, f * y * w + s * x, 1 - f * (x * x + y * y)],
    ]


def curvature(theta: Sequence[MX], theta_x: Sequence[MX]) -> list[MX]:
    """k of R^T R' = k~, by differentiating the entries of R along the link."""
    t = [MX.sym(f"t{k}") for k in range(3)]
    d = [MX.sym(f"d{k}") for k in range(3)]
    R = ca.vertcat(*[ca.horzcat(*row) for row in rotation_columns(t)])
    along = sum((ca.jacobian(ca.vec(R), t[k]).reshape((3, 3)) * d[k] for k in range(3)), start=MX.zeros(3, 3))
    spin = R.T @ along
    k = ca.Function("k", [*t, *d], [spin[2, 1], spin[0, 2], spin[1, 0]]).map(theta[0].numel())
    out = k(*(c.T for c in (*theta, *theta_x)))
    return [c.T for c in out]


def rotation(axis: np.ndarray, angle: MX) -> MX:
    n = ca.DM(axis / np.linalg.norm(axis))
    return ca.cos(angle) * ca.DM.eye(3) + (1 - ca.cos(angle)) * (n @ n.T) + ca.sin(angle) * ca.skew(n)


class BeamField:
    """The displacement field, energies and section poses of one flexible link as CasADi expressions."""

    def __init__(self, beam: Beam, order: int) -> None:
        self.beam, self.order = beam, order
        self.second_order = beam.stiffening == "first"
        self.exact = beam.stiffening == "exact"
        self.counts = [s.count for s in beam.shapes]
        self.count = sum(self.counts)
        self.breaks = [float(b) for s in beam.shapes for b in (s.breaks if s.breaks is not None else ())]
        self.xi, self.weights = gauss(0.0, 1.0, self.breaks, order)
        stations, masses, offsets = [], [], []
        section, length = beam.section, beam.length
        trace = (section.Jx + section.Jy + section.Jz) / 2
        second = np.diag([trace - section.Jx, trace - section.Jy, trace - section.Jz])
        for xi, weight in zip(self.xi, self.weights, strict=True):
            m, d = point_masses(section.rhoA * weight * length, np.zeros(3), second * weight * length)
            stations += [xi] * len(m)
            masses, offsets = [*masses, *m], [*offsets, *d]
        for lump in beam.masses:
            m, d = point_masses(lump.mass, lump.com, second_moments(lump.inertia))
            stations += [lump.x / length] * len(m)
            masses, offsets = [*masses, *m], [*offsets, *d]
        keep = np.array(masses) != 0
        self.point_xi = np.array(stations)[keep]
        self.masses = np.array(masses)[keep]
        self.offsets = np.array(offsets)[keep]

    def fields(self, xi: np.ndarray, eta: MX) -> dict[str, MX]:
        """v, w, t, a and their x-derivatives (v1, v2, ...) as columns over the stations xi."""
        out = {}
        start = 0
        for name, shapes, n in zip("vwta", self.beam.shapes, self.counts, strict=True):
            part = eta[start : start + n]
            start += n
            samples = shapes.values(np.asarray(xi, float)) if n else [np.zeros((len(xi), 0))] * 3
            for d, sample in enumerate(samples):
                if sample is not None:
                    out[name + ("" if d == 0 else str(d))] = (
                        ca.DM(sample) @ part / self.beam.length**d if n else MX.zeros(len(xi))
                    )
        return out

    def shortening_and_twist(self, xi: np.ndarray, eta: MX) -> tuple[MX, MX]:
        """int_0^x (v'^2 + w'^2) / 2 and int_0^x (v' w'' - w' v'') / 2 as columns over the stations."""
        if not self.second_order:
            return MX.zeros(len(xi)), MX.zeros(len(xi))
        inner, upto = self.running(xi)
        f = self.fields(inner, eta)
        integral = ca.DM(upto) / 2
        return integral @ (f["v1"] ** 2 + f["w1"] ** 2), integral @ (f["v1"] * f["w2"] - f["w1"] * f["v2"])

    def pieces(self, xi: np.ndarray) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
        """Points and weights from each station to the next, sorted, from the base on; and where each of xi is there."""
        stations, which = np.unique(xi, return_inverse=True)
        ends = np.concatenate([[0.0], stations])
        return which, [
            gauss(a, b, self.breaks, self.order) if b > a else (np.zeros(0), np.zeros(0))
            for a, b in zip(ends, stations, strict=False)
        ]

    def running(self, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points between the base and the stations, and the matrix from values there to integrals over x."""
        which, pieces = self.pieces(xi)
        inner = np.concatenate([p for p, _ in pieces])
        upto = np.zeros((len(pieces), len(inner)))
        first = 0
        for k, (_, w) in enumerate(pieces):
            upto[k:, first : first + len(w)] = w * self.beam.length
            first += len(w)
        return inner, upto[which]

    def exact_axis(self, xi: np.ndarray, eta: MX) -> list[MX]:
        """Axis of the geometrically exact field: int_0^x (1 + a') R e_x, three columns over the stations."""
        inner, upto = self.running(xi)
        f = self.fields(inner, eta)
        R = rotation_columns((f["t"], -f["w1"], f["v1"]))
        return [ca.DM(upto) @ ((1 + f["a1"]) * R[k][0]) for k in range(3)]

    def points(self, eta: MX) -> tuple[MX, MX, MX]:
        """Coordinates of all material points in the link's frame, three columns."""
        f = self.fields(self.point_xi, eta)
        if self.exact:
            axis = self.exact_axis(self.point_xi, eta)
            R = rotation_columns((f["t"], -f["w1"], f["v1"]))
            d = [ca.DM(self.offsets[:, k]) for k in range(3)]
            x, y, z = (axis[k] + R[k][0] * d[0] + R[k][1] * d[1] + R[k][2] * d[2] for k in range(3))
            return x, y, z
        short, _ = self.shortening_and_twist(self.point_xi, eta)
        d = [ca.DM(self.offsets[:, k]) for k in range(3)]
        theta = f["t"], -f["w1"], f["v1"]
        turn = columns_cross(theta, d)
        centre = ca.DM(self.point_xi * self.beam.length) + f["a"] - short, f["v"], f["w"]
        return centre[0] + d[0] + turn[0], centre[1] + d[1] + turn[1], centre[2] + d[2] + turn[2]

    @cached_property
    def kinetic(self) -> ca.Function:
        """T(V, eta, etadot), whole."""
        twist, eta, rate = MX.sym("V", 6), MX.sym("eta", self.count), MX.sym("etad", self.count)
        s = self.points(eta)
        sdot = [ca.jtimes(c, eta, rate) for c in s]
        carried = columns_cross([twist[k] for k in range(3)], s)
        speed = [twist[3 + k] + carried[k] + sdot[k] for k in range(3)]
        energy = ca.dot(ca.DM(self.masses), speed[0] ** 2 + speed[1] ** 2 + speed[2] ** 2) / 2
        return ca.Function("T", [twist, eta, rate], [energy])

    def strain(self, eta: MX) -> MX:
        """Strain energy, the bending-torsion term included where the field is of second order."""
        c, w = self.beam.section, ca.DM(self.weights * self.beam.length)
        f = self.fields(self.xi, eta)
        if self.exact:
            strains, stiffness = self.exact_strains(eta)
            return ca.dot(stiffness, strains**2) / 2
        energy = (
            c.EIz * ca.dot(w, f["v2"] ** 2)
            + c.EIy * ca.dot(w, f["w2"] ** 2)
            + c.GJ * ca.dot(w, f["t1"] ** 2)
            + c.EA * ca.dot(w, f["a1"] ** 2)
        ) / 2
        if self.second_order:
            energy += (c.EIz - c.EIy) * ca.dot(w, f["t"] * f["v2"] * f["w2"])
        return energy

    def exact_strains(self, eta: MX) -> tuple[MX, MX]:
        """Curvatures and stretch of the exact field over all stations, and the stiffness of each times its weight."""
        c, w = self.beam.section, ca.DM(self.weights * self.beam.length)
        f = self.fields(self.xi, eta)
        k = curvature((f["t"], -f["w1"], f["v1"]), (f["t1"], -f["w2"], f["v2"]))
        return ca.vertcat(*k, f["a1"]), ca.vertcat(c.GJ * w, c.EIy * w, c.EIz * w, c.EA * w)

    @cached_property
    def damping_force(self) -> ca.Function:
        """Force of the link's internal damping on its modes, of (eta, etadot)."""
        damping = self.beam.damping
        eta, rate = MX.sym("eta", self.count), MX.sym("etad", self.count)
        slope = ca.gradient(self.strain(eta), eta)
        at_rest = self.kinetic.call([MX.zeros(6), MX.zeros(self.count), rate], True, False)[0]
        mass = ca.evalf(ca.hessian(at_rest, rate)[0]).full()
        if isinstance(damping, dict):
            along = ca.jtimes(slope, eta, rate)
            if self.exact:  # stresses follow the rates of the exact strains
                strains, stiffness = self.exact_strains(eta)
                along = ca.jtimes(strains, eta, stiffness * ca.jtimes(strains, eta, rate), True)
            force = -damping["stiffness"] * along - ca.DM(damping["mass"] * mass) @ rate
            return ca.Function("damping", [eta, rate], [force])
        stiffness = ca.Function("K", [eta], [ca.jacobian(slope, eta)])(np.zeros(self.count)).full()
        root = np.linalg.cholesky(mass)
        reduced = np.linalg.solve(root, np.linalg.solve(root, stiffness).T)
        squares, vectors = np.linalg.eigh((reduced + reduced.T) / 2)
        omega = np.sqrt(squares)
        ratio = damping
        if damping == "engineering":
            ratio = np.select([omega < 2 * np.pi * 100, omega < 2 * np.pi * 1000], [0.01, 0.1], 1.0)
        vectors = root @ vectors
        matrix = (vectors * (2 * ratio * omega)) @ vectors.T  # 2 zeta M (M^-1 K)^(1/2)
        return ca.Function("damping", [eta, rate], [-ca.DM(matrix) @ rate])

    def section(self, x: float, eta: MX) -> Pose:
        """Proper pose of the section at x in the link's frame."""
        xi = np.array([x / self.beam.length])
        f = self.fields(xi, eta)
        if self.exact:
            R = rotation_columns((f["t"], -f["w1"], f["v1"]))
            return ca.vertcat(*[ca.horzcat(*row) for row in R]), ca.vertcat(*self.exact_axis(xi, eta))
        short, twist = self.shortening_and_twist(xi, eta)
        slope = ca.vertcat(0, -f["w1"], f["v1"])
        g = ca.skew(slope / 2 * (1 + ca.sumsqr(slope) / 12))
        bend = ca.solve(MX.eye(3) - g, MX.eye(3) + g)
        roll = rotation(np.array([1.0, 0.0, 0.0]), f["t"] + twist)
        return bend @ roll, ca.vertcat(x + f["a"] - short, f["v"], f["w"])
