"""The rod of a slider-crank whips as a free flywheel drives it.

Cranes and machines
"""

import numpy as np

from lissom.scenario import load

run = load("slider-crank").run(progress=False)
audit = run.energy_audit()
print(audit)
assert audit.relative < 1e-5
figure = run.plot("shape")
assert np.isfinite(run.v).all()
