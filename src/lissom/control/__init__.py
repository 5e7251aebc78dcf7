"""References and controllers. Names load when they are first used."""

from typing import TYPE_CHECKING

from lissom import lazy

if TYPE_CHECKING:
    from lissom.control.config import from_config
    from lissom.control.law import ControlLaw, Law, computed_torque, pd, torques
    from lissom.control.reference import Reference
    from lissom.control.sampled import Hold, Sampled
    from lissom.control.shaping import Impulses, impulses, light_modes, shape, shaper
    from lissom.control.state_feedback import StateFeedback, lqr
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

__getattr__, __dir__ = lazy.names(
    __name__,
    {
        "lissom.control.config": ("from_config",),
        "lissom.control.law": ("ControlLaw", "Law", "computed_torque", "pd", "torques"),
        "lissom.control.state_feedback": ("StateFeedback", "lqr"),
        "lissom.control.reference": ("Reference",),
        "lissom.control.sampled": ("Hold", "Sampled"),
        "lissom.control.shaping": ("Impulses", "impulses", "light_modes", "shape", "shaper"),
        "lissom.control.twin": ("rigid_twin",),
    },
)
