"""Searches that end in a local minimum: the same from short windows of the records, which then grow.

A model that vibrates at a wrong frequency loses a period against the record sooner or later. Over a long record the
misfit has a minimum for every whole period lost; over the first periods it has one. So a search that ends with large
errors that are no noise starts again with the beginning of each record.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from lissom.errors import LissomError
from lissom.identify.prepared_record import PreparedRecord, slowest_frequency
from lissom.identify.residuals import OutputBlock, Residuals
from lissom.identify.uncertainty import memory_of

POOR = 0.2  # normalised error from which an output is not met, if its errors are no white noise
PERIODS = 0.5  # of the slowest vibration, in the first window
SHORTEST = 1 / 64  # of a record
GROWTH = 2.0  # of windows, from one search to the next


def poorest(blocks: list[OutputBlock]) -> OutputBlock | None:
    """Return the output that is met worst, where its errors are large and follow each other; None if none is."""
    missed = [block for block in blocks if block.normalised > POOR and memory_of(block.errors) >= 2.0]
    return max(missed, key=lambda block: block.normalised, default=None)


def likelihood(blocks: list[OutputBlock]) -> float:
    """Return minus the logarithm of the likelihood of errors whose noise is found from them, but for a constant."""
    return sum(len(block.errors) * np.log(np.mean(block.errors**2) + 1e-300) / 2 for block in blocks)


def growing_windows(misfit: Residuals) -> list[Residuals]:
    """Return the misfit on windows that begin where the records do and double, all shorter than the records."""
    shortest = {name: _first_window(prepared) for name, prepared in misfit.records.items()}
    made: list[Residuals] = []
    share = 1.0
    while any(share * first < 0.75 for first in shortest.values()):
        records = {}
        for name, prepared in misfit.records.items():
            begin, lasts = prepared.samples.begin, float(prepared.samples.time[-1])
            window = (begin, begin + min(1.0, share * shortest[name]) * lasts)
            records[name] = prepared.record.model_copy(update={"window": window})
        with suppress(LissomError):  # too short for what is measured
            made.append(misfit.on(records))
        share *= GROWTH
    return made


def _first_window(prepared: PreparedRecord) -> float:
    """Return the share of a record that its slowest vibrations take; all of it at most."""
    slowest = slowest_frequency(prepared.model)
    share = SHORTEST if slowest is None else PERIODS / slowest / float(prepared.samples.time[-1])
    return min(1.0, max(SHORTEST, share))
