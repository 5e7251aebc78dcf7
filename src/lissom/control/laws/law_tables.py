"""Control laws as tables that kernels read."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from lissom.control.laws.control_kernel import LawArrays
from lissom.kernel.compile import Struct

if TYPE_CHECKING:
    from lissom.control.laws.control_law import ControlLaw


def law_arrays(law: ControlLaw | None) -> LawArrays:
    """Return the tables of a law, in memory of their own; no law is one on no coordinates."""
    if law is None:
        index, number, none = np.zeros(0, np.int64), np.zeros(0), np.zeros((1, 0, 6))
        by_part, span = np.zeros((0, 0)), np.array([0.0, 1.0])
        return LawArrays(
            law=index, gain=index, begin=np.zeros(1, np.int64), force=index, measured_q=index, measured_v=index,
            twin_index=index, twin_at=index, twin_q=by_part.astype(np.int64), twin_v=by_part.astype(np.int64),
            kp=number, kd=number, constants=by_part, tip=index, aim_breaks=span, aim_coefficients=none, lower=number,
            upper=number, breaks=span, coefficients=none, feed_breaks=span, feed_coefficients=none, feed_scale=number,
            feed_offset=number, feed_delay=number,
        )  # fmt: skip
    sizes = [len(part.names) for part in law.parts]
    return LawArrays(
        law=np.repeat([int(part.kind.law) for part in law.parts], sizes).astype(np.int64),
        gain=np.repeat([int(part.kind.gain) for part in law.parts], sizes).astype(np.int64),
        begin=np.cumsum([0, *sizes]).astype(np.int64),
        force=law.force,
        measured_q=law.measured_q,
        measured_v=law.measured_v,
        twin_index=np.concatenate([_pad_table(part.twin_index, len(part.names)) for part in law.parts]),
        twin_at=np.concatenate([_pad_table(part.twin_at, len(part.names)) for part in law.parts]),
        twin_q=_rows([part.twin_q for part in law.parts]),
        twin_v=_rows([part.twin_v for part in law.parts]),
        kp=law.kp,
        kd=law.kd,
        constants=_rows([np.array(part.constants, float) for part in law.parts]),
        tip=np.array([part.tip for part in law.parts], np.int64),
        aim_breaks=np.array(law.aim.breaks),
        aim_coefficients=np.array(law.aim.coefficients),
        lower=law.lower,
        upper=law.upper,
        breaks=np.array(law.reference.breaks),
        coefficients=np.array(law.reference.coefficients),
        feed_breaks=np.array(law.feedforward.breaks),
        feed_coefficients=np.array(law.feedforward.coefficients),
        feed_scale=np.ones(sum(sizes)),
        feed_offset=np.zeros(sum(sizes)),
        feed_delay=np.zeros(sum(sizes)),
    )


@cache
def _no_law() -> Struct:
    return Struct(law_arrays(None))


def packed_law(law: ControlLaw | None) -> Struct:
    """Return the tables of a law as kernels take them."""
    return _no_law() if law is None else Struct(law_arrays(law))


def _pad_table(table: np.ndarray, size: int) -> np.ndarray:
    """Return the table of one part, filled up to a size by zeros, which nothing reads."""
    return np.concatenate([table, np.zeros(size - len(table), table.dtype)])


def _rows(each: list[np.ndarray]) -> np.ndarray:
    """Stack tables of all parts, (parts, n)."""
    size = max(map(len, each))
    return np.array([_pad_table(table, size) for table in each]).reshape(len(each), size)
