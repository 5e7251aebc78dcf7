"""Operations of the recursion on SE(3), beside those that its paper quotes of Featherstone's: 130 n - 68 products."""

from __future__ import annotations

import numpy as np

from lissom.dynamics.operation_counts import OperationCount
from lissom.kernel.numbers.operation_counter import ELEMENTARY, Counted, Tally
from lissom.kernel.numbers.rebind import objects, retarget
from lissom.theory.lie_group import passes
from lissom.theory.lie_group.arm import Arm


def featherstone_count(n: int) -> tuple[int, int]:
    """Return products and sums of Featherstone's recursion for n joints, as the paper quotes them."""
    return 130 * n - 68, 101 * n - 56


def operation_count(arm: Arm) -> OperationCount:
    """Return the operations in one call of `newton_euler`, by a run of its source on counting numbers.

    Every operation in the source counts, also with numbers that are zero: screws and inertias of any kind are allowed,
    where Featherstone's count knows frames on the joints' axes.

    Examples
    --------
    >>> import lissom
    >>> from lissom.theory import lie_group as lg
    >>> lg.operation_count(lg.arm(lissom.load("rigid-7-axis").compile())).multiplications
    """
    tally, nodes = Tally(), len(arm.parent)

    def counted(values: np.ndarray) -> np.ndarray:
        return objects(np.asarray(values, float), lambda value: Counted(value, tally))

    state = [counted(np.random.default_rng(0).normal(size=(1, arm.n))) for _ in range(3)]
    found = [counted(np.zeros((1, nodes, 6))) for _ in range(3)]
    base = counted(np.concatenate([np.zeros(3), -arm.gravity]))
    retarget(passes.newton_euler, ELEMENTARY)(
        arm.parent, arm.M, arm.S, arm.column, arm.J, base, *state, *found, counted(np.zeros((1, arm.n)))
    )
    return OperationCount(**vars(tally))
