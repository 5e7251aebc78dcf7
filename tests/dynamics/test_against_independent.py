"""The library's dynamics equal the independent derivation on random trees of everything a robot can have.

Integrals of the exact field are sums over few nodes in the library and over many in the derivation: there
1e-9 is asked throughout.
"""

import itertools

import general_arms
import numpy as np
import pytest
from claims import claim_close, claim_equal
from curved_arm import CURVES, arm
from random_robots import EVERY, random_robot
from random_trees import FIELDS, TREES, Case, plans, tree

import lissom
from lissom.beam.displacement_fields import exact_field
from lissom.beam.functions.quadrature import Quadrature
from lissom.kernel.data.table_operations import tables
from lissom.model.io.robot_files import builtin_names

TIGHT = 1e-12  # relative difference allowed in inverse dynamics


@pytest.fixture(scope="module", params=range(TREES), ids=lambda k: f"tree{k}")
def case(request):
    return tree(request.param)


def test_the_trees_hold_every_joint_on_rigid_and_flexible_links_with_each_field_and_transmission():
    seen = {(stiffening, joint, bends) for stiffening, links in plans() for joint, bends in links}
    assert seen == set(itertools.product(FIELDS, EVERY, (False, True)))
    gears = [link.joint.transmission for k in range(TREES) for link in tree(k).robot.links]
    assert sum(gear is not None and gear.stiffness is not None for gear in gears) >= 5
    assert sum(gear is not None and gear.stiffness is None for gear in gears) >= 5


def test_forward_dynamics(case):
    expected = case.independent.forward(*case.state, case.tau, case.wrenches)
    value = lissom.forward_dynamics(case.model, *case.state, case.tau, case.named_wrenches)
    claim_equal(value, expected, 1e-9)


def test_mass_matrix(case):
    claim_equal(lissom.mass_matrix(case.model, case.q), case.independent.mass_matrix(case.q), max(1e-10, case.slack))


def test_mass_matrix_is_symmetric_positive_definite(case):
    mass = lissom.mass_matrix(case.model, case.q)
    claim_equal(mass, mass.T, 1e-14)
    assert case.model.nv == 0 or np.linalg.eigvalsh(mass)[0] > 0


def test_inverse_dynamics(case):
    expected = case.independent.inverse(*case.state, case.a, case.wrenches)
    value = lissom.inverse_dynamics(case.model, *case.state, case.a, case.named_wrenches)
    claim_equal(value, expected, max(TIGHT, case.slack))


def test_inverse_undoes_forward(case):
    a = lissom.forward_dynamics(case.model, *case.state, case.tau, case.named_wrenches)
    tau = lissom.inverse_dynamics(case.model, *case.state, a, case.named_wrenches)
    forces = np.abs(lissom.mass_matrix(case.model, case.q)) @ np.abs(a)
    assert np.abs(tau - case.tau).max(initial=0.0) <= 1e-9 * max(1.0, forces.max(initial=0.0))


def test_energies(case):
    kinetic, potential = case.independent.energy(*case.state)
    value = lissom.energy(case.model, *case.state)
    tolerance = max(TIGHT, case.slack)
    claim_close(value.kinetic, kinetic, tolerance)
    assert value.potential == pytest.approx(potential, abs=tolerance * (abs(potential) + abs(kinetic)))


def test_joint_wrenches(case):
    expected = case.independent.joint_wrenches(*case.state, case.a, case.wrenches)
    value = lissom.joint_wrenches(case.model, *case.state, case.a, case.named_wrenches)
    claim_equal(value, expected, max(TIGHT, case.slack))


def test_joint_wrenches_carry_all_outboard_mass(case):
    expected = case.independent.balance_wrenches(*case.state, case.a)
    claim_equal(lissom.joint_wrenches(case.model, *case.state, case.a), expected, max(1e-11, case.slack))


def test_link_poses(case):
    for link, (R, p) in zip(case.model.links, case.independent.poses(case.q)):
        expected = np.block([[R, p[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])
        x = 0.0 if case.robot.link(link).flexible else None
        assert lissom.point_pose(case.model, case.q, link, x) == pytest.approx(expected, abs=max(1e-12, case.slack))


@pytest.mark.parametrize("stiffening", FIELDS)
@pytest.mark.parametrize("ends", ["clamped-free", "legendre", "hermite", "pinned-free", "auto"])
def test_other_bases_more_modes_and_preset_damping(ends, stiffening, monkeypatch):
    rule = exact_field.rule  # enough nodes for functions that wave more: what is shown here are the equations
    monkeypatch.setattr(exact_field, "rule", lambda basis: Quadrature.cached(rule(basis).edges, 32))
    rng = np.random.default_rng(5)
    joints = ("free", "universal", "revolute")
    plain = random_robot(rng, joints, flexible=(False, True, True), stiffening=stiffening).to_dict()
    modes = {"y": 4, "z": 2, "torsion": 2, "axial": 2}
    for link in plain["links"][1:]:
        link["beam"] |= {"modes": modes, "ends": ends, "damping": "engineering"}
    case = Case(lissom.Robot.from_dict(plain), rng, order=24, deflection=0.004 if stiffening == "exact" else 0.02)
    expected = case.independent.forward(*case.state, case.tau)
    claim_equal(lissom.forward_dynamics(case.model, *case.state, case.tau), expected, 1e-9)
    claim_equal(lissom.mass_matrix(case.model, case.q), case.independent.mass_matrix(case.q), 1e-10)


BUILTIN = {name: lissom.load(name) for name in builtin_names()}


@pytest.mark.parametrize(
    "name", [name for name, robot in BUILTIN.items() if not robot.loops and not robot.elements and not robot.drives]
)
def test_built_in_robots(name):
    case = Case(lissom.load(name), np.random.default_rng(3), order=20, deflection=0.005)
    expected = case.independent.forward(*case.state, case.tau)
    claim_equal(lissom.forward_dynamics(case.model, *case.state, case.tau), expected, 1e-9)
    mass = lissom.mass_matrix(case.model, case.q)
    claim_equal(mass, case.independent.mass_matrix(case.q), 1e-10)
    assert np.linalg.eigvalsh(mass)[0] > 0


ELSEWHERE = ("loops", "elements", "contacts", "bow", "actuators")  # tables that have tests of their own


def heated_link(stiffening):
    """One link that heat and a tendon strain."""
    data = general_arms.arm("heated plain", stiffening)
    return lissom.Robot.from_dict(data | {"links": data["links"][:1]})


def test_the_comparison_sees_a_millionth_in_any_array_of_the_model():
    """Each constant that the kernel reads matters here: a wrong one would fail `test_inverse_dynamics`."""
    curved = [Case(arm(CURVES["table"], CURVES["play"]), np.random.default_rng(seed)) for seed in range(8)]
    heated = [Case(heated_link(field), np.random.default_rng(1)) for field in ("first", "exact")]
    guided = [
        Case(random_robot(rng, ("guided", "guided"), flexible=0.0), rng) for rng in map(np.random.default_rng, (1, 2))
    ]
    own = [(name, table) for name, table in tables(tree(0).model.arrays) if not {*name.split(".")} & {*ELSEWHERE}]
    unseen = {name for name, table in own if table.dtype == np.float64}
    for case in (*heated, *curved, *guided, *map(tree, reversed(range(TREES)))):
        expected = case.independent.inverse(*case.state, case.a)
        for name in sorted(unseen):
            model, arrays = case.model, case.model.arrays
            part, _, field = name.partition(".")
            old = getattr(arrays, part)
            new = old._replace(**{field: getattr(old, field) * (1 + 1e-6)}) if field else old * (1 + 1e-6)
            arrays = arrays._replace(**{part: new})
            changed = lissom.Model(model.robot, arrays, model.flexible, model.bodies)
            value = lissom.inverse_dynamics(changed, *case.state, case.a)
            if np.abs(value - expected).max(initial=0.0) > max(TIGHT, case.slack) * np.abs(expected).max(initial=0.0):
                unseen.discard(name)
    assert unseen == set()
