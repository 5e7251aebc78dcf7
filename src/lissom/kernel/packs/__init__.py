"""Packs: numbers that stand for eight states at once, in vector registers.

For batches: `memory` makes packs of arrays and Structs, `covers` says which robots they serve.
"""

from __future__ import annotations

import numpy as np

from lissom.kernel.compile import decorators
from lissom.kernel.data.arrays import Arrays

LANES = 8  # doubles of a pack: two registers, one of which computes while the other waits, or a wide one
PACK = np.dtype([("lanes", np.float64, (LANES,))])
COMPLEX_PACK = np.dtype([("real", np.float64, (LANES,)), ("imag", np.float64, (LANES,))])


def covers(arrays: Arrays) -> bool:
    """Return whether the forward dynamics of a robot run in lanes; never as Python, which has no packs."""
    if decorators.run_as_python():
        return False
    real = arrays.gravity.dtype == np.float64
    branches = (arrays.passive.piece_at, arrays.loops.first, arrays.elements.kind, arrays.contacts.shape)
    plain = not any(map(len, branches)) and not len(arrays.actuators.kind)
    return real and plain and not arrays.tree.nodes.any()
