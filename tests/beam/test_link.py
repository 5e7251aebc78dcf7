"""A beam link: section poses, second-order terms, strain energy, damping, natural modes, derivatives."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

from lissom.beam import BeamLink, LumpedMass, Material, Section, make_basis
from lissom.beam.displacement_fields.section_rotation import bend
from lissom.beam.functions import mode_families as families
from lissom.errors import LissomError

STEEL = Material(E=2.1e11, nu=0.3, rho=7800.0)
BAR = Section.rectangle(STEEL, 0.02, 0.035)
MODES = {"y": 3, "z": 3, "torsion": 2, "axial": 2}
L = 0.95


def bar(**options):
    return BeamLink(L, BAR, make_basis(MODES), **options)


def shape(size, seed=0):
    """Coordinates of a bent, twisted and stretched link, deflections of about `size` lengths."""
    eta = np.random.default_rng(seed).standard_normal(10) / np.array([1, 8, 30, 1, 8, 30, 1, 5, 1, 1])
    return eta * size


def curvature(link, x, eta, h=1e-4):
    """Axial vector of R^T dR/dx, by central differences of fourth order."""
    R = [link.pose(x + k * h, eta)[:3, :3] for k in (-2, -1, 0, 1, 2)]
    S = R[2].T @ (R[0] - 8 * R[1] + 8 * R[3] - R[4]) / (12 * h)
    return np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2


def order(error, large=0.08):
    """Power of the deflection with which an error falls."""
    return np.log2(error(large) / error(large / 2))


# Pose of a section


def test_section_rotations_are_proper():
    R = bar().pose(np.linspace(0, L, 7), shape(0.5))[:, :3, :3]
    np.testing.assert_allclose(R @ R.transpose(0, 2, 1), np.broadcast_to(np.eye(3), (7, 3, 3)), atol=1e-15)
    np.testing.assert_allclose(np.linalg.det(R), 1, rtol=1e-14)


def test_bending_rotation_agrees_with_the_exponential_to_fifth_order():
    def error(angle):
        a = angle * np.array([0.0, 0.6, -0.8])
        return np.abs(bend(a[1], a[2]) - Rotation.from_rotvec(a).as_matrix()).max()

    assert error(0.1) < 1e-7
    assert order(error, 0.2) == pytest.approx(5, abs=0.1)


@pytest.mark.parametrize("x", [0.3 * L, L])
def test_the_axis_of_a_section_is_tangent_to_the_centre_line_to_second_order(x):
    link, h = bar(), 1e-4

    def error(size):
        eta = shape(size)
        eta[-2:] = 0  # an inextensible axis: its tangent is a unit vector
        p = [link.pose(min(x, L - 2 * h) + k * h, eta) for k in (-2, -1, 0, 1, 2)]
        tangent = (p[0] - 8 * p[1] + 8 * p[3] - p[4])[:3, 3] / (12 * h)
        return np.linalg.norm(tangent - p[2][:3, 0])

    assert order(error) == pytest.approx(3, abs=0.15)


def test_the_linear_field_is_tangent_only_to_first_order():
    link, h = bar(stiffening="none"), 1e-4

    def error(size):
        p = [link.pose(0.5 * L + k * h, shape(size)) for k in (-1, 0, 1)]
        return np.linalg.norm((p[2] - p[0])[:3, 3] / (2 * h) - p[1][:3, 0])

    assert order(error) < 2.2


def test_twist_rate_and_curvatures_are_those_of_the_coordinates_to_second_order():
    link, x = bar(), 0.6 * L
    (_, _, v2), (_, _, w2), (t, t1, _), _ = (s.values(x / L) for s in link.basis.directions.values())

    def error(size):
        ev, ew, et, _ = (shape(size)[part] for part in link.basis.slices.values())
        v_xx, w_xx, twist, rate = v2[0] @ ev / L**2, w2[0] @ ew / L**2, t[0] @ et, t1[0] @ et / L
        expected = np.array([rate, -w_xx + twist * v_xx, v_xx + twist * w_xx])
        return np.linalg.norm(curvature(link, x, shape(size)) - expected)

    assert order(error, 0.04) == pytest.approx(3, abs=0.15)


def test_without_the_twist_of_a_doubly_bent_axis_the_twist_rate_is_wrong_at_second_order():
    link = bar(stiffening="none")
    eta = shape(0.02)
    eta[6:] = 0
    assert abs(curvature(link, 0.6 * L, eta)[0]) > 1e-5
    assert abs(curvature(bar(), 0.6 * L, eta)[0]) < 1e-7


@pytest.mark.parametrize("stiffening", ["first", "none"])
def test_pose_follows_from_the_section_map(stiffening):
    link, eta = bar(stiffening=stiffening), shape(0.1)
    for x in (0.0, 0.37 * L, L):
        at, T = link.section_map(x), link.pose(x, eta)
        th = at.psi @ eta
        position = at.position + at.phi @ eta - np.array([eta @ at.foreshortening @ eta / 2, 0, 0])
        roll = Rotation.from_rotvec([th[0] + eta @ at.twist @ eta / 2, 0, 0]).as_matrix()
        np.testing.assert_allclose(T[:3, 3], position, atol=1e-15)
        np.testing.assert_allclose(T[:3, :3], bend(th[1], th[2]) @ roll, atol=1e-14)
        np.testing.assert_allclose(link.displacement(x, eta), position - [x, 0, 0], atol=1e-15)


def test_poses_and_displacements_take_many_stations_and_many_states_at_once():
    link = bar()
    x, states = np.linspace(0, L, 5), np.stack([shape(0.1, seed) for seed in range(4)])
    poses, displacements = link.pose(x, states), link.displacement(x, states)
    assert poses.shape == (4, 5, 4, 4)
    assert displacements.shape == (4, 5, 3)
    np.testing.assert_allclose(poses[2, 3], link.pose(x[3], states[2]), atol=1e-15)
    np.testing.assert_allclose(displacements[1], link.displacement(x, states[1]), atol=1e-15)
    np.testing.assert_allclose(link.pose(x, np.zeros(10))[:, 0, 3], x)


# Second-order terms


def test_foreshortening_and_twist_are_their_analytic_integrals():
    """legendre: v'' = const and w'' = const, or linear in x, so that all integrals are short polynomials."""
    link = BeamLink(L, BAR, make_basis({"y": 2, "z": 2}, "legendre"))
    a, b = (link.basis.y.values(0.0)[2][0] / np.array([1, -1])) / L**2  # v1'' = a, v2'' = b (2 x/L - 1)
    for x in (0.0, 0.3 * L, L):
        at = link.section_map(x)
        # v1' = a x, v2' = b (x^2/L - x)
        block = np.array([
            [a**2 * x**3 / 3, a * b * (x**4 / (4 * L) - x**3 / 3)],
            [a * b * (x**4 / (4 * L) - x**3 / 3), b**2 * (x**5 / (5 * L**2) - x**4 / (2 * L) + x**3 / 3)],
        ])  # fmt: skip
        np.testing.assert_allclose(at.foreshortening, np.kron(np.eye(2), block), atol=1e-14)
        # eta^T D eta = int (v' w'' - w' v''); v1' w2'' - w2' v1'' = a b x^2/L
        mixed = a * b * x**3 / (3 * L)
        twist = np.zeros((4, 4))
        twist[0, 3] = twist[3, 0] = mixed / 2
        twist[1, 2] = twist[2, 1] = -mixed / 2
        np.testing.assert_allclose(at.twist, twist, atol=1e-14)


def test_cubic_terms_are_the_integrals_of_twist_and_both_curvatures():
    link = bar()
    index, coefficients, _ = link.cubic_terms()
    assert len(index) == 2 * 3 * 3
    for (i, j, k), coefficient in zip(index, coefficients, strict=True):
        assert [link.labels[n][0] for n in (i, j, k)] == ["t", "y", "z"]

        def integrand(x, i=i, j=j, k=k):
            (_, _, v2), (_, _, w2), (t, _, _), _ = (s.values(x / L) for s in link.basis.directions.values())
            return t[0, i - 6] * v2[0, j] * w2[0, k - 3] / L**4

        exact = (BAR.EIz - BAR.EIy) * quad(integrand, 0, L, epsabs=1e-10, epsrel=1e-11)[0]
        assert coefficient == pytest.approx(exact, rel=1e-9, abs=1e-9 * np.abs(coefficients).max())


def test_there_are_no_cubic_terms_in_round_or_linear_or_torsion_free_links():
    round_bar = BeamLink(L, Section.circle(STEEL, radius=0.01), make_basis(MODES))
    stiff_in_torsion = BeamLink(L, BAR, make_basis({"y": 2, "z": 2}))
    for link in (round_bar, stiff_in_torsion, bar(stiffening="none")):
        index, coefficients, rates = link.cubic_terms()
        assert index.shape == (0, 3)
        assert coefficients.shape == rates.shape == (0,)


def test_strain_energy_is_that_of_the_actual_curvatures_to_third_order():
    link = bar()
    nodes, dx = np.polynomial.legendre.leggauss(14)
    nodes, dx = L * (1 + nodes) / 2, L * dx / 2
    stretch = link.field.sections(nodes / L).strain[:, 0]

    def energy(size):
        k = np.array([curvature(link, x, shape(size), h=5e-4) for x in nodes])
        bent = BAR.GJ * k[:, 0] ** 2 + BAR.EIy * k[:, 1] ** 2 + BAR.EIz * k[:, 2] ** 2
        return dx @ (bent + BAR.EA * (stretch @ shape(size)) ** 2) / 2

    def quadratic(size):
        return shape(size) @ link.stiffness() @ shape(size) / 2

    def bending_only(value, size):  # the axial energy, large and exact, would hide the rest
        return value - dx @ (BAR.EA * (stretch @ shape(size)) ** 2) / 2

    def relative_error(size):
        exact = bending_only(energy(size), size)
        return abs(bending_only(link.strain_energy(shape(size)), size) / exact - 1)

    def relative_error_without_cubic_terms(size):
        exact = bending_only(energy(size), size)
        return abs(bending_only(quadratic(size), size) / exact - 1)

    assert order(relative_error_without_cubic_terms, 0.02) == pytest.approx(1, abs=0.1)
    assert order(relative_error, 0.02) == pytest.approx(2, abs=0.1)


# Stiffness and damping


def test_stiffness_is_diagonal_and_positive_with_the_auto_basis():
    K = bar().stiffness()
    scale = np.sqrt(np.diag(K))
    np.testing.assert_allclose(K / np.outer(scale, scale), np.eye(10), atol=1e-12)


@pytest.mark.parametrize("basis", ["auto", "legendre", "clamped-free"])
def test_modal_damping_gives_every_natural_mode_the_asked_ratio(basis):
    lump = LumpedMass(L, 0.8, com=(0.02, 0.03, 0.01), inertia=2e-3)
    link = BeamLink(L, BAR, make_basis(MODES, basis), damping=0.013, masses=(lump,))
    M, K, D = link.invariants().mass_matrix, link.stiffness(), link.damping_matrix()
    np.testing.assert_allclose(D, D.T, atol=1e-12 * np.abs(D).max())
    state = np.block([[np.zeros((10, 10)), np.eye(10)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    eigenvalues = np.linalg.eigvals(state)
    np.testing.assert_allclose(-eigenvalues.real / np.abs(eigenvalues), 0.013, rtol=1e-6)


def test_rayleigh_damping_is_proportional_and_damps_the_cubic_terms_too():
    link = bar(damping={"stiffness": 2e-4, "mass": 0.7})
    expected = 2e-4 * link.stiffness() + 0.7 * link.invariants().mass_matrix
    np.testing.assert_allclose(link.damping_matrix(), expected)
    _, cubic, rate = link.cubic_terms()
    np.testing.assert_allclose(rate, 2e-4 * cubic)
    assert not bar(damping=0.01).cubic_terms()[2].any()


def test_engineering_damping_rises_with_the_frequency():
    link = bar(damping="engineering")
    modes = link.natural_modes()
    ratios = np.diag(modes.shapes.T @ link.damping_matrix() @ modes.shapes) / (4 * np.pi * modes.frequencies)
    expected = np.where(modes.frequencies < 100, 0.01, np.where(modes.frequencies < 1000, 0.1, 1.0))
    np.testing.assert_allclose(ratios, expected, rtol=1e-8)
    assert len(set(expected)) == 3


def test_an_undamped_link_has_no_damping():
    assert not bar().damping_matrix().any()


# What people ask of it


def test_natural_modes_are_the_textbooks_and_named_by_direction():
    thin = Section.from_stiffness(rhoA=2.0, EA=5e6, EIy=30.0, EIz=70.0, GJ=11.0, Jx=0.03, Jy=0.0, Jz=0.0)
    link = BeamLink(1.7, thin, make_basis({"y": 6, "z": 6, "torsion": 6, "axial": 4}, "clamped-free"))
    modes = link.natural_modes()
    by_label = dict(zip(modes.labels, 2 * np.pi * modes.frequencies, strict=True))
    beta = families.bending("clamped-free", 2).roots
    assert by_label["y1"] == pytest.approx(beta[0] ** 2 * np.sqrt(70.0 / 2.0) / 1.7**2, rel=1e-10)
    assert by_label["z2"] == pytest.approx(beta[1] ** 2 * np.sqrt(30.0 / 2.0) / 1.7**2, rel=1e-10)
    assert by_label["torsion1"] == pytest.approx(np.pi / 2 * np.sqrt(11.0 / 0.03) / 1.7, rel=1e-10)
    assert by_label["axial2"] == pytest.approx(1.5 * np.pi * np.sqrt(5e6 / 2.0) / 1.7, rel=1e-10)
    assert (np.diff(modes.frequencies) > 0).all()


def test_a_tip_mass_lowers_the_frequencies_as_published():
    thin = Section.from_stiffness(rhoA=2.0, EA=5e6, EIy=30.0, EIz=70.0, GJ=11.0, Jx=0.0, Jy=0.0, Jz=0.0)
    link = BeamLink(1.7, thin, make_basis({"y": 12}))
    omega = 2 * np.pi * link.natural_modes(tip_mass=2 * link.mass).frequencies[:2]
    expected = np.array([1.0761956640792454, 3.982573287761904]) ** 2 * np.sqrt(70.0 / 2.0) / 1.7**2
    np.testing.assert_allclose(omega, expected, rtol=1e-6)


def test_mass_counts_the_beam_and_what_is_lumped_on_it():
    link = bar(masses=[LumpedMass(L, 0.5), LumpedMass(0.2, 0.25)])
    assert link.mass == pytest.approx(BAR.rhoA * L + 0.75)
    assert link.invariants().mass == pytest.approx(link.mass)


def test_labels_follow_the_order_of_the_coordinates():
    labels = ("y1", "y2", "y3", "z1", "z2", "z3", "torsion1", "torsion2", "axial1", "axial2")
    assert bar().labels == labels
    assert bar().count == 10


def test_arrays_are_computed_once_and_cannot_be_written_to():
    link = bar(damping=0.01)
    assert link.stiffness() is link.stiffness()
    assert link.invariants() is link.invariants()
    with pytest.raises(ValueError, match="read-only"):
        link.stiffness()[0, 0] = 1.0


@pytest.mark.parametrize(
    "make",
    [
        lambda: BeamLink(-1.0, BAR, make_basis(MODES)),
        lambda: bar(stiffening="second"),
        lambda: bar(damping=-0.1),
        lambda: bar(damping="soft"),
        lambda: bar(damping={"stiff": 1e-4}),
        lambda: bar(masses=[LumpedMass(1.01 * L, 1.0)]),
        lambda: bar().pose(-0.1, np.zeros(10)),
        lambda: LumpedMass(0.1, -1.0),
        lambda: LumpedMass(0.1, 1.0, inertia=[1.0, 2.0]),
    ],
)
def test_impossible_links_are_refused(make):
    with pytest.raises(LissomError):
        make()


# Derivatives with respect to physical numbers

NOMINAL = {
    "E": 2.1e11, "nu": 0.3, "rho": 7800.0, "length": L, "width": 0.02, "height": 0.035, "mass": 0.6,
    "position": 0.7, "offset": 0.03, "inertia": 4e-3, "ratio": 0.02,
}  # fmt: skip
BASIS = make_basis({"y": 2, "z": 2, "torsion": 2, "axial": 1})


def arrays(damping=None, stiffening="first", **changes):
    """All arrays of a link as functions of its physical numbers."""
    p = NOMINAL | changes
    section = Section.rectangle(Material(p["E"], p["nu"], p["rho"]), p["width"], p["height"])
    lump = LumpedMass(p["position"], p["mass"], (0.01, p["offset"], 0.0), p["inertia"] * np.eye(3))
    tip = LumpedMass(p["length"], 0.4)
    link = BeamLink(p["length"], section, BASIS, stiffening, damping or p["ratio"], (lump, tip))
    at = link.section_map(link.length)
    invariants = {name: np.asarray(value) for name, value in vars(link.invariants()).items()}
    return {
        "K": link.stiffness(), "D": link.damping_matrix(), "cubic": link.cubic_terms()[1],
        "cubic rate": link.cubic_terms()[2], "psi": at.psi, "B": at.foreshortening, "twist": at.twist,
        "position": at.position, "energy": link.strain_energy(0.01 * np.ones(7)),
        "tip pose": link.pose(link.length, 0.01 * np.ones(7)), **invariants,
    }  # fmt: skip


@pytest.mark.parametrize("damping", [None, "engineering", {"stiffness": 1e-4, "mass": 0.3}], ids=str)
@pytest.mark.parametrize("parameter", NOMINAL)
def test_complex_steps_through_a_link_are_its_derivatives(parameter, damping):
    value = NOMINAL[parameter]
    h = 1e-4 * value
    exact = arrays(damping, **{parameter: value + 1e-40j * value})
    nominal = arrays(damping)
    up2, up, down, down2 = (arrays(damping, **{parameter: value + k * h}) for k in (2, 1, -1, -2))
    for name in nominal:
        slope = (down2[name] - 8 * down[name] + 8 * up[name] - up2[name]) / (12 * h)
        step = np.imag(exact[name]) * 1e40 / value
        size = np.abs(nominal[name]).max(initial=0)
        tolerance = 3e-8 * np.abs(slope).max(initial=0) + 1e-12 * size / h  # the second: rounding of `slope`
        np.testing.assert_allclose(step, slope, atol=tolerance, rtol=0, err_msg=name)
        np.testing.assert_allclose(exact[name].real, nominal[name], atol=1e-12 * size, rtol=0, err_msg=name)


def test_modal_damping_differentiates_through_equal_frequencies():
    """A square bar bends equally both ways: the matrix function must not divide by their difference."""

    def matrix(width):
        section = Section.rectangle(STEEL, width, 0.02)
        return BeamLink(L, section, BASIS, damping=0.05).damping_matrix()

    step, h = np.imag(matrix(0.02 + 1e-40j)) * 1e40, 1e-6
    slope = (matrix(0.02 + h) - matrix(0.02 - h)) / (2 * h)
    np.testing.assert_allclose(step, slope, atol=1e-6 * np.abs(step).max())


def test_a_linear_link_differentiates_too():
    exact = arrays(stiffening="none", length=L + 1e-40j)
    up, down = (arrays(stiffening="none", length=L + h) for h in (1e-5, -1e-5))
    slope = (up["N"] - down["N"]) / 2e-5
    np.testing.assert_allclose(np.imag(exact["N"]) * 1e40, slope, atol=1e-7 * np.abs(slope).max())


def test_replacing_a_field_gives_a_fresh_link():
    link = bar()
    link.stiffness()
    longer = replace(link, length=2 * L)
    np.testing.assert_allclose(longer.stiffness()[0, 0], link.stiffness()[0, 0] / 8, rtol=1e-12)
