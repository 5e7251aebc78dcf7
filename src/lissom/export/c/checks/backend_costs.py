"""How many operations the functions of the table back end take, found by running kernels on numbers that count."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.kernel.data.arrays import Arrays
from lissom.kernel.kinematics import forward_kinematics
from lissom.kernel.numbers import operation_counter
from lissom.model.model import Model

DUAL_ADDITIONS, DUAL_PRODUCTS = 2, 4  # operations in one of a dual


class Counts:
    """Operations of kernels of one model."""

    def __init__(self, model: Model, pointed: Arrays) -> None:
        self.model, self.pointed = model, pointed

    def dynamics(self, kernel: Any) -> int:
        """Write the function of forward or inverse dynamics."""
        return _total(self._dynamics(kernel))

    def dual_dynamics(self, kernel: Any) -> int:
        """Write the function of forward or inverse dynamics on dual numbers."""
        tally = self._dynamics(kernel)
        others = tally.multiplications + tally.divisions + tally.functions
        return int(DUAL_ADDITIONS * tally.additions + DUAL_PRODUCTS * others)

    def of_state(self, kernel: Any, out: np.ndarray) -> int:
        """Write the function of a kernel that finds `out` from q and v."""
        return _total(operation_counter.count(kernel, self.model.arrays, *self._state(), out))

    def frames(self) -> int:
        """Write the function of the frames of points."""
        return _total(operation_counter.count(forward_kinematics.forward_kinematics, self.pointed, *self._state()))

    def closing(self) -> int:
        """Count the operations that loops add to the forward dynamics: rows, a solve for each, and the small system."""
        rows, n, links = len(self.model.arrays.loops.hold), self.model.nv, len(self.model.links)
        modes = self.model.arrays.inertia.modal_mass.shape[1]
        each = links * (2 * modes**2 + 40 * modes + 300)  # a pass over vectors, inward and outward
        return int(rows * (2 * each + 2 * rows * n + 2 * n) + rows**3)

    def _state(self) -> list[np.ndarray]:
        rng = np.random.default_rng(0)
        return [self.model.neutral(), rng.normal(size=self.model.nv)]

    def _dynamics(self, kernel: Any) -> Any:
        q, v = self._state()
        return operation_counter.count(
            kernel, self.model.arrays, q, v, v.copy(), np.zeros((self.model.rows, 6)), v.copy()
        )


def _total(tally: Any) -> int:
    return int(sum(vars(tally).values()))
