"""Beams: sections, mode families and bases, and the flexible link made of them."""

from lissom.beam import families
from lissom.beam.basis import DIRECTIONS, Basis, make_basis
from lissom.beam.damping import Damping
from lissom.beam.flexible import FlexibleLink, NaturalModes, SectionMap
from lissom.beam.invariants import Invariants
from lissom.beam.link import BeamLink
from lissom.beam.lumped import LumpedMass
from lissom.beam.section import Material, Section
from lissom.beam.shapes import Shapes

__all__ = [
    "Material",
    "Section",
    "families",
    "Shapes",
    "Basis",
    "make_basis",
    "DIRECTIONS",
    "LumpedMass",
    "FlexibleLink",
    "BeamLink",
    "SectionMap",
    "NaturalModes",
    "Invariants",
    "Damping",
]
