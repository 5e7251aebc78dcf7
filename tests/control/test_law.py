"""Control laws and the rigid twin."""

import numpy as np
import pytest
from random_robots import random_robot

import lissom
from lissom import LissomError, control
from lissom.control import ControlLaw, Reference, Sampled, Together, computed_torque, pd, rigid_twin, torques
from lissom.control.laws.law_kinds import GRAVITY
from lissom.model import Model
from lissom.simulation.stepping.time_loop import simulate_raw

ELLA = lissom.load("ella").compile()
CANADARM = lissom.load("canadarm2").compile()
GAINS = {
    "shoulder-yaw": {"p": 900, "d": 157},
    "shoulder": {"p": 2000, "d": 200},
    "elbow": {"p": 600, "d": 40},
}
QUINTIC = Reference.quintic([0, 0, 0], [-0.4928, 0.6922, 0.427], 1.5)


def joints(model: Model) -> tuple[list[int], list[int]]:
    """Indices into q and v of all joint coordinates."""
    on_q = [k for body in model.bodies for k in range(model.nq)[body.joint_q]]
    return on_q, [k for body in model.bodies for k in range(model.nv)[body.joint_v]]


def some_state(model: Model, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return 0.1 * rng.normal(size=model.nq), 0.1 * rng.normal(size=model.nv)


@pytest.mark.parametrize("seed", range(6))
def test_the_twin_has_the_mass_matrix_of_the_straight_robot(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, 5)
    model, twin = robot.compile(), rigid_twin(robot).compile()
    on_q, on_v = joints(model)
    assert twin.coordinates == tuple(model.coordinates[k] for k in on_v)
    q = model.neutral()
    step = np.zeros(model.nv)
    step[on_v] = rng.normal(size=len(on_v))
    q = lissom.dynamics.integrate(model, q, step)
    M = lissom.mass_matrix(model, q)[np.ix_(on_v, on_v)]
    np.testing.assert_allclose(lissom.mass_matrix(twin, q[on_q]), M, atol=1e-12 * np.abs(M).max())
    last = model.links[-1]
    np.testing.assert_allclose(lissom.tip_pose(twin, q[on_q], last), lissom.tip_pose(model, q, last), atol=1e-12)


@pytest.mark.parametrize("name", ["ella", "canadarm2", "dual-screw-arm", "satellite-two-arm", "l-mechanism"])
def test_the_twin_of_a_builtin_weighs_the_same_in_every_joint(name: str) -> None:
    model = lissom.load(name).compile()
    twin = rigid_twin(model.robot).compile()
    on_q, on_v = joints(model)
    q = model.neutral()
    held = lissom.bias(model, q, np.zeros(model.nv))[on_v]
    np.testing.assert_allclose(
        lissom.bias(twin, q[on_q], np.zeros(twin.nv)), held, atol=1e-11 * (1 + np.abs(held).max())
    )


def test_rotors_stay_as_reflected_inertia_on_request() -> None:
    plain, geared = (rigid_twin(CANADARM.robot, rotors=r).compile() for r in (False, True))
    added = lissom.mass_matrix(geared, np.zeros(5)) - lissom.mass_matrix(plain, np.zeros(5))
    np.testing.assert_allclose(added, 10.0 * np.eye(5), atol=1e-9)


def test_pd_is_proportional_to_the_error_and_its_rate() -> None:
    law = pd(ELLA, GAINS, QUINTIC)
    q, v = some_state(ELLA)
    r, rd, _ = QUINTIC(0.4)
    index = [0, 1, ELLA.coordinates.index("elbow")]
    tau = law(0.4, q, v)
    np.testing.assert_allclose(
        tau[index], np.array([900, 2000, 600]) * (r - q[index]) + np.array([157, 200, 40]) * (rd - v[index])
    )
    assert np.count_nonzero(tau) == 3


def test_order_of_gains_does_not_matter() -> None:
    swapped = dict(reversed(GAINS.items()))
    by_joint = {"elbow": QUINTIC.select(2), "shoulder": QUINTIC.select(1), "shoulder-yaw": QUINTIC.select(0)}
    state = some_state(ELLA)
    expected = pd(ELLA, GAINS, QUINTIC)(0.3, *state)
    np.testing.assert_allclose(pd(ELLA, swapped, QUINTIC)(0.3, *state), expected)
    np.testing.assert_allclose(pd(ELLA, swapped, by_joint)(0.3, *state), expected)


def test_the_motor_side_is_measured_at_the_rotor() -> None:
    gains = {"elbow": {"p": 10.0, "d": 1.0}}
    q, v = some_state(CANADARM)
    joint, rotor = CANADARM.coordinates.index("elbow"), CANADARM.coordinates.index("elbow.rotor")
    for side, at in (("joint", joint), ("motor", rotor)):
        tau = pd(CANADARM, gains, 0.5, side=side)(0.0, q, v)  # type: ignore[arg-type]
        assert tau[rotor] == pytest.approx(10 * (0.5 - q[at]) - v[at])
        assert np.count_nonzero(tau) == 1


def test_gravity_compensation_holds_the_rigid_twin() -> None:
    law = pd(ELLA, GAINS, [0.2, 0.3, -0.4], gravity_compensation=True)
    q = ELLA.neutral()
    on_q, on_v = joints(ELLA)
    q[on_q] = [0.2, 0.3, -0.4]
    held = lissom.bias(rigid_twin(ELLA.robot).compile(), q[on_q], np.zeros(3))
    np.testing.assert_allclose(law(0.0, q, np.ones(ELLA.nv))[on_v], held - [157, 200, 40])
    assert law.parts[0].kind is GRAVITY


def test_computed_torque_gives_a_rigid_robot_the_wanted_acceleration() -> None:
    model = lissom.load("rigid-7-axis").compile()
    gains = {joint: {"p": 25.0, "d": 10.0} for joint in model.joints if model.joint(joint).v_names}
    motion = Reference.quintic(np.zeros(7), np.linspace(-1, 1, 7), 2.0)
    law = computed_torque(model, gains, motion)
    q, v = some_state(model)
    robot = rigid_twin(model.robot)  # no friction: the law does not know it
    a = lissom.forward_dynamics(robot.compile(), q, v, law(0.7, q, v))
    r, rd, rdd = motion(0.7)
    np.testing.assert_allclose(a, rdd + 25 * (r - q) + 10 * (rd - v), atol=1e-9)


def test_joints_without_gains_are_measured_but_left_alone() -> None:
    law = computed_torque(ELLA, {"elbow": {"p": 1.0, "d": 1.0}}, 0.0)
    q, v = some_state(ELLA)
    elbow = ELLA.coordinates.index("elbow")
    assert law.twin is not None
    on_q, on_v = joints(ELLA)
    acceleration = np.array([0.0, 0.0, -q[elbow] - v[elbow]])
    expected = lissom.inverse_dynamics(law.twin, q[on_q], v[on_v], acceleration)[2]
    tau = law(0.0, q, v)
    assert tau[elbow] == pytest.approx(expected)
    assert np.count_nonzero(tau) == 1


def test_torque_is_cut_at_its_limits() -> None:
    q, v = ELLA.neutral(), np.zeros(ELLA.nv)
    law = pd(ELLA, GAINS, [1, -1, 1], saturation={"shoulder": 50, "elbow": [-10, 20]})
    on_v = joints(ELLA)[1]
    np.testing.assert_allclose(law(0.0, q, v)[on_v], [900, -50, 20])
    np.testing.assert_allclose(pd(ELLA, GAINS, [1, -1, 1], saturation=5)(0.0, q, v)[on_v], [5, -5, 5])


def test_torques_over_time() -> None:
    law = torques(ELLA, {"elbow": Reference.step(0.0, 3.0, at=1.0), "shoulder": 7.0})
    on_v = joints(ELLA)[1]
    state = some_state(ELLA)
    np.testing.assert_allclose(law(0.5, *state)[on_v], [0, 7, 0])
    np.testing.assert_allclose(law(1.5, *state)[on_v], [0, 7, 3])
    np.testing.assert_array_equal(law.jumps, [1.0])


def test_feedforward_is_added() -> None:
    law = pd(ELLA, GAINS, [0, 0, 0], feedforward={"elbow": 2.5})
    np.testing.assert_allclose(law(0.0, ELLA.neutral(), np.zeros(ELLA.nv))[joints(ELLA)[1]], [0, 0, 2.5])


def test_several_coordinates_of_one_joint() -> None:
    link = {"name": "arm", "joint": {"name": "hip", "type": "universal", "axes": [[0, 1, 0], [0, 0, 1]]}}
    robot = lissom.Robot.from_dict(
        {"name": "leg", "links": [link | {"body": {"mass": 1, "com": [1, 0, 0], "inertia": [1, 1, 1]}}]}
    )
    model = robot.compile()
    law = pd(model, {"hip": {"p": [10, 20], "d": 1}}, {"hip": [0.1, 0.2]})
    np.testing.assert_allclose(law(0.0, np.zeros(2), np.zeros(2)), [1, 4])
    one = pd(model, {"hip.2": {"p": 10, "d": 0}}, 0.5)
    np.testing.assert_allclose(one(0.0, np.zeros(2), np.zeros(2)), [0, 5])


def several_laws() -> list[ControlLaw]:
    arm = {name: GAINS[name] for name in ("shoulder-yaw", "shoulder")}
    return [
        pd(ELLA, arm, QUINTIC.select([0, 1]), gravity_compensation=True),
        computed_torque(ELLA, {"elbow": {"p": 400.0, "d": 40.0}}, QUINTIC.select(2), saturation=30.0),
        torques(ELLA, {"shoulder": Reference.sine(10.0, 3.0, 2.0), "elbow": Reference.step(0, 5, 0.2)}, saturation=8.0),
    ]


def test_laws_add_up_and_keep_their_names_gains_and_limits() -> None:
    laws = several_laws()
    whole = sum(laws)
    assert whole.names == ("shoulder-yaw", "shoulder", "elbow", "shoulder", "elbow")
    np.testing.assert_array_equal(whole.kp, [900, 2000, 400, 0, 0])
    np.testing.assert_array_equal(whole.upper, [np.inf, np.inf, 30, 8, 8])
    for t in (0.0, 0.11, 0.25, 1.7):
        state = some_state(ELLA)
        np.testing.assert_allclose(whole(t, *state), sum(law(t, *state) for law in laws))
    assert set(whole.jumps) == {t for law in laws for t in law.jumps}


def test_a_sum_runs_compiled_as_its_parts_say() -> None:
    """The compiled forces are those of the parts in NumPy, and the motion that of one function that adds them."""
    laws = several_laws()
    run = simulate_raw(ELLA, 0.5, controller=sum(laws), rate=100)
    for k in (0, 10, 30, 50):
        at = (run.q[k], run.v[k])
        np.testing.assert_allclose(run.tau[k], sum(law(run.time[k], *at) for law in laws), atol=1e-6)
    split = simulate_raw(ELLA, 0.5, controller=laws[0] + (laws[1] + laws[2]), rate=100)
    np.testing.assert_array_equal(split.q, run.q)
    kept = lissom.simulate(ELLA, 0.5, controller=sum(laws), rate=100, progress=False).dataset["reference"]
    assert list(kept["reference_q"].values) == ["shoulder-yaw", "shoulder", "elbow"]


def test_sampled_controllers_add_up_each_at_its_own_rate() -> None:
    law = several_laws()[0]
    slow = Sampled(lambda t, q, v: {"elbow": 1.0 + np.floor(10 * t + 1e-6)}, rate=10.0)

    def fast(t: float, q: np.ndarray, v: np.ndarray) -> dict[str, float]:
        return {"elbow": 100.0}

    for whole in (slow + law + fast, fast + (law + slow), sum([law, slow, Sampled(fast)])):
        assert isinstance(whole, Together)
        assert len(whole.sampled) == 2
        run = simulate_raw(ELLA, 0.35, controller=whole, rate=100)
        elbow = run.tau[:, ELLA.coordinates.index("elbow")]
        np.testing.assert_allclose(elbow[[1, 5, 15, 25]], [101, 101, 102, 103])
        np.testing.assert_allclose(run.tau[15][:2], law(run.time[15], run.q[15], run.v[15])[:2], atol=1e-6)


def test_laws_of_different_robots_do_not_add_up() -> None:
    other = pd(CANADARM, {"elbow": {"p": 1.0, "d": 1.0}}, 0.0)
    with pytest.raises(LissomError, match="different robots"):
        several_laws()[0] + other
    with pytest.raises(LissomError, match="must be a function of"):
        several_laws()[0] + 3


def test_jumps_are_those_that_the_law_feels() -> None:
    trapezoid = Reference.trapezoid([0, 0, 0], [1, 1, 1], 1.0, 2.0)
    assert len(pd(ELLA, GAINS, trapezoid).jumps) == 0
    assert len(computed_torque(ELLA, GAINS, trapezoid).jumps) == 4


FREE = lissom.load("satellite-two-arm").compile()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: pd(ELLA, {"elbo": {"p": 1, "d": 1}}, 0),
            r"no joint 'elbo' \(did you mean 'elbow'\?\); its joints are",
        ),
        (lambda: pd(ELLA, {3: {"p": 1, "d": 1}}, 0), r"no joint 3 \(a number\)"),
        (lambda: pd(ELLA, {}, 0), "gains: no joints are given"),
        (lambda: pd(ELLA, 5, 0), "gains = 5: must be a mapping"),
        (lambda: pd(ELLA, {"elbow": 5}, 0), r"gains.elbow = 5: must be {p: ..., d: ...}"),
        (lambda: pd(ELLA, {"elbow": {"p": 5}}, 0), "gains.elbow.d: missing"),
        (lambda: pd(ELLA, {"elbow": {"p": 5, "d": 0, "i": 1}}, 0), "gains.elbow.i = 1: is unknown"),
        (lambda: pd(ELLA, {"elbow": {"p": -5, "d": 0}}, 0), "gains.elbow.p = -5: must not be negative"),
        (
            lambda: pd(ELLA, {"elbow": {"p": np.nan, "d": 0}}, 0),
            "gains.elbow.p = nan: must be a finite number",
        ),
        (lambda: pd(ELLA, {"elbow": {"p": [1, 2], "d": 0}}, 0), "has 2 values, not 1"),
        (lambda: pd(ELLA, GAINS, [0, 1]), "reference = .*has 2 values, not 3"),
        (lambda: pd(ELLA, GAINS, QUINTIC.select([0, 1])), "reference: has 2 channels, not 3"),
        (lambda: pd(ELLA, GAINS, {"elbow": 1}), "reference: nothing for shoulder-yaw and shoulder"),
        (lambda: pd(ELLA, {"elbow": {"p": 1, "d": 1}}, {"shoulder": 1}), "'shoulder' is not controlled"),
        (lambda: pd(ELLA, GAINS, QUINTIC, side="rotor"), "side = 'rotor': is unknown"),
        (lambda: pd(ELLA, GAINS, QUINTIC, saturation={"elbow": [3, -3]}), "lower must be below upper"),
        (lambda: pd(ELLA, GAINS, QUINTIC, saturation=-1), "saturation = -1: must not be negative"),
        (lambda: torques(ELLA, {"elbow": "5"}), "torques.elbow = '5': must be a number"),
        (lambda: torques(ELLA, 5), "torques = 5"),
        (lambda: pd(FREE, {FREE.joints[0]: {"p": 1, "d": 1}}, 0), "is a (free|fixed) joint"),
        (
            lambda: pd(lissom.load("spinup-beam").compile(prescribed=["shaft"]), {"shaft": {"p": 1, "d": 1}}, 0),
            "the motion of 'shaft' is prescribed",
        ),
    ],
)
def test_wrong_arguments_are_named(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(LissomError, match=message):
        make()


def test_an_impedance_pulls_the_tip_as_a_spring_and_a_damper_would() -> None:
    model = lissom.load("rigid-7-axis").compile()
    aim = Reference.quintic([0.3, 0.2, 0.6], [0.4, 0.1, 0.5], 2.0)
    law = control.impedance(model, "link7", [500.0, 400.0, 300.0], 60.0, aim, joint_damping=2.0)
    q, v = some_state(model, 3)
    twin = rigid_twin(model.robot, rotors=True).compile()
    J = lissom.dynamics.jacobian(twin, q, "link7")[3:]
    r, rd, _ = aim(0.9)
    F = np.array([500, 400, 300]) * (r - lissom.tip_pose(twin, q, "link7")[:3, 3]) + 60 * (rd - J @ v)
    wanted = lissom.bias(twin, q, np.zeros(7)) + J.T @ F - 2 * v
    np.testing.assert_allclose(law(0.9, q, v), wanted, atol=1e-11)


def test_a_tip_under_impedance_gives_way_by_force_over_stiffness() -> None:
    model = lissom.load("rigid-7-axis").compile()
    start = {name: 0.4 for name in model.joints if model.joint(name).v_names}
    q = lissom.dynamics.configuration(model, start)
    at = lissom.tip_pose(model, q, "link7")[:3, 3]
    law = control.impedance(model, "link7", 2000.0, 250.0, at, joint_damping=5.0)
    push = lissom.Load(link="link7", force=[0.0, 12.0, -20.0])
    run = lissom.simulate(model, 8.0, controller=law, start=start, loads=[push], progress=False)
    np.testing.assert_allclose(run.tip("link7").values[-1, :3] - at, [0, 12 / 2000, -20 / 2000], atol=2e-4)


def test_inverse_dynamics_along_the_reference_is_that_of_the_twin_with_friction() -> None:
    model = lissom.load("rigid-7-axis").compile()
    gains = {name: {"p": 100.0, "d": 1.0} for name in model.joints if model.joint(name).v_names}
    motion = Reference.quintic(np.zeros(7), np.ones(7), 1.0)
    law = pd(model, gains, motion, inverse_dynamics=True)
    q, v = some_state(model, 4)
    r, rd, rdd = motion(0.3)
    twin = rigid_twin(model.robot, rotors=True, friction=True).compile()
    wanted = lissom.inverse_dynamics(twin, r, rd, rdd) + 100 * (r - q) + rd - v
    np.testing.assert_allclose(law(0.3, q, v), wanted, atol=1e-10)
