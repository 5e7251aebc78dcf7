"""Defaults: textbook machines described as a user would, nothing tuned."""

import re

import numpy as np
import pytest
import textbook_beams
import textbook_blades
import textbook_buckling
import textbook_columns
import textbook_frames
import textbook_frequencies
import textbook_held
import textbook_large
import textbook_motion
import textbook_response
import textbook_spinning
from claims import claim
from textbook import answer

PARTS = (
    textbook_beams,
    textbook_held,
    textbook_frequencies,
    textbook_buckling,
    textbook_spinning,
    textbook_motion,
    textbook_large,
    textbook_frames,
    textbook_blades,
    textbook_columns,
    textbook_response,
)
CASES = [case for part in PARTS for case in part.CASES]


def numbers(values):
    return ", ".join(f"{value:.5g}" for value in np.ravel(values))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_textbook_machine_is_right_or_told(case):
    """Within 1 % of the textbook; where a case is beyond the default field, a sentence says so."""
    found, told = answer(case)
    row = {"case": case.name, "source": case.source}
    if case.told is not None:
        sentences = [sentence for sentence in told if re.search(case.told, sentence)]
        row |= {"expected": "a sentence", "found": sentences[0] if sentences else "none"}
        claim(not sentences, 0, "untold", row)
    else:
        assert found is not None, told
        assert np.size(found) == np.size(case.expected), found
        row |= {"expected": numbers(case.expected), "found": numbers(found)}
        claim(np.abs(np.ravel(found) / np.ravel(case.expected) - 1).max(), 0.01, case=row)
