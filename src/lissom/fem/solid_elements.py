"""Solid elements: tetrahedra and hexahedra, linear and quadratic, isoparametric, of an isotropic material.

Shape functions and quadrature are those of scikit-fem. Displacements follow the same functions as the geometry, so
rigid motions, and with them the inertia of the undeformed body, are exact for the mesh.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.beam import Invariants, Material
from lissom.errors import LissomError
from lissom.fem.fe_structure import Array, Sparse, Structure, check_connected
from lissom.fem.solid_mesh import HEX_EDGES, HEX_FACES, TET_EDGES, SolidMesh

CHUNK = 1000  # elements treated at once
SLOW, FAST = 10.0, 3e4  # m/s: no solid has a speed of sound sqrt(E/rho) beyond these

# Corners, middles of edges, of faces, and the middle, on the unit tetrahedron and the unit cube, in the order of VTK.
TET = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
HEX = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], float)


@dataclass(frozen=True, eq=False)
class Element:
    """Values and gradients of shape functions at some points of the reference element."""

    points: Array  # (q, 3)
    weights: Array  # (q,)
    values: Array  # (q, k)
    gradients: Array  # (q, k, 3)


def solid(
    mesh: SolidMesh, material: Material, order: int | None = None, progress: Callable[[str], None] = lambda text: None
) -> Structure:
    """Return the structure of a meshed solid.

    Parameters
    ----------
    order : int, optional
        1 for linear elements (stiff in bending: they need fine meshes), 2 for quadratic; else the mesh's.
    """
    mesh = mesh if order is None else mesh.with_order(order)
    _check_material(material)
    progress(f"assembling {len(mesh.cells)} elements, {3 * len(mesh.nodes)} unknowns")
    check_cells(mesh)
    n = len(mesh.nodes)
    scalar, K = _assemble(mesh, material)
    check_connected(scalar, 1, mesh.name)
    from scipy.sparse import csr_array, eye_array, kron

    return Structure(
        nodes=mesh.nodes,
        width=3,
        mass=csr_array(kron(scalar, eye_array(3), format="csr")),
        stiffness=K,
        inertia=NodalInertia(scalar, mesh.nodes),
        groups=dict(mesh.groups),
        faces=surface(mesh),
        stress=lambda shapes: nodal_stress(mesh, material, shapes.reshape(n, 3, -1)),
    )


@dataclass(frozen=True, eq=False)
class NodalInertia:
    """Mass spread by the shape functions of the displacements, the same along every axis."""

    mass: Sparse  # (n, n) int rho N_i N_j
    nodes: Array  # (n, 3)

    def invariants(self, shapes: Array, origin: Array) -> Invariants:
        """Return the integrals over the mass."""
        X = self.nodes - origin
        Phi = shapes.reshape(len(X), 3, -1)
        mX = self.mass @ X
        mPhi = np.stack([self.mass @ Phi[:, a] for a in range(3)], axis=1)
        return Invariants(
            mass=float(self.mass.sum()),
            mc0=mX.sum(axis=0),
            C1=mPhi.sum(axis=0),
            G0=X.T @ mX,
            S0=np.einsum("na,nbj->abj", X, mPhi, optimize=True),
            N=np.array([[Phi[:, a].T @ mPhi[:, b] for b in range(3)] for a in range(3)]),
        )


def check_cells(mesh: SolidMesh) -> None:
    """Refuse elements that are turned inside out or have no volume, and name the first."""
    element = _element(mesh.kind)
    volumes = np.concatenate([_jacobian(mesh, element, part)[1].min(axis=1) for part in _chunks(len(mesh.cells))])
    size = np.ptp(mesh.nodes, axis=0).max()
    wrong = np.flatnonzero(volumes <= 1e-15 * size**3)
    if not len(wrong):
        return
    first = wrong[0]
    centre = ", ".join(f"{c:.4g}" for c in mesh.nodes[mesh.cells[first]].mean(axis=0))
    if len(wrong) == len(volumes):
        text = "all elements are inverted; the mesh is mirrored, or its nodes are in another order than VTK's"
    else:
        text = f"{len(wrong)} of {len(volumes)} elements are inverted or flat, the first at ({centre}) m; mesh it again"
    raise LissomError(text, source=mesh.name)


def surface(mesh: SolidMesh) -> Array:
    """Return triangles (f, 3) of the boundary, normals outward; quadratic faces are divided by their nodes."""
    fans = {
        3: [(0, 1, 2)],
        4: [(0, 1, 2), (0, 2, 3)],
        6: [(0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)],
        8: [(0, 4, 7), (4, 1, 5), (5, 2, 6), (6, 3, 7), (4, 5, 6), (4, 6, 7)],
    }
    faces = mesh.boundary()
    return np.concatenate([faces[:, list(fan)] for fan in fans[faces.shape[1]]])


def nodal_stress(mesh: SolidMesh, material: Material, shapes: Array) -> Array:
    """Return stress (n, 6, m) at the nodes, of displacements (n, 3, m): xx, yy, zz, yz, zx, xy.

    That of each element at its nodes, averaged over the elements of a node by their volumes.
    """
    lame, G = _lame(material)
    m = shapes.shape[2]
    total, weight = np.zeros((len(mesh.nodes), 6, m)), np.zeros(len(mesh.nodes))
    element = _element(mesh.kind)
    at_nodes = _element(mesh.kind, reference_nodes(mesh.kind))
    for part in _chunks(len(mesh.cells), max(1, CHUNK // max(1, m // 4))):
        cells = mesh.cells[part]
        volume = (_jacobian(mesh, element, part)[1] * element.weights).sum(axis=1)
        gradients = _gradients(mesh, at_nodes, part)[0]  # (e, points, functions, 3)
        e, k = cells.shape
        u = shapes[cells].reshape(e, k, 3 * m)
        slope = (gradients.transpose(0, 1, 3, 2).reshape(e, k * 3, k) @ u).reshape(e, k, 3, 3, m)  # [d/dx_b, u_a]
        strain = slope + slope.transpose(0, 1, 3, 2, 4)  # twice the strain
        pressure = lame * np.trace(slope, axis1=2, axis2=3)
        stress = np.stack([G * strain[:, :, a, b] for a, b in ((0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1))], axis=2)
        stress[:, :, :3] += pressure[:, :, None]
        np.add.at(total, cells.ravel(), (volume[:, None, None, None] * stress).reshape(-1, 6, m))
        np.add.at(weight, cells.ravel(), np.repeat(volume, k))
    return total / weight[:, None, None]


def reference_nodes(kind: str) -> Array:
    """Return nodes (k, 3) of the reference element, in the order of VTK."""
    if kind.startswith("tetra"):
        middles = TET[np.array(TET_EDGES)].mean(axis=1)
        return TET if kind == "tetra" else np.vstack([TET, middles])
    parts = [HEX]
    if kind != "hexahedron":
        parts.append(HEX[np.array(HEX_EDGES)].mean(axis=1))
    if kind == "hexahedron27":
        parts += [HEX[np.array(HEX_FACES)].mean(axis=1), HEX.mean(axis=0)[None]]
    return np.vstack(parts)


def _element(kind: str, points: Array | None = None) -> Element:
    """Return shape functions at the quadrature points, or at given ones."""
    try:
        import skfem
        from skfem.quadrature import get_quadrature
    except ImportError:
        raise LissomError("solids need scikit-fem, which is not installed; pip install 'lissom[fem]'") from None
    made: Any = {
        "tetra": skfem.ElementTetP1,
        "tetra10": skfem.ElementTetP2,
        "hexahedron": skfem.ElementHex1,
        "hexahedron20": skfem.ElementHexS2,
        "hexahedron27": skfem.ElementHex2,
    }[kind]()
    exact = {"tetra": 2, "tetra10": 4, "hexahedron": 3}.get(kind, 5)  # degree that the mass of a straight element asks
    if points is None:
        at, weights = get_quadrature(made.refdom, exact)
    else:
        at, weights = points.T, np.zeros(len(points))
    distance = np.linalg.norm(reference_nodes(kind)[:, None] - np.asarray(made.doflocs, float), axis=2)
    order = distance.argmin(axis=1)  # which function of scikit-fem belongs to each node
    pairs = [made.lbasis(at, int(k)) for k in order]
    values = np.stack([np.broadcast_to(f, at.shape[1:]) for f, _ in pairs], axis=1)
    gradients = np.stack([np.broadcast_to(g, at.shape).T for _, g in pairs], axis=1)
    return Element(at.T, weights, values, gradients)


def _chunks(count: int, size: int = CHUNK) -> list[slice]:
    return [slice(k, min(k + size, count)) for k in range(0, count, size)]


def _jacobian(mesh: SolidMesh, element: Element, part: slice) -> tuple[Array, Array]:
    """Return D x_a / d xi_b (e, q, 3, 3) and its determinant (e, q)."""
    J = np.einsum("eka,qkb->eqab", mesh.nodes[mesh.cells[part]], element.gradients, optimize=True)
    return J, np.linalg.det(J)


def _gradients(mesh: SolidMesh, element: Element, part: slice) -> tuple[Array, Array]:
    """Return gradients of the shape functions in space (e, q, k, 3), and the determinants (e, q)."""
    J, volume = _jacobian(mesh, element, part)
    return element.gradients @ np.linalg.inv(J), volume


def _lame(material: Material) -> tuple[float, float]:
    E, nu, G = material.E, material.nu, material.G
    if nu >= 0.5:
        text = "solid elements lock in an incompressible material; give nu < 0.5"
        raise LissomError(text, ("material", "nu"), nu)
    if abs(G - E / 2 / (1 + nu)) > 1e-6 * G:
        text = f"a solid is isotropic, G = E/2/(1+nu) = {E / 2 / (1 + nu):g}; leave it out"
        raise LissomError(text, ("material", "G"), G)
    return E * nu / (1 + nu) / (1 - 2 * nu), G


def _check_material(material: Material) -> None:
    speed = float(np.sqrt(material.E / material.rho))
    if not SLOW < speed < FAST:
        text = (
            f"E = {material.E:g}, rho = {material.rho:g}: sound would travel at {speed:.3g} m/s, so the units differ; "
            "give E in Pa (2.1e11 for steel) and rho in kg/m3 (7800), not in MPa, t/mm3 or the like"
        )
        raise LissomError(text, ("material",))


def _assemble(mesh: SolidMesh, material: Material) -> tuple[Sparse, Sparse]:
    """Return scalar mass (n, n) and stiffness (3 n, 3 n)."""
    from scipy.sparse import coo_array, csr_array

    lame, G = _lame(material)
    element = _element(mesh.kind)
    n, k = len(mesh.nodes), mesh.cells.shape[1]
    mass: Sparse = csr_array((n, n))
    K: Sparse = csr_array((3 * n, 3 * n))
    products = element.values[:, :, None] * element.values[:, None, :]
    for part in _chunks(len(mesh.cells), CHUNK if k < 20 else CHUNK // 2):
        cells = mesh.cells[part]
        e = len(cells)
        gradients, volume = _gradients(mesh, element, part)
        w = volume * element.weights
        m = material.rho * np.einsum("eq,qij->eij", w, products, optimize=True)
        q = gradients.shape[1]
        left = (w[:, :, None, None] * gradients).reshape(e, q, 3 * k).transpose(0, 2, 1)
        outer = (left @ gradients.reshape(e, q, 3 * k)).reshape(e, k, 3, k, 3)  # int d_a N_i d_b N_j
        blocks = lame * outer + G * outer.transpose(0, 1, 4, 3, 2)
        same = G * np.einsum("eiaja->eij", outer)
        for a in range(3):
            blocks[:, :, a, :, a] += same
        unknowns = (3 * cells[:, :, None] + np.arange(3)).reshape(e, 3 * k)
        mass = mass + _sum_blocks(coo_array, m, cells, n)
        K = K + _sum_blocks(coo_array, blocks.reshape(e, 3 * k, 3 * k), unknowns, 3 * n)
    return mass, K


def _sum_blocks(coo_array: Any, blocks: Array, places: Array, size: int) -> Sparse:
    """Return sparse sum of dense blocks (e, k, k) on the unknowns places (e, k)."""
    k = places.shape[1]
    rows, columns = np.repeat(places, k, axis=1).ravel(), np.tile(places, (1, k)).ravel()
    return coo_array((blocks.ravel(), (rows, columns)), shape=(size, size)).tocsr()
