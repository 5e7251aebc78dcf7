"""References and controllers."""

from lissom.control.config import from_config
from lissom.control.law import ControlLaw, Law, computed_torque, pd, torques
from lissom.control.lqr import StateFeedback, lqr
from lissom.control.reference import Reference
from lissom.control.sampled import Hold, Sampled
from lissom.control.shaping import Impulses, impulses, light_modes, shape, shaper
from lissom.control.twin import rigid_twin

__all__ = [
    "Reference",
    "ControlLaw",
    "Law",
    "pd",
    "computed_torque",
    "torques",
    "Sampled",
    "Hold",
    "lqr",
    "StateFeedback",
    "Impulses",
    "impulses",
    "shape",
    "shaper",
    "light_modes",
    "rigid_twin",
    "from_config",
]
