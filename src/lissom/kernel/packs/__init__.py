"""Packs: a number type of LANES doubles in a vector register, so that kernels compute several states at once.

Kernels are the same source; they have no branch on a value of the state, but for springs with curves, exact links,
loops, elements and contacts: of robots with those, `covers` says no. Their arithmetic is machine code's alone
(`compile/translate/prelude.h`); Python has none.
"""

from __future__ import annotations

import numpy as np

from lissom.kernel.arrays import Arrays
from lissom.kernel.compile import marks

LANES = 8  # doubles of a pack: two registers, one of which computes while the other waits, or a wide one
PACK = np.dtype([("lanes", np.float64, (LANES,))])
COMPLEX_PACK = np.dtype([("real", np.float64, (LANES,)), ("imag", np.float64, (LANES,))])


def covers(arrays: Arrays) -> bool:
    """Whether the forward dynamics of a robot run in lanes; never where kernels run as Python, which has no packs."""
    if marks.run_as_python():
        return False
    real = arrays.gravity.dtype == np.float64
    branches = (arrays.passive.piece_at, arrays.loops.first, arrays.elements.kind, arrays.contacts.shape)
    return real and not any(map(len, branches)) and not arrays.tree.nodes.any()
