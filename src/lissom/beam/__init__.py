"""Beams: sections, shape functions, displacement fields, and the flexible link made of them.

`BeamLink` joins them. What this package offers by name may be used from outside.
"""

from lissom.beam.beam_link import BeamLink
from lissom.beam.damping import Damping
from lissom.beam.fields.inertia_invariants import Invariants
from lissom.beam.fields.prestress import Prestress, Tendon
from lissom.beam.flexible_link import FlexibleLink, NaturalModes, SectionMap
from lissom.beam.functions import mode_families as families
from lissom.beam.functions.attachment_functions import Place
from lissom.beam.functions.basis import DIRECTIONS, Basis, make_basis
from lissom.beam.functions.force_based_shapes import OwnBasis, own_basis
from lissom.beam.functions.mode_count import enough_modes
from lissom.beam.functions.shape_functions import Shapes
from lissom.beam.lumped_mass import LumpedMass
from lissom.beam.sections.cross_section import Material, Section
from lissom.beam.sections.general_section import GeneralSection
from lissom.beam.sections.profile import Piece, Profile

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
