"""Structures from mass and stiffness matrices of other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lissom.beam import Invariants
from lissom.errors import LissomError
from lissom.fem.fe_structure import Array, Sparse, Structure, check, check_size
from lissom.files import check_file

EPSILON = np.zeros((3, 3, 3))
EPSILON[[0, 1, 2], [1, 2, 0], [2, 0, 1]] = 1
EPSILON[[0, 2, 1], [2, 1, 0], [1, 0, 2]] = -1


def from_matrices(mass: Any, stiffness: Any, nodes: Any, scale: float | None = None) -> Structure:
    """Return a structure from its matrices and a table of nodes.

    Rows of the matrices go node by node, in the order of the table: x, y, z of each node, then its rotations about x,
    y, z where the matrices have them. They must be those of the free body, in kg, N and m (with `scale`, the unit of
    length in m, given for the nodes alone).

    Parameters
    ----------
    mass, stiffness : matrix or path
        Matrices, or files: Matrix Market (.mtx), or .npz of scipy or numpy.
    nodes : array or path
        (n, 4) number, x, y, z; or (n, 3); or a text file of such lines.
    """
    M, K = read_matrix(mass), read_matrix(stiffness)
    numbers, points = read_nodes(nodes)
    name = str(stiffness) if isinstance(stiffness, str | Path) else "matrices"
    if scale is None:
        check_size(points, name, "give nodes in metres, and matrices in kg, N, m; or scale: 1 if it really is so large")
    width, rest = divmod(K.shape[0], max(1, len(points)))
    if rest or width not in (3, 6):
        text = f"{K.shape[0]} rows for {len(points)} nodes; give 3 (displacements) or 6 (and rotations) for each"
        raise LissomError(text, (name,))
    points = points * (1.0 if scale is None else scale)
    structure = Structure(points, width, M, K, MatrixInertia(M, points, width), numbers=numbers)
    return check(structure, name)


def from_nastran(model: Any, op4: Any, mass: str = "MGG", stiffness: str = "KGG") -> Structure:
    """Return a structure from the g-set matrices of a Nastran .op4 file and the grid points of its bulk data file.

    Needs pyNastran, which asks for numpy < 2 and so is not among lissom's extras.
    """
    try:
        from pyNastran.bdf.bdf import read_bdf
        from pyNastran.op4.op4 import read_op4
    except ImportError:
        raise LissomError(
            "Nastran matrices are read with pyNastran, which is not installed; pip install pyNastran, or export the "
            "matrices as Matrix Market files for from_matrices"
        ) from None
    grids = read_bdf(model, xref=True, debug=None).nodes
    numbers = sorted(grids)
    points = np.array([[number, *grids[number].get_position()] for number in numbers])
    matrices = read_op4(op4, [mass, stiffness], debug=None)
    for name in (mass, stiffness):
        if name not in matrices:
            raise LissomError(f"has no matrix {name}; it has {', '.join(matrices) or 'none'}", source=str(op4))
    return from_matrices(_of_op4(matrices[mass]), _of_op4(matrices[stiffness]), points)


def _of_op4(entry: Any) -> Sparse:
    """Return a matrix as pyNastran gives it; form 6 stores one triangle of a symmetric matrix in some versions."""
    from scipy.sparse import csr_array, tril, triu

    form, data = (entry.form, entry.data) if hasattr(entry, "form") else entry
    matrix = csr_array(data)
    one_sided = tril(matrix, -1).nnz == 0 or triu(matrix, 1).nnz == 0
    return csr_array(matrix + matrix.T - _diagonal(matrix)) if form == 6 and one_sided else matrix


def _diagonal(matrix: Sparse) -> Sparse:
    from scipy.sparse import diags_array

    return diags_array(matrix.diagonal())


def read_matrix(source: Any) -> Sparse:
    """Return a sparse matrix from a file or an array."""
    from scipy.sparse import csr_array, load_npz

    if not isinstance(source, str | Path):
        return csr_array(source)
    path = Path(source)
    check_file(path)
    try:
        if path.suffix.lower() == ".npz":
            with np.load(path, allow_pickle=False) as file:
                plain = [file[name] for name in file.files] if "format" not in file.files else None
            if plain is None:
                made = csr_array(load_npz(path))
                made.check_format(full_check=True)  # indices that point nowhere would be read from anywhere
            elif len(plain) != 1:
                raise LissomError(f"holds {len(plain)} arrays; save one matrix in it", source=str(path))
            else:
                made = csr_array(plain[0])
            if made.dtype.kind not in "biuf":
                raise ValueError(f"its numbers are {made.dtype}; real ones are read")
            return made.astype(float)
        return _matrix_market(path)
    except LissomError:
        raise
    except MemoryError:
        raise LissomError("does not fit into memory; give a sparse matrix", source=str(path)) from None
    except Exception as error:  # whatever readers of archives make of damaged bytes
        text = f"cannot be read as a matrix ({error}); give a Matrix Market (.mtx) or .npz file"
        raise LissomError(text, source=str(path)) from None


def _matrix_market(path: Path) -> Sparse:
    """Return a real matrix in the exchange format of Matrix Market; other forms and damaged files are refused.

    Not by SciPy's reader, which ends the process on some of them.
    """
    from scipy.sparse import coo_array, csr_array

    # the heading: %%MatrixMarket matrix FORM KIND SYMMETRY
    head, _, body = path.read_text(encoding="utf-8").partition("\n")
    words = head.lower().split()
    if len(words) != 5 or words[0] != "%%matrixmarket" or words[1] != "matrix":
        raise ValueError("its first line is not %%MatrixMarket matrix ...")
    form, kind, symmetry = words[2:]
    if kind not in ("real", "double", "integer"):
        raise ValueError(f"its numbers are {kind}, not real")
    if symmetry not in ("general", "symmetric") or form not in ("coordinate", "array"):
        raise ValueError(f"it is {form} {symmetry}; give a coordinate or array, general or symmetric")
    # comments, then the line of sizes
    while body.startswith("%") or body[: body.find("\n") + 1].isspace():
        body = body.partition("\n")[2]
    line, _, body = body.partition("\n")
    sizes = [int(word) for word in line.split()]
    if len(sizes) != (3 if form == "coordinate" else 2) or min(sizes) < 0:
        raise ValueError(f"its line of sizes is {line!r}")
    rows, columns = sizes[:2]
    if symmetry == "symmetric" and rows != columns:
        raise ValueError(f"{rows} by {columns} cannot be symmetric")
    # a dense matrix lists columns, of a symmetric one from the diagonal down; a sparse one row, column, number
    numbers = np.array(body.split(), dtype=float)
    if form == "array":
        below = np.tri(rows, columns, dtype=bool) if symmetry == "symmetric" else np.ones((rows, columns), bool)
        at = np.nonzero(below.T)[::-1]
    else:
        if len(numbers) != 3 * sizes[2]:
            raise ValueError(f"it says {sizes[2]} entries and holds {len(numbers) / 3:g}")
        places, numbers = numbers.reshape(-1, 3)[:, :2].T.astype(int) - 1, numbers[2::3]
        if np.any(places < 0) or np.any(places[0] >= rows) or np.any(places[1] >= columns):
            raise ValueError(f"an entry lies outside of {rows} by {columns}")
        at = tuple(places)
    if len(numbers) != len(at[0]):
        raise ValueError(f"it says {len(at[0])} entries and holds {len(numbers)}")
    # of a symmetric matrix the other half
    made = csr_array(coo_array((numbers, at), shape=(rows, columns)))
    if symmetry == "symmetric":
        off = coo_array((np.where(at[0] == at[1], 0.0, numbers), at[::-1]), shape=(rows, columns))
        made = made + csr_array(off)
    return csr_array(made)


def read_nodes(source: Any) -> tuple[Array | None, Array]:
    """Return numbers (n,), if given, and positions (n, 3) of nodes, from an array or a text file."""
    table = source
    if isinstance(source, str | Path):
        check_file(source)
        try:
            text = Path(source).read_text(encoding="utf-8").replace(",", " ").replace(";", " ")
            lines: list[Sequence[float]] = []
            for line in text.splitlines():
                words = line.split("#")[0].split()
                if words and not words[0][0].isalpha():  # a heading starts with a letter
                    lines.append([float(word) for word in words])
            table = np.array(lines)
        except (OSError, ValueError) as error:
            text = f"cannot be read as a table of nodes ({error}); write number, x, y, z"
            raise LissomError(text, source=str(source)) from None
    table = np.asarray(table, float)
    if table.ndim != 2 or table.shape[1] not in (3, 4) or len(table) == 0:
        text = f"a table of shape {table.shape}; give x, y, z or number, x, y, z for each node"
        raise LissomError(text, ("nodes",))
    if table.shape[1] == 3:
        return None, table
    return table[:, 0].astype(int), table[:, 1:]


@dataclass(frozen=True, eq=False)
class MatrixInertia:
    """Mass known as a matrix alone.

    Mass, momenta and kinetic energy follow from the matrix exactly: `mass`, `mc0`, `G0`, `C1`, the sum of `N_aa` and
    the antisymmetric part of `S0`. What it does not tell (how the inertia changes as the body deforms) is taken from
    the mean of its three translational blocks, which is exact for solid elements.
    """

    matrix: Sparse
    nodes: Array
    width: int

    def invariants(self, shapes: Array, origin: Array) -> Invariants:
        """Return the integrals over the mass."""
        from lissom.fem.fe_structure import rigid_motions
        from lissom.fem.solid_elements import NodalInertia

        M, n = self.matrix, len(self.nodes)
        at = self.width * np.arange(n)
        scalar = sum(M[at + a][:, at + a] for a in range(3)) / 3
        displacement = shapes.reshape(n, self.width, -1)[:, :3]
        rough = NodalInertia(scalar, self.nodes).invariants(displacement.reshape(3 * n, -1), origin)
        rigid = rigid_motions(self.nodes - origin, self.width).reshape(-1, 6)
        own = rigid.T @ (M @ rigid)
        with_shapes = rigid.T @ (M @ shapes)
        J = own[:3, :3]
        moment = np.einsum("cab,ab->c", EPSILON, own[:3, 3:]) / -2  # own[a, b] = (e_a x mc)_b
        turn = with_shapes[:3] - np.einsum("cab,abj->cj", EPSILON, rough.S0)
        energy = shapes.T @ (M @ shapes) - rough.mass_matrix
        return Invariants(
            mass=float(np.trace(own[3:, 3:]) / 3),
            mc0=moment,
            C1=with_shapes[3:],
            G0=np.trace(J) / 2 * np.eye(3) - J,
            S0=rough.S0 + np.einsum("cab,cj->abj", EPSILON, turn) / 2,
            N=rough.N + np.einsum("ab,ij->abij", np.eye(3), energy) / 3,
        )
