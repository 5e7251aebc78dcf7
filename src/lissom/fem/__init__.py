"""Links of any shape from finite elements: frames, solids, matrices of other codes; reduced to a few coordinates."""

from lissom.fem.craig_bampton import Selection, reduce
from lissom.fem.frame import Member, chain, frame, shear_stiffness
from lissom.fem.generate import bracket_and_tube, mesh_shape, mesh_step
from lissom.fem.interface import Interface
from lissom.fem.matrices import from_matrices, from_nastran
from lissom.fem.mesh import SolidMesh, box_mesh, read_mesh, tube_mesh
from lissom.fem.reduced import Attachment, ReducedLink
from lissom.fem.report import Truncation
from lissom.fem.select import numbered, select
from lissom.fem.solid import solid
from lissom.fem.structure import Structure

__all__ = [
    "Structure",
    "frame",
    "chain",
    "Member",
    "shear_stiffness",
    "SolidMesh",
    "read_mesh",
    "box_mesh",
    "tube_mesh",
    "mesh_step",
    "mesh_shape",
    "bracket_and_tube",
    "solid",
    "from_matrices",
    "from_nastran",
    "Interface",
    "select",
    "numbered",
    "reduce",
    "Selection",
    "ReducedLink",
    "Attachment",
    "Truncation",
]
