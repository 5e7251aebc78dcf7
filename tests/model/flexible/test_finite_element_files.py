"""Links of finite elements in robot files: found, run, written back, kept, and refused in plain words."""

import numpy as np
import pytest
from solid_meshes import box

import lissom
from lissom import beam, fem
from lissom.errors import RobotError

STEEL = beam.Material(E=2.1e11, nu=0.3, rho=7800)
SIZE = (0.4, 0.1, 0.1)


ARM = """
lissom: 1
name: meshed-arm
gravity: [0, 0, -9.81]
materials:
  steel: {E: 2.1e11, nu: 0.3, rho: 7800}
links:
  - name: boom
    joint: {name: shoulder, type: revolute, axis: [0, 1, 0]}
    finite_elements:
      mesh: parts/boom.vtk
      material: steel
      interfaces:
        root: {x: 0}
        side: {box: [[0.1, 0.05, -0.05], [0.3, 0.05, 0.05]], tie: averaging}
        flange: {x: 0.4, tie: averaging}
      modes: {frequency: 6000}
      damping: 0.01
  - name: tool
    at: flange
    joint: {name: wrist, type: revolute, axis: [0, 0, 1]}
    body: {mass: 2.0, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}
  - name: camera
    parent: boom
    at: side
    joint: fixed
    body: {mass: 0.3}
"""


@pytest.fixture
def arm(tmp_path):
    (tmp_path / "parts").mkdir()
    box(SIZE, (4, 2, 2), "hexahedron").write(tmp_path / "parts" / "boom.vtk")
    (tmp_path / "arm.yaml").write_text(ARM)
    return tmp_path / "arm.yaml"


def test_mesh_in_a_robot_file_is_found_beside_it_and_runs(arm):
    robot = lissom.load(arm)
    run = lissom.simulate(robot, 0.2)
    boom = run.model.flexible["boom"]
    assert run.model.nv == 2 + boom.count
    assert np.max(np.abs(run["energy_residual"])) < 1e-5 * np.max(run["kinetic_energy"].values)
    mass = 7800 * 0.4 * 0.1 * 0.1
    assert float(boom.mass) == pytest.approx(mass)
    wrench = run.wrench("shoulder", frame="world").values[0]
    assert np.all(np.isfinite(wrench))
    assert np.allclose(run.tip("boom").values[0], [0.4, 0, 0], atol=1e-6)
    assert "finite elements" in robot.describe()
    stress = boom.von_mises(run.q[:, run.model.link("boom").modes_q])
    assert stress.shape == (len(run.time), len(boom.nodes))
    assert stress.max() > 1e4


def test_meshed_link_in_the_rigid_limit_is_a_rigid_body(arm):
    """A stiff boom moves as a body of the same mass, centre and inertia."""
    robot = lissom.load(arm).with_value("materials.steel.E", 4e12).with_value("links.boom.finite_elements.damping", 0.0)
    boom = robot.flexible_links()["boom"].invariants()
    data = robot.to_dict()
    spread = boom.G0 - np.outer(boom.mc0, boom.mc0) / boom.mass
    del data["links"][0]["finite_elements"]
    inertia = np.trace(spread) * np.eye(3) - spread
    data["links"][0]["body"] = {
        "mass": float(boom.mass),
        "com": (boom.mc0 / boom.mass).tolist(),
        "inertia": ((inertia + inertia.T) / 2).tolist(),
    }
    for link, at in ((1, [0.4, 0, 0]), (2, [0.2, 0.05, 0])):
        del data["links"][link]["at"]
        data["links"][link]["origin"] = {"xyz": at}
    rigid = lissom.Robot.from_dict(data).compile()
    model = robot.compile()
    q, v = model.neutral(), np.zeros(model.nv)
    joints = [model.coordinates.index(name) for name in ("shoulder", "wrist")]
    q[joints], v[joints] = [0.3, 0.7], [1.0, -2.0]
    M, N = lissom.mass_matrix(model, q), lissom.mass_matrix(rigid, q[joints])
    assert np.allclose(M[np.ix_(joints, joints)], N, rtol=1e-9)
    h = lissom.inverse_dynamics(model, q, v, 0 * v)[joints]
    assert np.allclose(h, lissom.inverse_dynamics(rigid, q[joints], v[joints], [0, 0]), rtol=1e-9, atol=1e-9)


def test_robot_comes_back_from_its_own_file(arm, tmp_path):
    robot = lissom.load(arm)
    robot.save(tmp_path / "copy.yaml")
    assert lissom.load(tmp_path / "copy.yaml") == robot


def test_derivatives_with_respect_to_the_material(arm):
    """Stiffness is proportional to E, mass to rho; the complex step sees it."""
    robot = lissom.load(arm)
    step = robot.with_value("materials.steel.E", 2.1e11 * (1 + 1e-20j)).compile()
    assert np.allclose(step.arrays.strain.stiffness.imag * 1e20, robot.compile().arrays.strain.stiffness, rtol=1e-9)
    heavier = robot.with_value("materials.steel.rho", 7800 * (1 + 1e-20j)).compile()
    assert heavier.arrays.inertia.mass.imag[1] * 1e20 == pytest.approx(robot.compile().arrays.inertia.mass[1])


def test_saved_reduction_is_a_source_of_its_own(arm, tmp_path):
    robot = lissom.load(arm)
    link = robot.flexible_links()["boom"]
    link.save(tmp_path / "boom.npz")
    data = robot.to_dict()
    data["links"][0]["finite_elements"] = {"reduced": str(tmp_path / "boom.npz")}
    for again in (lissom.Robot.from_dict(data), _with_link(data, link)):
        M, N = (lissom.mass_matrix(r.compile(), r.compile().neutral()) for r in (robot, again))
        assert np.array_equal(M, N)


def _with_link(data, link):
    data["links"][0]["finite_elements"] = {"reduced": link}
    return lissom.Robot.from_dict(data)


def test_link_in_memory_is_saved_before_its_robot(arm):
    link = lissom.load(arm).flexible_links()["boom"]
    robot = _with_link(lissom.load(arm).to_dict(), link)
    with pytest.raises(RobotError, match=r"write it with link.save\('link.npz'\)"):
        robot.to_yaml()


def test_reductions_are_kept_by_content(arm, tmp_path, monkeypatch):
    from lissom.fem import reduction_cache

    monkeypatch.setenv("LISSOM_CACHE_LINKS", str(tmp_path / "cache"))
    monkeypatch.setattr(reduction_cache, "_links", {})
    hz = lissom.load(arm).flexible_links()["boom"].natural_modes().frequencies
    (kept,) = (tmp_path / "cache").iterdir()
    reduction_cache._links.clear()
    moved = tmp_path / "elsewhere"
    (moved / "parts").mkdir(parents=True)
    (moved / "parts" / "boom.vtk").write_bytes((arm.parent / "parts" / "boom.vtk").read_bytes())
    (moved / "arm.yaml").write_text(ARM)
    monkeypatch.setattr(fem, "reduce", None)  # must not be needed, wherever the same mesh lies
    assert np.array_equal(lissom.load(moved / "arm.yaml").flexible_links()["boom"].natural_modes().frequencies, hz)
    monkeypatch.undo()
    monkeypatch.setenv("LISSOM_CACHE_LINKS", str(tmp_path / "cache"))
    box((0.5, 0.1, 0.1), (4, 2, 2), "hexahedron").write(arm.parent / "parts" / "boom.vtk")
    changed = ARM.replace("x: 0.4", "x: 0.5")
    arm.write_text(changed)
    reduction_cache._links.clear()
    assert lissom.load(arm).flexible_links()["boom"].natural_modes().frequencies[0] < hz[0]
    assert kept.exists()
    assert len(list((tmp_path / "cache").iterdir())) == 2


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("parts/boom.vtk", "parts/bom.vtk", r"arm.yaml:\d+: links.boom.finite_elements.mesh = .*there is no file"),
        ("parts/boom.vtk", "parts/boom.mnf", "is a modal neutral file.*write mass and stiffness"),
        ("material: steel", "material: stell", "did you mean 'steel'"),
        ("      material: steel\n", "", "links.boom.finite_elements.material: missing"),
        ("at: flange", "at: flang", "did you mean 'flange'"),
        ("at: flange", "at: 0.4", "is not an interface of 'boom'"),
        ("at: side", "at: side\n    parent: tool", "parent"),
        ("root: {x: 0}", "root: {x: 0, group: a}", "conflicts with group"),
        ("tie: averaging}\n      modes", "tie: glue}\n      modes", "choose how the surface is tied"),
        ("modes: {frequency: 6000}", "modes: {frequency: 6000, count: 3}", "give one of them"),
        ("mesh: parts/boom.vtk", "mesh: parts/boom.vtk\n      step: parts/boom.vtk", "conflicts with mesh"),
        ("mesh: parts/boom.vtk", "meshes: parts/boom.vtk", "did you mean 'mesh'"),
        ("damping: 0.01", "base: rot", "is not an interface; they are root, side and flange"),
    ],
)
def test_wrong_entries_of_a_flexible_block_are_explained(arm, old, new, words):
    assert old in ARM
    arm.write_text(ARM.replace(old, new, 1))
    with pytest.raises(RobotError, match=words):
        lissom.load(arm)


def test_interface_that_holds_nothing_is_explained_with_the_file(arm):
    arm.write_text(ARM.replace("x: 0.4", "x: 0.45"))
    with pytest.raises(RobotError, match=r"boom.vtk: x = 0.45: holds no node; the structure spans x 0 to 0.4"):
        lissom.load(arm).compile()


def test_sensors_sit_at_the_interfaces_of_a_mesh_and_gauges_are_refused(arm):
    robot = lissom.load(arm)
    sensors = [{"type": kind, "link": "boom", "at": "flange"} for kind in ("accelerometer", "gyro", "position")]
    run = lissom.simulate(robot, 0.05, sensors=[*sensors, {"type": "force-torque", "joint": "wrist"}])
    assert np.abs(run.reading("position-boom").values - run.tip("boom").values).max() < 1e-12
    assert np.abs(run.reading("force-torque-wrist").values - run.wrench("wrist").values).max() < 1e-9
    twist = run.tip("boom", "twist").values
    q, v = run.q[-1], run.v[-1]
    own = lissom.point_velocity(robot, q, v, "boom", "flange", frame="local")[:3]
    assert np.abs(run.reading("gyro-boom").values[-1] - own).max() < 1e-9
    slope = np.gradient(twist[:, 5], run.time) + 9.81  # of the tip's velocity along z, in the world
    axes = [lissom.point_pose(robot, one, "boom", "flange")[:3, :3] for one in run.q]
    felt = np.einsum("nij,nj->ni", axes, run.reading("accelerometer-boom").values)[:, 2]
    assert np.abs(felt - slope)[2:-2].max() < 0.2 * np.abs(felt).max()
    with pytest.raises(
        lissom.LissomError, match="link = 'boom': is a link of finite elements, whose strains are not kept"
    ):
        lissom.simulate(robot, 0.05, sensors={"type": "strain-gauge", "link": "boom"})
    with pytest.raises(lissom.LissomError, match=r"at = 'flage': is not an interface of 'boom'.*did you mean 'flange'"):
        lissom.simulate(robot, 0.05, sensors={"type": "gyro", "link": "boom", "at": "flage"})
