"""Links of any shape from finite elements: frames, solids, matrices of other codes; reduced to a few coordinates.

What this package offers by name may be used from outside.
"""

from lissom.fem.craig_bampton import Selection, reduce
from lissom.fem.fe_structure import Structure
from lissom.fem.frame_elements import Member, chain, frame, shear_stiffness
from lissom.fem.gmsh_meshes import bracket_and_tube, mesh_shape, mesh_step
from lissom.fem.imported_matrices import from_matrices, from_nastran
from lissom.fem.interface import Interface
from lissom.fem.node_selection import numbered, select
from lissom.fem.reduced_link import Attachment, ReducedLink
from lissom.fem.solid_elements import solid
from lissom.fem.solid_mesh import SolidMesh, box_mesh, read_mesh, tube_mesh
from lissom.fem.truncation import Truncation

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
