"""A controller from the `control:` block of a scenario file."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import Field
from pydantic_core import ValidationError

from lissom.control.design.input_shaping import Impulses, impulses, shape, shaper
from lissom.control.laws.channels import ControlledCoordinate, channels
from lissom.control.laws.continuous_laws import computed_torque, pd, torques
from lissom.control.laws.control_law import ControlLaw, Together
from lissom.control.laws.sampled_control import Sampled
from lissom.control.references.reference import Reference
from lissom.control.schema import control_schema
from lissom.control.schema.reference_builder import reference
from lissom.control.schema.reference_schema import Block, ReferenceBlock
from lissom.dynamics.coordinates import configuration
from lissom.errors import LissomError, within
from lissom.messages import suggestion
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model

if TYPE_CHECKING:
    from lissom.model.description.sensor import Sensor

Controller = ControlLaw | Sampled | Together | None

_LQR = ("joints", "angle", "deflection", "torque", "bandwidth", "side", "angle_noise", "limit", "saturation")
_LQG = ("keep", "torque", "frequency", "order", "method", "joints", "disturbance", "rate", "saturation")
_PID = ("side", "derivative", "tracking", "saturation", "gravity_compensation", "inverse_dynamics")
_IMPEDANCE = ("stiffness", "damping", "joint_damping", "side", "saturation")
_SAMPLING = ("rate", "delay")


def from_config(
    robot: AnyRobot,
    config: Any,
    start: Any = None,
    folder: str | os.PathLike[str] = ".",
    until: float | None = None,
    sensors: Sequence[Sensor] = (),
) -> Controller:
    """Return the controller that a scenario's `control:` block describes; None for no control.

    Parameters
    ----------
    config
        {type: pd | pid | computed-torque | impedance | torque | lqr | lqg | none, ...}, or a list of such, whose
        torques add up.
    start
        The configuration at the start, (nq,) or {joint: value}; joints that a reference does not name
        stay there.
    folder : str or path
        Where relative paths of CSV files begin.
    until : float, optional
        S, the end of the run: references without a duration, such as a sine, go on until then.
    sensors : sequence of Sensor
        Those that controllers may name besides the robot's own.
    """
    model = as_model(robot)
    at = configuration(model, start, "start")
    block = _check_block(config, Path(folder))
    setting = ControlSetting(model, at, until, sensors)
    if not isinstance(block, tuple):
        with within("control"):
            return setting.build(block)
    made = []
    for k, part in enumerate(block):
        with within("control", k):
            made.append(setting.build(part))
    acting = [one for one in made if one is not None]
    return reduce(operator.add, acting) if acting else None


def needs_model(control: Any) -> bool:
    """Return whether the controller of a control block depends on more of its robot than the names of joints."""
    if isinstance(control, tuple):
        return any(map(needs_model, control))
    if control is None or isinstance(control, control_schema.NoControl | control_schema.Torque):
        return False
    if not isinstance(control, control_schema.Pd):
        return True
    if control.gravity_compensation or control.inverse_dynamics or control.sensors:
        return True
    return control.shaper is not None and control.shaper.frequency is None


class _Whole(Block):
    """What is around a control block, so that errors name it."""

    what: ClassVar[str] = "scenario"

    control: control_schema.AnyControl | None = Field(description=control_schema.CONTROL)


def _check_block(config: Any, folder: Path) -> Any:
    blocks = config if isinstance(config, tuple) else (config,)
    if config is None or all(isinstance(block, control_schema.ControlBlock) for block in blocks):
        return config
    data = {"control": dict(config) if isinstance(config, Mapping) else config}
    try:
        return _Whole.model_validate(data, context={"folder": folder}).control
    except ValidationError as error:
        from lissom.model.schema.validation_errors import explain

        raise explain(error, _Whole, data) from None


class ControlSetting:
    """What is around a control block: the model, where it starts (nq,), when the run ends, sensors by their names."""

    def __init__(self, model: Model, start: np.ndarray, until: float | None, sensors: Sequence[Sensor]) -> None:
        self.model, self.start, self.until = model, start, until
        self.sensors = {sensor.called: sensor for sensor in sensors}

    def build(self, block: Any) -> Controller:
        """Return the controller of a block, None for no control."""
        return None if block is None else _BUILDERS[type(block)](self, block)

    def of_pd(self, block: control_schema.Pd) -> Controller:
        """Return the PD law of a block."""
        feed = self._over_time(block.feedforward, "feedforward") or None
        options = {"gravity_compensation": block.gravity_compensation, "feedforward": feed}
        options |= {"inverse_dynamics": block.inverse_dynamics}
        return self.joint_law(block, pd, **options)

    def of_computed_torque(self, block: control_schema.ComputedTorque) -> Controller:
        """Return the computed torque of a block."""
        return self.joint_law(block, computed_torque)

    def of_pid(self, block: control_schema.Pid) -> Sampled:
        """Return the PID control of a block."""
        from lissom.control.design.pid_control import Notch, pid

        gains = {joint: {"p": gain.p, "i": gain.i, "d": gain.d} for joint, gain in block.gains.items()}
        selected = channels(self.model, gains, "gains")
        notches: dict[str, list[Notch]] = {}
        for notch in block.notches:
            notches.setdefault(notch.joint, []).append(Notch(notch.frequency, notch.depth, notch.width))
        stiff = {joint: {"p": gain.p, "d": gain.d} for joint, gain in block.gains.items()}
        probe = None if block.shaper is None else pd(self.model, stiff, {name: 0.0 for name in stiff}, block.side)
        return pid(
            self.model, gains, self.reference(block, selected, probe), notches=notches or None,
            feedforward=self._over_time(block.feedforward, "feedforward") or None,
            sensors=self._find_sensors(block.sensors), **_given_fields(block, *_PID, *_SAMPLING),
        )  # fmt: skip

    def of_impedance(self, block: control_schema.Impedance) -> Controller:
        """Return the impedance of a block; the tip is to stay where the arm starts unless the block says where."""
        from lissom.control.laws.continuous_laws import impedance
        from lissom.control.schema.time_series_schema import series_reference
        from lissom.dynamics import tip_pose

        self.model.row(block.link)
        aim: Any = tip_pose(self.model, self.start, block.link)[:3, 3]
        if block.reference is not None:
            with within("reference"):
                aim = series_reference(block.reference, 3, self.until or 1.0, "position")
        law = impedance(self.model, block.link, reference=aim, **_given_fields(block, *_IMPEDANCE))
        return _sample_law(law, block)

    def of_torque(self, block: control_schema.Torque) -> Controller:
        """Return the open loop of a block."""
        law = torques(self.model, self._over_time(block.torques, "torques"), saturation=block.saturation)
        return _sample_law(law, block)

    def _over_time(self, given: dict[str, Any], field: str) -> dict[str, Any]:
        """Return torques by joint: numbers as they are, references built."""
        parts: dict[str, Any] = {}
        for joint, value in given.items():
            selected = channels(self.model, [joint], field, measured=False)
            if isinstance(value, ReferenceBlock):
                with within(field, joint):
                    zero = np.zeros(len(selected))
                    parts[joint] = reference(self.model, value, selected, zero, self.until, positions=False)
            else:
                parts[joint] = value
        return parts

    def joint_law(self, block: control_schema.OfJoints, make: Callable[..., ControlLaw], **options: Any) -> Controller:
        """Return the law `make(model, gains, reference, side=..., saturation=..., **options)` of a block.

        It is sampled, and reads sensors, where the block says so.
        """
        gains = {joint: {"p": gain.p, "d": gain.d} for joint, gain in block.gains.items()}
        options |= {"side": block.side, "saturation": block.saturation}
        # a shaper asks the law how the closed loop vibrates
        probe = None if block.shaper is None else make(self.model, gains, {name: 0.0 for name in gains}, **options)
        selected = channels(self.model, gains, "gains")
        law = make(self.model, gains, self.reference(block, selected, probe), **options)
        if not block.sensors:
            return _sample_law(law, block)
        from lissom.control.laws.sensor_laws import on_sensors

        return on_sensors(self.model, law, self._find_sensors(block.sensors), **_given_fields(block, *_SAMPLING))

    def _find_sensors(self, names: Sequence[str]) -> list[Any]:
        """Return sensors of the scenario by their names; other names may be the robot's."""
        known = [*self.sensors, *(sensor.called for sensor in self.model.robot.sensors)]
        for k, name in enumerate(names):
            if name not in known:
                remedy = suggestion(name, known) if known else "add it under sensors: of the scenario or the robot"
                raise LissomError(f"is not a sensor; {remedy}", ("sensors", k), name)
        return [self.sensors.get(name, name) for name in names]

    def of_lqg(self, block: control_schema.Lqg) -> Sampled:
        """Return the filter and feedback of a block."""
        from lissom.control.design.gain_schedule import schedule
        from lissom.control.design.output_feedback import lqg
        from lissom.control.design.state_feedback import controlled_coordinates

        selected = controlled_coordinates(self.model, block.joints)
        follows = self._reference_or_start(block.reference, selected)
        options = {"sensors": self._find_sensors(block.sensors), **_given_fields(block, *_LQG)}
        if block.poses is not None:
            return schedule(self.model, lqg, block.poses, reference=follows, **options)
        return lqg(self.model, self._pose(block.pose, follows, selected), reference=follows, **options)

    def of_lqr(self, block: control_schema.Lqr) -> Sampled:
        """Return the state feedback of a block."""
        from lissom.control.design.gain_schedule import schedule
        from lissom.control.design.state_feedback import controlled_coordinates, lqr

        options = _given_fields(block, *_LQR, *_SAMPLING)
        options["sensors"] = self._find_sensors(block.sensors)
        selected = controlled_coordinates(self.model, block.joints)
        follows = self.reference(block, selected, None)
        if block.poses is not None:
            return schedule(self.model, lqr, block.poses, reference=follows, **options)
        return lqr(self.model, self._pose(block.pose, follows, selected), reference=follows, **options)

    def _pose(self, pose: Any, follows: Reference, selected: tuple[ControlledCoordinate, ...]) -> np.ndarray:
        """Return where a design is made: at the given pose, else where the motion ends."""
        if pose is None:
            return self._end(follows, selected)
        with within("pose"):
            return configuration(self.model, pose)

    def _reference_or_start(self, block: Any, selected: tuple[ControlledCoordinate, ...]) -> Reference:
        """Return what is followed; where the joints start unless given."""
        first = np.array([self.start[channel.joint_q] for channel in selected])
        if block is None:
            return Reference.constant(first)
        with within("reference"):
            return reference(self.model, block, selected, first, self.until)

    def reference(
        self, block: control_schema.Following, selected: tuple[ControlledCoordinate, ...], law: ControlLaw | None = None
    ) -> Reference:
        """Return what a block follows, shaped as it says; `law` holds the joints while vibrations are looked for."""
        follows = self._reference_or_start(block.reference, selected)
        if block.shaper is None:
            return follows
        with within("shaper"):
            return shape(follows, self._shaper(block.shaper, self._end(follows, selected), law))

    def _shaper(self, block: control_schema.ShaperBlock, at: np.ndarray, law: ControlLaw | None) -> Impulses:
        if block.frequency is not None:
            return impulses(block.type, block.frequency, block.damping or 0.0)
        return shaper(self.model, at, block.type, 1 if block.modes is None else block.modes, law)

    def _end(self, follows: Reference, selected: tuple[ControlledCoordinate, ...]) -> np.ndarray:
        """Return the configuration (nq,) where a reference ends."""
        end = self.start.copy()
        for k, channel in enumerate(selected):
            end[[channel.joint_q, channel.motor_q]] = follows(follows.end)[0][k]
        return end


_BUILDERS: dict[type[control_schema.ControlBlock], Callable[[ControlSetting, Any], Controller]] = {
    control_schema.NoControl: lambda setting, block: None,
    control_schema.Torque: ControlSetting.of_torque,
    control_schema.Pd: ControlSetting.of_pd,
    control_schema.Pid: ControlSetting.of_pid,
    control_schema.ComputedTorque: ControlSetting.of_computed_torque,
    control_schema.Impedance: ControlSetting.of_impedance,
    control_schema.Lqr: ControlSetting.of_lqr,
    control_schema.Lqg: ControlSetting.of_lqg,
}


def register(block: type[control_schema.ControlBlock], build: Callable[[ControlSetting, Any], Controller]) -> None:
    """Let `control:` of scenarios take a further block, whose controller is `build(setting, block)`."""
    _BUILDERS[block] = build
    if block not in control_schema.CONTROLS:
        control_schema.CONTROLS.append(block)


def _sample_law(law: ControlLaw, block: control_schema.Continuous) -> Controller:
    return law if block.rate is None else Sampled(law, **_given_fields(block, *_SAMPLING))


def _given_fields(block: Block, *names: str) -> dict[str, Any]:
    """Return those of the fields that are given."""
    return {name: value for name in names if (value := getattr(block, name)) is not None}
