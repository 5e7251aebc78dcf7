"""A robot as a person describes it: links, joints, beams and bodies; read from YAML, checked, compiled.

Names load when they are first used.
"""

from typing import TYPE_CHECKING

from lissom import lazy

if TYPE_CHECKING:
    from lissom.model.any_robot import AnyRobot, as_model, as_robot, compile
    from lissom.model.beam import Beam
    from lissom.model.beam_parts import Ends, Mass, Modes, Rayleigh
    from lissom.model.body import Body, BoxBody, CylinderBody, SphereBody
    from lissom.model.compiled import Model
    from lissom.model.files import builtin_names, load
    from lissom.model.frame import Frame
    from lissom.model.joint import Joint
    from lissom.model.joint_actions import Friction, Limits, Spring, Transmission
    from lissom.model.loop import Loop
    from lissom.model.material import Material
    from lissom.model.origin import Origin
    from lissom.model.robot import Link, Robot
    from lissom.model.section import Box, Circle, Rectangle, Stiffness, Tube
    from lissom.model.sensor import Accelerometer, Encoder, ForceTorque, Gyro, Position, StrainGauge, Tachometer

__all__ = [
    "load",
    "builtin_names",
    "compile",
    "Model",
    "Robot",
    "AnyRobot",
    "as_robot",
    "as_model",
    "Link",
    "Joint",
    "Loop",
    "Frame",
    "Transmission",
    "Friction",
    "Limits",
    "Spring",
    "Origin",
    "Beam",
    "Modes",
    "Ends",
    "Rayleigh",
    "Mass",
    "Material",
    "Rectangle",
    "Box",
    "Circle",
    "Tube",
    "Stiffness",
    "Body",
    "BoxBody",
    "CylinderBody",
    "SphereBody",
    "Encoder",
    "Tachometer",
    "StrainGauge",
    "Accelerometer",
    "Gyro",
    "Position",
    "ForceTorque",
]

__getattr__, __dir__ = lazy.names(
    __name__,
    {
        "lissom.model.any_robot": ("AnyRobot", "as_model", "as_robot", "compile"),
        "lissom.model.beam": ("Beam",),
        "lissom.model.beam_parts": ("Ends", "Mass", "Modes", "Rayleigh"),
        "lissom.model.body": ("Body", "BoxBody", "CylinderBody", "SphereBody"),
        "lissom.model.compiled": ("Model",),
        "lissom.model.files": ("builtin_names", "load"),
        "lissom.model.frame": ("Frame",),
        "lissom.model.joint": ("Joint",),
        "lissom.model.joint_actions": ("Friction", "Limits", "Spring", "Transmission"),
        "lissom.model.loop": ("Loop",),
        "lissom.model.material": ("Material",),
        "lissom.model.origin": ("Origin",),
        "lissom.model.robot": ("Link", "Robot"),
        "lissom.model.section": ("Box", "Circle", "Rectangle", "Stiffness", "Tube"),
        "lissom.model.sensor": (
            "Accelerometer",
            "Encoder",
            "ForceTorque",
            "Gyro",
            "Position",
            "StrainGauge",
            "Tachometer",
        ),
    },
)
