"""Direct-current and brushless motors with their drive and gear, by the values of a catalogue."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from lissom.kernel.data.arrays import Drive, Regulation
from lissom.model.actuators.actuator import Actuator, ActuatorState, joint_unit
from lissom.model.actuators.bristle_friction import BristleFriction, Bristles
from lissom.model.schema.base_model import FORM, refusals
from lissom.model.schema.name_fields import Choice, Name
from lissom.model.schema.number_fields import Number, Share

if TYPE_CHECKING:
    from lissom.model.description.robot import Robot

ELECTRICAL_TIME = 5e-4  # s: inductance over resistance where the inductance is not given
FRICTION_SPEED = 1.0  # rad/s of the motor: over which its dry friction is smoothed
TURNOVER = 1e-4  # of the largest power: over which the gear's losses change sides


class TorqueSpeedCurve(NamedTuple):
    """What a motor gives at its joint over speed, at its highest voltage and its peak current."""

    speed: np.ndarray  # (n,) rad/s (m/s), of the joint
    torque: np.ndarray  # (n,) N m (N), at the joint
    continuous: float  # N m (N): what its continuous current gives at rest; nan where that is not given


class ElectricMotor(Actuator):
    """An electric motor on a joint: voltage, current, back-EMF, the limits of its drive, a gear with losses.

    L di/dt = u - R i - k omega and tau = k i - friction at the motor's shaft, which turns `gear` times as fast as the
    joint. The command is the voltage, or the current where the drive regulates it.
    """

    form: ClassVar[str] = FORM + "motor"
    kind: ClassVar[Drive] = Drive.MOTOR
    effort_unit: ClassVar[str] = "N m"
    rate_unit: ClassVar[str] = "rad/s"
    type: Literal["motor"] = "motor"

    joint: Annotated[str, Name("the joint that the motor turns")]
    torque_constant: Annotated[
        float | None, Number("the torque constant, which is the constant of the back-EMF too,", "N m/A", above=0)
    ] = None
    speed_constant: Annotated[
        float | None, Number("the speed constant, in place of the torque constant,", "rad/s/V", above=0)
    ] = None
    resistance: Annotated[float, Number("the terminal resistance", "ohm", above=0)]
    inductance: Annotated[float | None, Number("the terminal inductance", "H", above=0)] = None
    voltage: Annotated[float | None, Number("the highest voltage of the supply", "V", above=0)] = None
    peak_current: Annotated[float | None, Number("the largest current", "A", above=0)] = None
    continuous_current: Annotated[float | None, Number("the current that the motor stands for ever", "A", above=0)] = (
        None
    )
    no_load_current: Annotated[
        float, Number("the current at which the motor runs free, which its friction takes,", "A", at_least=0)
    ] = 0.0
    viscous: Annotated[float, Number("the viscous friction at the motor's shaft", "N m s/rad", at_least=0)] = 0.0
    bristles: Annotated[BristleFriction | None, Field(description="LuGre friction at the motor's shaft, in N m")] = None
    rotor_inertia: Annotated[float, Number("the inertia of the rotor", "kg m2", at_least=0)] = 0.0
    gear: Annotated[float | None, Number("the turns of the motor per turn of the joint", above=0)] = None
    efficiency: Annotated[float, Share("the share of the power that the gear hands on")] | None = None
    drive: Annotated[str, Choice("what the command is", ("voltage", "current"))] = "voltage"
    response: Annotated[
        float | None, Number("the time constant with which the drive regulates the current", "seconds", above=0)
    ] = None

    @model_validator(mode="after")
    def _one_constant(self) -> Self:
        given = [name for name in ("torque_constant", "speed_constant") if getattr(self, name) is not None]
        if not given:
            raise refusals(("torque_constant", None, "missing; give the torque constant in N m/A (or speed_constant)"))
        if len(given) == 2:
            text = "says the same as torque_constant: the one is the other's inverse; remove one of them"
            raise refusals(("speed_constant", self.speed_constant, text))
        peak, lasting = self.peak_current, self.continuous_current
        if peak is not None and lasting is not None and lasting > peak:
            text = f"must not be more than the peak_current of {peak:g}; correct one of them"
            raise refusals(("continuous_current", lasting, text))
        if self.response is not None and self.drive == "voltage" and peak is None:
            text = "belongs to a drive that regulates the current; write drive: current, or give a peak_current"
            raise refusals(("response", self.response, text))
        return self

    @property
    def constant(self) -> float:
        """The torque constant k, N m/A = V s/rad."""
        return self.torque_constant if self.torque_constant is not None else 1.0 / (self.speed_constant or 1.0)

    @property
    def own_inductance(self) -> float:
        """The inductance, H; from a time constant of half a millisecond where it is not given."""
        return self.resistance * ELECTRICAL_TIME if self.inductance is None else self.inductance

    def ratio(self, robot: Robot) -> float:
        """Return the turns of the motor per turn of the joint: `gear`, else that of the joint's transmission."""
        if self.gear is not None:
            return self.gear
        gears = [link.joint.transmission for link in robot.bodies if self.joint in link.joint.velocity_names]
        return gears[0].gear if gears and gears[0] is not None else 1.0

    def rotor(self, robot: Robot) -> float:
        """Return the inertia of the rotor at the joint."""
        return self.rotor_inertia * self.ratio(robot) ** 2

    def companions(self) -> tuple[Actuator, ...]:
        """Return the friction at its shaft, where that has bristles."""
        if self.bristles is None:
            return ()
        return (Bristles.on(f"{self.name}-friction", self.bristles, self.joint, self.gear or 1.0),)

    def on_coordinate(self) -> str:
        """Return the joint."""
        return self.joint

    def states(self, robot: Robot) -> tuple[ActuatorState, ...]:
        """Return the current, which the voltage drives."""
        L = self.own_inductance
        regulation = Regulation.CURRENT if self.drive == "current" else Regulation.NONE
        if regulation is Regulation.NONE and self.peak_current is not None:
            regulation = Regulation.CURRENT_LIMIT
        volts = np.inf if self.voltage is None else self.voltage
        servo = self.response if self.response is not None else np.real(L / self.resistance)
        peak = np.inf if self.peak_current is None else self.peak_current
        state = ActuatorState("current", "A", L, self._typical_current, True, -volts, volts, command_unit="V")
        if self.drive == "current":
            state = state._replace(command_unit="A")
        return (state._replace(regulation=regulation, servo_time=servo, peak=peak),)

    @property
    def _typical_current(self) -> float:
        known = (self.continuous_current, self.peak_current, self.voltage and self.voltage / self.resistance)
        return float(np.real(next((one for one in known if one), 1.0)))

    def numbers(self, robot: Robot) -> Sequence[float]:
        """Return the numbers of its law."""
        k, amps = self.constant, self._typical_current
        turnover = TURNOVER * float(np.real(self.resistance)) * amps**2
        return (
            k,
            self.resistance,
            self.own_inductance,
            k * self.no_load_current,
            FRICTION_SPEED,
            self.viscous,
            1.0 if self.efficiency is None else self.efficiency,
            turnover,
        )

    def torque_speed_curve(self, robot: Robot, points: int = 200) -> TorqueSpeedCurve:
        """Return the highest torque at the joint over its speed, from rest to where the motor runs free.

        Parameters
        ----------
        robot : Robot
            The robot, whose transmission tells the gear where the motor does not.
        points : int
            How many speeds.

        Returns
        -------
        TorqueSpeedCurve
            Speeds and torques at the joint, and the torque of the continuous current.
        """
        if self.voltage is None:
            raise refusals_for_curve(self.name)
        ratio, k, share = self.ratio(robot), self.constant, 1.0 if self.efficiency is None else self.efficiency
        drag = k * self.no_load_current
        free = (self.voltage * k / self.resistance - drag) / (k * k / self.resistance + self.viscous)
        omega = np.linspace(0.0, free, points)
        current = (self.voltage - k * omega) / self.resistance
        if self.peak_current is not None:
            current = np.minimum(current, self.peak_current)
        dry = drag * np.tanh(omega / FRICTION_SPEED)
        lasting = math.nan if self.continuous_current is None else k * self.continuous_current * ratio * share
        return TorqueSpeedCurve(
            omega / ratio, np.maximum(k * current - dry - self.viscous * omega, 0.0) * ratio * share, lasting
        )

    def unit_of_joint(self, robot: Robot) -> str:
        """Return "rad" or "m"."""
        return joint_unit(robot, self.joint)


def refusals_for_curve(name: str) -> Exception:
    """Return the error of a motor without a voltage, whose curve has no end."""
    from lissom.errors import RobotError

    return RobotError("missing; a torque-speed curve ends where the voltage does", ("actuators", name, "voltage"))
