"""Links of any profile: frequencies of thick, tapered and stepped beams, convergence, coupling, derivatives."""

from dataclasses import replace

import numpy as np
import pytest
from links_reference import BEAMS, PUBLISHED_TAPERS, STEEL, rectangle, taper
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from lissom.beam import BeamLink, GeneralSection, Piece, Profile, Section, make_basis, own_basis

CANTILEVERS = [name for name in BEAMS if not name.endswith("PP")]


def link(profile, modes, ends="auto", **options):
    return BeamLink(profile.length, profile, own_basis(profile, modes, ends), **options)


def frequencies(profile, count, ends="auto", direction="z", **options):
    return link(profile, {direction: count}, ends, **options).natural_modes().frequencies


def profile_of(name, shear):
    length = 1.0 if "Lh5" in name or "_L1_" in name else 2.0
    if name.startswith("uniform"):
        return Profile.uniform(rectangle(1.0), length, shear)
    return taper(length, float(name.split("tip")[1].split("_")[0]), both=name.endswith("hw"), shear=shear)


# Frequencies that others computed


@pytest.mark.parametrize("name", CANTILEVERS)
@pytest.mark.parametrize(("ends", "count", "checked"), [("clamped-free", 5, 5), ("legendre", 20, 3)])
def test_thick_and_tapered_beams_have_the_frequencies_of_timoshenko(name, ends, count, checked):
    found = frequencies(profile_of(name, shear=True), count, ends)[:checked]
    np.testing.assert_allclose(found, BEAMS[name]["timoshenko_hz"][:checked], rtol=1e-7)


@pytest.mark.parametrize("name", [name for name in CANTILEVERS if name.startswith("taper")])
def test_without_shear_they_have_those_of_euler_and_bernoulli_with_rotary_inertia_left_out(name):
    def weightless_in_rotation(section):
        moments = np.array(section.moments)
        moments[1:, 1:] = 0
        return replace(section, moments=moments)

    whole = profile_of(name, shear=False)
    pieces = tuple(replace(p, at=lambda s, p=p: weightless_in_rotation(p.at(s))) for p in whole.pieces)
    found = frequencies(replace(whole, pieces=pieces), 5, "clamped-free")
    # these numbers are good to 3e-6; the next test is sharper
    np.testing.assert_allclose(found, BEAMS[name]["euler_bernoulli_hz"], rtol=3e-6)


def test_a_taper_has_the_frequency_that_shooting_finds():
    def determinant(hz):
        squared = (2 * np.pi * hz) ** 2

        def rates(x, state):
            w, th, M, Q = state.reshape(4, 2)
            section = rectangle(1 - 0.5 * x)
            return np.array([th, M / section.EIy, -Q - squared * section.Jy * th, -squared * section.rhoA * w]).ravel()

        start = np.eye(4)[:, 2:].ravel()
        end = solve_ivp(rates, (0, 1), start, rtol=1e-11, atol=1e-12, method="DOP853").y[:, -1]
        return np.linalg.det(end.reshape(4, 2)[2:])

    hz = frequencies(profile_of("taper_L1_tip0.5_h", shear=False), 3, "clamped-free")[0]
    assert brentq(determinant, 0.999 * hz, 1.001 * hz, xtol=1e-8) == pytest.approx(hz, rel=1e-8)


def test_a_pinned_beam_has_the_closed_form_of_timoshenko():
    """Pinned at both ends: the base may turn, the tip is held by what the modes of the free link span."""
    length = 2.0
    for count, tolerance in ((10, 5e-3), (16, 1e-6)):
        thick = link(Profile.uniform(rectangle(1.0), length), {"z": count}, "legendre")
        inertia, tip = thick.invariants(), thick.section_map(length)
        M = np.zeros((count + 1, count + 1))
        M[:count, :count] = inertia.mass_matrix
        M[count, :count] = M[:count, count] = inertia.S0[2, 0] - inertia.S0[0, 2]  # turning about y
        M[count, count] = inertia.G0[0, 0] + inertia.G0[2, 2]
        K = np.zeros_like(M)
        K[:count, :count] = thick.stiffness()
        held = np.append(tip.phi[2], -length)[None]
        space = np.linalg.svd(held)[2][1:].T
        squares = np.linalg.eigvals(np.linalg.solve(space.T @ M @ space, space.T @ K @ space)).real
        hz = np.sqrt(np.sort(squares)[:2]) / (2 * np.pi)
        np.testing.assert_allclose(hz, BEAMS["uniform_Lh10_PP"]["timoshenko_hz"][:2], rtol=tolerance)


@pytest.mark.parametrize("ends", ["auto", "legendre"])
def test_frequencies_converge_with_the_number_of_functions_from_above(ends):
    exact = BEAMS["taper_L1_tip0.5_h"]["timoshenko_hz"][:2]
    profile = profile_of("taper_L1_tip0.5_h", shear=True)
    errors = np.array([frequencies(profile, n, ends)[:2] / exact - 1 for n in (4, 7, 10, 14)])
    assert np.all(errors > -1e-9)
    assert np.all(errors[1:] < 0.6 * errors[:-1])
    assert np.all(errors[-1] < 1e-4)


def test_few_polynomials_serve_a_slender_link_with_shear_as_well_as_one_without():
    """Shear forces balance moments; alone, they would be wasted on a slender link."""
    sheared, rigid = (Profile.uniform(rectangle(0.1), 2.0, shear) for shear in (True, False))
    for count, checked in ((4, 2), (8, 4)):
        found = [frequencies(profile, count, "legendre")[:checked] for profile in (sheared, rigid)]
        np.testing.assert_allclose(*found, rtol=3e-3)


@pytest.mark.parametrize("case", PUBLISHED_TAPERS, ids=lambda c: f"{c['tau_h']}-{c['tau_b']}")
def test_slender_tapers_have_the_published_frequencies(case):
    length, height, width = 100.0, 0.1, 0.1

    def at(s):
        return GeneralSection.of(
            Section.rectangle(STEEL, width * (1 - case["tau_b"] * s), height * (1 - case["tau_h"] * s))
        )

    section = Section.rectangle(STEEL, width, height)
    hz = frequencies(Profile((Piece(0.0, length, at),), shear=False), 3, "clamped-free")
    number = 2 * np.pi * hz * length**2 * np.sqrt(section.rhoA / section.EIy)
    np.testing.assert_allclose(number, case["published"], rtol=2e-5)


def test_without_shear_a_uniform_link_is_the_plain_one():
    section = replace(Section.rectangle(STEEL, 0.02, 0.035), Jy=0.0, Jz=0.0)  # which the named functions leave out
    modes = {"y": 3, "z": 3, "torsion": 2, "axial": 2}
    plain = BeamLink(0.95, section, make_basis(modes))
    own = link(Profile.uniform(section, 0.95, shear=False), modes)
    np.testing.assert_allclose(own.natural_modes().frequencies, plain.natural_modes().frequencies, rtol=1e-9)
    for one, other in zip(own.invariants().__dict__.values(), plain.invariants().__dict__.values()):
        np.testing.assert_allclose(np.abs(one), np.abs(other), rtol=0, atol=1e-8 * np.abs(other).max())


# Steps


def stepped(shear, second=0.6, length=1.0, at=0.4):
    thick, thin = (GeneralSection.of(rectangle(size)) for size in (1.0, second))
    return Profile(
        (Piece(0.0, at, lambda s: thick, uniform=True), Piece(at, length, lambda s: thin, uniform=True)), shear
    )


def transfer(omega, section, length, shear):
    """State (w, th, M, Q) of bending in x-z from one end of a uniform piece to the other, by the exponential."""
    from scipy.linalg import expm

    slip = 1 / section.kGAz if shear else 0.0
    A = np.zeros((4, 4))  # w' = th + Q/kGA, th' = M/EI, M' = -Q - omega^2 J th, Q' = -omega^2 rhoA w
    A[0, 1], A[0, 3], A[1, 2], A[2, 3] = 1, slip, 1 / section.EIy, -1
    A[2, 1], A[3, 0] = -(omega**2) * section.Jy, -(omega**2) * section.rhoA
    return expm(A * length)


@pytest.mark.parametrize("shear", [True, False])
def test_a_stepped_link_has_the_frequencies_of_its_transfer_matrices(shear):
    pieces = ((rectangle(1.0), 0.4), (rectangle(0.6), 0.6))

    def determinant(hz):
        T = np.eye(4)
        for section, length in pieces:
            T = transfer(2 * np.pi * hz, section, length, shear) @ T
        return np.linalg.det(T[2:, 2:])

    found = frequencies(stepped(shear), 16, "legendre")[:3]
    own = frequencies(stepped(shear), 3, "clamped-free")
    for hz in own:
        assert brentq(determinant, 0.999 * hz, 1.001 * hz, xtol=1e-9) == pytest.approx(hz, rel=1e-8)
    np.testing.assert_allclose(found[:2], own[:2], rtol=2e-3)


def test_the_functions_of_a_stepped_link_kink_where_it_steps():
    bent = link(stepped(True), {"z": 4})
    before, after = bent.field.sections(np.array([0.4 - 1e-9, 0.4 + 1e-9])).strain[:, 4]
    ratio = rectangle(1.0).EIy / rectangle(0.6).EIy
    np.testing.assert_allclose(after, ratio * before, rtol=1e-6)


# Static deflection


def test_a_tip_force_bends_and_shears_a_link_by_the_textbook_amount():
    section, length = rectangle(1.0), 1.0
    thick = link(Profile.uniform(section, length), {"z": 2})
    tip = thick.section_map(length)
    deflection = tip.phi[2] @ np.linalg.solve(thick.stiffness(), tip.phi[2])
    assert deflection == pytest.approx(length**3 / (3 * section.EIy) + length / section.kGAz, rel=1e-12)


def coupled_section(seed=3):
    """A section with every coupling that a positive compliance can have."""
    rng = np.random.default_rng(seed)
    base = GeneralSection.of(rectangle(0.5), centroid=(0.01, -0.02), shear_centre=(0.03, 0.015)).placed(0.4)
    scale = np.sqrt(np.diag(base.compliance))
    mixed = rng.normal(size=(6, 6)) * 0.15
    return replace(base, compliance=base.compliance + scale[:, None] * (mixed @ mixed.T) * scale)


def test_any_tip_load_on_a_coupled_link_moves_its_tip_as_the_integrals_of_the_compliance_say():
    length, section = 1.3, coupled_section()
    coupled = link(Profile.uniform(section, length), {"y": 2, "z": 2, "torsion": 1, "axial": 1})
    tip = coupled.section_map(length)
    J = np.concatenate([tip.phi, tip.psi])
    found = J @ np.linalg.solve(coupled.stiffness(), J.T)
    nodes, weights = np.polynomial.legendre.leggauss(6)
    expected = np.zeros((6, 6))
    for x, w in zip(length * (1 + nodes) / 2, length * weights / 2):
        arm = length - x
        B = np.eye(6)  # from a wrench at the tip to the forces at x: My = -arm Fz, Mz = arm Fy
        B[4, 2], B[5, 1] = -arm, arm
        expected += w * B.T @ section.compliance @ B
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_a_turned_section_is_a_turned_link():
    section, angle = rectangle(0.3), 0.7
    modes = {"y": 14, "z": 14}
    straight = link(Profile.uniform(section, 1.0), modes, "legendre")
    turned = link(Profile.uniform(GeneralSection.of(section).placed(angle), 1.0), modes, "legendre")
    np.testing.assert_allclose(
        turned.natural_modes().frequencies[:4], straight.natural_modes().frequencies[:4], rtol=1e-6
    )
    tip = turned.section_map(1.0).phi[1:]
    flexibility = tip @ np.linalg.solve(turned.stiffness(), tip.T)
    own = straight.section_map(1.0).phi[1:]
    R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    expected = R @ (own @ np.linalg.solve(straight.stiffness(), own.T)) @ R.T
    np.testing.assert_allclose(flexibility, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_pretwist_raises_the_soft_and_lowers_the_stiff_frequency():
    section = GeneralSection.of(Section.rectangle(STEEL, 0.05, 0.01))

    def twisted(angle):
        return Profile((Piece(0.0, 1.0, lambda s: section.placed(angle * s)),), shear=False)

    modes = {"y": 6, "z": 6}
    flat, bent = (link(twisted(a), modes).natural_modes().frequencies for a in (0.0, np.pi / 4))
    assert bent[0] == pytest.approx(flat[0], rel=0.02)  # the first flapwise frequency hardly moves
    second = np.argmin(np.abs(flat - frequencies(twisted(0.0), 3, direction="y")[0]))
    assert abs(bent[second] / flat[second] - 1) > 0.02


# Derivatives by complex step


@pytest.mark.parametrize("stiffening", ["none", "first", "exact"])
def test_sizes_and_places_carry_derivatives_through_all_tables(stiffening):
    def made(width, place, length):
        thick = GeneralSection.of(rectangle(1.0, width))
        pieces = (
            Piece(0.0, place, lambda s: thick, uniform=True),
            Piece(place, length, lambda s: GeneralSection.of(rectangle(1.0 - 0.3 * s, width)).placed(0.2 * s)),
        )
        return Profile(pieces)

    at = np.array([0.1, 0.4, 1.0])
    basis = own_basis(made(*at), {"y": 2, "z": 2, "torsion": 1, "axial": 1})

    def tables(values):
        profile = made(*values)
        beam = BeamLink(profile.length, profile, replace(basis, profile=profile), stiffening=stiffening)
        tip = beam.section_map(profile.length)
        out = [beam.stiffness(), beam.invariants().N, beam.invariants().S0, tip.phi, tip.psi, tip.foreshortening]
        if stiffening == "exact":
            stations = beam.stations()
            out += [stations.stiffness, stations.running, stations.psi, stations.inertia]
        return out

    for k in range(3):
        step = np.zeros(3)
        step[k] = 1e-6
        exact = [np.imag(t) / 1e-20 for t in tables(at + 1j * step * 1e-14)]
        ahead, behind = tables(at + step), tables(at - step)
        for one, a, b in zip(exact, ahead, behind, strict=True):
            np.testing.assert_allclose(one, (a - b) / 2e-6, rtol=0, atol=2e-6 * max(np.abs(one).max(), np.abs(a).max()))
