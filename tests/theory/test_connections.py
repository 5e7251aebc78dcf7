"""What joins the links of a tree, by the kinematics of every formulation: loops, elements, contacts, driven joints."""

import numpy as np
import pytest
from claims import claim
from cut_joints import carried_over, cut
from random_robots import random_description, random_state

import lissom
from lissom import theory
from lissom.dynamics import integrate, loop_jacobian
from lissom.model.description.joint_kinds import KINDS
from lissom.theory.connections.connected import ConnectedFormulation
from lissom.theory.erls import Erls
from lissom.theory.screw_pde import ScrewPDE

FIRST_ORDER = {"dual_screw": 1e-9, "erls": 1e-8}  # right to first order in deflections of 1e-11
FORMULATIONS = [name for name in theory.names() if name != "kernel"]
BODY = {"mass": 0.8, "com": [0.1, 0.02, -0.03], "inertia": [0.01, 0.02, 0.02]}
SECTION = {"rhoA": 1.3, "EA": 2e5, "EIy": 400.0, "EIz": 600.0, "GJ": 300.0, "Jx": 0.01, "Jy": 0.006, "Jz": 0.005}
HINGE = {"type": "revolute", "axis": [0, 0, 1]}
BEAM = {"length": 0.9, "section": SECTION, "modes": {"y": 2, "z": 1, "torsion": 1, "axial": 1}, "damping": 0.05}
RODS = {
    "rigid": {"body": BODY},
    "bending": {"beam": BEAM | {"stiffening": "none"}},
    "exact": {"beam": BEAM | {"stiffening": "exact"}},
}
ON_HAND = {"link": "hand", "origin": {"xyz": [0.1, -0.05, 0.02], "rpy": [0.2, 0.1, -0.3]}}
ON_WORLD = {"link": "world", "origin": {"xyz": [0.4, 0.5, 0.2]}}
STIFF = [[200.0 if i == j else 0.0 for j in range(6)] for i in range(6)]
PARTS = {
    "spring": {
        "elements": {
            "type": "spring",
            "between": [ON_WORLD, ON_HAND],
            "stiffness": 300.0,
            "damping": 2.0,
            "length": 0.1,
        }
    },
    "rope": {"elements": {"type": "rope", "between": [ON_WORLD, ON_HAND], "length": 0.1, "stiffness": 3e3}},
    "bushing": {"elements": {"type": "bushing", "between": [ON_WORLD, ON_HAND], "stiffness": STIFF}},
    "cylinder": {"elements": {"type": "cylinder", "between": [ON_WORLD, ON_HAND], "drive": "force"}},
    "contact": {
        "contacts": {
            "sphere": {"link": "hand", "radius": 0.05},
            "surface": {"link": "world", "shape": "plane", "origin": {"xyz": [0, 0, 0.1]}},
            "stiffness": 1e5,
        }
    },
    "loop": {"loops": {"joint": "universal", "between": [ON_WORLD, ON_HAND]}},
}


def joined(rod, part):
    """A rod on a hinge with a hand on a ball of two hinges, and one more part."""
    hand = {"name": "hand", "joint": {"type": "revolute", "axis": [0.6, 0.8, 0]}, "body": BODY}
    kind, what = next(iter(PARTS[part].items()))
    links = [{"name": "rod", "joint": HINGE, **RODS[rod]}, hand]
    data = {"lissom": 1, "name": "joined", "gravity": [1.0, -9.0, 2.0], "links": links, kind: [{"name": "it", **what}]}
    return lissom.Robot.from_dict(data).compile()


def moving(model, size):
    """A state with amplitudes and their rates of that size, and forces."""
    step, v, tau = np.random.default_rng(3).normal(size=(3, model.nv))
    for body in model.bodies:
        step[body.modes_v] *= size
        v[body.modes_v] *= size
    return integrate(model, model.neutral(), step), v, tau


def off(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


ACTING = [part for part in PARTS if part != "loop"]
CASES = [(name, "rigid", part) for name in FORMULATIONS for part in ACTING]
CASES += [(name, "bending", part) for name in FORMULATIONS if name != "lie_group" for part in ACTING]
CASES += [("screw_pde", "exact", part) for part in ("rope", "contact")]


@pytest.mark.parametrize(("name", "rod", "part"), CASES)
def test_springs_ropes_cylinders_and_contacts_move_a_tree_as_in_the_kernel(name, rod, part):
    model = joined(rod, part)
    formulation = theory.build(name, model)
    q, v, tau = moving(model, 1e-11 if name in FIRST_ORDER else 2e-2)
    a, tolerance = lissom.forward_dynamics(model, q, v, tau), FIRST_ORDER.get(name, 1e-10)
    claim(off(formulation.accelerations(q, v, tau), a), tolerance)
    claim(off(formulation.wrenches_under(q, v, a, tau), lissom.joint_wrenches(model, q, v, a)), tolerance)
    claim(off(formulation.inverse_dynamics(q, v, formulation.accelerations(q, v, tau)), tau), 1e-8)
    if theory.Offer.ENERGY in formulation.offers:
        assert formulation.energy(q, v).total == pytest.approx(lissom.energy(model, q, v).total, rel=1e-9)


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.closes_loops])
@pytest.mark.parametrize("name", ["dual_screw_nonlinear", "recursive_lagrange"])
def test_every_kind_of_joint_closes_a_loop_by_the_formulations_own_rows(name, kind):
    rng = np.random.default_rng(3)
    data = random_description(rng, ["revolute", kind, "universal"], 0.6, "none", transmissions=0.0, passive=0.0)
    tree, model = lissom.Robot.from_dict(data).compile(), cut(data, 1).compile()
    q, v = random_state(tree.robot, rng)
    q, v = carried_over(tree, q, v, model, "link1")
    tau = rng.normal(size=model.nv)
    formulation, kernel = theory.build(name, model), lissom.closed_loops(model, q, v, tau)
    assert isinstance(formulation, ConnectedFormulation)
    claim(off(formulation.accelerations(q, v, tau), kernel.a), 1e-9)
    joints = lissom.joint_wrenches(model, q, v, kernel.a, multipliers=kernel.multipliers)
    claim(off(formulation.wrenches_under(q, v, kernel.a, tau), joints), 1e-9)


def four_bar(stiffness=None):
    """Three links and a hinge on the world; they bend where a stiffness is given."""
    section = {"rhoA": 1.2, "EA": 2e5, "EIy": 60.0, "EIz": 60.0, "GJ": 40.0, "Jx": 1e-3}
    section |= {key: section[key] * (stiffness or 1.0) for key in ("EA", "EIy", "EIz", "GJ")}
    links, before = [], 0.0
    for name, length in (("crank", 0.3), ("coupler", 0.8), ("rocker", 0.6)):
        body = {"mass": length, "com": [length / 2, 0, 0], "inertia": [1e-3, 0.03, 0.03], "tip": [length, 0, 0]}
        beam = {"length": length, "section": section, "modes": {"y": 2, "axial": 1}, "damping": 0.01}
        what = {"body": body, "origin": {"xyz": [before, 0, 0]}}
        if stiffness:
            what = {"beam": beam | {"stiffening": "none"}}
        links.append({"name": name, "joint": HINGE | {"name": f"of-{name}"}, **what})
        before = length
    ends = [{"link": "world", "origin": {"xyz": [0.8, 0, 0]}}, {"link": "rocker"}]
    data = {"links": links, "loops": [{"name": "close", "joint": HINGE, "between": ends}]}
    model = lissom.Robot.from_dict({"lissom": 1, "name": "four-bar", "gravity": [0, -9.81, 0], **data}).compile()
    return model, lissom.close_loops(model, {"of-crank": 1.2, "of-coupler.near": -1.0, "of-rocker.near": -1.5})


@pytest.mark.parametrize("name", FORMULATIONS)
def test_a_rigid_four_bar_moves_in_every_formulation_as_in_the_kernel(name):
    model, q = four_bar()
    own, kernel = (theory.simulate(theory.build(each, model), 0.2, start=q, rate=50) for each in (name, "kernel"))
    assert np.abs(kernel.q - q).max() > 0.1
    assert np.abs(own.q - kernel.q).max() < 1e-7
    assert off(own.numbers["wrench"], kernel.numbers["wrench"]) < 1e-6


@pytest.mark.parametrize("name", [*FIRST_ORDER, "dual_screw_nonlinear", "screw_pde"])
def test_a_bending_four_bar_moves_as_in_the_kernel_to_the_order_of_the_formulation(name):
    apart = []
    for stiffness in (1.0, 10.0) if name in FIRST_ORDER else (1.0,):
        model, q = four_bar(stiffness)
        formulation = theory.build(name, model)
        assert formulation.dynamics is not None  # compiled
        runs = [theory.simulate(each, 0.05, start=q, rate=50) for each in (formulation, theory.build("kernel", model))]
        apart.append(off(runs[0].numbers["wrench"], runs[1].numbers["wrench"]))
    if name in FIRST_ORDER:
        assert apart[0] < 0.02
        assert apart[1] < apart[0] / 3
    else:
        assert apart[0] < 1e-5


def test_a_loop_of_the_equivalent_rigid_link_system_stays_closed_in_its_own_displacements():
    """The rates that its own frames have at the joint which closes the loop are those of the kernel's rows."""
    model, q = four_bar(1.0)
    formulation = theory.build("erls", model)
    assert isinstance(formulation, ConnectedFormulation)
    assert isinstance(formulation.base, Erls)
    bent = q.copy()
    bent[model.link("coupler").modes_q] = 1e-9
    formulation.accelerations(bent, np.zeros(model.nv), np.zeros(model.nv))
    rows, kernel = formulation._memory.fields.G, loop_jacobian(model, bent)
    claim(off(rows, kernel), 1e-7)


@pytest.mark.parametrize("name", ["dual_screw", "dual_screw_nonlinear", "screw_pde"])
def test_the_luffing_crane_moves_as_shipped(name):
    """Its cylinder follows a length over time, its rope is an element, the slew is prescribed, the load floats."""
    prepared = lissom.scenario.load("luffing-crane").prepare()
    given = {"start": prepared.start, "motion": prepared.motion, "rate": 20}
    own, kernel = (theory.simulate(theory.build(each, prepared.model), 1.0, **given) for each in (name, "kernel"))
    assert np.abs(kernel.q[-1] - kernel.q[0]).max() > 5e-3
    assert np.abs(own.q - kernel.q).max() < (2e-5 if name in FIRST_ORDER else 1e-9)
    assert off(own.numbers["wrench"], kernel.numbers["wrench"]) < (2e-5 if name in FIRST_ORDER else 1e-8)


@pytest.mark.parametrize("name", ["erls", "recursive_lagrange", "screw_pde"])
def test_the_force_of_a_cylinder_over_time_moves_an_arm(name):
    model = joined("rigid", "cylinder")
    loads = [{"element": "it", "force": 30.0}]
    own, kernel = (theory.simulate(theory.build(each, model), 0.05, loads=loads) for each in (name, "kernel"))
    free = theory.simulate(theory.build(name, model), 0.05)
    assert np.abs(own.q - free.q).max() > 1e-3
    assert np.abs(own.q - kernel.q).max() < 1e-8
    assert off(own.numbers["wrench"], kernel.numbers["wrench"]) < 1e-6


@pytest.mark.parametrize("name", FORMULATIONS)
def test_a_prescribed_hinge_asks_of_every_formulation_the_torque_of_the_kernel(name):
    links = [{"name": "rod", "joint": HINGE | {"name": "hinge"}, **RODS["rigid"]}]
    links.append({"name": "hand", "joint": {"type": "revolute", "axis": [0.6, 0.8, 0]}, "body": BODY})
    robot = lissom.Robot.from_dict({"lissom": 1, "name": "driven", "gravity": [1, -9, 2], "links": links})
    model = robot.compile(prescribed=["hinge"])
    motion = {"hinge": lissom.control.Reference.quintic([0.0], [0.5], 0.1)}
    own, kernel = (theory.simulate(theory.build(each, model), 0.1, motion=motion) for each in (name, "kernel"))
    assert np.abs(own.q - kernel.q).max() < 1e-8
    assert np.abs(own.tau - kernel.tau).max() < 1e-6 * np.abs(kernel.tau).max()
    q, v, tau = moving(model, 0.0)
    with_tau = lissom.forward_dynamics(model, q, v, tau)
    claim(off(theory.build(name, model).driven_accelerations(q, v, tau, np.zeros(model.nv)), with_tau), 1e-10)


def test_a_section_that_a_reader_holds_himself_is_refused_under_loads():
    model = joined("bending", "spring")
    tree = lissom.Robot.from_dict(
        {"lissom": 1, "name": "held", "links": [{"name": "rod", "joint": HINGE, **RODS["bending"]}]}
    )
    assert isinstance(theory.build("screw_pde", model), ConnectedFormulation)
    held = ScrewPDE(tree, closures=[theory.screw_pde.Closure("rod", 0.5, "position")])
    with pytest.raises(theory.Unsupported, match="loads in time act on robots without closures"):
        theory.simulate(held, 0.1, loads=[{"link": "rod", "force": [0, 1, 0]}])
