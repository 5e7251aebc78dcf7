"""Inertia of a link against a sum over material points whose motion is written out one by one."""

from itertools import pairwise

import numpy as np
import pytest

from lissom.beam import BeamLink, LumpedMass, Material, Section, make_basis

TITANIUM = Material(E=1.1e11, nu=0.33, rho=4500.0)
BAR = Section.rectangle(TITANIUM, 0.05, 0.09)
LENGTH = 1.3
INERTIA = [[4e-3, 2e-4, 0], [2e-4, 5e-3, -3e-4], [0, -3e-4, 6e-3]]
LUMPS = (
    LumpedMass(LENGTH, 0.7, com=(0.02, -0.05, 0.03), inertia=INERTIA),
    LumpedMass(0.4 * LENGTH, 0.3, com=(0.0, 0.04, 0.0)),
)
BASES = {
    "auto": {"y": 2, "z": 3, "torsion": 1, "axial": 1},
    "hermite": {"y": 4, "z": 2, "torsion": 2, "axial": 1},
    "legendre": {"y": 1, "z": 2, "torsion": 2, "axial": 0},
}


class Station:
    """The section at x of a link: the motion of its material points, straight from its definition."""

    def __init__(self, link, x):
        self.link, self.x = link, x
        breaks = {0.0, x / LENGTH} | {b for b in link.basis.y.breaks + link.basis.z.breaks if b < x / LENGTH}
        edges = np.array(sorted(breaks))
        u, w = np.polynomial.legendre.leggauss(24)
        half = np.diff(edges)[:, None] / 2
        inboard = (edges[:-1, None] + half * (1 + u)).ravel()
        self.ds = (half * w).ravel() * LENGTH
        self.slopes = [s.values(inboard)[1] / LENGTH for s in (link.basis.y, link.basis.z)]
        self.here = [s.values(x / LENGTH) for s in link.basis.directions.values()]

    def point(self, eta, d):
        """The material point at offset d: foreshortened centre line, offset turned to first order."""
        ev, ew, et, ea = (eta[part] for part in self.link.basis.slices.values())
        (v, v1, _), (w, w1, _), (t, _, _), (a, _, _) = self.here
        turn = np.array([t[0] @ et, -w1[0] @ ew / LENGTH, v1[0] @ ev / LENGTH])
        centre = np.array([self.x + a[0] @ ea, v[0] @ ev, w[0] @ ew])
        if self.link.stiffening == "first":
            centre[0] -= self.ds @ ((self.slopes[0] @ ev) ** 2 + (self.slopes[1] @ ew) ** 2) / 2
        return centre + d + np.cross(turn, d)


def cloud(mass, com, spread):
    """Seven points with the given mass, centre and second central moments: pairs on the principal axes."""
    moments, axes = np.linalg.eigh(spread)
    points = [(mass / 7, com)]
    for moment, axis in zip(moments, axes.T, strict=True):
        reach = axis * np.sqrt(max(moment, 0.0) * 7 / (2 * mass))
        points += [(mass / 7, com + reach), (mass / 7, com - reach)]
    return points


def material_points(link):
    """(dm, station, offset) of points that have the mass of the beam and of its lumps."""
    u, w = np.polynomial.legendre.leggauss(20)
    edges = np.array([0.0, *link.basis.y.breaks, 1.0])
    elements = []
    for left, right in pairwise(edges):
        for xi, weight in zip(left + (right - left) * (1 + u) / 2, (right - left) * w / 2, strict=True):
            dx = weight * LENGTH
            points = cloud(link.section.rhoA * dx, np.zeros(3), link.section.second_moments * dx)
            elements.append((xi * LENGTH, points))
    for lump in link.masses:
        spread = np.trace(lump.inertia) / 2 * np.eye(3) - lump.inertia
        elements.append((lump.x, cloud(lump.mass, lump.com, spread)))
    for x, points in elements:
        station = Station(link, x)
        for dm, d in points:
            yield dm, station, d


@pytest.mark.parametrize("stiffening", ["first", "none"])
@pytest.mark.parametrize("basis", BASES)
def test_invariants_equal_the_sum_over_material_points(basis, stiffening):
    link = BeamLink(LENGTH, BAR, make_basis(BASES[basis], basis), stiffening, masses=LUMPS)
    m = link.count
    total = {
        "mass": 0.0,
        "mc0": np.zeros(3),
        "C1": np.zeros((3, m)),
        "G0": np.zeros((3, 3)),
        "S0": np.zeros((3, 3, m)),
        "N": np.zeros((3, 3, m, m)),
    }
    for dm, station, d in material_points(link):
        s0 = station.point(np.zeros(m), d)
        Phi = np.stack([(station.point(e, d) - station.point(-e, d)) / 2 for e in np.eye(m)], axis=1)
        total["mass"] += dm
        total["mc0"] += dm * s0
        total["C1"] += dm * Phi
        total["G0"] += dm * np.einsum("a,b->ab", s0, s0)
        total["S0"] += dm * np.einsum("a,bj->abj", s0, Phi)
        total["N"] += dm * np.einsum("ai,bj->abij", Phi, Phi)
    for name, expected in total.items():
        actual = getattr(link.invariants(), name)
        tolerance = 1e-12 * np.abs(expected).max()
        np.testing.assert_allclose(actual, expected, atol=tolerance, rtol=0, err_msg=name)


def kinetic_energy(link, V, eta, rate):
    """Kinetic energy of a link whose frame has the body twist V = (omega, v), from its integrals alone."""
    omega, v = V[:3], V[3:]
    inv = link.invariants()
    S = inv.S0 @ eta
    G = inv.G0 + S + S.T + inv.N @ eta @ eta  # int s s^T
    h, hdot = inv.mc0 + inv.C1 @ eta, inv.C1 @ rate
    B = inv.S0 @ rate + np.einsum("abij,i,j->ab", inv.N, eta, rate)  # int s sdot^T
    spin = np.array([B[1, 2] - B[2, 1], B[2, 0] - B[0, 2], B[0, 1] - B[1, 0]])  # int s x sdot
    T = inv.mass * v @ v / 2 + v @ np.cross(omega, h) + v @ hdot + omega @ spin
    T += (omega @ omega * np.trace(G) - omega @ G @ omega) / 2 + rate @ inv.mass_matrix @ rate / 2
    short = link.shortening()
    if short is None:
        return T
    sigma, sigma_rate = short.form @ eta @ eta / 2, short.form @ eta @ rate
    velocity = np.multiply.outer(short.weight, v) + np.cross(omega, short.s0 + short.phi @ eta)
    velocity = velocity + short.phi @ rate
    sideways = np.cross(omega, [1.0, 0.0, 0.0])
    T -= sigma @ (velocity @ sideways) + sigma_rate @ velocity[:, 0]
    return T + (sigma @ sigma * (sideways @ sideways) + sigma_rate @ sigma_rate) / 2


def motion(count, seed=3):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(6), 0.2 * rng.standard_normal(count), rng.standard_normal(count)


@pytest.mark.parametrize("stiffening", ["first", "none"])
@pytest.mark.parametrize("basis", BASES)
def test_kinetic_energy_of_a_strongly_bent_link_is_that_of_its_material_points(basis, stiffening):
    link = BeamLink(LENGTH, BAR, make_basis(BASES[basis], basis), stiffening, masses=LUMPS)
    V, eta, rate = motion(link.count)
    total = 0.0
    for dm, station, d in material_points(link):
        # the point's motion is a quadratic polynomial of eta: a central difference is its exact derivative
        sdot = (station.point(eta + rate, d) - station.point(eta - rate, d)) / 2
        velocity = V[3:] + np.cross(V[:3], station.point(eta, d)) + sdot
        total += dm * velocity @ velocity / 2
    assert kinetic_energy(link, V, eta, rate) == pytest.approx(total, rel=1e-11)


def test_a_linear_field_and_an_unbending_link_have_no_foreshortening():
    assert BeamLink(LENGTH, BAR, make_basis(BASES["auto"]), "none").shortening() is None
    assert BeamLink(LENGTH, BAR, make_basis({"torsion": 2, "axial": 1})).shortening() is None


@pytest.mark.parametrize("parameter", ["length", "rho", "width", "mass", "position"])
def test_complex_steps_through_the_kinetic_energy_are_its_derivatives(parameter):
    nominal = {"length": LENGTH, "rho": 4500.0, "width": 0.05, "mass": 0.7, "position": 0.5}
    basis = make_basis(BASES["auto"])

    def energy(value):
        p = nominal | {parameter: value}
        section = Section.rectangle(Material(1.1e11, 0.33, p["rho"]), p["width"], 0.09)
        lump = LumpedMass(p["position"], p["mass"], com=(0.0, 0.04, 0.02))
        link = BeamLink(p["length"], section, basis, masses=(lump,))
        return kinetic_energy(link, *motion(link.count))

    value = nominal[parameter]
    h = 1e-3 * value
    down2, down, up, up2 = (energy(value + k * h) for k in (-2, -1, 1, 2))
    slope = (down2 - 8 * down + 8 * up - up2) / (12 * h)
    step = np.imag(energy(value + 1e-40j)) * 1e40
    assert step == pytest.approx(slope, rel=1e-7)


def test_rigid_invariants_are_those_of_a_bar():
    invariants = BeamLink(LENGTH, BAR, make_basis({"y": 3})).invariants()
    m = BAR.rhoA * LENGTH
    assert invariants.mass == pytest.approx(m)
    np.testing.assert_allclose(invariants.mc0, [m * LENGTH / 2, 0, 0], atol=1e-15)
    G = np.diag([m * LENGTH**2 / 3, m * 0.05**2 / 12, m * 0.09**2 / 12])
    np.testing.assert_allclose(invariants.G0, G, atol=1e-15)


def test_rotary_inertia_enters_the_modal_mass_through_the_section_rotation():
    boom = Section.from_stiffness(rhoA=5.0, EA=1e7, EIy=1e4, EIz=2e4, GJ=1e4, Jx=2.0, Jy=0.1, Jz=0.3)
    basis = make_basis({"y": 2, "z": 2, "torsion": 2})
    M = BeamLink(LENGTH, boom, basis).invariants().mass_matrix
    nodes, dx = basis.rule.nodes, basis.rule.weights * LENGTH
    v, v1, _ = basis.y.values(nodes)
    w, w1, _ = basis.z.values(nodes)
    t = basis.torsion.values(nodes)[0]
    expected = np.zeros((6, 6))
    expected[:2, :2] = v.T @ (5.0 * dx[:, None] * v) + v1.T @ (0.3 * dx[:, None] * v1) / LENGTH**2
    expected[2:4, 2:4] = w.T @ (5.0 * dx[:, None] * w) + w1.T @ (0.1 * dx[:, None] * w1) / LENGTH**2
    expected[4:, 4:] = t.T @ (2.0 * dx[:, None] * t)
    np.testing.assert_allclose(M, expected, atol=1e-13)


def test_fifty_modes_in_each_plane_have_a_positive_definite_mass_matrix():
    link = BeamLink(LENGTH, BAR, make_basis({"y": 50, "z": 50, "torsion": 50, "axial": 50}), masses=LUMPS)
    M = link.invariants().mass_matrix
    np.testing.assert_allclose(M, M.T, atol=1e-12 * np.abs(M).max())
    assert (np.linalg.eigvalsh(M) > 0).all()


def test_a_lump_without_mass_changes_nothing():
    basis = make_basis(BASES["auto"])
    plain, lumped = (BeamLink(LENGTH, BAR, basis, masses=lumps) for lumps in ((), (LumpedMass(0.3, 0.0),)))
    V, eta, rate = motion(plain.count)
    assert kinetic_energy(lumped, V, eta, rate) == pytest.approx(kinetic_energy(plain, V, eta, rate), rel=1e-12)
