"""A robot as a person describes it: links, joints, beams and bodies; read from YAML, checked, compiled."""

from lissom.model.beam import Beam, Ends, Mass, Modes, Rayleigh
from lissom.model.body import Body, BoxBody, CylinderBody, SphereBody
from lissom.model.compile import compile_robot as compile  # the function; it takes the place of its module
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
