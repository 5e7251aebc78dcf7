"""Meshes, drawings and matrices from files; what is wrong with them is told in one clear message."""

import os
import sys
import types

import meshio
import numpy as np
import pytest
from scipy.io import mmwrite
from scipy.sparse import csr_array, save_npz
from solid_meshes import box

from lissom import LissomError, beam, fem
from lissom.fem.imported_matrices import read_matrix, read_nodes

STEEL = beam.Material(E=2.1e11, nu=0.3, rho=7800)
SIZE = (0.4, 0.1, 0.1)


def first_frequency(mesh, **options):
    interfaces = [fem.Interface("base", fem.select(fem.solid(mesh, STEEL), {"x": 0.0}))]
    return fem.reduce(fem.solid(mesh, STEEL), interfaces, 1, **options).natural_modes().frequencies[0]


@pytest.mark.parametrize("kind", ["tetra", "tetra10", "hexahedron", "hexahedron20"])
@pytest.mark.parametrize("ending", ["msh", "inp", "vtk", "vtu", "bdf"])
def test_meshes_of_other_programs_are_read(kind, ending, tmp_path):
    mesh = box(SIZE, (3, 1, 1), kind)
    path = tmp_path / f"boom.{ending}"
    mesh.write(path)
    again = fem.read_mesh(path)
    assert again.kind == kind
    assert np.allclose(again.nodes, mesh.nodes, atol=1e-6)
    assert first_frequency(again) == pytest.approx(first_frequency(mesh), rel=1e-6)


def test_node_sets_of_abaqus_become_groups(tmp_path):
    mesh = box(SIZE, (3, 1, 1), "hexahedron")
    mesh.write(tmp_path / "boom.inp")
    groups = fem.read_mesh(tmp_path / "boom.inp").groups
    assert sorted(groups["tip"]) == sorted(mesh.groups["tip"])


@pytest.mark.parametrize("kind", ["tetra", "tetra10", "hexahedron", "hexahedron20"])
def test_groups_survive_a_gmsh_file(kind, tmp_path):
    mesh = box(SIZE, (3, 2, 2), kind)
    mesh.write(tmp_path / "boom.msh")
    groups = fem.read_mesh(tmp_path / "boom.msh").groups
    for name in ("base", "tip"):
        assert np.array_equal(np.sort(groups[name]), np.sort(mesh.groups[name]))


def test_physical_groups_of_gmsh_become_groups(tmp_path):
    mesh = box(SIZE, (3, 1, 1), "hexahedron")
    face = next(cell for cell in mesh.cells if np.sum(mesh.nodes[cell, 0] == 0) == 4)
    quad = [[node for node in face if mesh.nodes[node, 0] == 0]]
    tags = [np.array([7] * len(mesh.cells)), np.array([3])]
    data = meshio.Mesh(
        mesh.nodes,
        [("hexahedron", mesh.cells), ("quad", quad)],
        cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
        field_data={"flange": np.array([3, 2]), "solid": np.array([7, 3])},
    )
    data.write(tmp_path / "boom.msh", file_format="gmsh22", binary=False)
    groups = fem.read_mesh(tmp_path / "boom.msh").groups
    assert np.all(fem.read_mesh(tmp_path / "boom.msh").nodes[groups["flange"], 0] == 0)
    assert len(groups["solid"]) == len(mesh.nodes)


def test_raised_order_puts_nodes_on_the_groups_too():
    mesh = box(SIZE, (3, 2, 2), "hexahedron").with_order(2)
    assert np.array_equal(np.sort(mesh.groups["tip"]), np.flatnonzero(mesh.nodes[:, 0] == SIZE[0]))
    assert mesh.with_order(1).kind == "hexahedron"
    assert len(mesh.with_order(1).nodes) == 4 * 3 * 3


# what is wrong with a mesh


def test_missing_file_is_named(tmp_path):
    with pytest.raises(LissomError, match="no such mesh file"):
        fem.read_mesh(tmp_path / "bom.msh")


READERS = {"mesh.msh": fem.read_mesh, "part.step": fem.mesh_step, "link.npz": fem.ReducedLink.load}
READERS |= {"K.mtx": read_matrix, "K.npz": read_matrix, "nodes.csv": read_nodes}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("name", READERS)
def test_a_pipe_or_a_folder_in_place_of_a_file_is_refused(name, tmp_path):
    os.mkfifo(tmp_path / name)  # nobody writes into it: reading would wait for ever
    with pytest.raises(LissomError, match=rf"{name}: is a pipe or a device; give a"):
        READERS[name](tmp_path / name)
    (tmp_path / "folder").mkdir()
    with pytest.raises(LissomError, match=r"folder: is a folder; give a .*file.* inside it"):
        READERS[name](tmp_path / "folder")


@pytest.mark.parametrize("ending", ["msh", "inp", "vtk", "bdf", "txt", "vtu"])
def test_unreadable_mesh_is_refused(ending, tmp_path):
    path = tmp_path / f"boom.{ending}"
    path.write_text("this is\nno mesh, 12, at all\n")
    with pytest.raises(LissomError, match=r"boom\.\w+: (cannot be read as a mesh|has no solid elements)"):
        fem.read_mesh(path)


def test_surface_mesh_is_refused(tmp_path):
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    meshio.Mesh(points, [("triangle", [[0, 1, 2], [0, 1, 3]])]).write(tmp_path / "skin.vtk")
    with pytest.raises(LissomError, match=r"no solid elements \(it has triangle\); mesh the volume"):
        fem.read_mesh(tmp_path / "skin.vtk")


def test_mixed_elements_are_refused(tmp_path):
    mesh = box(SIZE, (2, 1, 1), "hexahedron")
    cells = [("hexahedron", mesh.cells[:1]), ("tetra", mesh.cells[1:, [0, 1, 3, 4]])]
    meshio.Mesh(mesh.nodes, cells).write(tmp_path / "mixed.vtk")
    with pytest.raises(LissomError, match="mixes hexahedron and tetra"):
        fem.read_mesh(tmp_path / "mixed.vtk")


def test_disconnected_parts_are_refused():
    one = box(SIZE, (2, 1, 1), "hexahedron")
    nodes = np.vstack([one.nodes, one.nodes + np.array([0.5, 0, 0])])
    two = fem.SolidMesh(nodes, np.vstack([one.cells, one.cells + len(one.nodes)]), "hexahedron", name="pair")
    with pytest.raises(LissomError, match=r"pair: consists of 2 disconnected parts \(12, 12 nodes\)"):
        fem.solid(two, STEEL)


def test_inverted_element_is_refused():
    mesh = box(SIZE, (3, 1, 1), "tetra")
    cells = mesh.cells.copy()
    cells[4, :2] = cells[4, 1::-1]
    with pytest.raises(LissomError, match="1 of 18 elements are inverted or flat, the first at"):
        fem.solid(fem.SolidMesh(mesh.nodes, cells, "tetra"), STEEL)
    with pytest.raises(LissomError, match="all elements are inverted; the mesh is mirrored"):
        fem.solid(fem.SolidMesh(mesh.nodes * [1, -1, 1], mesh.cells, "tetra"), STEEL)


def test_missing_interface_is_refused():
    structure = fem.solid(box(SIZE, (3, 1, 1), "hexahedron"), STEEL)
    with pytest.raises(LissomError, match="no group 'flange'; its groups are base, tip"):
        fem.reduce(structure, [fem.Interface("root", "flange")])
    with pytest.raises(LissomError, match=r"x = 0.5: holds no node; the structure spans x 0 to 0.4"):
        fem.select(structure, {"x": 0.5})
    with pytest.raises(LissomError, match="lie on one line"):
        fem.reduce(structure, [fem.Interface("edge", fem.select(structure, box=((0, -0.05, -0.05), (0, -0.05, 0.05))))])


def test_millimetres_are_noticed(tmp_path):
    mesh = box((400.0, 100.0, 100.0), (3, 1, 1), "hexahedron")
    mesh.write(tmp_path / "boom.vtk")
    with pytest.raises(LissomError, match=r"400 m long, which looks like millimetres \(0.4 m would fit\); write scale"):
        fem.read_mesh(tmp_path / "boom.vtk")
    assert np.ptp(fem.read_mesh(tmp_path / "boom.vtk", scale=0.001).nodes, axis=0).max() == pytest.approx(0.4)
    assert np.ptp(fem.read_mesh(tmp_path / "boom.vtk", scale=1).nodes, axis=0).max() == pytest.approx(400)


@pytest.mark.parametrize("units", [{"E": 2.1e5, "rho": 7800}, {"E": 2.1e11, "rho": 7.8e-9}])
def test_inconsistent_units_of_the_material_are_noticed(units):
    with pytest.raises(LissomError, match=r"sound would travel at .* give E in Pa"):
        fem.solid(box(SIZE, (3, 1, 1), "hexahedron"), beam.Material(nu=0.3, **units))


# matrices


@pytest.fixture
def exported(tmp_path):
    """Mass and stiffness of a bar as another program would write them."""
    structure = fem.solid(box((0.4, 0.1, 0.08), (4, 1, 1), "hexahedron20"), STEEL)
    mmwrite(tmp_path / "K.mtx", structure.stiffness, symmetry="symmetric")
    save_npz(tmp_path / "M.npz", structure.mass)
    numbers = 101 + np.arange(len(structure.nodes))
    table = "\n".join(f"{n}, {x!r}, {y!r}, {z!r}" for n, (x, y, z) in zip(numbers, structure.nodes.tolist()))
    (tmp_path / "nodes.csv").write_text("number, x, y, z\n" + table)
    return tmp_path, structure


def test_link_from_matrices_equals_the_link_they_came_from(exported):
    folder, structure = exported
    ends = [fem.Interface(name, name) for name in ("base", "tip")]
    direct = fem.reduce(structure, ends, 4)
    given = fem.from_matrices(folder / "M.npz", folder / "K.mtx", folder / "nodes.csv")
    held = [fem.Interface(name, fem.numbered(given, 101 + structure.groups[name], name)) for name in ("base", "tip")]
    link = fem.reduce(given, held, 4)
    assert np.allclose(link.natural_modes().frequencies, direct.natural_modes().frequencies, rtol=1e-6)
    signs = np.sign(np.einsum("naj,naj->j", link.shapes, direct.shapes))
    ours, theirs = link.invariants(), direct.invariants()
    for name in ("mass", "mc0", "G0"):
        assert np.allclose(getattr(ours, name), getattr(theirs, name), atol=1e-9)
    lowest = slice(0, 6)
    assert np.allclose((ours.C1 * signs)[:, lowest], theirs.C1[:, lowest], atol=1e-4)
    assert np.allclose((ours.S0 * signs)[:, :, lowest], theirs.S0[:, :, lowest], atol=1e-4)


def test_frame_matrices_keep_momentum_and_energy():
    """With rotations at the nodes: what the mass matrix tells is kept to rounding."""
    section = beam.Section.rectangle(STEEL, 0.02, 0.03)
    frame = fem.chain(np.array([[0, 0, 0], [0.5, 0, 0], [0.5, 0.4, 0]]), section, elements=6)
    given = fem.from_matrices(frame.mass, frame.stiffness, frame.nodes)
    ends = [fem.Interface("base", [0]), fem.Interface("tip", frame.groups["tip"])]
    ours, theirs = (fem.reduce(s, ends, 2).invariants() for s in (given, frame))
    for name in ("mass", "mc0", "G0", "C1", "mass_matrix"):
        assert np.allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-8)


def test_asymmetric_stiffness_is_refused(exported):
    folder, structure = exported
    K = structure.stiffness.tolil()
    K[3, 7] += 1e9
    with pytest.raises(LissomError, match=r"stiffness matrix: is not symmetric: entries \(\d, \d\) and"):
        fem.from_matrices(folder / "M.npz", csr_array(K), folder / "nodes.csv")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"stiffness": np.eye(7)}, "7 rows for"),
        ({"mass": np.eye(6)}, "mass matrix: is 6 x 6"),
        ({"supported": True}, "as a rigid body costs strain energy"),
        ({"scale": 1000}, "looks like millimetres"),
        ({"mass": "M.mtx"}, r"M\.mtx: no such file"),
    ],
)
def test_matrices_that_make_no_sense_are_refused(exported, change, words):
    _, structure = exported
    M, K, nodes = structure.mass, structure.stiffness, structure.nodes
    if "supported" in change:
        K = (K + csr_array(np.diag(np.r_[np.full(30, 1e12), np.zeros(len(nodes) * 3 - 30)]))).tocsr()
    with pytest.raises(LissomError, match=words):
        fem.from_matrices(change.get("mass", M), change.get("stiffness", K), nodes * change.get("scale", 1))


def test_nastran_matrices_come_through_pynastran(exported, monkeypatch):
    """The calls made to pyNastran, played by a stand-in: it cannot be installed beside numpy 2."""
    _, structure = exported

    class Grid:
        def __init__(self, at):
            self.get_position = lambda: at

    grids = {10 + k: Grid(at) for k, at in enumerate(structure.nodes)}
    stored = {"KGG": (6, np.triu(structure.stiffness.toarray())), "MGG": (6, structure.mass.toarray())}
    bdf, op4 = types.ModuleType("pyNastran.bdf.bdf"), types.ModuleType("pyNastran.op4.op4")
    bdf.read_bdf = lambda path, xref, debug: types.SimpleNamespace(nodes=grids)
    op4.read_op4 = lambda path, names, debug: {name: stored[name] for name in names if name in stored}
    for name, module in (("pyNastran.bdf.bdf", bdf), ("pyNastran.op4.op4", op4)):
        for parent in (name.rsplit(".", 1)[0], "pyNastran"):
            monkeypatch.setitem(sys.modules, parent, types.ModuleType(parent))
        monkeypatch.setitem(sys.modules, name, module)
    given = fem.from_nastran("boom.bdf", "boom.op4")
    assert np.allclose(given.stiffness.toarray(), structure.stiffness.toarray(), atol=1.0)
    assert given.numbers[0] == 10
    with pytest.raises(LissomError, match="has no matrix MXX; it has KGG"):
        fem.from_nastran("boom.bdf", "boom.op4", mass="MXX")


def test_missing_pynastran_is_named():
    with pytest.raises(LissomError, match="pip install pyNastran"):
        fem.from_nastran("boom.bdf", "boom.op4")
