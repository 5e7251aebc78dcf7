"""A robot as a person describes it: links, joints, beams and bodies; read from YAML, checked, compiled."""

from lissom.model.any_robot import AnyRobot, as_model, as_robot
from lissom.model.any_robot import compiled as compile  # the function; it takes the place of a module
from lissom.model.beam import Beam, Ends, Mass, Modes, Rayleigh
from lissom.model.body import Body, BoxBody, CylinderBody, SphereBody
from lissom.model.compiled import Model
from lissom.model.files import builtin_names, load
from lissom.model.joint import Joint
from lissom.model.joint_actions import Friction, Limits, Spring, Transmission
from lissom.model.material import Material
from lissom.model.origin import Origin
from lissom.model.robot import Link, Robot
from lissom.model.section import Box, Circle, Rectangle, Stiffness, Tube

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
]
