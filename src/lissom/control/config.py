"""A controller from the `control:` block of a scenario file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import Field
from pydantic_core import ValidationError

from lissom.control import schema
from lissom.control.channels import Channel, channels
from lissom.control.law import ControlLaw, computed_torque, pd, torques
from lissom.control.reference import Reference
from lissom.control.references import reference
from lissom.control.sampled import Sampled
from lissom.control.shaping import Impulses, impulses, shape, shaper
from lissom.control.state_feedback import controlled, lqr
from lissom.dynamics.coordinates import configuration
from lissom.errors import within
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.compiled import Model

Controller = ControlLaw | Sampled | None

_LQR = ("joints", "angle", "deflection", "torque", "bandwidth", "side", "angle_noise", "limit", "saturation")
_SAMPLING = ("rate", "delay")


def from_config(
    robot: AnyRobot,
    config: schema.ControlBlock | Mapping[str, Any] | None,
    start: Any = None,
    folder: str | os.PathLike[str] = ".",
) -> Controller:
    """The controller that a scenario's `control:` block describes; None for no control.

    Args:
        config: {type: pd | computed-torque | torque | lqr | none, ...}.
        start: the configuration at the start, (nq,) or {joint: value}; joints that a reference does not name
            stay there.
        folder: where relative paths of CSV files begin.
    """
    model = as_model(robot)
    at = configuration(model, start, "start")
    block = _checked(config, Path(folder))
    with within("control"):
        return None if block is None else _Builder(model, at).build(block)


class _Whole(schema.Block):
    """What is around a control block, so that errors name it."""

    what: ClassVar[str] = "scenario"

    control: schema.AnyControl | None = Field(description=schema.CONTROL)


def _checked(config: Any, folder: Path) -> Any:
    if config is None or isinstance(config, schema.ControlBlock):
        return config
    data = {"control": dict(config) if isinstance(config, Mapping) else config}
    try:
        return _Whole.model_validate(data, context={"folder": folder}).control
    except ValidationError as error:
        from lissom.model.problems import explain

        raise explain(error, _Whole, data) from None


class _Builder:
    def __init__(self, model: Model, start: np.ndarray) -> None:
        self.model, self.start = model, start

    def build(self, block: Any) -> Controller:
        made: dict[type[schema.ControlBlock], Callable[[Any], Controller]] = {
            schema.NoControl: lambda b: None,
            schema.Torque: lambda b: _sampled(self._torques(b), b),
            schema.Pd: lambda b: _sampled(self._joint_law(b, pd, gravity_compensation=b.gravity_compensation), b),
            schema.ComputedTorque: lambda b: _sampled(self._joint_law(b, computed_torque), b),
            schema.Lqr: self._lqr,
        }
        return made[type(block)](block)

    def _torques(self, block: schema.Torque) -> ControlLaw:
        parts: dict[str, Any] = {}
        for joint, value in block.torques.items():
            selected = channels(self.model, [joint], "torques")
            if isinstance(value, schema.ReferenceBlock):
                with within("torques", joint):
                    parts[joint] = reference(self.model, value, selected, np.zeros(len(selected)))
            else:
                parts[joint] = value
        return torques(self.model, parts, saturation=block.saturation)

    def _joint_law(
        self, block: schema.Pd | schema.ComputedTorque, make: Callable[..., ControlLaw], **options: Any
    ) -> ControlLaw:
        gains = {joint: {"p": gain.p, "d": gain.d} for joint, gain in block.gains.items()}
        options |= {"side": block.side, "saturation": block.saturation}
        probe = make(self.model, gains, {name: 0.0 for name in gains}, **options)  # checks names and limits
        selected = channels(self.model, gains, "gains")
        return make(self.model, gains, self._reference(block, selected, probe), **options)

    def _lqr(self, block: schema.Lqr) -> Sampled:
        options = _given(block, *_LQR, *_SAMPLING)
        options["sensors"] = [_given(sensor, "link", "kind", "noise") for sensor in block.sensors]
        selected = controlled(self.model, block.joints)
        follows = self._reference(block, selected, None)
        at: Any = block.pose
        if at is None:  # the design fits best where the motion ends
            at = self._end(follows, selected)
        else:
            with within("pose"):
                at = configuration(self.model, at)
        return lqr(self.model, at, reference=follows, **options)

    def _reference(self, block: schema.Following, selected: tuple[Channel, ...], law: ControlLaw | None) -> Reference:
        first = np.array([self.start[channel.joint_q] for channel in selected])
        if block.reference is None:
            follows = Reference.constant(first)
        else:
            with within("reference"):
                follows = reference(self.model, block.reference, selected, first)
        if block.shaper is None:
            return follows
        with within("shaper"):
            return shape(follows, self._shaper(block.shaper, self._end(follows, selected), law))

    def _shaper(self, block: schema.ShaperBlock, at: np.ndarray, law: ControlLaw | None) -> Impulses:
        if block.frequency is not None:
            return impulses(block.type, block.frequency, block.damping or 0.0)
        return shaper(self.model, at, block.type, 1 if block.modes is None else block.modes, law)

    def _end(self, follows: Reference, selected: tuple[Channel, ...]) -> np.ndarray:
        """The configuration (nq,) where a reference ends."""
        end = self.start.copy()
        for k, channel in enumerate(selected):
            end[[channel.joint_q, channel.motor_q]] = follows(follows.end)[0][k]
        return end


def _sampled(law: ControlLaw, block: schema.Continuous) -> Controller:
    return law if block.rate is None else Sampled(law, **_given(block, *_SAMPLING))


def _given(block: schema.Block, *names: str) -> dict[str, Any]:
    """Those of the fields that are given."""
    return {name: value for name in names if (value := getattr(block, name)) is not None}
