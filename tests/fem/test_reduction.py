"""Craig-Bampton and its relatives: what a reduced link keeps of the full model."""

import numpy as np
import pytest

from lissom import LissomError, beam, fem

STEEL = beam.Material(E=2.1e11, nu=0.3, rho=7800)
BAR = beam.Section.rectangle(STEEL, 0.02, 0.03)
ENDS = [fem.Interface(name, name) for name in ("root", "elbow", "tip")]


@pytest.fixture(scope="module")
def bent():
    """An L of two members, 102 unknowns."""
    points = {"root": (0, 0, 0), "elbow": (0.5, 0, 0), "tip": (0.5, 0.4, 0)}
    return fem.frame(points, [fem.Member("root", "elbow", BAR, 8), fem.Member("elbow", "tip", BAR, 8)])


def test_free_frame_has_six_rigid_modes(bent):
    hz, shapes = bent.modes(8)
    assert np.all(hz[:6] ** 2 < 1e-6**1.5 * hz[6] ** 2)
    assert np.all(hz[6:] > 10)
    assert np.allclose(shapes.T @ (bent.mass @ shapes), np.eye(8), atol=1e-8)


def test_coordinates_are_orthogonal_modes_with_the_links_mass(bent):
    link = fem.reduce(bent, ENDS, 6)
    M, K = link.invariants().mass_matrix, link.stiffness()
    assert np.allclose(M, link.mass * np.eye(link.count), atol=1e-7 * link.mass)
    assert np.allclose(np.sqrt(np.diag(K) / np.diag(M)) / (2 * np.pi), link.natural_modes().frequencies)


@pytest.mark.parametrize("method", ["craig-bampton", "guyan", "free-interface"])
def test_every_reduction_is_statically_exact_at_its_interfaces(bent, method):
    """Loads at elbow and tip deflect the reduced link as the full model."""
    link = fem.reduce(bent, ENDS, 3, method=method)
    K = bent.stiffness.toarray()
    held = bent.unknowns(bent.groups["root"]).ravel()
    kept = np.setdiff1d(np.arange(bent.size), held)
    for name in ("elbow", "tip"):
        at = np.searchsorted(kept, bent.unknowns(bent.groups[name]).ravel())
        load = np.zeros((len(kept), 6))
        load[at, range(6)] = 1
        full = np.linalg.solve(K[np.ix_(kept, kept)], load)[at]
        maps = np.vstack([link.interfaces[name].phi, link.interfaces[name].psi])
        assert np.allclose(maps @ np.linalg.solve(link.stiffness(), maps.T), full, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize(("method", "count", "bound"), [("craig-bampton", 8, 1e-4), ("free-interface", 8, 1e-4)])
def test_natural_frequencies_hold_up_to_half_the_cut_off(bent, method, count, bound):
    report = fem.reduce(bent, ENDS, count, method=method).truncation
    assert np.sum(report.full_frequencies < report.cutoff / 2) >= 5
    assert report.worst(report.cutoff / 2) < bound


def test_augmentation_sharpens_what_the_modes_leave(bent):
    plain, augmented = (fem.reduce(bent, ENDS, 6, augmented=on).truncation for on in (False, True))
    half = plain.cutoff / 2
    assert augmented.worst(half) < plain.worst(half) / 100


def test_reduced_frequencies_come_from_above_and_fall_with_more_modes(bent):
    errors = [fem.reduce(bent, ENDS, n, augmented=False).truncation.errors[:6] for n in (0, 4, 12)]
    assert np.all(np.array(errors) > -1e-9)
    assert np.all(errors[0] >= errors[1] - 1e-9)
    assert np.all(errors[1] >= errors[2] - 1e-9)


def test_selection_by_frequency_keeps_all_up_to_it(bent):
    many = fem.reduce(bent, ENDS, 20).truncation.held_frequencies
    limit = (many[7] + many[8]) / 2
    kept = fem.reduce(bent, ENDS, fem.Selection(frequency=limit)).truncation.held_frequencies
    assert np.allclose(kept, many[:8])


def test_selection_by_effective_mass_reaches_its_share_with_fewer_modes(bent):
    report = fem.reduce(bent, ENDS, fem.Selection(effective_mass=0.8)).truncation
    assert np.all(report.shares.sum(axis=0) >= 0.8)
    everything = fem.reduce(bent, ENDS, 60).truncation.shares.sum(axis=0)
    assert np.all(everything <= 1 + 1e-9)
    assert np.all(everything > 0.95)
    by_count = next(n for n in range(60) if np.all(fem.reduce(bent, ENDS, n).truncation.shares.sum(axis=0) >= 0.8))
    assert len(report.held_frequencies) <= by_count


def test_base_and_tip_may_be_any_interface(bent):
    link = fem.reduce(bent, ENDS, 4, base="tip", tip="root")
    assert np.allclose(link.interfaces["tip"].phi, 0)
    assert np.allclose(link.interfaces["tip"].psi, 0)
    assert np.allclose(link.interfaces["root"].position, [-0.5, -0.4, 0])
    assert link.length == pytest.approx(np.hypot(0.5, 0.4))


def test_saved_link_comes_back_the_same(bent, tmp_path):
    link = fem.reduce(bent, ENDS, 4, damping={"stiffness": 1e-5, "mass": 0.1})
    link.save(tmp_path / "ell.npz")
    again = fem.ReducedLink.load(tmp_path / "ell.npz")
    for name, value in vars(link.invariants()).items():
        assert np.array_equal(getattr(again.invariants(), name), value)
    assert np.array_equal(again.stiffness(), link.stiffness())
    assert np.array_equal(again.damping_matrix(), link.damping_matrix())
    assert np.array_equal(again.shapes, link.shapes)
    assert np.array_equal(again.interfaces["tip"].psi, link.interfaces["tip"].psi)
    assert str(again.truncation) == str(link.truncation)


def test_report_is_a_table_a_person_can_read(bent):
    text = str(fem.reduce(bent, ENDS, 4).truncation)
    assert "102 unknowns to 28 coordinates" in text
    assert "interfaces root, elbow, tip" in text
    assert "Up to half the cut-off" in text
    assert max(map(len, text.splitlines())) <= 100


def test_places_along_the_line_join_base_and_tip_smoothly():
    straight = fem.chain(np.array([[0, 0, 0], [0, 0, 2.0]]), BAR, elements=10)
    link = fem.reduce(straight, [fem.Interface("base", "base"), fem.Interface("tip", "tip")], 0, augmented=False)
    eta = np.linspace(0.01, 0.03, link.count)
    for x, name in ((0.0, "base"), (2.0, "tip")):
        for ours, theirs in zip(link.section_map(x), link.section_map(name)):
            assert np.allclose(ours, theirs, atol=1e-12)
    # Between them an end-loaded beam is Hermite's cubic: the finite elements' own nodes.
    node = link.nearest_node((0, 0, 0.8))
    assert np.allclose(link.displacement(0.8, eta), link.shapes[node] @ eta, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "craig"}, "choose craig-bampton"),
        ({"base": "roof"}, "did you mean 'root'"),
        ({"modes": fem.Selection(effective_mass=1.0)}, "of the moving mass; lower it"),
        ({"modes": 0, "interfaces": ENDS[:1]}, "none is left"),
        ({"interfaces": [*ENDS, fem.Interface("more", "tip")]}, "shares 1 nodes with tip"),
        ({"interfaces": [fem.Interface("end", "tipp")]}, "its groups are root, elbow, tip"),
        ({"interfaces": []}, "give at least one"),
        ({"method": "guyan", "interfaces": ENDS[:1]}, "guyan needs another interface than the base"),
        ({"method": "free-interface", "modes": fem.Selection(effective_mass=0.5)}, "does not apply"),
    ],
)
def test_a_reduction_that_makes_no_sense_is_refused(bent, options, words):
    with pytest.raises(LissomError, match=words):
        fem.reduce(**({"structure": bent, "interfaces": ENDS} | options))


@pytest.mark.parametrize("given", [{}, {"count": 3, "frequency": 100.0}, {"count": -1}, {"effective_mass": 1.5}])
def test_selection_takes_one_sensible_number(given):
    with pytest.raises(LissomError, match="modes"):
        fem.Selection(**given)


@pytest.mark.parametrize("modes", [0, 2])
def test_interfaces_that_hold_every_node_leave_nothing_to_reduce(modes):
    bar = beam.Section.rectangle(beam.Material(E=2.1e11, nu=0.3, rho=7800), 0.02, 0.03)
    frame = fem.frame({"root": (0, 0, 0), "tip": (0.5, 0, 0)}, [fem.Member("root", "tip", bar, 1)])
    ends = [fem.Interface(name, name) for name in ("root", "tip")]
    whole, kept = (fem.reduce(frame, ends, modes, method=method) for method in ("guyan", "craig-bampton"))
    np.testing.assert_allclose(kept.natural_modes().frequencies, whole.natural_modes().frequencies, rtol=1e-9)
