"""Elements, contacts and loads: their forces equal those of virtual work, on random trees with every field."""

import numpy as np
import pytest
from claims import claim_equal
from independent import Independent
from independent_elements import outside_forces
from random_robots import random_description, random_state

import lissom
from lissom.dynamics import symbolic as symbols
from lissom.model import Robot
from lissom.model.description.frame import Frame

SHAPES = (
    {"shape": "plane"},
    {"shape": "ball", "radius": 0.6},
    {"shape": "box", "size": [0.9, 1.1, 0.8]},
    {"shape": "cylinder", "radius": 0.5, "length": 0.9},
)


def vector(rng, size):
    return (size * rng.normal(size=3)).round(3).tolist()


def place(rng, links):
    """A frame somewhere on a random link, or on the world."""
    link = links[int(rng.integers(len(links)))] if rng.random() < 0.85 else {"name": "world"}
    frame = {"link": link["name"], "origin": {"xyz": vector(rng, 0.3), "rpy": vector(rng, 0.4)}}
    return frame | ({"at": round(0.6 * link["beam"]["length"], 3)} if "beam" in link and rng.random() < 0.7 else {})


def pair(rng, links):
    while True:
        first, second = place(rng, links), place(rng, links)
        if first["link"] != second["link"]:
            return [first, second]


def elements(rng, links):
    half = rng.normal(size=(6, 6))
    kinds = [
        {"type": "spring", "stiffness": 200.0, "length": 0.4, "damping": 3.0},
        {"type": "spring", "length": 0.2, "curve": {"polynomial": [50.0, 20.0, 30.0]}},
        {"type": "damper", "damping": 7.0},
        {"type": "rope", "stiffness": 300.0, "length": 0.3, "damping": 2.0},
        {"type": "rope", "stiffness": 300.0, "length": 30.0},
        {"type": "cylinder", "force": 12.0, "damping": 4.0},
        {"type": "bushing", "stiffness": (half @ half.T).tolist(), "damping": [1, 2, 3, 4, 5, 6]},
    ]
    return [kind | {"name": f"e{k}", "between": pair(rng, links)} for k, kind in enumerate(kinds)]


def contacts(rng, links):
    out = []
    for k, shape in enumerate(SHAPES):
        sphere, surface = pair(rng, links)
        law = {"stiffness": 500.0, "exponent": (1.5, 2.0, 1.0, 1.5)[k], "damping": 0.2, "friction": 0.4}
        out.append({"name": f"c{k}", "sphere": sphere | {"radius": 4.0}, "surface": surface | shape, **law})
        out[-1]["friction_speed"] = 0.5
    return out


def made(number, stiffening):
    rng = np.random.default_rng(number)
    data = random_description(rng, 4, flexible=0.6, stiffening=stiffening)
    plain = Robot.from_dict(data)
    robot = Robot.from_dict(data | {"elements": elements(rng, data["links"]), "contacts": contacts(rng, data["links"])})
    return rng, plain, robot


@pytest.mark.parametrize(("stiffening", "number"), [("none", 1), ("none", 2), ("first", 3), ("first", 4), ("exact", 5)])
def test_forces_equal_virtual_work_and_derivatives_the_complex_step_of_differences(stiffening, number):
    rng, plain, robot = made(number, stiffening)
    q, v = random_state(robot, rng)
    model = robot.compile()
    a = rng.normal(size=model.nv)
    derivation = Independent(plain, order=12)
    force = outside_forces(derivation, robot, q, v)
    assert np.abs(force).max() > 1.0
    there = lissom.inverse_dynamics(model, q, v, a)
    claim_equal(there, derivation.inverse(q, v, a) - force, 1e-9)
    rounding = np.finfo(float).eps * np.linalg.cond(lissom.mass_matrix(model, q))  # of solving with M and back
    claim_equal(lissom.forward_dynamics(model, q, v, there), a, max(1e-8, 10 * rounding))
    exact = lissom.derivatives(model, q, v, there)
    step = 1e-6
    for k in rng.permutation(model.nv)[:4]:
        along = step * np.eye(model.nv)[k]
        ahead, behind = (
            lissom.forward_dynamics(model, lissom.dynamics.integrate(model, q, s * along), v, there) for s in (1, -1)
        )
        claim_equal((ahead - behind) / (2 * step), exact.q[:, k], 2e-5)
        ahead, behind = (lissom.forward_dynamics(model, q, v + s * along, there) for s in (1, -1))
        claim_equal((ahead - behind) / (2 * step), exact.v[:, k], 2e-5)


@pytest.mark.parametrize("stiffening", ["none", "first", "exact"])
def test_loads_act_as_virtual_work_says(stiffening):
    from lissom.kernel.algorithms import newton_euler

    rng, plain, _ = made(7, stiffening)
    q, v = random_state(plain, rng)
    frames = [Frame(**place(rng, [link])) for link in plain.to_dict()["links"] for _ in range(2)]
    frames = [frame for frame in frames if frame.link != "world"]
    in_world = [bool(k % 2) for k in range(len(frames))]
    model = plain.compile().with_loads(frames, in_world)
    wrench = np.zeros((model.rows, 6))
    wrench[model.frame_row(0) :] = given = rng.normal(size=(len(frames), 6))
    a, there = rng.normal(size=model.nv), np.zeros(model.nv)
    newton_euler.inverse_dynamics(model.struct, model.workspace(), q, v, a, wrench, there)
    derivation = Independent(plain, order=12)
    force = outside_forces(derivation, plain, q, v, zip(frames, given, in_world))
    claim_equal(there, derivation.inverse(q, v, a) - force, 1e-9)


def test_symbols_give_the_same_numbers():
    pytest.importorskip("casadi")
    rng, _, robot = made(3, "first")
    q, v = random_state(robot, rng)
    model = robot.compile()
    tau = rng.normal(size=model.nv)
    symbolic = symbols.forward_dynamics(model)(q, v, tau)
    claim_equal(np.array(symbolic).ravel(), lissom.forward_dynamics(model, q, v, tau), 1e-9)
    kinetic, potential = symbols.energy(model)(q, v)
    energy = lissom.energy(model, q, v)
    assert float(potential) == pytest.approx(energy.potential, rel=1e-10)
    assert float(kinetic) == pytest.approx(energy.kinetic, rel=1e-10)
    assert energy.elements > 0


def test_energy_falls_by_what_is_lost_and_rises_by_thrust():
    rng, _, robot = made(2, "none")
    q, v = random_state(robot, rng)
    model = robot.compile()
    a = lissom.forward_dynamics(model, q, v, np.zeros(model.nv))
    work, h = model.scratch(), 1e-5
    lost = work.element[:, 4].sum() + work.touch[:, 4].sum()
    given = work.power[0]
    from lissom.kernel.forces.passive_joint_forces import dissipation

    lost += dissipation(model.struct, q, v, 0.0)
    ends = [
        lissom.energy(model, lissom.dynamics.integrate(model, q, s * v + 0.5 * s * s * a), v + s * a).total
        for s in (h, -h)
    ]
    assert (ends[0] - ends[1]) / (2 * h) == pytest.approx(given - lost, rel=1e-5)
