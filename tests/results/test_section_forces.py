"""Forces inside beams: a cantilever by hand, and against the wrenches of the joints at both ends."""

import numpy as np
import pytest

import lissom
from lissom.results.registry.section_forces import section_forces
from lissom.scenario import load

CANTILEVER = """
lissom: 1
name: cantilever
materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7850}}
links:
  - name: bar
    joint: {name: hinge, type: revolute, axis: [0, 1, 0]}
    beam:
      length: 1
      material: steel
      section: {shape: rectangle, width: 0.02, height: 0.03}
      shear: none
      modes: {y: 2, z: 4, torsion: 1, axial: 1}
      stiffening: none
      masses: [{at: 0.75, mass: 2.0}]
"""


def held(**more):
    """A bar at rest and level, held at its root."""
    model = lissom.Robot.from_yaml(CANTILEVER).compile(prescribed=["hinge"])
    rest = lissom.static_equilibrium(model)
    still = {"hinge": lissom.control.Reference.constant(0.0)}
    return lissom.simulate(model, 0.01, start=rest, motion=still, progress=False, rtol=1e-9, atol=1e-13, **more)


def test_a_cantilever_under_its_weight_by_hand():
    run = held()
    found = run.section_forces("bar", [0.0, 0.25, 0.5, 0.9, 1.0])
    x, weight, lump = found["x"].values, 7850 * 6e-4 * 9.81, 2.0 * 9.81
    shear = weight * (1 - x) + lump * (x <= 0.75)
    moment = weight * (1 - x) ** 2 / 2 + lump * np.maximum(0.75 - x, 0)
    end = found.isel(time=-1)
    assert end.sel(section_force="Vz").values == pytest.approx(-shear, abs=2e-3 * shear[0])  # weight pulls down
    assert end.sel(section_force="My").values == pytest.approx(moment, abs=2e-3 * moment[0])
    assert np.abs(end.sel(section_force=["T", "Mz", "Vy"])).max() < 1e-6


@pytest.mark.parametrize(
    ("name", "field"), [("ella", "first"), ("l-mechanism", "exact"), ("satellite-two-arm", "none")]
)
def test_at_its_ends_a_beam_has_the_wrenches_of_the_joints(name, field):
    robot = lissom.load(name)
    for link in robot.links:
        if link.beam is not None:
            robot = robot.with_value(f"links.{link.name}.beam.stiffening", field)
    run = load(name).with_value("robot", robot).run(duration=0.1, progress=False)
    for link, beam in run.model.flexible.items():
        found = section_forces(run.data, link, np.array([0.0, float(beam.length)]))
        given = run.numbers.wrench(link)
        for part, where in ((slice(0, 3), slice(3, 6)), (slice(3, 6), slice(0, 3))):
            size = np.abs(given[:, where]).max()
            assert -found[:, 0, part] == pytest.approx(given[:, where], abs=2e-4 * size)
        carried = [each for each in robot.links if each.parent == link and not beam.masses]  # else they add to it
        for child in carried:
            force = np.linalg.norm(run.numbers.wrench(child.name)[:, 3:], axis=1)
            assert np.linalg.norm(found[:, 1, :3], axis=1) == pytest.approx(force, abs=1e-9 * (1 + force.max()))


ARM = """
lissom: 1
name: arm
materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7850}}
links:
  - name: upper
    joint: {type: revolute, axis: [0, 1, 0], damping: 2}
    beam:
      length: 1
      material: steel
      section: {shape: rectangle, width: 0.02, height: 0.03}
      modes: {y: 2, z: 2, torsion: 1, axial: 1}
      damping: 0.02
    payload: {mass: 1.5, com: [0, 0.05, 0]}
  - {name: fore, joint: {type: universal, axes: [[0, 1, 0], [0, 0, 1]], damping: 1}, body: {mass: 2, com: [0.2, 0, 0]}}
"""
PLACES = [{"link": "world", "origin": {"xyz": [0.3, 0.2, 0.4]}}, {"link": "upper", "at": 0.6}]
BESIDE = {
    "nothing": {},
    "spring": {"elements": [{"type": "spring", "stiffness": 500, "length": 0.2, "damping": 5}]},
    "rope": {"elements": [{"type": "rope", "stiffness": 900, "length": 0.4}]},
    "cylinder": {"elements": [{"type": "cylinder", "force": 40}]},
    "bushing": {"elements": [{"type": "bushing", "stiffness": [10, 20, 30, 400, 500, 600], "damping": [1] * 6}]},
    "contact": {
        "contacts": [
            {
                "name": "wall",
                "sphere": {"link": "upper", "at": 0.8, "radius": 0.1},
                "surface": {"link": "world", "shape": "plane", "origin": {"xyz": [0, 0, -0.0995]}},
                "stiffness": 1e6,
                "damping": 0.5,
                "friction": 0.4,
            }
        ]
    },
}


@pytest.mark.parametrize("kind", BESIDE)
def test_all_that_acts_on_a_beam_is_counted(kind):
    beside = {name: [{"name": "it", "between": PLACES} | one for one in parts] for name, parts in BESIDE[kind].items()}
    for contact in beside.get("contacts", []):
        del contact["between"]
    robot = lissom.Robot.from_dict(lissom.Robot.from_yaml(ARM).to_dict() | beside)
    push = lissom.Load(link="upper", at=0.3, force=[5.0, 10.0, 20.0], torque=[1.0, 2.0, 3.0])
    carried = lissom.Payload(link="upper", mass=0.7, pick=0.03, drop=0.06, motion="carried")
    run = lissom.simulate(robot, 0.1, loads=[push], payloads=[carried], rate=100, progress=False, rtol=1e-7)
    found, given = section_forces(run.data, "upper", np.array([0.0, 0.3, 0.30001])), run.numbers.wrench("upper")
    given = np.concatenate([given[:, 3:], given[:, :3]], axis=1)
    assert -found[:, 0] == pytest.approx(given, abs=2e-4 * np.abs(given).max())
    jump = np.linalg.norm((found[:, 1] - found[:, 2])[:, :3], axis=1)
    assert jump == pytest.approx(np.linalg.norm([5, 10, 20]), rel=1e-3)  # the load acts in between


def test_loops_pull_at_beams():
    run = load("five-bar").run(duration=0.1, progress=False)
    for link in run.model.flexible:
        found, given = section_forces(run.data, link, np.array([0.0])), run.numbers.wrench(link)
        assert -found[:, 0, :3] == pytest.approx(given[:, 3:], abs=1e-3 * np.abs(given[:, 3:]).max())


def test_what_has_no_sections_is_told():
    run = held()
    with pytest.raises(lissom.LissomError, match="no link"):
        run.section_forces("arm")
