"""Sparse symmetric solves: geometric nested dissection, then SuperLU."""

from __future__ import annotations

import numpy as np

from lissom.errors import LissomError
from lissom.fem.fe_structure import Array, Sparse

LEAF = 64  # nodes below which a part is not divided further


class Factor:
    """Factors of a symmetric positive definite matrix whose unknowns sit at points in space."""

    def __init__(self, matrix: Sparse, points: Array, what: str = "the structure") -> None:
        from scipy.sparse.linalg import splu

        self.size = matrix.shape[0]
        self._order = dissection(matrix, points)
        ordered = matrix[self._order][:, self._order].tocsc()
        try:
            self._lu = splu(
                ordered,
                permc_spec="NATURAL",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True, "ColPerm": "NATURAL"},
            )
        except RuntimeError:
            text = "its stiffness matrix is singular once the interfaces are held; a part of it hangs loose"
            raise LissomError(text, (what,)) from None

    def solve(self, right: Array) -> Array:
        """Return matrix^-1 right, for right (size,) or (size, k)."""
        out = np.empty_like(right, dtype=float)
        out[self._order] = self._lu.solve(np.ascontiguousarray(right[self._order], dtype=float))
        return out


def dissection(matrix: Sparse, points: Array) -> Array:
    """Return an order of the unknowns with sparse factors: halves first, then what separates them, recursively."""
    from scipy.sparse import csr_array

    # unknowns of one place stand together: the graph is that of places
    places, node = np.unique(points, axis=0, return_inverse=True)
    node = node.ravel()
    coo = matrix.tocoo()
    n = len(places)
    graph = csr_array((np.ones(len(coo.data), np.int8), (node[coo.coords[0]], node[coo.coords[1]])), shape=(n, n))
    starts, neighbours = graph.indptr, graph.indices
    ordered: list[Array] = []
    side = np.zeros(n, np.int8)

    def divide(part: Array) -> None:
        if len(part) <= LEAF:
            ordered.append(part)
            return
        # a cut across the longest extent
        at = places[part]
        along = at[:, np.argmax(np.ptp(at, axis=0))]
        left = along < np.median(along)
        if not left.any() or left.all():
            ordered.append(part)
            return
        side[part] = np.where(left, 1, 2)
        # the left places that touch the right half separate both: they come last
        lefts = part[left]
        counts = starts[lefts + 1] - starts[lefts]
        around = neighbours[np.repeat(starts[lefts] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
        touches = np.zeros(len(lefts), bool)
        np.logical_or.at(touches, np.repeat(np.arange(len(lefts)), counts), side[around] == 2)
        side[part] = 0
        divide(lefts[~touches])
        divide(part[~left])
        ordered.append(lefts[touches])

    divide(np.arange(n))
    rank = np.empty(n, int)
    rank[np.concatenate(ordered)] = np.arange(n)
    return np.argsort(rank[node], kind="stable")
