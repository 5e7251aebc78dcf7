"""The registry of actuators: which words robot files may write under `type`, and how others add theirs."""

from __future__ import annotations

from lissom.kernel.data.arrays import Drive
from lissom.model.actuators.actuator import Actuator
from lissom.model.actuators.efforts import Chamber, PulledTendon, Thrust, Thruster, TorqueSource
from lissom.model.actuators.electric_motor import ElectricMotor
from lissom.model.actuators.hydraulic_cylinder import HydraulicCylinder
from lissom.model.actuators.winch import Winch
from lissom.model.schema.forms import Forms

ACTUATORS = Forms(ElectricMotor, HydraulicCylinder, PulledTendon, Winch, Chamber, Thruster, Thrust, TorqueSource)


def register_actuator(kind: type[Actuator]) -> type[Actuator]:
    """Let robot files hold actuators of a new type; also as a decorator.

    Parameters
    ----------
    kind : type
        A class derived from `Actuator` (or `Commanded`, `Routed`) with a field `type: Literal["word"] = "word"`, by
        which files name it. Its law is one of the kernel's (`kind`), with the `numbers` that this takes.

    Returns
    -------
    type
        The class.

    Raises
    ------
    RobotError
        Where the kernel has no such law, or no word chooses the class.
    """
    known = isinstance(kind.kind, Drive)
    text = "" if known else f"has the law {kind.kind!r}, which the kernel has not; take one of Drive"
    ACTUATORS.register(kind, text)
    return kind
