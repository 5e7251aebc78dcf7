"""Where the steps of a run must end: times when a force jumps, or a given motion bends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from lissom.control.laws.control_law import ControlLaw
from lissom.control.references.reference import Reference

FAINT = 1e-4  # jumps of the jerk below this share of it, as where pieces of a sine meet, cost steps nothing
CORNERS = 100  # most corners of references that steps end at; splines have more, and small ones


class Segments(NamedTuple):
    """The time of a run, cut."""

    jumps: np.ndarray  # s, ascending: forces or accelerations jump, so steps begin anew
    ends: np.ndarray  # s, ascending: these, and the corners that steps end at

    def end_after(self, t: float, duration: float) -> float:
        """Return the next of its ends, or that of the run."""
        later = self.ends[self.ends > t + 1e-12]
        return min(duration, float(later[0])) if later.size else duration


def cut_at_jumps(
    law: ControlLaw | None, motions: Iterable[Reference], others: Iterable[np.ndarray], corners: bool = True
) -> Segments:
    """Return segments of a run under a law, with prescribed motions and `others` that jump at given times.

    `corners`: whether steps end where the jerk of a reference jumps too, or they lose their order.
    """
    motions = [motion for motion in motions if motion.channels]
    jumps = _together(law.jumps if law is not None else (), _bends(motions, 2), *others)
    if not corners:
        return Segments(jumps, jumps)
    bent = _together(_bends(motions, 3, FAINT), () if law is None else law.reference.discontinuities(3, FAINT))
    return Segments(jumps, _together(jumps, bent) if len(bent) <= CORNERS else jumps)


def _bends(motions: Iterable[Reference], order: int, share: float = 1e-9) -> np.ndarray:
    """Return the times where a derivative of the motions up to `order` jumps."""
    return _together(*(motion.discontinuities(order, share) for motion in motions))


def _together(*times: Sequence[float] | np.ndarray) -> np.ndarray:
    given = [each for each in times if len(each)]
    return np.unique(np.concatenate(given)) if given else np.zeros(0)
