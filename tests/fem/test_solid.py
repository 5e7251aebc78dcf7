"""Solid elements against beam theory, rigid-body mechanics and scikit-fem's own assembly."""

import numpy as np
import pytest
from claims import claim, claim_close, claim_equal
from solid_meshes import box
from timoshenko import timoshenko_cantilever

from lissom import beam, fem

STEEL = beam.Material(E=2.1e11, nu=0.3, rho=7800)
KINDS = ("tetra", "tetra10", "hexahedron", "hexahedron20", "hexahedron27")
LENGTH, WIDTH, HEIGHT = 1.0, 0.03, 0.05
SECTION = beam.Section.rectangle(STEEL, WIDTH, HEIGHT)


def bending_frequencies():
    """The lowest five of a clamped bar by Timoshenko's theory, shear factor of Cowper 1966, Hz."""
    kGA = 10 * (1 + STEEL.nu) / (12 + 11 * STEEL.nu) * STEEL.G * WIDTH * HEIGHT
    s = SECTION
    across = timoshenko_cantilever(s.rhoA, s.Jz, s.EIz, kGA, LENGTH, 4)
    along = timoshenko_cantilever(s.rhoA, s.Jy, s.EIy, kGA, LENGTH, 4)
    return np.sort(np.concatenate([across, along]))[:5]


@pytest.fixture(scope="module")
def cantilever():
    """A bar of quadratic hexahedra, held at its base; tip interface left free to strain."""
    structure = fem.solid(box((LENGTH, WIDTH, HEIGHT), (36, 2, 2), "hexahedron20"), STEEL)
    ends = [fem.Interface("base", "base"), fem.Interface("tip", "tip", tie="averaging")]
    return fem.reduce(structure, ends, fem.Selection(frequency=3000.0))


def test_solid_cantilever_has_timoshenkos_first_five_frequencies(cantilever):
    hz = cantilever.truncation.full_frequencies[:5]
    claim_close(hz, bending_frequencies(), 5e-3)
    assert np.all(hz > bending_frequencies())  # its root cannot even contract


def test_tetrahedra_agree_with_timoshenko_too():
    structure = fem.solid(box((LENGTH, WIDTH, HEIGHT), (32, 2, 2), "tetra10"), STEEL)
    link = fem.reduce(structure, [fem.Interface("base", "base", tie="averaging")], 5)
    claim_close(link.natural_modes().frequencies, bending_frequencies(), 5e-3)


def test_reduced_model_holds_up_to_half_the_cut_off(cantilever):
    report = cantilever.truncation
    compared = report.full_frequencies < report.cutoff / 2
    assert np.sum(compared) >= 7
    claim(report.worst(report.cutoff / 2), 1e-3)  # what is asked
    assert report.worst(report.cutoff / 2) < 1e-5  # what the augmentation gives


@pytest.mark.parametrize("kind", KINDS)
def test_free_body_has_six_rigid_modes_at_zero(kind):
    hz, _ = fem.solid(box((0.3, 0.2, 0.25), (2, 2, 2), kind), STEEL).modes(7)
    claim(hz[:6].max() / hz[6], 1e-6)


def test_rigid_modes_of_a_slender_bar_are_zero_to_rounding():
    """Its mesh has modes 1e4 times as fast as its first one: squares of frequencies cannot come closer."""
    hz, _ = fem.solid(box((LENGTH, WIDTH, HEIGHT), (16, 2, 2), "hexahedron20"), STEEL).modes(7)
    claim((hz[:6].max() / hz[6]) ** 2, 1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_meshed_box_has_the_rigid_inertia_of_a_box(kind):
    a, b, c = 0.4, 0.2, 0.3
    structure = fem.solid(box((a, b, c), (3, 2, 2), kind), STEEL)
    inertia = fem.reduce(structure, [fem.Interface("base", "base")], 2).invariants()
    mass = STEEL.rho * a * b * c
    claim_equal(np.array([inertia.mass]), np.array([mass]), 1e-12)
    claim_equal(inertia.mc0, mass * np.array([a / 2, 0, 0]), 1e-12)
    claim_equal(inertia.G0, mass * np.diag([a**2 / 3, b**2 / 12, c**2 / 12]), 1e-12)
    spread = inertia.G0 - np.outer(inertia.mc0, inertia.mc0) / mass
    J = np.trace(spread) * np.eye(3) - spread
    assert np.allclose(J, mass / 12 * np.diag([b**2 + c**2, a**2 + c**2, a**2 + b**2]), atol=1e-12 * mass)


def test_flexible_invariants_are_integrals_over_the_elements():
    """C1, S0 and N against a quadrature of the displaced shape functions, element by element."""
    mesh = box((0.4, 0.1, 0.1), (3, 1, 1), "hexahedron20")
    link = fem.reduce(fem.solid(mesh, STEEL), [fem.Interface("base", "base")], 3)
    from lissom.fem.solid_elements import _element, _jacobian

    element = _element(mesh.kind)
    mass = STEEL.rho * element.weights * _jacobian(mesh, element, slice(None))[1]
    s0 = np.einsum("qk,eka->eqa", element.values, link.nodes[mesh.cells])
    Phi = np.einsum("qk,ekaj->eqaj", element.values, link.shapes[mesh.cells])
    inertia = link.invariants()
    assert np.allclose(np.einsum("eq,eqaj->aj", mass, Phi), inertia.C1, atol=1e-10)
    assert np.allclose(np.einsum("eq,eqa,eqbj->abj", mass, s0, Phi), inertia.S0, atol=1e-10)
    assert np.allclose(np.einsum("eq,eqai,eqbj->abij", mass, Phi, Phi), inertia.N, atol=1e-10)


def test_matrices_are_those_that_scikit_fem_assembles():
    import skfem
    from skfem.models.elasticity import lame_parameters, linear_elasticity

    mesh = box((0.4, 0.1, 0.2), (2, 1, 2), "tetra")
    ours = fem.solid(mesh, STEEL)
    basis = skfem.Basis(skfem.MeshTet(mesh.nodes.T, mesh.cells.T), skfem.ElementVector(skfem.ElementTetP1()))
    K = linear_elasticity(*lame_parameters(STEEL.E, STEEL.nu)).assemble(basis)
    M = skfem.BilinearForm(lambda u, v, w: STEEL.rho * skfem.helpers.dot(u, v)).assemble(basis)
    order = basis.nodal_dofs.T.ravel()
    assert np.allclose(ours.stiffness.toarray(), K.toarray()[np.ix_(order, order)], atol=1e-6 * K.max())
    assert np.allclose(ours.mass.toarray(), M.toarray()[np.ix_(order, order)], atol=1e-10 * M.max())


@pytest.mark.parametrize("kind", KINDS)
def test_uniform_stretch_passes_the_patch_test(kind):
    """A displacement linear in position strains every element equally: nodal stress and energy are exact."""
    mesh = box((0.4, 0.1, 0.2), (2, 2, 2), kind)
    structure = fem.solid(mesh, STEEL)
    slope = np.array([[1e-3, 2e-4, 0], [0, -3e-4, 1e-4], [3e-4, 0, 2e-4]])
    u = (mesh.nodes @ slope.T).reshape(-1, 1)
    strain = (slope + slope.T) / 2
    lame = STEEL.E * STEEL.nu / (1 + STEEL.nu) / (1 - 2 * STEEL.nu)
    stress = 2 * STEEL.G * strain + lame * np.trace(strain) * np.eye(3)
    voigt = [stress[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1))]
    assert np.allclose(structure.stress(u)[:, :, 0], voigt, rtol=1e-6, atol=1e-6 * abs(stress).max())
    energy = 0.5 * float(u[:, 0] @ (structure.stiffness @ u[:, 0]))
    assert energy == pytest.approx(0.5 * np.sum(stress * strain) * 0.4 * 0.1 * 0.2, rel=1e-9)


def test_bending_stress_of_a_loaded_cantilever_is_m_c_over_i(cantilever):
    """A force of 100 N along z at the tip: stress on the upper edge, away from the ends."""
    tip = cantilever.interfaces["tip"]
    eta = np.linalg.solve(cantilever.stiffness(), 100.0 * tip.phi[2])
    node = cantilever.nearest_node((0.4, 0, HEIGHT / 2))
    x = cantilever.nodes[node, 0]
    expected = 100.0 * (LENGTH - x) * (HEIGHT / 2) / (WIDTH * HEIGHT**3 / 12)
    stress = cantilever.stress(eta, [node])[0]
    assert stress[0] == pytest.approx(-expected, rel=0.01)  # pushed up, its upper side is pressed
    assert cantilever.von_mises(eta, [node])[0] == pytest.approx(expected, rel=0.01)


def test_rigid_tie_is_stiffer_than_an_averaging_one():
    structure = fem.solid(box((0.4, 0.1, 0.1), (4, 2, 2), "hexahedron20"), STEEL)
    first = {}
    for tie in ("rigid", "averaging"):
        first[tie] = fem.reduce(structure, [fem.Interface("base", "base", tie=tie)], 1).natural_modes().frequencies[0]
    assert 1 < first["rigid"] / first["averaging"] < 1.05


def _area(structure, node):
    """Of the faces at the tip around a node, a third of each."""
    corners = structure.nodes[structure.faces[np.any(structure.faces == node, axis=1)]]
    corners = corners[np.all(corners[:, :, 0] == 0.4, axis=1)]
    return sum(np.linalg.norm(np.cross(b - a, c - a)) / 6 for a, b, c in corners)


def test_averaging_frame_follows_the_mean_motion_of_its_nodes():
    structure = fem.solid(box((0.4, 0.1, 0.1), (4, 2, 2), "hexahedron20"), STEEL)
    ends = [fem.Interface("base", "base"), fem.Interface("tip", "tip", tie="averaging")]
    link = fem.reduce(structure, ends, 4)
    tip = structure.groups["tip"]
    weights = np.array([_area(structure, node) for node in tip])
    assert weights.sum() == pytest.approx(0.1 * 0.1)
    mean = np.einsum("n,naj->aj", weights / weights.sum(), link.shapes[tip])
    assert np.allclose(mean, link.interfaces["tip"].phi, atol=1e-9)
    arms = link.nodes[tip] - link.interfaces["tip"].position
    turned = np.cross(link.interfaces["tip"].psi.T[:, None], arms[None]).transpose(1, 2, 0)
    left = link.shapes[tip] - link.interfaces["tip"].phi - turned
    torque = np.cross(arms[:, :, None], weights[:, None, None] * left, axisa=1, axisb=1, axisc=1).sum(axis=0)
    assert np.allclose(torque, 0, atol=1e-9)  # the rest of the motion has no rotation left


def test_tube_has_the_mass_and_bending_frequency_of_a_tube():
    length, outer, inner = 0.8, 0.06, 0.05
    structure = fem.solid(fem.tube_mesh(length, outer, inner, (16, 12, 1)), STEEL)
    assert structure.total_mass() == pytest.approx(STEEL.rho * np.pi / 4 * (outer**2 - inner**2) * length, rel=1e-3)
    s = beam.Section.tube(STEEL, outer=outer, inner=inner)
    kGA = 0.53 * STEEL.G * np.pi / 4 * (outer**2 - inner**2)
    expected = timoshenko_cantilever(s.rhoA, s.Jz, s.EIz, kGA, length, 1)[0]
    hz = fem.reduce(structure, [fem.Interface("base", "base")], 2).natural_modes().frequencies
    assert np.allclose(hz, expected, rtol=0.01)


def test_finer_meshes_converge():
    """Quadratic elements: the first frequency of a short bar comes down at a steady rate."""
    hz = []
    for n in (1, 2, 4):
        structure = fem.solid(box((0.4, 0.1, 0.1), (4 * n, n, n), "hexahedron20"), STEEL)
        hz.append(fem.reduce(structure, [fem.Interface("base", "base")], 1).natural_modes().frequencies[0])
    assert hz[0] > hz[1] > hz[2]
    assert (hz[0] - hz[1]) > 2 * (hz[1] - hz[2])
