"""A blade on a shaft spins up: centrifugal stiffening brings it back in line.

Space
"""

import numpy as np

from lissom.scenario import load

run = load("spinup-beam").run(progress=False)
bent = run.deflection(run.model.links[-1]).values
most, last = np.abs(bent[:, 1]).max(), np.abs(bent[-1, 1])
print(f"it lags by {1e3 * most:.0f} mm on the way, and by {1e3 * last:.2f} mm at full speed")
assert last < 0.02 * most
figure = run.plot("deflection")
