"""Where things are: the repository, the modules that tests share, and the data they compare with."""

import json
from pathlib import Path

HELPERS = Path(__file__).parent
DATA = HELPERS.parent / "data"
ROOT = HELPERS.parents[1]


def reference_figures() -> dict:
    """Results of other programs: whole manoeuvres, a spin-up, the L mechanism; conventions are in the file."""
    return json.loads((DATA / "reference_figures.json").read_text(encoding="utf-8"))
