"""Environments of Gymnasium for any scenario: an agent moves the joints, one arm or many at once.

>>> env = gymnasium.make("lissom.study.learning:lissom/Arm-v0", scenario="ella")
>>> envs = gymnasium.make_vec("lissom.study.learning:lissom/Arm-v0", num_envs=16, scenario="ella")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lissom.control.laws.control_law import Together
from lissom.dynamics import inverse_dynamics, mass_matrix
from lissom.errors import StudyError
from lissom.kernel.data.arrays import Regulation
from lissom.messages import did_you_mean, listed
from lissom.model.compilation.actuator_tables import INFINITE
from lissom.model.model import Model
from lissom.operating_system import cores
from lissom.results.trajectory import Trajectory, from_run
from lissom.scenario.prepare import Prepared, prepare
from lissom.simulation.batch.stepper import Stepper
from lissom.study.agent_observations import ObservationVector
from lissom.study.plan.run_plan import as_scenario

try:
    import gymnasium
    from gymnasium.spaces import Box
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise StudyError("an environment needs a package: pip install 'lissom[learn]'") from None

NAME = "lissom/Arm-v0"
BRISK = 10.0  # rad/s2 or m/s2 that a joint's motor can do beside the weight, unless its torque is given
EFFORT = 0.01  # of the reward, for actions at their limits


@dataclass(frozen=True)
class EpisodeMoment:
    """What a reward may depend on."""

    time: float  # s
    q: np.ndarray  # (nq,)
    v: np.ndarray  # (nv,)
    observation: np.ndarray
    action: np.ndarray  # (joints,) shares of the largest torques
    model: Model


class Environment(gymnasium.Env):
    """A scenario whose joints are moved by an agent.

    Parameters
    ----------
    scenario
        A scenario, its name or file; or a Robot or Model.
    rate : float
        Actions per second, each held until the next.
    torques : mapping, optional
        {joint: largest torque or force}; joints that are not named are left alone. Unless given, every joint
        with a motor but free ones, strong enough for its weight and 10 rad/s2. Where actuators
        drive the robot, {actuator: largest command}; unless given, that of its limits.
    control : bool
        Keep the scenario's controller, so that actions are added to it.
    observations : sequence of str
        Quantities by name, as in studies: "position", "velocity.elbow", "deflection.upper",
        "tip_position.tool.z".
    goal : mapping, optional
        {quantity: value or values} to reach. The end of the scenario's reference unless given, or the start.
    reward : callable, optional
        Function of a `EpisodeMoment`, in place of minus the squared distance from the goal and a little effort.
    failure : float
        Reward of a motion that cannot be computed any further.
    vary : mapping, optional
        {path: (least, largest)} of fields of the scenario or robot, drawn anew for every episode.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  as the library has it

    def __init__(
        self,
        scenario: Any = "ella",
        *,
        rate: float = 50.0,
        torques: Mapping[str, float] | None = None,
        control: bool = False,
        observations: Sequence[str] = ("position", "velocity"),
        goal: Mapping[str, Any] | None = None,
        reward: Callable[[EpisodeMoment], float] | None = None,
        failure: float = -100.0,
        vary: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        self.scenario = as_scenario(scenario)
        self.scenario = self.scenario.model_copy(update={"robot": self.scenario.load_robot()})
        if not (isinstance(rate, int | float) and 0 < rate < np.inf):
            raise StudyError("must be the number of actions per second, above 0", ("rate",), rate)
        self.rate, self.control, self.reward, self.failure = float(rate), control, reward, float(failure)
        self.vary = {path: _bounds(path, pair) for path, pair in (vary or {}).items()}
        self._prepared = prepare(self.scenario)
        model = self._prepared.model
        self._motors = _motors(model, self._prepared.start[0], torques)
        self._episode = self._begin()
        self._senses = ObservationVector(self._episode.result(), observations)
        chosen = dict(goal) if goal is not None else _final(self._prepared)
        self._target = ObservationVector(self._episode.result(), list(chosen))
        self._goal = self._target.values_like(chosen)
        self.action_space = Box(-1.0, 1.0, (len(self._motors),), np.float64)
        self.observation_space = Box(-np.inf, np.inf, (self._senses.size,), np.float64)

    @property
    def joints(self) -> list[str]:
        """What each action moves."""
        return list(self._motors)

    @property
    def labels(self) -> list[str]:
        """What each observation is."""
        return self._senses.labels

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin again; `options` are values of fields for this episode, {path: value}."""
        super().reset(seed=seed)
        drawn = {path: float(self.np_random.uniform(low, high)) for path, (low, high) in self.vary.items()}
        changes = drawn | (options or {})
        before = self._prepared.model
        if changes or self.vary:
            prepared = prepare(self.scenario.with_values(changes.items()))
            if prepared.model.coordinates != before.coordinates:
                text = "make another arm with other coordinates; make another environment of it"
                raise StudyError(text, ("options",), changes)
            self._prepared = prepared
            self._prepared.model.take_over(before)
        self._episode = self._begin()
        return self._senses(self._episode), {"time": 0.0, **changes}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Let torques act for one period."""
        action = np.clip(_actions(action, self.action_space), -1.0, 1.0)
        force = np.zeros(self._episode.model.nv)
        for share, (index, limit) in zip(action, self._motors.values(), strict=True):
            force[index] = share * limit
        episode = self._episode
        episode.advance(force, 1.0 / self.rate)
        seen = self._senses(episode)
        info: dict[str, Any] = {"time": episode.time}
        if episode.failure or not np.isfinite(seen).all():
            info["failure"] = episode.failure or "the motion is not finite"
            return np.nan_to_num(seen), self.failure, True, False, info
        return seen, float(self._compute_reward(seen, action)), False, episode.over, info

    def trajectory(self) -> Trajectory:
        """Return the episode so far as a run, to be plotted, watched and saved."""
        raw = self._episode.result()
        return from_run(replace(raw, model=raw.model.copy()))  # the next episode goes on in the memory of this model

    def _compute_reward(self, seen: np.ndarray, action: np.ndarray) -> float:
        episode = self._episode
        if self.reward is not None:
            return self.reward(EpisodeMoment(episode.time, episode.q, episode.v, seen, action, episode.model))
        off = self._target(episode) - self._goal
        return -float(off @ off + EFFORT * (action @ action) / max(1, len(action))) / self.rate

    def _begin(self) -> Stepper:
        settings = self._prepared.settings.model_copy(update={"rate": self.rate, "audit": False})
        drive = self._prepared.drive if self.control else self._prepared.drive | {"controller": None}
        return Stepper(self._prepared.model, settings, **drive)


class VectorEnvironment(VectorEnv):
    """Many arms at once, on all cores; each begins again by itself in the step after its end."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(self, num_envs: int = 1, **options: Any) -> None:
        if isinstance(num_envs, bool) or not isinstance(num_envs, int) or num_envs < 1:
            raise StudyError("must be a whole number, at least 1", ("num_envs",), num_envs)
        self.envs = [Environment(**options) for _ in range(num_envs)]
        self.num_envs = num_envs
        self.single_action_space = self.envs[0].action_space
        self.single_observation_space = self.envs[0].observation_space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._ended = np.zeros(num_envs, bool)
        # machine code runs beside the interpreter; a task takes many arms, as handing it over takes as long as a step
        count = min(cores(), num_envs)
        self._threads = ThreadPoolExecutor(count)
        self._shares = [range(k * num_envs // count, (k + 1) * num_envs // count) for k in range(count)]

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin all again; `seed` for the first, the others count on from it, or one for each."""
        seeds = seed if isinstance(seed, list | tuple) else [None if seed is None else seed + k for k in self._numbers]
        if len(seeds) != self.num_envs:
            raise StudyError(f"must be one number, or {self.num_envs} of them", ("seed",), seed)
        self._ended[:] = False
        begun = [env.reset(seed=own, options=options) for env, own in zip(self.envs, seeds, strict=True)]
        return np.stack([seen for seen, _ in begun]), self._merge_infos([info for _, info in begun])

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Let torques act on all arms for one period."""
        given = _actions(actions, self.action_space)
        shares = self._threads.map(lambda own: [self._one(k, given[k]) for k in own], self._shares)
        done = [one for share in shares for one in share]
        seen, rewards, terminated, truncated, infos = zip(*done, strict=True)
        failed, over = np.array(terminated, bool), np.array(truncated, bool)
        self._ended = failed | over
        return np.stack(seen), np.array(rewards, float), failed, over, self._merge_infos(infos)

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        self._threads.shutdown()

    @property
    def _numbers(self) -> range:
        return range(self.num_envs)

    def _one(self, number: int, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        env = self.envs[number]
        if self._ended[number]:
            seen, info = env.reset()
            return seen, 0.0, False, False, info
        return env.step(action)

    def _merge_infos(self, infos: Sequence[dict[str, Any]]) -> dict[str, Any]:
        told: dict[str, Any] = {}
        for number, info in enumerate(infos):
            told = self._add_info(told, info, number)
        return told


def _actions(given: Any, space: Any) -> np.ndarray:
    """Return actions as an array; what is not as many numbers as there are motors is refused."""
    actions = np.asarray(given, float)
    if actions.shape != space.shape or not np.isfinite(actions).all():
        raise StudyError(f"must be finite numbers of the shape {space.shape}", ("action",), given)
    return actions


def _motors(model: Model, q: np.ndarray, torques: Mapping[str, float] | None) -> dict[str, tuple[int, float]]:
    """Return {coordinate: (place in v, largest torque)}."""
    commands = {own.command: own.actuator for own in model.states}
    driven = [int(k) for k in model.actuated if not model.arrays.velocities.prescribed[k]]
    names = {commands.get(k, model.coordinates[k]): k for k in driven}
    known = {name.removesuffix(".rotor"): k for name, k in names.items()}
    if torques is None:
        still = np.zeros(model.nv)
        M, weight = mass_matrix(model, q), inverse_dynamics(model, q, still, still)
        free = {link.joint.name for link in model.robot.links if link.joint.type == "free"}
        floating = {k for body in model.bodies if body.joint in free for k in range(model.nv)[body.joint_v]}
        return {
            name: (
                k,
                _largest_command(model, name, k)
                if k in commands
                else float(BRISK * M[k, k] + abs(weight[_joint_side(model, k)])),
            )
            for name, k in known.items()
            if k not in floating  # there is nothing that its motor could stand on
        }
    for name, limit in torques.items():
        if name not in known:
            text = f"has no motor{did_you_mean(name, known)}; there are {listed(known, 'and')}"
            raise StudyError(text, ("torques",), name)
        if not (isinstance(limit, int | float) and np.isfinite(limit) and limit > 0):
            raise StudyError("must be the largest torque, above 0", ("torques", name), limit)
    return {name: (known[name], float(limit)) for name, limit in torques.items()}


def _largest_command(model: Model, name: str, at: int) -> float:
    """Return the largest command of an actuator: that of its limits."""
    acts = model.arrays.actuators
    k = int(acts.state_at[at])
    limit = float(max(abs(acts.lower[k]), abs(acts.upper[k])))
    limit = float(acts.peak[k]) if acts.regulation[k] == Regulation.CURRENT else limit
    if limit >= INFINITE:
        text = "is an actuator whose command has no limits; give the largest here, or limits in the robot"
        raise StudyError(text, ("torques",), name)
    return limit


def _joint_side(model: Model, at: int) -> int:
    """Return the joint's own coordinate behind a motor."""
    return next((body.joint_v.start for body in model.bodies if body.rotor_v == at), at)


def _final(prepared: Prepared) -> dict[str, Any]:
    """Return where the scenario wants its joints to be at the end, or where they begin."""
    law: Any = prepared.controller
    law = law.law if isinstance(law, Together) else law
    model, q = prepared.model, prepared.start[0].copy()
    reference, measured = getattr(law, "reference", None), getattr(law, "measured_q", None)
    if callable(reference) and measured is not None:
        q[np.asarray(measured)] = reference(prepared.settings.duration)[0]
    names = [name for body in model.bodies for name in body.q_names[: body.joint_q.stop - body.joint_q.start]]
    return {f"position.{name}": q[model.q_names.index(name)] for name in names}


def _bounds(path: str, pair: Any) -> tuple[float, float]:
    try:
        low, high = (float(value) for value in pair)
    except (TypeError, ValueError):
        raise StudyError("must be (least, largest)", ("vary", path), pair) from None
    if not low <= high:
        raise StudyError("must be (least, largest), the smaller first", ("vary", path), pair)
    return low, high


if NAME not in gymnasium.registry:
    gymnasium.register(NAME, entry_point=f"{__name__}:Environment", vector_entry_point=f"{__name__}:VectorEnvironment")
