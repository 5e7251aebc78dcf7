"""Meshes made with gmsh: of a drawing (STEP), or of a shape drawn by a function."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from lissom.errors import LissomError
from lissom.fem.fe_structure import check_size
from lissom.fem.solid_mesh import MERGED, SolidMesh, _compact
from lissom.files import check_file
from lissom.operating_system import broken_pipes_as_before

Draw = Callable[[Any], Mapping[str, Callable[[np.ndarray], bool]]]


def mesh_step(path: Any, size: float | None = None, order: int = 2, scale: float | None = None) -> SolidMesh:
    """Return tetrahedra of the solid in a STEP file.

    Parameters
    ----------
    size : float, optional
        Length of an element's edge, m; a twentieth of the largest extent unless given.
    scale : float, optional
        Unit of length of what gmsh reads, in m; 0.001 unless given, as gmsh turns STEP files into millimetres.
    """
    check_file(path, "STEP file")

    def draw(occ: Any) -> Mapping[str, Callable[[np.ndarray], bool]]:
        try:
            occ.importShapes(str(path))
        except Exception:
            text = "gmsh cannot read it as a drawing; export the solid as STEP (.step)"
            raise LissomError(text, source=str(path)) from None
        return {}

    unit = 0.001 if scale is None else scale
    return _mesh(draw, None if size is None else size / unit, order, unit, str(path), trusted=scale is not None)


def mesh_shape(draw: Draw, size: float, order: int = 2, name: str = "shape") -> SolidMesh:
    """Return tetrahedra of a shape that `draw` makes with gmsh's OpenCASCADE kernel, in metres.

    Parameters
    ----------
    draw : Draw
        Is given `gmsh.model.occ`, draws one solid with its calls, and returns named groups: for each a test of
        a node's position (3,), e.g. {"base": lambda p: abs(p[0]) < 1e-9}.
    size : float
        Length of an element's edge, m.
    """
    return _mesh(draw, size, order, 1.0, name, trusted=False)


def bracket_and_tube(
    length: float = 0.8,
    outer: float = 0.06,
    inner: float = 0.05,
    plate: float = 0.012,
    width: float = 0.12,
    size: float = 0.02,
    around: int = 12,
    order: int = 2,
) -> SolidMesh:
    """Return a tube along x on a square foot plate, with a fork of two lugs at its far end; groups "base" and "tip".

    Parameters
    ----------
    length : float
        From the foot (x = 0, group "base") to the axis of the fork's bores (along y, group "tip"), m.
    size : float
        Largest edge of an element; around: how many elements go around a circle.
    outer, inner : float
        Diameters of the tube; plate: thickness of foot, end plate and lugs; width: of the foot.
    """
    lug, bore = 0.6 * outer, 0.15 * outer  # reach of the lugs, radius of the bores
    end = length - lug  # of the tube

    def draw(occ: Any) -> Mapping[str, Callable[[np.ndarray], bool]]:
        foot = occ.addBox(0, -width / 2, -width / 2, plate, width, width)
        tube = occ.addCylinder(plate / 2, 0, 0, end - plate / 2, 0, 0, outer / 2)
        hollow = occ.addCylinder(plate, 0, 0, end - plate, 0, 0, inner / 2)
        tube_only, _ = occ.cut([(3, tube)], [(3, hollow)])
        cap = occ.addCylinder(end - plate / 2, 0, 0, plate, 0, 0, 0.62 * outer)
        parts = [*tube_only, (3, cap)]
        for side in (-1, 1):
            y = side * 0.3 * outer - plate / 2
            arm = occ.addBox(end, y, -0.35 * outer, lug, plate, 0.7 * outer)
            eye = occ.addCylinder(length, y, 0, 0, plate, 0, 0.35 * outer)
            parts += [(3, arm), (3, eye)]
        whole, _ = occ.fuse([(3, foot)], parts)
        pin = occ.addCylinder(length, -outer, 0, 0, 2 * outer, 0, bore)
        occ.cut(whole, [(3, pin)])
        return {
            "base": lambda p: bool(abs(p[0]) < 1e-9),
            "tip": lambda p: bool(abs(np.hypot(p[0] - length, p[2]) - bore) < 1e-6 + 0.002 * bore),
        }

    return _mesh(draw, size, order, 1.0, "bracket and tube", trusted=False, curved=around)


def _mesh(
    draw: Draw, size: float | None, order: int, unit: float, name: str, trusted: bool, curved: int = 0
) -> SolidMesh:
    with _session() as gmsh:
        groups = draw(gmsh.model.occ)
        gmsh.model.occ.synchronize()
        if len(gmsh.model.getEntities(3)) != 1:
            count = len(gmsh.model.getEntities(3))
            raise LissomError(f"holds {count} solids; a link is one solid, fuse them in the drawing", source=name)
        box = np.array(gmsh.model.getBoundingBox(-1, -1)).reshape(2, 3)
        largest = float(np.ptp(box, axis=0).max())
        gmsh.option.setNumber("Mesh.MeshSizeMax", size or largest / 20)
        gmsh.option.setNumber("Mesh.MeshSizeFromCurvature", curved)
        gmsh.option.setNumber("Mesh.ElementOrder", order)
        gmsh.option.setNumber("Mesh.HighOrderOptimize", 1 if order == 2 else 0)
        try:
            gmsh.model.mesh.generate(3)
        except Exception as error:
            raise LissomError(f"gmsh cannot mesh it ({error}); give another size, or repair it", source=name) from None
        numbers, points, _ = gmsh.model.mesh.getNodes()
        kind, corners = ("tetra", 4) if order == 1 else ("tetra10", 10)
        _, nodes = gmsh.model.mesh.getElementsByType(4 if order == 1 else 11)
    place = np.zeros(int(numbers.max()) + 1, int)
    place[numbers.astype(int)] = np.arange(len(numbers))
    cells = place[nodes.astype(int)].reshape(-1, corners)
    if order == 2:
        cells = cells[:, [0, 1, 2, 3, 4, 5, 6, 7, 9, 8]]  # gmsh's order to VTK's
    at = unit * points.reshape(-1, 3)
    if not trusted:
        check_size(at, name, MERGED)
    chosen = {group: np.array([k for k, p in enumerate(at) if test(p)], int) for group, test in groups.items()}
    return _compact(at, cells, kind, chosen, name)


@contextlib.contextmanager
def _session() -> Iterator[Any]:
    """Return gmsh, started and silent."""
    try:
        import gmsh
    except ImportError:
        raise LissomError("meshing needs gmsh, which is not installed; pip install 'lissom[fem]'") from None
    except OSError as error:
        raise LissomError(
            f"gmsh is installed but cannot be loaded ({error}); install the system library it names "
            "(on Debian: apt install libglu1-mesa libxft2 libxinerama1 libxcursor1)"
        ) from None
    started = not gmsh.isInitialized()
    if started:
        with broken_pipes_as_before():
            gmsh.initialize(interruptible=False)
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.model.add("lissom")
    try:
        yield gmsh
    finally:
        gmsh.model.remove()
        if started:
            gmsh.finalize()
