"""Dynamics as free functions on a compiled Model: states in, arrays out.

What this package offers by name is public; `state_checks` and `coordinates` serve all layers above.
"""

from typing import TYPE_CHECKING

from lissom.dynamics.coordinates import configuration, forces, rates
from lissom.dynamics.derivatives import (
    Derivatives,
    InverseDerivatives,
    derivatives,
    inverse_derivatives,
    parameter_derivatives,
)
from lissom.dynamics.energy import Energy, energy
from lissom.dynamics.forward import forward_dynamics
from lissom.dynamics.inverse import bias, inverse_dynamics, joint_wrenches
from lissom.dynamics.kinematics import jacobian, point_force, point_pose, point_velocity, tip_pose
from lissom.dynamics.loops.cylinder_pose import ClosedPose, closed_pose
from lissom.dynamics.loops.loop_closing import close_loops
from lissom.dynamics.loops.loop_kinematics import Closed, closed_loops, loop_gaps, loop_jacobian, loop_rows
from lissom.dynamics.mass_matrix import mass_matrix
from lissom.dynamics.state_checks import integrate
from lissom.lazy import names

if TYPE_CHECKING:
    from lissom.dynamics.forward_dynamics_batch import forward_dynamics_batch
    from lissom.dynamics.sensing import sense

__all__ = [
    "Closed",
    "Derivatives",
    "Energy",
    "InverseDerivatives",
    "bias",
    "close_loops",
    "closed_pose",
    "ClosedPose",
    "closed_loops",
    "configuration",
    "derivatives",
    "energy",
    "forces",
    "forward_dynamics",
    "forward_dynamics_batch",
    "integrate",
    "inverse_derivatives",
    "inverse_dynamics",
    "jacobian",
    "joint_wrenches",
    "loop_gaps",
    "loop_jacobian",
    "loop_rows",
    "mass_matrix",
    "parameter_derivatives",
    "point_force",
    "point_pose",
    "point_velocity",
    "rates",
    "sense",
    "tip_pose",
]

__getattr__, __dir__ = names(
    __name__,
    {"lissom.dynamics.forward_dynamics_batch": ("forward_dynamics_batch",), "lissom.dynamics.sensing": ("sense",)},
)
