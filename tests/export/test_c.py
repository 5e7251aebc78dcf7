"""Exported C code compiles without a warning and gives the numbers of the compiled kernel."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from c_programs import COMPILERS, built
from random_robots import random_robot

import lissom
from lissom import builtin
from lissom.errors import LissomError
from lissom.export import to_c

pytest.importorskip("casadi")

needs_compiler = pytest.mark.skipif(not COMPILERS, reason="needs gcc or clang")
ROBOTS = builtin.names(builtin.ROBOTS)
EVERY_JOINT = ("free", "spherical", "universal", "revolute", "fixed", "cylindrical", "planar", "prismatic")


def checked(folder: Path, *flags: str, compiler: str = "") -> str:
    """What the test that comes with the code prints; it has to pass."""
    found = subprocess.run([built(folder, *flags, compiler=compiler)], capture_output=True, text=True)
    assert found.returncode == 0 and not found.stderr, found.stdout[-4000:] + found.stderr[-4000:]
    return found.stdout


def tree(seed, joints, field="first"):
    flexible = [k % 2 == 1 for k in range(len(joints))]
    return random_robot(
        np.random.default_rng(seed), joints, flexible=flexible, stiffening=field, transmissions=1.0, passive=1.0
    )


@needs_compiler
def test_every_function_of_a_small_robot_equals_python(tmp_path):
    """Optimised by the first compiler, as written by the others: a slow test optimises with all of them."""
    written = to_c("spinup-beam", tmp_path)
    for k, compiler in enumerate(COMPILERS):
        said = checked(tmp_path, "-O0" if k else "-O2", compiler=compiler)
        for name in written.operations:
            assert said.count(f"ok    {name} ") >= 3
        assert "WRONG" not in said
        assert said.endswith("all results equal those of Python\n")


@needs_compiler
def test_every_joint_with_wrenches_and_points(tmp_path):
    robot = tree(5, EVERY_JOINT)
    beam = next(link for link in robot.links if link.beam is not None)
    to_c(
        robot,
        tmp_path,
        ["forward_dynamics", "inverse_dynamics", "joint_wrenches", "gravity", "energy", "point_pose", "jacobian"],
        points=[robot.links[-1].name, f"{beam.name}@0.3"],
        wrenches=[robot.links[-1].name, robot.links[0].name],
    )
    said = checked(tmp_path)
    assert f"point_pose_{beam.name}_0_3" in said


@needs_compiler
@pytest.mark.parametrize("field", ["none", "first", "exact"])
def test_derivatives_on_groups_and_every_field(tmp_path, field):
    to_c(tree(3, ("spherical", "revolute"), field), tmp_path, ["derivatives", "inverse_derivatives", "bias"])
    assert "ok    derivatives a_tau" in checked(tmp_path)


@needs_compiler
@pytest.mark.parametrize("seed", [1, 2])
def test_loops_over_tables_equal_python(tmp_path, seed):
    rng = np.random.default_rng(seed)
    joints = [str(each) for each in rng.permutation(EVERY_JOINT)[:5]]
    robot = tree(seed, joints)
    written = to_c(robot, tmp_path, wrenches=[robot.links[2].name], backend="loops")
    assert set(written.ways.values()) == {"loops"}
    said = checked(tmp_path)
    assert all(f"ok    {name} " in said for name in written.operations)


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", sorted(ROBOTS))
def test_every_robot_that_comes_with_lissom(tmp_path, name, compiler):
    to_c(name, tmp_path)
    checked(tmp_path, "-O2", compiler=compiler)


@needs_compiler
@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("arm-linux-gnueabihf-gcc") and shutil.which("qemu-arm")), reason="needs ARM tools"
)
@pytest.mark.parametrize("backend", ["auto", "loops"])
def test_a_32_bit_arm_gives_the_same_numbers(tmp_path, backend):
    to_c("ella", tmp_path, backend=backend)
    program = built(tmp_path, "-O2", "-static", compiler="arm-linux-gnueabihf-gcc")
    found = subprocess.run(["qemu-arm", program], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout[-3000:]
    assert b"ELF" in program.read_bytes()[:4]
    assert program.read_bytes()[4] == 1


@needs_compiler
def test_prescribed_joints_take_their_accelerations_as_an_argument(tmp_path):
    model = lissom.load("spinup-beam").compile(prescribed=["shaft"])
    to_c(model, tmp_path, ["forward_dynamics", "derivatives"])
    assert "const double given[SPINUP_BEAM_NV]" in (tmp_path / "spinup_beam.h").read_text()
    checked(tmp_path)


@needs_compiler
def test_numbers_of_the_robot_become_arguments(tmp_path):
    robot = tree(4, ("revolute", "revolute", "prismatic"))
    paths = ["links.link2.body.mass", "gravity.2", "links.link2.body.com.0"]
    to_c(robot, tmp_path, ["forward_dynamics", "gravity", "mass_matrix", "jacobian"], parameters=paths)
    assert "#define RANDOM_PARAMETERS 3" in (tmp_path / "random.h").read_text()
    usual = ", ".join(repr(float(robot.value(path))) for path in paths)
    assert f"double p[RANDOM_PARAMETERS] = {{{usual}}};" in (tmp_path / "README.md").read_text()
    checked(tmp_path)


@needs_compiler
def test_loops_over_tables_take_numbers_of_the_robot_too(tmp_path):
    """Steps and derivatives as well; of points, of springs, of gravity."""
    robot = tree(4, ("revolute", "revolute", "prismatic"))
    paths = ["links.link2.body.mass", "gravity.2", "links.link2.body.com.0"]
    wanted = ["forward_dynamics", "gravity", "step", "derivatives", "jacobian", "energy"]
    written = to_c(robot, tmp_path, wanted, parameters=paths, backend="loops")
    assert set(written.ways.values()) == {"loops"}
    assert "struct model_tables" in (tmp_path / "random.c").read_text()
    checked(tmp_path)


@needs_compiler
def test_the_check_can_fail(tmp_path):
    to_c("spinup-beam", tmp_path, ["mass_matrix"])
    source = tmp_path / "spinup_beam.c"
    text = source.read_text()
    assert "M[0] = " in text
    source.write_text(text.replace("M[0] = ", "M[0] = 1.0 + ", 1))
    found = subprocess.run([built(tmp_path)], capture_output=True, text=True)
    assert found.returncode == 1
    assert "WRONG" in found.stdout
    assert "differ from Python" in found.stdout


@needs_compiler
def test_a_mass_that_is_off_in_the_tenth_digit_is_seen(tmp_path):
    """By accelerations too, which are compared by the equations that they solve."""
    to_c("rigid-7-axis", tmp_path, ["forward_dynamics"], backend="loops")
    checked(tmp_path)
    source = tmp_path / "rigid_7_axis.c"
    text = source.read_text()
    table, last = re.search(r"(model_inertia_mass\[\d+\] = \{[^}]*, )([\d.e+-]+)\};", text).groups()
    source.write_text(text.replace(f"{table}{last}", f"{table}{float(last) * (1 + 1e-10)!r}"))
    found = subprocess.run([built(tmp_path)], capture_output=True, text=True)
    assert found.returncode == 1
    assert "WRONG forward_dynamics a" in found.stdout


@needs_compiler
@pytest.mark.skipif(not shutil.which("valgrind"), reason="needs valgrind")
def test_memory_is_touched_by_right_only(tmp_path):
    to_c(tree(5, ("spherical", "revolute")), tmp_path)
    program = built(tmp_path)
    found = subprocess.run(
        ["valgrind", "--error-exitcode=9", "--leak-check=full", program], capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr[-3000:]
    assert "total heap usage: 1 allocs" in found.stderr  # what printf takes; the code takes none


@needs_compiler
def test_the_makefile_builds_tests_measures_and_cleans(tmp_path):
    to_c("spinup-beam", tmp_path, ["mass_matrix", "gravity"])

    def make(*targets):
        return subprocess.run(["make", *targets], cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    make()
    assert (tmp_path / "libspinup_beam.a").exists()
    assert "all results equal" in make("test")
    median, share, worst, stack = map(float, re.search(r"mass_matrix +(.*)", make("time"))[1].split())
    assert 0 <= median <= share <= worst
    assert 0 < stack < 1e5
    make("clean")
    assert not list(tmp_path.glob("*.o"))


def test_only_what_is_asked_for_is_in_the_header(tmp_path):
    written = to_c("spinup-beam", tmp_path, ["derivatives"], name="blade")
    header, source = (tmp_path / "blade.h").read_text(), (tmp_path / "blade.c").read_text()
    assert [*written.operations] == ["derivatives"]
    assert "blade_derivatives" in header
    assert "mass_matrix" not in header
    assert "static void blade_mass_matrix" in source
    assert "[0] shaft (rad)" in header
    assert "casadi" not in (header + source).lower()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"functions": ["mass_matrx"]},
            "functions = 'mass_matrx': there is no such function; did you mean 'mass_matrix'",
        ),
        ({"functions": []}, "functions: names no function"),
        ({"points": ["blde"]}, "did you mean 'blade'"),
        ({"points": ["blade@far"]}, "must be a link or link@metres"),
        ({"points": ["blade@99"], "functions": ["point_pose"]}, "is not on blade"),
        ({"wrenches": ["blde"]}, "did you mean 'blade'"),
        ({"name": "--"}, "give another name"),
        ({"parameters": ["links.blade.beam.length"], "functions": ["gravity"]}, "beam.length does not enter"),
        ({"parameters": ["links.blade.name"]}, "is not a number"),
        ({"backend": "curly"}, "backend = 'curly': must be 'auto', 'straight' or 'loops'"),
    ],
)
def test_what_cannot_be_is_refused_by_name(tmp_path, options, said):
    with pytest.raises(LissomError, match=re.escape(said)):
        to_c("spinup-beam", tmp_path / "c", **options)
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("links.forearm.beam.masses.0.mass", r"does not enter .*export links\.forearm\.payload\.mass"),
        ("links.upper.joint.axis.2", "changes nothing in the equations of motion; leave it out"),
    ],
)
def test_numbers_that_cannot_be_arguments_say_which_can(tmp_path, path, said):
    with pytest.raises(LissomError, match=said):
        to_c("ella", tmp_path / "c", ["gravity"], parameters=[path])


def test_the_call_that_a_readme_shows_starts_unturned(tmp_path):
    to_c("satellite-two-arm", tmp_path, ["gravity"])
    assert "double q[SATELLITE_TWO_ARM_NQ] = {[0] = 1};" in (tmp_path / "README.md").read_text()


@needs_compiler
def test_the_payload_of_a_beam_becomes_an_argument(tmp_path):
    """Moved from the masses of the beam to its payload it is the same arm."""
    robot = lissom.load("ella").with_value("links.forearm.payload", {"mass": 2.1})
    robot = robot.with_value("links.forearm.beam.masses", [])
    to_c(robot, tmp_path, ["inverse_dynamics"], parameters=["links.forearm.payload.mass"])
    checked(tmp_path)


def test_steps_of_loops_and_of_prescribed_joints_are_refused(tmp_path):
    with pytest.raises(LissomError, match=r"functions = 'step': slider-crank has loops.*leave it out"):
        to_c("slider-crank", tmp_path, ["step"])
    with pytest.raises(LissomError, match=r"functions = 'step': joints that are prescribed have no step"):
        to_c(lissom.load("spinup-beam").compile(prescribed=["shaft"]), tmp_path, ["step"])


@needs_compiler
@pytest.mark.parametrize("name", ["slider-crank", pytest.param("two-arms-one-beam", marks=pytest.mark.slow)])
def test_loops_stay_closed_and_tell_their_wrenches(tmp_path, name):
    to_c(name, tmp_path, ["forward_dynamics", "joint_wrenches", "derivatives"], backend="loops")
    said = checked(tmp_path)
    for result in ("forward_dynamics multipliers", "joint_wrenches loop_wrench", "derivatives a_q"):
        assert said.count(f"ok    {result}") == 3


@needs_compiler
@pytest.mark.parametrize("backend", ["straight", "loops"])
def test_elements_and_contacts(tmp_path, backend):
    """A bushing, a rope, a spring with a curve; a sphere that rubs on a box."""
    world, arm = {"link": "world", "origin": {"xyz": [0.1, 0.2, 0.4]}}, {"link": "arm", "origin": {"xyz": [0.3, 0, 0]}}
    surface = {"link": "world", "shape": "box", "size": [1.0, 1.0, 1.0], "origin": {"xyz": [0, 0, -0.6]}}
    robot = lissom.Robot.from_dict(
        {
            "lissom": 1,
            "name": "tied",
            "gravity": [0, 0, -9.81],
            "links": [
                {"name": "arm", "joint": "spherical", "body": {"mass": 1.0, "inertia": [0.01, 0.02, 0.03]}},
                {
                    "name": "hand",
                    "joint": {"type": "helical", "axis": [0, 0, 1], "pitch": 0.05},
                    "body": {"mass": 0.5, "com": [0.1, 0, 0], "inertia": [0.01, 0.01, 0.01]},
                },
            ],
            "elements": [
                {"name": "mount", "type": "bushing", "between": [world, arm], "stiffness": [5, 6, 7, 80, 90, 100]},
                {
                    "name": "tether",
                    "type": "rope",
                    "between": [world, {"link": "hand"}],
                    "stiffness": 500,
                    "length": 0.3,
                },
                {"name": "coil", "type": "spring", "between": [world, {"link": "hand"}], "stiffness": 40, "length": 0.2}
                | {"curve": {"polynomial": [0, 0, 300]}},
            ],
            "contacts": [
                {"name": "floor", "sphere": {"link": "hand", "radius": 0.2}, "surface": surface, "stiffness": 1e4}
                | {"friction": 0.3, "damping": 0.2}
            ],
        }
    )
    to_c(robot, tmp_path, ["forward_dynamics", "inverse_dynamics", "energy", "derivatives"], backend=backend)
    checked(tmp_path)


def test_a_file_in_the_way_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LissomError, match=r"cannot write .*file"):
        to_c("spinup-beam", tmp_path / "file", ["gravity"])


def stepper(folder: Path, name: str, model: lissom.Model):
    """The exported step as a function of a state (q, v, a, s), the law and h."""
    library = folder / "step.so"
    flags = ["-O1", "-std=c99", "-shared", "-fPIC", f"{name}.c", "-lm", "-o", library.name]
    subprocess.run([COMPILERS[0], *flags], cwd=folder, check=True)
    function = getattr(ctypes.CDLL(str(library)), f"{name}_step")
    function.restype = None
    vector, number = np.ctypeslib.ndpointer(np.float64, flags="C"), ctypes.c_double
    function.argtypes = [*[vector] * 9, number, *[vector] * 5]

    def step(state, law, h):
        after, left = (np.zeros(model.nq), *np.zeros((3, model.nv))), np.zeros(1)
        function(*state, *law, h, *after, left)
        assert left[0] < 1e-2
        return after

    return step


@needs_compiler
@pytest.mark.parametrize("name", ["ella", pytest.param("satellite-two-arm", marks=pytest.mark.slow)])
def test_steps_of_the_closed_loop_converge_to_the_simulated_motion(tmp_path, name):
    model = lissom.load(name).compile()
    step = stepper(to_c(model, tmp_path, ["step"], backend="loops", name="arm").folder, "arm", model)
    driven = [joint for joint in model.joints if len(range(*model.joint(joint).joint_v.indices(model.nv))) == 1]
    gains = {joint: {"p": 400.0, "d": 40.0} for joint in driven}
    law = lissom.control.pd(model, gains, [0.05] * len(driven), side="motor")
    kp, kd, target, zero = np.zeros((4, model.nv))
    for joint in driven:
        body = model.joint(joint)
        at = body.joint_v.start if body.rotor_v is None else body.rotor_v
        kp[at], kd[at], target[at] = 400.0, 40.0, 0.05
    duration = 0.1
    wanted = lissom.simulate(
        model, duration, controller=law, method="radau", rtol=1e-9, atol=1e-11, rate=10, progress=False
    ).q[-1]

    def error(h):
        q, v = model.neutral(), np.zeros(model.nv)
        position = q[model.arrays.velocities.coordinate]
        tau = np.where(model.arrays.velocities.group_axis < 0, kp * (target - position), 0.0)
        a = lissom.forward_dynamics(model, q, v, tau)
        state = q, v, a, a.copy()
        for _ in range(round(duration / h)):
            state = step(state, (zero, kp, kd, target, zero), h)
        return np.abs(state[0] - wanted).max()

    coarse, fine = error(1e-3), error(5e-4)
    assert coarse < 1e-4
    assert coarse > 2.5 * fine
