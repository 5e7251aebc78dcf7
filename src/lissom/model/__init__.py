"""A robot as a person describes it: links, joints, beams and bodies; read from YAML, checked, compiled.

`Robot` is the description and `Model` what it is compiled to. Names load when they are first used.
"""

from typing import TYPE_CHECKING

from lissom import lazy

if TYPE_CHECKING:
    from lissom.model.any_robot import AnyRobot, as_model, as_robot, compile
    from lissom.model.description.body import Body, BoxBody, CylinderBody, SphereBody
    from lissom.model.description.frame import Frame
    from lissom.model.description.joint import Joint
    from lissom.model.description.joint_actions import Friction, Limits, Spring, Transmission
    from lissom.model.description.loop import Loop
    from lissom.model.description.origin import Origin
    from lissom.model.description.robot import Link, Robot
    from lissom.model.description.sensor import (
        Accelerometer,
        Deflection,
        Encoder,
        ForceTorque,
        Gyro,
        Position,
        StrainGauge,
        Tachometer,
    )
    from lissom.model.flexible.beam import Beam
    from lissom.model.flexible.beam_parts import Ends, Mass, Modes, Rayleigh
    from lissom.model.flexible.material import Material
    from lissom.model.flexible.section import Box, Circle, Rectangle, Stiffness, Tube
    from lissom.model.io.robot_files import builtin_names, load
    from lissom.model.model import Model

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
    "Deflection",
]

__getattr__, __dir__ = lazy.names(
    __name__,
    {
        "lissom.model.any_robot": ("AnyRobot", "as_model", "as_robot", "compile"),
        "lissom.model.flexible.beam": ("Beam",),
        "lissom.model.flexible.beam_parts": ("Ends", "Mass", "Modes", "Rayleigh"),
        "lissom.model.description.body": ("Body", "BoxBody", "CylinderBody", "SphereBody"),
        "lissom.model.model": ("Model",),
        "lissom.model.io.robot_files": ("builtin_names", "load"),
        "lissom.model.description.frame": ("Frame",),
        "lissom.model.description.joint": ("Joint",),
        "lissom.model.description.joint_actions": ("Friction", "Limits", "Spring", "Transmission"),
        "lissom.model.description.loop": ("Loop",),
        "lissom.model.flexible.material": ("Material",),
        "lissom.model.description.origin": ("Origin",),
        "lissom.model.description.robot": ("Link", "Robot"),
        "lissom.model.flexible.section": ("Box", "Circle", "Rectangle", "Stiffness", "Tube"),
        "lissom.model.description.sensor": (
            "Accelerometer",
            "Deflection",
            "Encoder",
            "ForceTorque",
            "Gyro",
            "Position",
            "StrainGauge",
            "Tachometer",
        ),
    },
)
