"""Bases of a link: what they vanish at, how they are scaled, what they solve exactly, how they converge."""

import numpy as np
import pytest

from lissom import beam
from lissom.beam import BeamLink, LumpedMass, Section, make_basis
from lissom.beam.functions import mode_families as families
from lissom.beam.functions import shape_functions
from lissom.beam.functions.quadrature import Quadrature
from lissom.beam.functions.ritz import Ritz, enough_degree
from lissom.errors import LissomError

# No rotary inertia: the beam of the textbooks.
SLENDER = Section.from_stiffness(rhoA=2.0, EA=5e6, EIy=30.0, EIz=70.0, GJ=11.0, Jx=0.03, Jy=0.0, Jz=0.0)
LENGTH = 1.7
CLAMPED_FREE = np.array([1.8751040687119611, 4.694091132974175, 7.854757438237629])
KINDS = ["auto", "legendre", "hermite", *families.BENDING]


def link(modes, ends="auto", **options):
    return BeamLink(LENGTH, SLENDER, make_basis(modes, ends), **options)


def roots(modes, ends="auto", **options):
    """beta of the bending modes along y."""
    omega = 2 * np.pi * link({"y": modes}, ends, **options).natural_modes().frequencies
    return np.sqrt(omega * np.sqrt(SLENDER.rhoA * LENGTH**4 / SLENDER.EIz))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [2, 12, 50])
def test_every_basis_starts_at_the_base_and_tangent_to_it(kind, n):
    basis = make_basis({"y": n, "z": n, "torsion": n, "axial": n}, kind)
    for name, functions in basis.directions.items():
        f, f1, _ = functions.values(0.0)
        scale = np.abs(functions.values(np.linspace(0, 1, 101))[1]).max()
        assert np.abs(f).max() < 1e-13
        if name in ("y", "z"):
            assert np.abs(f1).max() < 1e-13 * scale


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [2, 50])
def test_functions_have_unit_l2_norm_and_true_derivatives(kind, n):
    basis = make_basis({"y": n, "torsion": n, "axial": n}, kind)
    xi = np.linspace(0, 1, 40)[1:-1] + 1e-4
    for functions in (basis.y, basis.torsion, basis.axial):
        f = functions.values(functions.rule.nodes)[0]
        np.testing.assert_allclose(functions.rule.weights @ f**2, 1, rtol=1e-11)
        _, f1, f2 = functions.values(xi)
        step, step1, _ = (g.imag * 1e30 for g in functions.values(xi + 1e-30j))
        np.testing.assert_allclose(step, f1, atol=1e-12 * np.abs(f1).max())
        np.testing.assert_allclose(step1, f2, atol=1e-12 * np.abs(f2).max() + 1e-10)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 50])
@pytest.mark.parametrize("direction", ["y", "torsion"])
def test_auto_is_orthonormal_with_a_diagonal_stiffness_in_rising_order(n, direction):
    functions = getattr(make_basis({direction: n}), direction)
    values = functions.values(functions.rule.nodes)
    f, strain = values[0], values[2 if direction == "y" else 1]
    M, K = (g.T @ (functions.rule.weights[:, None] * g) for g in (f, strain))
    np.testing.assert_allclose(M, np.eye(n), atol=1e-11)
    omega = np.sqrt(np.diag(K))
    np.testing.assert_allclose(K / np.outer(omega, omega), np.eye(n), atol=1e-13)
    assert (np.diff(omega) > 0).all()


@pytest.mark.parametrize("n", [2, 3, 10, 50])
def test_auto_gives_the_exact_deflection_and_rotation_under_tip_force_and_moment(n):
    beam = link({"y": n, "z": n, "torsion": n, "axial": n})
    tip, K = beam.section_map(LENGTH), beam.stiffness()
    EIy, EIz, L = SLENDER.EIy, SLENDER.EIz, LENGTH
    wrench = np.concatenate([tip.psi, tip.phi])  # torque, force
    compliance = wrench @ np.linalg.solve(K, wrench.T)
    expected = np.diag([L / SLENDER.GJ, L / EIy, L / EIz, L / SLENDER.EA, L**3 / (3 * EIz), L**3 / (3 * EIy)])
    expected[2, 4] = expected[4, 2] = L**2 / (2 * EIz)
    expected[1, 5] = expected[5, 1] = -(L**2) / (2 * EIy)
    np.testing.assert_allclose(compliance, expected, rtol=1e-10, atol=1e-15)


def test_a_single_auto_function_bends_exactly_under_a_tip_force():
    beam = link({"y": 1})
    tip = beam.section_map(LENGTH)
    deflection = tip.phi[1] @ np.linalg.solve(beam.stiffness(), tip.phi[1])
    assert deflection == pytest.approx(LENGTH**3 / (3 * SLENDER.EIz), rel=1e-13)


@pytest.mark.parametrize(("kind", "n", "accuracy"), [("auto", 8, 2e-4), ("legendre", 10, 1e-8), ("hermite", 40, 1e-5)])
def test_general_bases_converge_to_the_textbook_frequencies(kind, n, accuracy):
    coarse, fine = (np.abs(roots(k, kind)[:3] / CLAMPED_FREE - 1) for k in (n // 2, n))
    assert (fine < accuracy).all()
    assert (fine < coarse / 4).all()


def test_clamped_free_modes_are_exact_for_a_clamped_free_beam():
    np.testing.assert_allclose(roots(50, "clamped-free"), families.bending("clamped-free", 50).roots, rtol=1e-11)


@pytest.mark.parametrize("kind", ["auto", "legendre", "clamped-mass"])
def test_a_loaded_beam_has_the_frequencies_of_its_family(kind):
    mass, inertia = 0.8, 0.05
    beam_mass = SLENDER.rhoA * LENGTH
    lump = LumpedMass(LENGTH, mass * beam_mass, inertia=inertia * beam_mass * LENGTH**2)
    ends = {"family": kind, "tip_mass": mass, "tip_inertia": inertia} if kind == "clamped-mass" else kind
    expected = families.bending("clamped-mass", 3, mass, inertia).roots
    np.testing.assert_allclose(roots(12, ends, masses=(lump,))[:3], expected, rtol=1e-6)


def test_auto_needs_far_fewer_functions_than_clamped_free_modes_for_a_link_that_carries_inertia():
    beam_mass = SLENDER.rhoA * LENGTH
    lump = LumpedMass(LENGTH, 3 * beam_mass, inertia=beam_mass * LENGTH**2)
    exact = families.bending("clamped-mass", 1, 3.0, 1.0).roots[0]
    error = {kind: abs(roots(n, kind, masses=(lump,))[0] / exact - 1) for kind, n in (("auto", 2), ("clamped-free", 8))}
    assert error["auto"] < error["clamped-free"] / 100


def test_hermite_elements_converge_with_the_fourth_power_of_their_number():
    errors = [roots(2 * elements, "hermite")[1] / CLAMPED_FREE[1] - 1 for elements in (4, 8, 16)]
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(16, rel=0.1)


def test_hermite_elements_are_exact_for_tip_loads_and_rods_for_tip_torque():
    beam = link({"y": 6, "torsion": 3}, "hermite")
    tip, flexibility = beam.section_map(LENGTH), np.linalg.inv(beam.stiffness())
    assert tip.phi[1] @ flexibility @ tip.phi[1] == pytest.approx(LENGTH**3 / (3 * SLENDER.EIz), rel=1e-12)
    assert tip.psi[0] @ flexibility @ tip.psi[0] == pytest.approx(LENGTH / SLENDER.GJ, rel=1e-12)


@pytest.mark.parametrize("kind", ["pinned-free", "free-free"])
def test_families_that_move_at_the_base_are_taken_without_their_rigid_part(kind):
    family, functions = families.bending(kind, 5), make_basis({"y": 5}, kind).y
    xi = np.linspace(0, 1, 50)
    f, _, f2 = functions.values(xi)
    scale = f2[20] / family.derivative(xi, 2)[20]
    np.testing.assert_allclose(f2, scale * family.derivative(xi, 2), atol=1e-9)
    rigid = family.derivative(0.0, 0) + family.derivative(0.0, 1) * xi[:, None]
    np.testing.assert_allclose(f, scale * (family.derivative(xi, 0) - rigid), atol=1e-11)


def test_mass_normalised_functions_have_unit_modal_mass():
    ends = {"family": "clamped-mass", "tip_mass": 0.4}
    modes = {"y": 3, "z": 2, "torsion": 2, "axial": 2}
    basis = make_basis(modes, ends, "mass", section=SLENDER, length=LENGTH)
    lump = LumpedMass(LENGTH, 0.4 * SLENDER.rhoA * LENGTH)
    M = BeamLink(LENGTH, SLENDER, basis, masses=(lump,)).invariants().mass_matrix
    np.testing.assert_allclose(M, np.eye(9), atol=1e-12)


def test_ends_may_be_given_by_direction_with_options():
    ends = {"y": "clamped-free", "torsion": {"family": "clamped-inertia", "tip_inertia": 0.5}}
    basis = make_basis({"y": 2, "z": 3, "torsion": 1, "axial": 1}, ends)
    assert [s.name for s in basis.directions.values()] == ["clamped-free", "auto", "clamped-inertia", "auto"]
    assert basis.labels == ("y1", "y2", "z1", "z2", "z3", "torsion1", "axial1")
    assert basis.count == 7


def test_a_bending_family_for_the_whole_link_has_counterparts_in_torsion_and_extension():
    basis = make_basis({"y": 1, "z": 1, "torsion": 1, "axial": 1}, {"family": "clamped-mass", "tip_mass": 2.0})
    assert [s.name for s in basis.directions.values()] == ["clamped-mass"] * 2 + [
        "clamped-free",
        "clamped-mass",
    ]
    assert basis.axial.tip_mass == 2.0


@pytest.mark.parametrize(
    ("modes", "ends"),
    [
        ({"x": 2}, "auto"),
        ({"y": -1}, "auto"),
        ({"y": 1.5}, "auto"),
        ({"y": True}, "auto"),
        ({"y": 2}, "clamped-glued"),
        ({"y": 3}, "hermite"),
        ({"y": 2}, {"family": "auto", "tip_mass": 1.0}),
        ({"y": 2}, {"y": "auto", "family": "auto"}),
        ({"torsion": 2}, {"torsion": "clamped-pinned"}),
    ],
)
def test_impossible_bases_are_refused(modes, ends):
    with pytest.raises(LissomError):
        make_basis(modes, ends)


def test_mass_normalisation_needs_to_know_the_link():
    with pytest.raises(LissomError, match="section and length"):
        make_basis({"y": 2}, normalisation="mass")
    with pytest.raises(LissomError, match="normalisation"):
        make_basis({"y": 2}, normalisation="max")


def test_running_integrals_are_exact_on_panels_and_at_complex_points():
    rule = Quadrature.resolving(20, (0.25, 0.6))
    xi = np.array([0.0, 0.1, 0.25, 0.5, 0.6, 0.93, 1.0])
    values = np.where(rule.nodes < 0.25, 1.0, np.cos(9 * rule.nodes))  # jumps at a break
    exact = np.where(xi < 0.25, xi, 0.25 + (np.sin(9 * xi) - np.sin(2.25)) / 9)
    np.testing.assert_allclose(rule.running(xi) @ values, exact, atol=1e-15)
    step = (rule.running(xi + 1e-30j) @ np.sin(5 * rule.nodes)).imag * 1e30
    np.testing.assert_allclose(step, np.sin(5 * xi), atol=1e-13)


def test_the_quadrature_of_fifty_modes_resolves_their_triple_products():
    basis = make_basis({"y": 50, "z": 50, "torsion": 50})
    finer = Quadrature(basis.rule.edges, 2 * basis.rule.points)

    def triple(rule):
        v2, w2, t = (
            basis.y.values(rule.nodes)[2],
            basis.z.values(rule.nodes)[2],
            basis.torsion.values(rule.nodes)[0],
        )
        return np.einsum("n,ni,nj,nk->ijk", rule.weights, v2[:, 40:], w2[:, 40:], t[:, 40:])

    coarse, fine = triple(basis.rule), triple(finer)
    np.testing.assert_allclose(coarse, fine, atol=1e-11 * np.abs(fine).max())


def test_the_empty_set_has_no_functions():
    assert shape_functions.none().values(np.linspace(0, 1, 5))[0].shape == (5, 0)


def test_counts_are_found_where_the_wanted_frequency_is_one_of_the_link_itself():
    """A tapered beam asked for functions up to a frequency that it has with its tip free, or held."""
    section = beam.Section(rhoA=1.0, EA=1e7, EIy=100.0, EIz=60.0, GJ=80.0, Jx=1e-3, Jy=0.0, Jz=0.0)
    thin = beam.Section(rhoA=0.6, EA=6e6, EIy=30.0, EIz=20.0, GJ=30.0, Jx=4e-4, Jy=0.0, Jz=0.0)
    pieces = [
        beam.Piece.constant(a, b, beam.GeneralSection.of(each))
        for a, b, each in ((0.0, 0.5, section), (0.5, 1.0, thin))
    ]
    profile = beam.Profile.without_shear(pieces)
    ritz = Ritz.of(profile, ["y"], enough_degree(profile, 14))
    held = tuple(range(len(ritz.tip)))
    own = [*ritz.frequencies(ritz.modes(3)), *ritz.frequencies(ritz.modes(2, held), held)]
    for frequency in own:
        above = beam.enough_modes(profile, 1.002 * frequency, 0.02)
        for off in (0.0, 1e-15, -1e-12, 1e-11, -1e-10, 1e-9, 1e-8, 1e-7):
            assert abs(beam.enough_modes(profile, float(frequency * (1 + off)), 0.02)["y"] - above["y"]) <= 1
