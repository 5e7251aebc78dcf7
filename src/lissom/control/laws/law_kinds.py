"""Kinds of control laws: one record of each says what integrators, designs and exports need to know of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lissom.control.laws.control_kernel import Gain, Law


@dataclass(frozen=True)
class LawKind:
    """A kind of control law.

    Parameters
    ----------
    name : str
        What tables call it.
    torques : kernel, optional
        Its torques, for a law from outside: `torques(law, part, t, q, v, torque)` sets `torque[k]` for every k from
        `law.begin[part]` to `law.begin[part + 1]`; feedforward and saturation are added behind it. `law` has the
        fields of `LawArrays`. Real and complex numbers pass through it: sensitivities take the complex step.
    gain : Gain
        What kp and kd are. Implicit steps put a STIFFNESS into their Newton matrix; shapers see springs and dampers
        there, and hold the coordinates of all other laws still.
    reference_order : int
        The highest derivative of the reference that enters, 0, 1 or 2: the torque jumps where that one does.
    needs_twin : bool
        Whether it computes with the rigid twin of the robot.
    twin_friction : bool
        Whether that twin has the damping and friction of the joints.
    twin_rates : bool
        Whether the twin moves as fast as the arm does, so that all its velocities are measured.
    """

    name: str
    torques: Any = None
    gain: Gain = Gain.OWN
    reference_order: int = 1
    needs_twin: bool = False
    twin_friction: bool = False
    twin_rates: bool = False
    law: Law = Law.OUTSIDE

    def follows(self, kp: float, kd: float) -> bool:
        """Return whether a coordinate with these gains follows its reference."""
        return bool(kp or kd) or self.reference_order == 2


PD = LawKind("PD", gain=Gain.STIFFNESS, law=Law.PD)
GRAVITY = LawKind("PD with gravity", gain=Gain.STIFFNESS, needs_twin=True, law=Law.GRAVITY)
COMPUTED_TORQUE = LawKind(
    "computed torque",
    gain=Gain.PER_INERTIA,
    reference_order=2,
    needs_twin=True,
    twin_rates=True,
    law=Law.COMPUTED_TORQUE,
)
FEEDFORWARD = LawKind(
    "PD with inverse dynamics",
    gain=Gain.STIFFNESS,
    reference_order=2,
    needs_twin=True,
    twin_friction=True,
    law=Law.FEEDFORWARD,
)
IMPEDANCE = LawKind("impedance", gain=Gain.STIFFNESS, needs_twin=True, twin_rates=True, law=Law.IMPEDANCE)
