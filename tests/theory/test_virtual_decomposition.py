"""A controller per link on the wrenches at its joints: the balance of its errors, and the power that crosses joints."""

import numpy as np
import pytest
from claims import claim

import lissom
from lissom import theory
from lissom.control import Reference, Sampled
from lissom.dynamics import integrate
from lissom.theory.virtual_decomposition import VirtualDecomposition, joint_powers

STEP = 1e-5  # s, of central differences along a motion


def law_of(name, **gains):
    model = lissom.load(name).compile()
    joints = sum(body.joint_v.stop - body.joint_v.start for body in model.bodies)
    reference = Reference.quintic(np.zeros(joints), np.linspace(0.3, 0.8, joints), 1.0)
    return model, VirtualDecomposition(model, reference, **gains)


def some_state(model):
    step, v = np.random.default_rng(0).normal(size=(2, model.nv))
    for body in model.bodies:
        step[body.modes_v] *= 2e-3
        v[body.modes_v] *= 2e-2
    return integrate(model, model.neutral(), step), v


def mass_rate(law, along, errors):
    """1/2 e^T M' e of all links by central differences."""

    def energy(x):
        q, v = along(x)
        law.system.evaluate(q, v, 0 * v)
        blocks = [np.tril(mass[:6, :6]) for mass in law.system.work.mass]
        return sum(0.5 * e @ (M + np.tril(M, -1).T) @ e for e, M in zip(errors, blocks, strict=True))

    return (energy(STEP) - energy(-STEP)) / (2 * STEP)


@pytest.mark.parametrize("name", ["rigid-7-axis", "ella"])
def test_the_energy_of_errors_changes_by_damping_and_by_what_vibrations_feed(name):
    """Virtual powers of neighbours cancel at every joint; a rigid arm's errors vanish exponentially."""
    model, law = law_of(name)
    q, v = some_state(model)
    found = law.step(0.4, q, v)
    a = lissom.forward_dynamics(model, q, v, found.forces)

    def along(x):
        return integrate(model, q, x * v + 0.5 * x * x * a), v + x * a

    near, far = ([law.step(0.4 + x, *along(x)).energy for x in (h, -h)] for h in (STEP, 2 * STEP))
    rate = (8 * (near[0] - near[1]) - (far[0] - far[1])) / (12 * STEP)
    fed = law.fed(0.4, q, v, a)
    expected = -found.lost + fed + mass_rate(law, along, found.errors)
    claim(abs(rate - expected) / max(abs(fed), found.lost), 1e-6)
    assert (fed == 0.0) == (name == "rigid-7-axis")


def test_a_rigid_arm_follows_exponentially_from_a_wrong_start():
    model, law = law_of("rigid-7-axis", rate=8.0, damping=16.0)
    start = integrate(model, model.neutral(), np.full(model.nv, 0.05))
    run = lissom.simulate(model, 0.5, controller=Sampled(law, 4000), start=start, rate=100, progress=False)
    energies = np.array([law.step(*sample).energy for sample in zip(run.time, run.q, run.v, strict=True)])
    rates = -np.diff(np.log(energies)) / np.diff(run.time)
    assert rates[:30] == pytest.approx(2 * 16.0, rel=0.05)


def test_every_link_keeps_of_the_power_through_its_joints_what_its_energy_gains():
    """Rigid links: what a parent gives, less what the child takes beside what its joint adds, is the rate of energy."""
    model = lissom.load("rigid-7-axis").compile()
    run = lissom.simulate(model, 0.2, start=some_state(model)[0], rate=2000, rtol=1e-10, progress=False)
    system, powers = theory.screw_pde.ScrewPDE(model), joint_powers(run)
    energies, added, wrenches = [], np.zeros_like(powers), run.numbers["wrench"]
    for k, (q, v) in enumerate(zip(run.q, run.v, strict=True)):
        system.evaluate(q, v, 0 * v)
        work, own = system.work, []
        for i in range(len(model.bodies)):
            M = np.tril(work.mass[i, :6, :6])
            M = M + np.tril(M, -1).T
            mass, moment = M[5, 5], np.array([M[2, 4], M[0, 5], M[1, 3]])
            height = work.world_p[i] * mass + work.world_R[i] @ moment
            own.append(0.5 * work.V[i] @ M @ work.V[i] - np.asarray(model.robot.gravity) @ height)
        energies.append(own)
        added[k] = np.einsum("nr,nr->n", wrenches[k], work.joint_U)
    gained = np.gradient(np.array(energies), run.time, axis=0)[2:-2]
    kept = powers.copy()
    kept[:, :-1] -= powers[:, 1:] - added[:, 1:]  # a chain
    assert np.abs(kept[2:-2] - gained).max() < 1e-4 * np.abs(powers).max()


def test_ella_follows_closer_than_by_pd_and_rings_less():
    """With rotors of 1 kg m2 at the joints; gains of PD are those of the scenario."""
    rotor = {"rotor_inertia": 1e-4, "gear": 100.0}
    paths = [f"links.{link}.joint.transmission" for link in ("hub", "upper", "forearm")]
    model = lissom.load("ella").with_values([(path, rotor) for path in paths]).compile()
    reference = Reference.quintic(np.zeros(3), [-0.4928, 0.6922, 0.4270], 0.5)
    gains = {"shoulder-yaw": {"p": 900, "d": 157}, "shoulder": {"p": 2000, "d": 200}, "elbow": {"p": 600, "d": 40}}
    law = VirtualDecomposition(model, reference, rate=5.0, damping=10.0)
    apart = []
    for controller in (Sampled(law, 1000), lissom.control.pd(model, gains, reference=reference)):
        run = lissom.simulate(model, 0.6, controller=controller, start=np.zeros(model.nq), rate=100, progress=False)
        wanted = np.array([reference(t)[0] for t in run.time])
        apart.append(np.sqrt(np.mean((run.q[:, [b.joint_q.start for b in model.bodies]] - wanted) ** 2)))
    assert apart[0] < 0.25 * apart[1]


@pytest.mark.parametrize(
    ("name", "words"), [("satellite-two-arm", "one axis"), ("canadarm2", "rigid gears"), ("slider-crank", "trees")]
)
def test_what_it_does_not_drive_is_refused_by_name(name, words):
    with pytest.raises(theory.Unsupported, match=words):
        VirtualDecomposition(name, None)
