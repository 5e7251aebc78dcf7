"""Linear-quadratic control of joints and vibrations, with a Kalman filter for what is not measured.

Anderson and Moore 1990; weights by Bryson's rule: each quantity counts in units of what is acceptable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lissom import printing
from lissom.analysis.equilibrium.equilibrium_state import Equilibrium
from lissom.control import argument_checks
from lissom.control.choices import SIDES, Side
from lissom.control.design.design_model import (
    Measurement,
    ModalModel,
    SampledModel,
    encoders,
    held_by_motors,
    measurement,
    modal_model,
    sampled_model,
    tip_rows,
)
from lissom.control.design.input_shaping import light_modes
from lissom.control.design.regulator_equations import check_reach, check_stable, riccati
from lissom.control.design.sampled_loop import check_range
from lissom.control.laws.channels import ControlledCoordinate, by_channel, channels, reference_of
from lissom.control.laws.continuous_laws import saturation_of
from lissom.control.laws.digital_law import DigitalLaw, StateLook, observer_design
from lissom.control.laws.rigid_model import rigid_twin
from lissom.control.laws.sampled_control import Sampled
from lissom.control.laws.sensor_laws import chosen_sensors
from lissom.control.references.reference import Reference
from lissom.dynamics import mass_matrix
from lissom.dynamics.coordinates import configuration
from lissom.errors import LissomError
from lissom.messages import did_you_mean, listed
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model
from lissom.model.schema.units import FORCE, POSITION
from lissom.printing import Printed

if TYPE_CHECKING:
    from rich.table import Table


SCHEDULE = "design for several poses: control.schedule(...), or `poses:` in a scenario; or move less far"


@dataclass(eq=False)
class StateFeedback(Printed):
    """u = u0 + inertia rdd - K (x - x_ref), x estimated from the sensors.

    A function of (t, q, v) with memory. x holds modal coordinates and their rates (and, with a delay, past
    inputs) about the equilibrium.
    """

    K: np.ndarray  # (na, n) feedback gain
    L: np.ndarray  # (n, m) estimator gain: x += L (y - C x)
    A: np.ndarray  # (n, n) sampled model
    B: np.ndarray  # (n, na)
    C: np.ndarray  # (m, n)
    at: Equilibrium
    modal: ModalModel
    measured: tuple[Measurement, ...]  # the encoders first
    reference: Reference  # joint angles, na channels
    inertia: np.ndarray  # (na, na) of the rigid twin: torque per acceleration of the reference
    lower: np.ndarray  # (na,) limits of the torque
    upper: np.ndarray
    force: np.ndarray  # (na,) index into v
    joints: tuple[tuple[int, int, int], ...]  # of each channel: index into q, into v, and into v of its rotor
    _estimate: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self._start = np.concatenate([one.value(self.at.q) for one in self.measured])
        self.reset()

    def table(self) -> Table:
        """Return a table of sizes of the loop, and of how fast it and its estimator settle."""
        table = printing.table("part", "value", title="state feedback u = u0 - K (x - x_ref)")
        table.add_row("motors", str(len(self.K)))
        table.add_row("states (modal, estimated)", str(len(self.A)))
        table.add_row("measured numbers", str(len(self.C)))
        table.add_row("largest pole of the loop", f"{np.abs(self.poles).max():.4g} of the unit circle")
        table.add_row("largest pole of the estimator", f"{np.abs(self.estimator_poles).max():.4g} of the unit circle")
        return table

    def reset(self) -> None:
        """Forget the past: the next estimate starts from the sensors alone."""
        self._estimate = np.zeros(len(self.A))
        self._fresh = True

    @property
    def poles(self) -> np.ndarray:
        """Poles of the sampled loop with the full state; inside the unit circle."""
        return np.linalg.eigvals(self.A - self.B @ self.K)

    @property
    def estimator_poles(self) -> np.ndarray:
        """Poles of the estimation error; inside the unit circle."""
        n = len(self.A)
        return np.linalg.eigvals(self.A @ (np.eye(n) - self.L @ self.C))

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return generalised forces (nv,) of the sample at t; reads of q what the sensors see."""
        r, rd, rdd = self.reference(t)
        measured = np.concatenate([one.value(q) for one in self.measured]) - self._start
        wanted = self._state(r, rd)
        if self._fresh:
            self._estimate, self._fresh = self._first(measured), False
        x = self._estimate + self.L @ (measured - self.C @ self._estimate)
        hold = self.at.tau[self.force]
        u = self.inertia @ rdd - self.K @ (x - wanted)
        u = np.clip(hold + u, self.lower, self.upper) - hold
        self._estimate = self.A @ x + self.B @ u
        tau = np.zeros(len(self.at.tau))
        tau[self.force] = hold + u
        return tau

    def digital(self) -> DigitalLaw:
        """Return the same controller as data, for C, FMUs and schedules."""
        na = len(self.joints)
        held, unit = np.array([self.at.q[on_q] for on_q, _, _ in self.joints]), np.eye(na)
        still = np.zeros(na)
        to_state = np.array([
            [self._state(held + row, still) for row in unit], [self._state(held, row) for row in unit]
        ]).transpose(0, 2, 1)  # fmt: skip
        design = observer_design(
            self.A, self.B, self.C, self.L, self.K, to_state, self.inertia, self.at.tau[self.force], self._start, held
        )
        design.first[:, :na] = to_state[0]  # at rest, where the encoders say
        model = self.at.model
        encoded = self.measured[0].jacobian.nonzero()[1]
        index = [model.coordinates[k] for k in encoded]
        if len(self.measured) == 1:
            look: Any = StateLook(tuple(model.q_names.index(name) for name in index))
            measured = tuple(index)
        else:
            look = ConfigurationLook(self.measured)
            measured = (*index, *(f"sensor {k + 1}" for k in range(len(self.C) - na)))
        rotors = {c: model.q_names.index(model.coordinates[c]) for _, _, c in self.joints}
        return DigitalLaw(
            name="state feedback",
            model=model,
            names=tuple(model.coordinates[on_v] for _, on_v, _ in self.joints),
            force=self.force,
            designs=(design,),
            poses=held[None],
            reference=self.reference,
            lower=self.lower,
            upper=self.upper,
            look=look,
            measured=measured,
            designed_at=self.at.q,
            positions=tuple(tuple(dict.fromkeys((on_q, rotors[c]))) for on_q, _, c in self.joints),
            noise=np.concatenate([one.noise for one in self.measured]),
        )

    def _state(self, r: np.ndarray, rd: np.ndarray) -> np.ndarray:
        """Return the state with the joints at r, moving at rd, links unbent from the equilibrium."""
        shift, rate = np.zeros((2, self.modal.inverse.shape[1]))
        for k, (on_q, on_v, on_rotor) in enumerate(self.joints):
            shift[[on_v, on_rotor]] = r[k] - self.at.q[on_q]
            rate[[on_v, on_rotor]] = rd[k]
        x = np.zeros(len(self.A))
        n = self.modal.count
        x[:n], x[n : 2 * n] = self.modal.inverse @ shift, self.modal.inverse @ rate
        return x

    def _first(self, measured: np.ndarray) -> np.ndarray:
        """Return the state of rest whose joints agree with the encoders."""
        na = len(self.joints)
        r = measured[:na] + np.array([self.at.q[on_q] for on_q, _, _ in self.joints])
        return self._state(r, np.zeros(na))


@dataclass(frozen=True)
class ConfigurationLook:
    """What encoders and other sensors of a configuration measure."""

    parts: tuple[Measurement, ...]

    def __call__(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the measured numbers (m,)."""
        return np.concatenate([one.value(q) for one in self.parts])

    @property
    def jacobian(self) -> np.ndarray:
        """Derivatives along the velocity coordinates at the pose of the design (m, nv)."""
        return np.concatenate([one.jacobian for one in self.parts])


def lqr(
    robot: AnyRobot,
    q: Any = None,
    *,
    reference: Any = None,
    joints: Iterable[str] | None = None,
    angle: Any = 0.01,
    deflection: float | None = None,
    torque: Any = None,
    bandwidth: float | None = None,
    sensors: Any = (),
    side: Side = "joint",
    angle_noise: float = 1e-4,
    rate: float = 1000.0,
    delay: float = 0.0,
    limit: float | None = None,
    saturation: Any = None,
) -> Sampled:
    """Return the state feedback that moves the joints and damps the links, designed about the equilibrium at a pose.

    Parameters
    ----------
    q
        The pose, {joint: value} or (nq,): the joints of the equilibrium; neutral unless given.
    reference
        Joint angles to follow, as in `pd`; the pose itself unless given. Stay near the pose.
    joints : sequence of str, optional
        Which joints have a motor to use; all unless given.
    angle
        Acceptable error of a joint, rad (m when sliding): one for all, or {joint: value}.
    deflection : float, optional
        Acceptable deflection of a beam's tip, m; a 200th of its length unless given.
    torque
        Acceptable torque beyond the one that holds the pose, N m: one for all, or {joint: value}.
        Unless given it follows from `bandwidth`.
    bandwidth : float, optional
        Of the joints, Hz; unless given half the lowest frequency of the arm with its joints
        locked, and at most a twentieth of `rate`.
    sensors
        Besides the encoders of the joints, those that read a configuration, with their noise: names of
        sensors of the robot's file, or sensors such as `lissom.model.Deflection(link="forearm", noise=1e-4)`.
    side : {"joint", "motor"}
        Where the encoders sit on joints with elastic gears: "joint" or "motor".
    angle_noise : float
        Standard deviation of the encoders, rad.
    rate, delay : float
        Samples per second; seconds from a sample to its torque, part of the design.
    limit : float, optional
        Highest frequency of the modes in the design, Hz; a quarter of `rate` unless given.
    saturation
        Largest torques, as in `pd`.

    Returns
    -------
    Sampled
        A controller for `simulate`; its `function` is the StateFeedback with gains and poles.
    """
    model = as_model(robot)
    if model.loops:
        raise LissomError(f"lqr: {model.robot.name} has loops; design on the states of lissom.linearise, or use pd")
    selected = controlled_coordinates(model, joints)
    if side not in SIDES:
        raise LissomError(f"is unknown{did_you_mean(side, SIDES)}; choose {listed(SIDES)}", ("side",), side)
    rate = argument_checks.number(rate, "rate", "give the samples per second", above=0)
    delay = argument_checks.number(delay, "delay", "give the delay in seconds, 0 for none", at_least=0)
    limit = rate / 4 if limit is None else argument_checks.number(limit, "limit", "give a frequency in Hz", above=0)
    angles = by_channel(model, selected, angle, "angle", "give an acceptable error in rad (m)", unit=POSITION)
    _positive(angles, "angle")
    if deflection is not None:
        deflection = argument_checks.number(deflection, "deflection", "give an acceptable deflection in m", above=0)
    noise = argument_checks.number(angle_noise, "angle_noise", "give a standard deviation in rad", above=0)
    at = held_by_motors(model, configuration(model, q), selected)
    modal = modal_model(model, at, selected, limit)
    inertia = rigid_inertia(model, at, selected)
    if torque is None:
        omega = 2 * np.pi * _bandwidth(model, at, bandwidth, rate)
        torques = angles * omega**2 * np.diag(inertia)
    else:
        torques = by_channel(model, selected, torque, "torque", "give an acceptable torque in N m (N)", unit=FORCE)
        _positive(torques, "torque")
    measured: tuple[Measurement, ...] = (encoders(model, selected, side, noise),)
    if len(sensors):
        measured += (measurement(model, at.q, chosen_sensors(model, sensors)),)
    plant = sampled_model(modal.linear, rate, delay)
    K = _feedback(model, modal, plant, selected, angles, deflection, torques)
    C = np.zeros((sum(len(one.jacobian) for one in measured), len(plant.A)))
    C[:, : modal.count] = np.concatenate([one.jacobian for one in measured]) @ modal.shapes
    L = _estimator(modal, plant, C, measured, torques, rate)
    lower, upper = saturation_of(model, selected, saturation)
    held = {channel.name: at.q[channel.joint_q] for channel in selected}
    function = StateFeedback(
        K=K,
        L=L,
        A=plant.A,
        B=plant.B,
        C=C,
        at=at,
        modal=modal,
        measured=measured,
        reference=reference_of(model, selected, held if reference is None else reference),
        inertia=inertia,
        lower=lower,
        upper=upper,
        force=np.array([channel.force for channel in selected]),
        joints=tuple((c.joint_q, c.joint_v, c.motor_v) for c in selected),
    )
    made = Sampled(function, rate, delay)
    check_range(model, made, function.reference, "lqr", SCHEDULE)
    return made


def controlled_coordinates(model: Model, joints: Iterable[str] | None) -> tuple[ControlledCoordinate, ...]:
    """Return the coordinates of the joints that state feedback acts on: the named ones, or all with single motions."""
    if joints is not None:
        return channels(model, joints, "joints")
    movable = [
        body.joint
        for body in model.bodies
        if body.joint_v.stop > body.joint_v.start
        and not np.any(model.arrays.velocities.prescribed[body.motor_v])
        and not model.robot.link(body.link).joint.kind.on_group
    ]
    return channels(model, movable, "joints")


def _positive(values: np.ndarray, name: str) -> None:
    if np.any(values <= 0):
        raise LissomError("must be positive; give what is acceptable", (name,), values)


def rigid_inertia(model: Model, at: Equilibrium, selected: Sequence[ControlledCoordinate]) -> np.ndarray:
    """Return the inertia (na, na) of the rigid twin at the pose, rotors included."""
    twin = rigid_twin(model.robot, rotors=True).compile()
    on_q = [k for body in model.bodies for k in range(model.nq)[body.joint_q]]
    index = [twin.coordinates.index(channel.name) for channel in selected]
    return mass_matrix(twin, at.q[on_q])[np.ix_(index, index)]


def _bandwidth(model: Model, at: Equilibrium, bandwidth: ArrayLike | None, rate: float) -> float:
    if bandwidth is not None:
        return argument_checks.number(bandwidth, "bandwidth", "give the bandwidth of the joints in Hz", above=0)
    frequencies = light_modes(model, at.q).frequencies
    return float(min([0.5 * frequencies[0] if len(frequencies) else rate / 20, rate / 20]))


def _feedback(
    model: Model,
    modal: ModalModel,
    plant: SampledModel,
    selected: Sequence[ControlledCoordinate],
    angles: np.ndarray,
    deflection: float | None,
    torques: np.ndarray,
) -> np.ndarray:
    """Return the gain K (na, n) of the discrete-time regulator."""
    rows = [np.eye(model.nv)[[channel.joint_v for channel in selected]] / angles[:, None]]
    rows += [tip_rows(model, link) / (deflection or beam.length / 200) for link, beam in model.flexible.items()]
    weighted = np.concatenate(rows) @ modal.shapes
    n = modal.count
    Q = np.zeros_like(plant.A)
    Q[:n, :n] = weighted.T @ weighted
    R = np.diag(1 / torques**2)
    check_reach(model, modal, plant, plant.B.T, "motors cannot reach", "the controlled joints do not move it")
    P = riccati(plant.A, plant.B, Q, R, "feedback")
    K = np.linalg.solve(R + plant.B.T @ P @ plant.B, plant.B.T @ P @ plant.A)
    check_stable(plant.A - plant.B @ K, "feedback")
    return K


def _estimator(
    modal: ModalModel,
    plant: SampledModel,
    C: np.ndarray,
    measured: Sequence[Measurement],
    torques: np.ndarray,
    rate: float,
) -> np.ndarray:
    """Return the gain L (n, m) of the steady Kalman filter; a tenth of the acceptable torques disturbs the motion."""
    n = modal.count
    W = 1e-12 * np.eye(len(plant.A))
    disturbance = np.linalg.norm(0.1 * modal.linear.B[n:] * torques, axis=1) + 1e-6
    W[n : 2 * n, n : 2 * n] += np.diag((disturbance / rate) ** 2)
    W[:n, :n] += np.diag((disturbance / rate**2 / 2) ** 2)
    disturbed = plant.B * (0.1 * torques)
    W += disturbed @ disturbed.T
    V = np.diag(np.concatenate([one.noise**2 for one in measured]))
    P = riccati(plant.A.T, C.T, W, V, "estimator")
    L = P @ C.T @ np.linalg.inv(C @ P @ C.T + V)
    check_stable(plant.A @ (np.eye(len(plant.A)) - L @ C), "estimator")
    return L
