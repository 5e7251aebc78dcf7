"""Scenarios as FMUs: what other tools compute with them is what lissom computes."""

import subprocess
import zipfile

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu
from fmus import SWING, Block, compiled_elsewhere
from places import DATA

import lissom
from lissom.export import to_fmu
from lissom.kernel.compile.libraries import toolchain
from lissom.scenario import load
from lissom.scenario.scenario_files import parse

TIGHT = {"rtol": 1e-9, "atol": 1e-11}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fmus")


@pytest.fixture(scope="module")
def exact_ella():
    return load("ella").with_values([*TIGHT.items(), ("duration", 0.4)])


@pytest.fixture(scope="module", params=["2.0", "3.0"])
def ella(request, folder, exact_ella):
    """The file of one version."""
    return str(to_fmu(exact_ella, folder / f"ella-{request.param}.fmu", version=request.param))


@pytest.fixture(scope="module")
def ella_run(exact_ella):
    return exact_ella.with_value("output.rate", 100.0).prepare().simulate(progress=False)


def swing(joint):
    return parse(SWING.replace("JOINT, axis: [0, 1, 0], damping: 0.2", joint), "swing.yaml").scenario


def sampled(path, kind, run, names, **options):
    """Outputs by FMPy at the times of a run; at an event the later of two."""
    step = float(run.time[1] - run.time[0])
    found = fmpy.simulate_fmu(
        path, fmi_type=kind, stop_time=float(run.time[-1]), output_interval=step, output=names, **options
    )
    last = np.searchsorted(found["time"], run.time + 1e-9) - 1
    np.testing.assert_allclose(found["time"][last], run.time, atol=1e-9)
    return np.array([found[name][last] for name in names]).T


def columns(run, quantity, names):
    values = run.quantities[quantity]
    return values.reshape(len(values), -1)[:, : len(names)]


CHECKED = ("wrench", "tip_position", "tip_twist", "deflection", "rotation", "torque")


def agree(path, kind, run, share, **options):
    """Every quantity of an FMU is that of a run, to a share of its largest value."""
    every = [each.name for each in fmpy.read_model_description(path).modelVariables]
    names = {quantity: [name for name in every if name.startswith(f"{quantity}.")] for quantity in CHECKED}
    wanted = [name for group in names.values() for name in group]
    found = iter(sampled(path, kind, run, wanted, **options).T)
    for quantity in filter(names.get, CHECKED):
        expected = columns(run, quantity, names[quantity])
        got = np.array([next(found) for _ in names[quantity]]).T
        assert np.abs(got - expected).max() <= share * np.abs(expected).max(initial=1e-3), quantity


def test_description_is_valid(ella):
    assert validate_fmu(ella) == []
    about = fmpy.read_model_description(ella)
    units = {each.name: each.unit for each in about.modelVariables}
    assert units["wrench.elbow.tx"] == "N m"
    assert units["velocity.elbow"] == "rad/s"
    assert about.defaultExperiment.stopTime == "0.4"
    assert about.coSimulation is not None
    assert about.modelExchange is not None


def test_co_simulation_is_simulate(ella, ella_run):
    agree(ella, "CoSimulation", ella_run, 1e-6)


def test_model_exchange_is_simulate(ella, ella_run):
    agree(ella, "ModelExchange", ella_run, 1e-5, relative_tolerance=1e-9)


@pytest.mark.parametrize("joint", ["revolute, axis: [0, 1, 0]", "spherical", "free"])
def test_trees_on_any_joint(folder, joint):
    scenario = swing(joint).with_value("start", {"left-hinge": 0.5})
    run = scenario.with_value("output.rate", 50.0).prepare().simulate(progress=False)
    path = str(to_fmu(scenario, folder / f"{joint[:4]}.fmu"))
    assert validate_fmu(path) == []
    agree(path, "CoSimulation", run, 1e-6)
    agree(path, "ModelExchange", run, 1e-5, relative_tolerance=1e-10)


def test_a_state_that_is_restored_goes_on_bit_by_bit(ella):
    with Block(ella) as block:
        block.step(0.05)
        state = block.fmu.getFMUState() if block.three else block.fmu.getFMUstate()
        kept = (block.fmu.serializeFMUState if block.three else block.fmu.serializeFMUstate)(state)
        block.step(0.05)
        block.step(0.03)
        expected = block.get(*block.outputs)
        (block.fmu.setFMUState if block.three else block.fmu.setFMUstate)(state)
        block.time = 0.05
        block.step(0.05)
        block.step(0.03)
        np.testing.assert_array_equal(block.get(*block.outputs), expected)
    with Block(ella) as other:  # an instance of its own goes on from the bytes
        read = other.fmu.deserializeFMUState if other.three else other.fmu.deSerializeFMUstate
        (other.fmu.setFMUState if other.three else other.fmu.setFMUstate)(read(kept))
        other.time = 0.05
        other.step(0.05)
        other.step(0.03)
        np.testing.assert_array_equal(other.get(*other.outputs), expected)


def test_instances_do_not_disturb_each_other(ella):
    def alone(push):
        with Block(ella, inputs__torque__elbow=push) as block:
            for _ in range(5):
                block.step(0.01)
            return block.get(*block.outputs)

    with Block(ella, inputs__torque__elbow=0.0) as first, Block(ella, inputs__torque__elbow=20.0) as second:
        for _ in range(5):
            first.step(0.01)
            second.step(0.01)
        np.testing.assert_array_equal(first.get(*first.outputs), alone(0.0))
        np.testing.assert_array_equal(second.get(*second.outputs), alone(20.0))


def test_torques_and_loads_from_outside(folder, exact_ella):
    """A constant torque and a constant force at the tip are those of a scenario that has them."""
    path = str(to_fmu(exact_ella, folder / "fed.fmu"))
    prepared = exact_ella.prepare()
    push = lissom.control.torques(prepared.model, {"elbow": 15.0})
    load = lissom.Load(link="forearm", force=[3.0, -5.0, 8.0], torque=[0.0, 1.0, 0.0])
    run = prepared.simulate(controller=prepared.controller + push, loads=[load], duration=0.1, rate=100, progress=False)
    given = {"tx": 0.0, "ty": 1.0, "tz": 0.0, "fx": 3.0, "fy": -5.0, "fz": 8.0}
    start = {f"inputs__load__forearm__{part}": value for part, value in given.items()}
    with Block(path, inputs__torque__elbow=15.0, **start) as block:
        block.step(0.1)
        names = [name for name in block.outputs if name.startswith("tip_position.")]
        np.testing.assert_allclose(block.get(*names), columns(run, "tip_position", names)[-1], atol=2e-8)
        names = [name for name in block.outputs if name.startswith("wrench.")]
        np.testing.assert_allclose(block.get(*names), columns(run, "wrench", names)[-1], atol=1e-4)


def order(errors, ratio=2.0):
    return np.log(errors[0] / errors[-1]) / np.log(ratio) / (len(errors) - 1)


def test_a_controller_outside_is_as_close_as_its_steps_are_short(folder, exact_ella):
    """Torques that are held from one communication to the next: of first order."""
    soft = [(f"control.gains.{joint}", {"p": 200.0, "d": 4.0}) for joint in exact_ella.control.gains]
    prepared = exact_ella.with_values(soft).prepare()
    law, model = prepared.controller, prepared.model
    free = exact_ella.with_value("control", None)
    path = str(to_fmu(free, folder / "free.fmu"))
    exact = prepared.simulate(duration=0.04, rate=100, progress=False)
    tip = [f"tip_position.forearm.{axis}" for axis in "xyz"]
    expected = exact.tip("forearm").values[-1]
    errors = []
    for step in (2e-4, 1e-4, 5e-5):
        with Block(path) as block:
            q = [f"position.{name}" for name in plain(model.q_names)]
            v = [f"velocity.{name}" for name in plain(model.coordinates)]
            for _ in range(round(0.04 / step)):
                tau = law(block.time, block.get(*q), block.get(*v))
                torque = {f"inputs__torque__{name.replace('-', '_')}": tau[k] for name, k in driven(model)}
                block.set(**torque)
                block.step(step)
            errors.append(np.abs(block.get(*tip) - expected).max())
    assert 0.85 < order(errors) < 1.1
    assert errors[-1] < 1e-6


def test_references_from_outside(ella, exact_ella, ella_run):
    """With value, rate and acceleration an FMU follows parabolas between communications."""
    law = exact_ella.prepare().controller
    expected = ella_run.tip("forearm").values[20]
    errors = []
    for step in (2e-2, 1e-2):
        with Block(ella, inputs__follow=True) as block:
            for _ in range(round(0.2 / step)):
                for k, name in enumerate(law.names):
                    values = np.array(law.reference(block.time))[:, k]
                    for part, value in zip(("", "__rate", "__acceleration"), values, strict=True):
                        block.set(**{f"inputs__reference__{name.replace('-', '_')}{part}": value})
                block.step(step)
            tip = block.get(*(f"tip_position.forearm.{axis}" for axis in "xyz"))
            errors.append(np.abs(tip - expected).max())
    assert 1.8 < order(errors) < 2.3
    assert errors[-1] < 5e-5


def plain(names):
    return [name.replace("-", "_") for name in names]


def driven(model):
    return [(model.coordinates[k], k) for k in model.actuated]


def law_derivatives(law, model):
    """(nv, nv) of the forces at rest by coordinates and by velocities, by the complex step."""
    q, v, small = model.neutral(), np.zeros(model.nv), 1e-20
    steps = 1j * small * np.eye(model.nv)
    by_q = [law(0.0, q + step, v).imag / small for step in steps]
    by_v = [law(0.0, q, v + step).imag / small for step in steps]
    return np.array(by_q).T, np.array(by_v).T


def test_directional_derivatives_are_those_of_the_dynamics(ella, exact_ella):
    """Of accelerations by states and torques; and of outputs, as differences say."""
    model, law = exact_ella.prepare().model, exact_ella.prepare().controller
    with Block(ella, kind="ModelExchange") as block:
        q, v = ([f"{kind}.{name}" for name in plain(model.coordinates)] for kind in ("position", "velocity"))
        a = [f"der({name})" for name in v]
        tau = law(0.0, model.neutral(), np.zeros(model.nv))
        by = lissom.derivatives(model, model.neutral(), np.zeros(model.nv), tau)
        law_q, law_v = law_derivatives(law, model)
        inverse = np.linalg.inv(lissom.mass_matrix(model, model.neutral()))
        for known, expected in ((q, by.q + inverse @ law_q), (v, by.v + inverse @ law_v)):
            seed = np.random.default_rng(3).normal(size=len(known))
            found, exact = block.derivative(a, known, seed), expected @ seed
            np.testing.assert_allclose(found, exact, atol=1e-7 * np.abs(exact).max())
        unit = block.derivative(a, ["inputs.torque.elbow"], [1.0])
        exact = inverse[:, model.coordinates.index("elbow")]
        np.testing.assert_allclose(unit, exact, atol=1e-7 * np.abs(exact).max())


def test_a_motion_that_diverges_is_told(folder, exact_ella):
    path = str(to_fmu(exact_ella, folder / "wild.fmu", kind="co-simulation"))
    with Block(path, inputs__torque__elbow=1e9) as block, pytest.raises(Exception, match="DoStep failed"):
        block.step(0.4)


PAYLOAD = "links.forearm.beam.masses.0.mass"


@pytest.fixture(scope="module")
def tunable(folder, exact_ella):
    return str(to_fmu(exact_ella, folder / "tunable.fmu", parameters=[PAYLOAD]))


@pytest.mark.parametrize(
    ("changes", "start"),
    [
        ([("control.gains.elbow.p", 900.0)], {"gains.elbow.p": 900.0}),
        ([("robot.gravity", (0.5, -3.0, 1.0))], {"gravity.x": 0.5, "gravity.y": -3.0, "gravity.z": 1.0}),
        ([(f"robot.{PAYLOAD}", 2.9)], {"links.forearm.beam.masses._0.mass": 2.9}),
    ],
    ids=["gain", "gravity", "payload"],
)
def test_a_parameter_does_what_the_file_would(tunable, exact_ella, changes, start):
    run = exact_ella.with_values(changes).prepare().simulate(duration=0.1, rate=10, progress=False)
    with Block(tunable, **{name.replace(".", "__"): value for name, value in start.items()}) as block:
        block.step(0.1)
        for quantity, share in (("tip_position", 1e-10), ("wrench", 1e-6)):
            names = [name for name in block.outputs if name.startswith(f"{quantity}.")]
            expected = columns(run, quantity, names)[-1]
            np.testing.assert_allclose(block.get(*names), expected, atol=share * np.abs(expected).max())


def test_a_parameter_keeps_its_range(tunable):
    assert validate_fmu(tunable) == []
    name = "links.forearm.beam.masses._0.mass"
    units = {each.name: each.unit for each in fmpy.read_model_description(tunable).modelVariables}
    assert units[name] == "kg"
    assert units["gains.elbow.p"] == "N m/rad"
    assert units["gravity.z"] == "m/s2"
    with Block(tunable) as block, pytest.raises(Exception, match="fmi2SetReal failed"):
        assert float(block.variables[name].min) == 1.05
        block.set(**{name.replace(".", "__"): 5.0})


def test_ideal_sensors(folder, exact_ella):
    """An FMU reads what `lissom.dynamics` says ideal sensors read at the same state and acceleration."""
    sensors = [
        {"name": "angle", "type": "encoder", "joint": "elbow", "counts": 4096},
        {"name": "imu", "type": "accelerometer", "link": "forearm", "noise": 0.1},
        {"name": "turn", "type": "gyro", "link": "upper", "at": 0.4},
        {"name": "place", "type": "position", "link": "forearm", "at": 0.5},
        {"name": "flange", "type": "force-torque", "joint": "elbow"},
    ]
    scenario = exact_ella.with_values([("sensors", sensors)])
    path = str(to_fmu(scenario, folder / "sensors.fmu"))
    assert validate_fmu(path) == []
    run = scenario.prepare().simulate(duration=0.1, rate=10, progress=False)
    with Block(path) as block:
        block.step(0.1)
        for sensor in sensors:
            name = sensor["name"]
            names = [each for each in block.outputs if each == f"reading.{name}" or each.startswith(f"reading.{name}.")]
            ideal = np.atleast_1d(run.reading(name, ideal=True).values[-1])
            np.testing.assert_allclose(block.get(*names), ideal, atol=1e-6 * max(1.0, np.abs(ideal).max()))


def test_links_of_the_exact_field(folder):
    text = SWING.replace("JOINT", "revolute").replace("shear: none,", "shear: none, stiffening: exact,")
    scenario = parse(text, "exact.yaml").scenario
    run = scenario.with_value("output.rate", 50.0).prepare().simulate(duration=0.1, progress=False)
    agree(str(to_fmu(scenario, folder / "exact.fmu", kind="co-simulation")), "CoSimulation", run, 1e-6)


def test_its_sources_make_the_same_library(ella, folder):
    """gcc, without options and for any x86-64 processor."""
    values = []
    for path in (ella, compiled_elsewhere(ella, folder / "elsewhere.fmu")):
        with Block(path) as block:
            block.step(0.05)
            values.append(block.get(*block.outputs))
    scale = np.maximum(1.0, np.abs(values[0]))
    np.testing.assert_allclose(values[1] / scale, values[0] / scale, atol=1e-9)


@pytest.mark.slow
@pytest.mark.skipif(toolchain.zig() is None, reason="needs the package ziglang")
def test_libraries_for_other_machines(folder, exact_ella):
    """Each is of the kind that its folder says, and has the functions of FMI."""
    begins = {
        "x86_64-windows/ella.dll": b"MZ",
        "x86_64-darwin/ella.dylib": b"\xcf\xfa\xed\xfe\x07\0\0\x01",
        "aarch64-darwin/ella.dylib": b"\xcf\xfa\xed\xfe\x0c\0\0\x01",
        "aarch64-linux/ella.so": b"\x7fELF\x02\x01",
    }
    path = to_fmu(exact_ella, folder / "everywhere.fmu", version="3.0", platforms=["all"], name="ella")
    assert validate_fmu(str(path)) == []
    with zipfile.ZipFile(path) as archive:
        assert {"sources/buildDescription.xml", "sources/model.c"} < set(archive.namelist())
        assert len({name.split("/")[1] for name in archive.namelist() if name.startswith("binaries/")}) == 5
        for name, begin in begins.items():
            content = archive.read(f"binaries/{name}")
            assert content.startswith(begin) and b"fmi3DoStep" in content, name


@pytest.mark.slow
@pytest.mark.parametrize("name", ["canadarm2", "dual-screw-arm", "rigid-7-axis", "satellite-two-arm", "five-bar"])
def test_built_in_scenarios(folder, name):
    """Co-simulation is `simulate` for all; trees, elastic joints, free bases, computed torque, jumps, loops."""
    scenario = load(name).with_values([("rtol", 1e-8), ("atol", 1e-10)])
    path = str(to_fmu(scenario, folder / f"{name}.fmu"))
    assert validate_fmu(path) == []
    run = scenario.prepare().simulate(duration=min(0.6, scenario.duration), rate=50, progress=False)
    agree(path, "CoSimulation", run, 2e-5)


def test_a_program_without_python_runs_it(folder, tunable):
    """A C program that opens the library finds everything in it, and gets what FMPy gets."""
    place = folder / "opened"
    fmpy.extract(tunable, place)
    about = fmpy.read_model_description(str(place))
    tip = next(each for each in about.modelVariables if each.name == "tip_position.forearm.x")
    subprocess.run(["cc", "-o", folder / "host", DATA / "fmu_host.c", "-ldl"], check=True)
    [library] = (file for file in place.glob("binaries/**/*") if file.is_file())
    command = [folder / "host", library, about.guid, str(tip.valueReference)]
    first, again = map(float, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    with Block(tunable) as block:
        block.step(0.01)
        block.step(0.01)
        assert first == again == block.get(tip.name)[0]
