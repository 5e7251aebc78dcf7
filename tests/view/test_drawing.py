"""What an arm looks like: solids that sit where the kinematics has the links, bent as they are bent."""

import numpy as np
import pytest
from sample_runs import ella_run, satellite_run, small_ella
from solid_meshes import MESHED, box, volume

import lissom
from lissom.errors import LissomError
from lissom.view.drawing import link_solids, triangle_meshes
from lissom.view.drawing.arm_drawing import Drawing
from lissom.view.drawing.viewpoint import HOME, followed_link, home
from lissom.view.films.film import film, still
from lissom.view.pages import run_report


def test_solids_have_their_volume_and_face_outward():
    assert volume(triangle_meshes.box([2, 3, 4])) == pytest.approx(24)
    assert volume(triangle_meshes.ball(1.0, 60, 90)) == pytest.approx(4 / 3 * np.pi, rel=5e-3)
    assert volume(triangle_meshes.rod([0, 0, 0], [0, 2, 0], 0.5, corners=90)) == pytest.approx(np.pi / 2, rel=2e-3)
    for mesh in (
        triangle_meshes.box([1, 1, 1]),
        triangle_meshes.ball(1.0),
        triangle_meshes.rod([1, 0, 0], [1, 1, 1], 0.2),
    ):
        assert np.linalg.norm(mesh.normals, axis=1) == pytest.approx(np.ones(len(mesh.normals)))
        a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
        face = np.cross(b - a, c - a)
        assert np.all(np.einsum("ni,ni->n", face, mesh.normals[mesh.triangles[:, 0]]) > -1e-12)


@pytest.mark.parametrize("make", [ella_run, satellite_run])
def test_frames_are_where_the_kinematics_has_them(make):
    run = make()
    arm = Drawing(run.model)
    at = np.array([0, len(run.time) // 2, len(run.time) - 1])
    motion = arm.motion(run.q[at])
    for k, sample in enumerate(at):
        frames = arm.frames(motion, k)
        for n, link in enumerate(arm.links):
            assert frames.origin[n] == pytest.approx(run.dataset["link_position"].values[sample, n], abs=1e-12)
            if link in run.model.flexible:
                tip = run.dataset["tip_position"].values[sample, n]
                assert frames.origin[arm.frame_at(link)] == pytest.approx(tip, abs=1e-12)
    assert arm.tips(motion) == pytest.approx(run.tip().values[at], abs=1e-12)


def test_the_scale_enlarges_the_deflection_and_nothing_else():
    run = ella_run()
    arm = Drawing(run.model)
    motion = arm.motion(run.state(0.3)[0])
    straight, real, twice = (arm.frames(motion, 0, scale) for scale in (0.0, 1.0, 2.0))
    end = arm.frame_at("upper")
    bent = np.linalg.norm(run.deflection("upper").interp(time=0.3).values)
    assert np.linalg.norm(real.origin[end] - straight.origin[end]) == pytest.approx(bent, rel=1e-3)
    assert twice.origin[end] - straight.origin[end] == pytest.approx(2 * (real.origin[end] - straight.origin[end]))
    rigid = run.state(0.3)[0].copy()
    for body in run.model.bodies:
        rigid[body.modes_q] = 0
    assert straight.origin[arm.tip] == pytest.approx(lissom.tip_pose(run.model, rigid)[:3, 3])


def test_a_tube_is_swept_along_the_bent_axis_with_its_own_section():
    data = small_ella().to_dict()
    data["links"][1]["beam"]["section"] = {"shape": "rectangle", "width": 0.02, "height": 0.04}
    data["links"][1]["beam"]["shear"] = "none"
    model = lissom.Robot.from_dict(data).compile()
    arm = Drawing(model)
    tube = next(piece for piece in arm.pieces if piece.link == "upper" and piece.role == "link")
    q = model.neutral()
    q[model.link("upper").modes_q] = 0.01
    motion = arm.motion(q)
    frames = arm.frames(motion)
    points = arm.points(tube, frames, motion.eta[0])
    axis = frames.origin[tube.mesh.frame]
    assert np.linalg.norm(points - axis, axis=1) == pytest.approx(np.hypot(0.01, 0.02) * np.ones(len(points)))


def test_a_link_of_finite_elements_bends_its_own_mesh(tmp_path):
    box((0.4, 0.1, 0.1), (4, 2, 2), "hexahedron").write(tmp_path / "boom.vtk")
    (tmp_path / "arm.yaml").write_text(MESHED)
    model = lissom.load(tmp_path / "arm.yaml").compile()
    arm = Drawing(model)
    boom = next(piece for piece in arm.pieces if piece.link == "boom" and piece.role == "link")
    q = model.neutral()
    q[model.link("boom").modes_q] = 1e-3 * np.arange(1, model.flexible["boom"].count + 1)
    motion = arm.motion(q)
    drawn = arm.points(boom, arm.frames(motion), motion.eta[0])
    reduced = model.flexible["boom"]
    exact = reduced.deformed(q[model.link("boom").modes_q])
    nodes = [reduced.nearest_node(point) for point in boom.mesh.points]
    assert drawn == pytest.approx(exact[nodes], abs=1e-12)
    assert np.abs(drawn - boom.mesh.points).max() > 1e-4
    assert np.abs(boom.mesh.normals).max(axis=1) == pytest.approx(np.ones(len(nodes)))  # the edges of a box are hard
    # What it carries stands on the moved interface.
    tool = arm.frames(motion).origin[arm.links.index("tool")]
    assert tool == pytest.approx(lissom.point_pose(model, q, "tool", offset=(0, 0, 0))[:3, 3], abs=1e-12)


def test_fine_meshes_are_thinned_and_keep_their_extent():
    ball = triangle_meshes.ball(1.0, 120, 160)
    kept, triangles = link_solids.decimate(ball.points, ball.triangles, 3000)
    assert len(triangles) <= 3000
    assert triangles.max() < len(kept)
    assert np.ptp(ball.points[kept], axis=0) == pytest.approx([2, 2, 2], abs=0.08)


def test_visuals_of_a_robot_file_are_drawn_and_bad_meshes_left_out(tmp_path):
    (tmp_path / "passwd.stl").write_text("root:x:0:0")
    robot = lissom.Robot.from_dict(
        {
            "name": "crane",
            "links": [
                {
                    "name": "mast",
                    "joint": {"type": "revolute", "axis": [0, 0, 1]},
                    "body": {"mass": 1.0, "inertia": [1, 1, 1]},
                    "visual": [
                        {"shape": "box", "size": [0.2, 0.4, 0.6], "origin": {"xyz": [1, 0, 0]}},
                        {"shape": "mesh", "file": str(tmp_path / "passwd.stl")},
                    ],
                }
            ],
        }
    )
    pieces = Drawing(robot.compile()).pieces
    assert len(pieces) == 1
    assert np.ptp(pieces[0].mesh.points, axis=0) == pytest.approx([0.2, 0.4, 0.6])
    assert pieces[0].mesh.points.mean(axis=0) == pytest.approx([1, 0, 0])


@pytest.mark.parametrize("name", ["canadarm2", "rigid-7-axis", "l-mechanism", "spinup-beam", "dual-screw-arm"])
def test_every_built_in_robot_has_a_drawing(name):
    model = lissom.load(name).compile()
    arm = Drawing(model)
    assert {piece.link for piece in arm.pieces} >= set(model.flexible)
    motion = arm.motion(model.neutral())
    assert np.all(np.isfinite(arm.frames(motion).origin))


@pytest.mark.parametrize(("side", "y"), [("left", 1), ("right", -1)])
def test_the_viewer_stands_before_the_arm_that_moves(side, y):
    """The arms of the satellite lie on both sides of its bus, along y."""
    model = lissom.load("satellite-two-arm").compile()
    q = np.repeat([model.neutral()], 9, axis=0)
    q[:, model.joint(f"{side}-elbow").joint_q] = np.linspace(0, 1.0, 9)[:, None]
    arm = Drawing(model)
    turn, lift = home(arm, arm.motion(q))
    assert np.sin(turn) * y > 0.8
    assert lift == HOME[1]
    assert home(arm, arm.motion(model.neutral())) == HOME


def adrift(speed, duration=6.0):
    """A run of the satellite that flies away at a speed, m/s, while it turns."""
    start = {"base.rate": [0, 0, 0.1, speed, 0, 0]}
    return lissom.simulate(lissom.load("satellite-two-arm"), duration, start=start, rate=20, progress=False)


def test_the_picture_travels_with_an_arm_that_goes_far_and_with_no_other():
    for speed, with_base in ((0.2, False), (8.0, True)):
        run = adrift(speed)
        arm = Drawing(run.model)
        motion = arm.motion(run.q)
        arm.follow = followed_link(arm, motion)
        assert arm.follow == (arm.links.index("bus") if with_base else None)
        ways = [np.linalg.norm(arm.frames(motion, k).origin[0] - arm.frames(motion).origin[0]) for k in (0, -1)]
        assert ways[1] == pytest.approx(0.0 if with_base else 6 * speed, abs=0.05)
    for k in (0, 60, 120):  # large in every picture of a film
        assert np.mean(np.any(still(run, float(run.time[k])) < 150, axis=2)) > 0.05
    assert "the view follows bus" in run_report.report(run)
    assert "the picture travels" not in run_report.report(satellite_run())


# pictures and films


def test_a_picture_shows_the_arm_on_white():
    pixels = still(ella_run(), 0.3, size=(200, 120))
    assert pixels.shape == (120, 200, 3)
    assert pixels[0, 0].min() > 245
    assert 0.004 < (pixels.min(axis=2) < 120).mean() < 0.1


def test_a_film_as_gif(tmp_path):
    from PIL import Image

    seen = []
    path = ella_run().animate(tmp_path / "lift.gif", fps=8, size=(160, 90), progress=lambda *at: seen.append(at))
    with Image.open(path) as image:
        assert image.n_frames == 9
        assert image.size == (160, 90)
    assert seen[-1] == (9, 9)


def test_a_film_as_mp4(tmp_path):
    import shutil

    if shutil.which("ffmpeg") is None:
        pytest.skip("needs ffmpeg")
    path = ella_run().animate(tmp_path / "lift.mp4", fps=8, speed=2.0, scale=5.0, size=(160, 90))
    assert path.read_bytes()[4:8] == b"ftyp"
    assert path.stat().st_size > 1000


def test_films_that_cannot_be_made_are_one_message(tmp_path, monkeypatch):
    with pytest.raises(LissomError, match=r"ends in .mp4 or .gif"):
        film(ella_run(), tmp_path / "lift.avi")
    with pytest.raises(LissomError, match="fps = 0"):
        film(ella_run(), tmp_path / "lift.gif", fps=0)
    with pytest.raises(LissomError, match="no folder"):
        film(ella_run(), tmp_path / "nowhere" / "lift.gif")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(LissomError, match="needs ffmpeg"):
        film(ella_run(), tmp_path / "lift.mp4")


# proportions


def extents(piece):
    """Edges of the box around a solid at rest, longest first."""
    return np.sort(np.ptp(piece.mesh.points, axis=0))[::-1]


@pytest.mark.parametrize("name", ["rigid-7-axis", "canadarm2", "dual-screw-arm", "satellite-two-arm", "ella"])
def test_signs_of_joints_stay_in_proportion_to_the_links_they_join(name):
    arm = Drawing(lissom.load(name).compile())
    for piece in (each for each in arm.pieces if each.role == "joint"):
        spec = arm.specs[piece.link]
        joined = [link for link in (spec.name, spec.parent) if link in arm.specs]
        lengths = [length for link in joined if (length := link_solids._length(arm, link)) > 0]
        across = max(link_solids._thickness(arm, link) for link in joined)
        assert extents(piece)[0] < max(0.8 * min(lengths, default=arm.reach), 3 * across), piece.link
        assert extents(piece)[0] < 4.2 * max(across, 0.008 * arm.reach), piece.link


@pytest.mark.parametrize(
    "payload",
    [
        {"joint": "fixed", "body": {"mass": 5.0}},
        {"joint": "fixed", "body": {"mass": 5.0, "com": [0.1, 0, 0], "tip": [0.2, 0, 0]}},
        {"joint": {"type": "revolute", "axis": [0, 0, 1]}, "body": {"mass": 5.0, "inertia": [1, 1, 1]}},
        {"joint": {"type": "spherical"}, "body": {"mass": 5.0, "com": [0.1, 0, 0], "inertia": [1, 1, 1]}},
    ],
)
@pytest.mark.parametrize("parent", ["beam", "body"])
def test_a_payload_is_always_drawn(payload, parent):
    link = {"name": "boom", "joint": {"type": "revolute", "axis": [0, 1, 0]}}
    if parent == "beam":
        link["beam"] = {
            "length": 2.0,
            "material": "steel",
            "section": {"shape": "circle", "diameter": 0.05},
            "shear": "none",
        }
    else:
        link["body"] = {"mass": 3.0, "inertia": [1, 1, 1], "tip": [2.0, 0, 0]}
        payload = payload | {"origin": {"xyz": [2.0, 0, 0]}}
    robot = lissom.Robot.from_dict(
        {
            "name": "lift",
            "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7800}},
            "links": [link, {"name": "load", **payload}],
        }
    )
    pieces = Drawing(robot.compile()).pieces
    (ball,) = [piece for piece in pieces if piece.role == "payload"]
    assert ball.link == "load"
    assert 0.02 < extents(ball)[0] < 0.2
