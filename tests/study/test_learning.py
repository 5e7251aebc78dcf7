"""Environments of Gymnasium: the library's own check, equality with `simulate`, many arms at once, clear refusals."""

import numpy as np
import pytest

import lissom
from lissom.dynamics import mass_matrix
from lissom.errors import LissomError

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from lissom.study.learning import NAME, Environment, VectorEnvironment  # noqa: E402

PAYLOAD = "links.forearm.beam.masses.0.mass"


@pytest.fixture
def ella():
    return lissom.scenario.load("ella").with_value("duration", 0.2)


@pytest.mark.filterwarnings("ignore:.*infinity.*")
@pytest.mark.parametrize("name", ["ella", "canadarm2", "five-bar"])
def test_the_checker_of_gymnasium_accepts_it(name):
    scenario = lissom.scenario.load(name).with_value("duration", 0.1)
    env = gymnasium.make(NAME, scenario=scenario, rate=50)
    check_env(env.unwrapped, skip_render_check=True)


def test_held_torques_move_it_as_a_sampled_controller_does(ella):
    shares = np.random.default_rng(0).uniform(-0.2, 0.2, (10, 3))
    env = Environment(ella, rate=50)
    env.reset(seed=0)
    limits = np.array([limit for _, limit in env._motors.values()])
    for share in shares:
        seen, _, failed, over, _ = env.step(share)
    assert over
    assert not failed

    def torques(t, q, v):
        return dict(zip(env.joints, limits * shares[min(9, round(t * 50))], strict=True))

    start = ella.prepare().start
    alone = lissom.simulate(
        ella.load_robot(), 0.2, controller=lissom.control.Sampled(torques, 50), start=start, rate=50, progress=False
    )
    expected = [alone[name].values[-1] for name in env.joints] + [
        alone.velocity(name).values[-1] for name in env.joints
    ]
    np.testing.assert_allclose(seen, expected, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(env.trajectory().q, alone.q, rtol=1e-3, atol=1e-5)


def test_actions_are_added_to_the_controller_that_is_kept(ella):
    env = Environment(ella, control=True, rate=50)
    env.reset()
    for _ in range(10):
        seen, *_ = env.step(np.zeros(3))
    alone = ella.run(progress=False)
    np.testing.assert_allclose(seen[:3], [alone[name].values[-1] for name in env.joints], atol=1e-5)


def test_observations_are_the_quantities_of_the_run(ella):
    wanted = ["position.elbow", "eta", "deflection.upper", "tip_position.forearm.z", "wrench.elbow.force"]
    env = Environment(ella, observations=wanted, rate=50)
    env.reset()
    for _ in range(3):
        seen, *_ = env.step([0.1, 0.2, -0.1])
    run = env.trajectory()
    expected = np.concatenate(
        [
            [run["elbow"].values[3]],
            run.dataset["eta"].values[3],
            run.deflection("upper").values[3],
            [run.tip("forearm").values[3, 2]],
            run.wrench("elbow").values[3, 3:],
        ]
    )
    np.testing.assert_allclose(seen, expected, rtol=1e-6, atol=1e-9)
    assert len(env.labels) == len(seen)
    assert env.labels[0] == "position.elbow"


def test_reward_and_goal_are_free(ella):
    env = Environment(ella, goal={"tip_position.forearm": [1.88, 0, 0]}, rate=50)
    env.reset()
    *_, near = env.step(np.zeros(3))[:2]
    assert -1e-3 < near <= 0
    env = Environment(ella, reward=lambda moment: moment.time + moment.q.size, rate=50)
    env.reset()
    assert env.step(np.zeros(3))[1] == pytest.approx(0.02 + env._episode.model.nq)


def test_every_episode_draws_its_own_arm_and_a_seed_repeats_it(ella):
    env = Environment(ella, vary={PAYLOAD: (0.5, 3.0)}, rate=50)
    drawn = [env.reset(seed=seed)[1][PAYLOAD] for seed in (1, 2, 1)]
    assert drawn[0] == drawn[2] != drawn[1]
    moved = []
    for _ in range(2):
        env.reset(seed=1)
        moved.append(env.step([0.1, 0.1, 0.1])[0])
    np.testing.assert_array_equal(*moved)
    assert env.reset(options={PAYLOAD: 2.5})[1][PAYLOAD] == 2.5


def test_an_episode_that_was_kept_has_its_own_arm_later_too(ella):
    """The arms of later episodes take over the memory of its model."""
    env = Environment(ella, vary={PAYLOAD: (0.5, 3.0)}, rate=50)
    kept = []
    for seed in (1, 2, 3):
        env.reset(seed=seed)
        env.step([0.1, 0.1, 0.1])
        run = env.trajectory()
        kept.append((run.model, mass_matrix(run.model, run.q[-1]), run.q[-1]))
    for model, inertia, q in kept:
        np.testing.assert_array_equal(mass_matrix(model, q), inertia)


def test_many_arms_move_as_single_ones(ella):
    envs = gymnasium.make_vec(NAME, num_envs=3, scenario=ella, rate=50, vary={PAYLOAD: (0.5, 3.0)})
    assert isinstance(envs, VectorEnvironment)
    begun, _ = envs.reset(seed=5)
    actions = np.random.default_rng(0).uniform(-0.2, 0.2, (12, 3, 3))
    seen = [envs.step(action) for action in actions]
    for k in range(3):
        env = Environment(ella, rate=50, vary={PAYLOAD: (0.5, 3.0)})
        np.testing.assert_array_equal(env.reset(seed=5 + k)[0], begun[k])
        for step in range(10):
            alone, reward, failed, over, _ = env.step(actions[step, k])
            np.testing.assert_array_equal(seen[step][0][k], alone)
            assert (seen[step][1][k], seen[step][2][k], seen[step][3][k]) == (reward, failed, over)
        np.testing.assert_array_equal(seen[10][0][k], env.reset()[0])  # begins again by itself
        assert seen[10][1][k] == 0
        assert not seen[10][3][k]
        np.testing.assert_array_equal(seen[11][0][k], env.step(actions[11, k])[0])
    envs.close()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"torques": {"elbo": 1}}, "torques = 'elbo': has no motor (did you mean 'elbow'?)"),
        ({"torques": {"elbow": -1}}, "torques.elbow = -1: must be the largest torque"),
        ({"rate": float("inf")}, "must be the number of actions per second"),
        ({"rate": 0}, "rate = 0: must be the number of actions per second"),
        ({"observations": ["positon"]}, "did you mean 'position'"),
        ({"observations": ["peak position.elbow"]}, "must be a quantity of one moment"),
        ({"observations": ["torque"]}, "cannot be observed; there are"),
        ({"goal": {"position": [1, 2]}}, "goal.position = [1, 2]: must be a number, or 3 of them"),
        ({"vary": {PAYLOAD: 3}}, "must be (least, largest)"),
    ],
)
def test_what_makes_no_environment_is_refused(ella, options, text):
    with pytest.raises(LissomError) as error:
        Environment(ella, **options)
    assert text in str(error.value)


def test_actions_that_are_not_one_number_per_motor_are_refused(ella):
    env, envs = Environment(ella), VectorEnvironment(3, scenario=ella)
    env.reset(seed=1)
    envs.reset(seed=1)
    for wrong in (np.zeros(5), [0.0, np.nan, 0.0]):
        with pytest.raises(LissomError, match="must be finite numbers of the shape"):
            env.step(wrong)
    with pytest.raises(LissomError, match="must be finite numbers of the shape"):
        envs.step(np.zeros((2, 3)))  # of three arms
    with pytest.raises(LissomError, match="must be one number, or 3 of them"):
        envs.reset(seed=[1, 2])
    envs.close()
    with pytest.raises(LissomError, match="num_envs = 0"):
        VectorEnvironment(0, scenario=ella)


def test_an_episode_of_another_structure_is_refused(ella):
    env = Environment(ella, observations=["eta"])
    with pytest.raises(LissomError, match="other coordinates"):
        env.reset(options={"links.upper.beam.modes.y": 1})
    env.reset(seed=1)
    env.step(np.zeros(3))


def test_a_floating_base_has_no_motor_unless_asked_for():
    assert not any(name.startswith("base") for name in Environment("satellite-two-arm").joints)
    assert Environment("satellite-two-arm", torques={"base.wz": 5.0}).joints == ["base.wz"]


def test_a_run_that_is_over_must_begin_again(ella):
    env = Environment(ella, rate=5)
    env.reset()
    assert env.step(np.zeros(3))[3]
    with pytest.raises(LissomError, match="the run is over"):
        env.step(np.zeros(3))


def test_wrenches_count_what_acts_from_outside():
    push = {"link": "forearm", "force": [0, 0, -20.0]}
    scenario = lissom.scenario.load("ella").with_values([("duration", 0.1), ("loads", [push])])
    env = Environment(scenario, observations=["wrench.elbow"], rate=50)
    env.reset()
    for _ in range(3):
        seen, *_ = env.step(np.zeros(3))
    np.testing.assert_allclose(seen, env.trajectory().wrench("elbow").values[3], rtol=1e-9)
