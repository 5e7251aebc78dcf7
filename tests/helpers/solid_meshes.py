"""Small meshes for the tests of solid links."""

import numpy as np

from lissom import fem

KUHN = np.array([[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]])


def tetrahedra(mesh, order):
    """Six tetrahedra for each hexahedron."""
    linear = mesh.with_order(1)
    cells = linear.cells[:, KUHN].reshape(-1, 4)
    return fem.SolidMesh(linear.nodes, cells, "tetra", linear.groups, mesh.name).with_order(order)


def box(size, cells, kind):
    """A box of elements of any kind."""
    order = 1 if kind in ("tetra", "hexahedron") else 2
    if kind.startswith("tetra"):
        return tetrahedra(fem.box_mesh(size, cells, 1), order)
    if kind == "hexahedron27":
        return _triquadratic(fem.box_mesh(size, cells, 1))
    return fem.box_mesh(size, cells, order)


def _triquadratic(mesh):
    """Nodes amid edges, faces and elements added to hexahedra."""
    from lissom.fem.solid_mesh import HEX_FACES

    serendipity = mesh.with_order(2)
    corners = serendipity.cells[:, :8]
    faces = corners[:, np.array(HEX_FACES)]
    unique, at = np.unique(np.sort(faces.reshape(-1, 4), axis=1), axis=0, return_inverse=True)
    nodes = [serendipity.nodes, serendipity.nodes[unique].mean(axis=1), serendipity.nodes[corners].mean(axis=1)]
    first = len(serendipity.nodes)
    last = first + len(unique) + np.arange(len(corners))
    cells = np.hstack([serendipity.cells, first + at.reshape(-1, 6), last[:, None]])
    nodes = np.vstack(nodes)
    groups = {"base": np.flatnonzero(nodes[:, 0] == 0), "tip": np.flatnonzero(nodes[:, 0] == nodes[:, 0].max())}
    return fem.SolidMesh(nodes, cells, "hexahedron27", groups, mesh.name)


def volume(mesh):
    """By the divergence theorem: positive where the triangles face outward."""
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    return float(np.einsum("ni,ni->n", a, np.cross(b, c)).sum()) / 6


MESHED = """
lissom: 1
name: meshed-arm
materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7800}}
links:
  - name: boom
    joint: {name: shoulder, type: revolute, axis: [0, 1, 0]}
    finite_elements:
      {mesh: boom.vtk, material: steel, interfaces: {root: {x: 0}, flange: {x: 0.4, tie: averaging}}, modes: 4}
  - name: tool
    at: flange
    joint: {name: wrist, type: revolute, axis: [0, 0, 1]}
    body: {mass: 2.0, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}
"""
