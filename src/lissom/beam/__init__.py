"""Beams: sections, mode families and bases, and the flexible link made of them."""

from lissom.beam import families
from lissom.beam.attachments import Place
from lissom.beam.basis import DIRECTIONS, Basis, make_basis
from lissom.beam.damping import Damping
from lissom.beam.enough_modes import enough_modes
from lissom.beam.flexible import FlexibleLink, NaturalModes, SectionMap
from lissom.beam.general import GeneralSection
from lissom.beam.invariants import Invariants
from lissom.beam.link import BeamLink
from lissom.beam.lumped import LumpedMass
from lissom.beam.own_shapes import OwnBasis, own_basis
from lissom.beam.prestress import Prestress, Tendon
from lissom.beam.profile import Piece, Profile
from lissom.beam.section import Material, Section
from lissom.beam.shapes import Shapes

__all__ = [
    "Material",
    "Section",
    "GeneralSection",
    "Piece",
    "Profile",
    "families",
    "Place",
    "Shapes",
    "Basis",
    "make_basis",
    "DIRECTIONS",
    "OwnBasis",
    "own_basis",
    "enough_modes",
    "LumpedMass",
    "FlexibleLink",
    "BeamLink",
    "SectionMap",
    "NaturalModes",
    "Invariants",
    "Damping",
    "Prestress",
    "Tendon",
]
