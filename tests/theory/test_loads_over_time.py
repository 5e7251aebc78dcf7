"""Forces and torques over time on links, in every formulation: accelerations, wrenches and motions of the kernel."""

import numpy as np
import pytest
from claims import claim

import lissom
from lissom import theory
from lissom.control import Reference
from lissom.dynamics import integrate as moved
from lissom.dynamics import point_force
from lissom.model.description.frame import Frame
from lissom.theory.connections.connected import ConnectedFormulation
from lissom.theory.screw_pde import ScrewPDE, integrate

TOLERANCE = {"dual_screw": 1e-9, "erls": 1e-9}  # of first order in deflections of 1e-11
FIRST_ORDER = ("dual_screw", "erls")
FORMULATIONS = [name for name in theory.names() if name != "kernel"]
ORIGIN = {"xyz": [0.05, -0.02, 0.03], "rpy": [0.3, -0.2, 0.5]}


BODY = {"mass": 0.8, "com": [0.1, 0.02, -0.03], "inertia": [0.01, 0.02, 0.02]}
SECTION = {"rhoA": 1.3, "EA": 2e5, "EIy": 400.0, "EIz": 600.0, "GJ": 300.0, "Jx": 0.01, "Jy": 0.006, "Jz": 0.005}
SHEARED = SECTION | {"kGAy": 9e4, "kGAz": 7e4, "shear_centre": [0.02, 0.01]}
TAPER = [{"x": 0.0, "section": SHEARED}, {"x": 0.9, "section": SHEARED | {"EIy": 200.0, "turn": 0.4}}]
HINGE = {"type": "revolute", "axis": [0, 0, 1]}


def beam(stiffening, **more):
    modes = {"y": 2, "z": 1, "torsion": 1, "axial": 1}
    given = {"length": 0.9, "section": SECTION, "modes": modes, "stiffening": stiffening, "damping": 0.05}
    return {"beam": {name: value for name, value in (given | more).items() if value is not None}}


RODS = {
    "rigid": {"body": BODY},
    "linear": beam("none"),
    "first order": beam("first"),
    "exact": beam("exact"),
    "tapering first order": beam("first", section=None, stations=TAPER),
}


def robot(rod, wrist="revolute", gravity=(1.0, -9.0, 2.0)):
    """A rod on a hinge, and a rigid hand on its end."""
    hand = {"name": "hand", "joint": {"type": wrist, "axis": [0.6, 0.8, 0]}, "body": BODY}
    links = [{"name": "rod", "joint": HINGE, **rod}, hand]
    return lissom.Robot.from_dict({"lissom": 1, "name": "loaded", "gravity": list(gravity), "links": links})


def bent(model, size):
    """A configuration with amplitudes of that size."""
    step = np.random.default_rng(3).normal(size=model.nv)
    for body in model.bodies:
        step[body.modes_v] *= size
    return moved(model, model.neutral(), step)


def places(model):
    """On the rod, at its middle where it bends, and on the hand, shifted and turned."""
    rod = {"at": 0.45} if "rod" in model.flexible else {}
    return Frame(link="rod", **rod, origin=ORIGIN), Frame(link="hand", origin=ORIGIN)


@pytest.mark.parametrize("in_world", [True, False])
@pytest.mark.parametrize("rod", ["rigid", "linear", "first order", "exact", "tapering first order"])
@pytest.mark.parametrize("name", FORMULATIONS)
def test_a_wrench_on_a_link_does_the_work_of_the_kernels(name, rod, in_world):
    model = robot(RODS[rod]).compile()
    try:
        formulation = theory.build(name, model)
    except theory.Unsupported:
        return
    q = bent(model, 1e-11 if name in FIRST_ORDER else 2e-2)
    rng = np.random.default_rng(5)
    frames, wrenches = places(model), rng.normal(size=(2, 6))
    loaded = ConnectedFormulation(formulation, model, frames, [in_world] * 2)
    loaded.external[:] = wrenches
    turn = np.asarray(frames[0].origin.rotation())
    expected = np.zeros(model.nv)
    for frame, wrench in zip(frames, wrenches, strict=True):
        local = wrench if in_world else (wrench.reshape(2, 3) @ turn.T).ravel()
        axes = "world" if in_world else "local"
        expected += point_force(model, q, local, frame.link, frame.at, ORIGIN["xyz"], axes)
    found = loaded.frame_forces(q)
    claim(np.abs(found - expected).max() / np.abs(expected).max(), TOLERANCE.get(name, 1e-10))


RAMP = Reference.step([0.0, 0.0, 0.0], [3.0, -2.0, 4.0], at=0.02)
LOADS = [
    {"link": "hand", "origin": {"xyz": [0.1, 0.0, 0.05]}, "force": [2.0, -3.0, 1.0], "torque": [0.1, 0.2, -0.1]},
    {"link": "rod", "at": 0.5, "force": [0.0, -4.0, 0.5], "frame": "local"},
]


def hanging(stiffness):
    """A rod on a hinge with a hand, `stiffness` times as stiff: its deflection falls with it."""
    section = SECTION | {key: stiffness * SECTION[key] for key in ("EA", "EIy", "EIz", "GJ")}
    return robot(beam("none", section=section), gravity=(0.0, 0.0, 0.0))


SLOW = dict.fromkeys(FIRST_ORDER, pytest.mark.slow)


@pytest.mark.parametrize("name", [pytest.param(n, marks=SLOW.get(n, ())) for n in FORMULATIONS if n != "lie_group"])
def test_loads_over_time_move_an_arm_as_the_kernel_moves_it(name):
    """Those of first order come near with the square of the compliance."""
    apart = []
    for stiffness in (1.0, 4.0) if name in FIRST_ORDER else (1.0,):
        model = hanging(stiffness).compile()
        seconds, rtol = (0.1, 1e-7) if name in FIRST_ORDER else (0.04, 1e-6)
        given = {"loads": LOADS, "rate": 50, "rtol": rtol}
        runs = [theory.simulate(theory.build(each, model), seconds, **given) for each in (name, "kernel")]
        own, kernel = (run.numbers["wrench"] for run in runs)
        apart.append(np.abs(runs[0].q - runs[1].q)[:, [0, -1]].max())
        assert np.abs(own - kernel).max() < (2e-5 if name not in FIRST_ORDER else 0.05) * np.abs(kernel).max()
        assert np.abs(runs[1].q).max() > 5e-3
    if name in FIRST_ORDER:
        assert apart[1] < apart[0] / 8
    else:
        assert max(apart) < 1e-6


def test_a_rigid_arm_under_loads_by_its_screws():
    model = robot(RODS["rigid"], "prismatic").compile()
    loads = [{"link": "hand", "force": RAMP}, {"link": "rod", "torque": [0.3, 0.2, 0.5], "frame": "local"}]
    own, kernel = (theory.simulate(theory.build(each, model), 0.1, loads=loads) for each in ("lie_group", "kernel"))
    assert np.abs(own.q - kernel.q).max() < 1e-8
    wrench = kernel.numbers["wrench"]
    assert np.abs(own.numbers["wrench"] - wrench).max() < 1e-6 * np.abs(wrench).max()


@pytest.mark.parametrize("method", ["projected", pytest.param("ida", marks=pytest.mark.slow)])
@pytest.mark.parametrize("rod", ["linear", "exact"])
def test_the_stacked_system_is_integrated_under_loads(rod, method):
    """Geometrically exact links, too, whose sections and rows Python writes."""
    model = robot(RODS[rod], gravity=(0.0, 0.0, 0.0)).compile()
    motion = integrate(ScrewPDE(model), 0.01, loads=LOADS, rate=100, method=method)
    kernel = lissom.simulate(model, 0.01, loads=LOADS, rate=100, rtol=1e-9, atol=1e-12, progress=False)
    assert np.abs(kernel.q).max() > 1e-3
    assert np.abs(motion.q - kernel.q).max() < 1e-9
    wrench = kernel.numbers["wrench"]
    assert np.abs(motion.wrenches - wrench).max() < 1e-5 * np.abs(wrench).max()


def test_a_closed_chain_is_integrated_under_loads():
    loop = {
        "name": "pin",
        "distance": 0.8,
        "between": [{"link": "world", "origin": {"xyz": [0.9, 0.8, 0]}}, {"link": "rod"}],
    }
    model = robot(RODS["linear"]).model_copy(update={"loops": ()}).to_dict()
    model = lissom.Robot.from_dict(model | {"loops": [loop]}).compile()
    start = lissom.close_loops(model)
    motion = integrate(ScrewPDE(model), 0.01, loads=LOADS, rate=100, start=start)
    kernel = lissom.simulate(model, 0.01, loads=LOADS, rate=100, start=start, rtol=1e-9, atol=1e-12, progress=False)
    assert np.abs(motion.q - kernel.q).max() < 1e-8
    assert np.abs(motion.closures[:, 0] - kernel.loop_wrench("pin").values).max() < 1e-3


def test_a_comparison_takes_loads():
    scenario = lissom.scenario.Scenario(robot=hanging(1.0), duration=0.05, loads=LOADS)
    found = lissom.compare(scenario, ["screw_pde", "recursive_lagrange"])
    assert not found.missing
    assert max(row["tip"] for row in found.rows) < 1e-6


@pytest.mark.parametrize("name", [name for name in FORMULATIONS if name != "lie_group"])
def test_loads_run_in_machine_code(name):
    model = hanging(1.0).compile()
    loaded = ConnectedFormulation(theory.build(name, model), model, places(model), [True, False])
    assert loaded.base.dynamics is not None
    assert loaded.called().__class__.__name__ == "nullcontext"
