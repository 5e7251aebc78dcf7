"""A motion's task on the robot's model: which coordinates are chosen, which follow, and what bounds them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lissom.analysis.equilibrium.deflection import tip_deflections
from lissom.analysis.equilibrium.equilibrium_state import Equilibrium
from lissom.analysis.equilibrium.statics import static_equilibrium
from lissom.control.laws.channels import ControlledCoordinate, by_channel, channels, check_units, indices
from lissom.control.laws.continuous_laws import saturation_of
from lissom.control.laws.rigid_model import rigid_twin
from lissom.control.references.reference import Reference
from lissom.dynamics.coordinates import configuration
from lissom.dynamics.inverse import inverse_dynamics, joint_wrenches
from lissom.errors import Keys, LissomError, OptimiseError, within
from lissom.messages import listed
from lissom.model.model import Model
from lissom.model.schema.units import POSITION, RATE, JointUnit
from lissom.optimise.motion_schema import FEWEST_INTERVALS, Motion

SAMPLES = 40  # along the first guess of a motion
SHORTEST, GROWTH, LONGEST = 1e-2, 1.15, 1e4  # s, tried as the time of the rigid arm


@dataclass(frozen=True, eq=False)
class MotionTask:
    """What is asked, in numbers."""

    asked: Motion
    model: Model
    channels: tuple[ControlledCoordinate, ...]  # joints with a motor
    start: Equilibrium
    end: Equilibrium
    joints: np.ndarray  # (points, channels) values of the joints at the start, the via points and the end; nan if free
    torque: tuple[np.ndarray, np.ndarray]  # (channels,) least and largest
    speed: np.ndarray  # (channels,) largest
    position: tuple[np.ndarray, np.ndarray]  # (channels,) least and largest

    @cached_property
    def driven(self) -> np.ndarray:
        """Coordinates where motors act."""
        return np.array([channel.force for channel in self.channels])

    @cached_property
    def following(self) -> np.ndarray:
        """All others."""
        return np.setdiff1d(np.arange(self.model.nv), self.driven)

    @cached_property
    def measured(self) -> np.ndarray:
        """Coordinates of the joints that have a motor."""
        return np.array([channel.joint_v for channel in self.channels])

    @cached_property
    def slides(self) -> tuple[bool, ...]:
        """(channels,) whether each is a way, not an angle."""
        joints = [self.model.robot.link(self.model.joint(channel.joint).link).joint for channel in self.channels]
        which = [joint.velocity_names.index(c.name) for joint, c in zip(joints, self.channels, strict=True)]
        return tuple(joint.kind.velocity_units[k] == "m" for joint, k in zip(joints, which, strict=True))

    @property
    def guess(self) -> np.ndarray:
        """(points, driven): where motors are at the start, the via points and the end, joints taken as stiff."""
        points = self.joints.copy()
        share = np.linspace(0, 1, len(points))[:, None]
        points = np.where(np.isnan(points), points[0] + share * (points[-1] - points[0]), points)
        points[0], points[-1] = self.start.q[self.driven], self.end.q[self.driven]
        return points

    @cached_property
    def way(self) -> np.ndarray:
        """(driven,) how far each goes, and at least a share of what the others go."""
        moved = np.abs(np.diff(self.guess, axis=0)).sum(axis=0)
        if not moved.max(initial=0.0) > 0:
            raise OptimiseError("nothing moves: the joints end where they start", ("to",))
        return np.maximum(moved, 0.05 * moved.max())

    @cached_property
    def times(self) -> np.ndarray:
        """(points,) first guess of when the points are passed."""
        asked = self.asked
        if asked.duration is not None and all(via.time is not None for via in asked.via):
            return np.array([0.0, *[via.time or 0.0 for via in asked.via], asked.duration])
        steps = (np.abs(np.diff(self.guess, axis=0)) / self.way).max(axis=1)
        shares = np.concatenate([[0.0], np.cumsum(np.maximum(steps, 0.1 * steps.max()))])
        shares /= shares[-1]
        return shares * (self._rigid_time(shares) if asked.duration is None else asked.duration)

    @property
    def intervals(self) -> tuple[int, ...]:
        """How many each leg has, by its time."""
        shares = np.diff(self.times) / self.times[-1]
        return tuple(max(FEWEST_INTERVALS, round(share * self.asked.intervals)) for share in shares)

    def smooth(self, times: np.ndarray) -> Reference:
        """Return the driven coordinates through all points without a jerk: what a rigid arm would be given."""
        return Reference.minimum_jerk(self.guess, times)

    def rigid_torque(self, motion: Reference) -> Reference:
        """Return torques (channels) that the rigid arm takes for a motion of its joints, also behind elastic gears."""
        t = np.linspace(0.0, motion.end, 4 * SAMPLES + 1)
        return Reference.from_samples(t, self._rigid_torques(motion, t))

    def _rigid_torques(self, motion: Reference, t: np.ndarray) -> np.ndarray:
        twin = rigid_twin(self.model.robot, rotors=True).compile()
        index = [twin.coordinates.index(channel.name) for channel in self.channels]
        rest = configuration(twin, dict(self.asked.scenario.start) if self.asked.scenario.start else None)
        value, rate, acceleration = motion(np.minimum(t, motion.end * (1 - 1e-12)))
        torques = []
        for k in range(len(t)):
            q, v, a = rest.copy(), np.zeros(twin.nv), np.zeros(twin.nv)
            q[index], v[index], a[index] = value[k], rate[k], acceleration[k]
            torques.append(inverse_dynamics(twin, q, v, a)[index])
        return np.array(torques)

    def _rigid_time(self, shares: np.ndarray) -> float:
        """Return least time in which the rigid arm keeps torques and speeds along the smooth way."""
        low, high = self.torque
        if not (np.isfinite(low).any() or np.isfinite(high).any() or np.isfinite(self.speed).any()):
            raise OptimiseError(
                "missing; without one the least time is none: give limits.torque or limits.speed", ("limits", "torque")
            )
        T = SHORTEST
        while T < LONGEST:
            motion = self.smooth(T * shares)
            t = np.linspace(0.0, T, SAMPLES + 1)
            torques = self._rigid_torques(motion, t)
            slow = np.all(np.abs(motion(t)[1]) <= self.speed)
            if slow and np.all(torques >= low) and np.all(torques <= high):
                return T
            T *= GROWTH
        raise OptimiseError(
            "the rigid arm cannot make this motion within the torques, however slowly; raise limits.torque", ("to",)
        )


def resolve(asked: Motion) -> MotionTask:
    """Return the task on its robot; what cannot be is refused."""
    model = asked.scenario.load_robot().compile()
    _refuse(model, asked)
    free = set(asked.passive)
    for name in free:
        with within("passive"):
            channels(model, [name], ())
    motors = channels(model, [b.joint for b in model.bodies if _moves(b) and b.joint not in free], "to")
    from lissom.simulation.initial_state import start_state

    with within("scenario"):
        q, _ = start_state(model, asked.scenario.start)
    joints = [np.array([q[channel.joint_q] for channel in motors])]
    for k, via in enumerate(asked.via):
        joints.append(_values(model, motors, via.to, ("via", k, "to"), np.full(len(motors), np.nan)))
    joints.append(_values(model, motors, asked.to, ("to",), joints[0]))
    task = MotionTask(
        asked,
        model,
        motors,
        _rest(model, motors, q, joints[0]),
        _rest(model, motors, q, joints[-1]),
        np.array(joints),
        _torques(model, motors, asked),
        _speeds(model, motors, asked),
        _positions(model, motors, asked),
    )
    _check(task)
    return task


def _moves(body: object) -> bool:
    return body.joint_v.stop > body.joint_v.start  # type: ignore[attr-defined]


def _refuse(model: Model, asked: Motion) -> None:
    robot = model.robot
    if robot.loops:
        raise OptimiseError(f"{robot.name} has loops, whose motion no grid here keeps closed; take a robot without")
    if model.nq != model.moving:
        turning = [link.joint.name for link in robot.links if link.joint.kind.on_group]
        raise OptimiseError(
            f"{listed(turning, 'and')} of {robot.name} turns freely in space; take a robot without such joints"
        )
    if robot.contacts:
        raise OptimiseError(f"{robot.name} has contacts, which a smooth search cannot cross; take a robot without")
    for field in ("motion", "loads", "payloads"):
        if getattr(asked.scenario, field):
            raise OptimiseError(f"a scenario with {field} cannot be optimised; remove them", ("scenario", field))


def _values(
    model: Model,
    motors: tuple[ControlledCoordinate, ...],
    given: object,
    path: Keys,
    rest: np.ndarray,
    unit: JointUnit = POSITION,
) -> np.ndarray:
    """Return one value per channel: those given, `rest` elsewhere."""
    check_units(model, motors, given, unit, path)
    if not isinstance(given, dict):
        return by_channel(model, motors, given, path, "give one value per joint")
    out = rest.copy()
    for name, value in given.items():
        index = indices(model, motors, name, path)
        one = np.atleast_1d(np.asarray(value, float))
        if one.shape != (len(index),):
            raise OptimiseError(f"takes {len(index)} number(s)", (*path, name), value)
        out[index] = one
    return out


def _rest(model: Model, motors: tuple[ControlledCoordinate, ...], q: np.ndarray, joints: np.ndarray) -> Equilibrium:
    pose = q.copy()
    for channel, value in zip(motors, joints, strict=True):
        pose[[channel.joint_q, channel.motor_q]] = value
    found = static_equilibrium(model, pose, hold=[channel.name for channel in motors])
    if not found.stable:
        raise OptimiseError("the arm does not stand still where the motion begins or ends; hold it, or let it hang")
    return found


def _torques(model: Model, motors: tuple[ControlledCoordinate, ...], asked: Motion) -> tuple[np.ndarray, np.ndarray]:
    with within("limits"):
        try:
            return saturation_of(model, motors, asked.limits.torque)
        except LissomError as error:
            error.path = tuple("torque" if key == "saturation" else key for key in error.path)
            raise


def _speeds(model: Model, motors: tuple[ControlledCoordinate, ...], asked: Motion) -> np.ndarray:
    speed = asked.limits.speed
    if speed is None:
        return np.full(len(motors), np.inf)
    return _values(model, motors, speed, ("limits", "speed"), np.full(len(motors), np.inf), RATE)


def _positions(model: Model, motors: tuple[ControlledCoordinate, ...], asked: Motion) -> tuple[np.ndarray, np.ndarray]:
    """Return soft stops of the joints, and what is given."""
    lower, upper = np.full(len(motors), -np.inf), np.full(len(motors), np.inf)
    for k, channel in enumerate(motors):
        joint = model.robot.link(model.joint(channel.joint).link).joint
        if joint.limits is not None:
            which = joint.velocity_names.index(channel.name)
            lower[k], upper[k] = joint.each(joint.limits.lower)[which], joint.each(joint.limits.upper)[which]
    for name, pair in asked.limits.position.items():
        path = ("limits", "position", name)
        check_units(model, motors, {name: pair}, POSITION, path[:-1])
        low, high = pair if isinstance(pair, tuple) and len(pair) == 2 else (1.0, 0.0)
        if low >= high:
            raise OptimiseError("must be [lower, upper]", path, pair)
        index = indices(model, motors, name, path)
        lower[index], upper[index] = np.maximum(lower[index], low), np.minimum(upper[index], high)
    return lower, upper


def _check(task: MotionTask) -> None:
    """Refuse what no motion can keep: where it starts, passes and ends is beyond a limit."""
    asked, model = task.asked, task.model
    places = ["start", *[f"via point {k}" for k in range(len(asked.via))], "end"]
    lower, upper = task.position
    for row, place in zip(task.joints, places, strict=True):
        for k, channel in enumerate(task.channels):
            if row[k] < lower[k] or row[k] > upper[k]:
                text = (
                    f"{channel.name} is at {row[k]:.4g} at the {place}, beyond its limits {lower[k]:g} to {upper[k]:g}"
                )
                raise OptimiseError(text + "; move it inside", ("to",))
    zero = np.zeros(model.nv)
    for rest, place in ((task.start, "start"), (task.end, "end")):
        for k, channel in enumerate(task.channels):
            held = rest.tau[channel.force]
            if not task.torque[0][k] <= held <= task.torque[1][k]:
                raise OptimiseError(
                    f"holding {channel.name} at the {place} alone takes {held:.4g} {'N' if task.slides[k] else 'N m'}; "
                    "raise its limit",
                    ("limits", "torque"),
                    asked.limits.torque,
                )
        for link, most in asked.limits.deflection.items():
            if link not in model.flexible:
                known = listed(model.flexible, "and") or "none"
                raise OptimiseError(f"does not bend; the links that do are {known}", ("limits", "deflection", link))
            bent = float(np.linalg.norm(tip_deflections(model, rest.q)[link].displacement))
            if bent > most:
                text = f"its weight alone bends it by {bent:.4g} m at the {place}; raise the limit"
                raise OptimiseError(text, ("limits", "deflection", link), most)
        rows = joint_wrenches(model, rest.q, zero, zero)
        for joint, limit in asked.limits.wrench.items():
            if joint not in model.joints:
                text = f"{model.robot.name} has no such joint; its joints are {listed(model.joints, 'and')}"
                raise OptimiseError(text, ("limits", "wrench", joint))
            row = rows[model.joints.index(joint)]
            for name, part, bound in (("torque", row[:3], limit.torque), ("force", row[3:], limit.force)):
                if bound is not None and np.linalg.norm(part) > bound:
                    text = f"its load at the {place} alone is {np.linalg.norm(part):.4g}; raise the limit"
                    raise OptimiseError(text, ("limits", "wrench", joint, name), bound)
