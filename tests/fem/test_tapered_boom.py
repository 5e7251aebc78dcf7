"""A box boom that tapers, as a beam and as solid finite elements: frequencies, deflection, stress.

The root of the solid boom keeps its plane and its place, but may contract: a clamp that forbids this stiffens the walls
beside it by 1/(1 - nu^2), which no beam shows (0.2 % of this boom's deflection).
"""

import numpy as np
import pytest

from lissom import fem
from lissom.beam import BeamLink, Material
from lissom.model import Robot

STEEL = Material(2.1e11, 0.3, 7850.0)
LENGTH, WALL = 8.0, 0.02
ROOT, TIP = (0.16, 0.24), (0.10, 0.12)  # width along y, height along z

BOOM = f"""
lissom: 1
name: boom
materials: {{steel: {{E: 2.1e11, nu: 0.3, rho: 7850}}}}
links:
  - name: boom
    joint: fixed
    beam:
      length: {LENGTH}
      material: steel
      stations:
        - {{x: 0, section: {{shape: box, width: {ROOT[0]}, height: {ROOT[1]}, thickness: {WALL}}}}}
        - {{x: {LENGTH}, section: {{shape: box, width: {TIP[0]}, height: {TIP[1]}, thickness: {WALL}}}}}
      modes: {{y: 10, z: 10, torsion: 6, axial: 4}}
"""


def solid_boom(along=60, side=4):
    """Quadratic bricks, one through the wall, around a box whose sizes fall linearly."""
    share = np.arange(side) / side
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    ring = []  # (y, z) in units of half the outer size, and of half the inner size at the same place
    for (a, b), (c, d) in zip(corners, corners[1:] + corners[:1]):
        ring += [(a + (c - a) * s, b + (d - b) * s) for s in share]
    ring = np.array(ring, float)
    count, nodes = len(ring), []
    for x in np.linspace(0, LENGTH, along + 1):
        half = (np.array(ROOT) + (np.array(TIP) - ROOT) * x / LENGTH) / 2
        for size in (half, half - WALL):
            nodes.append(np.column_stack([np.full(count, x), ring * size]))
    nodes = np.concatenate(nodes)
    cells = []
    for k in range(along):
        for j in range(count):
            n = (j + 1) % count
            o, i = 2 * k * count, (2 * k + 1) * count
            face = [o + j, o + n, i + n, i + j]
            cells.append(face + [2 * count + f for f in face])
    base, tip = np.flatnonzero(nodes[:, 0] == 0), np.flatnonzero(nodes[:, 0] == LENGTH)
    mesh = fem.SolidMesh(nodes, np.array(cells), "hexahedron", {"base": base, "tip": tip}, "boom")
    return fem.solid(mesh.with_order(2), STEEL)


@pytest.fixture(scope="module")
def boom():
    link = Robot.from_yaml(BOOM).flexible_links()["boom"]
    assert isinstance(link, BeamLink)
    return link


@pytest.fixture(scope="module")
def solid():
    structure = solid_boom()
    x, y, z = np.abs(structure.nodes.T) < 1e-9
    held = np.column_stack([x, x & y, x & z]).ravel()  # the root in its plane, its axes of symmetry in place
    dofs = np.flatnonzero(~held)
    return structure, dofs, structure.stiffness[dofs][:, dofs].tocsc(), structure.mass[dofs][:, dofs].tocsc()


def test_eight_frequencies(boom, solid):
    from scipy.sparse.linalg import eigsh

    _, _, K, M = solid
    squares = eigsh(K, 8, M, sigma=0.0, return_eigenvectors=False)
    expected = np.sqrt(np.sort(squares)) / (2 * np.pi)
    np.testing.assert_allclose(boom.natural_modes().frequencies[:8], expected, rtol=5e-3)


def test_static_deflection_and_stress_under_a_tip_force(boom, solid):
    from scipy.sparse.linalg import splu

    structure, dofs, K, _ = solid
    tip = np.flatnonzero(structure.nodes[:, 0] > LENGTH - 1e-9)
    force = np.zeros(3 * len(structure.nodes))
    force[3 * tip + 2] = -1e4 / len(tip)
    moved = np.zeros_like(force)
    moved[dofs] = splu(K).solve(force[dofs])
    u = moved.reshape(-1, 3)

    at = boom.section_map(LENGTH)
    eta = np.linalg.solve(boom.stiffness(), at.phi.T @ [0.0, 0.0, -1e4])
    assert (at.phi @ eta)[2] == pytest.approx(u[tip, 2].mean(), rel=5e-3)

    # the fibre in the middle of the upper wall's outer face, halfway: strain from neighbouring nodes along it
    top = np.flatnonzero((np.abs(structure.nodes[:, 1]) < 1e-9) & (structure.nodes[:, 2] > 0))
    outer = [n for n in top if abs(structure.nodes[n, 2] - _half_height(structure.nodes[n, 0])) < 1e-9]
    outer = sorted(outer, key=lambda n: structure.nodes[n, 0])
    x = structure.nodes[outer, 0]
    pair = [outer[int(np.argmin(np.abs(x - LENGTH / 2 + s)))] for s in (0.15, -0.15)]
    stretched = u[pair[1]] - u[pair[0]]
    along = structure.nodes[pair[1]] - structure.nodes[pair[0]]
    strain = stretched @ along / (along @ along)
    places = np.linspace(*structure.nodes[pair, 0], 9)
    own = boom.strains(places, eta)
    fibre = np.mean([e[0] + _half_height(p) * e[4] for p, e in zip(places, own)])
    assert STEEL.E * fibre == pytest.approx(STEEL.E * strain, rel=5e-3)
    assert abs(STEEL.E * strain) > 1e6


def _half_height(x):
    return (ROOT[1] + (TIP[1] - ROOT[1]) * x / LENGTH) / 2
