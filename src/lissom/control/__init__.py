"""References and controllers. Names load when they are first used."""

from typing import TYPE_CHECKING

from lissom import lazy

if TYPE_CHECKING:
    from lissom.control.config import from_config
    from lissom.control.control_law import ControlLaw, JointLaw, Together
    from lissom.control.kalman_filter import KalmanFilter, kalman
    from lissom.control.law import Law, computed_torque, pd, torques
    from lissom.control.measured import on_sensors
    from lissom.control.output_feedback import OutputFeedback, lqg
    from lissom.control.pose import pose_motion
    from lissom.control.reference import Reference
    from lissom.control.sampled import Hold, Sampled
    from lissom.control.shaping import Impulses, impulses, light_modes, shape, shaper
    from lissom.control.state_feedback import StateFeedback, lqr
    from lissom.control.twin import rigid_twin

__all__ = [
    "Reference",
    "pose_motion",
    "ControlLaw",
    "JointLaw",
    "Together",
    "Law",
    "pd",
    "computed_torque",
    "torques",
    "Sampled",
    "on_sensors",
    "Hold",
    "lqr",
    "StateFeedback",
    "lqg",
    "OutputFeedback",
    "kalman",
    "KalmanFilter",
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
        "lissom.control.control_law": ("ControlLaw", "JointLaw", "Together"),
        "lissom.control.law": ("Law", "computed_torque", "pd", "torques"),
        "lissom.control.state_feedback": ("StateFeedback", "lqr"),
        "lissom.control.kalman_filter": ("KalmanFilter", "kalman"),
        "lissom.control.measured": ("on_sensors",),
        "lissom.control.output_feedback": ("OutputFeedback", "lqg"),
        "lissom.control.pose": ("pose_motion",),
        "lissom.control.reference": ("Reference",),
        "lissom.control.sampled": ("Hold", "Sampled"),
        "lissom.control.shaping": ("Impulses", "impulses", "light_modes", "shape", "shaper"),
        "lissom.control.twin": ("rigid_twin",),
    },
)
