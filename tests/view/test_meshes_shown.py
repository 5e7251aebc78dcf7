"""Meshes of a URDF and of finite-element links on the live page and in the report, in a real browser."""

import threading
import time

import meshed_urdf
import numpy as np
import pytest
from browser import arrived, changed, drawn, inked, seen, shot, still
from solid_meshes import MESHED, box, volume

import lissom
from lissom.view.drawing import link_solids
from lissom.view.drawing.arm_drawing import Drawing

pytest.importorskip("trimesh", reason="needs the package trimesh: pip install lissom[urdf]")
pytest.importorskip("collada", reason="needs the package pycollada: pip install lissom[urdf]")

CANVAS = "canvas[data-engine]"
BLUE, ORANGE, GREEN, GREY = 0, 1, 2, 3


def shares(pixels):
    """Which of the colours of three links and of a base are there, by their share of the picture."""
    red, green, blue = np.moveaxis(pixels, 2, 0)
    grey = (pixels.max(axis=2) - pixels.min(axis=2) < 30) & (pixels.max(axis=2) > 90) & (pixels.max(axis=2) < 205)
    of_links = [
        (blue > red + 50) & (blue > green + 25),
        (red > blue + 60) & (red > green + 40),
        (green > red + 40) & (green > blue + 15),
    ]
    return np.array([part.mean() for part in [*of_links, grey]])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The URDF and its overlay, and an arm with a link of finite elements."""
    made = tmp_path_factory.mktemp("meshed")
    meshed_urdf.write(made)
    box((0.4, 0.1, 0.1), (8, 2, 2), "hexahedron").write(made / "boom.vtk")
    (made / "elements.yaml").write_text(MESHED)
    return made


def bent(folder, name, q):
    """A run that stays in one configuration, with modes that are far from zero."""
    from lissom.results.trajectory import from_run
    from lissom.simulation.raw_run import RawRun

    model = lissom.load(folder / name).compile()
    t, zero = np.linspace(0, 1, 11), np.zeros((11, model.nv))
    every = np.zeros((11, model.nq))
    for coordinate, value in q.items():
        every[:, model.q_names.index(coordinate)] = value * np.linspace(0, 1, 11)
    return from_run(RawRun(model, t, every, zero, zero, zero, 0 * t, 0 * t))


@pytest.fixture(scope="module")
def runs(folder):
    return {
        "rigid": bent(folder, "meshed.urdf", {"turn": -0.6, "elbow": 0.8}),
        "flexible": bent(folder, "meshed.yaml", {"turn": -0.6, "elbow": 0.8, "forearm.z1": 0.06}),
        "elements": bent(folder, "elements.yaml", {"shoulder": -0.5, "boom.mode2": 0.02}),
    }


# what is drawn


def test_every_mesh_has_the_place_and_size_that_the_urdf_gives_it(runs):
    pieces = {piece.link: piece for piece in Drawing(runs["rigid"].model).pieces}
    assert list(pieces) == ["world", "upper", "forearm", "tool"]
    for name, solid in meshed_urdf.solids().items():
        mesh = pieces["world" if name == "base" else name].mesh
        scale = 1e-3 if name == "upper" else 1.0
        assert volume(mesh) == pytest.approx(solid.volume * scale**3, rel=1e-3), name
    assert pieces["forearm"].mesh.points[:, 2].min() == pytest.approx(0, abs=1e-6)  # shifted by 0.2 m


def test_the_mesh_of_a_link_that_bends_bends_with_it(runs):
    run = runs["flexible"]
    arm = Drawing(run.model)
    mesh = next(piece for piece in arm.pieces if piece.link == "forearm")
    motion = arm.motion(run.q)
    straight, curved = (arm.points(mesh, arm.frames(motion, k), motion.eta[k]) for k in (0, 10))
    frames = arm.frames(motion, 10)
    at = mesh.mesh.frame
    # Each ring of points stays around its section of the bent axis.
    ends = arm.frames_of["forearm"]
    for frame, radius in ((ends[0], 0.045), (ends[-1], 0.025)):
        ring = curved[at == frame]
        assert np.linalg.norm(ring - frames.origin[frame], axis=1).max() == pytest.approx(radius, rel=1e-3)
    assert len(np.unique(at)) == 25
    assert volume(mesh.mesh._replace(points=curved)) == pytest.approx(
        volume(mesh.mesh._replace(points=straight)), rel=0.02
    )


def test_cutting_a_mesh_keeps_its_surface():
    from lissom.view.drawing import triangle_meshes

    for mesh in (triangle_meshes.rod([0, 0, 0], [1, 0, 0], 0.1), triangle_meshes.ball(0.5).moved(shift=(0.4, 0, 0))):
        places = np.linspace(0, 1, 12)[1:-1]
        fine = link_solids.cut(mesh, places)
        assert volume(fine) == pytest.approx(volume(mesh), rel=1e-12)
        extent = np.ptp(fine.points[fine.triangles][..., 0], axis=1)
        assert extent.max() < 1 / 11 + 1e-6
        assert np.linalg.norm(fine.normals, axis=1) == pytest.approx(np.ones(len(fine.normals)))


def test_a_mirrored_mesh_still_faces_outward(folder):
    text = meshed_urdf.URDF.replace("0.001 0.001 0.001", "0.001 -0.001 0.001")
    (folder / "mirrored.urdf").write_text(text)
    pieces = {piece.link: piece.mesh for piece in Drawing(lissom.load(folder / "mirrored.urdf").compile()).pieces}
    assert volume(pieces["upper"]) > 0


def test_what_is_seen_of_a_robot_is_kept_in_its_file_and_in_its_runs(runs, tmp_path):
    robot = runs["flexible"].model.robot
    assert lissom.Robot.from_yaml(robot.to_yaml()) == robot
    runs["flexible"].save(tmp_path / "run.nc")
    again = lissom.Trajectory.load(tmp_path / "run.nc").model.robot
    assert again.visual == robot.visual
    assert len(robot.visual) == 1
    assert again.link("forearm").visual == robot.link("forearm").visual


def test_a_mesh_that_cannot_be_shown_is_told_of(folder):
    lost = meshed_urdf.URDF.replace("meshes/upper.obj", "meshes/<b>.obj".replace("<", "&lt;").replace(">", "&gt;"))
    (folder / "meshes" / "forearm.blend").write_text("")
    (folder / "meshes" / "empty.stl").write_text("")
    lost = lost.replace("forearm.dae", "forearm.blend").replace("meshes/tool.stl", "meshes/empty.stl")
    (folder / "lost.urdf").write_text(lost)
    run = bent(folder, "lost.urdf", {})
    arm = Drawing(run.model)
    assert [piece.role for piece in arm.pieces].count("link") >= 2  # rods instead
    told = "\n".join(arm.missing)
    for what in ("no such file", "forearm.blend is not shown: of meshes,", "empty.stl is not shown: it holds no mesh"):
        assert what in told
    from lissom.view.pages.run_report import report

    assert "meshes/&lt;b&gt;.obj is not shown" in report(run)


# in the browser


@pytest.mark.parametrize("name", ["rigid", "flexible", "elements"])
def test_the_report_shows_the_meshes_and_bends_them(page, runs, tmp_path, name):
    page.goto(runs[name].report(tmp_path / "report.html").as_uri())
    drawn(page)
    page.evaluate("Lissom.page.seek(1)")
    drawn(page)
    real = shot(page, f"report-mesh-{name}", "#scene")
    if name == "elements":
        assert shares(real)[BLUE] > 0.01
    else:
        assert np.all(shares(real) > 0.003)
    page.fill("#scale", "0.5")
    drawn(page)
    moved = changed(real, shot(page, f"report-mesh-{name}-3", "#scene"))
    assert moved == 0 if name == "rigid" else moved > 0.01


def shown(app, mark, page):
    """Wait until the loop has drawn the end of the run, and the browser too."""
    wait(lambda: app.activity._drawn == (1.0, app.scale.value))
    turns = app.frames
    wait(lambda: app.frames > turns + 1)
    arrived(page, mark)


def wait(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_live_page_shows_the_meshes_and_bends_them(page, runs):
    pytest.importorskip("viser", reason="needs the package viser: pip install lissom[view]")
    from lissom.view.live.app import App
    from lissom.view.live.server import open_server

    server, address = open_server(port=0, say=pytest.fail)
    mark = server.gui.add_html("")
    app = App(server, runs={name: runs[name] for name in ("flexible", "elements")})
    thread = threading.Thread(target=app.loop, daemon=True)
    thread.start()
    try:
        page.set_viewport_size({"width": 1200, "height": 700})
        page.goto(f"{address}?fixedDpr=1")
        page.wait_for_selector(CANVAS)
        page.get_by_text("Motion").first.wait_for()
        page.locator(".mantine-Notification-closeButton").click()
        for name in app.runs:
            if name != app.run_choice.value:
                before = app.activity
                app.run_choice.value = name
                wait(lambda before=before: app.activity not in (None, before))
            app.scale.value = 1.0
            app.activity.time = 1.0
            shown(app, mark, page)
            real = still(page, f"live-mesh-{name}", CANVAS)
            assert inked(real) > 0.004
            if name == "flexible":
                assert np.all(shares(real)[[BLUE, ORANGE, GREEN]] > 0.0015)
            app.scale.value = 3.0
            shown(app, mark, page)
            seen(page, f"live-mesh-{name}-3", CANVAS, lambda now, real=real: changed(real, now) > 0.004)
    finally:
        page.goto("about:blank")
        app.stop()
        thread.join(10)
