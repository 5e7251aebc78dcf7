"""The ELLA arm lifts its payload: figures 4 to 15 of the screw-theoretic PDE synthesis, and their check.

The same as `lissom example ella`.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np

from lissom.examples import ella

folder = Path(mkdtemp())
results = ella.main(folder)

# figures 4 to 15, and all of them in one PDF
assert len(list(folder.glob("figure-*.png"))) == 12 and (folder / "ella.pdf").exists()
# the tip where geometrically exact finite elements have it at t = 1 s (Exudyn), to 0.05 mm
assert np.abs(results.tip[200] - [1.35078828, 1.132168168, 0.58790541]).max() < 5e-5
# interaction wrenches carry the arm when it has come to rest: hub, links, elbow motor, payload
weight = 9.81 * (1.0 + 1.6302 * (0.95 + 0.93) + 3.3 + 2.1)
assert abs(results.wrenches[-1, 0, 4] / weight - 1) < 1e-3
# the settling tip tells the two slowest poles of the controlled arm
assert np.abs(results.identified_frequencies / results.pole_frequencies[:2] - 1).max() < 0.02
