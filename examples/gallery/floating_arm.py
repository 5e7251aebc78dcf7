"""An arm on a free satellite: the satellite turns against the arm, and momentum stays zero.

Space
"""

import numpy as np

from lissom.scenario import load

run = load("satellite-two-arm").run(progress=False)
momentum = np.abs(run["momentum"].values).max()
print(f"momentum stays below {momentum:.1e} kg m/s")
assert momentum < 1e-4
