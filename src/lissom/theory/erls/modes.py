"""Links of any shape for the equivalent rigid-link system: component modes of a free finite-element structure.

Craig and Bampton's basis (static shapes of unit motions of the interface nodes, and modes with these nodes held),
orthonormalised: six rigid motions, then elastic modes of the free link by rising frequency, as in the modal neutral
files that the paper exchanges with other programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lissom.errors import LissomError
from lissom.fem import Structure
from lissom.theory.erls.link import ErlsLink

DENSE = 3000  # unknowns up to which dense matrices serve


@dataclass(frozen=True, eq=False)
class ComponentModes:
    """Elastic modes of a free link; the six rigid ones are implied."""

    structure: Structure
    frequencies: np.ndarray  # (m,) Hz
    shapes: np.ndarray  # (unknowns, m), mass-normalised

    @property
    def count(self) -> int:
        """Number of modal coordinates, the rigid ones included."""
        return 6 + len(self.frequencies)

    def first(self, count: int) -> ComponentModes:
        """Return the lowest so many, the six rigid ones included."""
        if not 6 <= count <= self.count:
            raise LissomError(f"choose from 6 (a rigid link) to {self.count}", ("count",), count)
        m = count - 6
        return replace(self, frequencies=self.frequencies[:m], shapes=self.shapes[:, :m])

    def link(self, base: int) -> ErlsLink:
        """Return the link, its frame at the node `base` with the axes of the mesh."""
        inertia = self.structure.inertia.invariants(self.shapes, self.structure.nodes[base])
        stiffness = np.diag((2 * np.pi * self.frequencies) ** 2)
        return ErlsLink.of(inertia, stiffness, np.zeros_like(stiffness), self.at(base))

    def at(self, node: int) -> np.ndarray:
        """Rotation and displacement (6, m) of a node per elastic coordinate."""
        rows = self.structure.unknowns(np.array([node]))[0]
        return self.shapes[np.concatenate([rows[3:], rows[:3]])]


def component_modes(structure: Structure, interfaces: Sequence[int], internal: int) -> ComponentModes:
    """Craig-Bampton modes of a structure whose nodes turn (frame elements).

    Args:
        interfaces: nodes where joints take hold.
        internal: how many modes with the interfaces held to keep besides the static shapes.

    Equations: 001 (2).
    """
    from scipy.linalg import eigh, solve

    if structure.width != 6 or structure.size > DENSE:
        raise LissomError(f"component modes: give frame elements with at most {DENSE} unknowns, not {structure.size}")
    M, K = structure.mass.toarray(), structure.stiffness.toarray()
    held = structure.unknowns(np.asarray(interfaces)).ravel()
    free = np.setdiff1d(np.arange(structure.size), held)
    basis = np.zeros((structure.size, len(held) + min(internal, len(free))))
    basis[held, np.arange(len(held))] = 1.0
    basis[free, : len(held)] = -solve(K[np.ix_(free, free)], K[np.ix_(free, held)], assume_a="sym")
    basis[free, len(held) :] = eigh(K[np.ix_(free, free)], M[np.ix_(free, free)])[1][:, : basis.shape[1] - len(held)]
    squares, vectors = eigh(basis.T @ K @ basis, basis.T @ M @ basis)
    shapes = basis @ vectors[:, 6:]  # the first six are rigid
    return ComponentModes(structure, np.sqrt(squares[6:]) / (2 * np.pi), shapes)
