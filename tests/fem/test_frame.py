"""Frame finite elements against beam theory."""

import numpy as np
import pytest
from timoshenko import timoshenko_cantilever

from lissom import LissomError, beam, fem

STEEL = beam.Material(E=2e11, nu=0.3, rho=7800)
BAR = beam.Section.rectangle(STEEL, 0.05, 0.08)
LENGTH = 1.0


def clamped(structure, **options):
    """Natural frequencies in Hz, held at `base`."""
    return fem.reduce(structure, [fem.Interface("base", "base")], 12, **options).natural_modes().frequencies


def test_euler_bernoulli_cantilever_has_its_textbook_frequencies():
    thin = beam.Section(rhoA=BAR.rhoA, EA=BAR.EA, EIy=BAR.EIy, EIz=BAR.EIz, GJ=BAR.GJ, Jx=BAR.Jx, Jy=0, Jz=0)
    hz = clamped(fem.chain(np.array([[0, 0, 0], [LENGTH, 0, 0]]), thin, elements=40))
    roots = np.array([1.8751041, 4.6940911, 7.8547574])
    for stiffness in (BAR.EIy, BAR.EIz):
        for expected in roots**2 / (2 * np.pi) * np.sqrt(stiffness / BAR.rhoA) / LENGTH**2:
            assert np.min(np.abs(hz / expected - 1)) < 3e-6


def test_timoshenko_cantilever_converges_to_its_exact_frequencies():
    kGA = fem.shear_stiffness(BAR, STEEL.nu)[0]
    line = np.array([[0, 0, 0], [LENGTH, 0, 0]])
    coarse, fine = (clamped(fem.chain(line, BAR, elements=n, shear=(kGA, kGA))) for n in (30, 60))
    for stiffness, inertia in ((BAR.EIy, BAR.Jy), (BAR.EIz, BAR.Jz)):
        for expected in timoshenko_cantilever(BAR.rhoA, inertia, stiffness, kGA, LENGTH, 3):
            k = np.argmin(np.abs(fine / expected - 1))
            error = coarse[k] / expected - 1, fine[k] / expected - 1
            assert abs(error[1]) < 1e-4
            assert error[0] / error[1] == pytest.approx(4, rel=0.1)


def test_shear_makes_a_short_beam_softer_by_the_textbook_share():
    load, kGA = np.zeros(6), 1e7
    load[1] = 1.0
    deflections = []
    for shear in (None, (kGA, kGA)):
        structure = fem.chain(np.array([[0, 0, 0], [0.3, 0, 0]]), BAR, elements=3, shear=shear)
        K = structure.stiffness.toarray()
        tip = structure.unknowns(structure.groups["tip"]).ravel()
        base = structure.unknowns(structure.groups["base"]).ravel()
        kept = np.setdiff1d(np.arange(structure.size), base)
        force = np.zeros(structure.size)
        force[tip] = load
        deflections.append(np.linalg.solve(K[np.ix_(kept, kept)], force[kept])[np.searchsorted(kept, tip[1])])
    assert deflections[0] == pytest.approx(0.3**3 / 3 / BAR.EIz, rel=1e-9)
    assert deflections[1] - deflections[0] == pytest.approx(0.3 / kGA, rel=1e-9)


def test_tapered_member_converges_to_its_first_frequency():
    """A wedge of constant width tapering to a point: 5.315 / (2 pi L^2) sqrt(EI0/rhoA0) (Kirchhoff 1879)."""
    width, height = 0.02, 0.04

    def wedge(s):
        whole = beam.Section.rectangle(STEEL, width, height * (1 - s))
        thin = {name: getattr(whole, name) for name in ("rhoA", "EA", "EIy", "EIz", "GJ")}
        return beam.Section(**thin, Jx=whole.Jx, Jy=0, Jz=0)

    structure = fem.chain(np.array([[0, 0, 0], [1.0, 0, 0]]), wedge, elements=40)
    root = wedge(0.0)
    expected = 5.315 / (2 * np.pi) * np.sqrt(root.EIy / root.rhoA)
    assert np.min(np.abs(clamped(structure) / expected - 1)) < 2e-3


def test_two_sections_taper_linearly_between_them():
    small = beam.Section.rectangle(STEEL, 0.02, 0.03)
    member = fem.Member("a", "b", (BAR, small))
    assert pytest.approx(0.75 * BAR.EA + 0.25 * small.EA) == member.section_at(0.25).EA


def test_quarter_ring_of_straight_elements_has_the_bent_beams_stiffness():
    """Deflections by loads at the end of a thin quarter ring, clamped at the other (Castigliano)."""
    thin, radius, count = beam.Section.rectangle(STEEL, 0.01, 0.01), 1.0, 64
    angle = np.linspace(0, np.pi / 2, count + 1)
    points = np.stack([radius * np.sin(angle), radius * (1 - np.cos(angle)), 0 * angle], axis=1)
    structure = fem.chain(points, thin)
    link = fem.reduce(structure, [fem.Interface("base", "base"), fem.Interface("tip", "tip")], 0)
    phi = link.interfaces["tip"].phi
    flexibility = phi @ np.linalg.solve(link.stiffness(), phi.T)
    assert flexibility[0, 0] == pytest.approx(np.pi / 4 * radius**3 / thin.EIz, rel=2e-3)
    assert flexibility[1, 1] == pytest.approx((3 * np.pi / 4 - 2) * radius**3 / thin.EIz, rel=2e-3)


def test_lumped_and_consistent_mass_converge_to_the_same_frequency():
    line = np.array([[0, 0, 0], [LENGTH, 0, 0]])
    exact = clamped(fem.chain(line, BAR, elements=32))[0]
    errors = [clamped(fem.chain(line, BAR, elements=n, mass="lumped"))[0] / exact - 1 for n in (4, 8, 16)]
    assert np.all(np.array(errors) < 0)
    assert np.allclose(np.divide(errors[:-1], errors[1:]), 4, rtol=0.1)


def test_lumped_mass_of_five_nodes_sits_at_the_nodes():
    """The L mechanism's four elements: m/2, m, m, m, m/2 with the section's rotary inertia beside them."""
    section = beam.Section.rectangle(STEEL, 0.01, 0.03)
    points = {"root": (0, 0, 0), "elbow": (0.5, 0, 0), "tip": (0.5, 0.5, 0)}
    members = [fem.Member("root", "elbow", section, 2), fem.Member("elbow", "tip", section, 2)]
    link = fem.reduce(fem.frame(points, members, mass="lumped"), [fem.Interface("root", "root")], 4)
    m, G = section.rhoA * 0.25, link.invariants().G0
    assert link.mass == pytest.approx(4 * m)
    turning = G[0, 0] + G[2, 2]  # about y
    expected = m * (0.25**2 + 2.5 * 0.5**2) + 0.5 * section.Jy + 0.5 * section.Jx
    assert turning == pytest.approx(expected, rel=1e-12)


def test_orientation_follows_up():
    section = beam.Section.rectangle(STEEL, 0.01, 0.03)
    hz = {}
    for name, up in (("z", (0, 0, 1)), ("y", (0, 1, 0))):
        structure = fem.chain(np.array([[0, 0, 0], [1.0, 0, 0]]), section, elements=6, up=up)
        link = fem.reduce(structure, [fem.Interface("base", "base"), fem.Interface("tip", "tip")], 0)
        phi = link.interfaces["tip"].phi
        hz[name] = np.linalg.solve(link.stiffness(), phi.T)
        hz[name] = np.diag(phi @ hz[name])
    assert hz["z"][1] == pytest.approx(hz["y"][2])
    assert hz["z"][1] == pytest.approx(9 * hz["z"][2], rel=1e-6)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"members": []}, "there are none"),
        ({"members": [fem.Member("a", "c", BAR)]}, "'c', which is not among the points"),
        ({"members": [fem.Member("a", "a", BAR)]}, "no length"),
        ({"members": [fem.Member("a", "b", BAR, elements=0)]}, "give a member at least one"),
        ({"members": [fem.Member("a", "b", BAR, up=(1, 0, 0))]}, "runs along the member"),
        ({"mass": "heavy"}, "'consistent' or 'lumped'"),
    ],
)
def test_a_frame_that_makes_no_sense_is_refused(change, words):
    given = {"points": {"a": (0, 0, 0), "b": (1, 0, 0)}, "members": [fem.Member("a", "b", BAR)]} | change
    with pytest.raises(LissomError, match=words):
        fem.frame(**given)
