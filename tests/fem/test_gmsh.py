"""Meshes made with gmsh, of drawings and of shapes."""

import builtins
import os
import signal
from threading import Thread

import numpy as np
import pytest

from lissom import LissomError, beam, fem

try:
    import gmsh
except (ImportError, OSError) as error:
    gmsh = None
    REASON = f"gmsh cannot be loaded: {error}"
else:
    REASON = ""

needs_gmsh = pytest.mark.skipif(gmsh is None, reason=REASON)
ALUMINIUM = beam.Material(E=7e10, nu=0.33, rho=2700)


def drawing(path, *boxes):
    """A STEP file with boxes, in millimetres."""
    gmsh.initialize(interruptible=False)
    gmsh.option.setNumber("General.Terminal", 0)
    for box in boxes:
        gmsh.model.occ.addBox(*box)
    gmsh.model.occ.synchronize()
    gmsh.write(str(path))
    gmsh.finalize()
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # as Python starts; gmsh has changed it


@needs_gmsh
def test_step_file_becomes_a_mesh_in_metres(tmp_path):
    drawing(tmp_path / "bar.step", (0, -20, -15, 300, 40, 30))
    mesh = fem.mesh_step(tmp_path / "bar.step", size=0.02)
    assert mesh.kind == "tetra10"
    assert np.allclose(np.ptp(mesh.nodes, axis=0), [0.3, 0.04, 0.03])
    structure = fem.solid(mesh, ALUMINIUM)
    assert structure.total_mass() == pytest.approx(2700 * 0.3 * 0.04 * 0.03, rel=1e-9)
    link = fem.reduce(structure, [fem.Interface("base", fem.select(structure, {"x": 0.0}))], 2)
    thin = beam.Section.rectangle(ALUMINIUM, 0.04, 0.03)
    expected = 1.8751**2 / (2 * np.pi) * np.sqrt(thin.EIy / thin.rhoA) / 0.3**2
    assert link.natural_modes().frequencies[0] == pytest.approx(expected, rel=0.01)


@needs_gmsh
@pytest.mark.parametrize("main", [True, False])
def test_a_broken_pipe_is_an_error_after_meshing_too(main, tmp_path):
    """And not the silent end of the process, which gmsh makes of it; a thread may mesh too, that of a page for one."""
    drawing(tmp_path / "bar.step", (0, -20, -15, 300, 40, 30))
    mesh = Thread(target=fem.mesh_step, args=(tmp_path / "bar.step",), kwargs={"size": 0.1, "order": 1})
    if main:
        mesh.run()
    else:
        mesh.start()
        mesh.join()
    reader, writer = os.pipe()
    os.close(reader)
    with pytest.raises(BrokenPipeError):
        os.write(writer, b"to nobody")
    os.close(writer)


@needs_gmsh
def test_step_file_in_a_robot_file(tmp_path):
    import lissom

    drawing(tmp_path / "bar.step", (0, -20, -15, 300, 40, 30))
    (tmp_path / "arm.yaml").write_text(
        """
lissom: 1
name: drawn
materials: {aluminium: {E: 7.0e10, nu: 0.33, rho: 2700}}
links:
  - name: bar
    joint: {name: hinge, type: revolute, axis: [0, 1, 0]}
    finite_elements:
      {step: bar.step, size: 0.03, material: aluminium, interfaces: {base: {x: 0}, tip: {x: 0.3}}, modes: 4}
"""
    )
    model = lissom.load(tmp_path / "arm.yaml").compile()
    turning = lissom.mass_matrix(model, model.neutral())[0, 0]
    assert turning == pytest.approx(2700 * 0.3 * 0.04 * 0.03 * (0.3**2 / 3 + 0.03**2 / 12), rel=1e-9)


@needs_gmsh
def test_two_solids_are_refused(tmp_path):
    drawing(tmp_path / "pair.step", (0, 0, 0, 10, 10, 10), (20, 0, 0, 10, 10, 10))
    with pytest.raises(LissomError, match="holds 2 solids; a link is one solid"):
        fem.mesh_step(tmp_path / "pair.step")


@needs_gmsh
def test_what_is_no_drawing_is_refused(tmp_path):
    (tmp_path / "bar.step").write_text("no drawing\n")
    with pytest.raises(LissomError, match="gmsh cannot read it as a drawing"):
        fem.mesh_step(tmp_path / "bar.step")
    with pytest.raises(LissomError, match="no such STEP file"):
        fem.mesh_step(tmp_path / "barr.step")


@needs_gmsh
def test_own_shape_is_meshed_with_its_groups():
    def draw(occ):
        rod = occ.addCylinder(0, 0, 0, 0.2, 0, 0, 0.02)
        hole = occ.addCylinder(0.1, 0, -0.1, 0, 0, 0.2, 0.005)
        occ.cut([(3, rod)], [(3, hole)])
        return {"base": lambda p: p[0] < 1e-9, "tip": lambda p: p[0] > 0.2 - 1e-9}

    mesh = fem.mesh_shape(draw, size=0.02, order=2)
    assert np.all(mesh.nodes[mesh.groups["base"], 0] == 0)
    link = fem.reduce(fem.solid(mesh, ALUMINIUM), [fem.Interface(name, name) for name in ("base", "tip")], 2)
    assert link.length == pytest.approx(0.2)


@needs_gmsh
def test_bracket_and_tube_has_a_foot_and_a_fork():
    mesh = fem.bracket_and_tube(length=0.5, size=0.05, around=8)
    assert np.all(mesh.nodes[mesh.groups["base"], 0] == 0)
    centre = mesh.nodes[mesh.groups["tip"]].mean(axis=0)
    assert np.allclose(centre, [0.5, 0, 0], atol=2e-3)
    fem.solid(mesh, ALUMINIUM)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ImportError("No module named 'gmsh'"), r"not installed; pip install 'lissom\[fem\]'"),
        (OSError("libGLU.so.1: cannot open shared object file"), r"cannot be loaded \(libGLU.so.1.*apt install"),
    ],
)
def test_gmsh_that_cannot_be_loaded_is_explained(error, words, monkeypatch):
    real = builtins.__import__

    def without_gmsh(name, *arguments, **options):
        if name == "gmsh":
            raise error
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without_gmsh)
    with pytest.raises(LissomError, match=words):
        fem.bracket_and_tube()
