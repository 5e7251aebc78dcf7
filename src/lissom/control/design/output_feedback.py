"""Vibration damping from sensors: a Kalman filter and a state feedback, both designed on a reduced model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import printing
from lissom.analysis.equilibrium.equilibrium_state import Equilibrium
from lissom.analysis.linear_models.linear_model import LinearModel
from lissom.analysis.linear_models.model_reduction import METHODS, Method, Reduction, reduce_model
from lissom.control import argument_checks
from lissom.control.design.design_model import deviations, held_by_motors, linear_about
from lissom.control.design.kalman_filter import KalmanFilter, Way, kalman, sampled_plant
from lissom.control.design.regulator_equations import riccati
from lissom.control.design.sampled_loop import check_range, one_way
from lissom.control.design.state_feedback import SCHEDULE, controlled_coordinates, rigid_inertia
from lissom.control.laws.channels import ControlledCoordinate, by_channel, reference_of
from lissom.control.laws.continuous_laws import saturation_of
from lissom.control.laws.digital_law import DigitalLaw, observer_design
from lissom.control.laws.sampled_control import Sampled
from lissom.control.laws.sensor_laws import chosen_sensors
from lissom.control.references.reference import Reference
from lissom.dynamics.coordinates import configuration
from lissom.dynamics.sensing import Sensing
from lissom.errors import LissomError, check_choice, within
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.description.sensor import Sensor
from lissom.model.model import Model
from lissom.model.schema.units import FORCE
from lissom.printing import Printed

if TYPE_CHECKING:
    from rich.table import Table

SHARE = 0.05  # of the gain of the scaled model: error of the reduced one up to its frequency


@dataclass(eq=False)
class OutputFeedback(Printed):
    """u = u0 + inertia rdd - K (z - z_ref), the reduced state z estimated from readings; a function (t, readings)."""

    K: np.ndarray  # (na, r) feedback of the reduced state
    filter: KalmanFilter
    reduction: Reduction  # of the model in scaled inputs and outputs
    at: Equilibrium
    names: tuple[str, ...]  # of the sensors
    rest: np.ndarray  # (m,) readings at the equilibrium
    reference: Reference
    inertia: np.ndarray  # (na, na) of the rigid twin
    lower: np.ndarray  # (na,) limits of the torques
    upper: np.ndarray
    channels: tuple[ControlledCoordinate, ...]
    encoders: tuple[tuple[int, int], ...]  # (reading, channel) that tell where joints are at the start
    sensors: tuple[Sensor, ...]
    noise: np.ndarray  # (m,) standard deviations of the readings

    def __post_init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the past: the first estimate is an unbent arm where the encoders say."""
        self.filter.reset()
        self._fresh = True

    @property
    def poles(self) -> np.ndarray:
        """Poles of the sampled loop on the reduced model, its state known; inside the unit circle."""
        r = self.K.shape[1]
        return np.linalg.eigvals(self.filter.plant.A[:r, :r] - self.filter.plant.B[:r] @ self.K)

    def state(self) -> np.ndarray:
        """Return the present estimate of the full linear state (2 nv,), about the equilibrium."""
        return self.reduction.basis @ self.filter.x[: self.K.shape[1]]

    def __call__(self, t: float, readings: Mapping[str, Any]) -> np.ndarray:
        """Return generalised forces (nv,) of the sample at t."""
        y = np.concatenate([np.atleast_1d(readings[name]) for name in self.names]) - self.rest
        r, rd, rdd = self.reference(t)
        if self._fresh:
            self.filter.reset(self._first(y))
            self._fresh = False
        z = self.filter.correct(y)[: self.K.shape[1]]
        force = [channel.force for channel in self.channels]
        hold = self.at.tau[force]
        u = self.inertia @ rdd - self.K @ (z - self._state_reference(r, rd))
        u = np.clip(hold + u, self.lower, self.upper) - hold
        self.filter.predict(u)
        tau = np.zeros(len(self.at.tau))
        tau[force] = hold + u
        return tau

    def _state_reference(self, r: np.ndarray, rd: np.ndarray) -> np.ndarray:
        """Return the reduced state with the joints at r, moving at rd, links unbent from the equilibrium."""
        full, half = np.zeros(self.reduction.dual.shape[1]), self.reduction.dual.shape[1] // 2
        names = self.reduction.full.states[:half]
        for k, channel in enumerate(self.channels):
            for name in {channel.name, self.at.model.coordinates[channel.motor_v]} & set(names):
                at = names.index(name)
                full[at], full[half + at] = r[k] - self.at.q[channel.joint_q], rd[k]
        return self.reduction.dual @ full

    def _first(self, y: np.ndarray) -> np.ndarray:
        """Return the reduced state of rest that agrees with the encoders."""
        r = np.array([self.at.q[channel.joint_q] for channel in self.channels])
        for reading, channel in self.encoders:
            r[channel] += y[reading]
        return self._state_reference(r, np.zeros(len(r)))

    def digital(self) -> DigitalLaw:
        """Return the same controller as data, for C, FMUs and schedules."""
        na, n = len(self.channels), len(self.filter.x)
        unit = np.eye(na)
        to_state = np.zeros((2, n, na))
        held = self.at.q[[channel.joint_q for channel in self.channels]]
        for k in range(na):
            to_state[0, : self.K.shape[1], k] = self._state_reference(held + unit[k], np.zeros(na))
            to_state[1, : self.K.shape[1], k] = self._state_reference(held, unit[k])
        K = np.concatenate([self.K, np.zeros((na, n - self.K.shape[1]))], axis=1)
        design = observer_design(self.filter.plant.A, self.filter.plant.B, self.filter.plant.C, self.filter.L, K,
                                 to_state, self.inertia, self.at.tau[[c.force for c in self.channels]], self.rest,
                                 held)  # fmt: skip
        for k in range(na):  # a channel without encoder begins at the pose
            for reading, channel in self.encoders:
                if channel == k:
                    design.first[:, reading] = to_state[0][:, k]
        labels = Sensing(self.at.model, self.sensors).labels
        return DigitalLaw(
            name="output feedback",
            model=self.at.model,
            names=tuple(channel.name for channel in self.channels),
            force=np.array([channel.force for channel in self.channels]),
            designs=(design,),
            poses=held[None],
            reference=self.reference,
            lower=self.lower,
            upper=self.upper,
            look=self.names,
            measured=tuple(labels),
            designed_at=self.at.q,
            positions=tuple(tuple(dict.fromkeys((c.joint_q, c.motor_q))) for c in self.channels),
            noise=self.noise,
            eyes=self.sensors,
        )

    def table(self) -> Table:
        """Return a table of sizes of the design, and of how fast it settles."""
        table = printing.table("part", "value", title="output feedback on a reduced model")
        table.add_row("states of the reduced model", f"{self.reduction.order} of {len(self.reduction.full.A)}")
        table.add_row("states of the filter", str(len(self.filter.x)))
        table.add_row("motors", str(len(self.K)))
        table.add_row("sensors", ", ".join(self.names))
        table.add_row("largest pole of the loop", f"{np.abs(self.poles).max():.4g} of the unit circle")
        table.add_row("largest pole of the filter", f"{np.abs(self.filter.poles).max():.4g} of the unit circle")
        return table


def lqg(
    robot: AnyRobot,
    q: Any = None,
    *,
    sensors: Any,
    keep: Mapping[str, float],
    torque: Any,
    frequency: float | None = None,
    order: int | None = None,
    method: Method = "balanced",
    reference: Any = None,
    joints: Iterable[str] | None = None,
    disturbance: Any = None,
    rate: float = 1000.0,
    saturation: Any = None,
) -> Sampled:
    """Hold or move joints and damp vibrations by what sensors tell: Kalman filter and feedback on a reduced model.

    >>> law = control.lqg(robot, pose, sensors=["elbow-angle", "gauge"], keep={"elbow": 0.01, "forearm.tip": 0.005},
    ...                   torque=20.0, frequency=40.0, rate=500)
    >>> lissom.simulate(robot, 2.0, start=..., controller=law)

    Parameters
    ----------
    q
        The pose, {joint: value} or (nq,): the joints of the equilibrium; neutral unless given.
    sensors
        Names of sensors of the robot's file, or sensors that are also given to `simulate`. Their noise and
        resolution say how far each is trusted; low-pass and delay are part of the design.
    keep : mapping
        Acceptable deviations by signal, as `linearise` names outputs: {"elbow": 0.01, "forearm.tip": 0.002}.
    torque
        Acceptable torque beyond the one that holds the pose: one for all, or {joint: value}.
    frequency : float, optional
        Hz up to which the reduced model is right; a fifth of `rate` unless given. Or its `order`.
    method : {"balanced", "modal"}
        Of the reduction, "balanced" or "modal".
    reference
        Joint angles to follow, as in `pd`; the pose itself unless given. Stay near the pose.
    joints : sequence of str, optional
        Which joints have a motor to use; all unless given.
    disturbance
        Unknown torques that the filter expects; a tenth of `torque` unless given.
    rate : float
        Samples per second.
    saturation
        Largest torques, as in `pd`.

    Returns
    -------
    Sampled
        A controller for `simulate`; its `function` is the OutputFeedback with gains, filter and reduction.
    """
    model = as_model(robot)
    check_choice("method", method, METHODS)
    rate = argument_checks.number(rate, "rate", "give the samples per second", above=0)
    selected = controlled_coordinates(model, joints)
    remedy = "give an acceptable torque in N m (N)"
    torques = _positive(by_channel(model, selected, torque, "torque", remedy, unit=FORCE), "torque", remedy)
    pushes = (
        0.1 * torques
        if disturbance is None
        else by_channel(model, selected, disturbance, "disturbance", remedy, unit=FORCE)
    )
    _positive(pushes, "disturbance", "give what the filter is to expect in N m (N)")
    sensing = Sensing(model, chosen_sensors(model, sensors))
    noise, ways = deviations(sensing), [one_way(eye, rate) for eye in sensing.mounted for _ in eye.labels]
    at = held_by_motors(model, configuration(model, q), selected)
    linear, allowed = _scale_by_noise(model, at, selected, sensing, noise, _deviations(keep), torques)
    if order is None and frequency is None:
        frequency = rate / 5
    reduction = reduce_model(
        linear, frequency, order, None if order is not None or method == "modal" else SHARE, method
    )
    small, count = reduction.model, sensing.size
    seen = replace(small, C=small.C[:count], D=small.D[:count], outputs=small.outputs[:count])
    observer = kalman(seen, rate, noise=1.0, disturbance=pushes / torques, ways=ways)
    r = reduction.order
    rows = small.C[count:] / allowed[:, None]
    A, B = observer.plant.A[:r, :r], observer.plant.B[:r]
    P = riccati(A, B, rows.T @ rows, np.eye(len(torques)), "feedback", "lqg")
    K = np.linalg.solve(np.eye(len(torques)) + B.T @ P @ B, B.T @ P @ A)
    _check_spillover(replace(linear, C=linear.C[:count], D=linear.D[:count]), rate, ways, K, observer)
    still = np.zeros(model.nv)
    lower, upper = saturation_of(model, selected, saturation)
    held = {channel.name: at.q[channel.joint_q] for channel in selected}
    function = OutputFeedback(
        K=torques[:, None] * K,
        filter=_restore_units(observer, noise, torques),
        reduction=reduction,
        at=at,
        names=tuple(eye.name for eye in sensing.mounted),
        rest=sensing(at.q, still, still),
        reference=reference_of(model, selected, held if reference is None else reference),
        inertia=rigid_inertia(model, at, selected),
        lower=lower,
        upper=upper,
        channels=selected,
        encoders=_encoders(sensing, selected),
        sensors=tuple(eye.sensor for eye in sensing.mounted),
        noise=noise,
    )
    made = Sampled(function, rate, sensors=function.names)
    check_range(model, made, function.reference, "lqg", SCHEDULE)
    return made


def _deviations(keep: Any) -> dict[str, float]:
    if not isinstance(keep, Mapping) or not keep:
        raise LissomError("must be {signal: acceptable deviation}, such as {'elbow': 0.01}", ("keep",), keep)
    remedy = "give an acceptable deviation in its unit"
    return {name: argument_checks.number(value, ("keep", name), remedy, above=0) for name, value in keep.items()}


def _scale_by_noise(
    model: Model,
    at: Equilibrium,
    selected: Sequence[ControlledCoordinate],
    sensing: Sensing,
    noise: np.ndarray,
    keep: Mapping[str, float],
    torques: np.ndarray,
) -> tuple[LinearModel, np.ndarray]:
    """Return the linear model with readings in units of their noise, then what is kept in those of what is accepted.

    Inputs are in units of the acceptable torques. Second: what scales kept outputs to the weight of one each.
    """
    inputs = [model.coordinates[channel.force] for channel in selected]
    with within("keep"):
        parts = [linear_about(model, at, [name], inputs) for name in keep]
    seen = linear_about(model, at, [eye.sensor for eye in sensing.mounted], inputs)
    scales = np.concatenate([noise, *(np.full(len(p.outputs), keep[n]) for n, p in zip(keep, parts, strict=True))])
    gain = _gain(seen, noise, torques)  # readings count as much as what is kept, however precise they are
    kept = np.concatenate([p.C for p in parts]) / scales[sensing.size :, None]
    weight = gain / max(_gain(replace(seen, C=kept, D=np.zeros((len(kept), len(torques)))), 1.0, torques), 1e-300)
    C = np.concatenate([seen.C / noise[:, None], weight * kept])
    D = np.concatenate([seen.D / noise[:, None], np.zeros((len(kept), len(torques)))]) * torques
    names = (*seen.outputs, *(name for p in parts for name in p.outputs))
    return replace(seen, B=seen.B * torques, C=C, D=D, outputs=names), np.full(len(kept), weight)


def _gain(linear: LinearModel, scale: Any, torques: np.ndarray) -> float:
    """Measure the outputs under the acceptable torques: their response at once and over a tenth of a second."""
    scale = np.broadcast_to(scale, len(linear.C))[:, None]
    step = linear.discretise(0.1)
    return float(np.linalg.norm((linear.C @ step.B + linear.D) * torques / scale))


def _check_spillover(
    full: LinearModel, rate: float, ways: Sequence[Way], K: np.ndarray, observer: KalmanFilter
) -> None:
    """Refuse a loop that shakes up what the reduced model leaves out."""
    plant, own = sampled_plant(full, rate, ways), observer.plant
    gain = np.concatenate([K, np.zeros((len(K), len(own.A) - K.shape[1]))], axis=1)
    corrected = np.eye(len(own.A)) - observer.L @ own.C
    seen, goes_on = observer.L @ plant.C, own.A - own.B @ gain
    loop = np.block(
        [[plant.A - plant.B @ gain @ seen, -plant.B @ gain @ corrected], [goes_on @ seen, goes_on @ corrected]]
    )
    largest = np.abs(np.linalg.eigvals(loop)).max()
    if largest >= 1:
        raise LissomError(
            f"lqg: the loop is not stable with the full model (pole of size {largest:.4f}): it shakes up vibrations "
            "that the reduced model leaves out; raise `frequency`, lower `torque`, or accept more in `keep`"
        )


def _restore_units(scaled: KalmanFilter, noise: np.ndarray, torques: np.ndarray) -> KalmanFilter:
    """Return the filter for readings and torques in their own units."""
    plant = replace(scaled.plant, B=scaled.plant.B / torques, C=noise[:, None] * scaled.plant.C)
    return replace(scaled, plant=plant, L=scaled.L / noise)


def _encoders(sensing: Sensing, selected: Sequence[ControlledCoordinate]) -> tuple[tuple[int, int], ...]:
    """Return which readings tell the coordinates of which channels: (reading, channel)."""
    found: dict[int, tuple[int, int]] = {}
    for one in sensing.mounted:
        if one.kind.of_joint == "position":
            first = sensing.model.joint(one.sensor.place).joint_q.start
            for k, channel in enumerate(selected):
                if channel.joint == one.sensor.place:
                    found[k] = (one.place.start + channel.joint_q - first, k)
    return tuple(found.values())


def _positive(values: np.ndarray, name: str, remedy: str) -> np.ndarray:
    if np.any(values <= 0):
        raise LissomError(f"must be positive; {remedy}", (name,), values.tolist())
    return values
