"""References and controllers. Names load when they are first used.

What this package offers by name is public.
"""

from typing import TYPE_CHECKING

from lissom import lazy

if TYPE_CHECKING:
    from lissom.control.design.input_shaping import Impulses, impulses, light_modes, shape, shaper
    from lissom.control.design.kalman_filter import KalmanFilter, kalman
    from lissom.control.design.output_feedback import OutputFeedback, lqg
    from lissom.control.design.state_feedback import StateFeedback, lqr
    from lissom.control.laws.continuous_laws import computed_torque, joint_law, pd, torques
    from lissom.control.laws.control_law import ControlLaw, JointLaw, Together
    from lissom.control.laws.law_kinds import LawKind
    from lissom.control.laws.rigid_model import rigid_twin
    from lissom.control.laws.sampled_control import Hold, Sampled
    from lissom.control.laws.sensor_laws import on_sensors
    from lissom.control.references.reference import Reference
    from lissom.control.schema.controller_builder import from_config
    from lissom.control.schema.pose_motions import pose_motion

__all__ = [
    "Reference",
    "pose_motion",
    "ControlLaw",
    "JointLaw",
    "Together",
    "LawKind",
    "pd",
    "computed_torque",
    "torques",
    "joint_law",
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
        "lissom.control.schema.controller_builder": ("from_config",),
        "lissom.control.laws.control_law": ("ControlLaw", "JointLaw", "Together"),
        "lissom.control.laws.continuous_laws": ("computed_torque", "joint_law", "pd", "torques"),
        "lissom.control.design.state_feedback": ("StateFeedback", "lqr"),
        "lissom.control.design.kalman_filter": ("KalmanFilter", "kalman"),
        "lissom.control.laws.sensor_laws": ("on_sensors",),
        "lissom.control.design.output_feedback": ("OutputFeedback", "lqg"),
        "lissom.control.schema.pose_motions": ("pose_motion",),
        "lissom.control.references.reference": ("Reference",),
        "lissom.control.laws.sampled_control": ("Hold", "Sampled"),
        "lissom.control.design.input_shaping": ("Impulses", "impulses", "light_modes", "shape", "shaper"),
        "lissom.control.laws.law_kinds": ("LawKind",),
        "lissom.control.laws.rigid_model": ("rigid_twin",),
    },
)
