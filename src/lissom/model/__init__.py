"""A robot as a person describes it: links, joints, beams and bodies; read from YAML, checked, compiled."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lissom.model.body import Body, BoxBody, CylinderBody, SphereBody
from lissom.model.elastic import Beam, Ends, Mass, Modes, Rayleigh
from lissom.model.files import builtin_names, load
from lissom.model.joint import Friction, Joint, Limits, Spring, Transmission
from lissom.model.material import Material
from lissom.model.origin import Origin
from lissom.model.robot import Link, Robot
from lissom.model.section import Box, Circle, Rectangle, Stiffness, Tube

if TYPE_CHECKING:
    from lissom.model.compile import compile_robot as compile
    from lissom.model.compiled import Model

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


def __getattr__(name: str) -> Any:
    if name == "compile":
        globals()["compile"] = import_module("lissom.model.compile").compile_robot
    elif name == "Model":
        globals()["Model"] = import_module("lissom.model.compiled").Model
    else:
        raise AttributeError(f"module 'lissom.model' has no attribute {name!r}")
    return globals()[name]
